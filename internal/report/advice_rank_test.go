package report

import (
	"slices"
	"testing"
)

// TestAdviceIsRankedByGain: advice is in the order of its gain, except in a launch that leaves SMs without a block:
// there it is what the source can change, then waits for instructions, most of which are those of a first execution,
// then the grid.
func TestAdviceIsRankedByGain(t *testing.T) {
	conflicts := Advice{Rule: "bank-conflicts", Place: Place{Line: 9}, Share: 0.2}
	fetches := Advice{Rule: "stall-no_instruction", Share: 0.25}
	blocks := Advice{Rule: fewBlocks, Share: 0.99}
	for _, want := range [][]string{
		{fetches.Rule, conflicts.Rule},
		{conflicts.Rule, fetches.Rule, blocks.Rule},
	} {
		a := &adviser{all: []Advice{blocks, fetches, conflicts}[3-len(want):]}
		a.rank()
		var got []string
		for _, one := range a.all {
			got = append(got, one.Rule)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	}
}
