package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/profile"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/internal/view"
	"github.com/simtrun/simtrun/internal/view/load"
	"github.com/simtrun/simtrun/internal/view/page"
)

// viewed opens a file in a session of the view command.
func viewed(t testing.TB, file string, flags ...string) (*view.Session, *view.Opened) {
	t.Helper()
	root := newRoot()
	cmd, o := newViewCommandOf()
	root.AddCommand(cmd)
	if err := cmd.ParseFlags(flags); err != nil {
		t.Fatal(err)
	}
	s := view.New(view.Config{Load: (&viewLoader{base: cmd, file: file}).load, Text: load.Text, Steps: o.steps})
	return s, asked(t, s, view.Request{Open: &view.Open{}}).Opened
}

// asked returns the answer to a request, which has no error.
func asked(t testing.TB, s *view.Session, r view.Request) *view.Answer {
	t.Helper()
	r.Version = view.Version
	a := s.Answer(t.Context(), &r)
	if a.Error != "" {
		t.Fatalf("%+v: %s", r, a.Error)
	}
	return a
}

func stateOf(t testing.TB, s *view.Session, name string, launch int, warp, step int64, registers ...string) *view.Answer {
	t.Helper()
	return asked(t, s, view.Request{State: &view.StateRequest{View: name, Launch: launch, Warp: warp, Step: step, Registers: registers}})
}

// countsByLine are the counters of a report by line.
func countsByLine(t *testing.T, launch int, args ...string) map[string]profile.Counts {
	t.Helper()
	d, _ := saved(t, args...)
	all := make(map[string]profile.Counts)
	for _, line := range d.Lines(&d.Launches[launch]) {
		if line.Counts.Runs > 0 {
			all[fmt.Sprintf("%s:%d", line.File, line.Line)] = line.Counts
		}
	}
	return all
}

// TestViewCountsAsReports compares what the explorer says of lines and timelines with the counters of a run, which a
// profile observes.
func TestViewCountsAsReports(t *testing.T) {
	programs := []string{"if_else", "nested_if", "while_loop", "divergent_barrier", "barrier_pipeline", "recursion", "indirect_call", "switch_brx", "softmax"}
	for _, name := range programs {
		for _, mode := range [][]string{{"--functional"}, {"--functional", "--divergence=stack"}, {"--timed"}} {
			file := "../../programs/" + name + ".s"
			if name == "divergent_barrier" && len(mode) > 1 {
				continue // it hangs with a stack
			}
			args := slices.DeleteFunc(append([]string{file}, mode...), func(w string) bool { return w == "--timed" })
			viewFlags := slices.DeleteFunc(slices.Clone(mode), func(w string) bool { return w == "--functional" })
			s, o := viewed(t, file, viewFlags...)
			if o.Failure != "" || o.Limited != "" || o.Timed != (mode[0] == "--timed") {
				t.Fatalf("%s %v: %q, %q, timed %v", name, mode, o.Failure, o.Limited, o.Timed)
			}
			for launch, l := range o.Launches {
				compareCounts(t, s, launch, &l, fmt.Sprint(name, mode), countsByLine(t, launch, args...))
			}
		}
	}
}

func compareCounts(t *testing.T, s *view.Session, launch int, l *view.Launch, name string, want map[string]profile.Counts) {
	t.Helper()
	got := make(map[string]bool)
	for _, line := range stateOf(t, s, "source", launch, 0, 0).Source.Lines {
		key := fmt.Sprintf("%s:%d", line.File, line.Line)
		got[key] = line.Passes > 0
		if w := want[key]; uint64(line.Passes) != w.Runs || uint64(line.Lanes) != w.Lanes {
			t.Errorf("%s: %s has %d instructions and %d lanes, want %d and %d", name, key, line.Passes, line.Lanes, w.Runs, w.Lanes)
		}
	}
	var sum profile.Counts
	for key, w := range want {
		sum.Add(&w)
		if !got[key] {
			t.Errorf("%s: %s is missing", name, key)
		}
	}
	divergences, arrivals, instructions := uint64(0), uint64(0), int64(0)
	for warp := range l.Warps {
		const some = 4096
		for from, total := 0, 1; from < total; from += some {
			line := asked(t, s, view.Request{Timeline: &view.TimelineOf{Launch: launch, Warp: warp, From: from, Count: some, Columns: some}}).Timeline
			total = line.Total
			for _, c := range line.Columns {
				instructions += int64(c.Count)
				divergences += uint64(strings.Count(c.Marks, "D"))
				arrivals += uint64(strings.Count(c.Marks, "B"))
			}
		}
	}
	if instructions != int64(sum.Runs) || instructions != l.Instructions {
		t.Errorf("%s: %d instructions in timelines, %d in all, want %d", name, instructions, l.Instructions, sum.Runs)
	}
	if divergences != sum.Divergences && divergences != sum.DivergentBranches || arrivals != sum.Arrivals {
		t.Errorf("%s: %d divergences and %d arrivals, want %d (%d at branches) and %d", name, divergences, arrivals, sum.Divergences, sum.DivergentBranches, sum.Arrivals)
	}
}

