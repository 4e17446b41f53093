package interp

import (
	"flag"
	"os"
	"testing"

	"github.com/simtrun/simtrun/internal/lanes/evaluate"
	"github.com/simtrun/simtrun/internal/lanes/jit"
)

// TestMain makes all tests of the package enter code with other mask registers and with vectors of 0, because code
// may be entered by another thread of the host than the one on which it exited.
//
// With -evaluate a model of the CPU executes all code, so that every host tests every level; it spoils all registers at
// each entry, too.
func TestMain(m *testing.M) {
	flag.BoolFunc("evaluate", "evaluate machine code, at every level on every host", func(string) error {
		evaluateAll = NewCPU
		return nil
	})
	if level, err := jit.Chosen(); err == nil && level == jit.AVX512 {
		// vzeroall; kxorw k1, k1, k1; … kxorw k7, k7, k7; ret
		code, err := jit.NewCode([]byte("\xc5\xfc\x77\xc5\xf4\x47\xc9\xc5\xec\x47\xd2\xc5\xe4\x47\xdb\xc5\xdc\x47\xe4\xc5\xd4\x47\xed\xc5\xcc\x47\xf6\xc5\xc4\x47\xff\xc3"), 0)
		if err != nil {
			panic(err)
		}
		beforeCode = func(*Engine, uintptr) { jit.Enter(code.Addr(0), nil) }
	}
	os.Exit(m.Run())
}

// EvaluatesAll reports whether tests evaluate all machine code.
func EvaluatesAll() bool { return evaluateAll != nil }

// NewCPU makes a model of the CPU, for Config.Evaluate.
func NewCPU() Evaluator { return new(evaluate.CPU) }
