package jit

import (
	"encoding/binary"
	"fmt"

	"github.com/simtrun/simtrun/internal/lanes"
)

// Products of matrices are routines: a warp's fragments are unpacked once, A and B by elements and C as it is, and each
// element of the result is a lane of a vector, in the layout in which registers have the result.
//
// In blocks of eight rows of A the four lanes of a row hold four consecutive words of it (lanes.Product.WordOfA), and
// the four lanes of a row of C hold two columns each. So an element of A comes to the lanes of its row by a permutation
// within 128 bits, and those of B in a row of it are 128 bits, the same for all rows: first of the even columns, then
// of the odd ones. Tiles have eight columns.

// productBytes is the size of the scratch memory of a product.
const productBytes = 8 << 10

// HasProduct reports whether there is a routine for a product.
func HasProduct(p *lanes.Product) bool {
	if p.Quads || p.Sparse || p.Blocks > 0 || p.B >= lanes.MatrixE2M1 || p.M%8 != 0 || p.N%8 != 0 {
		return false
	}
	switch p.A {
	case lanes.MatrixF16, lanes.MatrixBF16, lanes.MatrixTF32, lanes.MatrixE4M3, lanes.MatrixE5M2:
		return p.K <= 32 && (p.C == lanes.MatrixF16 || p.C == lanes.MatrixF32)
	case lanes.MatrixS8, lanes.MatrixU8, lanes.MatrixS4, lanes.MatrixU4:
		return p.C == lanes.MatrixS32
	case lanes.MatrixF64:
		return true
	}
	return false
}

// product writes the routine of a product. It addresses scratch memory by RDI, and the table of registers by RSI.
type product struct {
	*Emit
	*lanes.Product
	l     length
	lane  int32 // bytes of a lane of a register
	bytes int32 // of a vector
	parts int32 // vectors of a register of the fragment
	per   int32 // elements of a word
	slots int32 // vectors of four words of eight rows of A
	word  int32 // bytes of a word of B
	fail  Label // where the routine fails

	// Offsets in scratch memory: A by parts of blocks of eight rows, B by tiles, and the registers of D.
	a, b, d int32
	// Bytes of a part of eight rows of A, and of a tile of B.
	part, tile int32
}

// Registers of the routines.
const (
	productScratch = RDI
	productTable   = RSI // of the offsets of registers in the file, as lanes.Fragments
	productA       = RAX // the part of A
	productB       = R10 // the tile of B
	productD       = R11 // the part of D
	productLeft    = RDX // the parts of C: even columns, or both; odd columns
	productRight   = RCX
)

// ProductRoutine writes, at l, a routine that computes a product for which HasProduct holds. It finds the register file
// in R8, lanes.Fragments at RSI, and scratch memory at RDI. A product of .f64 rounds to nearest. The routine returns 0
// in EAX, or another number if operands are not what it is for, such as infinities; it has not written anything to the
// file then. It changes all registers except RBX, RBP, RSP, R8, R9, R14, and k3 to k7.
func (e *Emit) ProductRoutine(l Label, p *lanes.Product) {
	x := &product{Emit: e, Product: p, l: l512, lane: 4, bytes: e.vectorBytes(), per: int32(max(32/p.A.Bits(), 1)), fail: e.NewLabel()}
	if e.Level < AVX512 {
		x.l = l256
	}
	write := x.floats
	x.slots, x.word = x.per+x.pairs(), 32*(x.per+x.pairs())
	switch p.C {
	case lanes.MatrixS32:
		write = x.integers
		x.slots, x.word = x.pairs(), 32*x.pairs()
		if e.Dots {
			write = x.dots
			x.slots = x.per / 4
			x.word = 32 * x.slots
		}
	case lanes.MatrixF64:
		write = x.doubles
		x.lane, x.slots, x.word = 8, 1, 64
	}
	x.parts = x.lane * lanes.Width / x.bytes
	words := int32(p.K) / x.per
	x.part, x.tile = words/4*x.slots*x.bytes, words*x.word
	if e.Dots && p.C == lanes.MatrixS32 {
		x.tile += 32
	}
	x.b = int32(p.M/8) * x.parts * x.part
	x.d = x.b + int32(p.N/8)*x.tile
	if end := x.d + int32(p.Registers(lanes.FragmentD))*x.lane*lanes.Width; end > productBytes {
		panic(fmt.Sprintf("simtrun bug: a product needs %d bytes", end))
	}
	e.Align(32)
	e.Bind(l)
	write()
}

// pairs is the number of pairs of elements in a word, 1 for a single element.
func (x *product) pairs() int32 { return max(x.per/2, 1) }

// Fragments writes a table of registers for Multiply, at l.
func (e *Emit) Fragments(l Label, f *lanes.Fragments) {
	e.Bind(l)
	var b []byte
	for _, matrix := range f {
		for _, off := range matrix {
			b = binary.LittleEndian.AppendUint32(b, off)
		}
	}
	e.literal(b)
}

// Multiply calls a routine of ProductRoutine for a table of registers, and jumps to fail if it is not for the operands.
func (e *Emit) Multiply(routine, registers, fail Label) {
	e.lea(productTable, atLabel(registers, 0))
	e.lea(productScratch, memAt(regCtx, ctxProduct))
	e.Call(routine)
	e.test(W32, RAX, RAX)
	e.jcc(condNE, fail)
}

// register loads the address of register number r of a matrix, plus the distance of a lane.
func (x *product) register(d Reg, matrix, r int) {
	x.Load(W32, d, memAt(productTable, int32(4*(matrix*lanes.MaxVec+r))))
	x.op(add, W64, d, regFile)
}

