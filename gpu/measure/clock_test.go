package measure_test

import (
	"context"
	"flag"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/sm"
)

var all = flag.Bool("all", false, "compare the clock with all kernels that were measured")

// bound are workloads whose time is that of issuing, which the clock has: by how much
// their cycles may differ from an H100's.
var bound = map[string]float64{"workload collatz": 0.30, "workload matmul_tiled": 0.15, "workload nbody": 0.30}

// TestClock: how far the clock is from an H100's, for whole kernels under Nsight
// Compute: machine instructions that were issued, and cycles in which an SM was
// active, here over there. Kernels that wait for memory are shown too fast, as caches
// and bandwidth are not modelled yet, and short ones, as is their start.
func TestClock(t *testing.T) {
	tab := h100.read(t, "ncu")
	lines, longer := cases(t)
	var instrs, cycles ratios
	for _, line := range lines[:longer] {
		within, isBound := bound[line]
		if !isBound && !*all {
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
		if err == nil {
			err = s.Timing().Check()
		}
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		total := s.Timing().Total()
		active := float64(total.Active) / float64(len(s.Timing().SMs))
		a, b := float64(total.Schedulers[0].Issued)/measured("smsp__inst_issued.sum"), active/measured("sm__cycles_active.avg")
		instrs, cycles = append(instrs, a), append(cycles, b)
		t.Logf("%-28.28s instructions %5.2f  cycles %5.2f  (%.0f)", strings.TrimPrefix(line, "workload "), a, b, active)
		if isBound && math.Abs(b-1) > within {
			t.Errorf("%s: %.2f times the cycles of an H100", line, b)
		}
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
