package timeline

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/internal/trace"
	"github.com/simtrun/simtrun/interp"
)

// event is an event of a timeline.
type event struct {
	Ph       string
	Pid, Tid int
	Ts, Dur  int64
	Cat      string
	Name     string
	Args     struct {
		Line int
		PC   int
		Mean float64
		Name string
	}
}

// kernel diverges, calls, waits at barriers, and accesses shared and global memory.
const kernel = `
.func (.reg .u32 %out) twice(.reg .u32 %in)
{
	add.u32 %out, %in, %in;
	ret;
}
.entry k(.param .u64 x)
{
	.shared .b32 tile[256];
	ld.param.u64 %rd1, [x];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd2, %r1, 4;
	add.u64 %rd3, %rd1, %rd2;
	mov.u64 %rd4, tile;
	add.u64 %rd4, %rd4, %rd2;
	mov.u32 %r9, 0;
LOOP:
	ld.global.u32 %r2, [%rd3];
	and.b32 %r3, %r1, 1;
	setp.eq.u32 %p1, %r3, 0;
	@%p1 bra EVEN;
	call (%r2), twice, (%r2);
	fma.rn.f32 %f1, %f2, %f3, %f4;
	add.u32 %r7, %r2, 1;
EVEN:
	st.shared.u32 [%rd4], %r2;
	bar.sync 0;
	ld.shared.u32 %r5, [%rd4];
	add.u32 %r5, %r5, 1;
	st.global.u32 [%rd3], %r5;
	add.u32 %r9, %r9, 1;
	setp.lt.u32 %p2, %r9, 5;
	@%p2 bra LOOP;
	ret;
}
`

