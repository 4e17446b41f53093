package conformance

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// Cells are words of 8 bytes that all threads of the grid share, in global memory, or those of a block, in shared
// memory. A row of cells has one kind of operation, whose result does not depend on the order of lanes.
const (
	cellsOfRow  = 4
	rowsOfSpace = 2
	rowBytes    = cellsOfRow * 8
	cellsBytes  = rowsOfSpace * rowBytes // of a space
)

// cellKind is what lanes do to the cells of a row.
type cellKind int

const (
	sumCells    cellKind = iota // red or atom of an operation that commutes
	ticketCells                 // atom of a constant to one of two cells, and the sum of what each got in another
	retryCells                  // a loop around a compare-and-swap adds
	numCellKinds
)

// cellRow is a row of cells.
type cellRow struct {
	kind    cellKind
	op, typ string
	bound   uint32 // of ticketCells: what is added, or the bound of inc and dec
}

// cellOps are operations that commute. Sums of floats do as long as they are small integers.
var cellOps = []struct{ op, typ string }{
	{"add", "u32"}, {"add", "u32"}, {"add", "s32"}, {"add", "u64"}, {"min", "s32"}, {"max", "u32"}, {"min", "u64"}, {"max", "s64"},
	{"and", "b32"}, {"or", "b32"}, {"xor", "b32"}, {"and", "b64"}, {"or", "b64"}, {"xor", "b64"}, {"add", "f32"}, {"add", "f64"},
}

// contention is a step in which lanes change cells that they share.
type contention struct {
	space, row int
	cell       int // of the row; -1: register index chooses
	index      int
	operand    int // register; -1: constant
	constant   uint64
	keeps      bool // atom, whose result is not read, instead of red
	way        addressWay
}

// addressWay is how the address of a cell is computed.
type addressWay int

const (
	wideAddress addressWay = iota
	genericAddress
	narrowAddress // in 32 bits, of shared memory
)

// cellRows chooses the rows of both spaces.
func (g *structuredGrower) cellRows() (all [2][rowsOfSpace]cellRow) {
	for space := range all {
		for i := range all[space] {
			row := &all[space][i]
			row.kind, row.op, row.typ = cellKind(g.IntN(int(numCellKinds))), "add", "u32"
			switch row.kind {
			case sumCells:
				of := cellOps[g.IntN(len(cellOps))]
				row.op, row.typ = of.op, of.typ
			case ticketCells:
				row.op, row.bound = []string{"add", "inc", "dec"}[g.IntN(3)], uint32(1+g.IntN(40))
			}
		}
	}
	return all
}

// contention makes a step that changes cells, if the function may.
func (g *structuredGrower) contention(s *step) bool {
	x := &contention{space: g.IntN(2), row: g.IntN(rowsOfSpace), operand: -1, cell: -1, keeps: g.IntN(2) == 0}
	if g.f != nil && (!g.f.memory || x.space == globalScratch) {
		return false
	}
	row := &g.p.rows[x.space][x.row]
	if row.kind == retryCells && g.loops > 1 {
		return false
	}
	if x.way = addressWay(g.IntN(3)); x.way == narrowAddress && x.space == globalScratch {
		x.way = wideAddress
	}
	if g.IntN(2) == 0 {
		x.cell = g.IntN(cellsOfRow)
	} else {
		x.index = pools[32][g.IntN(len(pools[32]))]
	}
	of := pools[max(typeBits[row.typ], 32)]
	if x.constant = uint64(g.IntN(16)); g.IntN(3) > 0 {
		x.operand = of[g.IntN(len(of))]
	}
	if g.IntN(2) == 0 {
		s.pred, s.complement = g.pred(), g.IntN(2) == 0
	}
	s.kind, s.contends, g.p.contends[x.space] = contentionStep, x, true
	return true
}

// cellIndex returns the cell of the row that a lane changes.
func (x *contention) cellIndex(l *laneState) int {
	if x.cell >= 0 {
		return x.cell
	}
	return int(l.regs[x.index] % cellsOfRow)
}

