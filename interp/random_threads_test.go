package interp_test

import (
	"context"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/interp"
)

// onThreadsOf runs a program on a number of threads of the host, from the first instruction on.
func (p *flowProgram) onThreadsOf(t *testing.T, mod *isa.Module, cfg interp.Config, threads int) flowResult {
	t.Helper()
	cfg.Threads = threads
	r, err := p.unobserved(mod, cfg, false)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// unobserved runs a program without observers, on several threads from the first instruction on if there are any.
// With checked it compares compiled code with lane functions at every exit. Functions of one program in three are
// compiled in parts.
func (p *flowProgram) unobserved(mod *isa.Module, cfg interp.Config, checked bool) (r flowResult, err error) {
	cfg.Verify = checked
	m, err := kerneltest.New(mod, cfg)
	if err != nil {
		return r, err
	}
	if p.seed%3 == 1 {
		m.CutEvery(1 + int(p.seed/3%30))
	}
	s, err := functional.Begin(m, interp.Launch{Kernel: "k", Grid: kerneltest.Dim(uint32(p.ctas), 1), Block: kerneltest.Dim(uint32(p.threads), 1)})
	if err != nil {
		return r, err
	}
	s.Alone, s.WorthHelp = 0, 0
	if wrong := kerneltest.Miscompilation(func() { r.err = s.Continue(context.Background()) }); wrong != nil {
		err = wrong
	}
	r.stats, r.words, r.lock = s.Stats(), kerneltest.WordsOf(m.Var("words")), kerneltest.WordsOf(m.Var("locks"))
	return r, err
}

// TestThreadsDoNotChangeRandomPrograms runs random programs of several CTAs on several threads: memory and counters are
// the same.
func TestThreadsDoNotChangeRandomPrograms(t *testing.T) {
	const programs = 50
	for _, class := range flowClasses {
		t.Run(class.name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(short.Of(programs)) {
				if short.Waits(int(seed), 6) {
					continue
				}
				p := growFlow(seed, class)
				p.ctas += 9
				mod, err := asm.Parse("k.s", []byte(p.text()))
				if err != nil {
					t.Fatal(err)
				}
				cfg := interp.Config{Divergence: kerneltest.Models[seed%3], PathOrder: kerneltest.Orders[seed/3%3], MaxSteps: 1e6}
				cfg.Compile = interp.CompileNever
				want := p.onThreadsOf(t, mod, cfg, 1)
				for _, threads := range []int{2, 5} {
					cfg.Compile = []interp.Compilation{interp.CompileHot, interp.CompileAlways, interp.CompileWanted}[seed/2%3]
					got := p.onThreadsOf(t, mod, cfg, threads)
					if diff := got.from(&want); diff != "" {
						t.Fatalf("seed %d, %v (-1 +%d threads):\n%s\nin %d CTAs of %d threads of\n%s", seed, cfg.Divergence, threads, diff, p.ctas, p.threads, p.text())
					}
				}
			}
		})
	}
}
