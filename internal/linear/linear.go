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
	tries  = 5 // the garbage collector may run in any of them
)

// Check fails the test if an input 16 times as large costs more than 60 times as much, plus 20 ms. Cost returns the
// CPU time that an input of size n takes. The best of several tries counts.
func Check(t testing.TB, n int, cost func(n int) time.Duration) {
	t.Helper()
	small := min(cost(n), cost(n), cost(n))
	limit := most*small + slack
	large := cost(growth * n)
	for i := 1; i < tries && large > limit; i++ {
		large = min(large, cost(growth*n))
	}
	if large > limit {
		t.Errorf("size %d takes %v, size %d takes %v; the limit is %v", n, small, growth*n, large, limit)
	}
}
