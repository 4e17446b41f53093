package interp

import (
	"fmt"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/program"
	"github.com/simtrun/simtrun/memory"
)

// tensorScratch is the engine's state for matrices that tcgen05 reads.
type tensorScratch struct {
	operands lanes.TensorOperands
	both     [2]*CTA
}

// tensorMatrix is a matrix in shared memory, in rows of lanes.TensorDepth bytes or fewer, in PTX's order or
// transposed.
type tensorMatrix struct {
	memory.SharedMatrix
	rows, bits int
	transposed bool
	packed     int // bits of elements that become bytes as they are read, the first 16 of a unit; 0 for others
	units      int // in a row; for a transposed matrix in a column
	columns    int // of a transposed matrix
}

// address returns the address of unit i, and where its elements go: size bytes at offset at of each of the rows from
// row on.
func (m *tensorMatrix) address(i int) (addr uint32, row, at, rows, size int) {
	if !m.transposed {
		return m.AlongK(i/m.units, i%m.units), i / m.units, i % m.units * memory.UnitBytes, 1, memory.UnitBytes
	}
	size = m.bits / 8
	rows = memory.UnitBytes / size
	return m.AlongMN(i%m.units, i/m.units), i % m.units * rows, i / m.units * size, rows, size
}

// count returns how many units the matrix has.
func (m *tensorMatrix) count() int {
	if m.transposed {
		return m.units * m.columns
	}
	return m.units * m.rows
}

// factor returns A or B of a product, in shared memory.
func factor(m memory.SharedMatrix, rows, bits int, transposed bool) tensorMatrix {
	f := tensorMatrix{SharedMatrix: m, rows: rows, bits: bits, transposed: transposed, units: lanes.TensorDepth / memory.UnitBytes}
	if transposed {
		f.units, f.columns = (rows*bits/8+memory.UnitBytes-1)/memory.UnitBytes, lanes.TensorDepth*8/bits
	}
	return f
}

// checkUnits returns the fault of a lane that reads a matrix outside the shared memory of a CTA; nil if all of it is
// inside.
func (e *Engine) checkUnits(pc, lane int, c *CTA, m *tensorMatrix) error {
	in, base := program.Info{Space: isa.Shared, Size: memory.UnitBytes}, uint64(0)
	if c != e.cta {
		in.Space, base = isa.SharedCluster, isa.PeerAddress(c.Rank, 0)
	}
	for i := range m.count() {
		addr, _, _, _, _ := m.address(i)
		if err := e.check(&in, isa.Load, memory.UnitBytes, e.find(&in, base+uint64(addr))); err != nil {
			err.What = "matrix of tcgen05"
			e.nameRegion(err)
			return e.fault(pc, 1<<lane, err)
		}
	}
	return nil
}

// readUnits reads the rows of a matrix in the shared memory of a CTA for a lane. If more is set, it reads another one
// afterwards.
func (e *Engine) readUnits(pc, lane int, c *CTA, m *tensorMatrix, to []lanes.TensorVector, more bool) {
	r, last := &c.Shared, m.count()-1
	e.event.Background = true
	for i := range m.count() {
		addr, row, at, rows, size := m.address(i)
		e.acc.Mem, e.acc.Base, e.acc.Region, e.acc.Space, e.acc.Strided, e.acc.Size = r.Data, r.Base, r.Number, uint8(r.Space), false, memory.UnitBytes
		e.acc.Off[lane] = uint64(addr)
		e.notifyMoving(isa.Load, pc, 1<<lane, more || i < last)
		for n, unit := 0, r.Data[addr:]; n < rows; n++ {
			copy(to[row+n][at:at+size], unit[n*size:])
		}
		if m.packed > 0 {
			lanes.ExpandNarrow(to[row][at:at+size], m.packed, m.packed == 4)
		}
		e.notifyMoved(1 << lane)
	}
	e.event.Background = false
}

