package native_test

import (
	"bytes"
	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/interp"
	"math/rand/v2"
	"testing"
)

// TestEvaluatedTemplatesAgree executes forms of the table that have a template by lane functions and evaluated: a part
// of those of TestTemplatesMatchLaneFunctions.
func TestEvaluatedTemplatesAgree(t *testing.T) {
	short.Alternates(t, 1, 3)
	const part = 48
	n := 0
	for _, s := range isa.Specs() {
		if !s.HasTemplates() || s.Kind != isa.Compute {
			continue
		}
		for form := range s.Forms() {
			for _, tt := range append(templateTrials(form), vectorTrials(form)...) {
				if n++; n%part == 0 && !short.Skips(n/part) {
					tt.evaluate(t, uint64(n))
				}
			}
		}
	}
}

// evaluate executes the trial by lane functions and evaluated, if there is such an instruction.
func (tt *templateTrial) evaluate(t *testing.T, seed uint64) {
	source, columns := tt.kernel(0)
	in := tt.values(rand.New(rand.NewPCG(seed, 0)))
	mod, err := asm.Parse("k.ptx", []byte(source))
	if err != nil {
		return // TestTemplatesMatchLaneFunctions reports it
	}
	want := runTrial(t, mod, interp.Config{Compile: interp.CompileNever}, in, columns)
	for _, level := range kerneltest.EvaluatedLevels {
		if got := runTrial(t, mod, interp.Config{Compile: interp.CompileAlways, Lanes: level, Evaluate: kerneltest.NewCPU}, in, columns); !bytes.Equal(want, got) {
			t.Errorf("%s, %v: %s", tt.in.Mnemonic(), level, firstDifference(source, want, got))
		}
	}
}
