package check

import (
	"fmt"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/source"
	"github.com/simtrun/simtrun/interp"
)

// NonCoherent finds loads by the read-only path (ld.global.nc) of bytes that the launch has written before. The cache
// of that path may have kept the old value: PTX requires that the memory is read-only while the kernel runs (PTX ISA,
// ld.global.nc). Loads of what is written later are not found, since they got what was there.
type NonCoherent struct {
	fns      []*isa.Func
	pages    map[uint64]*ncPage
	writers  []ncWriter
	index    map[*isa.Instr]uint32 // of a writer, from 1
	known    map[*isa.Instr]int    // by load: index in warnings
	warnings []interp.Warning
}

// ncPage is which bytes of a page of global memory were written, and for each word by which writer.
type ncPage struct {
	written [ncPageBytes / 64]uint64
	by      [ncPageBytes / wordBytes]uint32
}

const ncPageBytes = 4096

// ncWriter is an instruction that writes, with the first warp that has executed it.
type ncWriter struct {
	fn    *isa.Func
	pc    int
	where interp.Where
}

// AttachNonCoherent adds a NonCoherent to the observers of a launch; nil if the kernel has no such loads.
func AttachNonCoherent(m *interp.Machine, l *interp.Launch) (*NonCoherent, error) {
	fns, err := m.Functions(l.Kernel)
	if err != nil {
		return nil, err
	}
	for _, fn := range fns {
		for i := range fn.Code {
			if isNonCoherent(&fn.Code[i]) {
				n := &NonCoherent{fns: fns, pages: make(map[uint64]*ncPage), index: make(map[*isa.Instr]uint32), known: make(map[*isa.Instr]int)}
				l.Observe(n)
				return n, nil
			}
		}
	}
	return nil, nil
}

func isNonCoherent(in *isa.Instr) bool { return in.Spec != nil && in.Mods[isa.NC] != 0 }

// Warnings returns the findings in the order of their first occurrence.
func (n *NonCoherent) Warnings() []interp.Warning {
	if n == nil {
		return nil
	}
	return n.warnings
}

// Accessed implements interp.AccessObserver.
func (n *NonCoherent) Accessed(at *interp.Place, a *interp.Access) {
	if isa.Space(a.Space) != isa.Global {
		return
	}
	in := &n.fns[at.Func].Code[a.PC]
	switch {
	case a.Kind != isa.Load:
		n.write(at, a, in)
	case isNonCoherent(in):
		n.read(at, a, in)
	}
}

func (n *NonCoherent) write(at *interp.Place, a *interp.Access, in *isa.Instr) {
	by := n.index[in]
	if by == 0 {
		n.writers = append(n.writers, ncWriter{n.fns[at.Func], a.PC, interp.Where{CTA: at.CTA, Warp: at.Warp, Lanes: a.Lanes}})
		by = uint32(len(n.writers))
		n.index[in] = by
	}
	for m := a.Lanes; m != 0; m &= m - 1 {
		for addr, left := a.Base+a.At(m.First()), a.Size; left > 0; addr, left = addr+1, left-1 {
			p := n.pages[addr/ncPageBytes]
			if p == nil {
				p = new(ncPage)
				n.pages[addr/ncPageBytes] = p
			}
			off := addr % ncPageBytes
			p.written[off/64] |= 1 << (off % 64)
			p.by[off/wordBytes] = by
		}
	}
}

func (n *NonCoherent) read(at *interp.Place, a *interp.Access, in *isa.Instr) {
	var bad lanes.Mask
	by, where := uint32(0), uint64(0)
	for m := a.Lanes; m != 0; m &= m - 1 {
		for addr, left := a.Base+a.At(m.First()), a.Size; left > 0; addr, left = addr+1, left-1 {
			off := addr % ncPageBytes
			if p := n.pages[addr/ncPageBytes]; p != nil && p.written[off/64]>>(off%64)&1 != 0 {
				if bad == 0 {
					by, where = p.by[off/wordBytes], addr
				}
				bad |= m & -m
				break
			}
		}
	}
	if bad != 0 {
		n.report(at, a, in, bad, &n.writers[by-1], where)
	}
}

func (n *NonCoherent) report(at *interp.Place, a *interp.Access, in *isa.Instr, bad lanes.Mask, w *ncWriter, addr uint64) {
	if i, again := n.known[in]; again {
		n.warnings[i].Count++
		return
	}
	n.known[in] = len(n.warnings)
	fn, where := n.fns[at.Func], interp.Where{CTA: at.CTA, Warp: at.Warp, Lanes: bad}
	n.warnings = append(n.warnings, interp.Warning{Error: true, Place: source.At(fn, a.PC), Where: where, Rule: interp.RuleNonCoherent, Text: fn.Text(a.PC), Count: 1, Warps: 1, Blocks: 1,
		Msg: fmt.Sprintf("a load through the read-only path from 0x%x, which this launch has written", addr),
		Involved: []interp.Involved{
			{Role: interp.Affects, Where: where, Barrier: -1},
			{Role: interp.Follows, Where: w.where, Place: source.At(w.fn, w.pc), Text: w.fn.Text(w.pc), Barrier: -1},
		}})
}
