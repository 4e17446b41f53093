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

// TestTurnVariableSelectsShare: without the variable a test tries the first share, and all cases if it writes golden
// files. A value that is neither a number nor "all" is an error, as it would try other cases than it says.
func TestTurnVariableSelectsShare(t *testing.T) {
	type share struct {
		turn int
		all  bool
	}
	for text, want := range map[string]share{"": {0, false}, "0": {0, false}, "2317": {2317, false}, "all": {0, true}} {
		if turn, all := turnOf(text, false); (share{turn, all}) != want {
			t.Errorf("%q: share %d, all %v, want %v", text, turn, all, want)
		}
		if _, all := turnOf(text, true); !all {
			t.Errorf("%q: -update leaves out cases", text)
		}
	}
	for _, text := range []string{"x", "-1", "1/3"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%q is accepted", text)
				}
			}()
			turnOf(text, false)
		}()
	}
}
