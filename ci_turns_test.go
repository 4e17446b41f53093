package simtrun_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// ciTurns is the number of turns of .ci/turns.
const ciTurns = 12

// TestTurnsOfChecksAreEven: each check that takes turns is in .ci/turns with turns of its own, each of these checks is
// one of a step, and no turn takes 20 seconds of CPU time more than the average.
func TestTurnsOfChecksAreEven(t *testing.T) {
	text, err := os.ReadFile(".ci/turns")
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	var seconds [ciTurns]int
	all := 0
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if fields[0] == "#" {
			continue
		}
		listed = append(listed, fields[0])
		for _, turn := range fields[2:] {
			i, cost := mustAtoi(t, turn), mustAtoi(t, fields[1])
			seconds[i] += cost
			all += cost
		}
		if turns := fields[2:]; len(turns) == 0 || len(slices.Compact(slices.Sorted(slices.Values(turns)))) != len(turns) {
			t.Errorf(".ci/turns: %s has the turns %q", fields[0], turns)
		}
	}
	if slices.Max(seconds[:]) > all/ciTurns+20 {
		t.Errorf("the turns of .ci/turns take %d seconds of CPU time, %d on average: give a check other turns", seconds, all/ciTurns)
	}
	if asked := checksThatAskForTurns(t); !slices.Equal(slices.Sorted(slices.Values(listed)), asked) {
		t.Errorf(".ci/turns lists the checks %q, and .ci/steps asks for the turns of %q", listed, asked)
	}
}

// checksThatAskForTurns returns the names of the checks for which scripts of .ci/steps call its_turn, sorted.
func checksThatAskForTurns(t *testing.T) []string {
	steps, err := filepath.Glob(".ci/steps/*")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, step := range steps {
		text, err := os.ReadFile(step)
		if err != nil {
			t.Fatal(err)
		}
		for _, call := range regexp.MustCompile(`its_turn ([\w-]+)`).FindAllSubmatch(text, -1) {
			names = append(names, string(call[1]))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func mustAtoi(t *testing.T, text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
