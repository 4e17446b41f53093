package native

import (
	"slices"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/internal/program"
)

// matrixRoutine is the routine of accesses to matrices.
type matrixRoutine struct {
	move *jit.MatrixMove
	at   jit.Label
}

// moveOf describes an access of the whole warp to matrices; nil if code does not make it.
func moveOf(f *program.Func, pc int) *jit.MatrixMove {
	x, in := f.Matrices[pc], &f.Src.Code[pc]
	if x == nil || f.Ops[pc].Guard != f.Layout.True || x.Pieces == nil && in.Mods[isa.MatrixShape] != isa.ShapeM8N8 {
		return nil
	}
	m := &jit.MatrixMove{Store: in.Is(isa.Store), Wide: f.Info[pc].Wide}
	p := x.Pieces
	if p == nil {
		m.Rows, m.Matrices, m.Transposed = true, in.Mods.Matrices(), in.Mods[isa.Trans] != 0
		return m
	}
	m.Wide, m.ElementBytes, m.Align, m.Places = p.Wide, p.ElementBits/8, int32(p.Align), p.Places
	if m.ElementBytes == 0 {
		return nil
	}
	return m
}

// placeOfMatrix is where the access at pc goes.
func (c *compiler) placeOfMatrix(pc int) *jit.MatrixPlace {
	st, x := &c.steps[pc], c.f.Matrices[pc]
	area := &jit.Area{PC: c.hint(pc), Shared: st.info.Space == isa.Shared, Generic: st.info.Space == isa.Generic}
	if p := x.Pieces; p != nil {
		return &jit.MatrixPlace{Area: area, Address: p.Base, Stride: p.Stride, Disp: p.Disp}
	}
	area.Window, area.Generic = area.Generic, false // nothing else holds rows of matrices
	return &jit.MatrixPlace{Area: area, Address: st.op.A, Disp: st.op.Imm}
}

// matrixAt writes the access to matrices at pc of block b, by a routine, as productAt does.
func (c *compiler) matrixAt(b, pc int) {
	st := &c.steps[pc]
	registers, fail, ok := c.fragmentsAt(b, pc, st.op)
	if ok {
		c.e.MoveMatrix(c.routineOfMatrix(st.matrix), registers, c.placeOfMatrix(pc), fail)
	}
}

// routineOfMatrix returns the routine of an access to matrices.
func (c *compiler) routineOfMatrix(m *jit.MatrixMove) jit.Label {
	for i := range c.matrices {
		if c.matrices[i].move.Equal(m) {
			return c.matrices[i].at
		}
	}
	r := matrixRoutine{m, c.e.NewLabel()}
	c.matrices = append(c.matrices, r)
	return r.at
}

// matrixRoutines writes the routines.
func (c *compiler) matrixRoutines() {
	for _, r := range c.matrices {
		c.e.MatrixRoutine(r.at, r.move)
	}
}

// fragmentsAt prepares the call of a routine that accesses fragments at pc of block b. Routines access slots, so
// scalars are written to theirs. It returns the table of the fragments' registers, and where code exits if the routine
// is not for the operands. If lanes are missing, code exits, and ok is false.
func (c *compiler) fragmentsAt(b, pc int, op *lanes.Op) (registers, fail jit.Label, ok bool) {
	fail = c.exitAt(Exit{Why: AtOp, PC: pc, First: c.f.Graph.Blocks()[b].Start, Until: pc + 1}, pc, c.slotClass)
	if c.masked {
		c.e.Jmp(fail)
		return registers, fail, false
	}
	start := len(c.listed)
	for _, id := range c.live.uses(pc) {
		if k := c.slotClass[id]; k.kind == scalar && !c.s.all[id].fixed {
			c.listed = append(c.listed, c.scalarAt(id, k))
		}
	}
	if all := slices.Clip(c.listed[start:]); len(all) > 0 {
		c.e.Expand(c.expand, c.tableOf(all))
	}
	registers = c.e.NewLabel()
	c.fragments = append(c.fragments, fragments{op.Fragments(), registers})
	return registers, fail, true
}
