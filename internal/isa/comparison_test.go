package isa_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
)

// TestNegatedComparisonIsOpposite executes every comparison and its negation on random values: exactly one of them
// holds and, for integers, the one that Holds returns.
func TestNegatedComparisonIsOpposite(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	forms := 0
	for in := range isa.Lookup("setp").Forms() {
		in.Args = make([]isa.Operand, 5)
		in.Args[2] = isa.Operand{Kind: isa.RegOperand, Reg: 1}
		in.Args[3] = isa.Operand{Kind: isa.RegOperand, Reg: 2}
		c, ok := in.Comparison()
		if !ok {
			continue
		}
		forms++
		values := []uint64{0, 1, math.MaxUint64, 1 << 63, 1 << 31, 1 << 15, uint64(math.Float32bits(1.5)), 0x7fc00000, 0x7e00, 0x7fff, math.Float64bits(math.NaN()), rnd.Uint64(), rnd.Uint64()}
		spare := 64 - in.Types[0].Bits() // a slot holds the register's bits, and zeros above
		for _, a := range values {
			for _, b := range values {
				a, b := a<<spare>>spare, b<<spare>>spare
				not := in
				mods := *in.Mods
				mods[isa.Cmp] = c.Not().Op
				not.Mods = &mods
				is, isNot := compare(&in, a, b), compare(&not, a, b)
				if is == isNot {
					t.Fatalf("%s and its contrary %s of %#x and %#x are both %v", in.Mnemonic(), not.Mnemonic(), a, b, is)
				}
				if holds, known := c.Holds(a, b); known != (c.Type.Class() != isa.Float) || known && holds != is {
					t.Fatalf("%s of %#x and %#x is %v, and not %v %v", in.Mnemonic(), a, b, is, holds, known)
				}
			}
		}
	}
	if forms < 80 {
		t.Errorf("only %d forms", forms)
	}
}

// compare executes a comparison in lane 0.
func compare(in *isa.Instr, a, b uint64) bool {
	const d, q = lanes.ScratchBytes, lanes.ScratchBytes + lanes.SlotPred
	const slotA, slotB, end = lanes.ScratchBytes + lanes.Slot64, lanes.ScratchBytes + 2*lanes.Slot64, lanes.ScratchBytes + 3*lanes.Slot64
	file := lanes.NewFile(end)
	if in.Types[0].Bits() > 32 {
		lanes.Reg[uint64](file, slotA)[0], lanes.Reg[uint64](file, slotB)[0] = a, b
	} else {
		lanes.Reg[uint32](file, slotA)[0], lanes.Reg[uint32](file, slotB)[0] = uint32(a), uint32(b)
	}
	op := lanes.Op{D: d, D2: q, A: slotA, B: slotB, Mode: in.Mods.Mode()}
	fn, _, imm := in.Bind(isa.Variant{})
	op.Imm = imm
	fn(file, &op, 1)
	if *lanes.Pred(file, d)&1 == *lanes.Pred(file, q)&1 {
		panic("both results are the same")
	}
	return *lanes.Pred(file, d)&1 != 0
}
