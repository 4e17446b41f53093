package interp

import (
	"fmt"

	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/lanes"
	"github.com/simtrun/simtrun/memory"
	"github.com/simtrun/simtrun/program"
)

// tensorScratch is what the engine needs for matrices that tcgen05 reads.
type tensorScratch struct {
	operands lanes.TensorOperands
}

// tensorMatrix is a matrix in shared memory with elements of so many bits, in rows of lanes.TensorDepth bytes or fewer: as
// PTX has them, or transposed.
type tensorMatrix struct {
	memory.SharedMatrix
	rows, bits int
	transposed bool
	units      int // in a row; of a transposed one in a column
	columns    int // of a transposed one
}

// address is the address of unit i, and to which rows, and bytes of them, its elements go: size bytes to each of so many
// rows from the first on.
func (m *tensorMatrix) address(i int) (addr uint32, row, at, rows, size int) {
	if !m.transposed {
		return m.AlongK(i/m.units, i%m.units), i / m.units, i % m.units * memory.UnitBytes, 1, memory.UnitBytes
	}
	size = m.bits / 8
	rows = memory.UnitBytes / size
	return m.AlongMN(i%m.units, i/m.units), i % m.units * rows, i / m.units * size, rows, size
}

// count is how many units the matrix has.
func (m *tensorMatrix) count() int {
	if m.transposed {
		return m.units * m.columns
	}
	return m.units * m.rows
}

// factor is A or B in shared memory of a product.
func factor(m memory.SharedMatrix, rows, bits int, transposed bool) tensorMatrix {
	f := tensorMatrix{SharedMatrix: m, rows: rows, bits: bits, transposed: transposed, units: lanes.TensorDepth / memory.UnitBytes}
	if transposed {
		f.units, f.columns = rows*bits/8/memory.UnitBytes, lanes.TensorDepth*8/bits
	}
	return f
}

// checkUnits is the fault of a lane that reads a matrix which is not all in the CTA's shared memory; nil if it is.
func (e *Engine) checkUnits(pc, lane int, m *tensorMatrix) error {
	in := program.Info{Space: isa.Shared, Size: memory.UnitBytes}
	for i := range m.count() {
		addr, _, _, _, _ := m.address(i)
		if err := e.check(&in, isa.Load, memory.UnitBytes, e.find(&in, uint64(addr))); err != nil {
			err.What = "matrix of tcgen05"
			e.nameRegion(err)
			return e.fault(pc, 1<<lane, err)
		}
	}
	return nil
}

// readUnits reads the rows of a matrix for a lane. More says that it reads another.
func (e *Engine) readUnits(pc, lane int, m *tensorMatrix, to []lanes.TensorVector, more bool) {
	r, last := &e.cta.Shared, m.count()-1
	e.event.Background = true
	for i := range m.count() {
		addr, row, at, rows, size := m.address(i)
		e.acc.Mem, e.acc.Base, e.acc.Region, e.acc.Space, e.acc.Strided, e.acc.Size = r.Data, r.Base, r.Number, uint8(r.Space), false, memory.UnitBytes
		e.acc.Off[lane] = uint64(addr)
		e.notifyMoving(isa.Load, pc, 1<<lane, more || i < last)
		for n, unit := 0, r.Data[addr:]; n < rows; n++ {
			copy(to[row+n][at:at+size], unit[n*size:])
		}
		e.notifyMoved(1 << lane)
	}
	e.event.Background = false
}

// matrixOf is the matrix in shared memory whose descriptor is in a slot of the lane.
func (e *Engine) matrixOf(pc, lane int, slot uint32, what string) (memory.SharedMatrix, error) {
	d := lanes.Reg[uint64](e.path.File, slot)[lane]
	m, wrong := memory.TensorMatrix(d)
	if wrong != "" {
		return m, e.fault(pc, 1<<lane, violated(RuleTensorDescr, "descriptor 0x%x of %s: %s", d, what, wrong))
	}
	return m, nil
}