// value returns the operand of a lane.
func (x *contention) value(row *cellRow, l *laneState) uint64 {
	v := x.constant
	if x.operand >= 0 {
		v = l.regs[x.operand]
	}
	switch row.typ {
	case "f32":
		return uint64(math.Float32bits(float32(v & 15)))
	case "f64":
		return math.Float64bits(float64(v & 15))
	}
	return truncate(v, typeBits[row.typ])
}

// after returns the value of a cell after an operation.
func (row *cellRow) after(old, v uint64) uint64 {
	a, b, d := old, v, uint64(0)
	signed := row.typ[0] == 's'
	if signed {
		a, b = uint64(signExtend(old, typeBits[row.typ])), uint64(signExtend(v, typeBits[row.typ]))
	}
	switch row.op {
	case "add":
		switch row.typ {
		case "f32":
			return uint64(math.Float32bits(math.Float32frombits(uint32(old)) + math.Float32frombits(uint32(v))))
		case "f64":
			return math.Float64bits(math.Float64frombits(old) + math.Float64frombits(v))
		}
		d = a + b
	case "min":
		if d = min(a, b); signed {
			d = uint64(min(int64(a), int64(b)))
		}
	case "max":
		if d = max(a, b); signed {
			d = uint64(max(int64(a), int64(b)))
		}
	case "and":
		d = a & b
	case "or":
		d = a | b
	case "xor":
		d = a ^ b
	case "inc":
		if d = a + 1; a >= b {
			d = 0
		}
	case "dec":
		if d = a - 1; a == 0 || a > b {
			d = b
		}
	}
	return truncate(d, typeBits[row.typ])
}

// contend executes the step.
func (w *walk) contend(s *step) {
	x, takes := s.contends, w.takes(s)
	row, cells := &w.p.rows[x.space][x.row], w.cells[x.space][x.row*cellsOfRow:][:cellsOfRow]
	for i := range w.lanes {
		l := &w.lanes[i]
		if l.at != here || !takes(i) {
			continue
		}
		k := x.cellIndex(l)
		if row.kind == ticketCells {
			cell := &cells[k&1]
			old := *cell
			*cell = row.after(old, uint64(row.bound))
			cells[k|2] = truncate(cells[k|2]+old*old, 32)
			continue
		}
		cells[k] = row.after(cells[k], x.value(row, l))
	}
}

// initialCells are the cells of a space at first.
func (p *Structured) initialCells(space int) []uint64 {
	cells := make([]uint64, rowsOfSpace*cellsOfRow)
	for i := range cells {
		cells[i] = uint64(space + i&1)
		switch p.rows[space][i/cellsOfRow].typ {
		case "f32":
			cells[i] = uint64(math.Float32bits(float32(cells[i])))
		case "f64":
			cells[i] = math.Float64bits(float64(cells[i]))
		}
	}
	return cells
}

func cellData(cells []uint64) (data []byte) {
	for _, v := range cells {
		data = binary.LittleEndian.AppendUint64(data, v)
	}
	return data
}

// cellsDiffer returns an error if what is stored differs.
func cellsDiffer(what string, want, got []byte) error {
	if !bytes.Equal(want, got) {
		return fmt.Errorf("%s are\n%x, want\n%x", what, got, want)
	}
	return nil
}

