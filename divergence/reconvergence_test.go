package divergence

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/flowcode"
	"github.com/simtrun/simtrun/internal/lanes"
)

// TestReconvergencePointsNestAsBranches diverges lanes twice: 0 to 15 go to the outer else at 6, and of the others 16
// to 23 go to the inner else at 4. The inner reconvergence PC is at 5, the outer one at 7.
func TestReconvergencePointsNestAsBranches(t *testing.T) {
	graph := flow.New(flowcode.Assemble(t, `
		@p bra E
		@q bra B
		op
		bra K
	B:	op
	K:	bra J
	E:	op
	J:	exit`).Func)
	const outer, inner = lanes.Mask(0xffffffff), lanes.Mask(0xffff0000)
	for _, model := range []Model{ReconvergenceStack, IndependentThreads, LowestPC} {
		c := New(model, graph, FallThrough)
		c.Start(0, outer)
		if all := ReconvergencePoints(c); len(all) != 0 {
			t.Errorf("%v: %+v before a branch", model, all)
		}
		var s Split
		c.Ready(0, &s)
		c.Diverge(s.ID, 0, []Group{{6, 0xffff}, {1, inner}})
		if !c.Ready(0, &s) || s.Mask != inner {
			if model == LowestPC {
				continue
			}
			t.Fatalf("%v: %+v is next", model, s)
		}
		c.Diverge(s.ID, 1, []Group{{4, 0xff0000}, {2, 0xff000000}})
		want := []ReconvergencePoint{{PC: 7, Frame: Root, Lanes: outer, Parent: -1}, {PC: 5, Frame: Root, Lanes: inner, Parent: 0}}
		if model == LowestPC {
			want = nil
		}
		if diff := cmp.Diff(want, ReconvergencePoints(c)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", model, diff)
		}
		if model != IndependentThreads {
			continue
		}
		c.Ready(0, &s)
		c.Advance(s.ID, 5) // one side of the inner branch arrives
		want[1].Arrived = s.Mask
		if diff := cmp.Diff(want, ReconvergencePoints(c)); diff != "" {
			t.Errorf("%v, lanes %08x wait (-want +got):\n%s", model, uint32(s.Mask), diff)
		}
	}
}
