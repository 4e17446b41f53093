package interp_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/functional"
	"github.com/simtrun/simtrun/interp"
)

// TestLoopsThatOnlyLookEndless are programs that come by the same place again
// and again with the same registers, and end.
func TestLoopsThatOnlyLookEndless(t *testing.T) {
	const leaf = `
.func (.reg .u32 r) leaf(.reg .u32 n)
{
	.reg .u32 %i; .reg .pred %q;
	mov.u32 %i, 0;
L:	add.u32 %i, %i, 1;
	setp.lt.u32 %q, %i, 4;
	@%q bra L;
	mov.u32 r, %i;
	ret;
}
`
	for _, c := range []struct {
		name, src string
		want      uint32 // in %r1 of every thread
		itsOnly   bool
	}{
		{name: "the leaves of a tree", want: 4 << 14, src: `
	mov.u32 %r2, 14;
	call (%r1), tree, (%r2);` + storeOwn + leaf + `
.func (.reg .u32 r) tree(.reg .u32 n)
{
	.reg .u32 %a, %b, %m; .reg .pred %q;
	setp.eq.u32 %q, n, 0;
	@%q bra LEAF;
	sub.u32 %m, n, 1;
	call (%a), tree, (%m);
	call (%b), tree, (%m);
	add.u32 r, %a, %b;
	ret;
LEAF:
	call (r), leaf, (n);
	ret;
}`},
		{name: "work between two recursive calls", want: 1<<10 - 1, src: `
	mov.u32 %r2, 10;
	mov.u32 %r1, 0;
	call (%r1), hanoi, (%r2, %r1);` + storeOwn + `
.func (.reg .u32 r) hanoi(.reg .u32 n, .reg .u32 moves)
{
	.reg .u32 %m, %i; .reg .pred %q;
	mov.u32 r, moves;
	setp.eq.u32 %q, n, 0;
	@%q ret;
	sub.u32 %m, n, 1;
	call (r), hanoi, (%m, r);
	mov.u32 %i, 0;
L:	add.u32 %i, %i, 1;
	setp.lt.u32 %q, %i, 20;
	@%q bra L;
	add.u32 r, r, 1;
	call (r), hanoi, (%m, r);
	ret;
}`},
		{name: "many calls in a straight line", want: 4, src: strings.Repeat("\tcall (%r1), leaf, (%r1);\n", 2000) + storeOwn + leaf},
		// One side of a branch spins, and the other side gets on whenever both meet.
		{name: "many meetings in a straight line", want: 7, itsOnly: true, src: `
	mov.u32 %r2, %laneid;
	setp.lt.u32 %p1, %r2, 16;
	@%p1 bra OTHER;
SPIN:
	bar.warp.sync -1;
	ld.volatile.shared.u32 %r1, [s];
	setp.eq.u32 %p2, %r1, 0;
	@%p2 bra SPIN;
	bra END;
OTHER:
` + strings.Repeat("\tbar.warp.sync -1;\n", 2000) + `
	mov.u32 %r1, 7;
	st.volatile.shared.u32 [s], %r1;
	bar.warp.sync -1;
END:` + storeOwn + "\n.shared .u32 s;"},
	} {
		for _, model := range []divergence.Model{its, stack, minPC} {
			if c.itsOnly && model != its {
				continue // the sides cannot meet, or only one of them ever runs
			}
			for _, order := range allOrders {
				t.Run(fmt.Sprintf("%s/%v/%v", c.name, model, order), func(t *testing.T) {
					kernel{src: entry + c.src, words: []int{32}, cfg: interp.Config{Divergence: model, PathOrder: order}}.
						want(t, func(int) uint32 { return c.want })
				})
			}
		}
	}
}

