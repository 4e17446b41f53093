package functional_test

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/profile"
	"github.com/simtrun/simtrun/internal/short"
)

// TestThreadsDoNotChangePrograms runs the programs of the repository on several threads, with and without counters,
// from the first instruction: memory, output, errors, warnings and counters stay the same.
func TestThreadsDoNotChangePrograms(t *testing.T) {
	short.Alternates(t, 2, 3)
	kerneltest.SkipVerified(t)
	files := programFiles(t)
	inParallel := 0
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			for _, counted := range []bool{false, true} {
				want, _ := programOn(t, file, 1, counted)
				for _, threads := range []int{2, 5} {
					got, n := programOn(t, file, threads, counted)
					if got != want {
						t.Errorf("counted: %v (-1 +%d threads):\n%s", counted, threads, cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")))
					}
					inParallel += n
				}
			}
		})
	}
	if inParallel < len(files) {
		t.Errorf("%d launches of %d programs ran on several threads", inParallel, len(files))
	}
}

// TestVerifiedProgramsAgree runs the programs of the repository with all compiled code compared with lane functions.
func TestVerifiedProgramsAgree(t *testing.T) {
	for _, file := range programFiles(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			want, _ := programOn(t, file, 1, false)
			if got, _ := programOn(t, file, verified, false); got != want {
				t.Errorf("(-not verified +verified):\n%s", cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")))
			}
		})
	}
}

// verified is a number of threads for programOn: one, with interp.Config.Verify.
const verified = 0

// programOn runs the launches of a program on a number of threads of the host, and returns their results as text, and
// how many of them ran on several.
func programOn(t *testing.T, file string, threads int, counted bool) (text string, inParallel int) {
	t.Helper()
	plan := planOf(t, file, source(t, file))
	var out bytes.Buffer
	plan.Config.Threads, plan.Config.Stdout, plan.Config.Verify = threads, &out, threads == verified
	ready := prepared(t, plan)
	for _, l := range ready.Launches {
		var collector *profile.Collector
		if counted {
			var err error
			if collector, err = profile.Attach(ready.Machine, &l); err != nil {
				t.Fatal(err)
			}
		}
		s, err := functional.Begin(ready.Machine, l)
		if err != nil {
			t.Fatal(err)
		}
		s.Alone, s.WorthHelp = 0, 0
		err = s.Continue(context.Background())
		fmt.Fprintf(&out, "%v\n%+v\n", err, s.Stats())
		if s.InParallel() {
			inParallel++
		}
		if counted {
			p := collector.Profile()
			fmt.Fprintf(&out, "%+v\n", p.Total)
			for _, f := range p.Funcs {
				for pc, n := range f.Instrs {
					fmt.Fprintf(&out, "%s %d: %+v\n", f.Name, pc, n)
				}
			}
		}
		if err != nil {
			break
		}
	}
	for _, b := range ready.Buffers {
		fmt.Fprintf(&out, "%s %x\n", b.Name, b.Data)
	}
	return out.String(), inParallel
}
