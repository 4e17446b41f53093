package debugger

import (
	"regexp"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/divergence"
)

// scaleSource is CUDA C++, and scalePTX the PTX that a compiler makes of it, with .loc; half is inlined.
const scaleSource = `#include "half.h"
__global__ void scale(float *x, int n)
{
    int i = threadIdx.x;
    if (i < n)
        x[i] = half(x[i]);
}`

const scalePTX = `.version 8.0
.target sm_80
.address_size 64
.file 1 "/src/scale.cu"
.file 2 "/src/half.h"
.visible .entry _Z5scalePfi(.param .u64 _Z5scalePfi_param_0)
{
	.reg .pred %p<2>;
	.reg .b32 %r<3>;
	.reg .f32 %f<3>;
	.reg .b64 %rd<4>;
	.loc 1 4 13
	mov.u32 %r1, %tid.x;
	.loc 1 5 11
	setp.gt.s32 %p1, %r1, 7;
	@%p1 bra END;
	ld.param.u64 %rd1, [_Z5scalePfi_param_0];
	.loc 1 6 21
	mul.wide.s32 %rd2, %r1, 4;
	add.s64 %rd3, %rd1, %rd2;
	ld.global.f32 %f1, [%rd3];
	.loc 2 3 9, function_name $L__info_string0, inlined_at 1 6 16
	mul.f32 %f2, %f1, 0f3F000000;
	.loc 1 6 14
	st.global.f32 [%rd3], %f2;
END:
	.loc 1 7 1
	ret;
}
`

// TestCommandsAcceptLinesOfCUDA checks that commands accept lines of the compiled source if .loc has them, and that
// messages name what PTX does not have.
func TestCommandsAcceptLinesOfCUDA(t *testing.T) {
	b := newBenchOf(t, "scale.cu.ptx", scalePTX, 32, divergence.IndependentThreads)
	b.cfg.Sources["scale.cu"] = strings.Split(scaleSource, "\n")
	for _, c := range [][2]string{
		{"b scale.cu:6", `^break 1 at L19: mul.wide.s32`},
		{"b scale.cu:2", `^break 2 at L13: mov.u32`},
		{"b half.h:1", `^break 3 at L23: mul.f32`},
		{"b scale.cu:8", `^scale.cu:8: no code of scale belongs to this line or a later one$`},
		{"b other.cu:3", `^other.cu:3: no code of scale comes from a file of this name; it comes from scale.cu.ptx, scale.cu, half.h$`},
		{"list scale.cu:4", `(?s)^       1       +#include "half.h"\n.*=>     4    32      int i = threadIdx.x;.*b      6  `},
		{"list scale.cu:1,2", `(?s)^       1 .*\n       2 .*int n\)$`},
		{"info line scale.cu:6", `^scale.cu.ptx:19 in scale, instruction @4, from scale.cu:6: mul.wide.s32`},
		{"info line half.h:3", `^scale.cu.ptx:23 in scale, instruction @7, from half.h:3: mul.f32`},
		{"info line", `from scale.cu:4`},
		{"delete 2", `^$`},
		{"continue", `(?s)^break 1 at L19.*=> 19 `},
		{"list scale.cu:6", `=>     6     8  +x`},
		{"continue half.h:3", `=> 23 `},
		{"until scale.cu:7", `=> 28 `},
		{"p i", `^no register, parameter, buffer or variable i; PTX does not have the names of the source's variables: info regs shows registers, info args the parameters$`},
		{"p x[3]", `does not have the names of the source's variables`},
		{"p n == 3", `does not have the names of the source's variables`},
		{"p threadIdx.x[5]", `= 5$`},
		{"break scale.cu:6 if threadIdx.x == 3", `^break 4 at L19: .* if threadIdx.x == 3$`},
		{"info args", `^  _Z5scalePfi_param_0 u64 = out$`},
	} {
		if got := b.do(c[0]); !regexp.MustCompile(c[1]).MatchString(got) {
			t.Errorf("%s:\n%s\nwant %s", c[0], got, c[1])
		}
	}
}
