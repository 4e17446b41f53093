package kerneltest

import (
	"context"
	"encoding/binary"
	"flag"
	"sync"
	"testing"

	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes/evaluate"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

var evaluates = flag.Bool("evaluate", false, "evaluate machine code, at every level on every host")

// New makes a machine for tests of compiled code, with Config(cfg).
func New(mod *isa.Module, cfg interp.Config) (*interp.Machine, error) {
	return interp.New(mod, Config(cfg))
}

// Config returns the configuration of machines for tests of compiled code. They enter code with other mask registers
// and with vectors of 0, because code may be entered by another thread of the host than the one on which it exited.
//
// With -evaluate a model of the CPU executes all code, so that every host tests every level; it spoils all registers at
// each entry, too.
func Config(cfg interp.Config) interp.Config {
	if cfg.Evaluate == nil && Evaluates() {
		cfg.Evaluate = NewCPU
	}
	if code := spoiling(); code != nil {
		before := cfg.BeforeCode
		cfg.BeforeCode = func(e *interp.Engine, entry uintptr) {
			if before != nil {
				before(e, entry)
			}
			jit.Enter(code.Addr(0), nil)
		}
	}
	return cfg
}

// SkipVerified skips a test about threads, turns of warps, or allocations if SIMTRUN_LANES asks for verification:
// verified launches run on one thread, without turns, and copy memory.
func SkipVerified(t testing.TB) {
	t.Helper()
	if jit.Verifies() {
		t.Skip("verified launches run on one thread, without turns, and copy memory")
	}
}

// spoiling returns code that spoils registers, or nil if the host's best level is not AVX-512.
var spoiling = sync.OnceValue(func() *jit.Code {
	if level, err := jit.Chosen(); err != nil || level != jit.AVX512 {
		return nil
	}
	// vzeroall; kxorw k1, k1, k1; … kxorw k7, k7, k7; ret
	code, err := jit.NewCode([]byte("\xc5\xfc\x77\xc5\xf4\x47\xc9\xc5\xec\x47\xd2\xc5\xe4\x47\xdb\xc5\xdc\x47\xe4\xc5\xd4\x47\xed\xc5\xcc\x47\xf6\xc5\xc4\x47\xff\xc3"), 0)
	if err != nil {
		panic(err)
	}
	return code
})

// Evaluates reports whether tests evaluate all machine code.
func Evaluates() bool { return *evaluates }

// NewCPU makes a model of the CPU, for interp.Config.Evaluate.
func NewCPU() interp.Evaluator { return new(evaluate.CPU) }

// Levels returns the levels of machine code of tests, the best first: those of the host, up to the one that the
// environment forces, or jit.None alone. With -evaluate there are all of them.
func Levels() (all []jit.Level) {
	if Evaluates() {
		return []jit.Level{jit.AVX512, jit.AVX2}
	}
	level, _ := jit.Chosen()
	for ; level > jit.None; level-- {
		all = append(all, level)
	}
	if all == nil {
		return []jit.Level{jit.None}
	}
	return all
}

// EvaluatedLevels are all levels of machine code.
var EvaluatedLevels = []jit.Level{jit.AVX2, jit.AVX512}

// LevelOf returns the level at which a test compiles case number n. Levels alternate, also among the cases that are
// left with -short.
func LevelOf[N int | uint64](n N) jit.Level {
	all := Levels()
	return all[uint64(n+n/short.Part)%uint64(len(all))]
}

// CompilationOf returns when case number n is compiled: completely before the first instruction, or the rest of the
// code when it is needed.
func CompilationOf[N int | uint64](n N) interp.Compilation {
	return [...]interp.Compilation{interp.CompileAlways, interp.CompileWanted}[uint64(n/3%2)]
}

// MustCompile runs a launch, and fails the test if a function could not be compiled or the launch ends with an error.
func MustCompile(t testing.TB, m *interp.Machine, l interp.Launch) {
	t.Helper()
	s, err := functional.Begin(m, l)
	if err == nil {
		err = s.Continue(context.Background())
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range s.Uncompiled() {
		t.Error(u.String())
	}
}

// Miscompilation returns the difference with which a run panics (see interp.Config.Verify), or nil.
func Miscompilation(run func()) (wrong *interp.Miscompiled) {
	defer func() {
		if p := recover(); p != nil {
			ok := false
			if wrong, ok = p.(*interp.Miscompiled); !ok {
				panic(p)
			}
		}
	}()
	run()
	return nil
}

// WordsOf returns the words of a region.
func WordsOf(r *memory.Region) []uint32 {
	v := make([]uint32, len(r.Data)/4)
	for i := range v {
		v[i] = binary.LittleEndian.Uint32(r.Data[4*i:])
	}
	return v
}
