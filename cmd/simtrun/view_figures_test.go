package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/internal/view"
)

// launchFigures are those of a launch in the object that simtrun run --json prints, as far as views show them.
type launchFigures struct {
	Metrics map[string]*float64
	Lines   []struct {
		File    string
		Line    int32
		Metrics map[string]float64
	}
	Cycles    int64
	Start     int64 `json:"start_cycle"`
	Occupancy struct {
		Blocks   int `json:"blocks_per_sm"`
		Warps    int `json:"active_warps"`
		Limiters []string
		Limits   map[string]*int
	}
	Resources struct{ Registers int }
	Waves     struct{ Count int64 }
	Stalls    map[string]int64
	SMs       []struct {
		Blocks int64
		First  int64 `json:"first_cycle"`
		Last   int64 `json:"last_cycle"`
		Stalls map[string]int64
	}
}

// figuresOf runs a program with --json, and returns the figures of its launches, and each as JSON has it.
func figuresOf(t *testing.T, args ...string) (all []launchFigures, raw []map[string]any) {
	t.Helper()
	var run struct{ Launches []json.RawMessage }
	if err := json.Unmarshal([]byte(typed(t, append([]string{"run", "--json"}, args...)...).stdout), &run); err != nil {
		t.Fatal(err)
	}
	for _, text := range run.Launches {
		var one launchFigures
		var object map[string]any
		if err := json.Unmarshal(text, &one); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &object); err != nil {
			t.Fatal(err)
		}
		all, raw = append(all, one), append(raw, object)
	}
	return all, raw
}

var everyProgram = flag.Bool("every", false, "TestViewsShowFiguresOfRuns: every program of programs, not only some")

// TestViewsShowFiguresOfRuns compares what views show of programs with the object of simtrun run --json: with a clock,
// and without one. All programs take 20 s.
func TestViewsShowFiguresOfRuns(t *testing.T) {
	short.Skip(t)
	files, err := filepath.Glob("../../programs/*.s")
	if err != nil || len(files) < 62 {
		t.Fatal(len(files), err)
	}
	some := []string{"if_else.s", "bank_strides_8.s", "barrier_pipeline.s", "gemm_mma.s", "histogram.s"}
	for _, file := range files {
		if !*everyProgram && !slices.Contains(some, filepath.Base(file)) {
			continue
		}
		for _, timed := range []bool{false, true} {
			args, flags := []string{file, "--functional"}, []string(nil)
			if timed {
				args, flags = args[:1], []string{"--timed"}
			}
			want, raw := figuresOf(t, args...)
			s, o := viewed(t, file, flags...)
			if len(want) != len(o.Launches) {
				t.Fatalf("%s: %d launches, want %d", file, len(o.Launches), len(want))
			}
			for i := range want {
				c := &figureComparison{t, s, fmt.Sprintf("%s, timed %v, launch %d", filepath.Base(file), timed, i), i, &want[i], &o.Launches[i]}
				c.figures(raw[i])
				c.lines()
				c.throughput()
				if timed {
					c.occupancy()
					c.gpu()
					c.schedulers()
					c.waits()
				}
			}
		}
	}
}

// TestViewPageShowsFiguresOfRuns compares the texts of the page, in Chromium, with the object of simtrun run --json: of
// the timeline, the GPU, occupancy, and the tables of source lines and metrics. With -every it does so for every
// program of programs, in CI for one of 8 in a commit.
func TestViewPageShowsFiguresOfRuns(t *testing.T) {
	short.Skip(t)
	files, err := filepath.Glob("../../programs/*.s")
	if err != nil || len(files) < 62 {
		t.Fatal(len(files), err)
	}
	for i, file := range files {
		if !*everyProgram && filepath.Base(file) != "bank_strides_8.s" && filepath.Base(file) != "scan.s" || *everyProgram && short.Waits(i, 8) {
			continue
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			want, _ := figuresOf(t, file)
			w, _ := pageOf(t, file, "--timed")
			for launch := range want {
				comparePage(t, w, launch, len(want), &want[launch])
			}
		})
	}
}

