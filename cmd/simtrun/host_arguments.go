package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/internal/check"
)

// ownFlags are flags of the host command that other programs hardly have. Names such as debug, gpu and timeout are left
// out: programs have such options, too.
var ownFlags = [...]string{"divergence", "error-exitcode", "fail-on", "junit", "launch-timeout", "require-launch", "sarif", "shared-init", "stand-ins", "suppressions"}

// noteMisplaced writes a note if an argument after the program, the first word, looks like a flag of the host command,
// which has no effect there.
func noteMisplaced(w io.Writer, words []string) {
	for i, argument := range words {
		if argument == "--" {
			return
		}
		name, value, assigned := strings.Cut(strings.TrimPrefix(argument, "--"), "=")
		if !strings.HasPrefix(argument, "--") {
			continue
		}
		if !assigned && i+1 < len(words) {
			value = words[i+1]
		}
		if slices.Contains(ownFlags[:], name) || name == "check" && areChecks(value) {
			fmt.Fprintf(w, "simtrun: note: --%s stands after %s, so it is an argument of the program; flags of simtrun host stand before it\n", name, words[0])
			return
		}
	}
}

// listFlags make a program list its tests instead of running them: in GoogleTest, in Catch2 and in doctest. CMake runs
// such programs with these flags when they are built.
var listFlags = [...]string{"--gtest_list_tests", "--list-tests", "--list-test-names-only", "--list-test-cases"}

// listsTests reports whether a program with some arguments lists its tests, for which it launches no kernel.
func listsTests(arguments []string) bool {
	return slices.ContainsFunc(arguments, func(a string) bool { return slices.Contains(listFlags[:], a) })
}

// areChecks reports whether the list has checks only, as --check takes them.
func areChecks(list string) bool {
	kinds := check.ProgramKinds()
	return !slices.ContainsFunc(strings.Split(list, ","), func(word string) bool { return !slices.Contains(kinds, word) })
}
