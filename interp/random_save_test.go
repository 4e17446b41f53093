package interp_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/interp"
)

// way is a Stepper that records every call: which warp executes which instruction, and its registers. It halts the
// launch before call number until.
type way struct {
	n, until int
	hash     uint64
}

func (y *way) Step(w interp.Warp, s divergence.Split) (halt bool) {
	if y.n == y.until {
		y.until = -1
		return true
	}
	y.n++
	f := w.Frame(s.Frame)
	y.add(int(w.CTA().X), w.Slot(), w.ID(), int(w.Executed()), s.PC, int(s.Mask), s.Stop, f.Func, f.Ret, f.Depth, int(f.Serial), int(f.Lanes))
	for _, v := range w.Reg(s.Frame, isa.RegID(y.n%len(w.Func(s.Frame).Regs))) {
		y.add(int(v))
	}
	for o := range w.Control().Splits() {
		y.add(o.PC, int(o.Mask), o.Stop)
	}
	for _, wait := range w.Waiting() {
		y.add(int(wait.Lanes), wait.Func, wait.PC, wait.Barrier, int(wait.Missing))
	}
	return false
}

// add adds words to the hash.
func (y *way) add(words ...int) {
	for _, v := range words {
		y.hash = (y.hash ^ uint64(v)) * 0x9e3779b97f4a7c15
		y.hash ^= y.hash >> 29
	}
}

// toEnd is the result of a launch that is run to its end.
type toEnd struct {
	stats       interp.Stats
	err         string
	words, lock []uint32
	steps       int
	hash        uint64
}

func finish(m *interp.Machine, s *functional.Session, y *way) toEnd {
	y.until = -1
	var err error
	for err == nil && !s.Done() {
		err = s.Continue(context.Background())
	}
	return toEnd{s.Stats(), fmt.Sprint(err), kerneltest.WordsOf(m.Var("words")), kerneltest.WordsOf(m.Var("locks")), y.n, y.hash}
}

// checkSaved halts a random program at random places. From each of them it continues to the end, and then again from
// the saved state, first with the same observer, then with none: all visible results must be the same.
func checkSaved(t *testing.T, seed uint64, class flowClass, cfg interp.Config) {
	t.Helper()
	p := growFlow(seed, class)
	lost := func(format string, args ...any) {
		t.Helper()
		t.Fatalf("seed %d, %v, %v, split %d: %s\nin %d CTAs of %d threads of\n%s", seed, cfg.Divergence, cfg.Compile, cfg.Split, fmt.Sprintf(format, args...), p.ctas, p.threads, p.text())
	}
	mod, err := asm.Parse("k.s", []byte(p.text()))
	if err != nil {
		lost("%v", err)
	}
	m, err := kerneltest.New(mod, cfg)
	if err != nil {
		lost("%v", err)
	}
	y, rnd := &way{}, rand.New(rand.NewPCG(seed, 1))
	l := interp.Launch{Kernel: "k", Grid: kerneltest.Dim(uint32(p.ctas), 1), Block: kerneltest.Dim(uint32(p.threads), 1), Observers: []interp.Observer{y}}
	s, err := functional.Begin(m, l)
	if err != nil {
		lost("%v", err)
	}
	var st functional.State
	for range 3 {
		y.until = y.n + rnd.IntN(300)
		if err := s.Continue(t.Context()); err != nil || s.Done() {
			break
		}
		at := *y
		if err := s.Save(&st); err != nil {
			lost("%v", err)
		}
		want := finish(m, s, y)
		s.Restore(&st)
		*y = at
		if diff := cmp.Diff(want, finish(m, s, y), cmp.AllowUnexported(toEnd{})); diff != "" {
			lost("after %d steps (-first +again):\n%s", at.n, diff)
		}
		s.Restore(&st)
		s.SetObservers()
		full := finish(m, s, y)
		full.steps, full.hash = want.steps, want.hash
		if diff := cmp.Diff(want, full, cmp.AllowUnexported(toEnd{})); diff != "" {
			lost("after %d steps (-first +at full speed):\n%s", at.n, diff)
		}
		s.Restore(&st)
		s.SetObservers(y)
		*y = at
	}
}

// TestSavedLaunchesContinueAlike copies running launches at random places, and runs both.
func TestSavedLaunchesContinueAlike(t *testing.T) {
	for _, class := range flowClasses {
		t.Run(class.name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(short.Of(2)) {
				for i, cfg := range []interp.Config{{}, {Divergence: divergence.ReconvergenceStack}, {Divergence: divergence.LowestPC}, {Split: seed + 1}} {
					if short.Waits(i+int(seed), 4) {
						continue
					}
					cfg.MaxSteps, cfg.Lanes, cfg.Compile = 1e5, kerneltest.LevelOf(seed), kerneltest.CompilationOf(seed+uint64(3*i))
					checkSaved(t, seed, class, cfg)
				}
			}
		})
	}
}
