package jit

import (
	"slices"

	"github.com/simtrun/simtrun/internal/lanes"
)

// Accesses of a whole warp to matrices in memory are routines: those of rows that lanes have the addresses of
// (ldmatrix, stmatrix), and those of a matrix with rows, or columns, at equal distances (wmma.load, wmma.store).

// MatrixMove is such an access, apart from its registers.
type MatrixMove struct {
	Store bool
	Wide  bool // addresses have 64 bits
	// Rows says that lane i has the address of row i%8 of matrix i/8, of a number of Matrices of 8 by 8 elements of 16
	// bits, which are transposed or not.
	Rows       bool
	Matrices   int
	Transposed bool
	// Otherwise all lanes have the address of a matrix, and the distance of its rows, or columns, in elements of a number
	// of bytes, a power of 2. Addresses are multiples of Align, and Places are the parts of fragments.
	ElementBytes int
	Align        int32
	Places       []lanes.Piece
}

// Equal reports whether two accesses have the same routine.
func (m *MatrixMove) Equal(o *MatrixMove) bool {
	return m.Store == o.Store && m.Wide == o.Wide && m.Rows == o.Rows && m.Matrices == o.Matrices && m.Transposed == o.Transposed &&
		m.ElementBytes == o.ElementBytes && m.Align == o.Align && slices.Equal(m.Places, o.Places)
}

// MatrixPlace is where an access of a MatrixMove goes: Area names the memory, as for other accesses.
type MatrixPlace struct {
	*Area
	Address uint32 // offset of the slot of addresses
	Stride  uint32 // that of the distance in elements
	Disp    uint64 // added to addresses
}

// Registers of the routines of a MatrixMove.
const (
	moveScratch = RDI
	moveTable   = RSI // lanes.Fragments
	moveHint    = RAX
	moveDisp    = RCX
	moveAddress = R10 // the slot of addresses
	moveStride  = R11 // that of distances
)

// MoveMatrix calls a routine of MatrixRoutine for a table of registers, as Fragments writes it. It jumps to fail, and
// nothing has been moved, if lane functions must make the access.
func (e *Emit) MoveMatrix(routine, registers Label, p *MatrixPlace, fail Label) {
	e.lea(RAX, e.hint(p.Area))
	for _, records := range []int32{hintNotes, hintShadow} { // lane functions keep records
		e.opStoreImm(cmp, W64, memAt(RAX, records), 0)
		e.jcc(condNE, fail)
	}
	e.lea(moveTable, atLabel(registers, 0))
	e.lea(moveScratch, memAt(regCtx, ctxProduct))
	e.lea(moveAddress, memAt(regFile, int32(p.Address)))
	e.lea(moveStride, memAt(regFile, int32(p.Stride)))
	e.movImm(moveDisp, p.Disp)
	e.Call(routine)
	e.test(W32, RAX, RAX)
	e.jcc(condNE, fail)
}

// matrixMove writes the routine of an access.
type matrixMove struct {
	*Emit
	*MatrixMove
	fail   Label
	matrix int // the fragment, in the table of registers
}

// MatrixRoutine writes, at l, the routine of an access. It returns 0 in EAX if it has made the access. If not, it has
// moved nothing, and lane functions must make the access. It changes the registers that ProductRoutine changes.
func (e *Emit) MatrixRoutine(l Label, m *MatrixMove) {
	x := &matrixMove{Emit: e, MatrixMove: m, fail: e.NewLabel(), matrix: lanes.FragmentD}
	if m.Store {
		x.matrix = lanes.FragmentB
	}
	e.Align(32)
	e.Bind(l)
	if m.Rows {
		x.checkRows()
		for i := range m.Matrices {
			x.moveRows(i)
		}
	} else {
		x.checkPieces()
		x.movePieces()
	}
	e.op(xor, W32, RAX, RAX)
	e.Ret()
	e.Bind(x.fail)
	e.movImm(RAX, 1)
	e.Ret()
}

// register loads the address of register number r of the fragment.
func (x *matrixMove) register(d Reg, r int) {
	x.Load(W32, d, memAt(moveTable, int32(4*(x.matrix*lanes.MaxVec+r))))
	x.op(add, W64, d, regFile)
}

