// Package short says how many cases a test tries under go test -short, for tests
// that take long without it.
package short

import "testing"

// Part is the fraction of the cases that is tried: one of this many.
const Part = 16

// Of is n, or under -short a sixteenth of it, rounded up.
func Of(n int) int {
	if testing.Short() {
		return (n + Part - 1) / Part
	}
	return n
}

// Skips reports whether case number i of many is left out: under -short all but
// every sixteenth.
func Skips(i int) bool { return testing.Short() && i%Part != 0 }

// Skip leaves the test out under -short: it takes more than a second, and shorter tests reach the same code.
func Skip(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("it takes long: left out under -short")
	}
}
