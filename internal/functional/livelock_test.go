package functional_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
)

// TestLoopsThatOnlyLookEndless runs programs that reach the same PC repeatedly with the same registers, and end.
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
	call (%r1), tree, (%r2);` + kerneltest.StoreR1 + leaf + `
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
	call (%r1), hanoi, (%r2, %r1);` + kerneltest.StoreR1 + `
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
		{name: "many calls in a straight line", want: 4, src: strings.Repeat("\tcall (%r1), leaf, (%r1);\n", 2000) + kerneltest.StoreR1 + leaf},
		// One side of a branch spins, and the other makes progress whenever both are at
		// a bar.warp.sync.
		{name: "many warp barriers in a straight line", want: 7, itsOnly: true, src: `
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
END:` + kerneltest.StoreR1 + "\n.shared .u32 s;"},
	} {
		for _, model := range kerneltest.Models {
			if c.itsOnly && model != divergence.IndependentThreads {
				continue // only one of the sides ever runs
			}
			for _, order := range kerneltest.Orders {
				t.Run(fmt.Sprintf("%s/%v/%v", c.name, model, order), func(t *testing.T) {
					kerneltest.Kernel{Source: kerneltest.Entry + c.src, Words: []int{32}, Config: interp.Config{Divergence: model, PathOrder: order}}.
						Want(t, func(int) uint32 { return c.want })
				})
			}
		}
	}
}

// TestEndlessLoopsAreProven: loops that repeat their state are found, long before the step limit, independent of
// their body.
func TestEndlessLoopsAreProven(t *testing.T) {
	for _, c := range kerneltest.Cases(t, "testdata/endless.txt") {
		for _, model := range kerneltest.Models {
			t.Run(fmt.Sprintf("%s/%v", c.Name, model), func(t *testing.T) {
				_, stats, err := kerneltest.Kernel{Source: kerneltest.Entry + c.Body, Block: kerneltest.Dim(64, 1), Grid: kerneltest.Dim(3, 1), Words: []int{1}, Config: interp.Config{Divergence: model, MaxSteps: 1e6}}.Run(t)
				var hang *interp.Hang
				if !errors.As(err, &hang) || hang.Rule != interp.RuleLivelock {
					t.Fatalf("got %v after %d instructions, want a proof", err, stats.WarpInstrs)
				}
			})
		}
	}
}

// TestActiveMaskIsNoConstant: lanes that have diverged may reconverge, so that a repeated state does not determine
// the next result of activemask. There is then no proof, and a limit ends the run.
func TestActiveMaskIsNoConstant(t *testing.T) {
	_, _, err := kerneltest.Kernel{Words: []int{1}, Config: interp.Config{MaxSteps: 1e6}, Source: kerneltest.Entry + `
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
}`}.Run(t)
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

// TestChangesFromOutside: a loop that looks endless ends if an observer halts the launch at intervals and changes
// memory.
func TestChangesFromOutside(t *testing.T) {
	k := kerneltest.Kernel{Words: []int{1}, Source: kerneltest.Entry + `
	ld.param.u64 %rd1, [out];
L:	ld.volatile.global.u32 %r1, [%rd1];
	setp.lt.u32 %p1, %r1, 5000;
	mov.u32 %r1, 0;
	@%p1 bra L;
	ret;
}`}
	k.Driver = func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
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
	if _, _, err := k.Run(t); err != nil {
		t.Error(err)
	}
}