// eachWordOfA emits body for each part of the registers of A: at has the part of the register, and to is the place of
// the elements of its words in scratch memory.
func (x *product) eachWordOfA(body func(at Mem, to int32)) {
	for r := range x.Registers(lanes.FragmentA) {
		row, word := x.WordOfA(r, 0)
		x.register(RAX, lanes.FragmentA, r)
		for part := range x.parts {
			body(memAt(RAX, part*x.bytes), x.a+(int32(row/8)*x.parts+part)*x.part+int32(word)/4*x.slots*x.bytes)
		}
	}
}

// eachWordOfB emits body for each word of the columns of B: w has it, of the even columns of a tile and then of the odd
// ones, and to is the place of its elements in scratch memory.
func (x *product) eachWordOfB(body func(w Vec, to int32)) {
	for r := range x.Registers(lanes.FragmentB) {
		word, col := x.WordOfB(r, 0)
		x.register(RAX, lanes.FragmentB, r)
		for i := range Vec(4) {
			x.v2M(vmovdqu, l256, i, memAt(RAX, 32*int32(i)))
		}
		for i := range Vec(2) { // a transposition of four by four words, twice
			x.v3(vpunpckldq, l256, 4+2*i, 2*i, 2*i+1)
			x.v3(vpunpckhdq, l256, 5+2*i, 2*i, 2*i+1)
		}
		x.v3(vpunpcklqdq, l256, 0, 4, 6)
		x.v3(vpunpckhqdq, l256, 1, 4, 6)
		x.v3(vpunpcklqdq, l256, 2, 5, 7)
		x.v3(vpunpckhqdq, l256, 3, 5, 7)
		for i := range Vec(4) {
			body(i, x.b+int32(col/8)*x.tile+(int32(word)+int32(i))*x.word)
		}
	}
}

// columns emits body for the words of B in the order of products: w has those of the even columns of a tile and then
// those of the odd ones, of one word after the other if a vector has room for two.
// It changes the vectors 0 to 7.
func (x *product) columns(body func(w Vec, tile, word int32)) {
	if x.l == l256 {
		x.eachWordOfB(func(w Vec, to int32) { body(w, (to-x.b)/x.tile, (to-x.b)%x.tile/x.word) })
		return
	}
	for r := range x.Registers(lanes.FragmentB) {
		word, col := x.WordOfB(r, 0)
		x.register(RAX, lanes.FragmentB, r)
		x.v2M(vmovdqu, l512, 2, memAt(RAX, 0))
		for i := range Vec(2) {
			x.v2M(vmovdqu, l512, i, x.pooled(poolConstant{bits: uint64(2 * i), kind: poolColumns}))
			x.v3M(vpermi2D, l512, i, 2, memAt(RAX, 64))
		}
		for i := range Vec(2) {
			body(i, int32(col/8), int32(word)+2*int32(i))
		}
	}
}

// eachPart emits a loop over the parts of C: body computes one part of D from it.
func (x *product) eachPart(body func()) {
	tiles, blocks, parts := x.NewLabel(), x.NewLabel(), x.NewLabel()
	perPair := int32(2) // registers of C
	if x.C == lanes.MatrixF16 {
		perPair = 1
	}
	x.lea(productB, memAt(productScratch, x.b))
	x.lea(productD, memAt(productScratch, x.d))
	x.movImm(R15, uint64(x.N/8))
	x.Bind(tiles)
	x.lea(productA, memAt(productScratch, x.a))
	x.movImm(R13, uint64(x.M/8))
	x.Bind(blocks)
	x.register(productLeft, lanes.FragmentC, 0)
	if perPair == 2 {
		x.register(productRight, lanes.FragmentC, 1)
	}
	x.opImm(add, W64, productTable, 4*perPair)
	x.movImm(R12, uint64(x.parts))
	x.Bind(parts)
	body()
	x.opImm(add, W64, productLeft, x.bytes)
	x.opImm(add, W64, productRight, x.bytes)
	x.opImm(add, W64, productD, x.bytes)
	x.opImm(add, W64, productA, x.part)
	x.opImm(sub, W32, R12, 1)
	x.jcc(condNE, parts)
	if x.D != lanes.MatrixF16 {
		x.opImm(add, W64, productD, x.lane*lanes.Width) // the register of odd columns
	}
	x.opImm(sub, W32, R13, 1)
	x.jcc(condNE, blocks)
	x.opImm(add, W64, productB, x.tile)
	x.opImm(sub, W32, R15, 1)
	x.jcc(condNE, tiles)
	x.opImm(sub, W64, productTable, 4*perPair*int32(x.M/8*x.N/8))
}

// finish writes D to its registers, and the end of the routine. leave emits what must precede the return.
func (x *product) finish(leave func()) {
	for r := range x.Registers(lanes.FragmentD) {
		x.register(RAX, lanes.FragmentD, r)
		for part := range x.parts {
			v := Vec(part)
			x.v2M(vmovdqu, x.l, v, memAt(productScratch, x.d+int32(r)*x.lane*lanes.Width+part*x.bytes))
			x.vStore(vmovdqu, x.l, memAt(RAX, part*x.bytes), v)
		}
	}
	leave()
	x.op(xor, W32, RAX, RAX)
	x.Ret()
	x.Bind(x.fail)
	leave()
	x.movImm(RAX, 1)
	x.Ret()
}

// jumpUnlessZero jumps to a label unless a vector is zero.
func (x *product) jumpUnlessZero(v Vec, to Label) {
	if x.Level == AVX512 {
		x.vTestK(vptestmd, x.l, maskScratch, v, v, k0)
		x.kortest(W16, maskScratch, maskScratch)
	} else {
		x.Asm.v2(vptest, x.l, v, v)
	}
	x.jcc(condNE, to)
}
