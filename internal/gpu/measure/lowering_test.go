// Package measure_test compares figures that were measured on real GPUs with the presets, the cost lowering and the
// model. README.md here says how to measure.
package measure_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/cost"
	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/launch"
	"github.com/simtrun/simtrun/internal/profile"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/internal/sm"
)

var update = flag.Bool("update", false, "rewrite the table of docs/cost.md")

// executed is how many machine instructions an SM issues for a case, and how many PTX instructions it executes.
type executed struct {
	machine, ptx uint64
	funcs        []profile.Func
	slots        [][]int // machine instructions for each PTX instruction, by function and PC
}

func (k *kase) executed(t *testing.T) *executed {
	t.Helper()
	o := launch.Observed{Profile: true, Clock: &sm.Options{}}
	e, err := o.Execute(context.Background(), k.machine, k.launch)
	if err != nil {
		t.Fatalf("%s: %v", k.name, err)
	}
	x := &executed{funcs: e.Profile.Funcs, machine: e.Timing.Total().Schedulers[0].Issued}
	for _, f := range x.funcs {
		for pc := range f.Instrs {
			x.ptx += f.Instrs[pc].Runs
		}
		x.slots = append(x.slots, slotsOf(f.Func))
	}
	return x
}

// slotsOf returns by PC how many machine instructions an iteration has for a PTX instruction, if no iterations are
// joined.
func slotsOf(f *isa.Func) []int {
	g := flow.New(f)
	costs := cost.Lower(f, g, cost.Lowered, true)
	slots := make([]int, len(f.Code))
	for pc := range slots {
		slots[pc] = len(costs[pc].Slots) + costs[pc].Syncs
	}
	for _, r := range cost.Regions(f, g, costs, latencies()) {
		clear(slots[r.First:r.End])
		for _, st := range r.Body(1).Steps {
			slots[st.PC] += len(st.Slots)
		}
	}
	return slots
}

// latencies returns those of an H100.
func latencies() *cost.Latencies {
	var l cost.Latencies
	for class := range l {
		l[class] = gpu.H100().Classes[class].Latency
	}
	return &l
}

// loop returns the machine instructions of an iteration of the kernel's loop, which extends from one label to
// another.
func (x *executed) loop(t *testing.T, from, to string) float64 {
	t.Helper()
	f, labels := x.funcs[0], make(map[string]int)
	for _, l := range f.Labels {
		labels[l.Name] = l.PC
	}
	sum := uint64(0)
	for pc := labels[from]; pc < labels[to]; pc++ {
		sum += f.Instrs[pc].Runs * uint64(x.slots[0][pc])
	}
	return float64(sum) / float64(f.Instrs[labels[from]].Runs)
}

// workloadLoops are the loops of the workloads, by labels of workloads.ptx, with the machine instructions of an
// iteration in the assembler's code, counted by hand, and the differences.
var workloadLoops = []struct {
	name, from, to string
	theirs         int // instructions of an iteration in the assembler's code; 0 without a loop
	why            string
}{
	{"saxpy_loop", "$L__BB0_2", "$L__BB0_1", 4, "UIADD3, FFMA, ISETP, BRA"},
	{"vecadd", "", "", 0, "6 constants: three parameters, `%ntid`, the stack, a descriptor"},
	{"matmul_naive", "$L__BB2_3", "$L__BB2_4", 18, "3 copies of registers"},
	{"matmul_tiled", "$L__BB3_2", "$L__BB3_3", 50, "a copy of a register"},
	{"reduce", "", "", 0, "5 constants"},
	{"histogram", "$L__BB5_3", "$L__BB5_4", 14, "the same 14"},
	{"mandelbrot", "$L__BB6_4", "$L__BB6_5", 13, "the result of `leu` after `gt` on the same values is known; one more copy"},
	{"collatz", "$L__BB7_2", "$L__BB7_3", 8, "the same 8, with a guarded shift and a copy for shift and selection"},
	{"nbody", "$L__BB8_2", "$L__BB8_3", 40, "two copies; the same roots and reciprocals"},
	{"transpose", "", "", 0, "5 constants; the address of shared memory, 3"},
}

// TestLoweredCountsAreOnPage: docs/cost.md has the numbers of machine instructions that the workloads execute after
// lowering, and of those that an H100 executed.
func TestLoweredCountsAreOnPage(t *testing.T) {
	short.Alternates(t, 0, 3)
	if testing.Short() && !*update {
		t.Skip("runs all workloads")
	}
	table := "| Kernel | H100 | Lowered | Ratio | PTX | Loop: H100 | Loop: lowered | Remarks |\n|---|--:|--:|--:|--:|--:|--:|---|\n"
	for _, w := range workloadLoops {
		k := load(t, "workload "+w.name)
		x, theirs, warps := k.executed(t), h100.executed(t, k.name), k.warps()
		loops := " – | – "
		if w.theirs > 0 {
			loops = fmt.Sprintf(" %d | %.3g ", w.theirs, x.loop(t, w.from, w.to))
		}
		table += fmt.Sprintf("| `%s` | %.1f | %.1f | %.2f | %.1f |%s| %s |\n", w.name, theirs/warps, float64(x.machine)/warps, float64(x.machine)/theirs, float64(x.ptx)/warps, loops, w.why)
	}
	page := filepath.Join("..", "..", "..", "docs", "cost.md")
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	start := strings.Index(string(text), "| Kernel |")
	end := start + strings.Index(string(text[start:]), "\n\n") + 1
	if diff := cmp.Diff(table, string(text[start:end])); diff != "" && !*update {
		t.Errorf("docs/cost.md (-want +page; -update rewrites it):\n%s", diff)
	}
	if *update {
		if err := os.WriteFile(page, []byte(string(text[:start])+table+string(text[end:])), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// executed returns how many warp instructions Nsight Compute counted in a case.
func (m machine) executed(t *testing.T, line string) float64 {
	t.Helper()
	tab := m.read(t, "ncu")
	return number(t, tab.find(t, line)[tab.column(t, "smsp__inst_executed.sum")])
}

// warps returns the number of warps of the case.
func (k *kase) warps() float64 {
	return float64(k.launch.Grid.Count() * ((k.launch.Block.Count() + 31) / 32))
}

// TestLinesSumToCountedTotal: the machine instructions of a case, summed over its lines, are the total that Nsight
// Compute counted.
func TestLinesSumToCountedTotal(t *testing.T) {
	all, names := h100.read(t, "ncu_lines"), h100.read(t, "ncu")
	sums := make(map[string]float64)
	for _, row := range all.rows {
		sums[row[all.column(t, "case")]] += number(t, row[all.column(t, "executed")])
	}
	for c, sum := range sums {
		row := names.rows[int(number(t, c))]
		if want := number(t, row[names.column(t, "smsp__inst_executed.sum")]); sum != want {
			t.Errorf("case %s, %s: %.0f machine instructions executed line by line, %.0f in all", c, row[0], sum, want)
		}
	}
}