// TestViewTellsWhereLanesMeet compares what the first page says of if_else with the figures in the head of that
// program, which are worked out by hand: 656 of 704 lane slots, 16 lanes on each side of the branch in line 52, which
// meet in line 60, and 3 instructions between.
func TestViewTellsWhereLanesMeet(t *testing.T) {
	for _, model := range []string{"its", "stack", "minpc"} {
		s, _ := viewed(t, "../../programs/if_else.s", "--divergence="+model)
		got := asked(t, s, view.Request{Timeline: &view.TimelineOf{Columns: 40}}).Timeline
		if got.Total != 22 || got.Lanes != 656 || len(got.Branches) != 1 {
			t.Fatalf("%s: %+v", model, got)
		}
		b := got.Branches[0]
		if b.At.Line != 52 || b.Times != 1 || b.Index != 12 || b.Until != 16 || b.Apart != 3 || b.Active != 48 || b.First|b.Other != 0xffffffff || b.First != 0x55555555 && b.First != 0xaaaaaaaa {
			t.Errorf("%s: %+v", model, b)
		}
		if (b.Meets != nil) != (model != "minpc") || b.Meets != nil && b.Meets.Line != 60 {
			t.Errorf("%s: they meet at %+v", model, b.Meets)
		}
	}
}

// memorySums are wavefronts and ideal ones, or sectors and lines, by kind and space: of all accesses of all warps.
func memorySums(t *testing.T, s *view.Session, warps int64) map[string][2]uint64 {
	t.Helper()
	sums := make(map[string][2]uint64)
	add := func(m *view.Moment) {
		for _, a := range asked(t, s, view.Request{State: &view.StateRequest{View: "memory", Warp: m.Warp, Step: m.Step, Index: &m.Index}}).Memory.Accesses {
			n := sums[a.Kind+" "+a.Space]
			switch {
			case a.Banks != nil:
				n[0], n[1] = n[0]+uint64(a.Banks.Wavefronts), n[1]+uint64(a.Banks.Ideal)
			case a.Lines != nil:
				n[0], n[1] = n[0]+uint64(a.Lines.Sectors), n[1]+uint64(a.Lines.Lines)
			}
			sums[a.Kind+" "+a.Space] = n
		}
	}
	for warp := range warps {
		at := 0
		m := asked(t, s, view.Request{Seek: &view.Seek{Warp: warp, Index: &at}}).Moment
		for m.Found {
			add(m)
			at = m.Index
			m = asked(t, s, view.Request{Seek: &view.Seek{Warp: warp, Index: &at, Find: "access"}}).Moment
		}
	}
	return sums
}

