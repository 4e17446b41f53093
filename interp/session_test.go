package interp_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/functional"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/lanes"
)

// halter halts a launch before every instruction, once.
type halter struct {
	again bool
	steps uint64
}

func (h *halter) Step(w interp.Warp, s divergence.Split) bool {
	if h.again = !h.again; !h.again {
		h.steps++
	}
	return h.again
}

// TestHaltingChangesNothing holds launches that are halted before every
// instruction to those that are not: same memory, same instructions, same
// order, as the kernels of TestWaiting depend on it, and the same end.
func TestHaltingChangesNothing(t *testing.T) {
	for _, c := range waiters {
		for _, model := range []divergence.Model{its, stack, minPC} {
			t.Run(fmt.Sprintf("%s/%v", c.name, model), func(t *testing.T) {
				k := kernel{src: entry + c.src, grid: c.grid, block: c.block, words: []int{8},
					cfg: interp.Config{Divergence: model, MaxSteps: 1e5}}
				out, stats, err := k.run(t)
				h := &halter{}
				k.launched = func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
					l.Observe(h)
					s, err := functional.Begin(m, l)
					for err == nil && !s.Done() {
						err = s.Continue(context.Background())
					}
					return s.Stats(), err
				}
				haltedOut, halted, haltedErr := k.run(t)
				if diff := cmp.Diff(stats, halted); diff != "" {
					t.Errorf("counts (-run +halted):\n%s", diff)
				}
				if diff := cmp.Diff(out, haltedOut); diff != "" {
					t.Errorf("memory (-run +halted):\n%s", diff)
				}
				if fmt.Sprint(err) != fmt.Sprint(haltedErr) {
					t.Errorf("ends with %v, halted with %v", err, haltedErr)
				}
				if h.steps != stats.WarpInstrs {
					t.Errorf("asked for %d instructions of %d", h.steps, stats.WarpInstrs)
				}
			})
		}
	}
}

// TestStepOutOfTurn takes the second warp of a CTA through a kernel on its own.
func TestStepOutOfTurn(t *testing.T) {
	k := kernel{block: dim(64, 1), words: []int{64}, src: entry + `
	mov.u32 %r1, %tid.x;
	setp.lt.u32 %p1, %r1, 40;
	@%p1 bra LOW;
	add.u32 %r1, %r1, 1000;
LOW:
	add.u32 %r1, %r1, 1;
	bar.sync 0;` + storeOwn}
	k.launched = func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
		l.Observe(&halter{})
		s, err := functional.Begin(m, l)
		if err != nil {
			return interp.Stats{}, err
		}
		if err := s.Continue(t.Context()); err != nil {
			return s.Stats(), err
		}
		w := s.Warps()[1]
		type where struct {
			pc   int
			mask lanes.Mask
		}
		var path []where
		for {
			var split divergence.Split
			if w.Control().Ready(0, &split) {
				path = append(path, where{split.PC, split.Mask})
			}
			ok, err := s.Step(w)
			if err != nil {
				return s.Stats(), err
			}
			if !ok {
				break
			}
		}
		const all, low, high = lanes.AllLanes, 0xff, 0xffffff00
		want := []where{{0, all}, {1, all}, {2, all}, {3, high}, {4, all}, {5, all}}
		if diff := cmp.Diff(want, path, cmp.AllowUnexported(where{})); diff != "" {
			t.Errorf("path (-want +got):\n%s", diff)
		}
		waiting := []interp.Waiting{{Lanes: all, PC: 5}}
		if diff := cmp.Diff(waiting, w.Waiting()); diff != "" {
			t.Errorf("waiting (-want +got):\n%s", diff)
		}
		fn := w.Func(divergence.Root)
		for id, r := range fn.Regs {
			if r.Name != "%r1" {
				continue
			}
			values := w.Reg(divergence.Root, isa.RegID(id))
			if values[7] != 32+7+1 || values[8] != 32+8+1001 {
				t.Errorf("%%r1 is %d", values)
			}
			w.SetReg(divergence.Root, isa.RegID(id), low, 5)
		}
		if clock := w.Special(isa.Clock); clock[31] != 6 {
			t.Errorf("%%clock is %d, want the 6 instructions executed", clock[31])
		}
		s2 := s.Stats()
		if s2.WarpInstrs != 6 {
			t.Errorf("%d instructions executed, want 6", s2.WarpInstrs)
		}
		for !s.Done() {
			if err := s.Continue(t.Context()); err != nil {
				return s.Stats(), err
			}
		}
		return s.Stats(), nil
	}
	k.want(t, func(i int) uint32 {
		switch {
		case i < 32:
			return uint32(i + 1)
		case i < 40:
			return 5
		}
		return uint32(i + 1001)
	})
}

// TestFaultPlace looks at warps that an instruction on one side of a branch ended:
// the lanes of that side are at it.
func TestFaultPlace(t *testing.T) {
	for name, refused := range map[string]string{
		"access":     "st.global.u32 [1], %r1",
		"branch":     "brx.idx %r1, L",
		"call":       "call %rd1, (), P",
		"barrier":    "barrier.sync %r1",
		"collective": "bar.warp.sync 1",
		"trap":       "trap",
	} {
		for _, model := range []divergence.Model{its, stack, minPC} {
			t.Run(fmt.Sprintf("%s/%v", name, model), func(t *testing.T) {
				k := kernel{block: dim(32, 1), words: []int{32}, cfg: interp.Config{Divergence: model}, src: entry + `
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
				k.launched = func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
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
				_, _, err := k.run(t)
				if f, ok := errors.AsType[*interp.Fault](err); !ok || f.Text != refused+";" {
					t.Errorf("ends with %v", err)
				}
			})
		}
	}
}
