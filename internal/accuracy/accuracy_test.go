package accuracy

import (
	"bytes"
	"context"
	"encoding/csv"
	"flag"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/simtrun/simtrun/internal/packed"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/internal/sm"
)

var update = flag.Bool("update", false, "rewrite h100.csv, kernels.txtar.gz, and the figures and the picture of docs/clock.md")

// worst mean error, in percent, of the cycles of all launches, of those held out, and of machine instructions issued;
// and the fewest launches with the main stall of the GPU.
const mostMAPE, mostHeldOut, mostInstructions, fewestStalls = 9.5, 10.5, 9.2, 60

const (
	pagePath    = "../../docs/clock.md"
	picturePath = "../../docs/clock.svg"
)

// runs runs all launches for one commit of six, and a third of them for the others; with -short, a few. The page has
// all lines, so that thirds that agree with it have its figures.
var runs = sync.OnceValues(func() ([]*Result, error) {
	launches := Launches()
	if !*update {
		third := short.Waits(0, 6)
		i := -1
		launches = slices.DeleteFunc(slices.Clone(launches), func(l Launch) bool {
			i++
			return short.Skips(i) || third && short.Waits(i, 3) || testing.Short() && l.Kind != kinds[0][0]
		})
	}
	return Run(context.Background(), launches, runtime.GOMAXPROCS(0))
})

// tested returns the results of the launches that are tested.
func tested(t *testing.T) []*Result {
	t.Helper()
	results, err := runs()
	if err != nil {
		t.Fatal(err)
	}
	return results
}

// TestAccuracyStaysWithinBounds compares the clock with the H100. The page has the figures, and the launch's lines must
// be as there.
func TestAccuracyStaysWithinBounds(t *testing.T) {
	results := tested(t)
	if len(results) < len(Launches()) {
		for _, r := range results {
			if line := fmt.Sprintf("\n%s\n", r); !strings.Contains(read(t, pagePath), line) {
				t.Errorf("%s does not have this line; -update rewrites it:%s", pagePath, line)
			}
		}
		return
	}
	checkPage(t, results)
	all, held := statisticsOf(results), statisticsOf(only(results, (*Result).heldOut))
	if all.MAPE > mostMAPE || held.MAPE > mostHeldOut {
		t.Errorf("MAPE %.1f, of launches held out %.1f; want at most %v and %v", all.MAPE, held.MAPE, mostMAPE, mostHeldOut)
	}
	if all.Instructions > mostInstructions || all.MainStall < fewestStalls {
		t.Errorf("instructions %.1f %% off, main stall the same in %d launches; want at most %v and at least %v", all.Instructions, all.MainStall, mostInstructions, fewestStalls)
	}
}

// TestGainsMatchH100: steps of optimisation make launches faster that do on the GPU, by a factor that is at most a
// third off.
func TestGainsMatchH100(t *testing.T) {
	results := tested(t)
	if len(results) < len(Launches()) {
		t.Skip("the steps are among the launches that are left out")
	}
	gains := gainsOf(results)
	if len(gains) != 5 {
		t.Errorf("%d steps", len(gains))
	}
	for _, g := range gains {
		if off := g.Here / g.There; g.There < 1 || g.Here < 1 || off < 0.75 || off > 4./3 {
			t.Errorf("%s, from %s to %s: gain %.2f, measured %.2f", g.Work, g.From, g.To, g.Here, g.There)
		}
	}
}