// TestViewMemorySumsToMetrics asks for each access of each warp, and compares the sums with the counters of a run. With
// a clock, loops are unrolled: a warp makes several accesses in a cycle.
func TestViewMemorySumsToMetrics(t *testing.T) {
	short.Skip(t)
	short.Alternates(t, 2, 3)
	for _, name := range []string{"bank_strides_4", "bank_strides_8", "copy_strided", "resize"} {
		file := "../../programs/" + name + ".s"
		for flag, mode := range map[string][]string{"": {"--functional"}, "--timed": nil} {
			s, o := viewed(t, file, append(strings.Fields(flag), "--grid=2")...)
			d, _ := saved(t, append([]string{file, "--grid=2"}, mode...)...)
			var want profile.Counts
			for i := range d.Launches[0].Instructions {
				want.Add(&d.Launches[0].Instructions[i].Counts)
			}
			got := memorySums(t, s, o.Launches[0].Warps)
			for _, kind := range []isa.Kind{isa.Load, isa.Store} {
				shared, global := want.Of(kind, isa.Shared), want.Of(kind, isa.Global)
				if n := got[kind.String()+" shared"]; n != [2]uint64{shared.Wavefronts, shared.IdealWavefronts} {
					t.Errorf("%s %s: %ss have %d wavefronts, want %d of %d", name, flag, kind, n, shared.Wavefronts, shared.IdealWavefronts)
				}
				if n := got[kind.String()+" global"]; n != [2]uint64{global.Sectors, global.Lines} {
					t.Errorf("%s %s: %ss have %d sectors and lines, want %d and %d", name, flag, kind, n, global.Sectors, global.Lines)
				}
			}
		}
	}
}

// TestViewShowsWhatTheDebuggerPrints goes to moments, and compares masks, places and registers with the text of the
// debugger at the same step.
func TestViewShowsWhatTheDebuggerPrints(t *testing.T) {
	for _, c := range []struct {
		name      string
		steps     []int64
		warp      int64
		registers []string
	}{
		{"if_else", []int64{0, 12, 13, 15, 16, 21}, 0, []string{"%r7", "%r10", "%rd2"}},
		{"nested_if", []int64{5, 14, 17, 20, 24}, 0, nil},
		{"divergent_barrier", []int64{20, 30, 40, 50}, 1, nil},
		{"barrier_pipeline", []int64{50, 100, 200, 300}, 2, nil},
	} {
		file := "../../programs/" + c.name + ".s"
		for _, model := range []string{"its", "stack"} {
			if c.name == "divergent_barrier" && model == "stack" {
				continue // it hangs
			}
			s, o := viewed(t, file, "--divergence="+model)
			per := o.Launches[0].PerBlock
			for _, step := range c.steps {
				args := []string{"debug", file, "--batch", "--divergence=" + model, "-e", fmt.Sprintf("goto %d", step), "-e", fmt.Sprintf("focus b%d w%d", c.warp/per, c.warp%per), "-e", "info mask", "-e", "info stack"}
				for _, r := range c.registers {
					args = append(args, "-e", "lane 30 print "+r, "-e", "lane 3 print "+r)
				}
				text := typed(t, args...).stdout
				w := stateOf(t, s, "warp", 0, c.warp, step, c.registers...).Warp
				if gone := strings.Contains(text, "has ended, or not started") || strings.Contains(text, "has not started yet"); w.Absent != gone {
					t.Errorf("%s %s, step %d: the warp is absent: %v, and not in\n%s", c.name, model, step, w.Absent, text)
				}
				if w.Absent {
					continue
				}
				want := map[string]uint32{"threads": w.Threads, "live": w.Live, "active": w.Active, "waiting": w.Waiting}
				for what, mask := range want {
					if !strings.Contains(text, fmt.Sprintf("%-8s %08x", what, mask)) {
						t.Errorf("%s %s, step %d: %s is %08x, and not in\n%s", c.name, model, step, what, mask, text)
					}
				}
				for _, split := range w.Splits {
					row := fmt.Sprintf("%08x L%d", split.Mask, split.At.Line)
					if split.Stop != nil {
						row = fmt.Sprintf("L%-8d %s", split.Stop.Line, row)
					}
					if !strings.Contains(text, row) {
						t.Errorf("%s %s, step %d: no split %q in\n%s", c.name, model, step, row, text)
					}
				}
				for _, r := range w.Registers[:min(len(w.Registers), len(c.registers))] {
					for _, lane := range []int{3, 30} {
						want := fmt.Sprintf("lane %d print %s\n%s %s   %d: %s\n", lane, r.Name, r.Name, r.Type, lane, r.Values[lane])
						if !strings.Contains(text, want) {
							t.Errorf("%s %s, step %d: no %q in\n%s", c.name, model, step, want, text)
						}
					}
				}
				if w.Next != nil && !strings.Contains(text, fmt.Sprintf("L%d", w.Next.Line)) {
					t.Errorf("%s %s, step %d: next is L%d, and not in\n%s", c.name, model, step, w.Next.Line, text)
				}
			}
			if o.Model != model {
				t.Errorf("%s: model %s, want %s", c.name, o.Model, model)
			}
		}
	}
}