// comparePage compares what the page says of a launch with its figures.
func comparePage(t *testing.T, w *watchedTab, launch, launches int, want *launchFigures) {
	t.Helper()
	if launches > 1 {
		w.choose("#moment select", fmt.Sprint(launch))
	}
	w.until(fmt.Sprintf(`document.body.dataset.shown?.startsWith("%d.")`, launch))
	w.evaluate(`for (const v of document.querySelectorAll(".view")) v.open = /gpu|occupancy|figures/.test(v.dataset.view)`)
	w.until(fmt.Sprintf(`document.querySelector("[data-view=figures] .cards")?.textContent.includes("%d cycle")`, want.Cycles))
	same := func(what string, want, got any) {
		t.Helper()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("launch %d: %s (-run +page):\n%s", launch, what, diff)
		}
	}
	w.until(`document.querySelector("#states") && document.querySelector("#occupied")`)
	used := 0
	for _, m := range want.SMs {
		if m.Blocks > 0 {
			used++
		}
	}
	text := func(id string) string {
		return evaluate[string](t, w.tab, `document.querySelector("`+id+`").textContent`)
	}
	if said := text("#waves"); !strings.HasPrefix(said, fmt.Sprintf("%d cycles; blocks on %d of %d SMs. %d wave", want.Cycles, used, len(want.SMs), want.Waves.Count)) {
		t.Errorf("launch %d: the GPU is said to be %q", launch, said)
	}
	same("states", notZero(want.Stalls), evaluate[map[string]int64](t, w.tab, `Object.fromEntries([...document.querySelectorAll("#states tbody tr")].map(r => [r.cells[0].textContent.trim().split(" ").pop(), Number(r.cells[1].textContent)]))`))
	if said := text("#occupied"); !strings.Contains(said, fmt.Sprintf(" %d of ", want.Occupancy.Warps)) || !strings.Contains(said, fmt.Sprintf("%d block", want.Occupancy.Blocks)) || !strings.Contains(said, "limiter: "+strings.Join(want.Occupancy.Limiters, ", ")) {
		t.Errorf("launch %d: occupancy is said to be %q, want %+v", launch, said, want.Occupancy)
	}
	metrics := make(map[string]float64)
	for name, v := range want.Metrics {
		if v != nil {
			metrics[name] = *v
		}
	}
	same("metrics", metrics, evaluate[map[string]float64](t, w.tab, `Object.fromEntries([...document.querySelectorAll("[aria-label^=metrics] tbody tr")].map(r => [r.cells[0].textContent, Number(r.cells[1].textContent)]))`))
	var runs float64
	for _, l := range want.Lines {
		runs += l.Metrics["warp_instructions"]
	}
	const column = `((name) => { const table = document.querySelector("table.source"), i = [...table.tHead.rows[0].cells].findIndex(h => h.textContent === name); return [...table.tBodies[0].rows].reduce((n, r) => n + Number(r.cells[i].dataset.v ?? r.cells[i].textContent), 0); })`
	same("instructions of lines", runs, evaluate[float64](t, w.tab, column+`("runs")`))
	cycles := int64(0)
	for _, n := range want.Stalls {
		cycles += n
	}
	same("cycles of lines", cycles, evaluate[int64](t, w.tab, column+`("cycles")`))
}

// figureComparison compares views of a launch with its figures.
type figureComparison struct {
	t      *testing.T
	s      *view.Session
	name   string
	number int
	want   *launchFigures
	launch *view.Launch
}

func (c *figureComparison) same(what string, want, got any) {
	c.t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		c.t.Errorf("%s: %s (-run +view):\n%s", c.name, what, diff)
	}
}

