package check_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/check"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/interp"
)

// TestCompiledCodeShowsTheSame checks that the findings are the same whether compiled code or lane functions execute
// what the check does not watch.
func TestCompiledCodeShowsTheSame(t *testing.T) {
	short.Alternates(t, 2, 3)
	found := 0
	for seed := range uint64(short.Of(300)) {
		g := generator{Rand: rand.New(rand.NewPCG(seed, 3))}
		g.generate()
		src := g.kernel(order{})
		want := findingsWith(t, src, g.ctas, interp.CompileNever)
		got := findingsWith(t, src, g.ctas, interp.CompileAlways)
		if diff := cmp.Diff(details(want), details(got)); diff != "" {
			t.Fatalf("seed %d (-never +always):\n%s\n%s", seed, diff, src)
		}
		found += len(want)
	}
	if found == 0 {
		t.Error("no kernel has a race")
	}
}

// details is summary with what the accesses read and wrote, where, and how often.
func details(fs []check.Finding) (all []string) {
	for i := range fs {
		f := &fs[i]
		all = append(all, fmt.Sprintf("%s: line %d %x %q, line %d %x %q, at %s+%d, %d bytes, %d instances, %d warps; %s", f.Rule, f.Earlier.Instr().Pos.Line, f.Earlier.Lanes, f.Earlier.Value,
			f.Later.Instr().Pos.Line, f.Later.Lanes, f.Later.Value, f.Buffer, f.Offset, f.Bytes, f.Instances, f.Warps, f.Fix))
	}
	return append(all, summary(fs)...)
}

// TestCompiledCodeHasSameRaces checks that the kernels with known races have these if all is compiled that can be.
func TestCompiledCodeHasSameRaces(t *testing.T) {
	for i, c := range races(t, raceFiles...) {
		if short.Skips(i) {
			continue
		}
		m, l, _ := launchOf(t, parsed(t, c.source()), interp.Config{MaxSteps: 1e6, Compile: interp.CompileAlways}, c.grid, c.block)
		if diff := cmp.Diff(c.want, summary(findingsOf(t, m, &l))); diff != "" {
			t.Errorf("%s: findings (-want +got):\n%s", c.name, diff)
		}
	}
}

// findingsWith runs a random kernel under the check.
func findingsWith(t *testing.T, src string, ctas int, compile interp.Compilation) []check.Finding {
	t.Helper()
	mod := parsed(t, src)
	m, l, _ := launchOf(t, mod, interp.Config{Compile: compile}, dim(uint32(ctas), 1, 1), dim(randomWarps*threadsPerWarp, 1, 1))
	return findingsOf(t, m, &l)
}