// matrixOf returns the matrix in shared memory with its descriptor in a slot of the lane.
func (e *Engine) matrixOf(pc, lane int, slot uint32, what string) (memory.SharedMatrix, error) {
	d := lanes.Reg[uint64](e.path.File, slot)[lane]
	m, wrong := memory.TensorMatrix(d)
	if wrong != "" {
		return m, e.fault(pc, 1<<lane, violated(RuleTensorDescr, "descriptor 0x%x of %s: %s", d, what, wrong))
	}
	return m, nil
}

// laneTensorAddress returns the address in tensor memory that a lane has.
func (e *Engine) laneTensorAddress(lane int, a program.TensorAddress) lanes.TensorAddress {
	return lanes.TensorAddress(lanes.Reg[uint32](e.path.File, a.Slot)[lane] + a.Disp)
}

// checkCells returns the fault of a lane that accesses lanes and columns outside a CTA's tensor memory; nil if there
// is none.
func (e *Engine) checkCells(pc, lane int, c *CTA, what string, at lanes.TensorAddress, rows, cols int) error {
	if wrong := c.tensor.wrongCells(at, rows, cols); wrong != "" {
		return e.fault(pc, 1<<lane, violated(RuleTensorAccess, "%s%s: %s", what, e.inBlock(c.Shared.Number), wrong))
	}
	return nil
}

// mostShifted is the number of columns of B that a product may read in addition: those of a shift, in whole units.
const mostShifted = 64

// tensorOfLane executes the copy or the product at pc for a lane: for the whole CTA, or the pair of CTAs.
func (e *Engine) tensorOfLane(pc, lane int) error {
	if e.tensorScratch == nil {
		e.tensorScratch = new(tensorScratch)
		o := &e.tensorScratch.operands
		o.A, o.B = make([]lanes.TensorVector, lanes.TensorLanes), make([]lanes.TensorVector, 2*lanes.TensorLanes+mostShifted)
	}
	x := e.fn.Info[pc].Tensor
	at, s := e.laneTensorAddress(lane, x.At), e.tensorScratch
	ctas := s.both[:1]
	ctas[0] = e.cta
	if x.Pair {
		var err error
		if s.both, err = e.pair(pc, 1<<lane); err != nil {
			return err
		}
		ctas = s.both[:]
	}
	if x.Product != nil {
		return e.multiplyTensor(pc, lane, ctas, x.Product, at)
	}
	return e.copyTensor(pc, lane, ctas, x, at)
}

// copyTensor copies a matrix from shared memory to tensor memory in each of the CTAs.
func (e *Engine) copyTensor(pc, lane int, ctas []*CTA, x *program.Tensor, at lanes.TensorAddress) error {
	from, err := e.matrixOf(pc, lane, x.Descriptor, "the source")
	if err != nil {
		return err
	}
	if from.Pairs {
		return e.fault(pc, 1<<lane, violated(RuleTensorDescr, "a copy has no swizzling mode 1"))
	}
	c := x.Copy
	rows := lanes.TensorLanes
	if c == lanes.Copy4x256 {
		rows -= 31 // from the first lane to the last
	}
	m := tensorMatrix{SharedMatrix: from, rows: c.Rows(), bits: 8, units: c.Columns() / 4, packed: x.Narrow}
	for _, cta := range ctas {
		if err := e.checkCells(pc, lane, cta, "destination of a copy", at, rows, c.Columns()); err != nil {
			return err
		}
		if err := e.checkUnits(pc, lane, cta, &m); err != nil {
			return err
		}
	}
	source := e.tensorScratch.operands.A
	for n, cta := range ctas {
		e.readUnits(pc, lane, cta, &m, source, n+1 < len(ctas))
		for to := range rows {
			row, ok := c.Row(to)
			for i := 0; ok && i < c.Columns(); i++ {
				w := source[row][4*i:]
				cta.tensor.cells[at.Lane()+to][at.Column()+i] = uint32(w[0]) | uint32(w[1])<<8 | uint32(w[2])<<16 | uint32(w[3])<<24
			}
		}
	}
	e.hiddenChanges++
	return nil
}