// TestViewSchedulersAreThoseOfTheDebugger compares the view of an SM with info schedulers at some cycles.
func TestViewSchedulersAreThoseOfTheDebugger(t *testing.T) {
	file := "../../programs/barrier_pipeline.s"
	s, _ := viewed(t, file, "--timed")
	for _, cycle := range []int64{0, 700, 1220, 1500, 2000} {
		text := typed(t, "debug", "--timed", file, "--batch", "-e", fmt.Sprintf("goto %d", cycle), "-e", "focus b0 w1", "-e", "info schedulers").stdout
		v := stateOf(t, s, "sm", 0, 1, cycle).SM
		if v.Absent || !strings.Contains(text, fmt.Sprintf("SM %d  %d block", v.SM, v.Blocks)) {
			t.Errorf("cycle %d: %+v, and not in\n%s", cycle, v, text)
			continue
		}
		rows := 0
		for i, c := range v.Schedulers {
			if head := fmt.Sprintf("scheduler %d  warps %d of %d  issued %d", i, len(c.Warps), c.Slots, c.Issued); !strings.Contains(text, head) {
				t.Errorf("cycle %d: no %q in\n%s", cycle, head, text)
			}
			for _, w := range c.Warps {
				rows++
				row := fmt.Sprintf("s%-2d %-8s %s", w.Slot, fmt.Sprintf("b%d.w%d", w.Block, w.ID), w.Text)
				if !strings.Contains(text, row) || w.Eligible != (w.Text == "can issue") || w.Next != nil && !strings.Contains(text, fmt.Sprintf("L%d", w.Next.Line)) {
					t.Errorf("cycle %d: no %q in\n%s", cycle, row, text)
				}
			}
		}
		if want := strings.Count(text, "b0.w") + strings.Count(text, "b1.w"); rows == 0 || rows > want {
			t.Errorf("cycle %d: %d rows in\n%s", cycle, rows, text)
		}
	}
}

// TestViewMarksFindings checks that findings are those of a run with checks, and that the timeline leads to them.
func TestViewMarksFindings(t *testing.T) {
	file := "../../programs/warp_sum_racy.s"
	s, o := viewed(t, file)
	var run struct{ Findings []struct{ Rule string } }
	if err := json.Unmarshal([]byte(typed(t, "run", "--json", "--check", "all", file).stdout), &run); err != nil {
		t.Fatal(err)
	}
	if len(o.Findings) != len(run.Findings) || len(o.Findings) == 0 {
		t.Fatalf("%d findings, want %d", len(o.Findings), len(run.Findings))
	}
	for i, f := range o.Findings {
		if f.Rule != run.Findings[i].Rule || f.Step < 0 {
			t.Errorf("finding %d is %+v, want rule %s", i, f, run.Findings[i].Rule)
			continue
		}
		m := asked(t, s, view.Request{Seek: &view.Seek{Launch: f.Launch, Warp: f.Warp, Step: f.Step}}).Moment
		w := stateOf(t, s, "warp", f.Launch, f.Warp, m.Step).Warp
		if !strings.Contains(m.Marks, "F") || w.Next == nil || w.Next.Line != f.Line {
			t.Errorf("finding %d of line %d: marks %q, next %+v", i, f.Line, m.Marks, w.Next)
		}
	}
}

