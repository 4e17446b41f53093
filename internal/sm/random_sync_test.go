package sm_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/check"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/interp"
)

// TestRandomSynchronisationOrdersAccesses: random kernels that order all their accesses, by copies, barriers and
// mbarriers of all kinds, leave what a scalar reference computes: without a clock and with one, in all windows, and
// under each model of divergence. The checks find nothing.
func TestRandomSynchronisationOrdersAccesses(t *testing.T) {
	const kernels = 160
	for seed := range uint64(kernels) {
		if short.Skips(int(seed)) || short.Waits(int(seed), 16) {
			continue
		}
		g := growSync(seed)
		want := g.wantWords()
		r := racing{source: g.text.String(), ctas: uint32(g.ctas), block: uint32(g.threads), words: len(want), unobserved: seed%2 == 0,
			cfg: interp.Config{GPU: few(t, "h100", 4), Divergence: kerneltest.Models[seed%3], PathOrder: kerneltest.Orders[seed/3%3], Lanes: kerneltest.LevelOf(seed), Compile: kerneltest.CompilationOf(seed)}}
		for _, threads := range []int{1, 3} {
			got := r.runFunctional(t, threads, false)
			if diff := kerneltest.Diff(want, got); diff != "" {
				t.Fatalf("seed %d: without a clock, %d threads (-want, +got):\n%.1500s\nof %s", seed, threads, diff, r.source)
			}
		}
		if diff := kerneltest.Diff(want, r.runFunctional(t, 1, true)); diff != "" {
			t.Fatalf("seed %d: with checks (-want, +got):\n%.1500s\nof %s", seed, diff, r.source)
		}
		timed := r.run(t, 0, 1)
		if diff := kerneltest.Diff(want, timed.Memory); diff != "" || timed.Error != "" {
			t.Fatalf("seed %d: with a clock %s (-want, +got):\n%.1500s\nof %s", seed, timed.Error, diff, r.source)
		}
		c := windowCases[seed%uint64(len(windowCases))]
		if diff := kerneltest.Diff(timed, r.run(t, c.window, c.threads)); diff != "" {
			t.Fatalf("seed %d: windows of %d cycles, %d threads (-longest, 1 +these):\n%.1500s\nof %s", seed, c.window, c.threads, diff, r.source)
		}
	}
}

// TestForgottenWaitsAreFound: of random kernels in which a barrier of the block stands in place of each wait for a bulk
// copy, --check race finds that the copied bytes are used too early, though they are right in simtrun.
func TestForgottenWaitsAreFound(t *testing.T) {
	for seed := range uint64(96) {
		if short.Skips(int(seed)) || short.Waits(int(seed), 12) {
			continue
		}
		g := newSyncGrower(seed)
		g.forgets = true
		if g.grow(); !g.forgotten {
			continue
		}
		r := racing{source: g.text.String(), ctas: uint32(g.ctas), block: uint32(g.threads), words: len(g.wantWords()),
			cfg: interp.Config{GPU: few(t, "h100", 4), Divergence: kerneltest.Models[seed%3], PathOrder: kerneltest.Orders[seed/3%3]}}
		var findings []string
		r.runWith(t, 1, func(m *interp.Machine, l *interp.Launch) func(interp.Stats) {
			all := checkAll(t, m, l)
			return func(stats interp.Stats) { findings = all(stats) }
		})
		if !slices.ContainsFunc(findings, func(f string) bool { return strings.Contains(f, "[copy-unwaited]") }) {
			t.Errorf("seed %d: the check finds only %.600q in\n%s", seed, findings, r.source)
		}
	}
}

// runFunctional runs the launch without a clock, and returns the words of its buffer. With checks, findings are errors.
func (r *racing) runFunctional(t testing.TB, threads int, checked bool) []uint32 {
	t.Helper()
	return r.runWith(t, threads, func(m *interp.Machine, l *interp.Launch) func(interp.Stats) {
		if !checked {
			return func(interp.Stats) {}
		}
		findings := checkAll(t, m, l)
		return func(stats interp.Stats) {
			for _, f := range findings(stats) {
				t.Errorf("the check finds %s in\n%s", f, r.source)
			}
		}
	})
}

// runWith runs the launch without a clock, and returns the words of its buffer. attach attaches observers, and returns
// what to do when the launch has ended.
func (r *racing) runWith(t testing.TB, threads int, attach func(*interp.Machine, *interp.Launch) func(interp.Stats)) []uint32 {
	t.Helper()
	mod, err := asm.Parse("k.s", []byte(r.source))
	if err != nil {
		t.Fatalf("%v in\n%s", err, r.source)
	}
	cfg := r.cfg
	cfg.Threads = threads
	m, err := kerneltest.New(mod, cfg)
	if err != nil {
		t.Fatal(err)
	}
	buffer, err := m.Alloc("out", int64(4*r.words))
	if err != nil {
		t.Fatal(err)
	}
	l := interp.Launch{Kernel: "k", Grid: kerneltest.Dim(r.ctas, 1), Block: kerneltest.Dim(r.block, 1), Params: binary.LittleEndian.AppendUint64(nil, buffer.Base)}
	ended := attach(m, &l)
	stats, err := functional.Run(context.Background(), m, l)
	if err != nil {
		t.Fatalf("%v in\n%s", err, r.source)
	}
	ended(stats)
	return kerneltest.WordsOf(buffer)
}

// checkAll attaches all checks to a launch. The result returns their findings when it has ended.
func checkAll(t testing.TB, m *interp.Machine, l *interp.Launch) func(interp.Stats) []string {
	races, err := check.Attach(m, l)
	if err != nil {
		t.Fatal(err)
	}
	shuffles, err := check.AttachShuffles(m, l)
	if err != nil {
		t.Fatal(err)
	}
	proxies, err := check.AttachProxies(m, l)
	if err != nil {
		t.Fatal(err)
	}
	undefined, err := check.AttachInit(m, l)
	if err != nil {
		t.Fatal(err)
	}
	return func(stats interp.Stats) (all []string) {
		for _, f := range races.Findings() {
			all = append(all, f.Text(""))
		}
		for _, warnings := range [][]interp.Warning{stats.Warnings, shuffles.Warnings(), proxies.Warnings(), undefined.Warnings(false)} {
			for _, w := range warnings {
				all = append(all, fmt.Sprintf("%s at %s: %s", w.Msg, w.Place.Pos(), w.Text))
			}
		}
		return all
	}
}
