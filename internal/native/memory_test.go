package native_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/interp"
)

// accessKernel writes random kernels that mostly access memory: with all widths, at addresses that are uniform,
// affine or random, that overlap, under guards and masks, and sometimes out of bounds or misaligned.
type accessKernel struct {
	*rand.Rand
	strings.Builder
	labels int
	faulty bool   // some accesses may fault
	align  [6]int // of the address registers of a number
}

// What the registers are for:
//
//	%r0-%r7    data of 32 bits
//	%rd0-%rd3  data of 64 bits
//	%rs0-%rs3  data of 16 bits
//	%rd10-15   global addresses, %r10-%r15 shared ones, %rd20-%rd23 generic ones, %rd24-%rd25 shared ones in 64 bits
//	%rd30-%rd33 constants and parameters, %rd34-35 and %r34-35 local addresses, %rd36-%rd38 generic ones of local memory:
//	            two that are computed from cvta.local alone, and one that was loaded
//	%p0-%p3    guards
const (
	accessWords = 1024 // of each of the two buffers
	sharedBytes = 2048
)

func (k *accessKernel) line(format string, args ...any) {
	fmt.Fprintf(k, "\t"+format+"\n", args...)
}

// oneOf is one of the choices.
func oneOf[T any](k *accessKernel, all ...T) T { return all[k.IntN(len(all))] }

const accessPrologue = `
.const .align 8 .b32 c[16] = {1, -2, 3, -4, 5, -6, 7, 128, 32768, 10, 11, 12, 13, 14, 15, 16};
.entry k(.param .u64 a, .param .u64 b)
{
	.reg .b32 %r<60>;
	.reg .b64 %rd<60>;
	.reg .b16 %rs<10>;
	.reg .pred %p<10>;
	.shared .align 16 .b8 s[2048];
	.local .align 16 .b8 l[3584];
	.local .b64 kept;
	mov.u32 %r50, %tid.x;
	mov.u32 %r51, %ntid.x;
	mov.u32 %r52, %tid.y;
	mad.lo.u32 %r50, %r52, %r51, %r50;
	mov.u32 %r52, %ctaid.x;
	ld.param.u64 %rd50, [a];
	ld.param.u64 %rd51, [b];
	mul.lo.u32 %r53, %r50, 2654435761;
	xor.b32 %r53, %r53, %r52;
	mov.u32 %r54, s;
	cvta.shared.u64 %rd54, s; cvta.local.u64 %rd57, l;
	mov.u32 %r40, 0;
`

