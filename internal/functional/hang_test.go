package functional_test

import (
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
)

// TestHangsNameWaitingLanes checks the contents of a hang's report: its rule, its place, and which lanes wait or spin
// where.
func TestHangsNameWaitingLanes(t *testing.T) {
	cases := kerneltest.Cases(t, "testdata/hangs.txt", "says")
	cases = append(cases, kerneltest.Case{Name: "more steps than allowed in a straight line", Head: []kerneltest.Line{{Key: "says", Value: "step limit"}},
		Body: strings.Repeat("\tadd.u32 %r1, %r1, 1;\n", 10001) + "\tret;\n}"})
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			_, _, err := kerneltest.Kernel{Source: kerneltest.Entry + "\n" + c.Body, Block: kerneltest.Dim(64, 1), Words: []int{1}, Config: interp.Config{MaxSteps: 10000}}.Run(t)
			kerneltest.WantHang(t, err, c.Values("says")...)
		})
	}
}
