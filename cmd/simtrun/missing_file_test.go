package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// TestMissingFilesAreNamedInWords: no command answers with the system's text if a file is missing that is an argument
// or the value of a flag.
func TestMissingFilesAreNamedInWords(t *testing.T) {
	t.Chdir(t.TempDir())
	system := regexp.MustCompile(`no such file or directory|\b(open|stat|lstat|read|openat) \S+:|is a directory`)
	said := 0
	answer := func(args ...string) {
		got := simtrun(t, triple, args...)
		if m := system.FindString(got.stdout + got.stderr); m != "" {
			t.Errorf("%v: %q in %q", args, m, got.stdout+got.stderr)
		}
		if got.code != exitOK {
			said++
		}
	}
	for _, c := range newRoot().Commands() {
		takesFiles := strings.Contains(c.Use, "FILE") || strings.Contains(c.Use, "DIR") || strings.Contains(c.Use, "PROGRAM") ||
			c.Use == "diff A B" || c.Use == "report RUN"
		if !c.IsAvailableCommand() || !takesFiles {
			continue
		}
		for _, missing := range []string{"none", "none.s", "none.cu", "none.toml", "none/...", "none/none.s", "./none", "."} {
			answer(c.Name(), missing)
			if c.Name() == "diff" {
				answer(c.Name(), missing, missing)
			}
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			what, _ := pflag.UnquoteUsage(f)
			if what != fileValue && what != "DIR" && f.Name != "gpu" {
				return
			}
			for _, missing := range []string{"gone/gone", "./gone.toml/"} {
				answer(c.Name(), "FILE", "--"+f.Name, missing)
			}
		})
	}
	for _, content := range []string{"--arg=a=@none", "--arg=a=@none/none", "--expect=a == @none", "--dump=a=@none/none"} {
		answer("run", "FILE", content)
	}
	if said < 100 {
		t.Errorf("only %d answers were errors", said)
	}
}
