package interp_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

// faults are kernels that cannot be executed, with what the message must say.
func TestFaults(t *testing.T) {
	for _, c := range []struct {
		name, src string
		is        error
		want      []string
	}{
		{"past the end", `
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %laneid;
	mad.wide.u32 %rd1, %r1, 4, %rd1;
	st.global.u32 [%rd1+64], %r1;
	ret;
}`, memory.ErrBounds, []string{"k.s:7:2: error: store past the end of buffer 0 [mem-oob] global 0x110000080",
			"st.global.u32 [%rd1+64], %r1;", "who     block (0,0,0) warp 0 lanes 16-31 (ffff0000), 4 bytes each",
			"buffer  buffer 0: 128 bytes at 0x110000000..0x11000007f; the access starts right after the end"}},
		{"a byte of one", `
	.shared .u8 s[1];
	st.shared.u8 [s+1], 7;
	ret;
}`, memory.ErrBounds, []string{"who     block (0,0,0) warp 0 lanes 0-31 (ffffffff), 1 byte each", "\n  buffer  s: 1 byte at 0x0..0x0; the access starts right after the end",
			"\n  index   1; there is 1 element of 1 byte, 0"}},
		{"a byte past the end", `
	.shared .u8 s[3];
	st.shared.u8 [s+4], 7;
	ret;
}`, memory.ErrBounds, []string{"the access starts 1 byte past the end", "\n  index   4; there are 3 elements of 1 byte, 0 to 2"}},
		{"across the end", `
	ld.param.u64 %rd1, [out];
	ld.global.u64 %rd2, [%rd1+128];
	ret;
}`, memory.ErrBounds, []string{"the access starts right after the end"}},
		{"before the start", `
	ld.param.u64 %rd1, [out];
	ld.global.u32 %r1, [%rd1-4];
	ret;
}`, memory.ErrBounds, []string{"load before the start of buffer 0 [mem-oob] global 0x10ffffffc", "the access starts 4 bytes before it"}},
		{"null", `
	mov.u64 %rd1, 0;
	ld.global.u32 %r1, [%rd1];
	ret;
}`, memory.ErrSpace, []string{"load in .global space, but the address is null [mem-space] global 0x0"}},
		{"an offset from null", `
	mov.u64 %rd1, 0;
	st.u32 [%rd1+24], %r1;
	ret;
}`, memory.ErrSpace, []string{"generic store, but the address is an offset from null [mem-space] generic 0x18"}},
		{"a shared address in global space", `
	.shared .u32 s[8];
	mov.u64 %rd1, s;
	st.global.u32 [%rd1+4], %r1;
	ret;
}`, memory.ErrSpace, []string{"store in .global space, but the address is 0x4 in .shared space, or an offset from null [mem-space] global 0x4"}},
		{"a generic address in global space", `
	.local .u32 l[8];
	mov.u64 %rd1, l;
	cvta.local.u64 %rd1, %rd1;
	ld.global.u32 %r1, [%rd1+8];
	ret;
}`, memory.ErrSpace, []string{"the address is the generic address of 0x8 in .local space; cvta.to.local converts it [mem-space] global 0x3000008"}},
		{"a generic address in shared space", `
	.shared .u32 s[8];
	mov.u32 %r1, s;
	cvta.shared.u32 %r1, %r1;
	atom.shared.add.u32 %r2, [%r1], 1;
	ret;
}`, memory.ErrSpace, []string{"atomic in .shared space, but the address is the generic address of 0x0 in .shared space"}},
		{"a global address in local space", `
	.local .u32 l[8];
	ld.param.u64 %rd1, [out];
	ld.local.u32 %r1, [%rd1+4];
	ret;
}`, memory.ErrSpace, []string{"load in .local space, but the address is that of buffer 0+4 in .global space [mem-space] local 0x110000004"}},
		{"an address cut to 32 bits", `
	ld.param.u64 %rd1, [out];
	cvt.u32.u64 %r1, %rd1;
	cvt.u64.u32 %rd1, %r1;
	ld.global.u32 %r1, [%rd1+4];
	ret;
}`, memory.ErrSpace, []string{"the address is the lower 32 bits of one in buffer 0 [mem-space] global 0x10000004"}},
		{"the address of a function", `
	mov.u64 %rd1, k;
	ld.global.u32 %r1, [%rd1];
	ret;
}`, memory.ErrSpace, []string{"the address is that of function k [mem-space]"}},
		{"nowhere", `
	mov.u64 %rd1, 0x123456789abc;
	ld.global.u32 %r1, [%rd1];
	ret;
}`, memory.ErrBounds, []string{"load outside of every buffer [mem-oob] global 0x123456789abc"}},
		{"an index that overflows", `
	ld.param.u64 %rd1, [out];
	mad.wide.s32 %rd1, -2147479297, 4, %rd1;
	ld.global.u32 %r1, [%rd1];
	ret;
}`, memory.ErrBounds, []string{"load outside of every buffer [mem-oob] global 0xffffffff1000", "\n  hint    element -2147479297 of buffer 0, which is 2^32 below element 2147487999 (4 bytes each): a 32-bit index has overflowed; compute it in 64 bits"}},
		{"a negative index as unsigned", `
	ld.param.u64 %rd1, [out];
	mad.wide.u32 %rd1, 0xfffffffe, 4, %rd1;
	ld.global.u32 %r1, [%rd1];
	ret;
}`, memory.ErrBounds, []string{"\n  hint    element 4294967294 of buffer 0, which is 2^32 above element -2 (4 bytes each): a negative 32-bit index was treated as unsigned"}},
		{"misaligned", `
	ld.param.u64 %rd1, [out];
	ld.global.u32 %r1, [%rd1+2];
	ret;
}`, memory.ErrMisaligned, []string{"misaligned load: global 0x110000002 is not a multiple of 4 bytes [mem-misaligned]"}},
		{"a vector is aligned as a whole", `
	ld.param.u64 %rd1, [out];
	ld.global.v2.u32 {%r1, %r2}, [%rd1+4];
	ret;
}`, memory.ErrMisaligned, []string{"is not a multiple of 8 bytes"}},
		{"shared", `
	.shared .u32 s[8];
	mov.u32 %r1, %laneid;
	shl.b32 %r1, %r1, 2;
	ld.shared.u32 %r2, [%r1];
	ret;
}`, memory.ErrBounds, []string{"load past the end of s [mem-oob] shared 0x20", "lanes 8-31 (ffffff00)", "32 bytes"}},
		{"shared, the second of two variables", `
	.shared .u16 a;
	.shared .u32 b[4];
	mov.u32 %r1, b;
	ld.shared.u32 %r2, [%r1+16];
	st.shared.u16 [a], 1;
	ret;
}`, memory.ErrBounds, []string{"load past the end of b [mem-oob] shared 0x14", "b: 16 bytes at 0x4..0x13"}},
		{"shared, misaligned", `
	.shared .u32 a[4];
	.shared .u32 b[4];
	st.shared.u32 [a], 1;
	ld.shared.u32 %r2, [b+2];
	ret;
}`, memory.ErrMisaligned, []string{"misaligned load: shared 0x12 is not", "b: 16 bytes at 0x10..0x1f"}},
		{"local, of a function", `
	.local .u32 l[4];
	st.local.u32 [l], 1;
	call f;
	ret;
}
.func f()
{
	.local .u32 m[4];
	mov.u32 %r1, m;
	st.local.u32 [%r1+16], %r1;
	ret;
}`, memory.ErrBounds, []string{"store past the end of m [mem-oob] local 0x20", "m: 16 bytes at 0x10..0x1f"}},
		{"local", `
	.local .u32 l[8];
	mov.u32 %r1, 32;
	st.local.u32 [%r1], %r1;
	ret;
}`, memory.ErrBounds, []string{"store past the end of l [mem-oob] local 0x20"}},
		{"constant memory is read-only", `
	mov.u64 %rd1, c;
	st.u32 [%rd1], 1;
	ret;
}
.const .u32 c = 5;
`, memory.ErrReadOnly, []string{"store to c, which is read-only"}},
		{"constant space has only constants", `
	ld.param.u64 %rd1, [out];
	ld.const.u32 %r1, [%rd1];
	ret;
}`, memory.ErrSpace, []string{"load in .const space, but the address is that of buffer 0 in .global space"}},
		{"parameters are read-only", `
	mov.u32 %r1, 0;
	st.param.u32 [%r1], 3;
	ret;
}`, memory.ErrReadOnly, []string{"store to the parameters, which is read-only"}},
		{"before the parameters", `
	ld.param.u32 %r1, [out+-4];
	ret;
}`, memory.ErrBounds, []string{"[mem-oob] param 0xfffffffffffffffc"}},
		{"lanes at different barriers", `
	mov.u32 %r1, %laneid;
	and.b32 %r1, %r1, 1;
	bar.sync %r1;
	ret;
}`, nil, []string{"lanes of one warp wait at different barriers [sync-mismatch]"}},
		{"shfl outside of its mask", `
	mov.u32 %r1, %laneid;
	shfl.sync.down.b32 %r2, %r1, 1, 31, 65535;
	ret;
}`, nil, []string{"lanes 16-31 (ffff0000)", "not in its mask 0000ffff execute this [sync-mask-self]"}},
		{"trap", `
	mov.u32 %r1, %laneid;
	setp.eq.u32 %p1, %r1, 9;
	@%p1 trap;
	ret;
}`, nil, []string{"k.s:6:7: error: trap", "lane 9 (00000200)"}},
		{"barriers for different numbers", `
	mov.u32 %r1, %warpid;
	setp.eq.u32 %p1, %r1, 0;
	@%p1 bar.arrive 1, 64;
	@!%p1 bar.sync 1, 32;
	ret;
}`, nil, []string{"barrier 1 for 32 threads, at which others are for 64"}},
		{"no such barrier", `
	mov.u32 %r1, 16;
	bar.sync %r1;
	ret;
}`, nil, []string{"barrier 16: a CTA has barriers 0 to 15"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, _, err := kerneltest.Kernel{Source: kerneltest.Entry + c.src, Block: kerneltest.Dim(64, 1), Words: []int{32}}.Run(t)
			var fault *interp.Fault
			if !errors.As(err, &fault) {
				t.Fatalf("got %v, want a fault", err)
			}
			if c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("%v is not %v", err, c.is)
			}
			for _, w := range c.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("the message lacks %q:\n%v", w, err)
				}
			}
			if diff := cmp.Diff(make([]uint32, 32), out[0]); diff != "" {
				t.Errorf("the faulting instruction wrote to memory:\n%s", diff)
			}
		})
	}
}