// run records successive launches of kernel k, and returns their timings.
func run(t *testing.T, source string, o Options, window int64, threads, ctas, launches int) (*Written, []*sm.Timing, error) {
	t.Helper()
	mod, err := asm.Parse("k.s", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	on := *gpu.H100()
	on.SMs = 6
	m, err := interp.New(mod, interp.Config{GPU: &on, Threads: threads})
	if err != nil {
		t.Fatal(err)
	}
	x, err := m.Alloc("x", 4*128)
	if err != nil {
		t.Fatal(err)
	}
	r := New(o)
	var all []*sm.Timing
	since := int64(0)
	for range launches {
		l := interp.Launch{Kernel: "k", Grid: isa.Dim{X: uint32(ctas), Y: 1, Z: 1}, Block: isa.Dim{X: 128, Y: 1, Z: 1}}
		for shift := 0; shift < 64; shift += 8 {
			l.Params = append(l.Params, byte(x.Base>>shift))
		}
		s, err := sm.Begin(m, l, sm.Options{Recorder: r, Window: window, Since: since, DualIssue: true})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Continue(context.Background()); err != nil {
			return r.Write(), all, err
		}
		timing := s.Timing()
		if err := timing.Check(); err != nil {
			t.Error(err)
		}
		all, since = append(all, timing), timing.Next()
	}
	return r.Write(), all, nil
}

func events(t *testing.T, w *Written) []event {
	t.Helper()
	var file struct {
		OtherData   struct{ Left_out []string }
		TraceEvents []event
	}
	if err := json.Unmarshal(w.JSON, &file); err != nil {
		t.Fatalf("%v in %.200s", err, w.JSON)
	}
	if diff := cmp.Diff(append([]string{}, w.LeftOut...), file.OtherData.Left_out); diff != "" {
		t.Errorf("what is left out (-told +in the file):\n%s", diff)
	}
	return file.TraceEvents
}

// track identifies a track of a process.
type track struct{ pid, tid int }

// byTrack returns the slices of each track in some categories, by time.
func byTrack(all []event, categories ...string) map[track][]event {
	tracks := make(map[track][]event)
	for _, e := range all {
		if e.Ph == "X" && slices.Contains(categories, e.Cat) {
			tracks[track{e.Pid, e.Tid}] = append(tracks[track{e.Pid, e.Tid}], e)
		}
	}
	for _, slots := range tracks {
		slices.SortStableFunc(slots, func(a, b event) int { return int(a.Ts - b.Ts) })
	}
	return tracks
}

// checkTracks checks that slices have a length and do not overlap, and that states are within the slice of their
// warp, which precedes them in the file.
func checkTracks(t *testing.T, all []event) {
	t.Helper()
	for _, categories := range [][]string{{"warp"}, {"state", "selected"}, {"issue"}, {"block"}, {"launch"}} {
		for at, slots := range byTrack(all, categories...) {
			for i, e := range slots {
				if e.Dur <= 0 || e.Ts < 0 || i > 0 && e.Ts < slots[i-1].Ts+slots[i-1].Dur {
					t.Fatalf("%v: %+v, behind %+v", at, e, slots[max(0, i-1)])
				}
			}
		}
	}
	warps := make(map[track]event)
	names := make(map[track]bool)
	for _, e := range all {
		at := track{e.Pid, e.Tid}
		switch {
		case e.Ph == "M":
			names[at] = true
		case e.Cat == "warp":
			warps[at] = e
		case e.Cat == "state", e.Cat == "selected":
			if w := warps[at]; e.Ts < w.Ts || e.Ts+e.Dur > w.Ts+w.Dur {
				t.Fatalf("%v: %+v is not in %+v", at, e, w)
			}
		}
		if e.Ph == "X" && !names[at] {
			t.Fatalf("%v has no name before %+v", at, e)
		}
	}
}

// TestSlicesAgreeWithCountedStates checks that the slices of two complete launches agree with the counted states, line
// by line, and the counters with the counts.
func TestSlicesAgreeWithCountedStates(t *testing.T) {
	everything, err := trace.ParseFilter("0-5")
	if err != nil {
		t.Fatal(err)
	}
	w, timings, err := run(t, kernel, Options{SMs: everything}, 0, 1, 40, 2)
	if err != nil || len(w.LeftOut) > 0 {
		t.Fatal(err, w.LeftOut)
	}
	all := events(t, w)
	checkTracks(t, all)
	want, got := make(map[string]uint64), make(map[string]uint64)
	var issued, paired, warpCycles int64
	for _, timing := range timings {
		sum := timing.Total().Schedulers[0]
		issued, paired, warpCycles = issued+int64(sum.Issued), paired+int64(sum.Paired), warpCycles+sum.WarpCycles
		for _, f := range timing.Funcs {
			for pc := range f.States {
				for s, n := range f.States[pc] {
					if n > 0 {
						want[fmt.Sprintf("%d %s", f.Func.PosAt(pc).Line, sm.State(s))] += n
					}
				}
			}
		}
	}
	if paired == 0 {
		t.Error("nothing is paired")
	}
	issues, warps, arrivals, launches, pairs := int64(0), 0, 0, 0, int64(0)
	for _, e := range all {
		switch {
		case e.Cat == "state":
			got[fmt.Sprintf("%d %s", e.Args.Line, e.Name)] += uint64(e.Dur)
		case e.Cat == "selected":
			got[fmt.Sprintf("%d selected", e.Args.Line)] += uint64(e.Dur)
		case e.Cat == "issue":
			issues++
		case e.Cat == "warp":
			warps++
		case e.Ph == "i" && e.Name == "arrives at barrier":
			arrivals++
		case e.Ph == "i" && strings.HasPrefix(e.Name, "paired: "):
			pairs++
		case e.Cat == "launch":
			if e.Ts != timings[launches].Start || e.Dur != timings[launches].Cycles {
				t.Errorf("%+v is not the launch from %d in %d cycles", e, timings[launches].Start, timings[launches].Cycles)
			}
			launches++
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("cycles by line and state (-counted +on the timeline):\n%s", diff)
	}
	if issues != issued-paired || pairs != paired || warps != 2*40*4 || arrivals != 5*warps || launches != 2 {
		t.Errorf("%d issues of %d, %d of them paired (%d), %d warps, %d arrivals, %d launches", issues, issued, paired, pairs, warps, arrivals, launches)
	}
	checkCounters(t, all, float64(issued), float64(warpCycles))
}

// checkCounters checks that means, weighted by the time until the next one, sum to the counts of the GPU and of its
// SMs.
func checkCounters(t *testing.T, all []event, issued, warpCycles float64) {
	t.Helper()
	sums, last := make(map[string]float64), make(map[string]event)
	for _, e := range all {
		if e.Ph != "C" {
			continue
		}
		key := fmt.Sprintf("%d %s", e.Pid, e.Name)
		if before, ok := last[key]; ok {
			sums[key] += before.Args.Mean * float64(e.Ts-before.Ts)
		}
		last[key] = e
	}
	for name, want := range map[string]float64{"issued per cycle": issued, "warps": warpCycles} {
		ofSMs := 0.0
		for id := range 6 {
			ofSMs += sums[fmt.Sprintf("%d %s", pid(id), name)]
		}
		if ofGPU := sums["7 "+name]; math.Abs(ofGPU-want) > 1e-4*want || math.Abs(ofSMs-want) > 1e-4*want {
			t.Errorf("%s: %v of the GPU, %v of SMs, want %v", name, ofGPU, ofSMs, want)
		}
	}
}

// TestTimelineIgnoresWindowsAndThreads checks that a timeline does not depend on windows and threads, even in a run
// that ends with an error.
func TestTimelineIgnoresWindowsAndThreads(t *testing.T) {
	failing := strings.Replace(kernel, "EVEN:", "\tmov.u32 %r20, %ctaid.x;\n\tsetp.eq.u32 %p3, %r20, 9;\n\t@%p3 trap;\nEVEN:", 1)
	for _, source := range []string{kernel, failing} {
		want, _, wantErr := run(t, source, Options{}, 0, 1, 40, 1)
		checkTracks(t, events(t, want))
		for _, c := range []struct {
			window  int64
			threads int
		}{{1, 1}, {50, 3}, {0, 6}} {
			got, _, err := run(t, source, Options{}, c.window, c.threads, 40, 1)
			if (err == nil) != (wantErr == nil) || (err == nil) != (source == kernel) {
				t.Errorf("%v, and %v", err, wantErr)
			}
			if !bytes.Equal(want.JSON, got.JSON) {
				t.Errorf("windows of %d cycles, %d threads: another timeline (-longest, 1 +these):\n%.2000s", c.window, c.threads, cmp.Diff(strings.Split(string(want.JSON), "\n"), strings.Split(string(got.JSON), "\n")))
			}
		}
	}
}

// TestTimelineKeepsSizeLimit checks that a timeline keeps its size limit, says what it omits, and is complete up to
// there.
func TestTimelineKeepsSizeLimit(t *testing.T) {
	const most = 1 << 20
	w, timings, err := run(t, kernel, Options{Bytes: most}, 0, 1, 4000, 1)
	if err != nil {
		t.Fatal(err)
	}
	all := events(t, w)
	checkTracks(t, all)
	if len(w.JSON) > most || len(w.JSON) < most/2 {
		t.Errorf("%d bytes", len(w.JSON))
	}
	var left []string
	for _, text := range w.LeftOut {
		left = append(left, strings.Map(func(r rune) rune {
			if r >= '0' && r <= '9' {
				return 'N'
			}
			return r
		}, text))
	}
	want := []string{"the warps of N SMs from N to N; --sm-filter chooses SMs"}
	for range 4 {
		want = append(want, "what warps of SM N do from cycle NNN on; --timeline-size is how large the file may be")
	}
	want = append(want, "NNNN blocks, of those that start from cycle NNNNN on; --timeline-size is how large the file may be")
	if diff := cmp.Diff(want, left); diff != "" {
		t.Errorf("left out (-want +got):\n%s\n%v", diff, w.LeftOut)
	}
	// No shown warp has a gap.
	for at, slots := range byTrack(all, "state", "selected") {
		warps := byTrack(all, "warp")[at]
		for i, e := range slots[1:] {
			before := slots[i].Ts + slots[i].Dur
			begins := slices.ContainsFunc(warps, func(w event) bool { return w.Ts == e.Ts })
			if e.Ts != before && !begins {
				t.Fatalf("%v: nothing between %d and %+v", at, before, e)
			}
		}
	}
	if timings[0].Cycles < 20000 {
		t.Errorf("%d cycles", timings[0].Cycles)
	}
}

// TestUnusedSMsTakeNoSpace checks that SMs in a filter that have no shown block take no space from the others: a
// timeline that does not fit if all SMs have blocks is complete if one has.
func TestUnusedSMsTakeNoSpace(t *testing.T) {
	all, err := trace.ParseFilter("0-5")
	if err != nil {
		t.Fatal(err)
	}
	first, err := trace.ParseFilter("0")
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Replace(kernel, "%r9, 5;", "%r9, 70;", 1)
	for _, c := range []struct {
		name    string
		options Options
		ctas    int
		cut     bool
	}{
		{"a block", Options{SMs: all}, 1, false},
		{"a block that is shown", Options{SMs: all, Blocks: first}, 6, false},
		{"a block on each SM", Options{SMs: all}, 6, true},
	} {
		c.options.Bytes = 3 << 20
		w, _, err := run(t, long, c.options, 0, 1, c.ctas, 1)
		if err != nil {
			t.Fatal(err)
		}
		checkTracks(t, events(t, w))
		cut := slices.ContainsFunc(w.LeftOut, func(text string) bool { return strings.Contains(text, "--timeline-size") })
		if cut != c.cut || int64(len(w.JSON)) > c.options.Bytes {
			t.Errorf("%s: %d bytes, left out: %q", c.name, len(w.JSON), w.LeftOut)
		}
	}
}

// TestOmissionsIgnoreWindowsAndThreads checks that omissions from a timeline with too little space do not depend on
// windows and threads: SMs get their first blocks one after the other.
func TestOmissionsIgnoreWindowsAndThreads(t *testing.T) {
	all, err := trace.ParseFilter("0-5")
	if err != nil {
		t.Fatal(err)
	}
	failing := strings.Replace(kernel, "EVEN:", "\tmov.u32 %r20, %ctaid.x;\n\tsetp.eq.u32 %p3, %r20, 300;\n\t@%p3 trap;\nEVEN:", 1)
	for _, source := range []string{kernel, failing} {
		o := Options{SMs: all, Bytes: 1 << 20}
		want, _, _ := run(t, source, o, 0, 1, 600, 2)
		for _, c := range []struct {
			window  int64
			threads int
		}{{1, 1}, {50, 3}} {
			got, _, _ := run(t, source, o, c.window, c.threads, 600, 2)
			if !bytes.Equal(want.JSON, got.JSON) {
				t.Errorf("windows of %d cycles, %d threads: another timeline: %q, want %q", c.window, c.threads, got.LeftOut, want.LeftOut)
			}
		}
	}
}

// TestFiltersKeepEverythingOverlapping checks that for the warps of one SM, and for some cycles, everything that
// overlaps is present.
func TestFiltersKeepEverythingOverlapping(t *testing.T) {
	parse := func(text string) trace.Filter {
		f, err := trace.ParseFilter(text)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	every, _, _ := run(t, kernel, Options{SMs: parse("0-5")}, 0, 1, 40, 1)
	few, _, _ := run(t, kernel, Options{SMs: parse("2"), Cycles: parse("1000-1100"), Warps: parse("1-2"), Blocks: parse("0-7")}, 0, 1, 40, 1)
	var want []event
	for _, e := range events(t, every) {
		var block, id int
		if _, err := fmt.Sscanf(e.Name, "b%d.w%d ", &block, &id); e.Cat == "issue" && err == nil && e.Pid == pid(2) && (id == 1 || id == 2) && block < 8 {
			want = append(want, e)
		}
	}
	got := slices.DeleteFunc(events(t, few), func(e event) bool { return e.Cat != "issue" })
	if last := got[len(got)-1].Ts; last <= 1100 {
		t.Errorf("the last issue is at %d: work under way then is left out", last)
	}
	within := func(all []event) []event {
		return slices.DeleteFunc(all, func(e event) bool { return e.Ts < 1000 || e.Ts > 1100 })
	}
	want, got = within(want), within(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("issues (-of all +filtered):\n%s", diff)
	}
	if len(few.LeftOut) != 3 {
		t.Error(few.LeftOut)
	}
}

// TestSeriesSumsCycles checks that bins hold the counts of their cycles, in any order of calls.
func TestSeriesSumsCycles(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	cycles := make([]uint64, 100_000)
	var parts [2]series
	for range 3000 {
		s := &parts[rnd.IntN(2)]
		first := rnd.Int64N(int64(len(cycles)))
		end := min(int64(len(cycles)), first+rnd.Int64N(900))
		if rnd.IntN(2) == 0 {
			s.add(first, 3)
			cycles[first] += 3
			continue
		}
		s.addSpan(first, end)
		for c := first; c < end; c++ {
			cycles[c]++
		}
	}
	parts[0].merge(&parts[1])
	if s := &parts[0]; len(s.bins) > maxBins || len(s.bins) <= maxBins/4 {
		t.Errorf("%d bins", len(s.bins))
	}
	for i, n := range parts[0].bins {
		width := 1 << parts[0].shift
		want := uint64(0)
		for _, c := range cycles[i*width : min((i+1)*width, len(cycles))] {
			want += c
		}
		if n != want {
			t.Fatalf("bin %d of %d cycles has %d, want %d", i, width, n, want)
		}
	}
}