// checkRows checks the addresses of rows, and puts the places of these in scratch memory.
func (x *matrixMove) checkRows() {
	const off, room, disp, base, limit, signs, low, data = 0, 1, 2, 3, 4, 5, 6, 7
	x.vFromReg(vmovq, disp, moveDisp)
	x.v2(byWidth(addressBits(x.Wide), vpbroadcastd, vpbroadcastq), l256, disp, disp)
	x.v2M(vpbroadcastq, l256, base, memAt(moveHint, hintBase))
	x.v2M(vpbroadcastq, l256, data, memAt(moveHint, hintData))
	x.v2M(vpbroadcastq, l256, limit, memAt(moveHint, hintLen))
	x.v3M(vpsubq, l256, limit, limit, x.constant(lanes.RowBytes, 64))
	x.v3(vpxor, l256, signs, signs, signs)
	x.v3(vpxor, l256, low, low, low)
	for four := range int32(2 * x.Matrices) {
		if x.Wide {
			x.v3M(vpaddq, l256, off, disp, memAt(moveAddress, 32*four))
		} else {
			x.v3M(vpaddd, l128, off, disp, memAt(moveAddress, 16*four))
			x.v2(vpmovzxdq, l256, off, off)
		}
		x.v3(vpsubq, l256, off, off, base)
		x.v3(vpsubq, l256, room, limit, off)
		x.v3(vpor, l256, signs, signs, room)
		x.v3(vpor, l256, low, low, off)
		x.v3(vpaddq, l256, off, off, data)
		x.vStore(vmovdqu, l256, memAt(moveScratch, 32*four), off)
	}
	x.v3(vpor, l256, signs, signs, low) // an offset, or the room after it, is negative
	x.vToReg(vmovmskpd, l256, RDX, signs)
	x.test(W32, RDX, RDX)
	x.jcc(condNE, x.fail)
	x.v2M(vptest, l256, low, x.constant(lanes.RowBytes-1, 64))
	x.jcc(condNE, x.fail)
}

func addressBits(wide bool) uint8 {
	if wide {
		return 64
	}
	return 32
}

// moveRows moves matrix i, by the places of its rows in scratch memory.
func (x *matrixMove) moveRows(i int) {
	x.register(RAX, i)
	row := func(j int) Mem {
		x.Load(W64, RDX, memAt(moveScratch, int32(8*(8*i+j))))
		return memAt(RDX, 0)
	}
	switch {
	case x.Transposed && !x.Store:
		x.transpose(row, RAX, 0)
	case x.Transposed:
		for j := range int32(lanes.RowBytes / 2) {
			m := row(int(j))
			for col := range int32(lanes.RowBytes / 2) {
				x.Load(W16, RCX, memAt(RAX, 4*(4*col+j/2)+j%2*2))
				x.store(W16, m.plus(2*col), RCX)
			}
		}
	default:
		for j := range int32(lanes.RowBytes / 2) {
			x.copy16(row(int(j)), memAt(RAX, lanes.RowBytes*j))
		}
	}
}

// copy16 copies 16 bytes from memory to a register of the warp, or back.
func (x *matrixMove) copy16(memory, register Mem) {
	if x.Store {
		memory, register = register, memory
	}
	x.v2M(vmovdqu, l128, 0, memory)
	x.vStore(vmovdqu, l128, register, 0)
}

// transpose reads eight rows of eight elements of 16 bits, and writes the columns, each in 16 bytes, from to + disp on.
func (x *matrixMove) transpose(row func(int) Mem, to Reg, disp int32) {
	for j := range 8 {
		x.v2M(vmovdqu, l128, Vec(j), row(j))
	}
	for half, words := range []vOp{vpunpcklwd, vpunpckhwd} { // of columns
		for pair := range Vec(4) { // of rows
			x.v3(words, l128, 8+pair, 2*pair, 2*pair+1)
		}
		for i, op := range []vOp{vpunpckldq, vpunpckhdq} {
			x.v3(op, l128, 12, 8, 9)
			x.v3(op, l128, 13, 10, 11)
			for k, op := range []vOp{vpunpcklqdq, vpunpckhqdq} {
				x.v3(op, l128, 14, 12, 13)
				x.vStore(vmovdqu, l128, memAt(to, disp+lanes.RowBytes*int32(4*half+2*i+k)), 14)
			}
		}
	}
}
