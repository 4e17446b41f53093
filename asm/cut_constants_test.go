package asm

import (
	"fmt"
	"slices"
	"testing"
)

// TestConstantsThatLoseBitsWarn: each use converts a constant to the size of its type. If its value then is different,
// both as a signed and as an unsigned number, there is a warning.
func TestConstantsThatLoseBitsWarn(t *testing.T) {
	for statement, want := range map[string]string{
		"mov.u32 %r1, 99999999999;":           "k.s:1:27: mov.u32: the constant does not fit .u32: its low 32 bits are 1215752191",
		"mov.u32 %r1, 0xffffffff;":            "",
		"mov.u32 %r1, -1;":                    "",
		"mov.s32 %r1, 4294967295;":            "",
		"mov.s32 %r1, -2147483648;":           "",
		"mov.s32 %r1, -2147483649;":           "k.s:1:27: mov.s32: the constant does not fit .s32: its low 32 bits are 2147483647",
		"mov.s32 %r1, 0x100000000;":           "k.s:1:27: mov.s32: the constant does not fit .s32: its low 32 bits are 0",
		"add.u16 %rs1, %rs2, 70000;":          "k.s:1:34: add.u16: the constant does not fit .u16: its low 16 bits are 4464",
		"add.s64 %rd1, %rd2, -1;":             "",
		"mov.u64 %rd1, 0xffffffffffffffff;":   "",
		"shl.b32 %r1, %r2, 33;":               "k.s:1:32: shl.b32: a shift by 33 of 32 bits leaves no bit of the value",
		"mov.b32 %r1, {70000, %rs1};":         "k.s:1:28: mov.b32: the constant does not fit .b16: its low 16 bits are 4464",
		"st.global.u8 [%rd1], 256;":           "k.s:1:35: st.global.u8: the constant does not fit .u8: its low 8 bits are 0",
		"st.global.v2.u8 [%rd1], {1, 256};":   "k.s:1:42: st.global.v2.u8: the constant does not fit .u8: its low 8 bits are 0",
		"mad.wide.u32 %rd1, %r1, 4, %rd2;":    "",
		"mov.f32 %f1, 0f3f800000;":            "",
		"ld.global.u32 %r1, [%rd1+99999999];": "",
		"setp.lt.u32 %p1, %r1, 4294967296;":   "k.s:1:36: setp.lt.u32: the constant does not fit .u32: its low 32 bits are 0",
	} {
		check(t, ".entry k() { "+statement+" ret; }", statement, want)
	}
	check(t, ".global .u8 a[3] = {255, -128, 256};", "an array", "k.s:1:32: the value of a does not fit .u8: its low 8 bits are 0")
	check(t, ".global .s16 b = -32769;", "a variable", "k.s:1:18: the value of b does not fit .s16: its low 16 bits are 32767")
}

// check compares the warnings about a source with one line; "" for none.
func check(t *testing.T, src, name, want string) {
	t.Helper()
	mod, err := Parse("k.s", []byte(src))
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	var lines []string
	if want != "" {
		lines = []string{want}
	}
	var got []string
	for _, w := range Warnings(mod) {
		got = append(got, fmt.Sprint(w))
	}
	if !slices.Equal(got, lines) {
		t.Errorf("%s: %q, want %q", name, got, want)
	}
}
