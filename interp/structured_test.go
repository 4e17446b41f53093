package interp_test

import (
	"context"
	"flag"
	"fmt"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/conformance"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/interp"
)

var (
	structuredPrograms = flag.Int("structured", 100, "`N` programs of TestStructuredProgramsMatchEvaluator")
	structuredFirst    = flag.Uint64("structured-first", 0, "`SEED` of the first program")
)

// structuredWay is how a program is run.
type structuredWay struct {
	driven
	cut     int   // see interp.Machine.CutEvery
	budgets int64 // see interp.Machine.VerifyBudgets
}

// structuredWays returns the ways to run the program of a seed: by lane functions, as compiled code that is compared
// with them at each exit, as compiled code of warps that take turns, at every level that the host lacks, with a clock,
// in parts, and on two host threads.
func structuredWays(seed uint64) (all []structuredWay) {
	base := interp.Config{Divergence: kerneltest.Models[seed%3], PathOrder: kerneltest.Orders[seed/3%3]}
	with := func(set func(way *structuredWay)) {
		way := structuredWay{driven: driven{Config: base}}
		set(&way)
		all = append(all, way)
	}
	with(func(way *structuredWay) { way.Compile = interp.CompileNever })
	for _, verify := range []bool{true, false} {
		with(func(way *structuredWay) {
			way.Compile, way.Lanes, way.Verify = kerneltest.CompilationOf(seed), kerneltest.LevelOf(seed), verify
		})
	}
	switch seed % 4 {
	case 0:
		with(func(way *structuredWay) {
			way.Compile, way.Evaluate = kerneltest.CompilationOf(seed), kerneltest.NewCPU
			way.Lanes = kerneltest.EvaluatedLevels[seed/4%2]
		})
	case 1:
		with(func(way *structuredWay) {
			way.Compile, way.Lanes, way.timed = kerneltest.CompilationOf(seed), kerneltest.LevelOf(seed), true
		})
	case 2:
		with(func(way *structuredWay) {
			way.Compile, way.Lanes, way.Verify = kerneltest.CompilationOf(seed), kerneltest.LevelOf(seed), seed/4%2 == 0
			way.cut, way.budgets = 1+int(seed/8%50), int64(seed/4%4/2*50)
		})
	case 3:
		with(func(way *structuredWay) {
			way.Compile, way.Lanes, way.Threads = kerneltest.CompilationOf(seed), kerneltest.LevelOf(seed), 2
		})
	}
	return all
}

// run runs a launch. A panic of the compiler is an error.
func (way *structuredWay) run(m *interp.Machine, l interp.Launch) error {
	if way.timed {
		return runTimed(m, l)
	}
	m.CutEvery(way.cut)
	m.VerifyBudgets(way.budgets)
	s, err := functional.Begin(m, l)
	if err != nil {
		return err
	}
	if way.Threads > 1 {
		s.Alone, s.WorthHelp = 0, 0
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

// checkStructured runs the program of a seed.
func checkStructured(t *testing.T, seed uint64) {
	t.Helper()
	p := conformance.RandomStructured(seed)
	parsed := make(map[string]*isa.Module) // by source
	for _, way := range structuredWays(seed) {
		run := func(l conformance.Launch) (r conformance.Result, err error) {
			mod := parsed[l.Source]
			if mod == nil {
				if mod, err = asm.Parse("k.ptx", []byte(l.Source)); err != nil {
					return r, err
				}
				parsed[l.Source] = mod
			}
			if wrong := kerneltest.Miscompilation(func() { r, err = runModuleWith(mod, way.Config, l, way.run) }); wrong != nil {
				return r, wrong
			}
			return r, err
		}
		if p.Try(run) == nil {
			continue
		}
		p.Shrink(run)
		t.Fatalf("seed %d, %v, %v of %v, verified %t, evaluated %t, %d threads, parts of %d: %v\n%s", seed, way.driven, way.Compile, way.Lanes, way.Verify, way.Evaluate != nil, way.Threads, way.cut, p.Try(run), p)
	}
}

// TestStructuredProgramsMatchEvaluator: random programs of all instructions, with branches, switches, loops, exits of
// some lanes, calls, and products of matrices, in blocks of all shapes, leave what a separate evaluator computes for
// each lane.
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
	warmUp(f)
	f.Fuzz(checkStructured)
}
