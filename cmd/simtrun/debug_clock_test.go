package main

import (
	"regexp"
	"strings"
	"testing"
)

// TestSteppingKeepsCycles checks that launches executed step by step take as many cycles as uninterrupted ones, and
// leave the same memory.
func TestSteppingKeepsCycles(t *testing.T) {
	dumps := regexp.MustCompile(`(?ms)^\w+\[0:\d+\] .*?(^expect)`)
	cycles := regexp.MustCompile(`cycles (\d+)`)
	for _, name := range []string{"reduce_tree", "histogram", "look_back", "recursion", "ping_pong", "divergent_barrier"} {
		file := "../../programs/" + name + ".s"
		run := typed(t, file)
		want := cycles.FindAllString(run.stdout, -1)
		for _, commands := range [][]string{{"-e", "continue"}, {"-e", "step -cycle 7", "-e", "info schedulers", "-e", "step 3", "-e", "step -cycle 1000", "-e", "info scoreboard", "-e", "why", "-e", "continue", "-e", "continue"}} {
			got := typed(t, append([]string{"debug", file, "--timed", "--batch"}, commands...)...)
			text := regexp.MustCompile(`(?m)^\S+ ended .*$`).FindAllString(got.stdout, -1)
			if has := cycles.FindAllString(strings.Join(text, "\n"), -1); strings.Join(has, " ") != strings.Join(want, " ") {
				t.Errorf("%s %v: %v, and by simtrun run %v\n%s", name, commands, has, want, got.stdout)
			}
			if a, b := dumps.FindString(run.stdout), dumps.FindString(got.stdout); a != b || a == "" || strings.Contains(got.stdout, "failed") {
				t.Errorf("%s %v:\n%s\nand by simtrun run\n%s", name, commands, b, a)
			}
		}
	}
}

func TestClockFlagsOfDebugAreChecked(t *testing.T) {
	for _, c := range []struct {
		want string
		args []string
	}{
		{"--sched needs launches with a clock: pass --timed", []string{"--sched", "lrr"}},
		{"--timed: the launch is functional", []string{"--timed", "--functional"}},
		{"--sched none", []string{"--timed", "--sched", "none"}},
	} {
		if got := simtrun(t, triple, append([]string{"debug", "FILE"}, c.args...)...); got.code != 2 || !strings.Contains(got.stderr, c.want) {
			t.Errorf("%v: %d %s", c.args, got.code, got.stderr)
		}
	}
}
