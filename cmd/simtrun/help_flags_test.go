package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// TestFlagGroupsListEachFlagOnce: the help of each command lists each of its flags once, the groups have flags of
// commands only, each once, and the commands with the most flags have all of theirs in groups.
func TestFlagGroupsListEachFlagOnce(t *testing.T) {
	known := make(map[string]bool)
	for _, c := range newRoot().Commands() {
		c.InitDefaultHelpFlag()
		var b strings.Builder
		writeFlags(&b, c.LocalFlags())
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			known[f.Name] = true
			if n := strings.Count(b.String(), " --"+f.Name+" "); !f.Hidden && n == 0 {
				t.Errorf("the help of %s does not list --%s", c.Name(), f.Name)
			}
			if slices.Contains([]string{"run", "host", "profile", "debug"}, c.Name()) && !f.Hidden && groupOf(f.Name) == 0 {
				t.Errorf("--%s of %s is in no group", f.Name, c.Name())
			}
		})
		if got, want := strings.Count(b.String(), "\n  "), strings.Count("\n"+flagUsages(c.LocalFlags()), "\n  "); got != want {
			t.Errorf("the help of %s has %d lines with flags, want %d", c.Name(), got, want)
		}
	}
	var all []string
	for _, g := range flagGroups {
		for _, name := range strings.Fields(g.names) {
			if !known[name] || slices.Contains(all, name) {
				t.Errorf("--%s of %s is no flag, or in two groups", name, g.title)
			}
			all = append(all, name)
		}
	}
}

// TestHelpOmitsDefaultsThatAreNoLimit: a flag that says which value is no limit needs no "(default 0s)" after it; a
// default that is a limit is shown.
func TestHelpOmitsDefaultsThatAreNoLimit(t *testing.T) {
	var withoutLimit []string
	for _, c := range newRoot().Commands() {
		for line := range strings.Lines(flagUsages(c.LocalFlags())) {
			_, limit, found := strings.Cut(strings.TrimSpace(line), "is no limit")
			if !found {
				continue
			}
			if strings.Contains(limit, "default 0") || strings.Contains(limit, "default -1") {
				t.Errorf("%s: %s", c.Name(), line)
			}
			withoutLimit = append(withoutLimit, strings.Fields(line)[0])
		}
	}
	for _, flag := range []string{"--timeout", "--launch-timeout", "--budget", "--preemptions"} {
		if !slices.Contains(withoutLimit, flag) {
			t.Errorf("no line of %s says which value is no limit", flag)
		}
	}
	limited := pflag.NewFlagSet("", pflag.ContinueOnError)
	limited.Int("steps", 7, "at most `N` steps; 0 is no limit")
	limited.Int("tens", 10, "at most `N` tens; 0 is no limit")
	if got := flagUsages(limited); !strings.Contains(got, "(default 7)") || !strings.Contains(got, "(default 10)") {
		t.Errorf("the defaults are missing in\n%s", got)
	}
}
