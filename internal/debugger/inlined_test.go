package debugger

import (
	"strings"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/interp"
)

// inlinedPTX is optimised code: o[0] is stored by line 6 of a header, which was inlined at line 13 twice. That the
// parameter is loaded comes from no line, for which its first use stands. Line 7 of the header has only the code of
// line 3, inlined into it.
const inlinedPTX = `.version 8.0
.target sm_80
.address_size 64
.file 1 "/src/k.cu"
.file 2 "/src/put.cuh"
.entry _Z1kPi(.param .u64 p)
{
	.reg .b64 %rd<3>;
	.reg .b32 %r<3>;
	.loc 1 10 0
	ld.param.u64 %rd1, [p];
	.loc 1 12 3
	mov.u32 %r1, %tid.x;
	.loc 2 6 5, function_name $L__info_string0, inlined_at 1 13 3
	st.global.u32 [%rd1], 0;
	.loc 2 3 5, function_name $L__info_string0, inlined_at 2 7 3
	mov.u32 %r2, 1;
	.loc 2 6 5, function_name $L__info_string0, inlined_at 1 14 3
	st.global.u32 [%rd1+4], 0;
	.loc 1 15 3
	ret;
}
`

// TestBreakOnLinesOfHeaders: breakpoints are where the lines of the headers were inlined, not at code from which these
// lines take their operands.
func TestBreakOnLinesOfHeaders(t *testing.T) {
	mod, err := asm.Parse("k.ptx", []byte(inlinedPTX))
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t}
	lines := map[string][]string{"/src/k.cu": make([]string, 15), "/src/put.cuh": make([]string, 7)}
	b.Debugger, err = New(Config{Out: &b.out, Sources: lines, Prepare: func() (*Program, error) {
		m, err := interp.New(mod, interp.Config{Divergence: divergence.IndependentThreads, MaxSteps: 100})
		if err != nil {
			return nil, err
		}
		o, err := m.Alloc("o", 8)
		if err != nil {
			return nil, err
		}
		params := make([]byte, 8)
		store(params, o.Base)
		one := isa.Dim{X: 1, Y: 1, Z: 1}
		l := interp.Launch{Kernel: "_Z1kPi", Grid: one, Block: one, Params: params}
		return &Program{Machine: m, Launches: []interp.Launch{l}, Buffers: []Buffer{{Region: o, Elem: isa.S32}}}, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range [][2]string{
		{"break put.cuh:6", "break 1 at put.cuh:6:   (2 places)"},
		{"break put.cuh:7", "break 2 at put.cuh:3:"},
		{"break put.cuh:3", "break 3 at put.cuh:3:"},
		{"break 14", "break 4 at put.cuh:6:"}, // of one call, not of both
		{"break k.cu:11", "break 5 at L12:"},
	} {
		if got := strings.TrimSpace(b.do(c[0])); got != c[1] {
			t.Errorf("%s:\n%s\nwant %s", c[0], got, c[1])
		}
	}
}