// checkPage compares the page and its picture with results, or writes them.
func checkPage(t *testing.T, results []*Result) {
	t.Helper()
	const fence, heading = "```\n", "launch  "
	var text, picture bytes.Buffer
	WriteText(&text, results)
	before, rest, ok := strings.Cut(read(t, pagePath), fence+heading)
	_, after, closed := strings.Cut(rest, fence)
	if !ok || !closed {
		t.Fatalf("%s has no block that begins with %q", pagePath, heading)
	}
	check(t, pagePath, before+fence+text.String()+fence+after)
	if runtime.GOARCH != "amd64" {
		return // other processors may round places in pictures otherwise
	}
	if err := Figure(results).Write(&picture, ".svg"); err != nil {
		t.Fatal(err)
	}
	check(t, picturePath, picture.String())
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// check compares a file with what it should be, or writes it.
func check(t *testing.T, path, want string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if diff := cmp.Diff(read(t, path), want); diff != "" {
		t.Errorf("%s (-file +now; -update rewrites it):\n%s", path, diff)
	}
}

// profiled returns the launches of ../gpu/measure/cases.txt but for the longer ones, as Nsight Compute profiled them:
// the fields of a row of ncu.csv by their columns.
func profiled(t *testing.T) (all []map[string]string) {
	r := csv.NewReader(strings.NewReader(read(t, "../gpu/testdata/h100-sxm/ncu.csv")))
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	shorter, _, _ := strings.Cut(read(t, "../gpu/measure/cases.txt"), "# Longer")
	for line := range strings.Lines(shorter) {
		line = strings.Join(strings.Fields(line), " ")
		if line == "" || line[0] == '#' {
			continue
		}
		i := slices.IndexFunc(rows, func(row []string) bool { return row[0] == line })
		if i < 0 {
			t.Fatalf("no figures of %s", line)
		}
		fields := make(map[string]string)
		for j, name := range rows[0] {
			fields[name] = rows[i][j]
		}
		all = append(all, fields)
	}
	return all
}

// kind returns the first of Kinds that applies to a profiled launch.
func kind(fields map[string]string) string {
	sum := func(names ...string) (sum float64) {
		for _, name := range names {
			sum += number(fields[name])
		}
		return sum
	}
	ctas, instructions := 1.0, sum("smsp__inst_executed.sum")
	for dim := range strings.FieldsSeq(fields["grid"]) {
		ctas *= number(dim)
	}
	applies := []bool{
		ctas < 64 && sum("sm__cycles_active.max") < 50000,
		sum("l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum", "smsp__inst_executed_op_shared_atom.sum") >= instructions/100,
		sum("smsp__sass_inst_executed_op_shared_ld.sum", "smsp__sass_inst_executed_op_shared_st.sum") >= instructions/10,
		32*sum("lts__t_sectors.sum") >= 1000*sum("sm__cycles_active.max"),
		sum("smsp__issue_active.avg.per_cycle_active") >= 0.4,
		true,
	}
	return kinds[slices.Index(applies, true)][0]
}

// TestRecordedFiguresMatchProfile: h100.csv has the figures of the profile.
func TestRecordedFiguresMatchProfile(t *testing.T) {
	var text bytes.Buffer
	w := csv.NewWriter(&text)
	heading := slices.Clone(columns)
	for s := range sm.NumStates {
		heading = append(heading, s.String())
	}
	w.Write(heading)
	for _, fields := range profiled(t) {
		row := []string{fields["case"], kind(fields), fields["sm__cycles_active.avg"], fields["smsp__inst_issued.sum"]}
		for s := range sm.NumStates {
			v, ok := fields["smsp__average_warps_issue_stalled_"+s.String()+"_per_issue_active.ratio"]
			if !ok {
				v = "0" // no counter was recorded
			}
			row = append(row, v)
		}
		w.Write(row)
	}
	w.Flush()
	check(t, "h100.csv", text.String())
}

// TestKernelArchiveIsFresh: kernels.txtar.gz has the programs that the launches name, as they are in programs/.
func TestKernelArchiveIsFresh(t *testing.T) {
	var want []txtar.File
	for _, fields := range profiled(t) {
		words := strings.Fields(fields["case"])
		name := words[1] + ".s"
		if words[0] == "program" && !slices.ContainsFunc(want, func(f txtar.File) bool { return f.Name == name }) {
			want = append(want, txtar.File{Name: name, Data: []byte(read(t, "../../programs/"+name))})
		}
	}
	if err := packed.Compare("kernels.txtar.gz", want, *update); err != nil {
		t.Error(err)
	}
}

// TestStatisticsMatchHandCalculation compares statistics with values calculated by hand.
func TestStatisticsMatchHandCalculation(t *testing.T) {
	var results []*Result
	for _, r := range [][2]float64{{100, 100}, {200, 100}, {50, 200}, {10, 10}} { // ratios 1, 2, 1/4, 1
		l := &Launch{Kind: "tiny", Line: "program x", Measured: Measured{Cycles: r[1], Issued: 10}}
		results = append(results, &Result{Launch: l, Cycles: r[0], Issued: 9})
	}
	results[0].Stalls[sm.Wait], results[0].States[sm.Wait] = 1, 1
	results[0].Stalls[sm.Selected] = 2 // is no stall
	results[1].Stalls[sm.Wait], results[1].States[sm.LongScoreboard] = 1, 1
	s := statisticsOf(results)
	// Ranks here are 2 3 1 0, there 1.5 1.5 3 0: deviations .5 1.5 -.5 -1.5 and 0 0 1.5 -1.5, so
	// 1.5 / sqrt(5 * 4.5).
	want := statistics{Launches: 4, MAPE: (100 + 75) / 4., Median: (0 + 75) / 2., GeometricMean: math.Pow(0.5, 0.25), Spearman: 1.5 / math.Sqrt(22.5), Instructions: 10, MainStall: 3}
	want.Pearson = s.Pearson
	round := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-9 })
	if diff := cmp.Diff(want, s, round); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if p := correlation([]float64{1, 2, 3}, []float64{2, 4, 6}); math.Abs(p-1) > 1e-9 {
		t.Errorf("%v", p)
	}
	if p := correlation([]float64{1, 2, 3, 4}, []float64{1, 3, 2, 4}); math.Abs(p-0.8) > 1e-9 { // 4 / 5
		t.Errorf("%v", p)
	}
	if list := worstOf(results, 2); list[0] != results[2] || list[1] != results[1] {
		t.Error("the worst are not first")
	}
}

// TestLaunchNamesAreUnique: names are unique, and both halves have launches of most kinds.
func TestLaunchNamesAreUnique(t *testing.T) {
	names := make(map[string]bool)
	halves := make(map[bool]int)
	for _, l := range Launches() {
		if names[l.Name()] {
			t.Errorf("two launches are %s", l.Name())
		}
		names[l.Name()] = true
		halves[l.heldOut()]++
	}
	if halves[true] != 38 || halves[false] != 30 {
		t.Errorf("%d held out, %d not", halves[true], halves[false])
	}
}
