package measure_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/cost"
	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/isa"
)

// hotLoops are the loops in which kernels spend most of their time, by the case and the label at which the loop begins.
var hotLoops = []struct{ line, label string }{
	{"workload saxpy_loop", "$L__BB0_2"},
	{"workload matmul_naive", "$L__BB2_3"},
	{"workload matmul_tiled", "$L__BB3_2"},
	{"program matmul_naive grid=16x16", "LOOP"},
	{"program matmul_tiled grid=16x16", "DOT"},
	{"program attention grid=128", "SCORE"},
}

// TestAccessesKeepOrderOfH100: in the machine code that an H100 executed most often, accesses to memory and the sums
// and products between them have nearly the order that package cost gives them.
func TestAccessesKeepOrderOfH100(t *testing.T) {
	tab := h100.read(t, "ncu_lines")
	names := h100.read(t, "ncu")
	lines, _ := cases(t)
	sum := 0.0
	for _, hot := range hotLoops {
		i := slices.IndexFunc(lines, func(l string) bool { return l == hot.line || strings.HasPrefix(l, hot.line+" arg=") })
		if i < 0 {
			t.Fatal(hot.line)
		}
		theirs := hottest(t, tab, names, lines[i])
		ours := joined(t, lines[i], hot.label)
		same := alike(theirs, ours)
		t.Logf("%-34s %.2f\n  %s\n  %s", hot.line, same, theirs, ours)
		if sum += same; same < 0.8 {
			t.Errorf("%s: %.2f of the order is that of the assembler:\n%s\n%s", hot.line, same, theirs, ours)
		}
	}
	if mean := sum / float64(len(hotLoops)); mean < 0.9 {
		t.Errorf("on average %.2f of the order is that of the assembler", mean)
	}
}

// hottest returns the accesses of the machine code of a case that is executed most often, in their order.
func hottest(t *testing.T, tab, names *table, line string) string {
	t.Helper()
	most := 0.0
	var text strings.Builder
	for _, row := range tab.rows {
		if names.rows[int(number(t, row[tab.column(t, "case")]))][names.column(t, "case")] != line {
			continue
		}
		executed := number(t, row[tab.column(t, "executed")])
		if executed > most {
			most = executed
			text.Reset()
		}
		if executed == most {
			text.WriteString(letter(row[tab.column(t, "sass")]))
		}
	}
	return text.String()
}

// letter returns what stands for a machine instruction in a sequence.
func letter(sass string) string {
	if rest, guarded := strings.CutPrefix(sass, "@"); guarded {
		_, sass, _ = strings.Cut(rest, " ")
	}
	op, _, _ := strings.Cut(sass, " ")
	op, _, _ = strings.Cut(op, ".")
	switch op {
	case "LDG":
		return "G"
	case "LDS":
		return "s"
	case "STG":
		return "W"
	case "STS":
		return "w"
	case "SHFL":
		return "x"
	case "FFMA", "FADD", "FMUL":
		return "f"
	}
	return ""
}

// joined returns the same for the block of a kernel that begins at a label, as package cost orders it.
func joined(t *testing.T, line, label string) string {
	t.Helper()
	k := load(t, line)
	f := k.module.Entry(k.launch.Kernel)
	g := flow.New(f)
	first := f.Labels[slices.IndexFunc(f.Labels, func(l isa.Label) bool { return l.Name == label })].PC
	block := g.Blocks()[g.BlockOf(first)]
	var text strings.Builder
	for _, r := range cost.Regions(f, g, cost.Lower(f, g, cost.Lowered, true), latencies()) {
		if r.First < block.Start || r.First >= block.End {
			continue
		}
		for _, st := range r.Body(r.Copies).Steps {
			for _, s := range st.Slots {
				text.WriteString(map[isa.CostClass]string{isa.CostLoadGlobal: "G", isa.CostLoadShared: "s", isa.CostStoreGlobal: "W", isa.CostStoreShared: "w", isa.CostShuffle: "x", isa.CostSingle: "f"}[s.Class])
			}
		}
	}
	return text.String()
}

// alike returns how much of two sequences is the same: 1 less their edit distance over the length of the longer one.
func alike(a, b string) float64 {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return 1 - float64(row[len(b)])/float64(max(len(a), len(b), 1))
}
