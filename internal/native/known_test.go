package native_test

import (
	"fmt"
	"math/bits"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
)

// byConstants are shifts and products of %rd1, of its low word %r1, and of %r2:%r1, with their results by PTX ISA 9.7.8
// and 9.7.1.
var byConstants = []struct {
	instr string // without its last operand
	want  func(a uint64, high, n uint32) uint64
}{
	{"shl.b32 %r3, %r1", func(a uint64, _, n uint32) uint64 { return uint64(uint32(a) << n) }},
	{"shr.u32 %r3, %r1", func(a uint64, _, n uint32) uint64 { return uint64(uint32(a) >> n) }},
	{"shr.s32 %r3, %r1", func(a uint64, _, n uint32) uint64 { return uint64(uint32(int32(a) >> n)) }},
	{"shl.b64 %rd3, %rd1", func(a uint64, _, n uint32) uint64 { return a << n }},
	{"shr.u64 %rd3, %rd1", func(a uint64, _, n uint32) uint64 { return a >> n }},
	{"shr.s64 %rd3, %rd1", func(a uint64, _, n uint32) uint64 { return uint64(int64(a) >> n) }},
	{"shl.b16 %rs3, %rs1", func(a uint64, _, n uint32) uint64 { return uint64(uint16(a) << n) }},
	{"mul.wide.u32 %rd3, %r1", func(a uint64, _, n uint32) uint64 { return uint64(uint32(a)) * uint64(n) }},
	{"mul.wide.s32 %rd3, %r1", func(a uint64, _, n uint32) uint64 { return uint64(int64(int32(a)) * int64(int32(n))) }},
	{"shf.l.clamp.b32 %r3, %r1, %r2", func(a uint64, b, n uint32) uint64 { return funnelLeft(a, b, min(n, 32)) }},
	{"shf.l.wrap.b32 %r3, %r1, %r2", func(a uint64, b, n uint32) uint64 { return funnelLeft(a, b, n%32) }},
	{"shf.r.clamp.b32 %r3, %r1, %r2", func(a uint64, b, n uint32) uint64 { return funnelLeft(a, b, 32-min(n, 32)) }},
	{"shf.r.wrap.b32 %r3, %r1, %r2", func(a uint64, b, n uint32) uint64 { return funnelLeft(a, b, 32-n%32) }},
}

// funnelLeft is the high word of high:a << n.
func funnelLeft(a uint64, high, n uint32) uint64 {
	return (uint64(high)<<32 | uint64(uint32(a))) << n >> 32
}

// TestByConstants: shifts and products by constants of the program, which are in no register, have the results that the
// PTX ISA defines, of vectors and of scalars: affine ones and uniform ones.
func TestByConstants(t *testing.T) {
	text := func(name string, replace ...string) string {
		return kerneltest.Source(t, "testdata/kernels/by_constants.txt", name, replace...)
	}
	widen := map[string]string{"%rs": text("b16"), "%r3": text("b32"), "%rd": ""}
	for name, source := range map[string]func(thread uint64) uint64{
		"vector":  func(i uint64) uint64 { return i * 0x9e3779b97f4a7c15 },
		"affine":  func(i uint64) uint64 { return i - 9 },
		"uniform": func(uint64) uint64 { return 1<<64 + 32 - 0x123456789 },
	} {
		var code strings.Builder
		var want []func(thread uint64) uint64
		for _, n := range []uint32{0, 1, 15, 16, 31, 32, 33, 63, 64, 255, 256, 1 << 31, 1<<32 - 1} {
			for _, s := range byConstants {
				result := s.instr[strings.Index(s.instr, "%"):][:3]
				fmt.Fprintf(&code, "%s, %#x; %s st.global.u64 [%%rd4+%d], %%rd3;\n", s.instr, n, widen[result], 32*8*len(want))
				want = append(want, func(i uint64) uint64 { a := source(i); return s.want(a, uint32(a>>13), n) })
			}
		}
		// only the later CTAs find code that knows where its accesses go
		k := kerneltest.Kernel{Source: text("the kernel", "SET", text(name), "OPERATIONS", code.String()), Grid: kerneltest.Dim(3, 1), Words: []int{2 * 32 * len(want)}}
		for _, level := range kerneltest.Levels() {
			k.Config = interp.Config{Compile: interp.CompileAlways, Lanes: level}
			k.Want(t, func(word int) uint32 {
				return uint32(bits.RotateLeft64(want[word/64](uint64(word/2%32)), -32*(word%2)))
			})
		}
	}
}
