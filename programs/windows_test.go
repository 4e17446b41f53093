package programs_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/internal/sm"
)

// shown is the output of a timed run of a program.
type shown struct {
	Error   string
	Failed  []string
	Buffers [][]byte
	Cycles  []int64
	Memory  []sm.Traffic
	SMs     [][]sm.SMTiming
	States  [][]sm.States
}

// runIn runs a program in windows of window cycles, on threads of the host.
func runIn(t *testing.T, file string, window int64, threads int) (s shown) {
	t.Helper()
	p := plan(t, file, nil)
	p.UseClock()
	p.Clock.Window, p.Config.Threads = window, threads
	res, err := p.Run(t.Context())
	if err != nil {
		s.Error = err.Error()
	}
	for _, f := range res.Failed {
		s.Failed = append(s.Failed, fmt.Sprint(f))
	}
	for i := range res.Buffers {
		s.Buffers = append(s.Buffers, res.Buffers[i].Data)
	}
	for i := range res.Launches {
		if timing := res.Launches[i].Timing; timing != nil {
			if err := timing.Check(); err != nil {
				t.Error(err)
			}
			s.Cycles, s.Memory, s.SMs = append(s.Cycles, timing.Cycles), append(s.Memory, timing.Memory), append(s.SMs, timing.SMs)
			for _, f := range timing.Funcs {
				s.States = append(s.States, f.States)
			}
		}
	}
	return s
}

// TestWindowsDoNotChangeResults checks that neither the length of the windows in which SMs run independently, nor the
// number of host threads, has an effect on any program.
func TestWindowsDoNotChangeResults(t *testing.T) {
	short.Alternates(t, 2, 3)
	for i, file := range sources(t) {
		if short.Skips(i) {
			continue
		}
		t.Run(file, func(t *testing.T) {
			want := runIn(t, file, 0, 1)
			for _, c := range []struct {
				window  int64
				threads int
			}{{1, 1}, {50, 2}, {0, 5}} {
				if got := runIn(t, file, c.window, c.threads); !reflect.DeepEqual(want, got) {
					t.Errorf("windows of %d cycles, %d threads (-longest, 1 +these):\n%.2000s", c.window, c.threads, cmp.Diff(want, got))
				}
			}
		})
	}
}
