package check_test

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/check"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/interp"
)

// TestCompiledCodeShowsTheSame checks that the findings are the same whether compiled code or lane functions execute
// what the check does not watch.
func TestCompiledCodeShowsTheSame(t *testing.T) {
	found := 0
	for seed := range uint64(short.Of(300)) {
		g := generator{Rand: rand.New(rand.NewPCG(seed, 3))}
		g.generate()
		src := g.kernel(order{})
		want := findingsWith(t, src, g.ctas, interp.CompileNever)
		got := findingsWith(t, src, g.ctas, interp.CompileAlways)
		if diff := cmp.Diff(summary(want), summary(got)); diff != "" {
			t.Fatalf("seed %d (-never +always):\n%s\n%s", seed, diff, src)
		}
		found += len(want)
	}
	if found == 0 {
		t.Error("no kernel has a race")
	}
}

// TestRacesInCompiledCode checks that the kernels with known races have these if all is compiled that can be.
func TestRacesInCompiledCode(t *testing.T) {
	for i, c := range slices.Concat(barrierCases, valueCases, warpCases, placeCases, atomicCases, messageCases, lockCases, gridCases, cornerCases, lockstepCases, orderedLaneCases) {
		if short.Skips(i) {
			continue
		}
		mod, err := asm.Parse("k.s", []byte(c.source()))
		if err != nil {
			t.Fatal(err)
		}
		m, err := interp.New(mod, interp.Config{MaxSteps: 1e6, Compile: interp.CompileAlways})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, summary(launchOn(t, m, c.grid, c.block))); diff != "" {
			t.Errorf("%s: findings (-want +got):\n%s", c.name, diff)
		}
	}
}

// findingsWith runs a random kernel under the check.
func findingsWith(t *testing.T, src string, ctas int, compile interp.Compilation) []check.Finding {
	t.Helper()
	mod, err := asm.Parse("random.s", []byte(src))
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	m, err := interp.New(mod, interp.Config{Compile: compile})
	if err != nil {
		t.Fatal(err)
	}
	g, err := m.Alloc("g", 4096)
	if err != nil {
		t.Fatal(err)
	}
	l := interp.Launch{Kernel: "k", Grid: isa.Dim{X: uint32(ctas), Y: 1, Z: 1}, Block: isa.Dim{X: randomWarps * threadsPerWarp, Y: 1, Z: 1},
		Params: binary.LittleEndian.AppendUint64(nil, g.Base)}
	races, err := check.Attach(m, &l)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := functional.Run(context.Background(), m, l); err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	return races.Findings()
}
