package check

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/sorted"
	"github.com/simtrun/simtrun/internal/source"
)

// groups are races, by the two instructions involved.
type groups map[pair]*raceGroup

// pair is two sites, which may be equal; a is the first in the code.
type pair struct{ a, b uint32 }

func (p pair) compare(q pair) int { return cmp.Or(cmp.Compare(p.a, q.a), cmp.Compare(p.b, q.b)) }

// rank is the severity of a race.
type rank uint8

const (
	sameValue rank = iota
	lockstep
	unordered
	numRanks
)

// raceGroup is the races between two instructions, by rank. Only those of the worst rank are reported: whether there
// are others depends on the order in which warps ran.
type raceGroup [numRanks]instances

type instances struct {
	first    Finding // in the order in which they ran
	sites    pair    // of first, in that order
	count    int64
	warps    map[int64]uint32 // by CTA: a bit for each warp
	evidence evidence
}

// evidence is which threads the instances of a race are between. The advice depends on it.
type evidence struct {
	sameInstr      bool // lanes of one instruction
	lanes          bool // lanes of one warp in different instructions
	warps          bool // warps of one CTA
	blocks         bool // different CTAs
	sameIteration  bool // in one iteration of a loop, or outside of loops
	otherIteration bool // in different iterations
	narrowFence    bool // there was a fence between blocks, but of scope .cta
}

// report adds the races of an access to their groups.
func (v *visit) report() {
	for i := range v.found {
		c := &v.found[i]
		strongPair := !conflicting(c.earlier.class, v.now.class, c.earlier.cta == v.now.cta)
		if strongPair && v.rank(c) != lockstep {
			continue
		}
		earlier := uint32(c.earlier.sites)
		key := pair{min(earlier, v.site.index), max(earlier, v.site.index)}
		g := v.r.groups[key]
		if g == nil {
			g = &raceGroup{}
			v.r.groups[key] = g
		}
		rank := v.rank(c)
		in := &g[rank]
		isNew := in.count == 0 && rank != sameValue
		if v.add(in, c); isNew {
			v.r.found++
			v.r.latest = in.first
		}
	}
	v.found = v.found[:0]
}

// add counts the pairs of lanes of a race.
func (v *visit) add(in *instances, c *conflict) {
	if in.count == 0 {
		in.first, in.sites = v.finding(c), pair{uint32(c.earlier.sites), v.site.index}
		in.warps = make(map[int64]uint32)
	}
	pairs := int64(c.earlier.lanes.Count() * c.later.Count())
	sameCTA := c.earlier.cta == v.now.cta
	sameWarp := sameCTA && c.earlier.warp == v.now.warp
	if sameWarp {
		pairs -= int64((c.earlier.lanes & c.later).Count())
	}
	in.count += min(pairs, math.MaxInt64-in.count)
	in.warps[v.w.cta.number] |= 1 << v.w.number
	in.warps[int64(c.earlier.cta)] |= 1 << c.earlier.warp
	e := &in.evidence
	switch {
	case c.sameInstr:
		e.sameInstr = true
	case sameWarp:
		e.lanes = true
	case sameCTA:
		e.warps = true
	default:
		e.blocks = true
		e.narrowFence = e.narrowFence || v.narrowFence()
	}
	differs := sameCTA && c.earlier.iteration != v.now.iteration
	many := sameCTA && c.earlier.marks&manyIterations != 0
	e.sameIteration = e.sameIteration || !differs || many
	e.otherIteration = e.otherIteration || differs || many
}

// rank returns the severity of a race.
func (v *visit) rank(c *conflict) rank {
	switch {
	case c.same:
		return sameValue
	case v.inLockstep(c):
		return lockstep
	}
	return unordered
}

// inLockstep reports whether lock step would order the two accesses, of lanes of one warp: whether the lanes of one
// access were in the same split as those of the other when they executed it.
func (v *visit) inLockstep(c *conflict) bool {
	return c.earlier.cta == v.now.cta && c.earlier.warp == v.now.warp && !c.sameInstr &&
		(c.earlier.marks&diverged == 0 || c.earlier.lanes&^v.split == 0 || v.together(c))
}

// Findings returns the races found, in the order of the code. Races that one change to the program would fix are one
// finding.
func (r *Races) Findings() []Finding {
	r.codes = make(map[*isa.Func]*code)
	var fs []Finding
	var taken []Edit
	for _, c := range r.inOrderOfAdvice() {
		f := c.finding(taken)
		if f.Advice.Kind == Barrier || f.Advice.Kind == WarpBarrier {
			taken = append(taken, f.Advice.Edits...)
		}
		fs = addFinding(fs, f)
	}
	fs = append(fs, r.unwaitedFindings()...)
	sorted.Stable(fs, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(r.indexOf(&a.Earlier), r.indexOf(&b.Earlier)), cmp.Compare(r.indexOf(&a.Later), r.indexOf(&b.Later)))
	})
	return fs
}

