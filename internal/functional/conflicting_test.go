package functional_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/check"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/interp"
)

var (
	conflictingKernels = flag.Int("conflicting", 240, "`N` kernels of TestConflictingKernelsHaveOneOrder")
	conflictingFirst   = flag.Uint64("conflicting-first", 0, "`SEED` of the first kernel")
)

// conflictingGrower grows a kernel from the statements of testdata/conflicting.txt.
type conflictingGrower struct {
	*rand.Rand
	statements map[string]string
	text       strings.Builder
	numbers    int
}

// anywhere are statements that lanes may execute apart, and together those that all lanes execute together.
var (
	anywhere = []string{"load", "store", "exchange two words", "exchange four words", "bytes", "guarded", "generic", "volatile", "anywhere", "variable",
		"two regions", "atomic", "compare and swap", "shared", "local", "fence", "call", "vote"}
	together = []string{"barrier", "barrier", "shuffle"}
	rare     = []string{"fault", "misaligned", "leave", "wait"}
)

// number returns a new number of labels and registers.
func (g *conflictingGrower) number() string {
	g.numbers++
	return strconv.Itoa(30 + g.numbers)
}

// write writes a statement with a number.
func (g *conflictingGrower) write(name, number string, replace ...string) {
	text := g.statements[name]
	if text == "" {
		panic("no statement " + name)
	}
	g.text.WriteString(strings.NewReplacer(append(replace, "pN", "p"+number, "rN", "r"+number, "LN", "L"+number, "EN", "E"+number)...).Replace(text))
}

// block writes statements within as many loops and branches.
func (g *conflictingGrower) block(depth int, diverged bool) {
	for n := 1 + g.IntN(4); n > 0; n-- {
		g.statement(depth, diverged)
	}
}

func (g *conflictingGrower) statement(depth int, diverged bool) {
	number, mask := g.number(), fmt.Sprint([]int{1, 3, 32, 36}[g.IntN(4)])
	switch n := g.IntN(16); {
	case n < 2 && depth < 3:
		g.write("if", number, "MASK", mask)
		g.block(depth+1, true)
		if g.IntN(2) == 0 {
			g.write("end of if", number)
			return
		}
		g.write("else", number)
		g.block(depth+1, true)
		g.write("end of else", number)
	case n < 4 && depth < 3:
		apart := diverged || g.IntN(2) == 0
		rounds := fmt.Sprint(1 + g.IntN([]int{4, 4, 60 >> (2 * depth)}[g.IntN(3)]))
		if apart {
			g.write("loop", number, "MASK", "3", "ROUNDS", rounds)
		} else {
			g.write("rounds", number, "ROUNDS", rounds)
		}
		g.block(depth+1, apart)
		g.write("end of loop", number)
	case n == 4 && g.IntN(6) == 0:
		g.write(rare[g.IntN(len(rare))], number)
	case n < 7 && !diverged:
		g.write(together[g.IntN(len(together))], number)
	default:
		g.write(anywhere[g.IntN(len(anywhere))], number)
	}
}

// conflictingKernel returns the kernel of a seed.
func conflictingKernel(t *testing.T, seed uint64) kerneltest.Kernel {
	t.Helper()
	g := &conflictingGrower{Rand: rand.New(rand.NewPCG(seed, 34)), statements: make(map[string]string)}
	for _, c := range kerneltest.Cases(t, "testdata/conflicting.txt") {
		g.statements[c.Name] = c.Body
	}
	g.write("begin", "")
	for range 2 {
		g.block(0, false)
	}
	g.write("end", "")
	grid, block := 1+uint32(seed%5), []uint32{64, 96, 100, 128}[g.IntN(4)]
	return kerneltest.Kernel{Source: g.text.String(), Grid: kerneltest.Dim(grid, 1), Block: kerneltest.Dim(block, 1), Words: []int{int(4 * grid * block)},
		Config: interp.Config{Divergence: kerneltest.Models[seed%3], PathOrder: kerneltest.Orders[seed/3%3], Threads: 1, MaxSteps: []uint64{1e5, 1e5, 400}[seed/9%3]}}
}

// watchedAccesses records the accesses at some of the instructions.
type watchedAccesses struct {
	every int
	seen  []string
}

func (w *watchedAccesses) Watches(_, pc int) bool { return pc%w.every == 0 }

func (w *watchedAccesses) Accessed(at *interp.Place, a *interp.Access) {
	if w.Watches(at.Func, a.PC) {
		w.seen = append(w.seen, fmt.Sprint(at.CTA, at.Warp, at.Func, a.PC, a.Lanes, a.Kind))
	}
}

// observed is what a launch left, by text.
func observed(t *testing.T, k kerneltest.Kernel, seed uint64, how string) (words [][]uint32, text string) {
	t.Helper()
	var more []string
	k.Driver = func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
		var w *watchedAccesses
		var undefined *check.Init
		switch how {
		case "watched":
			w = &watchedAccesses{every: 2 + int(seed%5)}
			l.Observe(w)
		case "checked":
			var err error
			if undefined, err = check.AttachInit(m, &l); err != nil {
				return interp.Stats{}, err
			}
		}
		s, err := functional.Begin(m, l)
		for n := 1 + seed%97; err == nil && !s.Done(); n = s.Stats().WarpInstrs + 1 + seed*n%223 {
			if how == "paused" {
				s.PauseAt(n)
			}
			err = s.Continue(t.Context())
		}
		if w != nil {
			more = w.seen
		}
		if undefined != nil {
			more = append(more, warningTexts(undefined.Warnings(true))...)
		}
		return s.Stats(), err
	}
	words, stats, err := k.Run(t)
	more = append(more, warningTexts(stats.Warnings)...)
	stats.Warnings = nil
	return words, fmt.Sprintf("%v\n%+v\n%s", err, stats, strings.Join(more, "\n"))
}

func warningTexts(all []interp.Warning) (texts []string) {
	for _, w := range all {
		texts = append(texts, fmt.Sprintf("%s at %s, %v: %s, %d, %d, %d", w.Msg, w.Place.Pos(), w.Where, w.Text, w.Count, w.Warps, w.Blocks))
	}
	return texts
}

// TestConflictingKernelsHaveOneOrder: a random kernel with accesses of warps to each other's words of memory leaves the
// same words, counts, warnings and faults by lane functions and as compiled code: alone, with pauses, under --check
// init, and with an observer of some accesses, which is notified of the same ones.
func TestConflictingKernelsHaveOneOrder(t *testing.T) {
	for seed := range uint64(*conflictingKernels) {
		if short.Skips(int(seed)) || short.Waits(int(seed), 8) {
			continue
		}
		seed += *conflictingFirst
		k := conflictingKernel(t, seed)
		for _, how := range []string{"", "verified", "paused", "checked", "watched"} {
			k.Config.Compile, k.Config.Lanes, k.Config.Verify = interp.CompileNever, jit.None, false
			words, text := observed(t, k, seed, how)
			k.Config.Compile, k.Config.Lanes, k.Config.Verify = kerneltest.CompilationOf(seed), kerneltest.LevelOf(seed), how == "verified"
			if wrong := kerneltest.Miscompilation(func() {
				got, also := observed(t, k, seed, how)
				if diff := kerneltest.Diff(words, got) + kerneltest.Diff(text, also); diff != "" {
					t.Fatalf("seed %d, %s (-lane functions +compiled):\n%.2000s\n%s", seed, how, diff, k.Source)
				}
			}); wrong != nil {
				t.Fatalf("seed %d: %v\n%s", seed, wrong, k.Source)
			}
		}
	}
}