// multiplyTensor computes the product of matrices that a lane asks for, with D at an address: in a CTA, or in a pair,
// where each has its rows of A and D and half of the columns of B.
func (e *Engine) multiplyTensor(pc, lane int, ctas []*CTA, x *program.TensorProduct, d lanes.TensorAddress) error {
	file := e.path.File
	descriptor := lanes.Reg[uint32](file, x.Descriptor)[lane]
	p, wrong := x.Kind.Product(descriptor, x.Stationary, len(ctas) > 1, x.Blocks)
	switch {
	case wrong != "":
	case x.IsInTensor && p.TransposedA:
		wrong = "A is transposed (bit 15), which it is not in tensor memory"
	case x.IsInTensor && p.Spread && p.M != lanes.TensorLanes:
		wrong = fmt.Sprintf("%d rows of A in the tensor memory of a block are not supported yet with .ws or .cta_group::2", p.M)
	}
	if wrong != "" {
		return e.fault(pc, 1<<lane, violated(RuleTensorDescr, "instruction descriptor 0x%x: %s", descriptor, wrong))
	}
	zeros := lanes.ZeroColumns(0)
	if x.Masked {
		zeros = lanes.ZeroColumns(lanes.Reg[uint64](file, x.Zeros)[lane])
		if wrong := zeros.Wrong(&p); wrong != "" {
			return e.fault(pc, 1<<lane, violated(RuleTensorDescr, "mask of columns 0x%x: %s", uint64(zeros), wrong))
		}
	}
	for _, c := range ctas {
		if err := e.checkSum(pc, lane, c, &p, d); err != nil {
			return err
		}
	}
	o := &e.tensorScratch.operands
	a, err := e.factors(pc, lane, ctas, x, &p, d, zeros)
	if err != nil {
		return err
	}
	o.D, o.ScaleD = d, x.ScaleD
	o.Accumulates = lanes.Predicate(file, x.Accumulates)>>lane&1 != 0
	for n, c := range ctas {
		o.Memory = &c.tensor.cells
		if x.IsInTensor {
			p.RowsOfA(o.A, o.Memory, e.laneTensorAddress(lane, x.InTensor))
		} else {
			e.readUnits(pc, lane, c, &a, o.A, n+1 < len(ctas))
		}
		clear(o.Disabled[:])
		if len(x.Disabled) > 0 {
			for i, slot := range x.Disabled[n*len(o.Disabled):][:len(o.Disabled)] {
				o.Disabled[i] = lanes.Mask(lanes.Reg[uint32](file, slot)[lane])
			}
		}
		p.Multiply(o)
	}
	if e.effect != nil {
		e.effect.TensorColumns += p.N
	}
	e.hiddenChanges++
	return nil
}

// checkSum returns the fault of a lane with D at an invalid place in a CTA's tensor memory; nil if it is valid.
func (e *Engine) checkSum(pc, lane int, c *CTA, p *lanes.TensorProduct, d lanes.TensorAddress) error {
	half := p.M == 64 && !p.Spread // it has 16 lanes of each warp
	if first := d.Lane(); first != 0 && !(half && first == 16) {
		return e.fault(pc, 1<<lane, violated(RuleTensorAccess, "D from lane %d of tensor memory on: one of %d rows begins at lane 0%s", first, p.M, map[bool]string{true: " or 16"}[half]))
	}
	rows := lanes.TensorLanes
	if half {
		rows -= 16
	}
	return e.checkCells(pc, lane, c, "D", d, rows, p.Columns())
}

