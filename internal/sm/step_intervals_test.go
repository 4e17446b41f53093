package sm_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/sm"
)

// TestReorderedCodeKeepsPipesBusy: an instruction keeps its pipe busy for the issue interval of its class in code that
// the assembler has reordered, too. Independent instructions of one warp therefore issue one interval apart. Reading
// their three sources takes two cycles for 32 bits and three for 64 bits, less than the interval: no two neighbours
// share a source, and a register bank gives one operand a cycle.
func TestReorderedCodeKeepsPipesBusy(t *testing.T) {
	for _, c := range []struct {
		gpu, op, register string
		interval          float64 // cycles, as the preset has it with its source
	}{
		{"v100", "fma.rn.f64", "%fd", 4},
		{"v100", "mad.hi.u32", "%r", 4},
		{"a100", "fma.rn.f64", "%fd", 4},
		{"h100", "mad.hi.u32", "%r", 4},
		{"a6000", "fma.rn.f64", "%fd", 16},
	} {
		cycles := func(n int) float64 {
			var kernel strings.Builder
			kernel.WriteString(".entry k()\n{\n")
			for i := range n {
				a := 10 + 3*(i%4)
				fmt.Fprintf(&kernel, "\t%[1]s %[2]s%[3]d, %[2]s%[4]d, %[2]s%[5]d, %[2]s%[6]d;\n", c.op, c.register, 30+i, a, a+1, a+2)
			}
			kernel.WriteString("\tret;\n}")
			timing, _ := timed(t, preset(t, c.gpu), 1, 32, 0, kernel.String(), sm.Options{})
			return float64(timing.Cycles)
		}
		if got := (cycles(96) - cycles(32)) / 64; got != c.interval {
			t.Errorf("%s: %s: issues %.2f cycles apart, want %v", c.gpu, c.op, got, c.interval)
		}
	}
}
