package interp_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
)

// headerCalls is a kernel of /src/k.cu with calls of put, a function of clang's headers, in line 3 and of own, one of
// the user's, in line 4, and in line 5 of a function of libdevice that stores to its second parameter.
const headerCalls = `.file 1 "/src/k.cu"
.file 2 "/usr/lib/llvm-19/lib/clang/19/include/put.h"
.extern .func __nv_sincospif(.param .b32 x, .param .b64 s, .param .b64 c);
.func put(.reg .u64 %rd1)
{
	.loc 2 70 1
	st.global.u32 [%rd1], 1;
	ret;
}
.func own(.reg .u64 %rd1)
{
	.loc 1 9 3
	st.global.u32 [%rd1], 1;
	ret;
}
.entry k(.param .u64 out)
{
	.param .b32 x;
	.param .b64 s;
	.param .b64 c;
	.loc 1 2 0
	.loc 1 2 3
	mov.u64 %rd1, 16;
	st.param.b32 [x], 0;
	st.param.b64 [s], %rd1;
	st.param.b64 [c], %rd1;
	.loc 1 LINE 5
	CALL
	.loc 1 6 1
	ret;
}
`

// TestFaultInHeaderHasLineOfItsCall: a fault in a function of a header or of libdevice that is called is in the line of
// the user's with the call; one in a function of the user's is in its own line.
func TestFaultInHeaderHasLineOfItsCall(t *testing.T) {
	for _, c := range []struct{ line, call, want string }{
		{"3", "call put, (%rd1);", "/src/k.cu:3:5"},
		{"4", "call own, (%rd1);", "/src/k.cu:9:3"},
		{"5", "call __nv_sincospif, (x, s, c);", "/src/k.cu:5:5"},
	} {
		source := strings.NewReplacer("LINE", c.line, "CALL", c.call).Replace(headerCalls)
		k := kerneltest.Kernel{Source: source, Block: kerneltest.Dim(32, 1), Words: []int{1}}
		_, _, err := k.Run(t)
		f, ok := errors.AsType[*interp.Fault](err)
		if !ok {
			t.Errorf("%s: %v", c.call, err)
			continue
		}
		if got := f.Place.String(); got != c.want {
			t.Errorf("%s: the fault is at %s, want %s", c.call, got, c.want)
		}
	}
}
