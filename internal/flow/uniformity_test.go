package flow_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/isa"
)

// TestUniformityFollowsOperands: by the line of each branch, the uniformity of its predicate.
func TestUniformityFollowsOperands(t *testing.T) {
	mod, err := asm.Parse("k.s", []byte(`.entry k(.param .u64 x, .param .u32 n)
{
	ld.param.u64 %rd1, [x];
	ld.param.u32 %r1, [n];
	mov.u32 %r2, %tid.x;
	setp.ge.u32 %p1, %r2, %r1;
	@%p1 bra DONE;
	setp.ge.u32 %p2, %r1, 7;
	@%p2 bra DONE;
	mov.u32 %r3, %ntid.x;
	setp.eq.u32 %p3, %r3, 64;
	@%p3 bra DONE;
	mad.wide.u32 %rd2, %r2, 4, %rd1;
	mov.u32 %r9, 0;
LOOP:
	ld.global.v2.u32 {%r4, %r5}, [%rd2];
	setp.gt.s32 %p4, %r5, 3;
	@%p4 bra LOOP;
	add.u32 %r9, %r9, 1;
	setp.lt.u32 %p5, %r9, %r2;
	@%p5 bra LOOP;
	mov.u32 %r6, 1;
	@%p4 mov.u32 %r6, 2;
	setp.eq.u32 %p6, %r6, 2;
	@%p6 exit;
	mov.u32 %r7, %clock;
	setp.eq.u32 %p7, %r7, 2;
	@%p7 bra DONE;
	shfl.sync.bfly.b32 %r8, %r2, 1, 31, -1;
	setp.eq.u32 %p8, %r8, 2;
	@%p8 bra DONE;
	and.b32 %r5, %r5, 1;
T:	.branchtargets LOOP, DONE;
	brx.idx %r5, T;
	bra LOOP;
DONE:
	ret;
}
`))
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[int32]string)
	f := mod.Funcs[0]
	for pc, o := range flow.Uniformities(f) {
		if k := f.Code[pc].Spec.Kind; k == isa.Branch || k == isa.Exit {
			got[f.Code[pc].Pos.Line] = o.String()
		}
	}
	want := map[int32]string{7: "thread-dependent", 9: "uniform", 12: "uniform", 18: "data-dependent", 21: "thread-dependent", 25: "data-dependent", 28: "data-dependent",
		31: "thread-dependent", 34: "data-dependent", 35: "uniform"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("uniformities (-want +got):\n%s", diff)
	}
}
