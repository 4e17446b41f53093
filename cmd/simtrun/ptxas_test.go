package main

import "testing"

// TestTargetsRunOnListedArchitectures checks the architectures that the PTX ISA lists for a target; the rest of the
// .target line has no influence.
func TestTargetsRunOnListedArchitectures(t *testing.T) {
	for _, c := range []struct {
		target, arch string
		want         bool
	}{
		{"", "sm_52", true},
		{"sm_80", "sm_80", true},
		{"sm_80", "sm_100", true},
		{"sm_80", "sm_75", false},
		{"sm_80, debug", "sm_86", true},
		{"sm_90a", "sm_90a", true},
		{"sm_90a, debug", "sm_90a", true},
		{"sm_90a", "sm_90", false},
		{"sm_90a", "sm_100a", false},
		{"sm_90", "sm_90a", true},
		{"sm_100f", "sm_100f", true},
		{"sm_100f", "sm_103a", true},
		{"sm_100f", "sm_120f", false},
		{"sm_103f", "sm_100f", false},
	} {
		if got := runsOn(c.target, c.arch); got != c.want {
			t.Errorf(".target %s for %s: %v", c.target, c.arch, got)
		}
	}
}
