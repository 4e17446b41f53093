package linear

import (
	"testing"
	"time"
)

// recorder is a test that records whether it failed.
type recorder struct {
	testing.TB
	failed bool
}

func (r *recorder) Helper()               {}
func (r *recorder) Errorf(string, ...any) { r.failed = true }

// TestQuadraticCostFails: a cost that grows with n passes, also after one slow try and on a machine that gets slower; a
// cost that grows with the square fails.
func TestQuadraticCostFails(t *testing.T) {
	slow := true // the first try of the large input
	calls := 0
	for name, c := range map[string]struct {
		cost  func(n int) time.Duration
		fails bool
	}{
		"linear": {func(n int) time.Duration { return time.Duration(n) * time.Millisecond }, false},
		"slow once": {func(n int) time.Duration {
			if n > 100 && slow {
				slow = false
				return time.Hour
			}
			return time.Duration(n) * time.Millisecond
		}, false},
		"slower machine": {func(n int) time.Duration {
			if calls++; calls > 3 {
				n *= 5
			}
			return time.Duration(n) * time.Millisecond
		}, false},
		"quadratic": {func(n int) time.Duration { return time.Duration(n*n) * time.Microsecond }, true},
	} {
		r := &recorder{TB: t}
		Check(r, 100, c.cost)
		if r.failed != c.fails {
			t.Errorf("%s: failed is %v, want %v", name, r.failed, c.fails)
		}
	}
}
