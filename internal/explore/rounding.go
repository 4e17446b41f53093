package explore

import (
	"bytes"
	"maps"
	"slices"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/sorted"
	"github.com/simtrun/simtrun/internal/splitmix"
	"github.com/simtrun/simtrun/interp"
)

// Sums of floating-point numbers by atomics commute only up to rounding. Systematic exploration treats them as
// commuting. The summands that an execution has added to a value since it was last written otherwise are kept as a hash
// that does not depend on their order. So if two executions have equal hashes and different values, they differ only by
// rounding.

// sumAt is the place of a value to which atomics have added.
type sumAt struct {
	region int32
	off    uint64
}

// sum has the summands that atomics have added to a value.
type sum struct {
	base   uint64 // hash of the value before
	added  uint64 // sum of the hashes of the summands
	size   uint64 // bytes
	thread int32  // the first one
	more   bool   // others have added, too
}

// adds records that the running thread has added to a value of a region by the instruction at a.PC.
func (r *run) adds(a *interp.Access) {
	t := &r.threads[r.running]
	w := r.warps[t.warp]
	in := &w.Func(r.place.Frame).Code[a.PC]
	operand := &in.Args[len(in.Args)-1]
	elems := []isa.Operand{*operand}
	if operand.Kind == isa.VecOperand {
		elems = operand.Elems
	}
	h := uint64(0)
	for i := range elems {
		if elems[i].Kind == isa.RegOperand {
			h = splitmix.Mix(h ^ w.Reg(r.place.Frame, elems[i].Reg)[t.lane])
		}
	}
	at := sumAt{a.Region, a.At(t.lane)}
	s := r.sums[at]
	if s == nil {
		s = &sum{base: hash(0, r.before), size: a.Size, thread: r.running}
		r.sums[at] = s
	}
	s.added += splitmix.Mix(h ^ uint64(a.PC))
	s.more = s.more || s.thread != r.running
}

// overwrites records that bytes of a region were changed otherwise.
func (r *run) overwrites(region int32, first, end uint64) {
	const longest = 16
	for off := first - min(first, longest-1); off < end && len(r.sums) > 0; off++ {
		if s := r.sums[sumAt{region, off}]; s != nil && off+s.size > first {
			delete(r.sums, sumAt{region, off})
		}
	}
}

// sumsIn returns the offsets in a region of the values to which several threads have added, in order.
func sumsIn(sums map[sumAt]*sum, region int32) (all []uint64) {
	for at, s := range sums {
		if at.region == region && s.more {
			all = append(all, at.off)
		}
	}
	slices.Sort(all)
	return all
}

// hashBut adds the contents of a region to a hash. A value to which several threads have added is represented by its
// summands.
func hashBut(h uint64, data []byte, sums map[sumAt]*sum, region int32) uint64 {
	offs := sumsIn(sums, region)
	if len(offs) == 0 {
		return hash(h, data)
	}
	data = bytes.Clone(data)
	for _, off := range offs {
		s := sums[sumAt{region, off}]
		clear(data[off : off+s.size])
		h = splitmix.Mix(splitmix.Mix(splitmix.Mix(h^off)^s.base) ^ s.added)
	}
	return hash(h, data)
}

// Rounded is bytes of memory that depend on the order of floating-point atomics.
type Rounded struct {
	Range
	One, Other []byte // different contents
}

// addRounded adds to the places at which executions of an outcome differ by rounding.
func (o *Outcome) addRounded(all []Rounded) {
	if o.rounded == nil {
		o.rounded = make(map[Range]Rounded)
	}
	for _, r := range all {
		if _, ok := o.rounded[r.Range]; !ok {
			o.rounded[r.Range] = r
		}
	}
}

// Rounded returns the values that depend on the order of floating-point atomics alone, in order, adjacent ones as one.
func (o *Outcome) Rounded() (all []Rounded) {
	order := func(a, b Range) int {
		if a.Region != b.Region {
			return a.Region - b.Region
		}
		return a.First - b.First
	}
	for _, at := range sorted.Collect(maps.Keys(o.rounded), order) {
		r := o.rounded[at]
		if n := len(all) - 1; n >= 0 && all[n].Region == r.Region && all[n].End == r.First {
			all[n].End, all[n].One, all[n].Other = r.End, slices.Concat(all[n].One, r.One), slices.Concat(all[n].Other, r.Other)
			continue
		}
		all = append(all, r)
	}
	return all
}

// roundedFrom returns the values at which an execution with the same key differs from another one.
func (w *worker) roundedFrom(o, seen *Outcome, sums map[sumAt]*sum) (all []Rounded) {
	for i, region := range w.p.Machine.Regions() {
		if bytes.Equal(o.Memory[i], seen.Memory[i]) {
			continue
		}
		for _, off := range sumsIn(sums, region.Number) {
			end := off + sums[sumAt{region.Number, off}].size
			one, other := seen.Memory[i][off:end], o.Memory[i][off:end]
			if !bytes.Equal(one, other) {
				all = append(all, Rounded{Range{i, int(off), int(end)}, one, bytes.Clone(other)})
			}
		}
	}
	return all
}
