package measure_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/sm"
)

// bound are workloads with a time determined by instruction issue, and by how much their cycles may differ from an
// H100's.
var bound = map[string]float64{"workload collatz": 0.30, "workload matmul_tiled": 0.15, "workload nbody": 0.30}

// kinds of kernels, by counters of Nsight Compute on the H100. A kernel is of the first kind that applies.
var kinds = []struct {
	name, when string
	has        func(m counted) bool
}{
	{"tiny", "fewer than 64 CTAs and 50,000 cycles", func(m counted) bool {
		return m.ctas() < 64 && m.value("sm__cycles_active.max") < 50000
	}},
	{"atomics", "of the instructions 1 % or more", func(m counted) bool {
		return m.share("l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum", "smsp__inst_executed_op_shared_atom.sum") >= 0.01
	}},
	{"shared memory", "loads and stores are 10 % of the instructions or more", func(m counted) bool {
		return m.share("smsp__sass_inst_executed_op_shared_ld.sum", "smsp__sass_inst_executed_op_shared_st.sum") >= 0.1
	}},
	{"bandwidth", "L2 moves 1000 bytes a cycle or more", func(m counted) bool { return 32*m.value("lts__t_sectors.sum")/m.value("sm__cycles_active.max") >= 1000 }},
	{"ALU", "a scheduler issues in 40 % of the cycles or more", func(m counted) bool { return m.value("smsp__issue_active.avg.per_cycle_active") >= 0.4 }},
	{"latency", "all others", func(counted) bool { return true }},
}

// counted is Nsight Compute's counters for a kernel.
type counted struct {
	t   *testing.T
	tab *table
	row []string
}

func (m counted) text(column string) string { return m.row[m.tab.column(m.t, column)] }

func (m counted) value(column string) float64 {
	v, err := strconv.ParseFloat(m.text(column), 64)
	if err != nil {
		m.t.Fatal(err)
	}
	return v
}

func (m counted) ctas() float64 {
	n := 1.0
	for dim := range strings.FieldsSeq(m.text("grid")) {
		d, err := strconv.ParseFloat(dim, 64)
		if err != nil {
			m.t.Fatal(err)
		}
		n *= d
	}
	return n
}

// share returns the sum of columns as a fraction of all instructions.
func (m counted) share(columns ...string) float64 {
	sum := 0.0
	for _, c := range columns {
		sum += m.value(c)
	}
	return sum / m.value("smsp__inst_executed.sum")
}

// TestClock: the ratio of simtrun's clock to an H100, for whole kernels under Nsight Compute: issued machine
// instructions, and cycles in which an SM was active. Without -short it runs all but the longer kernels, and
// docs/clock.md has the results; -update rewrites them.
func TestClock(t *testing.T) {
	tab := h100.read(t, "ncu")
	lines, longer := cases(t)
	var instrs ratios
	byKind := make(map[string]ratios)
	workloads := "| | instructions | cycles |\n|---|--:|--:|\n"
	for _, line := range lines[:longer] {
		within, isBound := bound[line]
		if !isBound && testing.Short() && !*update {
			continue
		}
		m := counted{t, tab, tab.find(t, line)}
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
		a, b := float64(total.Schedulers[0].Issued)/m.value("smsp__inst_issued.sum"), active/m.value("sm__cycles_active.avg")
		kind := ""
		for _, some := range kinds {
			if kind == "" && some.has(m) {
				kind = some.name
			}
		}
		name, isWorkload := strings.CutPrefix(line, "workload ")
		if isWorkload {
			workloads += fmt.Sprintf("| `%s` | %.2f | %.2f |\n", name, a, b)
		}
		name, _, more := strings.Cut(strings.TrimPrefix(name, "program "), " ")
		name = "`" + name + "`"
		switch {
		case isWorkload:
			name = "workload " + name
		case more:
			name += " with a larger grid"
		}
		instrs, byKind[kind] = append(instrs, ratio{name, a}), append(byKind[kind], ratio{name, b})
		t.Logf("%-40.40s %-13s instructions %5.2f  cycles %5.2f  (%.0f)", line, kind, a, b, active)
		if isBound && math.Abs(b-1) > within {
			t.Errorf("%s: %.2f times the cycles of an H100", line, b)
		}
	}
	t.Logf("instructions: geometric mean %.2f", instrs.mean())
	if testing.Short() && !*update {
		return
	}
	table := "| Kind | | kernels | geometric mean | least | most |\n|---|---|--:|--:|---|---|\n"
	var all ratios
	for _, kind := range kinds {
		r := byKind[kind.name]
		all = append(all, r...)
		table += fmt.Sprintf("| %s | %s | %d | %.2f | %s | %s |\n", kind.name, kind.when, len(r), r.mean(), r.least(), r.most())
	}
	table += fmt.Sprintf("| all | | %d | %.2f | | |\n", len(all), all.mean())
	path := filepath.Join("..", "..", "..", "docs", "clock.md")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	page := withTable(t, withTable(t, string(text), workloads), table)
	if diff := cmp.Diff(string(text), page); diff != "" && !*update {
		t.Errorf("docs/clock.md (-page +now; -update rewrites it):\n%s", diff)
	}
	if *update {
		if err := os.WriteFile(path, []byte(page), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// withTable returns a page with a table in place of the one with the same heading.
func withTable(t *testing.T, page, table string) string {
	t.Helper()
	heading, _, _ := strings.Cut(table, "\n")
	before, rest, ok := strings.Cut(page, heading+"\n")
	if !ok {
		t.Fatalf("the page has no table %s", heading)
	}
	_, after, _ := strings.Cut(rest, "\n\n")
	return before + table + "\n" + after
}

// ratios are figures of kernels in simtrun divided by the measured ones.
type ratios []ratio

type ratio struct {
	kernel string
	value  float64
}

func (r ratio) String() string { return fmt.Sprintf("%.2f %s", r.value, r.kernel) }

// mean returns the geometric mean.
func (r ratios) mean() float64 {
	sum := 0.0
	for _, v := range r {
		sum += math.Log(v.value)
	}
	return math.Exp(sum / float64(len(r)))
}

func (r ratios) least() ratio {
	least := r[0]
	for _, v := range r {
		if v.value < least.value {
			least = v
		}
	}
	return least
}

func (r ratios) most() ratio {
	most := r[0]
	for _, v := range r {
		if v.value > most.value {
			most = v
		}
	}
	return most
}
