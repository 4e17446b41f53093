// Package linear checks in tests that work takes time linear in the size of its input.
package linear

import (
	"testing"
	"time"
)

const (
	growth = 16 // of the input
	most   = 60 // growth of the cost; that of a quadratic algorithm is 256
	slack  = 20 * time.Millisecond
	tries  = 5 // the garbage collector may run in any of them, and other processes may slow down the machine
)

// Check fails the test if an input 16 times as large costs more than 60 times as much, plus 20 ms. Cost returns the
// CPU time that an input of size n takes. Each try measures both sizes, so that the machine is equally fast for both;
// one good try is enough.
func Check(t testing.TB, n int, cost func(n int) time.Duration) {
	t.Helper()
	var small, large time.Duration
	for range tries {
		small = min(cost(n), cost(n), cost(n))
		large = cost(growth * n)
		if large <= most*small+slack {
			return
		}
	}
	t.Errorf("size %d takes %v, size %d takes %v; the limit is %v", n, small, growth*n, large, most*small+slack)
}
