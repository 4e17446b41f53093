package report

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/launch"
	"github.com/simtrun/simtrun/internal/profile"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/interp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// run launches the first kernel of testdata/file, whose parameters are buffers of
// 1024 bytes each.
func run(t *testing.T, file string, grid, block isa.Dim) *Run {
	t.Helper()
	src, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	mod, err := asm.Parse(file, src)
	if err != nil {
		t.Fatal(err)
	}
	m, err := interp.New(mod, interp.Config{})
	if err != nil {
		t.Fatal(err)
	}
	kernel := mod.Entries()[0]
	l := interp.Launch{Kernel: kernel.Name, Grid: grid, Block: block}
	for _, p := range kernel.Params {
		r, err := m.Alloc(p.Name, 1024)
		if err != nil {
			t.Fatal(err)
		}
		l.Params = binary.LittleEndian.AppendUint64(l.Params, r.Base)
	}
	c, err := profile.Attach(m, &l)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := functional.Run(context.Background(), m, l); err != nil {
		t.Fatal(err)
	}
	launched := launch.Launched{Launch: &launch.Launch{Kernel: kernel.Name, Grid: grid, Block: block}}
	launched.Profile = c.Profile()
	return &Run{Result: &launch.Result{Launches: []launch.Launched{launched}}, Sources: Sources{file: Lines(src)}}
}

func mixed(t *testing.T) *Run {
	return run(t, "mixed.s", isa.Dim{X: 2, Y: 1, Z: 1}, isa.Dim{X: 48, Y: 1, Z: 1})
}