// laneTensorAddress is the address in tensor memory that a lane has.
func (e *Engine) laneTensorAddress(lane int, a program.TensorAddress) lanes.TensorAddress {
	return lanes.TensorAddress(lanes.Reg[uint32](e.path.File, a.Slot)[lane] + a.Disp)
}

// checkCells is the fault of a lane that goes to lanes and columns of tensor memory which are not there; nil if they are.
func (e *Engine) checkCells(pc, lane int, what string, at lanes.TensorAddress, rows, cols int) error {
	if wrong := e.wrongCells(at, rows, cols); wrong != "" {
		return e.fault(pc, 1<<lane, violated(RuleTensorAccess, "%s: %s", what, wrong))
	}
	return nil
}

// tensorOfLane executes the copy or the product at pc for a lane: for all of the CTA.
func (e *Engine) tensorOfLane(pc, lane int) error {
	if e.tensorScratch == nil {
		e.tensorScratch = new(tensorScratch)
		o := &e.tensorScratch.operands
		o.A, o.B = make([]lanes.TensorVector, lanes.TensorLanes), make([]lanes.TensorVector, 2*lanes.TensorLanes)
	}
	x := e.fn.Info[pc].Tensor
	at := e.laneTensorAddress(lane, x.At)
	if x.Product != nil {
		return e.multiplyTensor(pc, lane, x.Product, at)
	}
	return e.copyTensor(pc, lane, x, at)
}

// copyTensor copies a matrix from shared memory to tensor memory.
func (e *Engine) copyTensor(pc, lane int, x *program.Tensor, at lanes.TensorAddress) error {
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
	if err := e.checkCells(pc, lane, "destination of a copy", at, rows, c.Columns()); err != nil {
		return err
	}
	m := tensorMatrix{SharedMatrix: from, rows: c.Rows(), bits: 8, units: c.Columns() / 4}
	if err := e.checkUnits(pc, lane, &m); err != nil {
		return err
	}
	source := e.tensorScratch.operands.A
	e.readUnits(pc, lane, &m, source, false)
	for to := range rows {
		row, ok := c.Row(to)
		for i := 0; ok && i < c.Columns(); i++ {
			w := source[row][4*i:]
			e.cta.tensor.cells[at.Lane()+to][at.Column()+i] = uint32(w[0]) | uint32(w[1])<<8 | uint32(w[2])<<16 | uint32(w[3])<<24
		}
	}
	e.tensorChanges++
	return nil
}

// multiplyTensor makes the product of matrices that a lane asks for, with D at an address.
func (e *Engine) multiplyTensor(pc, lane int, x *program.TensorProduct, d lanes.TensorAddress) error {
	file := e.path.File
	descriptor := lanes.Reg[uint32](file, x.Descriptor)[lane]
	p, wrong := x.Kind.Product(descriptor, x.Stationary, x.Blocks)
	switch {
	case wrong != "":
	case x.IsInTensor && p.TransposedA:
		wrong = "A is transposed (bit 15), which it is not in tensor memory"
	case x.IsInTensor && x.Stationary && p.M != lanes.TensorLanes:
		wrong = fmt.Sprintf("%d rows of A in tensor memory are not supported yet with .ws", p.M)
	}
	if wrong != "" {
		return e.fault(pc, 1<<lane, violated(RuleTensorDescr, "instruction descriptor 0x%x: %s", descriptor, wrong))
	}
	if err := e.checkSum(pc, lane, &p, d); err != nil {
		return err
	}
	o := &e.tensorScratch.operands
	if err := e.factors(pc, lane, x, &p, d); err != nil {
		return err
	}
	o.Memory, o.D, o.ScaleD = &e.cta.tensor.cells, d, x.ScaleD
	o.Accumulates = lanes.Predicate(file, x.Accumulates)>>lane&1 != 0
	clear(o.Disabled[:])
	if x.HasDisabled {
		for i, slot := range x.Disabled {
			o.Disabled[i] = lanes.Mask(lanes.Reg[uint32](file, slot)[lane])
		}
	}
	p.Multiply(o)
	e.tensorChanges++
	return nil
}

