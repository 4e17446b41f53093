package jit

import (
	"slices"

	"github.com/simtrun/simtrun/internal/lanes"
)

// mostApart bounds the distance of rows, or columns, in elements.
const mostApart = 1 << 20

// moveRow points to the first of eight rows, and moveRow4 to the fifth; moveApart3 is three times moveApart, their
// distance in bytes.
const (
	moveRow    = RDX
	moveRow4   = R12
	moveApart  = RCX
	moveApart3 = R13
)

// majors is the number of rows, or columns, of the matrix, and bytes their size.
func (x *matrixMove) majors() (n, bytes int32) {
	for i := range x.Places {
		p := &x.Places[i]
		for lane := range lanes.Width {
			n = max(n, int32(p.Major[lane])+1)
			bytes = max(bytes, int32(p.Minor[lane]*x.ElementBytes+p.Bits/8))
		}
	}
	return n, bytes
}

// checkPieces checks that all lanes have the same address and distance, and that the matrix is within memory and
// aligned. It leaves the place of the first row in moveRow, and the distance in bytes in moveApart.
func (x *matrixMove) checkPieces() {
	n, bytes := x.majors()
	const first, other, differ = 0, 1, 2
	x.v3(vpxor, l256, differ, differ, differ)
	same := func(slot Reg, bits uint8) {
		x.v2M(byWidth(bits, vpbroadcastd, vpbroadcastq), l256, first, memAt(slot, 0))
		for part := range int32(bits) / 8 {
			x.v3M(vpxor, l256, other, first, memAt(slot, 32*part))
			x.v3(vpor, l256, differ, differ, other)
		}
	}
	same(moveAddress, addressBits(x.Wide))
	same(moveStride, 32)
	x.v2(vptest, l256, differ, differ)
	x.jcc(condNE, x.fail)
	w := W64
	if !x.Wide {
		w = W32
	}
	x.Load(w, moveRow, memAt(moveAddress, 0))
	x.op(add, w, moveRow, moveDisp)
	x.testImm(W32, moveRow, x.Align-1)
	x.jcc(condNE, x.fail)
	x.Load(W32, moveApart, memAt(moveStride, 0))
	x.opImm(cmp, W32, moveApart, mostApart)
	x.jcc(condA, x.fail)
	x.imulImm(W32, moveApart, moveApart, int32(x.ElementBytes))
	x.testImm(W32, moveApart, min(x.Align, 16)-1)
	x.jcc(condNE, x.fail)
	if x.Store { // lane functions write rows that overlap in another order
		x.opImm(cmp, W32, moveApart, bytes)
		x.jcc(condB, x.fail)
	}
	x.opLoad(sub, W64, moveRow, memAt(moveHint, hintBase))
	x.imulImm(W64, R12, moveApart, n-1)
	x.opImm(add, W64, R12, bytes)
	x.Load(W64, R13, memAt(moveHint, hintLen))
	x.op(sub, W64, R13, R12)
	x.jcc(condB, x.fail)
	x.op(cmp, W64, moveRow, R13)
	x.jcc(condA, x.fail)
	x.opLoad(add, W64, moveRow, memAt(moveHint, hintData))
}

// row is the place of one of eight rows.
func (x *matrixMove) row(j int) Mem {
	base := moveRow
	if j >= 4 {
		base = moveRow4
	}
	switch j % 4 {
	case 0:
		return memAt(base, 0)
	case 1:
		return atIndex(base, moveApart, 1, 0)
	case 2:
		return atIndex(base, moveApart, 2, 0)
	}
	return atIndex(base, moveApart3, 1, 0)
}

// fragmentRegisters is the number of registers. The first distinct ones have all elements; the others repeat them.
func (x *matrixMove) fragmentRegisters() (all, distinct int) {
	all = x.Places[len(x.Places)-1].Register + 1
	places := func(r int) (of []lanes.Piece) {
		for _, p := range x.Places {
			if p.Register == r {
				p.Register = 0
				of = append(of, p)
			}
		}
		return of
	}
	if half := all / 2; all%2 == 0 && slices.Equal(places(0), places(half)) {
		return all, half
	}
	return all, all
}

