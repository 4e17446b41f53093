package measure_test

import (
	"context"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/sm"
)

// TestClock: how far the clock is from an H100's, for whole kernels under Nsight
// Compute: machine instructions that were issued, and cycles in which an SM was
// active, here over there.
func TestClock(t *testing.T) {
	tab := h100.read(t, "ncu")
	lines, longer := cases(t)
	var instrs, cycles ratios
	for i, line := range lines[:longer] {
		if short.Skips(i) {
			continue
		}
		row := tab.find(t, line)
		measured := func(column string) float64 {
			v, err := strconv.ParseFloat(row[tab.column(t, column)], 64)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		k := load(t, line)
		s, err := sm.Begin(k.machine, k.launch, sm.Options{})
		if err == nil {
			err = s.Continue(context.Background())
		}
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		all := s.Timing().Total()
		active := float64(all.Active) / float64(len(s.Timing().SMs))
		a, b := float64(all.Schedulers[0].Issued)/measured("smsp__inst_issued.sum"), active/measured("sm__cycles_active.avg")
		instrs, cycles = append(instrs, a), append(cycles, b)
		t.Logf("%-60s instructions %5.2f  cycles %5.2f  (%d, %.0f)", strings.TrimPrefix(line, "workload "), a, b, all.Schedulers[0].Issued, active)
	}
	t.Logf("instructions: %s", instrs)
	t.Logf("cycles: %s", cycles)
}

// ratios are here over there.
type ratios []float64

func (r ratios) String() string {
	sum, off := 0.0, 0.0
	for _, v := range r {
		sum += math.Log(v)
		off += math.Abs(v - 1)
	}
	n := float64(len(r))
	return "geometric mean " + strconv.FormatFloat(math.Exp(sum/n), 'f', 2, 64) + ", mean error " + strconv.FormatFloat(100*off/n, 'f', 0, 64) + " %"
}