// TestFaultPlace inspects warps after a fault on one side of a branch: the lanes of that side are at the faulting
// instruction.
func TestFaultPlace(t *testing.T) {
	for name, refused := range map[string]string{
		"access":     "st.global.u32 [1], %r1",
		"branch":     "brx.idx %r1, L",
		"call":       "call %rd1, (), P",
		"barrier":    "barrier.sync %r1",
		"collective": "bar.warp.sync 1",
		"trap":       "trap",
	} {
		for _, model := range kerneltest.Models {
			t.Run(fmt.Sprintf("%s/%v", name, model), func(t *testing.T) {
				k := kerneltest.Kernel{Block: kerneltest.Dim(32, 1), Words: []int{32}, Config: interp.Config{Divergence: model}, Source: kerneltest.Entry + `
L:	.branchtargets LOW, JOIN;
P:	.callprototype _ ();
	mov.u32 %r1, %tid.x;
	setp.lt.u32 %p1, %r1, 8;
	@%p1 bra LOW;
	add.u32 %r1, %r1, 1;
	bra JOIN;
LOW:
	mov.u64 %rd1, 0;
	` + refused + `;
JOIN:
	ret;
}`}
				k.Driver = func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
					s, err := functional.Begin(m, l)
					if err != nil {
						return interp.Stats{}, err
					}
					err = s.Continue(t.Context())
					for split := range s.Warps()[0].Control().Splits() {
						if split.PC != 6 || split.Mask != 0xff {
							t.Errorf("at %d with %08x", split.PC, uint32(split.Mask))
						}
						break
					}
					return s.Stats(), err
				}
				_, _, err := k.Run(t)
				if f, ok := errors.AsType[*interp.Fault](err); !ok || f.Text != refused+";" {
					t.Errorf("ends with %v", err)
				}
			})
		}
	}
}