// figures compares all metrics, and the figures of time.
func (c *figureComparison) figures(raw map[string]any) {
	c.t.Helper()
	f := asked(c.t, c.s, view.Request{Figures: &view.FiguresOf{Launch: c.number}}).Figures
	want, got := make(map[string]float64), make(map[string]float64)
	for name, v := range c.want.Metrics {
		if v != nil {
			want[name] = *v
		}
	}
	for _, one := range f.Metrics {
		got[one.Name] = one.Value
	}
	c.same("metrics", want, got)
	if f.Time == nil {
		return
	}
	var time map[string]any
	if err := json.NewDecoder(bytes.NewReader(f.Time)).Decode(&time); err != nil {
		c.t.Fatal(err)
	}
	for key, v := range time {
		c.same(key, raw[key], v)
	}
}

// lines compares the counts that the page shows at each line of the source.
func (c *figureComparison) lines() {
	c.t.Helper()
	want, got := make(map[string][2]float64), make(map[string][2]float64)
	for _, l := range c.want.Lines {
		key := fmt.Sprintf("%s:%d", l.File, l.Line)
		sum := want[key]
		want[key] = [2]float64{sum[0] + l.Metrics["warp_instructions"], sum[1] + l.Metrics["lane_instructions"]}
	}
	for _, l := range stateOf(c.t, c.s, "source", c.number, 0, 0).Source.Lines {
		if l.Passes > 0 {
			got[fmt.Sprintf("%s:%d", l.File, l.Line)] = [2]float64{float64(l.Passes), float64(l.Lanes)}
		}
	}
	c.same("lines", want, got)
}

func (c *figureComparison) occupancy() {
	c.t.Helper()
	o := asked(c.t, c.s, view.Request{Occupancy: &view.OccupancyOf{Launch: c.number}}).Occupancy
	w := &c.want.Occupancy
	c.same("occupancy", []any{w.Blocks, w.Warps, w.Limiters, c.want.Resources.Registers}, []any{o.Blocks, o.Warps, o.Limiters, o.Registers})
	limits := make(map[string]*int)
	for _, l := range o.Limits {
		limits[l.Resource] = &l.Blocks
	}
	maps.DeleteFunc(w.Limits, func(_ string, n *int) bool { return n == nil })
	c.same("limits", w.Limits, limits)
	for _, curve := range o.Curves {
		if n := (curve.At - curve.First) / curve.Step; curve.At >= curve.First && (curve.At-curve.First)%curve.Step == 0 && curve.Warps[n] != o.Warps {
			c.t.Errorf("%s: the curve of %s has %d warps at %d, want %d", c.name, curve.Name, curve.Warps[n], curve.At, o.Warps)
		}
	}
}

// gpu compares where blocks resided, and the cycles of all states.
func (c *figureComparison) gpu() {
	c.t.Helper()
	g := asked(c.t, c.s, view.Request{GPU: &view.GPUOf{Launch: c.number, Bins: 100}}).GPU
	if g.Cut || g.More > 0 {
		c.t.Fatalf("%s: %d blocks, and spells: %v, are left out", c.name, g.More, g.Cut)
	}
	type use struct{ blocks, first, last int64 }
	want, got := make(map[int]use), make(map[int]use)
	for id, m := range c.want.SMs {
		if m.Blocks > 0 {
			want[id] = use{m.Blocks, m.First, m.Last}
		}
	}
	for _, m := range g.SMs {
		u := use{int64(len(m.Stays)), m.Stays[0].Start, 0}
		for _, stay := range m.Stays {
			u.first, u.last = min(u.first, stay.Start), max(u.last, stay.End)
		}
		got[m.SM] = u
	}
	c.same("SMs", fmt.Sprint(want), fmt.Sprint(got))
	states := make(map[string]int64)
	for _, one := range g.States {
		sum := int64(0)
		for _, n := range one.Bins {
			sum += n
		}
		if states[one.State] = one.Cycles; sum != one.Cycles {
			c.t.Errorf("%s: %d cycles of %s over time, want %d", c.name, sum, one.State, one.Cycles)
		}
	}
	c.same("states", notZero(c.want.Stalls), states)
	c.same("cycles and waves", []int64{c.want.Cycles, c.want.Waves.Count}, []int64{g.Cycles, g.Waves.Count})
}

