package interp_test

import (
	"encoding/binary"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/interp"
)

// unoptimised is a kernel as debug builds have it: variables are in local memory, at generic addresses, and so are the
// pointers to them and to out. Threads with an odd index end at once if odd is 1.
const unoptimised = `
.entry k(.param .u64 out, .param .u32 odd)
{
	.local .align 8 .b8 frame[32];
	.reg .b64 %SP, %rd<10>;
	.reg .b32 %r<10>;
	.reg .pred %p<3>;
	mov.u64 %rd1, frame;
	cvta.local.u64 %SP, %rd1;
	ld.param.u64 %rd2, [out];
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %ntid.x;
	mov.u32 %r3, %tid.x;
	mad.lo.u32 %r1, %r1, %r2, %r3;
	mad.wide.u32 %rd3, %r1, 4, %rd2;
	st.u64 [%SP+0], %rd3;
	add.u64 %rd4, %SP, 16;
	st.u64 [%SP+8], %rd4;
	st.u32 [%SP+16], %r1;
	st.u32 [%SP+20], 0;
	st.u32 [%SP+24], -2128831035;
	ld.param.u32 %r9, [odd];
	and.b32 %r4, %r3, %r9;
	setp.ne.u32 %p1, %r4, 0;
	@%p1 bra E;
L:	ld.u32 %r4, [%SP+20];
	and.b32 %r5, %r4, 3;
	cvt.u64.u32 %rd5, %r5;
	ld.u64 %rd6, [%SP+8];
	add.u64 %rd7, %rd6, %rd5;
	ld.u8 %r6, [%rd7];
	ld.u32 %r7, [%SP+24];
	xor.b32 %r7, %r7, %r6;
	mul.lo.u32 %r7, %r7, 16777619;
	st.u32 [%SP+24], %r7;
	ld.u64 %rd9, [%SP+8];
	add.u64 %rd9, %rd9, %rd5;
	st.u8 [%rd9], %r7;
	ld.u64 %rd8, [%SP];
	st.u32 [%rd8], %r7;
	add.u32 %r4, %r4, 1;
	st.u32 [%SP+20], %r4;
	setp.lt.u32 %p2, %r4, 600;
	@%p2 bra L;
E:	ret;
}
`

// hashed is what a thread of unoptimised stores.
func hashed(thread uint32) uint32 {
	var bytes [4]byte
	binary.LittleEndian.PutUint32(bytes[:], thread)
	h := uint32(2166136261)
	for n := range 600 {
		h = (h ^ uint32(bytes[n%4])) * 16777619
		bytes[n%4] = byte(h)
	}
	return h
}

// staysInCode launches a kernel at each level, with arguments out and odd, on one thread or two. It checks what threads
// store, and that code is not left.
func staysInCode(t *testing.T, source string, ctas, threads int, want func(thread int, odd uint32) uint32) {
	t.Helper()
	mod, err := asm.Parse("k.s", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	for i, level := range kerneltest.Levels() {
		if level == jit.None {
			t.Skip("no compiled code")
		}
		for odd := range uint32(2) {
			m, err := kerneltest.New(mod, interp.Config{Compile: interp.CompileAlways, Threads: 1 + (i+int(odd))%2, Lanes: level})
			if err != nil {
				t.Fatal(err)
			}
			out, err := m.Alloc("out", int64(4*ctas*threads))
			if err != nil {
				t.Fatal(err)
			}
			clear(out.Data)
			params := binary.LittleEndian.AppendUint64(nil, out.Base)
			params = binary.LittleEndian.AppendUint32(params, odd)
			s, err := functional.Begin(m, interp.Launch{Kernel: "k", Grid: kerneltest.Dim(uint32(ctas), 1), Block: kerneltest.Dim(uint32(threads), 1), Params: params})
			if err != nil {
				t.Fatal(err)
			}
			s.Alone, s.WorthHelp = 0, 0
			if err := s.Continue(t.Context()); err != nil {
				t.Fatal(err)
			}
			for thread, got := range kerneltest.WordsOf(out) {
				if want := want(thread, odd); got != want {
					t.Fatalf("%v, odd %d: thread %d has %#x, want %#x", level, odd, thread, got, want)
				}
			}
			if left := s.Left(); len(left) > 0 {
				t.Errorf("%v, odd %d: %v", level, odd, left)
			}
		}
	}
}

// TestGenericAccessesToLocalMemoryStayInCode: code is not left at them, in full warps and in others.
func TestGenericAccessesToLocalMemoryStayInCode(t *testing.T) {
	staysInCode(t, unoptimised, 12, 64, func(thread int, odd uint32) uint32 {
		if odd != 0 && thread%2 != 0 {
			return 0
		}
		return hashed(uint32(thread))
	})
}

// TestLanesInSeveralMemoriesStayInCode: half of the lanes of an access are in local memory, in turn, and the others in
// global memory. At the place in local memory are more bytes than global memory has.
func TestLanesInSeveralMemoriesStayInCode(t *testing.T) {
	const source = `
.entry k(.param .u64 out, .param .u32 odd)
{
	.local .align 8 .b8 frame[65536];
	.reg .b64 %rd<10>;
	.reg .b32 %r<10>;
	.reg .pred %p<4>;
	mov.u64 %rd1, frame;
	cvta.local.u64 %rd1, %rd1;
	ld.param.u64 %rd2, [out];
	ld.param.u32 %r9, [odd];
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r3, %tid.x;
	mad.lo.u32 %r1, %r1, 32, %r3;
	mad.wide.u32 %rd3, %r1, 4, %rd2;
	and.b32 %r4, %r3, %r9;
	setp.ne.u32 %p1, %r4, 0;
	@%p1 bra E;
	add.u64 %rd4, %rd1, 65000;
	st.u32 [%rd4], 0;
	mov.u32 %r5, 0;
L:	shl.b32 %r6, %r5, 4;
	xor.b32 %r6, %r6, %r3;
	and.b32 %r6, %r6, 16;
	setp.ne.u32 %p2, %r6, 0;
	selp.b64 %rd5, %rd4, %rd3, %p2;
	ld.u32 %r7, [%rd5];
	mad.lo.u32 %r7, %r7, 3, %r5;
	st.u32 [%rd5], %r7;
	add.u32 %r5, %r5, 1;
	setp.lt.u32 %p3, %r5, 2000;
	@%p3 bra L;
E:	ret;
}
`
	staysInCode(t, source, 12, 32, func(thread int, odd uint32) (v uint32) {
		for n := range uint32(2000) {
			if (n^uint32(thread)>>4)&1 == 0 && (odd == 0 || thread%2 == 0) {
				v = 3*v + n
			}
		}
		return v
	})
}
