package lanes

// The lanes and columns of tensor memory (PTX ISA, tensor memory of sm_100).
const (
	TensorLanes   = 128
	TensorColumns = 512
)

// TensorMemory is the memory of an SM's tensor core for a CTA: cells of 32 bits, by lane and column.
type TensorMemory [TensorLanes][TensorColumns]uint32

// TensorAddress is the address of a cell: the lane in the upper half, the column in the lower.
type TensorAddress uint32

// Lane is the lane, from 0 to 65535.
func (a TensorAddress) Lane() int { return int(a >> 16) }

// Column is the column, from 0 to 65535.
func (a TensorAddress) Column() int { return int(a & lowHalf) }

// TensorShape is how a load or store of tensor memory is distributed over the lanes of a warp.
type TensorShape uint8

// The shapes, by lanes and bits.
const (
	Tensor32x32 TensorShape = iota
	Tensor16x64
	Tensor16x128
	Tensor16x256
	Tensor16x32x2 // lanes 0 to 15 of the warp, and 16 to 31
)

// TensorAccess is a load or store of tensor memory by a warp.
type TensorAccess struct {
	Shape     TensorShape
	Registers []uint32 // slots
	// Halves says that a register holds the lower halves of two adjacent columns.
	Halves bool
}

// Lanes is the number of lanes of tensor memory that are accessed.
func (x *TensorAccess) Lanes() int {
	if x.Shape == Tensor32x32 {
		return 32
	}
	return 16
}

// Columns is the number of adjacent columns that are accessed; for Tensor16x32x2 by each half of the warp.
func (x *TensorAccess) Columns() int {
	n := len(x.Registers)
	if x.Shape != Tensor32x32 && x.Shape != Tensor16x32x2 {
		n *= 2 // a register of 32 lanes fills two columns of 16
	}
	if x.Halves {
		n *= 2
	}
	return n
}

// place is the place of register r of a lane of the warp, relative to the address of the access: lane and column.
// With Halves it is the first of two columns (PTX ISA, tcgen05, matrix fragments).
func (x *TensorAccess) place(r, lane int) (row, column int) {
	switch x.Shape {
	case Tensor32x32:
		row, column = lane, r
	case Tensor16x32x2:
		row, column = lane%16, r
	case Tensor16x64:
		row, column = lane/4+lane%2*8, r*2+lane/2%2
	case Tensor16x128:
		row, column = lane/4+r%2*8, r/2*4+lane%4
	case Tensor16x256:
		row, column = lane/4+r/2%2*8, r/4*8+lane%4*2+r%2
	}
	if x.Halves {
		column *= 2
	}
	return row, column
}

// cells are the cells from that of register r of a lane on, for an access at an address, which may be another one for
// the upper half of the warp.
func (x *TensorAccess) cells(t *TensorMemory, at, upper TensorAddress, r, lane int) []uint32 {
	row, column := x.place(r, lane)
	if x.Shape == Tensor16x32x2 && lane >= 16 {
		at = upper
	}
	return t[at.Lane()+row][at.Column()+column:]
}

// Load loads the registers of all lanes from existing cells.
func (x *TensorAccess) Load(f *File, t *TensorMemory, at, upper TensorAddress) {
	for r, slot := range x.Registers {
		to := Reg[uint32](f, slot)
		for lane := range to {
			cells := x.cells(t, at, upper, r, lane)
			if to[lane] = cells[0]; x.Halves {
				to[lane] = cells[0]&lowHalf | cells[1]<<16
			}
		}
	}
}

// Store is the reverse of Load.
func (x *TensorAccess) Store(f *File, t *TensorMemory, at, upper TensorAddress) {
	for r, slot := range x.Registers {
		for lane, v := range Reg[uint32](f, slot) {
			cells := x.cells(t, at, upper, r, lane)
			if cells[0] = v; x.Halves {
				cells[0], cells[1] = v&lowHalf, v>>16
			}
		}
	}
}

// TensorCopy is how the rows of a matrix in shared memory are distributed over lanes of tensor memory.
type TensorCopy uint8

// The copies, by rows and bits.
const (
	Copy128x256 TensorCopy = iota
	Copy4x256
	Copy128x128
	Copy64x128      // rows 0 to 31 to the lanes of warps 0 and 2, the others to those of 1 and 3
	Copy64x128Pairs // rows 0 to 31 to the lanes of warps 0 and 1, the others to those of 2 and 3
	Copy32x128      // to the lanes of each warp
)

// Rows is the number of rows that are copied.
func (c TensorCopy) Rows() int { return [...]int{128, 4, 128, 64, 64, 32}[c] }

// Columns is the number of columns of tensor memory that a row takes.
func (c TensorCopy) Columns() int {
	if c == Copy128x256 || c == Copy4x256 {
		return 8
	}
	return 4
}

// Row is the row that goes to a lane, relative to that of the address; false if none does.
func (c TensorCopy) Row(lane int) (row int, ok bool) {
	switch c {
	case Copy4x256:
		return lane / 32, lane%32 == 0
	case Copy64x128:
		return lane % 64, true
	case Copy64x128Pairs:
		return lane/64*32 + lane%32, true
	case Copy32x128:
		return lane % 32, true
	}
	return lane, true
}

// TensorReduction is how a load of tensor memory combines the numbers of a lane: their minimum or maximum.
type TensorReduction struct {
	Min           bool
	Float, Signed bool // .f32 and .s32; otherwise .u32
	Abs, NaN      bool // of .f32: magnitudes count, NaN wins
}

// Reduce combines the loaded registers of each lane into slot d.
func (x *TensorReduction) Reduce(f *File, registers []uint32, d uint32) {
	var all [Width]uint32
	for i, slot := range registers {
		for lane, v := range Reg[uint32](f, slot) {
			if x.Abs {
				v &^= signOfF32
			}
			if i == 0 {
				all[lane] = v
			}
			all[lane] = x.of(all[lane], v)
		}
	}
	*Reg[uint32](f, d) = all
}

// signOfF32 is the sign bit of a .f32.
const signOfF32 = 1 << 31

// of combines two numbers.
func (x *TensorReduction) of(a, b uint32) uint32 {
	key := func(v uint32) uint32 { // ascending with the numbers
		switch {
		case x.Float && v&signOfF32 != 0:
			return ^v
		case x.Float, x.Signed:
			return v ^ signOfF32
		}
		return v
	}
	if x.Float {
		nanA, nanB := a&^signOfF32 > infinityBits, b&^signOfF32 > infinityBits
		switch {
		case nanA && nanB, (nanA || nanB) && x.NaN:
			return nanF32
		case nanA:
			return b
		case nanB:
			return a
		}
	}
	if (key(a) < key(b)) == x.Min {
		return a
	}
	return b
}

// infinityBits is the infinity of .f32.
const infinityBits = 0x7f800000

// ExpandNarrow makes bytes of the 16 elements of 6 or 4 bits with which a unit of 16 bytes begins: the lower bits of
// each byte or, if middle is set, those from bit 2 on.
func ExpandNarrow(unit []byte, bits int, middle bool) {
	var low, high uint64
	for i := range 8 {
		low |= uint64(unit[i]) << (8 * i)
		high |= uint64(unit[8+i]) << (8 * i)
	}
	shift := 0
	if middle {
		shift = 2
	}
	for i := range unit {
		at := i * bits
		v := low >> at
		if at >= 64 {
			v = high >> (at - 64)
		} else if at > 0 {
			v |= high << (64 - at)
		}
		unit[i] = byte(v&(1<<bits-1)) << shift
	}
}