// write writes the kernel.
func (k *accessKernel) write() string {
	k.WriteString(accessPrologue)
	for i := range 8 { // what all threads may see is there before
		k.line("mad.lo.u32 %%r%d, %%r53, %d, %d;", i, k.Uint32()|1, k.Uint32())
		switch k.IntN(4) {
		case 0: // as .f32, subnormal or just above
			k.line("and.b32 %%r%d, %%r%d, 0x80ffffff;", i, i)
		case 1: // large, infinite or NaN
			k.line("or.b32 %%r%d, %%r%d, 0x7e000000;", i, i)
		}
		k.line("mul.wide.u32 %%rd52, %%r50, 4;")
		k.line("add.u64 %%rd53, %%rd%d, %%rd52;", 50+i%2)
		k.line("st.global.u32 [%%rd53+%d], %%r%d;", i/2*512, i)
	}
	for i := range 4 {
		k.line("mul.wide.u32 %%rd%d, %%r%d, %d;", i, i, k.Uint32())
		k.line("cvt.u16.u32 %%rs%d, %%r%d;", i, i)
		k.line("setp.%s.u32 %%p%d, %%r%d, %d;", oneOf(k, "lt", "gt", "ne"), i, k.IntN(8), oneOf(k, k.Uint32(), 0))
	}
	k.line("shl.b32 %%r55, %%r50, 2;")
	k.line("and.b32 %%r55, %%r55, 1020;")
	k.line("add.u32 %%r55, %%r54, %%r55;")
	k.line("st.shared.u32 [%%r55], %%r1;")
	k.line("st.shared.u32 [%%r55+1024], %%r2;")
	k.line("mov.u64 %%rd30, c; mov.u64 %%rd31, a;")
	k.line("and.b32 %%r56, %%r%d, 32;", k.IntN(8))
	k.line("cvt.u64.u32 %%rd56, %%r56;")
	k.line("add.u64 %%rd32, %%rd30, %%rd56;")
	k.line("and.b32 %%r56, %%r%d, 8;", k.IntN(8))
	k.line("cvt.u64.u32 %%rd56, %%r56;")
	k.line("add.u64 %%rd33, %%rd31, %%rd56;")
	k.line("mov.u64 %%rd34, l; cvt.u32.u64 %%r34, %%rd34;") // local addresses: %rd34 to %rd38, %r34, %r35
	k.line("and.b32 %%r56, %%r%d, 120;", k.IntN(8))
	k.line("add.u32 %%r35, %%r34, %%r56; cvt.u64.u32 %%rd35, %%r35; cvta.local.u64 %%rd36, l; cvt.u64.u32 %%rd56, %%r56;")
	k.line("add.u64 %%rd37, %%rd36, %%rd56; st.local.u64 [kept], %%rd%d; ld.local.u64 %%rd38, [kept];", oneOf(k, 36, 37))
	for i := range 6 {
		k.address(i)
	}
	k.WriteString("loop:\n")
	for range 2 + k.IntN(12) {
		k.statement(2)
	}
	k.line("add.u32 %%r40, %%r40, 1;")
	k.line("setp.lt.u32 %%p9, %%r40, %d;", 1+k.IntN(4))
	k.line("@%%p9 bra loop;")
	k.line("mul.wide.u32 %%rd52, %%r50, 16;") // the registers, hashed
	k.line("add.u64 %%rd52, %%rd50, %%rd52;")
	for i := range 4 {
		k.line("cvt.u32.u64 %%r56, %%rd%d;", i)
		k.line("shr.u64 %%rd53, %%rd%d, 32;", i)
		k.line("cvt.u32.u64 %%r57, %%rd53;")
		k.line("cvt.u32.u16 %%r58, %%rs%d;", i)
		k.line("mad.lo.u32 %%r56, %%r57, 31, %%r56;")
		k.line("mad.lo.u32 %%r56, %%r58, 37, %%r56;")
		k.line("mad.lo.u32 %%r56, %%r%d, 41, %%r56;", 2*i)
		k.line("mad.lo.u32 %%r56, %%r%d, 43, %%r56;", 2*i+1)
		k.line("st.global.u32 [%%rd52+%d], %%r56;", 4*i)
	}
	k.line("ret;")
	k.WriteString("}\n")
	return k.String()
}

// address sets the address registers of number i: to uniform, affine, or random addresses.
func (k *accessKernel) address(i int) {
	limit := 1024
	if k.faulty && k.IntN(8) == 0 {
		limit = 8192
	}
	align := oneOf(k, 4, 8, 16, 16)
	if k.faulty && k.IntN(8) == 0 {
		align = 1
	}
	k.align[i] = align
	switch k.IntN(6) {
	case 0:
		k.line("mov.u32 %%r56, %d;", k.IntN(limit)&^(align-1))
	case 1:
		k.line("mul.lo.u32 %%r56, %%r52, %d;", align)
	case 2: // in any order, but as it is in memory
		k.line("mul.lo.u32 %%r56, %%r50, %d;", align)
		k.line("and.b32 %%r56, %%r56, %d;", limit-1)
	case 3:
		stride := align * oneOf(k, 1, 1, 1, 3)
		k.line("mul.lo.u32 %%r56, %%r50, %d;", stride)
	case 4:
		k.line("and.b32 %%r56, %%r%d, %d;", k.IntN(8), (limit-1)&^(align-1))
	case 5:
		k.line("mul.lo.u32 %%r56, %%r50, -%d;", align)
		k.line("add.u32 %%r56, %%r56, 1024;")
	}
	k.line("cvt.u64.u32 %%rd56, %%r56;")
	k.line("add.u64 %%rd%d, %%rd%d, %%rd56;", 10+i, 50+k.IntN(2))
	k.line("add.u32 %%r%d, %%r54, %%r56;", 10+i)
	if i < 4 {
		k.line("add.u64 %%rd%d, %%rd%d, %%rd56;", 20+i, oneOf(k, 50, 51, 54, 54, 57, 57))
	}
	if i < 2 {
		k.line("cvt.u64.u32 %%rd%d, %%r%d;", 24+i, 10+i)
	}
}

