package short

import "testing"

// TestCommitsInARowTryEachCaseOnce: whichever commit is the first, n commits try all cases, each once, and each commit
// tries its share, with all residues of i modulo n.
func TestCommitsInARowTryEachCaseOnce(t *testing.T) {
	for n := 1; n <= 6; n++ {
		cases := n * n * 4
		for first := range 2 * n {
			tried := make([]int, cases)
			for turn := first; turn < first+n; turn++ {
				share, residues := 0, make(map[int]bool)
				for i := range cases {
					if !waits(turn, i, n) {
						tried[i]++
						share++
						residues[i%n] = true
					}
				}
				if share != cases/n || len(residues) != n {
					t.Errorf("commit %d of shares of 1/%d tries %d of %d cases, %d residues", turn, n, share, cases, len(residues))
				}
			}
			for i, count := range tried {
				if count != 1 {
					t.Errorf("commits %d to %d try case %d %d times", first, first+n-1, i, count)
				}
			}
		}
	}
}

// TestTurnsAreNumbers: a variable that is empty or malformed tries all cases.
func TestTurnsAreNumbers(t *testing.T) {
	for text, want := range map[string]bool{"": false, "x": false, "-1": false, "0": true, "2317": true} {
		if _, ok := turnOf(text); ok != want {
			t.Errorf("%q: a turn is %v, want %v", text, ok, want)
		}
	}
}