// slotBytes is the size of a register of the warp.
func (x *matrixMove) slotBytes() int32 { return int32(max(x.Places[0].Bits, 32) / 8 * lanes.Width) }

// movePieces moves eight rows at a time, between memory and registers in scratch memory.
func (x *matrixMove) movePieces() {
	all, distinct := x.fragmentRegisters()
	size := x.slotBytes()
	copies := func(of []int, move func(register, scratch Mem)) {
		for _, r := range of {
			x.register(RAX, r)
			for part := range size / 32 {
				move(memAt(RAX, 32*part), memAt(moveScratch, size*int32(r%distinct)+32*part))
			}
		}
	}
	registers := make([]int, all)
	for i := range registers {
		registers[i] = i
	}
	if x.Store {
		copies(registers[:distinct], func(register, scratch Mem) {
			x.v2M(vmovdqu, l256, 0, register)
			x.vStore(vmovdqu, l256, scratch, 0)
		})
	}
	x.lea(moveApart3, atIndex(moveApart, moveApart, 2, 0))
	n, _ := x.majors()
	for first := 0; first < int(n); first += 8 {
		if first > 0 {
			x.lea(moveRow, atIndex(moveRow4, moveApart, 4, 0))
		}
		x.lea(moveRow4, atIndex(moveRow, moveApart, 4, 0))
		for r := range distinct {
			x.moveRegister(r, first)
		}
	}
	if !x.Store {
		copies(registers, func(register, scratch Mem) {
			x.v2M(vmovdqu, l256, 0, scratch)
			x.vStore(vmovdqu, l256, register, 0)
		})
	}
}

// moveRegister moves the parts of a register that are in the eight rows from first on.
func (x *matrixMove) moveRegister(r, first int) {
	var pieces []*lanes.Piece
	for i := range x.Places {
		if p := &x.Places[i]; p.Register == r {
			pieces = append(pieces, p)
		}
	}
	at := x.slotBytes() * int32(r)
	if !x.Store && x.transposed(pieces) {
		if p := pieces[0]; p.Major[0] == first {
			x.transpose(func(j int) Mem { return x.row(j).plus(int32(2 * p.Minor[0])) }, moveScratch, at)
		}
		return
	}
	for _, p := range pieces {
		for lane := 0; lane < lanes.Width; lane++ {
			row := p.Major[lane] - first
			if row < 0 || row >= 8 {
				continue
			}
			m := x.row(row).plus(int32(p.Minor[lane] * x.ElementBytes))
			s := memAt(moveScratch, at+int32(lane*max(p.Bits, 32)/8+p.Shift/8))
			if n := 128 / p.Bits; p.Bits >= 32 && x.consecutive(p, lane, n) {
				x.copy16(m, s)
				lane += n - 1
				continue
			}
			if x.Store {
				m, s = s, m
			}
			w := map[int]Width{8: W8, 16: W16, 32: W32, 64: W64}[p.Bits]
			x.Load(w, RAX, m)
			x.store(w, s, RAX)
		}
	}
}

// consecutive reports whether a part's n lanes from one on are next to each other in a row.
func (x *matrixMove) consecutive(p *lanes.Piece, lane, n int) bool {
	if lane+n > lanes.Width {
		return false
	}
	for k := range n {
		if p.Major[lane+k] != p.Major[lane] || (p.Minor[lane+k]-p.Minor[lane])*x.ElementBytes != k*p.Bits/8 {
			return false
		}
	}
	return true
}

// transposed reports whether parts are the columns of eight rows of eight elements of 16 bits.
func (x *matrixMove) transposed(pieces []*lanes.Piece) bool {
	if len(pieces) != 2 || x.ElementBytes != 2 {
		return false
	}
	for e, p := range pieces {
		for lane := range lanes.Width {
			if p.Bits != 16 || p.Shift != 16*e || p.Major[lane] != pieces[0].Major[0]+lane%4*2+e || p.Minor[lane] != pieces[0].Minor[0]+lane/4 {
				return false
			}
		}
	}
	return pieces[0].Major[0]%8 == 0
}