func (k *accessKernel) statement(depth int) {
	switch n := k.IntN(21); {
	case n == 20: // lanes in several memories
		i, j := k.IntN(4), k.IntN(4)
		k.line("@%s%%p%d mov.u64 %%rd%d, %%rd%d;", oneOf(k, "", "!"), k.IntN(4), 20+i, 20+j)
		k.align[i] = min(k.align[i], k.align[j])
	case n < 7:
		k.access("ld")
	case n < 12:
		k.access("st")
	case n < 14:
		k.atomic()
	case n < 15:
		k.address(k.IntN(6))
	case n < 17:
		k.line("%s.%s %%r%d, %%r%d, %%r%d;", oneOf(k, "add", "sub", "mul.lo"), "u32", k.IntN(8), k.IntN(8), k.IntN(8))
		k.line("xor.b64 %%rd%d, %%rd%d, %%rd%d;", k.IntN(4), k.IntN(4), k.IntN(4))
	case n < 18:
		k.line("setp.%s.u32 %%p%d, %%r%d, %%r%d;", oneOf(k, "lt", "eq", "ne"), k.IntN(4), k.IntN(8), k.IntN(8))
	case depth > 0:
		k.labels++
		l := k.labels
		k.line("@%s%%p%d bra l%d;", oneOf(k, "", "!"), k.IntN(4), l)
		for range 1 + k.IntN(4) {
			k.statement(depth - 1)
		}
		fmt.Fprintf(k, "l%d:\n", l)
	}
}

// place returns an operand of an access of size bytes, and its space.
func (k *accessKernel) place(size int) (space, operand string) {
	i := k.IntN(6)
	if k.align[i] < size && (!k.faulty || k.IntN(8) != 0) {
		for n := range 6 {
			if k.align[n] >= size {
				i = n
			}
		}
		for k.align[i] < size {
			k.address(i)
		}
	}
	switch k.IntN(5) {
	case 0, 1:
		space, operand = ".global", fmt.Sprintf("%%rd%d", 10+i)
	case 2, 3:
		space, operand = ".shared", fmt.Sprintf("%%r%d", 10+i)
		if i < 2 && k.IntN(2) == 0 {
			operand = fmt.Sprintf("%%rd%d", 24+i)
		}
	default:
		if operand = fmt.Sprintf("%%rd%d", 20+i); i >= 4 {
			space, operand = ".global", fmt.Sprintf("%%rd%d", 10+i)
		}
	}
	disp := k.IntN(16) * size
	if k.faulty && k.IntN(30) == 0 {
		disp = oneOf(k, 4096, 1<<20, 1, -4)
	}
	return space, fmt.Sprintf("[%s+%d]", operand, disp)
}

func (k *accessKernel) guard() string {
	if k.IntN(4) == 0 {
		return fmt.Sprintf("@%s%%p%d ", oneOf(k, "", "!"), k.IntN(4))
	}
	return ""
}

