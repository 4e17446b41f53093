package isa_test

import (
	"math/rand/v2"
	"testing"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
)

// TestSumOperandsAddUpToResult executes every form with a Sum on random values, and compares the result with the sum
// of the operands.
func TestSumOperandsAddUpToResult(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	names := make(map[string]int)
	for _, spec := range isa.Specs() {
		if spec.Sum == nil && spec.Copies == nil {
			continue
		}
		for in := range spec.Forms() {
			in.Args = make([]isa.Operand, len(spec.Formals()))
			sum := in.Sum()
			if sum.Bits < 16 || in.Types[0] == isa.B128 || in.Mods[isa.Vec] != 0 { // operands are vectors
				continue
			}
			names[spec.Name]++
			for range 20 {
				checkSum(t, rnd, &in, sum)
			}
		}
	}
	for _, name := range []string{"add", "sub", "mad", "mov", "cvta", "cvt", "selp"} {
		if names[name] == 0 {
			t.Errorf("%s is no sum", name)
		}
	}
	t.Log(names)
}

// checkSum executes an instruction in lane 0.
func checkSum(t *testing.T, rnd *rand.Rand, in *isa.Instr, sum isa.Sum) {
	slot := func(i int) uint32 { return lanes.ScratchBytes + uint32(i)*lanes.Slot64 }
	file := lanes.NewFile(int(slot(6)))
	op := lanes.Op{D: slot(0), D2: slot(5), A: slot(1), B: slot(2), C: slot(3), Mode: in.Mods.Mode(), To: in.Types[0].Elem(), From: in.Types[1].Elem()}
	var values [4]uint64
	for i := 1; i < len(values); i++ {
		values[i] = rnd.Uint64()
		switch wide := in.Types[0].Bits() > 32; {
		case in.Spec.Name == "selp" && i == 3:
			*lanes.Pred(file, slot(i)) = lanes.Mask(values[i])
		case in.Spec.Name == "cvt" && in.Types[1].Bits() > 32, in.Spec.Name != "cvt" && wide:
			lanes.Reg[uint64](file, slot(i))[0] = values[i]
		default:
			lanes.Reg[uint32](file, slot(i))[0] = uint32(values[i])
		}
	}
	fn, _, imm := in.Bind(isa.Variant{})
	if op.Imm = imm; fn == nil {
		t.Fatalf("%s has no lane function", in.Mnemonic())
	}
	fn(file, &op, 1)
	got := uint64(lanes.Reg[uint32](file, op.D)[0])
	if in.Types[0].Bits() > 32 {
		got = lanes.Reg[uint64](file, op.D)[0]
	}
	plus := uint64(0)
	for _, i := range sum.By {
		switch {
		case i != 0 && plus == 0:
			plus = values[i]
		case i != 0:
			plus *= values[i]
		}
	}
	if sum.Minus {
		plus = -plus
	}
	for _, i := range sum.Of {
		if i != 0 && (values[i]+plus-got)<<(64-sum.Bits) == 0 {
			return
		}
	}
	t.Fatalf("%s of %#x is %#x, not as %+v says", in.Mnemonic(), values[1:], got, sum)
}

// TestShrinksBoundsResult executes every form of shr and div by constants with Shrinks, and compares the size of result
// and source.
func TestShrinksBoundsResult(t *testing.T) {
	forms := 0
	for _, name := range []string{"shr", "div"} {
		for in := range isa.Lookup(name).Forms() {
			in.Args = make([]isa.Operand, 3)
			in.Args[2].Kind = isa.ImmOperand
			for _, by := range []uint64{0, 1, 2, 3, 17, 100, 1 << 40, 1<<64 - 1, 1<<64 - 2} {
				in.Args[2].Bits = by
				if keepsOnes, ok := in.Shrinks(); ok {
					forms++
					checkShrinking(t, &in, by, keepsOnes)
				}
			}
		}
	}
	if forms < 60 {
		t.Errorf("only %d forms", forms)
	}
}

func checkShrinking(t *testing.T, in *isa.Instr, by uint64, keepsOnes bool) {
	spare := 64 - in.Types[0].Bits()
	for _, v := range []uint64{0, 1, 2, 3, 100, 1<<64 - 1, 1<<64 - 2, 1 << 63, 1 << 31, 1 << 15, 1<<63 - 1} {
		v = v << spare >> spare
		got := execute(in, v, by)
		size := func(v uint64) uint64 { // distance from 0, or from all ones
			if s := int64(v << spare); in.Types[0].Class() == isa.Signed && s < 0 {
				return uint64(-(s >> spare))
			}
			return v
		}
		ones := v == ^uint64(0)>>spare && keepsOnes
		switch {
		case v == 0 && got != 0, ones && got != v:
			t.Errorf("%s of %#x by %d is %#x", in.Mnemonic(), v, by, got)
		case v != 0 && !ones && size(got) >= size(v):
			t.Errorf("%s of %#x by %d is %#x, which is not nearer to 0", in.Mnemonic(), v, by, got)
		}
	}
}

// execute executes an instruction with two sources in lane 0.
func execute(in *isa.Instr, a, b uint64) uint64 {
	const slotA, slotB, d, end = lanes.ScratchBytes, lanes.ScratchBytes + lanes.Slot64, lanes.ScratchBytes + 2*lanes.Slot64, lanes.ScratchBytes + 3*lanes.Slot64
	file := lanes.NewFile(end)
	wide := in.Types[0].Bits() > 32
	spare := 64 - in.Types[0].Bits()
	if wide {
		lanes.Reg[uint64](file, slotA)[0] = a
	} else {
		lanes.Reg[uint32](file, slotA)[0] = uint32(a)
	}
	switch {
	case in.Spec.Name == "div" && wide:
		lanes.Reg[uint64](file, slotB)[0] = b
	case in.Spec.Name == "div":
		lanes.Reg[uint32](file, slotB)[0] = uint32(b << spare >> spare)
	default:
		lanes.Reg[uint32](file, slotB)[0] = uint32(b)
	}
	fn, _, imm := in.Bind(isa.Variant{})
	fn(file, &lanes.Op{D: d, A: slotA, B: slotB, Imm: imm, Mode: in.Mods.Mode()}, 1)
	if wide {
		return lanes.Reg[uint64](file, d)[0]
	}
	return uint64(lanes.Reg[uint32](file, d)[0])
}
