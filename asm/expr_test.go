package asm

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/isa"
)

// evaluate returns the value of a constant expression as Go would print it: f32 and f64 as floats, unsigned integers
// with u.
func evaluate(t *testing.T, src string) string {
	t.Helper()
	c := &cursor{tokens: tokens(t, src+";")}
	v, err := c.constant()
	switch {
	case err != nil:
		return err.Msg
	case !c.atEnd():
		return "trailing " + c.peek().Value
	case v.lit == isa.F32Lit:
		return fmt.Sprintf("%vf", v.float64())
	case v.lit == isa.F64Lit:
		return fmt.Sprint(v.float64())
	case v.unsigned:
		return fmt.Sprintf("%du", v.bits)
	}
	return fmt.Sprint(int64(v.bits))
}

// TestConstantExpressionsAreEvaluated: the rules of PTX ISA 4.5, with results calculated by hand.
func TestConstantExpressionsAreEvaluated(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"7", "7"},
		{"7U", "7u"},
		{"0x7fffffffffffffff", "9223372036854775807"},
		{"0x8000000000000000", "9223372036854775808u"},
		{"017 + 0b11", "18"},
		{"1.5", "1.5"},
		{"0f3FC00000", "1.5f"},
		{"-0f3FC00000", "-1.5f"},
		{"0d3FF8000000000000", "1.5"},
		{"WARP_SZ * 2", "64"},
		{"2 + 3 * 4", "14"},
		{"(2 + 3) * 4", "20"},
		{"10 - 4 - 3", "3"},
		{"-7 / 2", "-3"},
		{"-7 / 2U", "9223372036854775804u"},
		{"-7 % 4", "1"}, // as unsigned: 2^64-7 is 1 more than a multiple of 4
		{"1 << 4 + 1", "32"},
		{"-8 >> 1", "-4"},
		{"(.u64)-8 >> 60", "15u"},
		{"1 << 64", "0"},
		{"(.s64)0xFFFFFFFFFFFFFFFF", "-1"},
		{"~0", "18446744073709551615u"},
		{"!5 + !0", "1"},
		{"-1 < 1", "1"},
		{"-1 < 1U", "0"},
		{"2 >= 2 && 3 != 3", "0"},
		{"1 || 0", "1"},
		{"6 & 3 | 8 ^ 1", "11"},
		{"1 ? 2 : 3", "2"},
		{"0 ? 2 : 1 ? 4 : 5", "4"},
		{"0 ? 2U : -1", "18446744073709551615u"},
		{"1 ? 2 : 3.5", "2"},
		{"1.5 + 1", "2.5"},
		{"1.0 / 4", "0.25"},
		{"1.5 < 2", "1"},
		{"1 / 0", "division by zero"},
		{"1 % (2 - 2)", "division by zero"},
		{"1.5 << 2", "<< takes integers, not floats"},
		{"1 +", `found ";"; expected a constant`},
	} {
		if got := evaluate(t, c.src); got != c.want {
			t.Errorf("%s = %s, want %s", c.src, got, c.want)
		}
	}
}

// TestDecimalConstantsAreRounded: a decimal constant is a double, which is rounded for a .f32 operand; hexadecimal
// constants are used unchanged.
func TestDecimalConstantsAreRounded(t *testing.T) {
	m := parse(t, `.entry k() {
	add.f32 %f1, %f2, 0.1;
	add.f32 %f1, %f2, 0f7F800001;
	add.f64 %fd1, %fd2, 0.1;
	add.f64 %fd1, %fd2, 0f3FC00000;
	st.global.f32 [%rd1], -2.5;
	st.global.v2.f32 [%rd1], {1.0, %f1};
	mov.b32 %r1, 0f3F800000;
	mov.u32 %r1, -1;
}`)
	imm := func(l isa.Lit, bits uint64) isa.Operand {
		return isa.Operand{Kind: isa.ImmOperand, Lit: l, Bits: bits, Reg: isa.NoReg}
	}
	f32 := func(f float32) isa.Operand { return imm(isa.F32Lit, uint64(math.Float32bits(f))) }
	f64 := func(f float64) isa.Operand { return imm(isa.F64Lit, math.Float64bits(f)) }
	code := m.Entry("k").Code
	for pc, want := range []isa.Operand{
		f32(0.1), imm(isa.F32Lit, 0x7F800001), f64(0.1), f64(1.5), f32(-2.5), f32(1), f32(1), imm(isa.IntLit, math.MaxUint64),
	} {
		got := code[pc].Args[len(code[pc].Args)-1]
		if got.Kind == isa.VecOperand {
			got = got.Elems[0]
		}
		if diff := cmp.Diff(want, got, sameModule); diff != "" {
			t.Errorf("%s:\n%s", m.Entry("k").Text(pc), diff)
		}
	}
}

func TestNestingIsBounded(t *testing.T) {
	for _, open := range []string{"(", "-", "!", "1?", "1?2:"} {
		src := ".global .u32 x = " + strings.Repeat(open, 100000)
		if errs := parseErrors(t, []byte(src+"1;")); len(errs) != 1 {
			t.Errorf("%s…: %d errors, want 1", open, len(errs))
		}
	}
}
