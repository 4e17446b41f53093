package check

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/simtrun/simtrun/isa"
)

// groups are races by what they have in common, in the order in which they came
// up first.
type groups struct {
	all   []*raceGroup
	byKey map[raceKey]*raceGroup
}

// raceKey is what instances of one finding share: the rule, and the two
// instructions in either order.
type raceKey struct {
	rule Rule
	a, b uint32 // sites, a first in the code
}

type raceGroup struct {
	first  Finding
	blocks map[int64]bool
}

func newGroups() groups { return groups{byKey: make(map[raceKey]*raceGroup)} }

// Findings are the races that were found so far, in the order in which they came
// up.
func (r *Races) Findings() []Finding {
	var fs []Finding
	for _, g := range r.groups.all {
		f := g.first
		f.Blocks = int64(len(g.blocks))
		fs = append(fs, f)
	}
	return fs
}

// report puts the races of an access where they belong.
func (v *visit) report() {
	for i := range v.found {
		c := &v.found[i]
		earlier := c.earlier.site
		key := raceKey{v.rule(c), min(earlier, v.site.index), max(earlier, v.site.index)}
		g := v.r.groups.byKey[key]
		if g == nil {
			g = &raceGroup{first: v.finding(key.rule, c), blocks: make(map[int64]bool)}
			v.r.groups.byKey[key] = g
			v.r.groups.all = append(v.r.groups.all, g)
		}
		pairs := int64(c.earlier.lanes.Count() * c.later.Count())
		if shared := (c.earlier.lanes & c.later).Count(); c.earlier.who == v.now.who {
			pairs -= int64(shared)
		}
		if g.first.Instances > math.MaxInt64-pairs {
			pairs = math.MaxInt64 - g.first.Instances
		}
		g.first.Instances += pairs
		g.blocks[v.w.cta.number] = true
		g.blocks[c.earlier.who.cta()] = true
	}
	v.found = v.found[:0]
}

// rule is the one that a race breaks. Atomics count as writes.
func (v *visit) rule(c *conflict) Rule {
	switch before, now := c.earlier.class&writes != 0, v.now.class&writes != 0; {
	case c.same:
		return RaceSameValue
	case v.inLockstep(c):
		return RaceLockstep
	case before && now:
		return RaceWAW
	case before:
		return RaceRAW
	}
	return RaceWAR
}

// inLockstep reports whether lock step would order the two accesses: if the lanes
// of either ran together with the others when they made it, which is before or
// behind the other access in the text that all of them go through.
func (v *visit) inLockstep(c *conflict) bool {
	return c.earlier.who == v.now.who && !c.together &&
		(c.earlier.marks&diverged == 0 || c.earlier.lanes&^v.together == 0)
}

// finding is the first instance of a race.
func (v *visit) finding(rule Rule, c *conflict) Finding {
	f := Finding{Rule: rule, Space: v.space, Offset: c.from, Address: c.from, Bytes: int(c.to - c.from)}
	if v.region != nil {
		f.Buffer, f.Address = v.region.Name, v.region.Base+c.from
	}
	before := v.r.byIndex[c.earlier.site]
	f.Later = Access{Func: v.site.fn, PC: v.site.pc, CTA: v.r.grid.At(v.w.cta.number), Warp: v.w.number, Lanes: c.later, Writes: v.now.class&writes != 0}
	f.Earlier = Access{Func: before.fn, PC: before.pc, CTA: v.r.grid.At(c.earlier.who.cta()), Warp: c.earlier.who.warp(), Lanes: c.earlier.lanes, Writes: c.earlier.class&writes != 0}
	v.addValues(&f, c)
	f.Between, f.Fix = v.between(c), v.fix(c)
	return f
}

// addValues says what was read and written, where that is known.
func (v *visit) addValues(f *Finding, c *conflict) {
	later, earlier := &v.r.byIndex[v.now.site].in().Types[0], &v.r.byIndex[c.earlier.site].in().Types[0]
	now := func(typ isa.Type) string { return valueText(typ, v.acc.Mem, c.from) }
	switch {
	case !f.Later.Writes:
		f.Later.Value = now(*later)
	case v.acc.Values != nil:
		size := uint64(later.Bytes())
		at := c.from / size * size
		f.Later.Value = valueText(*later, v.stored(firstLane(v.now.lanes), at, at+size), 0)
	}
	switch {
	case c.together:
		size := uint64(earlier.Bytes())
		at := c.from / size * size
		f.Earlier.Value = valueText(*earlier, v.stored(firstLane(c.earlier.lanes), at, at+size), 0)
	case c.earlier.marks&stale == 0:
		f.Earlier.Value = now(*earlier)
	}
}

// valueText is the element that holds the byte at off in the notation of its
// type.
func valueText(typ isa.Type, mem []byte, off uint64) string {
	size := uint64(typ.Bytes())
	off = off / size * size
	var word [8]byte
	copy(word[:], mem[off:off+size])
	bits := binary.LittleEndian.Uint64(word[:])
	switch spare := 64 - typ.Bits(); {
	case typ == isa.F32:
		return fmt.Sprint(math.Float32frombits(uint32(bits)))
	case typ == isa.F64:
		return fmt.Sprint(math.Float64frombits(bits))
	case typ.Class() == isa.Signed:
		return fmt.Sprint(int64(bits<<spare) >> spare)
	default:
		return fmt.Sprint(bits)
	}
}