// schedulers compares the strips of the SM of warp 0 with the states of that SM.
func (c *figureComparison) schedulers() {
	c.t.Helper()
	const some = 1024
	if c.want.Cycles > 16*some {
		return
	}
	states, id := make(map[string]int64), 0
	for from := int64(0); from < c.want.Cycles; from += some {
		v := asked(c.t, c.s, view.Request{Schedulers: &view.SchedulersOf{Launch: c.number, From: from, Count: some}}).Schedulers
		id = v.SM
		for _, strip := range v.Schedulers {
			for _, slot := range strip.Slots {
				for _, name := range v.States {
					states[name.Name] += int64(strings.Count(slot.States, name.Letter))
				}
			}
		}
	}
	c.same("strips", notZero(c.want.SMs[id].Stalls), notZero(states))
}

func (c *figureComparison) timeline(warp int64) *view.Timeline {
	c.t.Helper()
	return asked(c.t, c.s, view.Request{Timeline: &view.TimelineOf{Launch: c.number, Warp: warp, Columns: 7}}).Timeline
}

// throughput compares the active lanes and the divergent branches that timelines tell with the counters.
func (c *figureComparison) throughput() {
	c.t.Helper()
	if c.launch.Warps > 64 {
		return
	}
	var lanes, instructions float64
	for warp := range c.launch.Warps {
		t := c.timeline(warp)
		lanes, instructions = lanes+float64(t.Lanes), instructions+float64(t.Total)
		for _, b := range t.Branches {
			if b.Times < 1 || b.Active > 32*b.Apart || b.First&b.Other != 0 || b.First == 0 || b.Until > t.Total || b.Until <= b.Index {
				c.t.Errorf("%s: warp %d has the branch %+v", c.name, warp, b)
			}
		}
		if diverged := strings.Contains(marksOf(t), "D"); diverged != (len(t.Branches) > 0) {
			c.t.Errorf("%s: warp %d diverges: %v, and has %d branches", c.name, warp, diverged, len(t.Branches))
		}
	}
	c.same("throughput", []float64{*c.want.Metrics["warp_instructions"], *c.want.Metrics["lane_instructions"]}, []float64{instructions, lanes})
}

// marksOf returns the marks of all columns.
func marksOf(t *view.Timeline) (all string) {
	for _, c := range t.Columns {
		all += c.Marks
	}
	return all
}

// waits compares what timelines say of waits with the states of warps: all but those of warps that have ended.
func (c *figureComparison) waits() {
	c.t.Helper()
	if c.launch.Warps > 64 {
		return
	}
	states := make(map[string]int64)
	for warp := range c.launch.Warps {
		for _, column := range c.timeline(warp).Columns {
			for state, n := range column.Waited {
				states[state] += n
			}
		}
	}
	want := notZero(c.want.Stalls)
	for _, state := range []string{"selected", "drain"} {
		delete(want, state)
	}
	c.same("waits", want, states)
}

func notZero(states map[string]int64) map[string]int64 {
	all := maps.Clone(states)
	maps.DeleteFunc(all, func(_ string, n int64) bool { return n == 0 })
	return all
}

// TestViewDrawsAsProfiles checks that the figures of the explorer are those of the page that simtrun profile --html
// writes, with all its tables and pictures.
func TestViewDrawsAsProfiles(t *testing.T) {
	const file = "../../programs/bank_strides_8.s"
	page := filepath.Join(t.TempDir(), "page.html")
	typed(t, "profile", file, "--html="+page)
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	s, _ := viewed(t, file, "--timed")
	f := asked(t, s, view.Request{Figures: &view.FiguresOf{}}).Figures
	if !strings.Contains(string(text), f.Page) {
		t.Errorf("the page of the profile has not what the explorer shows: %s", f.Page)
	}
	for part, n := range map[string]int{"<dt>": 8, "<figure>": 4, `<table class="source sortable">`: 1, `<table class="advice">`: 1, "Shared arrays: ": 1, "Buffers: ": 1, "Metrics": 1} {
		if got := strings.Count(f.Page, part); got != n {
			t.Errorf("the figures have %q %d times, want %d", part, got, n)
		}
	}
}