func (r *Races) indexOf(a *Access) uint32 {
	return r.sites[slices.Index(r.fns, a.Func)][a.PC].index
}

// inOrderOfAdvice returns the races in the order in which places for barriers are chosen, so that few barriers are
// needed: first races between warps, of these first those between iterations of a loop, and of these in the order of
// their second access in the code.
func (r *Races) inOrderOfAdvice() []*race {
	var all []*race
	for key, g := range r.groups {
		if !r.isOfUnwaited(key) {
			all = append(all, g.race(r, key))
		}
	}
	tier := func(c *race) (n int) {
		if !c.warps {
			n = 2
		}
		if c.sameIteration {
			n++
		}
		return n
	}
	sorted.By(all, func(x, y *race) int {
		return cmp.Or(cmp.Compare(tier(x), tier(y)), cmp.Compare(x.second.index, y.second.index), cmp.Compare(x.first.index, y.first.index))
	})
	return all
}

// addFinding adds a finding to others, or to the one of them with the same fix; the worst of these comes first.
func addFinding(fs []Finding, f Finding) []Finding {
	for i := range fs {
		o := &fs[i]
		if !sameFix(o, &f) {
			continue
		}
		if o.Advice.Kind == WarpBarrier && f.Advice.Kind == Barrier {
			o.Advice, o.Fix = f.Advice, f.Fix
		}
		if f.Rule.Severity() > o.Rule.Severity() {
			f.Advice, f.Fix = o.Advice, o.Fix
			f, *o = *o, f
			o.Also, f.Also = f.Also, nil
		}
		if pair := (Pair{f.Rule, f.Earlier, f.Later}); !o.shows(&pair) {
			o.Also = append(o.Also, pair)
		}
		o.Instances += min(f.Instances, math.MaxInt64-o.Instances)
		o.Blocks, o.Warps = max(o.Blocks, f.Blocks), max(o.Warps, f.Warps)
		return fs
	}
	return append(fs, f)
}

// sameFix reports whether two findings have one fix: the same edits or, in a source that was compiled, edits of the
// same kind to the same lines, since a loop that was unrolled has each of its instructions several times.
func sameFix(a, b *Finding) bool {
	if len(a.Advice.Edits) > 0 && a.Advice.Kind == b.Advice.Kind && slices.Equal(a.Advice.Edits, b.Advice.Edits) {
		return true
	}
	if !a.Later.Place().IsCompiled() || !b.Later.Place().IsCompiled() || a.Advice.Kind.family() != b.Advice.Kind.family() {
		return false
	}
	if len(a.Advice.Edits) == 0 || len(b.Advice.Edits) == 0 {
		return len(a.Advice.Edits) == len(b.Advice.Edits) && a.Fix == b.Fix && a.Rule == b.Rule && samePlaces(a, b)
	}
	return slices.Equal(a.Advice.lines(), b.Advice.lines())
}

// family is equal for barriers of CTAs and of warps: where a loop that was unrolled needs the one, it needs no other.
func (k AdviceKind) family() AdviceKind {
	if k == WarpBarrier {
		return Barrier
	}
	return k
}

// lines returns the lines of the source that an advice changes, without column.
func (a *Advice) lines() (all []isa.Pos) {
	for i := range a.Edits {
		pos := source.At(a.Edits[i].Func, a.Edits[i].PC).Pos()
		pos.Col = 0
		if !slices.Contains(all, pos) {
			all = append(all, pos)
		}
	}
	return all
}

// samePlaces reports whether the accesses of two findings are on the same lines of a source.
func samePlaces(a, b *Finding) bool {
	return a.Earlier.Place().Short() == b.Earlier.Place().Short() && a.Later.Place().Short() == b.Later.Place().Short()
}

// shows reports whether a finding shows the lines of a pair already. In PTX written by hand each pair has lines of its
// own.
func (f *Finding) shows(p *Pair) bool {
	if !f.Later.Place().IsCompiled() {
		return false
	}
	same := func(earlier, later *Access) bool {
		return earlier.Place().Short() == p.Earlier.Place().Short() && later.Place().Short() == p.Later.Place().Short()
	}
	return same(&f.Earlier, &f.Later) || slices.ContainsFunc(f.Also, func(o Pair) bool { return same(&o.Earlier, &o.Later) })
}

func (g *raceGroup) worst() rank {
	worst := unordered
	for g[worst].count == 0 {
		worst--
	}
	return worst
}

// race returns the worst race of a group.
func (g *raceGroup) race(r *Races, key pair) *race {
	worst := g.worst()
	c := &race{r, r.byIndex[key.a], r.byIndex[key.b], &g[worst], worst, g[worst].evidence}
	if header, ok := c.loop(); ok {
		c.settleIterations(header)
	} else {
		c.sameIteration, c.otherIteration = true, false
	}
	if !c.sameIteration || c.isBackwards() {
		c.first, c.second = c.second, c.first
	}
	return c
}

