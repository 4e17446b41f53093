package cost_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/cost"
	"github.com/simtrun/simtrun/internal/isa"
)

// TestDecidedBranchesAreThreaded: the assembler leaves out a block that repeats a test whose outcome each way into the
// block decides, as an H100's code for mandelbrot does: 13 machine instructions in an iteration (docs/cost.md). Lanes
// then reconverge where the repeated test's branch would let them.
func TestDecidedBranchesAreThreaded(t *testing.T) {
	const loop = `.entry k(.param .u32 n)
{
	.reg .pred %p<9>; .reg .b32 %r<9>; .reg .f32 %f<9>;
	ld.param.u32 %r1, [n];
	mov.u32 %r2, %tid.x;
	cvt.rn.f32.u32 %f1, %r2;
	bra.uni HEAD;
AGAIN:
	setp.leu.f32 %p3, %f1, 0f40800000;
	@%p3 bra HEAD;
	bra.uni DONE;
HEAD:
	setp.ge.s32 %p1, %r2, %r1;
	@%p1 bra DONE;
	add.f32 %f1, %f1, %f1;
	setp.gt.f32 %p2, %f1, 0f40800000;
	@%p2 bra AGAIN;
	mul.f32 %f2, %f2, %f2;
	mul.f32 %f2, %f2, %f2;
	mul.f32 %f2, %f2, %f2;
	add.s32 %r2, %r2, 1;
	bra.uni AGAIN;
DONE:
	st.global.u32 [%rd1], %r2;
	ret;
}
`
	for name, c := range map[string]struct {
		old, new string
		want     string // slots of the block at AGAIN
	}{
		"left out":                          {"", "", "setp.leu.f32 0, bra 0, bra.uni 0"},
		"with the other guard":              {"leu.f32 %p3, %f1, 0f40800000;\n\t@%p3", "gt.f32 %p3, %f1, 0f40800000;\n\t@!%p3", "setp.gt.f32 0, bra 0, bra.uni 0"},
		"the same predicate":                {"setp.leu.f32 %p3, %f1, 0f40800000;\n\t@%p3", "@!%p2", "bra 0, bra.uni 0"},
		"not if another value is compared":  {"leu.f32 %p3, %f1, 0f40800000", "leu.f32 %p3, %f1, 0f40900000", "setp.leu.f32 2, bra 0, bra.uni 1"},
		"not if the value has changed":      {"mul.f32 %f2, %f2, %f2;\n\tadd.s32", "mul.f32 %f1, %f2, %f2;\n\tadd.s32", "setp.leu.f32 2, bra 0, bra.uni 1"},
		"not with another use":              {"st.global.u32 [%rd1], %r2", "@%p3 st.global.u32 [%rd1], %r2", "setp.leu.f32 2, bra 0, bra.uni 1"},
		"not if the comparison is another":  {"leu.f32 %p3", "le.f32 %p3", "setp.le.f32 2, bra 0, bra.uni 1"},
		"not with a way that knows nothing": {"bra.uni HEAD;\nAGAIN", "bra.uni AGAIN;\nAGAIN", "setp.leu.f32 2, bra 0, bra.uni 1"},
	} {
		source := strings.Replace(loop, c.old, c.new, 1)
		f, costs := lower(t, source, cost.Lowered, true)
		var got []string
		for pc := pcOf(f, "AGAIN"); pc < pcOf(f, "HEAD"); pc++ {
			got = append(got, fmt.Sprint(f.Code[pc].Mnemonic(), " ", costs[pc].Syncs+len(costs[pc].Slots)))
		}
		if diff := cmp.Diff(c.want, strings.Join(got, ", ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func pcOf(f *isa.Func, label string) int {
	for _, l := range f.Labels {
		if l.Name == label {
			return l.PC
		}
	}
	return -1
}
