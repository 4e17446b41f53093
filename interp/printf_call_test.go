package interp_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
)

func TestPrintf(t *testing.T) {
	src := `
.extern .func (.param .b32 r) vprintf (.param .b64 format, .param .b64 values);
.global .align 1 .b8 format[] = {108, 97, 110, 101, 32, 37, 100, 32, 37, 48, 52, 120, 32, 37, 46, 50, 102, 32, 37, 115, 32, 37, 108, 108, 117, 10, 0};
.global .align 1 .b8 word[] = {111, 107, 0};
` + kerneltest.Entry + `
	.local .align 8 .b8 args[32];
	mov.u32 %r2, %laneid;
	setp.gt.u32 %p1, %r2, 1;
	@%p1 exit;
	mov.u32 %r3, %ctaid.x;
	mad.lo.u32 %r2, %r3, 10, %r2;
	neg.s32 %r3, %r2;
	st.local.u32 [args], %r3;
	st.local.u32 [args+4], %r2;
	cvt.rn.f64.u32 %fd1, %r2;
	mul.f64 %fd1, %fd1, 0.125;
	st.local.f64 [args+8], %fd1;
	mov.u64 %rd1, word;
	st.local.u64 [args+16], %rd1;
	st.local.u64 [args+24], -1;
	{
	.param .b64 f;
	.param .b64 v;
	.param .b32 r;
	mov.u64 %rd2, format;
	cvta.global.u64 %rd2, %rd2;
	st.param.b64 [f], %rd2;
	mov.u64 %rd3, args;
	cvta.local.u64 %rd3, %rd3;
	st.param.b64 [v], %rd3;
	call.uni (r), vprintf, (f, v);
	ld.param.b32 %r1, [r];
	}
	ret;
}`
	var out bytes.Buffer
	if _, _, err := (kerneltest.Kernel{Source: src, Grid: kerneltest.Dim(2, 1), Words: []int{1}, Config: interp.Config{Stdout: &out}}).Run(t); err != nil {
		t.Fatal(err)
	}
	want := `lane 0 0000 0.00 ok 18446744073709551615
lane -1 0001 0.12 ok 18446744073709551615
lane -10 000a 1.25 ok 18446744073709551615
lane -11 000b 1.38 ok 18446744073709551615
`
	if out.String() != want {
		t.Errorf("got:\n%swant:\n%s", out.String(), want)
	}
}

// TestPrintfPointers: a null format returns -1, as CUDA's does; a string outside of memory is a fault, before any of
// the lane's text is printed.
func TestPrintfPointers(t *testing.T) {
	src := `
.extern .func (.param .b32 r) vprintf (.param .b64 format, .param .b64 values);
.global .align 1 .b8 format[] = {97, 37, 115, 0};
.global .align 8 .b8 values[] = {0xfe, 0xca, 0xef, 0xbe, 0xad, 0xde, 0, 0};
` + kerneltest.Entry + `
	.param .b64 f;
	.param .b64 v;
	.param .b32 r;
	mov.u64 %rd2, FORMAT;
	mov.u64 %rd3, values;
	st.param.b64 [f], %rd2;
	st.param.b64 [v], %rd3;
	call.uni (r), vprintf, (f, v);
	ld.param.b32 %r1, [r];` + kerneltest.StoreR1
	var out bytes.Buffer
	k := kerneltest.Kernel{Source: strings.Replace(src, "FORMAT", "0", 1), Words: []int{32}, Config: interp.Config{Stdout: &out}}
	buffers, _, err := k.Run(t)
	if err != nil || buffers[0][31] != 0xffffffff || out.Len() != 0 {
		t.Errorf("null format: %v, %v, %q", err, buffers, out.String())
	}
	k.Source = strings.Replace(src, "FORMAT", "format", 1)
	_, _, err = k.Run(t)
	if err == nil || strings.Count(err.Error(), "error:") != 1 || !strings.Contains(err.Error(), "string outside of every buffer [mem-oob] generic 0xdeadbeefcafe") || out.Len() != 0 {
		t.Errorf("%v, %q", err, out.String())
	}
}
