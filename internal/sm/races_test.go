package sm_test

import (
	"testing"

	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/interp"
)

// racingIn returns the cases of a text file, and the launch of each.
func racingIn(t *testing.T, file string) (cases []kerneltest.Case, launches []racing) {
	t.Helper()
	keys := []string{"ctas", "block", "words", "steps", "launch-steps", "dual-issue", "again", "succeeds"}
	cases = kerneltest.Cases(t, file, keys...)
	for i := range cases {
		c := &cases[i]
		launches = append(launches, racing{
			source: c.Body, ctas: c.Dim(t, "ctas").X, block: c.Dim(t, "block").X, words: int(c.Dim(t, "words").X),
			cfg:     interp.Config{GPU: few(t, "h100", 7)},
			options: sm.Options{DualIssue: c.Has("dual-issue")},
		})
		if cfg := &launches[i].cfg; c.Has("steps") {
			cfg.MaxSteps = uint64(c.Dim(t, "steps").X)
		} else if c.Has("launch-steps") {
			cfg.MaxLaunchSteps = uint64(c.Dim(t, "launch-steps").X)
		}
	}
	return cases, launches
}

// TestRacesAreTheSameInAllWindows: kernels with data races, faults, hangs, limits, prints and allocations do the
// same, and fail with the same errors, for every window and number of threads.
func TestRacesAreTheSameInAllWindows(t *testing.T) {
	short.Alternates(t, 2, 3)
	for _, file := range []string{"testdata/races.txt", "testdata/failing.txt"} {
		cases, launches := racingIn(t, file)
		for i, c := range cases {
			t.Run(c.Name, func(t *testing.T) {
				r := &launches[i]
				if diff := r.same(t); diff != "" {
					t.Error(diff)
				}
				if got := r.run(t, 0, 1); (got.Error != "") != (file == "testdata/failing.txt" && !c.Has("succeeds")) {
					t.Errorf("it ends with %q", got.Error)
				}
			})
		}
	}
}

// TestRepeatedRacesAreSame: repeated runs are the same: a hundred of four kernels with races, a few of the others.
func TestRepeatedRacesAreSame(t *testing.T) {
	short.Alternates(t, 0, 3)
	cases, launches := racingIn(t, "testdata/races.txt")
	for i, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			times := 10
			if c.Has("again") {
				times = int(c.Dim(t, "again").X)
			}
			r := &launches[i]
			want := r.run(t, 0, 1)
			for i := range short.Of(times) {
				if diff := kerneltest.Diff(want, r.run(t, 0, 1+i%4)); diff != "" {
					t.Fatalf("run %d (-first +this):\n%.3000s", i, diff)
				}
			}
		})
	}
}
