package program

import (
	"cmp"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/sorted"
)

// Span is bytes of a lanes.File: those from Off up to, but without, End.
type Span struct{ Off, End uint32 }

// LiveAt returns the places in the file of an activation of f that its lanes at pc, the target of a retreating
// branch, may still read, in ascending order: live registers, the carry flag and the stack pointer. The rest of the
// file has no effect, or does not change during the activation.
func (f *Func) LiveAt(pc int) []Span {
	f.findLive.Do(func() {
		f.live = make(map[int][]Span)
		for pc, regs := range f.Graph.LiveAtLoops() {
			f.live[pc] = f.spans(regs)
		}
	})
	return f.live[pc]
}

// spans returns the places of registers in the file, with the carry flag and the stack pointer.
func (f *Func) spans(regs []isa.RegID) []Span {
	l := f.Layout
	all := []Span{{l.Carry, l.Carry + lanes.SlotPred}}
	if l.Stack != 0 {
		all = append(all, Span{l.Stack, l.Stack + lanes.Slot64})
	}
	for _, r := range regs {
		if f.copies.regs != nil && f.copies.regs[r] {
			continue // its slot is read-only
		}
		size := uint32(lanes.SlotPred)
		if t := f.Src.Regs[r].Type; t != isa.Pred {
			size = slotBytes(t)
		}
		all = append(all, Span{l.Reg(r), l.Reg(r) + size})
	}
	sorted.By(all, func(a, b Span) int { return cmp.Compare(a.Off, b.Off) })
	return merge(all)
}

// merge joins adjacent spans, given in ascending order.
func merge(all []Span) []Span {
	merged := all[:1]
	for _, s := range all[1:] {
		if last := &merged[len(merged)-1]; s.Off <= last.End {
			last.End = max(last.End, s.End)
		} else {
			merged = append(merged, s)
		}
	}
	return merged
}
