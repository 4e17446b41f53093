package interp_test

import (
	"context"
	"flag"
	"fmt"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/conformance"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/interp"
)

var (
	structuredPrograms = flag.Int("structured", 100, "`N` programs of TestStructuredProgramsMatchEvaluator")
	structuredFirst    = flag.Uint64("structured-first", 0, "`SEED` of the first program")
)

// structuredConfigs returns the configurations for the program of a seed: by lane functions, as compiled code that is
// compared with them at each exit, as compiled code of warps that take turns, and at every level that the host lacks.
func structuredConfigs(seed uint64) (all []interp.Config) {
	base := interp.Config{Divergence: kerneltest.Models[seed%3], PathOrder: kerneltest.Orders[seed/3%3]}
	with := func(set func(cfg *interp.Config)) {
		cfg := base
		set(&cfg)
		all = append(all, cfg)
	}
	with(func(cfg *interp.Config) { cfg.Compile = interp.CompileNever })
	for _, verify := range []bool{true, false} {
		with(func(cfg *interp.Config) {
			cfg.Compile, cfg.Lanes, cfg.Verify = kerneltest.CompilationOf(seed), kerneltest.LevelOf(seed), verify
		})
	}
	if seed%4 == 0 {
		with(func(cfg *interp.Config) {
			cfg.Compile, cfg.Evaluate = kerneltest.CompilationOf(seed), kerneltest.NewCPU
			cfg.Lanes = kerneltest.EvaluatedLevels[seed/4%2]
		})
	}
	return all
}

// checkStructured runs the program of a seed.
func checkStructured(t *testing.T, seed uint64) {
	t.Helper()
	p := conformance.RandomStructured(seed)
	for _, cfg := range structuredConfigs(seed) {
		run := func(l conformance.Launch) (r conformance.Result, err error) {
			mod, err := asm.Parse("k.ptx", []byte(l.Source))
			if err != nil {
				return r, err
			}
			if wrong := kerneltest.Miscompilation(func() { r, err = runModuleWith(mod, cfg, l, runWhole) }); wrong != nil {
				return r, wrong
			}
			return r, err
		}
		if p.Try(run) == nil {
			continue
		}
		p.Shrink(run)
		t.Fatalf("seed %d, %v, %v, %v of %v, verified %t, evaluated %t: %v\n%s", seed, cfg.Divergence, cfg.PathOrder, cfg.Compile, cfg.Lanes, cfg.Verify, cfg.Evaluate != nil, p.Try(run), p)
	}
}

// runWhole runs a launch. A panic of the compiler is an error.
func runWhole(m *interp.Machine, l interp.Launch) error {
	s, err := functional.Begin(m, l)
	if err != nil {
		return err
	}
	if err := s.Continue(context.Background()); err != nil {
		return err
	}
	for _, u := range s.Uncompiled() {
		if u.Stack != "" {
			return fmt.Errorf("%v\n%s", &u, u.Stack)
		}
	}
	return nil
}

// TestStructuredProgramsMatchEvaluator: random programs of all instructions, with branches, switches, loops, exits of some lanes,
// calls, and products of matrices, in blocks of all shapes, leave what a separate evaluator computes lane by lane.
func TestStructuredProgramsMatchEvaluator(t *testing.T) {
	for i := range short.Of(*structuredPrograms) {
		if !short.Waits(i, 11) {
			checkStructured(t, *structuredFirst+uint64(i))
		}
	}
}

// FuzzStructured is TestStructuredProgramsMatchEvaluator for further seeds.
func FuzzStructured(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkStructured)
}
