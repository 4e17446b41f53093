package check

import (
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/interp"
)

// undefinedProduct has what is undefined of the matrices of a product: an element of the result is undefined if
// something is of its row of A, of its column of B, or of the element of C.
type undefinedProduct struct {
	p       *lanes.Product
	rows    [mostRows]bool
	columns [mostColumns]bool
	c       map[[2]int]bool
}

// The largest matrices: those of mma.m8n8k4 count as one of 32 rows and columns.
const mostRows, mostColumns = 32, 256

// multiplies is for a product of matrices that are in registers of the whole warp.
func (s *initStep) multiplies(p *lanes.Product) {
	if s.active != lanes.AllLanes {
		s.define(&s.plan[s.pc], s.active)
		return
	}
	u := undefinedProduct{p: p}
	for matrix := lanes.FragmentA; matrix <= lanes.FragmentC; matrix++ {
		u.add(s.initFrame, matrix, &s.in.Args[matrix])
	}
	if len(s.in.Args) > 4 && s.in.Args[4].Kind == isa.RegOperand && s.initFrame.lanes[s.in.Args[4].Reg] != 0 { // metadata
		for row := range u.rows {
			u.rows[row] = true
		}
	}
	u.result(s.initFrame, &s.in.Args[0], s.source)
}

// registersOf returns the registers of a matrix; isa.NoReg for an element that is none.
func registersOf(a *isa.Operand) (all []isa.RegID) {
	elems := a.Elems
	if a.Kind != isa.VecOperand {
		elems = []isa.Operand{*a}
	}
	for i := range elems {
		r := isa.NoReg
		if elems[i].Kind == isa.RegOperand {
			r = elems[i].Reg
		}
		all = append(all, r)
	}
	return all
}

// add adds what is undefined of the registers of a matrix.
func (u *undefinedProduct) add(f *initFrame, matrix int, a *isa.Operand) {
	t := u.p.Type(matrix)
	for r, id := range registersOf(a) {
		if id == isa.NoReg || f.lanes[id] == 0 {
			continue
		}
		all := readSlot(f.shadow.File, f.shadow.Func.Layout.Reg(id), max(t.Bits(), 32))
		for left := f.lanes[id]; left != 0; left &= left - 1 {
			lane := firstLane(left)
			for e := range t.Elements() {
				if all[lane]>>(e*t.Bits())&ones(t.Bits()) == 0 {
					continue
				}
				switch row, col := u.p.ElementAt(matrix, r, e, lane); matrix {
				case lanes.FragmentA:
					u.rows[row] = true
				case lanes.FragmentB:
					u.columns[col] = true
				default:
					if u.c == nil {
						u.c = make(map[[2]int]bool)
					}
					u.c[[2]int{row, col}] = true
				}
			}
		}
	}
}

// result sets the undefined bits of the registers of the result.
func (u *undefinedProduct) result(f *initFrame, d *isa.Operand, from *unwritten) {
	t := u.p.D
	f.needFile()
	for r, id := range registersOf(d) {
		if id == isa.NoReg {
			continue
		}
		var all [lanes.Width]uint64
		for lane := range all {
			for e := range t.Elements() {
				if row, col := u.p.ElementAt(lanes.FragmentD, r, e, lane); u.rows[row] || u.columns[col] || u.c[[2]int{row, col}] {
					all[lane] |= ones(t.Bits()) << (e * t.Bits())
				}
			}
		}
		f.setBits(id, lanes.AllLanes, &all, &[lanes.Width]uint64{})
		f.recount(id, lanes.AllLanes, from)
	}
}

// background remembers the undefined shared memory that a product of a warpgroup reads, until Multiplied.
func (c *Init) background(at *interp.Place, sp *initSpace, a *interp.Access) {
	if sp == nil || sp.undefined == nil || a.Kind != isa.Load {
		return
	}
	if m := sp.lanes(a); m != 0 {
		c.read = c.memory(at, sp, a, m)
	}
}

// Multiplied implements interp.ShadowObserver.
func (c *Init) Multiplied(at *interp.Place, w *interp.Window, pc int, g *interp.GroupProduct) {
	x, from, in := c.warp(at), c.read, &w.Func.Src.Code[pc]
	c.read = nil
	if from == nil && x.dirty == 0 {
		return
	}
	f := x.frame(c, w)
	u := undefinedProduct{p: g.Product}
	if from != nil {
		u.addShared(g)
	}
	if _, registers := f.union(f.plan[pc].reads, lanes.AllLanes); registers != nil {
		from = firstUnwritten(from, registers)
		if registers.reader == nil {
			use := c.useAt(at, w, pc, lanes.AllLanes)
			registers.reader, registers.place, registers.text, registers.where = use.in, use.place, use.text, use.where
		}
		if g.A == nil {
			u.add(f, lanes.FragmentA, &in.Args[1])
		}
		if !g.Anew {
			u.add(f, lanes.FragmentC, &in.Args[0])
		}
	}
	u.result(f, &in.Args[0], from)
}

// addShared adds what is undefined of the matrices in shared memory.
func (u *undefinedProduct) addShared(g *interp.GroupProduct) {
	for row := range g.A {
		u.rows[row] = g.A[row] != [16]uint32{}
	}
	for col := range g.B {
		u.columns[col] = g.B[col] != [16]uint32{}
	}
}