// access is a load or a store.
func (k *accessKernel) access(op string) {
	t := oneOf(k, "u32", "s32", "b32", "u32", "u64", "b64", "u8", "s8", "u16", "s16", "b8")
	size := map[byte]int{'8': 1, '6': 2, '2': 4, '4': 8}[t[len(t)-1]]
	reg := func(i int) string {
		switch {
		case size == 8:
			return fmt.Sprintf("%%rd%d", i%4)
		case size <= 2 && i%3 == 0:
			return fmt.Sprintf("%%rs%d", i%4)
		case size < 8 && i%5 == 0:
			return fmt.Sprintf("%%rd%d", i%4)
		}
		return fmt.Sprintf("%%r%d", i%8)
	}
	i, elems := k.IntN(8), oneOf(k, 1, 1, 1, 2, 4)
	if size == 8 {
		elems = min(elems, 2)
	}
	value, vec := reg(i), ""
	if elems > 1 {
		vec = fmt.Sprintf(".v%d", elems)
		all := make([]string, elems)
		for n := range all {
			switch {
			case size == 8:
				all[n] = fmt.Sprintf("%%rd%d", (i+n)%4)
			case size <= 2 && i%2 == 0:
				all[n] = fmt.Sprintf("%%rs%d", (i+n)%4)
			default:
				all[n] = fmt.Sprintf("%%r%d", (i+n)%8)
			}
		}
		value = "{" + strings.Join(all, ", ") + "}"
	}
	space, at := k.place(size * elems)
	if op == "ld" && k.IntN(5) == 0 && size*elems <= 8 { // of what nobody writes
		space, at = ".const", fmt.Sprintf("[%%rd%d+%d]", oneOf(k, 30, 32), k.IntN(4)*size*elems)
		if k.IntN(2) == 0 {
			space, at = ".param", fmt.Sprintf("[%%rd%d]", oneOf(k, 31, 33))
		}
	}
	if k.IntN(5) == 0 {
		space, at = ".local", fmt.Sprintf("[%s%d+%d]", oneOf(k, "%rd", "%r"), oneOf(k, 34, 34, 35), k.IntN(8)*size*elems)
	}
	if k.IntN(5) == 0 {
		disp := k.IntN(8) * size * elems
		if k.faulty && k.IntN(30) == 0 {
			disp = oneOf(k, 4096, 3584, 1<<24, 1, -4, -1<<24)
		}
		space, at = "", fmt.Sprintf("[%%rd%d+%d]", oneOf(k, 36, 37, 38), disp)
	}
	if op == "ld" {
		k.line("%s%s%s%s.%s %s, %s;", k.guard(), op, space, vec, t, value, at)
		return
	}
	k.line("%s%s%s%s.%s %s, %s;", k.guard(), op, space, vec, t, at, value)
}

// atomic is an atomic with or without a result.
func (k *accessKernel) atomic() {
	type form struct{ op, t string }
	f := oneOf(k, form{"add", "u32"}, form{"add", "s32"}, form{"add", "u64"}, form{"add", "f32"}, form{"min", "u32"}, form{"min", "s32"},
		form{"max", "u64"}, form{"max", "s64"}, form{"max", "s32"}, form{"min", "u64"}, form{"inc", "u32"}, form{"dec", "u32"}, form{"and", "b32"},
		form{"or", "b64"}, form{"xor", "b32"}, form{"exch", "b32"}, form{"exch", "b64"}, form{"cas", "b32"}, form{"cas", "b64"})
	size, reg := 4, "%%r%d"
	if strings.HasSuffix(f.t, "64") {
		size, reg = 8, "%%rd%d"
	}
	r := func() string { return fmt.Sprintf(reg, k.IntN(4)) }
	space, at := k.place(size)
	switch {
	case f.op == "cas":
		k.line("%satom%s.cas.%s %s, %s, %s, %s;", k.guard(), space, f.t, r(), at, r(), r())
	case f.op == "exch" || k.IntN(2) == 0:
		k.line("%satom%s.%s.%s %s, %s, %s;", k.guard(), space, f.op, f.t, r(), at, r())
	default:
		k.line("%sred%s.%s.%s %s, %s;", k.guard(), space, f.op, f.t, at, r())
	}
}