// factors finds A, unless it is in tensor memory, and B and their scales, and reads B for a lane.
func (e *Engine) factors(pc, lane int, ctas []*CTA, x *program.TensorProduct, p *lanes.TensorProduct, d lanes.TensorAddress, zeros lanes.ZeroColumns) (a tensorMatrix, err error) {
	o := &e.tensorScratch.operands
	if x.IsInTensor {
		err = e.checkInTensor(pc, lane, ctas, e.laneTensorAddress(lane, x.InTensor), d)
	} else {
		a, err = e.factorOf(pc, lane, ctas, x.A, "A", p.M, p.A, p.TransposedA)
	}
	if err != nil {
		return a, err
	}
	each := p.N / len(ctas)
	b, err := e.factorOf(pc, lane, ctas, x.B, "B", each+zeros.Shift(), p.B, p.TransposedB)
	if err != nil {
		return a, err
	}
	if p.Blocks > 0 {
		o.ScaleA, o.ScaleB = e.laneTensorAddress(lane, x.ScaleA), e.laneTensorAddress(lane, x.ScaleB)
		for _, c := range ctas {
			if err := e.checkScales(pc, lane, c, "A", o.ScaleA, p.ScaleA, p.Blocks, p.M); err != nil {
				return a, err
			}
			if err := e.checkScales(pc, lane, c, "B", o.ScaleB, p.ScaleB, p.Blocks, p.N); err != nil {
				return a, err
			}
		}
	}
	for n, c := range ctas {
		e.readUnits(pc, lane, c, &b, o.B[n*each:], n+1 < len(ctas) || !x.IsInTensor)
	}
	if x.Masked {
		for col := range p.N {
			if o.B[col] = o.B[col+zeros.Shift()]; zeros.IsZero(p, col) {
				o.B[col] = lanes.TensorVector{}
			}
		}
	}
	return a, nil
}

// checkInTensor returns the fault of a lane with A at an invalid place in tensor memory; nil if it is valid.
func (e *Engine) checkInTensor(pc, lane int, ctas []*CTA, a, d lanes.TensorAddress) error {
	if a.Lane() != d.Lane() {
		return e.fault(pc, 1<<lane, violated(RuleTensorAccess, "A from lane %d of tensor memory on, and D from lane %d on", a.Lane(), d.Lane()))
	}
	for _, c := range ctas {
		if err := e.checkCells(pc, lane, c, "A", a, 1, lanes.TensorDepth/4); err != nil {
			return err
		}
	}
	return nil
}

// factorOf returns A or B in shared memory, with the given rows of it in each CTA and its descriptor in a slot of the
// lane.
func (e *Engine) factorOf(pc, lane int, ctas []*CTA, slot uint32, what string, rows int, t lanes.MatrixType, transposed bool) (f tensorMatrix, err error) {
	m, err := e.matrixOf(pc, lane, slot, what)
	if err != nil {
		return f, err
	}
	pairs := transposed && t == lanes.MatrixTF32
	if m.Pairs != pairs {
		wrong := "swizzling mode 1 is for .tf32 that is transposed"
		if pairs {
			wrong = ".tf32 that is transposed takes swizzling mode 1 alone"
		}
		return f, e.fault(pc, 1<<lane, violated(RuleTensorDescr, "descriptor 0x%x of %s: %s", lanes.Reg[uint64](e.path.File, slot)[lane], what, wrong))
	}
	f = factor(m, rows, t.Bits(), transposed)
	f.packed = t.Packed()
	for _, c := range ctas {
		if err := e.checkUnits(pc, lane, c, &f); err != nil {
			return f, err
		}
	}
	return f, nil
}

// checkScales returns the fault of a lane with scales that are not in the tensor memory of a CTA, or that differ
// between the lanes of each warp; nil if there is none. A row has n of them, from byte first on.
func (e *Engine) checkScales(pc, lane int, c *CTA, what string, at lanes.TensorAddress, first, n, rows int) error {
	name := "scales of " + what
	if at.Lane() != 0 {
		return e.fault(pc, 1<<lane, violated(RuleTensorAccess, "%s from lane %d of tensor memory on: they begin at lane 0", name, at.Lane()))
	}
	if err := e.checkCells(pc, lane, c, name, at, lanes.TensorLanes, (rows+31)/32); err != nil {
		return err
	}
	used := uint32(1<<(8*n)-1) << (8 * first)
	for row := range rows {
		column := at.Column() + row/32
		for w := 32; w < lanes.TensorLanes; w += 32 {
			if cells := &c.tensor.cells; (cells[row%32][column]^cells[w+row%32][column])&used != 0 {
				return e.fault(pc, 1<<lane, violated(RuleTensorAccess, "%s differ between lanes %d and %d of tensor memory in column %d; PTX requires the same in the lanes of each warp", name, row%32, w+row%32, column))
			}
		}
	}
	return nil
}
