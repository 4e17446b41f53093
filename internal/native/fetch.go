package native

import (
	"slices"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/internal/program"
)

// fetchTable is the table of the registers of a fetch from a texture.
type fetchTable struct {
	of jit.FetchRegisters
	at jit.Label
}

// Fetches reports whether code may execute a texture instruction, by a routine that the engine provides for the
// texture: a tex, or a tld4, of four results of 32 bits.
func Fetches(f *program.Func, pc int) bool {
	in, im := &f.Src.Code[pc], f.Info[pc].Image
	return isa.Kind(f.Ops[pc].Kind) == isa.Load && im != nil && in.ImageType() == isa.TexRef &&
		in.Types[0].Bits() == 32 && in.Types[0] != isa.F16x2 && im.Compare == 0 && im.Offset == nil && !im.Geometry.Samples() &&
		len(im.Coords) <= 3 && in.Mods.VecLen() == maxElems
}

// fetching finds the operands of a fetch. It returns false if code does not execute it.
func (st *step) fetching(f *program.Func, s *slots, pc int) bool {
	if st.info.Clock || !Fetches(f, pc) || st.op.D2 != f.Layout.SinkPred {
		return false
	}
	for _, off := range st.op.Vec[:maxElems] {
		if off != f.Layout.Sink && !st.result(s, 'd', off, 32) {
			return false
		}
	}
	return true
}

// eachInSlot calls f with the slots that the step reads in memory: those of a word that lanes vote on, of the mask of
// the lanes that meet, and of a fetch; and all operands of a lane function.
func (st *step) eachInSlot(s *slots, f func(slotID)) {
	if st.meets && !st.members.Known && st.membersIn != noSlot {
		f(st.membersIn)
	}
	if st.kind == stepVote && st.vote.OnWords() {
		f(st.word)
	}
	if st.kind == stepLanes {
		for _, o := range st.sources() {
			f(o.slot)
		}
	}
	if st.kind != stepFetch {
		return
	}
	im := st.info.Image
	for _, off := range append([]uint32{im.Handle, im.Sampler}, im.Coords...) {
		if id := s.lookup(off); id != noSlot {
			f(id)
		}
	}
}

// fetchAt writes the fetch at pc of block b. Code exits if the routine is not for the operands, or if there is none.
func (c *compiler) fetchAt(b, pc int) {
	st := &c.steps[pc]
	im := st.info.Image
	fail := c.exitAt(Exit{Why: AtOp, PC: pc, First: c.f.Graph.Blocks()[b].Start, Until: pc + 1}, pc, c.slotClass)
	site := &jit.FetchSite{PC: c.hint(pc), Handles: []jit.FetchHandle{c.handleIn(im.Handle, im.Wide)}, Registers: c.e.NewLabel(),
		Masked: c.masked, Guarded: st.guarded, Guard: st.op.Guard &^ 1, Not: st.guard.not}
	if im.Sampler != 0 {
		site.Handles = append(site.Handles, c.handleIn(im.Sampler, im.SamplerWide()))
	}
	first := len(im.Coords) - im.Geometry.Dims() // 1 if there is a layer, which comes last
	coords := append(slices.Clone(im.Coords[first:]), im.Coords[:first]...)
	c.intoSlots(coords)
	if st.guarded { // lanes without the guard keep what is there
		c.intoSlots(st.op.Vec[:maxElems])
	}
	t := fetchTable{at: site.Registers}
	copy(t.of.Coords[:], coords)
	copy(t.of.Results[:], st.op.Vec[:maxElems])
	c.fetches = append(c.fetches, t)
	c.e.Fetch(site, fail)
}

// handleIn says where the handle in a slot is.
func (c *compiler) handleIn(off uint32, wide bool) jit.FetchHandle {
	h := jit.FetchHandle{Slot: off, Wide: wide}
	id := c.s.lookup(off)
	if id == noSlot {
		return h
	}
	switch k := c.slotClass[id]; {
	case c.s.all[id].fixed:
		h.Uniform = c.s.all[id].uniform
	case k.kind != scalar || c.version != &c.full:
	case k.stride == 0:
		h.InSpill, h.Spill = true, c.spillSlot(id)
	default:
		c.intoSlots([]uint32{off})
	}
	return h
}

// intoSlots is inSlot for the scalars among values.
func (c *compiler) intoSlots(offsets []uint32) {
	start := len(c.listed)
	for _, off := range offsets {
		id := c.s.lookup(off)
		if id == noSlot || c.s.all[id].fixed || c.version != &c.full {
			continue
		}
		if k := c.slotClass[id]; k.kind == scalar {
			c.listed = append(c.listed, c.scalarAt(id, k))
		}
	}
	if all := slices.Clip(c.listed[start:]); len(all) > 0 {
		c.e.Expand(c.expand, c.tableOf(all))
	}
}
