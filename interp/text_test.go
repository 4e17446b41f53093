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
	st.global.v2.u32 [%rd1], {a0, a1};
	st.global.v4.u32 [%rd1+8], {a2, a3, a4, a5};
	st.global.v2.u32 [%rd1+24], {s0, s1};
	st.global.v4.u32 [%rd1+32], {s2, s3, s4, s5};
	ret;
}`, []uint32{1, 0, 0, 1, 0, 1, 0, ^uint32(0), ^uint32(0), 0, ^uint32(0), 0}},
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