// TestCompiledAccessesAgree runs random kernels by lane functions alone, and compiled from the first instruction on:
// memory, counters and faults are the same.
func TestCompiledAccessesAgree(t *testing.T) {
	faults := 0
	for seed := range uint64(short.Of(1000)) {
		if short.Waits(int(seed), 4) {
			continue
		}
		k := &accessKernel{Rand: rand.New(rand.NewPCG(seed, 1)), faulty: seed%3 == 0}
		block := oneOf(k, kerneltest.Dim(32, 1), kerneltest.Dim(64, 1), kerneltest.Dim(8, 8), kerneltest.Dim(16, 4), kerneltest.Dim(40, 1), kerneltest.Dim(5, 3))
		source := k.write()
		run := func(c interp.Compilation, threads int) ([][]uint32, interp.Stats, string) {
			out, stats, err := kerneltest.Kernel{Source: source, Grid: isa.Dim{X: 2, Y: 1, Z: 1}, Block: block, Words: []int{accessWords, accessWords},
				Config: interp.Config{Divergence: kerneltest.Models[seed%3], Compile: c, Lanes: kerneltest.LevelOf(seed), Threads: threads}}.Run(t)
			return out, stats, fmt.Sprint(err)
		}
		want, counted, fault := run(interp.CompileNever, 1)
		got, stats, found := run(interp.CompileAlways, 1+int(seed/2%2))
		if fault != "<nil>" {
			faults++
		}
		diff := kerneltest.Diff(fault, found) + kerneltest.Diff(want, got) + kerneltest.Diff(counted, stats)
		if diff != "" {
			t.Fatalf("seed %d, block %v (-lane functions +%v):\n%s\n%s", seed, block, kerneltest.LevelOf(seed), diff, source)
		}
	}
	t.Logf("%d faults", faults)
}

// TestCompiledFloatAtomicsAgree adds floats at the edges of their range, in global memory, where subnormal ones are
// flushed, and in shared memory, where they are not.
func TestCompiledFloatAtomicsAgree(t *testing.T) {
	edges := []uint32{0x80000000, 1, 0x807fffff, 0x00800001, 0x80800000, 0x7f7fffff, 0xff800000, 0x7fc12345}
	sum := func(a, b uint32, flush bool) uint32 {
		flushed := func(v uint32) uint32 {
			if flush && v&0x7f800000 == 0 {
				return v & 0x80000000
			}
			return v
		}
		v := math.Float32frombits(flushed(a)) + math.Float32frombits(flushed(b))
		if v != v {
			return 0x7fffffff
		}
		return flushed(math.Float32bits(v))
	}
	var list []string
	for _, v := range edges {
		list = append(list, fmt.Sprint(v))
	}
	const threads = 64
	// Two CTAs, one after the other: compiled code can access pages that lane functions have accessed before.
	k := kerneltest.Kernel{Grid: kerneltest.Dim(2, 1), Block: kerneltest.Dim(threads, 1), Words: []int{4 * threads}, Config: interp.Config{Compile: interp.CompileAlways},
		Source: ".global .b32 edges[8] = {" + strings.Join(list, ", ") + "};\n" + kerneltest.Entry + `
	.shared .b32 s[64];
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %tid.x;
	and.b32 %r1, %r1, 63;
	shl.b32 %r2, %r1, 2;
	cvt.u64.u32 %rd2, %r2;
	add.u64 %rd1, %rd1, %rd2;
	and.b32 %r3, %r2, 28;
	shr.u32 %r4, %r1, 3;
	shl.b32 %r4, %r4, 2;
	mov.u64 %rd3, edges;
	cvt.u64.u32 %rd4, %r3;
	cvt.u64.u32 %rd5, %r4;
	add.u64 %rd4, %rd3, %rd4;
	add.u64 %rd5, %rd3, %rd5;
	ld.global.f32 %f1, [%rd4];
	ld.global.f32 %f2, [%rd5];
	mov.u32 %r5, s;
	add.u32 %r5, %r5, %r2;
	st.global.f32 [%rd1], %f1;
	st.shared.f32 [%r5], %f1;
	atom.global.add.f32 %f3, [%rd1], %f2;
	atom.shared.add.f32 %f4, [%r5], %f2;
	ld.shared.f32 %f5, [%r5];
	st.global.f32 [%rd1+256], %f3;
	st.global.f32 [%rd1+512], %f5;
	st.global.f32 [%rd1+768], %f4;
	ret;
}`}
	k.Want(t, func(i int) uint32 {
		a, b := edges[i%threads%8], edges[i%threads/8]
		if n := i / threads; n%2 == 0 {
			return sum(a, b, n == 0)
		}
		return a
	})
}