// contend writes the step.
func (w *structuredText) contend(s *step, guard string) {
	x := s.contends
	row, space := &w.p.rows[x.space][x.row], "."+scratchSpaces[x.space]
	base, register, index := "%cells", "%y", "%v"
	if x.space == sharedScratch {
		base = "of_block"
	}
	if x.cell >= 0 {
		w.line("mov.u32 %%v, %d;", x.cell)
	} else {
		w.line("and.b32 %%v, %s, %d;", registers[x.index].name, cellsOfRow-1)
	}
	if row.kind == ticketCells {
		w.line("and.b32 %%old, %%v, 1;")
		w.line("or.b32 %%new, %%v, 2;")
		index = "%old"
	}
	if x.way == narrowAddress {
		register = "%z"
		w.line("mov.u32 %%z, %s;", base)
		w.line("mad.lo.u32 %%z, %s, 8, %%z;", index)
	} else {
		w.line("mov.u64 %%y, %s;", base)
		w.line("mad.wide.u32 %%y, %s, 8, %%y;", index)
	}
	if x.way == genericAddress {
		w.line("cvta%s.u64 %%y, %%y;", space)
		space = ""
	}
	at := fmt.Sprintf("[%s+%d]", register, x.row*rowBytes)
	switch row.kind {
	case sumCells:
		w.sum(x, row, guard, space, at)
	case ticketCells:
		w.line("%satom%s.%s.u32 %%v, %s, %d;", guard, space, row.op, at, row.bound)
		w.line("mul.lo.u32 %%v, %%v, %%v;")
		w.line("sub.u32 %%old, %%new, %%old;")
		if x.way == narrowAddress {
			w.line("mad.lo.u32 %%z, %%old, 8, %%z;")
		} else {
			w.line("mad.wide.u32 %%y, %%old, 8, %%y;")
		}
		w.line("%sred%s.add.u32 %s, %%v;", guard, space, at)
	case retryCells:
		w.retry(x, guard, space, at)
	}
}

// sum writes an operation that commutes.
func (w *structuredText) sum(x *contention, row *cellRow, guard, space, at string) {
	bits := typeBits[row.typ]
	operand := fmt.Sprint(x.constant)
	if x.operand >= 0 {
		operand = registers[x.operand].name
	}
	if row.typ[0] == 'f' {
		w.line("mov.u%d %s, %s;", bits, map[int]string{32: "%v", 64: "%x"}[bits], operand)
		operand = map[int]string{32: "%v", 64: "%x"}[bits]
		w.line("and.b%d %s, %[2]s, 15;", bits, operand)
		w.line("cvt.rn.f%d.u%[1]d %s, %[2]s;", bits, operand)
	}
	op := space + "." + row.op + "." + row.typ
	if x.keeps {
		w.line("%satom%s %s, %s, %s;", guard, op, map[int]string{32: "%old", 64: "%x"}[bits], at, operand)
	} else {
		w.line("%sred%s %s, %s;", guard, op, at, operand)
	}
}

// retry writes a loop that adds.
func (w *structuredText) retry(x *contention, guard, space, at string) {
	operand := fmt.Sprint(x.constant)
	if x.operand >= 0 {
		operand = registers[x.operand].name
	}
	n := w.label()
	if guard != "" {
		w.line("%sbra W%d;", guard, n)
		w.line("bra V%d;", n)
	}
	w.line("W%d:", n)
	w.line("ld.relaxed.gpu%s.u32 %%old, %s;", space, at)
	if x.keeps { // the loads are not repeated
		w.line("U%d:", n)
	}
	w.line("add.u32 %%new, %%old, %s;", operand)
	w.line("atom%s.cas.b32 %%v, %s, %%old, %%new;", space, at)
	w.line("setp.ne.u32 %%l, %%v, %%old;")
	if x.keeps {
		w.line("mov.u32 %%old, %%v;")
		w.line("@%%l bra U%d;", n)
	} else {
		w.line("@%%l bra W%d;", n)
	}
	w.line("V%d:", n)
}

// startCells writes what initialises the cells of the block.
func (w *structuredText) startCells() {
	if !w.p.contends[sharedScratch] {
		return
	}
	w.line("setp.eq.u32 %%l, %%t, 0;")
	for i, v := range w.p.initialCells(sharedScratch) {
		w.line("@%%l st.shared.u64 [of_block+%d], %d;", 8*i, v)
	}
	w.line("bar.sync 0;")
}

// declareCells declares the cells of a block.
func (p *Structured) declareCells() string {
	if !p.contends[sharedScratch] {
		return ""
	}
	return fmt.Sprintf(".shared .align 16 .b8 of_block[%d];\n", cellsBytes)
}

// usesExtra reports whether lanes have room in the second buffer for more than registers and scratch memory.
func (p *Structured) usesExtra() bool {
	return p.wide || slices.Contains(p.contends[:], true)
}
