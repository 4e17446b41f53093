package main

import (
	"regexp"
	"strings"
	"testing"
)

// TestCodeShowsStages checks that asm --code shows the stages of a kernel in order, or the requested one.
func TestCodeShowsStages(t *testing.T) {
	const vecadd = "../../programs/vecadd.s"
	stage := func(args ...string) string {
		got := typed(t, append([]string{"asm", vecadd}, args...)...)
		if got.code != 0 || got.stderr != "" {
			t.Fatalf("%v: exit status %d: %s", args, got.code, got.stderr)
		}
		return got.stdout
	}
	all := stage("--code", "vecadd")
	want := regexp.MustCompile(`(?s)^plan of vecadd: 31 instructions.*\n   21  load     vector     ld\.global\.f32 %f1, \[%rd5\];\n.*\nregions of vecadd\n.*\ncode of vecadd: \d+ bytes, for avx`)
	if !want.MatchString(all) {
		t.Errorf("--code vecadd:\n%s", all)
	}
	if one := stage("--code=:plan"); !strings.HasPrefix(all, one) || strings.Contains(one, "regions of") {
		t.Errorf("--code=:plan:\n%s", one)
	}
}

// TestUnknownCodeListsKnownOnes checks that an unknown value of --code is an error that lists the known ones.
func TestUnknownCodeListsKnownOnes(t *testing.T) {
	for _, c := range []struct {
		flags []string
		want  string
	}{
		{[]string{"--code", "vecsub"}, `simtrun: --code vecsub: no kernel "vecsub" in ../../programs/vecadd.s; there is vecadd`},
		{[]string{"--code", "vecadd:assembly"}, `simtrun: --code vecadd:assembly: no stage "assembly"; there are plan, regions, code, exits`},
		{[]string{"--code", "vecadd", "--ptx"}, `simtrun: --code cannot be combined with --ptx or --cfg`},
	} {
		got := typed(t, append([]string{"asm", "../../programs/vecadd.s"}, c.flags...)...)
		if got.code != 2 || !strings.HasPrefix(got.stderr, c.want) {
			t.Errorf("%v: exit status %d, %s", c.flags, got.code, got.stderr)
		}
	}
}
