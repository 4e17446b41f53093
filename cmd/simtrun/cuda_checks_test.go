package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/short"
)

// ruleInBrackets matches the rule at the end of a finding's first line.
var ruleInBrackets = regexp.MustCompile(`\.cu:\d+:\d+: (?:error|warning): .*\[([a-z]+-[a-z-]+)\]`)

// TestChecksOfCUDA runs kernels with all checks: each mistake is found under its rule, with its advice, and correct
// kernels that differ from it in a line have no finding. If cases take turns, a quarter of them runs.
func TestChecksOfCUDA(t *testing.T) {
	needsClang(t)
	for i, c := range kerneltest.Cases(t, "testdata/cuda_checks.txt", "finds", "advises") {
		if short.Skips(i) || short.Waits(i, 4) {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			got := simtrunIn(t.Context(), cudaFolder(t, c.Body), "run", "k.cu", "--check", "all")
			var rules []string
			for _, m := range ruleInBrackets.FindAllStringSubmatch(got.stderr, -1) {
				if !slices.Contains(rules, m[1]) {
					rules = append(rules, m[1])
				}
			}
			slices.Sort(rules)
			if diff := cmp.Diff(strings.Join(c.Values("finds"), " "), strings.Join(rules, " ")); diff != "" {
				t.Errorf("rules (-want +got):\n%s\n%s", diff, got.stderr)
			}
			for _, advice := range c.Values("advises") {
				if !strings.Contains(got.stderr, "fix     "+advice+"\n") {
					t.Errorf("no advice %q in\n%s", advice, got.stderr)
				}
			}
		})
	}
}