// golden compares the output of write with a file, and checks that it has no NaN and no line of more than 110 columns
// except source lines.
func golden(t *testing.T, file string, write func(w io.Writer) error) {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "NaN") {
		t.Errorf("%s has a NaN", file)
	}
	for line := range strings.Lines(b.String()) {
		if !strings.HasSuffix(file, "source.txt") && len([]rune(line)) > 110 && filepath.Ext(file) == ".txt" {
			t.Errorf("%s: %d columns: %s", file, len([]rune(line)), line)
		}
	}
	path := filepath.Join("testdata", file)
	if *update {
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

func page(t *testing.T, name string) Page {
	t.Helper()
	p, err := ParsePage(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestPagesMatchGoldenFiles pins the pages of mixed.s; the comment in that file derives the numbers.
func TestPagesMatchGoldenFiles(t *testing.T) {
	r := mixed(t)
	for _, p := range Pages() {
		golden(t, "mixed."+p.Name+".txt", func(w io.Writer) error { return p.Write(w, NewDocument(r, nil, 0), 0) })
	}
	golden(t, "mixed.csv", func(w io.Writer) error { return page(t, "raw").WriteCSV(w, NewDocument(r, nil, 0)) })
	golden(t, "mixed.lines.csv", func(w io.Writer) error { return page(t, "source").WriteCSV(w, NewDocument(r, nil, 0)) })
	golden(t, "metrics.txt", WriteMetrics)
}

// withTime adds timing to r that can be computed by hand: each of its 4 warps takes 10 cycles for each executed
// instruction, and issues in one of them. The first six instructions take another 10 cycles in one state each, and
// warps wait 400 cycles for the load. The pipe to memory is busy for 60 cycles on each of two SMs.
func withTime(r *Run) *Run {
	l := &r.Result.Launches[0]
	on := gpu.H100()
	timing := &sm.Timing{GPU: on, CTAsPerSM: 4, Cycles: 990, SMs: make([]sm.SMTiming, on.SMs),
		Occupancy: on.Occupancy(gpu.Usage{Threads: 48, Static: 50000, OptIn: 1})}
	for _, f := range l.Profile.Funcs {
		states := make([]sm.States, len(f.Instrs)+1)
		for pc, c := range f.Instrs {
			if c.Runs == 0 {
				continue
			}
			states[pc][sm.Selected], states[pc][sm.Wait] = 4, 36
			if pc < 6 {
				states[pc][sm.NotSelected+sm.State(pc)] += 40
			}
			if f.Code[pc].Is(isa.Store) {
				states[pc][sm.LongScoreboard] = 400
			}
		}
		timing.Funcs = append(timing.Funcs, sm.FuncTiming{Func: f.Func, States: states})
	}
	for i := range 2 { // the SMs with a CTA
		m := &timing.SMs[i]
		m.CTAs, m.Active, m.First, m.Last, m.MemoryPipe, m.Schedulers = 1, 900, int64(90*i), int64(900+90*i), 60, make([]sm.SchedulerTiming, on.Schedulers)
	}
	states := timing.States()
	timing.SMs[0].States = states
	did := &timing.SMs[0].Schedulers[0]
	did.WarpCycles, did.Issued, did.Eligible = int64(states.Total()), states[sm.Selected], states[sm.Selected]+states[sm.NotSelected]
	did.Classes[isa.CostInteger] = did.Issued
	if err := timing.Check(); err != nil {
		panic(err)
	}
	l.Timing = timing
	l.Profile.AddTime(timing)
	return r
}

// TestTimedPagesMatchGoldenFiles pins the pages of a launch with a clock.
func TestTimedPagesMatchGoldenFiles(t *testing.T) {
	r := withTime(mixed(t))
	r.Plan = &launch.Plan{}
	golden(t, "timed.txt", func(w io.Writer) error { WriteText(w, r, Style{}); return nil })
	for _, p := range Pages() {
		golden(t, "timed."+p.Name+".txt", func(w io.Writer) error { return p.Write(w, NewDocument(r, nil, 0), 0) })
	}
	golden(t, "timed.lines.csv", func(w io.Writer) error { return page(t, "source").WriteCSV(w, NewDocument(r, nil, 0)) })
}

// TestQuietKernelHasNoTables checks a kernel without any events: no table, no ratio of zero to zero.
func TestQuietKernelHasNoTables(t *testing.T) {
	r := run(t, "quiet.s", isa.Dim{X: 1, Y: 1, Z: 1}, isa.Dim{X: 32, Y: 1, Z: 1})
	r.Sources = nil
	for _, p := range Pages() {
		golden(t, "quiet."+p.Name+".txt", func(w io.Writer) error { return p.Write(w, NewDocument(r, nil, 0), 0) })
	}
}

// TestSpillsAreSaid: .maxntid 1024 leaves 64 registers for the 109 that are live, so a compiler would spill 45.
func TestSpillsAreSaid(t *testing.T) {
	for spilled, want := range map[int]string{0: ".maxntid", 45: ".maxntid; about 45 more would be spilled"} {
		r := Resources{Registers: 64, RegistersFrom: ".maxntid", RegistersSpilled: spilled}
		if got := r.RegistersText(); got != want {
			t.Errorf("%d spilled: %q, want %q", spilled, got, want)
		}
	}
}

// TestLongTablesAreCut checks that the summary shows 5 of 7 divergent branches.
func TestLongTablesAreCut(t *testing.T) {
	r := run(t, "many.s", isa.Dim{X: 1, Y: 1, Z: 1}, isa.Dim{X: 32, Y: 1, Z: 1})
	p, err := ParsePage("summary")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "many.summary.txt", func(w io.Writer) error { return p.Write(w, NewDocument(r, nil, 0), 0) })
}

// TestLinesFitColumns checks that no line is wider than the page. From 80 columns on the summary keeps all columns, and
// at any width all words of a sentence.
func TestLinesFitColumns(t *testing.T) {
	for _, columns := range []int{40, 60, 79, 80, 100, 132, 200} {
		r := mixed(t)
		wide := make(map[string]string)
		for _, p := range Pages() {
			var b bytes.Buffer
			if err := p.Write(&b, NewDocument(r, nil, 0), 0); err != nil {
				t.Fatal(err)
			}
			wide[p.Name] = b.String()
		}
		for _, p := range Pages() {
			var b bytes.Buffer
			if err := p.Write(&b, NewDocument(r, nil, 0), columns); err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(b.String()) {
				if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > columns {
					t.Errorf("%s in %d columns: %d: %s", p.Name, columns, n, line)
				}
			}
			tables, advice, _ := strings.Cut(b.String(), "\nAdvice ")
			allTables, all, _ := strings.Cut(wide[p.Name], "\nAdvice ")
			if p.Name != "summary" || columns < 60 {
				continue
			}
			if diff := cmp.Diff(strings.Fields(all), strings.Fields(advice)); diff != "" {
				t.Errorf("%d columns:\n%s", columns, diff)
			}
			if columns >= 80 {
				if diff := cmp.Diff(lastWords(allTables), lastWords(tables)); diff != "" {
					t.Errorf("%d columns:\n%s", columns, diff)
				}
			}
		}
	}
}

// lastWords returns the last words of the lines of text.
func lastWords(text string) []string {
	var words []string
	for line := range strings.Lines(text) {
		if fields := strings.Fields(line); len(fields) > 0 {
			words = append(words, fields[len(fields)-1])
		}
	}
	return words
}

func TestUnknownPageIsRefused(t *testing.T) {
	_, err := ParsePage("html")
	if want := `no page "html"; there are summary, source, sm, memory, advice, raw`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestJSONMatchesMetricTable parses the objects and compares them with the table's order and with the figures of one
// line in the comment of mixed.s.
func TestJSONMatchesMetricTable(t *testing.T) {
	p := mixed(t).Result.Launches[0].Profile
	text, err := json.Marshal(metricsOf(p))
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	dec := json.NewDecoder(bytes.NewReader(text))
	for depth := 0; ; {
		tok, err := dec.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch tok := tok.(type) {
		case json.Delim:
			depth++
		case string:
			keys = append(keys, tok)
		}
	}
	var want []string
	for _, v := range metricsOf(p) {
		want = append(want, v.Name)
	}
	if diff := cmp.Diff(want, keys); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}

	if text, err = json.Marshal(instructionsOf(p)); err != nil {
		t.Fatal(err)
	}
	var lines []map[string]any
	if err := json.Unmarshal(text, &lines); err != nil {
		t.Fatal(err)
	}
	if len(lines) != 26 {
		t.Errorf("%d instructions ran, want 26", len(lines))
	}
	for _, line := range lines {
		if line["line"] != 43.0 {
			continue
		}
		want := map[string]any{
			"file": "mixed.s", "line": 43.0, "column": 5.0, "function": "mixed", "pc": 15.0, "instruction": "st.shared.u32 [%r5], %r4;",
			"metrics": map[string]any{
				"warp_instructions": 4.0, "lane_instructions": 96.0, "active_lanes_per_instruction": 24.0, "lost_lane_slots": 32.0,
				"shared_excess_wavefronts": 92.0, "shared_store_requests": 4.0, "shared_store_lanes": 96.0, "shared_store_wavefronts": 96.0,
				"shared_store_ideal_wavefronts": 4.0, "shared_store_conflict_degree": 24.0, "shared_store_worst_conflict": 32.0,
			},
		}
		if diff := cmp.Diff(want, line); diff != "" {
			t.Errorf("line 43 (-want +got):\n%s", diff)
		}
	}
}

// full is a writer that accepts nothing.
type full struct{}

var errFull = errors.New("full")

func (full) Write([]byte) (int, error) { return 0, errFull }

// TestWriteErrorsAreReturned checks that every function returns the error of its writer.
func TestWriteErrorsAreReturned(t *testing.T) {
	r := mixed(t)
	writers := map[string]func(w io.Writer) error{
		"metrics": WriteMetrics,
	}
	for _, p := range Pages() {
		writers[p.Name+" as CSV"] = func(w io.Writer) error { return p.WriteCSV(w, NewDocument(r, nil, 0)) }
		writers[p.Name] = func(w io.Writer) error { return p.Write(w, NewDocument(r, nil, 0), 0) }
	}
	for name, write := range writers {
		if err := write(full{}); !errors.Is(err, errFull) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestTensorWorkIsComparedWithTensorPeak checks that floating-point operations of matrix products are compared with the
// peak of the tensor cores.
func TestTensorWorkIsComparedWithTensorPeak(t *testing.T) {
	r := withTime(run(t, "matrix.s", isa.Dim{X: 1, Y: 1, Z: 1}, isa.Dim{X: 64, Y: 1, Z: 1}))
	r.Plan = &launch.Plan{}
	time := NewDocument(r, nil, 0).Launches[0].Time
	roofs := make(map[string]float64)
	for _, roof := range time.Roofline {
		roofs[roof.Name] = roof.Achieved * time.Microseconds * 1e3 // operations
	}
	if got, want := int(roofs["tensor"]+0.5), 2*2*16*8*16; got != want || roofs["fp64"] != 0 {
		t.Errorf("%d operations of tensor cores, want %d; %v on .f64", got, want, roofs["fp64"])
	}
}
