package short

import (
	"flag"
	"os"
	"strconv"
	"sync"
	"testing"
)

// turnVariable is an environment variable with the number of the share that a test tries of cases that are drawn at
// random, or that are many for each path of the code: 0 if it is not set. .ci/steps/30-test sets it to the number of
// commits, so that commits in a row try all shares. allShares tries all cases.
const (
	turnVariable = "SIMTRUN_TEST_TURN"
	allShares    = "all"
)

// turn is read by tests, not before them: go test keeps results for the variables that tests read.
var turn = sync.OnceValues(func() (turn int, all bool) { return turnOf(os.Getenv(turnVariable), updates()) })

// turnOf returns the share that a value of turnVariable asks for. A test that writes golden files tries all cases.
func turnOf(text string, updates bool) (turn int, all bool) {
	if text == allShares || updates {
		return 0, true
	}
	if text == "" {
		return 0, false
	}
	turn, err := strconv.Atoi(text)
	if err != nil || turn < 0 {
		panic(turnVariable + "=" + text + ": it is a number from 0, or " + allShares)
	}
	return turn, false
}

// updates reports whether the test writes its golden files: flag -update, by convention.
func updates() bool {
	f := flag.Lookup("update")
	return f != nil && f.Value.String() == "true"
}

// Waits reports whether case number i of many is left to another commit. Of each n commits in a row, one tries the
// case. Under -short no case waits: Skips leaves few, which might all be left to the same commit.
func Waits(i, n int) bool {
	if testing.Short() {
		return false
	}
	turn, all := turn()
	return !all && waits(turn, i, n)
}

// waits: of each n cases in a row a commit tries one. It is another one of the next n, so that a property of the case
// that depends on i % n varies within a commit.
func waits(turn, i, n int) bool { return (i+i/n)%n != turn%n }

// Alternates skips the test for all commits but one of n: the one for which Waits would try case k of n. Under -short
// it is left out: a test that takes turns as a whole takes long.
func Alternates(t testing.TB, k, n int) {
	t.Helper()
	Skip(t)
	if Waits(k, n) {
		t.Skipf("one commit of %d runs it", n)
	}
}
