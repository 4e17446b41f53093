package short

import (
	"os"
	"strconv"
	"sync"
)

// TurnVariable is an environment variable with a number that grows by one with each commit. .ci/steps/30-test sets it:
// of cases that are drawn at random, or that are many for each path of the code, a commit then tries a share. Without
// the variable a test tries all of its cases.
const TurnVariable = "SIMTRUN_TEST_TURN"

// turn is read by tests, not before them: go test keeps results for the variables that tests read.
var turn = sync.OnceValues(func() (turn int, ok bool) { return turnOf(os.Getenv(TurnVariable)) })

func turnOf(text string) (turn int, ok bool) {
	turn, err := strconv.Atoi(text)
	return turn, err == nil && turn >= 0
}

// Waits reports whether case number i of many is left to another commit. Of each n commits in a row, one tries the
// case.
func Waits(i, n int) bool {
	turn, ok := turn()
	return ok && waits(turn, i, n)
}

// waits: of each n cases in a row a commit tries one. It is another one of the next n, so that a property of the case
// that depends on i % n varies within a commit.
func waits(turn, i, n int) bool { return (i+i/n)%n != turn%n }
