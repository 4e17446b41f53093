package conformance

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/isa"
)

// TestEveryComputationIsFuzzed holds the opcodes without a pattern to those that
// need more than the values of their operands.
func TestEveryComputationIsFuzzed(t *testing.T) {
	fuzzed := make(map[string]bool)
	for _, group := range allPatterns() {
		fuzzed[group[0].op] = true
	}
	var left []string
	for _, row := range isa.Specs() {
		if row.Kind == isa.Compute && !fuzzed[row.Name] {
			left = append(left, row.Name)
		}
	}
	want := []string{"activemask", "clusterlaunchcontrol", "clusterlaunchcontrol", "clusterlaunchcontrol", "clusterlaunchcontrol", "clusterlaunchcontrol", "createpolicy", "createpolicy", "createpolicy", "cvta", "getctarank", "isspacep", "lg2", "mapa", "mbarrier", "stackrestore", "stacksave"}
	if diff := cmp.Diff(want, left); diff != "" {
		t.Errorf("opcodes that compute and have no pattern (-want +got):\n%s", diff)
	}
}