// TestEndlessLoopsAreProven holds that loops which repeat their state are found
// to, long before the step limit, whatever is inside them.
func TestEndlessLoopsAreProven(t *testing.T) {
	const short = `
.func (.reg .u32 r) short(.reg .u32 n)
{
	.reg .u32 %i; .reg .pred %q;
	mov.u32 %i, 0;
M:	add.u32 %i, %i, 1;
	setp.lt.u32 %q, %i, n;
	@%q bra M;
	mov.u32 r, %i;
	ret;
}
`
	for _, c := range []struct{ name, src string }{
		{"a call of a function with a loop", `
	mov.u32 %r1, 5;
L:	call (%r2), short, (%r1);
	bra L;
}` + short},
		{"a loop in a function that calls others", `
	mov.u32 %r1, 3;
	call outer, (%r1);
	ret;
}
.func outer(.reg .u32 n)
{
	.reg .u32 %a;
L:	call (%a), short, (n);
	call (%a), short, (%a);
	bra L;
}` + short},
		{"recursion in a loop", `
	mov.u32 %r1, 3;
L:	call (%r2), down, (%r1);
	setp.ne.u32 %p1, %r2, 9;
	@%p1 bra L;
	ret;
}
.func (.reg .u32 r) down(.reg .u32 n)
{
	.reg .u32 %a; .reg .pred %q;
	mov.u32 %a, 4;
	call (r), short, (%a);
	setp.eq.u32 %q, n, 0;
	@%q ret;
	sub.u32 %a, n, 1;
	call (r), down, (%a);
	ret;
}` + short},
		{"inner loops of as many rounds as the lane says", `
	mov.u32 %r2, %laneid;
	and.b32 %r2, %r2, 7;
OUTER:
	mov.u32 %r1, 0;
INNER:
	add.u32 %r1, %r1, 1;
	setp.lt.u32 %p1, %r1, %r2;
	@%p1 bra INNER;
	bra OUTER;
}`},
		{"a poll by a function, of a flag that nobody sets", `
L:	call (%r1), poll, ();
	setp.eq.u32 %p1, %r1, 0;
	@%p1 bra L;
	ret;
}
.global .u32 flag;
.func (.reg .u32 r) poll()
{
	.reg .u32 %a;
	mov.u32 %a, 3;
	call (%a), short, (%a);
	ld.volatile.global.u32 r, [flag];
	ret;
}` + short},
		{"lanes that meet by themselves", `
	mov.u32 %r1, %laneid;
L:	bar.warp.sync -1;
	vote.sync.ballot.b32 %r2, %p1, -1;
	shfl.sync.bfly.b32 %r3, %r1, 1, 31, -1;
	setp.eq.u32 %p2, %r2, 0;
	@%p2 bra L;
	ret;
}`},
		{"a whole warp that asks who runs", `
L:	activemask.b32 %r2;
	setp.ne.u32 %p2, %r2, 1;
	@%p2 bra L;
	ret;
}`},
	} {
		for _, model := range []divergence.Model{its, stack, minPC} {
			t.Run(fmt.Sprintf("%s/%v", c.name, model), func(t *testing.T) {
				_, stats, err := kernel{src: entry + c.src, block: dim(64, 1), grid: dim(3, 1), words: []int{1}, cfg: interp.Config{Divergence: model, MaxSteps: 1e6}}.run(t)
				var hang *interp.Hang
				if !errors.As(err, &hang) || hang.Rule != interp.RuleLivelock {
					t.Fatalf("got %v after %d instructions, want a proof", err, stats.WarpInstrs)
				}
			})
		}
	}
}

// TestWhoRunsTogetherIsNoConstant: lanes that have diverged may meet again, so
// that asking who runs together is no repetition. Under its nothing is said but
// that a limit was reached.
func TestWhoRunsTogetherIsNoConstant(t *testing.T) {
	_, _, err := kernel{words: []int{1}, cfg: interp.Config{MaxSteps: 1e6}, src: entry + `
	mov.u32 %r1, %laneid;
	setp.lt.u32 %p1, %r1, 16;
	@%p1 bra LOW;
HIGH:
	activemask.b32 %r2;
	setp.ne.u32 %p2, %r2, -1;
	@%p2 bra HIGH;
	ret;
LOW:
	activemask.b32 %r2;
	setp.ne.u32 %p2, %r2, -1;
	@%p2 bra LOW;
	ret;
}`}.run(t)
	if err == nil || !strings.Contains(err.Error(), "[sync-steps]") {
		t.Errorf("got %v, want the step limit", err)
	}
}

// meddler halts a launch every few instructions.
type meddler struct{ n int }

func (m *meddler) Step(interp.Warp, divergence.Split) bool {
	m.n++
	return m.n%7 == 0
}

// TestChangesFromOutside: a loop that looks endless ends if somebody who looks at
// the launch changes memory every so often.
func TestChangesFromOutside(t *testing.T) {
	k := kernel{words: []int{1}, src: entry + `
	ld.param.u64 %rd1, [out];
L:	ld.volatile.global.u32 %r1, [%rd1];
	setp.lt.u32 %p1, %r1, 5000;
	mov.u32 %r1, 0;
	@%p1 bra L;
	ret;
}`}
	k.launched = func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
		l.Observe(&meddler{})
		changes := uint32(0)
		s, err := functional.Begin(m, l)
		for err == nil && !s.Done() {
			if err = s.Continue(t.Context()); err == nil && !s.Done() {
				changes++
				binary.LittleEndian.PutUint32(m.Region(binary.LittleEndian.Uint64(l.Params)).Data, changes)
				s.Warps()[0].Touched()
			}
		}
		return s.Stats(), err
	}
	if _, _, err := k.run(t); err != nil {
		t.Error(err)
	}
}