// TestViewShowsFaultsAndHangs checks that a launch that fails can be seen up to its last instruction.
func TestViewShowsFaultsAndHangs(t *testing.T) {
	for name, c := range map[string]struct{ body, rule string }{
		"fault": {"mov.u64 %rd1, 64;\n st.global.u32 [%rd1], %r1;", "mem-space"},
		"hang":  {"mov.u32 %r1, %tid.x;\n setp.eq.u32 %p1, %r1, 0;\nL: @!%p1 bra L;", "livelock"},
	} {
		file := filepath.Join(t.TempDir(), "k.s")
		text := ".entry k() {\n .reg .u32 %r<4>; .reg .u64 %rd<4>; .reg .pred %p<4>;\n " + c.body + "\n ret;\n}\n"
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s, o := viewed(t, file, "--max-steps=1000", "--steps=3000")
		if len(o.Findings) == 0 || o.Findings[0].Severity != "error" {
			t.Errorf("%s: findings %+v, failure %q", name, o.Findings, o.Failure)
			continue
		}
		f := o.Findings[0]
		zero := 0
		m := asked(t, s, view.Request{Seek: &view.Seek{Index: &zero, Find: "finding"}}).Moment
		w := stateOf(t, s, "warp", 0, 0, m.Step).Warp
		if !m.Found || m.Step != f.Step || w.Absent {
			t.Errorf("%s: the finding %+v is at %+v; warp %+v", name, f, m, w)
		}
	}
}

// TestViewRunsEditedText checks that the text and the settings of the page replace those of the file, and that mistakes
// are findings with lines.
func TestViewRunsEditedText(t *testing.T) {
	file := "../../programs/if_else.s"
	s, o := viewed(t, file)
	text := strings.Replace(o.Files[0].Text, "and.b32             %r9, %r7, 1;", "and.b32             %r9, %r7, 2;", 1)
	again := asked(t, s, view.Request{Open: &view.Open{Text: &text, Settings: &view.Settings{Divergence: "stack"}}}).Opened
	if w := stateOf(t, s, "warp", 0, 0, 13).Warp; again.Model != "stack" || w.Active != 0xcccccccc || len(w.Meetings) != 1 || w.Meetings[0].Lanes != 0xffffffff {
		t.Errorf("model %s, active %08x, meetings %+v", again.Model, w.Active, w.Meetings)
	}
	wrong := strings.Replace(text, "shr.u32 ", "shr.q32 ", 1)
	bad := asked(t, s, view.Request{Open: &view.Open{Text: &wrong}}).Opened
	if len(bad.Launches) != 0 || len(bad.Findings) != 1 || bad.Findings[0].Line != 53 {
		t.Errorf("%+v", bad.Findings)
	}
	if a := s.Answer(t.Context(), &view.Request{Version: view.Version, State: &view.StateRequest{View: "warp"}}); a.Error == "" {
		t.Error("a program with mistakes has states")
	}
}

// TestViewCommandServesItsPage runs the command, reads the page and an answer at the address that it prints, and ends
// it.
func TestViewCommandServesItsPage(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	out, printed := io.Pipe()
	ended := make(chan int, 1)
	go func() { ended <- run(ctx, []string{"view", "../../programs/if_else.s"}, printed, io.Discard) }()
	url, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	go io.Copy(io.Discard, out)
	url = strings.TrimSpace(url)
	read := func(r *http.Request) string {
		t.Helper()
		got, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer got.Body.Close()
		text, err := io.ReadAll(got.Body)
		if err != nil || got.StatusCode != http.StatusOK || got.Header.Get("Content-Security-Policy") != page.Policy {
			t.Fatalf("%v, %s, %v", err, got.Status, got.Header)
		}
		return string(text)
	}
	request := func(method, name, body string) *http.Request {
		r, err := http.NewRequestWithContext(ctx, method, url+name, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Origin", "http://"+r.URL.Host)
		r.Header.Set("Content-Type", "application/json")
		return r
	}
	if text := read(request("GET", "", "")); !strings.Contains(text, `src="explorer.js"`) {
		t.Errorf("the page is %q", text)
	}
	if text := read(request("POST", "message", `{"version":1,"id":7,"open":{}}`)); !strings.Contains(text, `"id":7,"opened":`) || !strings.Contains(text, `"instructions":22`) {
		t.Errorf("the answer is %q", text)
	}
	cancel()
	if code := <-ended; code == exitUsage {
		t.Errorf("exit %d", code)
	}
	http.DefaultClient.CloseIdleConnections()
	for _, args := range [][]string{{"view"}, {"view", "-"}, {"view", "a.s", "b.s"}, {"view", "none.s"}, {"view", "../../programs"}, {"view", "../../programs/if_else.s", "--steps=0"}, {"view", "../../programs/if_else.s", "--history=much"}} {
		if got := typed(t, args...); got.code != exitUsage {
			t.Errorf("%q: %+v", args, got)
		}
	}
}