// isBackwards reports whether the second access leads to the first one and not the other way round: compilers may lay
// out what follows a loop before it.
func (c *race) isBackwards() bool {
	if c.first.fn != c.second.fn || c.first == c.second {
		return false
	}
	code := c.r.code(c.first.fn)
	return !code.big && !code.reaches(c.first.pc, c.second.pc, nowhere) && code.reaches(c.second.pc, c.first.pc, nowhere)
}

// finding returns the finding for a race.
func (c *race) finding(taken []Edit) Finding {
	f := c.of.first
	first, second := c.first, c.second
	if c.isReversed() {
		first, second = second, first
	}
	f.Rule = ruleOf(c.worst, first.class, second.class)
	if c.of.sites.a != first.index {
		f.Earlier, f.Later = f.Later, f.Earlier
	}
	f.Instances, f.Blocks = c.of.count, int64(len(c.of.warps))
	for _, warps := range c.of.warps {
		f.Warps += int64(bits.OnesCount32(warps))
	}
	f.Advice = c.advice(taken)
	f.Between, f.Fix = c.between(), f.Advice.String()
	return f
}

// isReversed reports whether the second access comes first in the source. Compilers choose an order for arms of a
// branch, where neither access comes before the other.
func (c *race) isReversed() bool {
	a, b := c.first.place(), c.second.place()
	if !a.IsCompiled() || !b.IsCompiled() || c.first.fn != c.second.fn || !c.sameIteration || c.otherIteration {
		return false
	}
	depth := source.Shared(a, b)
	first, second := a.AtDepth(depth), b.AtDepth(depth)
	code := c.r.code(c.first.fn)
	return first.File == second.File && second.Line < first.Line && !code.big && !code.reaches(c.first.pc, c.second.pc, nowhere)
}

// loop returns the first instruction of the innermost loop that both accesses are in, so that the second in the text
// may be executed first; ok is false if there is none.
func (c *race) loop() (header int, ok bool) {
	if c.first.fn != c.second.fn {
		return 0, false
	}
	return c.r.code(c.first.fn).loopHeader(c.first.pc, c.second.pc)
}

// ruleOf returns the rule of a race of the worst rank between two accesses. Atomics count as writes.
func ruleOf(worst rank, first, second class) Rule {
	switch {
	case worst == sameValue:
		return RaceSameValue
	case worst == lockstep:
		return RaceLockstep
	case first&second&writes != 0:
		return RaceWAW
	case first&writes != 0:
		return RaceRAW
	}
	return RaceWAR
}

// finding returns the first instance of a race.
func (v *visit) finding(c *conflict) Finding {
	f := Finding{Space: v.space, Offset: c.from, Address: c.from, Bytes: int(c.to - c.from)}
	if v.region != nil {
		f.Buffer, f.Address = cxx.Variable(v.region.Name), v.region.Base+c.from
	} else if s := v.r.shared.at(c.from); s != nil {
		f.Buffer, f.Offset = cxx.Variable(s.Name), c.from-s.Addr
	}
	before := v.r.byIndex[c.earlier.sites]
	f.Later = Access{Func: v.site.fn, PC: v.site.pc, CTA: v.r.grid.At(v.w.cta.number), Warp: v.w.number, Lanes: c.later, Writes: v.now.class&writes != 0}
	f.Earlier = Access{Func: before.fn, PC: before.pc, CTA: v.r.grid.At(int64(c.earlier.cta)), Warp: int(c.earlier.warp), Lanes: c.earlier.lanes, Writes: c.earlier.class&writes != 0}
	v.addValues(&f, c)
	return f
}

// addValues adds the values read and written, if they are known.
func (v *visit) addValues(f *Finding, c *conflict) {
	later, earlier := v.site.element(), v.r.byIndex[c.earlier.sites].element()
	now := func(typ isa.Type) string { return valueText(typ, v.memory(), c.from) }
	switch {
	case !f.Later.Writes:
		f.Later.Value = now(later)
	case v.stored != nil:
		size := uint64(later.Bytes())
		at := c.from / size * size
		f.Later.Value = valueText(later, v.storedBy(firstLane(v.now.lanes), at, at+size), 0)
	}
	switch {
	case c.sameInstr:
		size := uint64(earlier.Bytes())
		at := c.from / size * size
		f.Earlier.Value = valueText(earlier, v.storedBy(firstLane(c.earlier.lanes), at, at+size), 0)
	case c.earlier.marks&stale == 0:
		f.Earlier.Value = now(earlier)
	}
}

// valueText returns the element that holds the byte at off, in the notation of its type.
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
