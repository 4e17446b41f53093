package interp_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/asm"
)

// texts are kernels of one thread, written in less usual ways, and the words
// that each must leave in its buffer. The values are worked out by hand from
// the section of the PTX ISA that is named.
var texts = map[string]struct {
	src  string
	want []uint32
}{
	// The flag after each of six sums and differences, read by addc as 0 or 1
	// and by subc as 0 or -1. The values are what NVIDIA's GPUs give.
	"the carry of sums and differences is one flag": {`
.entry k(.param .u64 out)
{
	.reg .u32 x, a<6>, s<6>;
	ld.param.u64 %rd1, [out];
	sub.cc.u32 x, 0, 0;
	addc.u32 a0, 0, 0;
	subc.u32 s0, 0, 0;
	sub.cc.u32 x, 0, 1;
	addc.u32 a1, 0, 0;
	subc.u32 s1, 0, 0;
	add.cc.u32 x, 0, 0;
	addc.u32 a2, 0, 0;
	subc.u32 s2, 0, 0;
	add.cc.u32 x, -1, -1;
	addc.u32 a3, 0, 0;
	subc.u32 s3, 0, 0;
	mad.lo.cc.u32 x, 0, 0, 0;
	addc.u32 a4, 0, 0;
	subc.u32 s4, 0, 0;
	mad.lo.cc.u32 x, 1, -1, -1;
	addc.u32 a5, 0, 0;
	subc.u32 s5, 0, 0;
	st.global.v4.u32 [%rd1], {a0, a1, a2, a3};
	st.global.v2.u32 [%rd1+16], {a4, a5};
	st.global.v2.u32 [%rd1+24], {s0, s1};
	st.global.v4.u32 [%rd1+32], {s2, s3, s4, s5};
	ret;
}`, []uint32{1, 0, 0, 1, 0, 1, 0, ^uint32(0), ^uint32(0), 0, ^uint32(0), 0}},
	// The index -1 as clang widens it: 2^32 - 1 elements of 4 bytes.
	"addresses of shared and local memory have 32 bits": {`
.entry k(.param .u64 out)
{
	.shared .align 4 .b8 sh[64];
	.local .align 4 .b8 lo[64];
	.reg .u32 i;
	ld.param.u64 %rd1, [out];
	mov.u64 %rd2, sh;
	mov.u64 %rd3, lo;
	mov.u32 i, 1;
	sub.u32 i, i, 2;
	mul.wide.u32 %rd4, i, 4;
	add.u64 %rd2, %rd2, %rd4;
	add.u64 %rd3, %rd3, %rd4;
	st.shared.u32 [%rd2+8], 7;
	st.local.u32 [%rd3+12], 8;
	ld.shared.u32 %r1, [sh+4];
	ld.local.u32 %r2, [lo+8];
	ld.shared.u32 %r3, [%rd2+8];
	ld.local.u32 %r4, [%rd3+12];
	atom.shared.add.u32 %r5, [%rd2+8], 3;
	ld.shared.u32 %r6, [sh+4];
	st.global.v4.u32 [%rd1], {%r1, %r2, %r3, %r4};
	st.global.v2.u32 [%rd1+16], {%r5, %r6};
	ret;
}`, []uint32{7, 8, 7, 8, 7, 10}},
}

// TestTexts runs each kernel from its source, and from what Format makes of
// that.
func TestTexts(t *testing.T) {
	for name, c := range texts {
		t.Run(name, func(t *testing.T) {
			mod, err := asm.Parse("k.s", []byte(c.src))
			if err != nil {
				t.Fatal(err)
			}
			for _, src := range []string{c.src, asm.Format(mod)} {
				out, _, err := kernel{src: src, block: dim(1, 1), words: []int{len(c.want)}}.run(t)
				if err != nil {
					t.Fatalf("%v\n%s", err, src)
				}
				if diff := cmp.Diff(c.want, out[0]); diff != "" {
					t.Errorf("memory (-want +got):\n%s\n%s", diff, src)
				}
			}
		})
	}
}