// checkSum is the fault of a lane whose D is not where it can be; nil if it is.
func (e *Engine) checkSum(pc, lane int, p *lanes.TensorProduct, d lanes.TensorAddress) error {
	half := p.M == 64 && !p.WeightStationary // it has 16 lanes of each warp
	if first := d.Lane(); first != 0 && !(half && first == 16) {
		return e.fault(pc, 1<<lane, violated(RuleTensorAccess, "D from lane %d of tensor memory on: one of %d rows begins at lane 0%s", first, p.M, map[bool]string{true: " or 16"}[half]))
	}
	rows := lanes.TensorLanes
	if half {
		rows -= 16
	}
	return e.checkCells(pc, lane, "D", d, rows, p.Columns())
}

// factors finds A and B with their scales, and reads them for a lane.
func (e *Engine) factors(pc, lane int, x *program.TensorProduct, p *lanes.TensorProduct, d lanes.TensorAddress) error {
	var a tensorMatrix
	o, inTensor := &e.tensorScratch.operands, e.laneTensorAddress(lane, x.InTensor)
	if x.IsInTensor {
		if inTensor.Lane() != d.Lane() {
			return e.fault(pc, 1<<lane, violated(RuleTensorAccess, "A from lane %d of tensor memory on, and D from lane %d on", inTensor.Lane(), d.Lane()))
		}
		if err := e.checkCells(pc, lane, "A", inTensor, 1, lanes.TensorDepth/4); err != nil {
			return err
		}
	} else {
		var err error
		if a, err = e.factorOf(pc, lane, x.A, "A", p.M, p.A, p.TransposedA); err != nil {
			return err
		}
	}
	b, err := e.factorOf(pc, lane, x.B, "B", p.N, p.B, p.TransposedB)
	if err != nil {
		return err
	}
	if p.Blocks > 0 {
		o.ScaleA, o.ScaleB = e.laneTensorAddress(lane, x.ScaleA), e.laneTensorAddress(lane, x.ScaleB)
		if err := e.checkScales(pc, lane, "A", o.ScaleA, p.ScaleA, p.Blocks, p.M); err != nil {
			return err
		}
		if err := e.checkScales(pc, lane, "B", o.ScaleB, p.ScaleB, p.Blocks, p.N); err != nil {
			return err
		}
	}
	if x.IsInTensor {
		p.RowsOfA(o.A, &e.cta.tensor.cells, inTensor)
	} else {
		e.readUnits(pc, lane, &a, o.A, true)
	}
	e.readUnits(pc, lane, &b, o.B, false)
	return nil
}

// factorOf is A or B in shared memory, whose descriptor is in a slot of the lane.
func (e *Engine) factorOf(pc, lane int, slot uint32, what string, rows int, t lanes.MatrixType, transposed bool) (f tensorMatrix, err error) {
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
	return f, e.checkUnits(pc, lane, &f)
}

// checkScales is the fault of a lane whose scales of so many rows are not in tensor memory, or not the same in the lanes of
// each warp; nil if they are. A row has n of them, from a byte on.
func (e *Engine) checkScales(pc, lane int, what string, at lanes.TensorAddress, first, n, rows int) error {
	name := "scales of " + what
	if at.Lane() != 0 {
		return e.fault(pc, 1<<lane, violated(RuleTensorAccess, "%s from lane %d of tensor memory on: they begin at lane 0", name, at.Lane()))
	}
	if err := e.checkCells(pc, lane, name, at, lanes.TensorLanes, (rows+31)/32); err != nil {
		return err
	}
	used := uint32(1<<(8*n)-1) << (8 * first)
	for row := range rows {
		column := at.Column() + row/32
		for w := 32; w < lanes.TensorLanes; w += 32 {
			if cells := &e.cta.tensor.cells; (cells[row%32][column]^cells[w+row%32][column])&used != 0 {
				return e.fault(pc, 1<<lane, violated(RuleTensorAccess, "%s differ between lanes %d and %d of tensor memory in column %d; PTX wants them in the lanes of each warp", name, row%32, w+row%32, column))
			}
		}
	}
	return nil
}
