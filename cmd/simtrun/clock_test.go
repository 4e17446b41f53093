package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/short"
)

// timedLaunch is the part of the JSON object about a launch with a clock.
type timedLaunch struct {
	Cycles    int64
	TimeUS    float64 `json:"time_us"`
	Sched     string
	CTAOrder  string `json:"cta_order"`
	Stream    string `json:"stream"`
	Start     int64  `json:"start_cycle"`
	Cost      string
	DualIssue bool `json:"dual_issue"`
	Waves     struct {
		PerMultiprocessor float64 `json:"per_multiprocessor"`
		Count             int64
		Last, Efficiency  float64
	}
	Occupancy struct {
		BlocksPerSM           int `json:"blocks_per_sm"`
		Theoretical, Achieved float64
		Limiters              []string
		Limits                map[string]*int
	}
	Issued uint64
	Stalls map[string]uint64
	SMs    []struct {
		Blocks, Issued int64
		ActiveCycles   int64 `json:"active_cycles"`
		WarpCycles     int64 `json:"warp_cycles"`
	}
	WarpInstructions uint64 `json:"warp_instructions"`
	Metrics          map[string]*float64
}

// timed runs a source with a clock, and returns its launches.
func timed(t *testing.T, source string, args ...string) []timedLaunch {
	t.Helper()
	got := simtrun(t, source, append([]string{"FILE", "--json"}, args...)...)
	var object struct {
		GPU      string
		Launches []timedLaunch
	}
	if err := json.Unmarshal([]byte(got.stdout), &object); err != nil || got.code != 0 || object.GPU == "none" {
		t.Fatalf("%v, exit %d, gpu %s, %s", err, got.code, object.GPU, got.stderr)
	}
	return object.Launches
}

// TestFirstScreenShowsThreeLinesOfTime checks that a timed launch prints three lines about time, which agree with the
// JSON object, and that a run without a clock prints none, however the clock was disabled.
func TestFirstScreenShowsThreeLinesOfTime(t *testing.T) {
	got := simtrun(t, triple, "FILE", "--grid", "2", "--sched", "lrr", "--cta-order", "linear", "--cost", "ptx", "--dual-issue")
	want := regexp.MustCompile(`^triple  grid 2x1x1 .* divergence its
ok      warp-instr 26  lanes active 100.0%  divergent branches 0
time    cycles (\d+)  (\d+\.\d\d) us at 1980 MHz  gpu h100  sched lrr  cta-order linear  cost ptx  dual-issue
waves   1, the last 0.0% full, efficiency 0.0%  occupancy \d\.\d%, theoretical 50.0% \(blocks\)
issue   IPC \d\.\d\d \(PTX \d\.\d\d\)  slots used \d\.\d%  main stall [a-z_]+ \d\d\.\d%
$`)
	m := want.FindStringSubmatch(got.stdout)
	if m == nil {
		t.Fatalf("%+v", got)
	}
	l := timed(t, triple, "--grid", "2", "--sched", "lrr", "--cta-order", "linear", "--cost", "ptx", "--dual-issue")[0]
	if m[1] != fmt.Sprint(l.Cycles) || m[2] != fmt.Sprintf("%.2f", l.TimeUS) || l.Sched != "lrr" || l.CTAOrder != "linear" || l.Cost != "ptx" || !l.DualIssue {
		t.Errorf("%v, and in JSON %+v", m, l)
	}
	for flags, end := range map[string]string{
		"--functional":           "divergence its",
		"--check race":           "divergence its  functional (--check race)",
		"--check all":            "divergence its  functional (--check all)",
		"--check mem,synccheck":  "divergence its  functional (--check mem,synccheck)",
		"--split 3":              "divergence its  functional (--split)",
		"--trace mask:DIR/trace": "divergence its  functional (--trace)",
	} {
		args := append([]string{"FILE"}, strings.Fields(flags)...)
		got := simtrun(t, triple, args...)
		first, _, _ := strings.Cut(got.stdout, "\n")
		if got.code != 0 || !strings.HasSuffix(first, end) {
			t.Errorf("%v: %+v", args, got)
		}
		object := simtrun(t, triple, append(args, "--json")...).stdout
		for _, word := range []string{"cycle", "time", "waves", "occupancy", "IPC", "stall"} {
			if strings.Contains(got.stdout+object, word) {
				t.Errorf("%v says %s:\n%s%s", args, word, got.stdout, object)
			}
		}
		if !strings.Contains(object, `"gpu":"none"`) {
			t.Errorf("%v: %s", args, object)
		}
	}
}

// TestClockOptionsAreValidated checks the errors for bad values of the clock's options, and for options that exclude
// each other.
func TestClockOptionsAreValidated(t *testing.T) {
	for _, tt := range []struct {
		source string
		args   []string
		code   int
		stderr string
	}{
		{triple, []string{"--sched", "gtx"}, 2, `simtrun: --sched gtx: no warp scheduler "gtx"; there are gty, gto, oldest, stalled, lrr, bank-aware, random:SEED`},
		{triple, []string{"--cta-order", "most"}, 2, `simtrun: --cta-order most: no order of blocks "most"; did you mean most-room?`},
		{triple, []string{"--cost", "sass"}, 2, `simtrun: --cost sass: no cost mode "sass"; there are lowered, ptx`},
		{triple, []string{"--scheduler", "gto"}, 2, `simtrun: no flag --scheduler; did you mean --sched?`},
		{triple, []string{"--sched", "gto", "--functional"}, 2, "simtrun: --sched gto: sched needs a run with a clock; --functional makes this one functional"},
		{triple, []string{"--cost", "ptx", "--split", "1"}, 2, "simtrun: --cost ptx: cost needs a run with a clock; --split 1 makes this one functional"},
		{triple, []string{"--dual-issue", "--check", "race"}, 2, "simtrun: --dual-issue: dual-issue needs a run with a clock; --check race makes this one functional"},
		{triple, []string{"--cta-order", "linear", "--trace", "mask"}, 2, "simtrun: --cta-order linear: cta-order needs a run with a clock; --trace makes this one functional"},
		{triple, []string{"--functional=false", "--trace", "mask"}, 2, "simtrun: --functional=false: --trace needs launches without a clock"},
		{triple, []string{"--functional=false", "--split", "1"}, 2, "simtrun: --functional=false: --split 1 needs launches without a clock"},
		{"//sim:functional\n" + triple, []string{"--sched", "gto"}, 2, "simtrun: --sched gto: sched needs a run with a clock; k.s:1:7 makes this one functional"},
		{"//sim:functional\n" + triple, []string{"--functional=false", "--sched", "gto"}, 0, ""},
		{"//sim:sched gto\n//sim:functional\n" + triple, nil, 2, "k.s:1:13: sched needs a run with a clock; k.s:2:7 makes this one functional"},
		{"//sim:sched gto\n" + triple, []string{"--functional"}, 0, ""},
		{"//sim:sched gto\n" + triple, []string{"--split", "1"}, 0, ""},
		{"//sim:sched gto\n" + triple, []string{"--check", "race", "-q"}, 0, "simtrun: 0 errors"},
		{triple, []string{"--dual-issue=false", "--functional"}, 0, ""},
	} {
		got := simtrun(t, tt.source, append([]string{"FILE"}, tt.args...)...)
		if got.code != tt.code || !strings.HasPrefix(got.stderr, tt.stderr) || tt.stderr == "" && got.stderr != "" {
			t.Errorf("%v: exit %d, want %d\n%swant %s", tt.args, got.code, tt.code, got.stderr, tt.stderr)
		}
	}
	for sched, want := range map[string]string{"": "gty", "//sim:sched random:7\n": "random:7"} {
		if got := timed(t, sched+triple)[0].Sched; got != want {
			t.Errorf("%q: sched %s, want %s", sched, got, want)
		}
	}
}

// TestExpectationsAcceptTimeCounters checks that expectations accept counters of time under either name, and that they
// are skipped without a clock.
func TestExpectationsAcceptTimeCounters(t *testing.T) {
	cycles := timed(t, triple)[0].Cycles
	source := fmt.Sprintf("//sim:expect metric elapsed_cycles == %d\n//sim:expect metric sm__cycles_elapsed.max == 1\n//sim:expect metric warp_instructions == 13\n", cycles) + triple
	got := simtrun(t, source, "FILE")
	if got.code != exitFindings || !strings.Contains(got.stdout, "expect  2 passed, 1 failed\n") || !strings.Contains(got.stderr, fmt.Sprintf("sm__cycles_elapsed.max == 1: it is %d, not 1", cycles)) {
		t.Errorf("%+v", got)
	}
	for _, args := range [][]string{{"run", "FILE", "--functional"}, {"run", "FILE", "--functional", "--json"}, {"test", "FILE"}} {
		got := simtrun(t, source, args...)
		if got.code != 0 || len(args) == 3 && args[0] == "run" && !strings.Contains(got.stdout, "expect  1 passed, 2 left out: the run has no clock\n") || len(args) == 4 && !strings.Contains(got.stdout, `"left_out":2`) {
			t.Errorf("%v: %+v", args, got)
		}
	}
}

// TestFailuresWithClockMarkTheirTime checks that launches that fail or do not end do so with a clock, too, and that
// their time is marked as incomplete.
func TestFailuresWithClockMarkTheirTime(t *testing.T) {
	short.Skip(t)
	alone := kernelText(t, "failures_under_the_clock_alone.s")
	counting := body("again:\n\tadd.u32 %r1, %r1, 1;\n\tbra again;")
	for name, tt := range map[string]struct {
		source string
		args   []string
		code   int
		stderr string
	}{
		"a fault":            {body("\tst.global.u32 [%rd1+2], 1;"), nil, exitFault, "error: misaligned store"},
		"a deadlock":         {alone, []string{"--block", "64"}, exitHang, "[sync-deadlock]"},
		"a livelock":         {body("again:\n\tbra again;"), nil, exitHang, "[sync-spin]"},
		"a warp's limit":     {counting, []string{"--max-steps", "1e5"}, exitHang, "step limit: a warp executed 10000"},
		"a launch's limit":   {counting, []string{"--grid", "264", "--block", "256", "--max-launch-steps", "1e6"}, exitHang, "264 under way"},
		"a time limit":       {counting, []string{"--timeout", "300ms"}, exitHang, "time limit: not done after 300ms"},
		"too large":          {triple, []string{"--block", "1025"}, exitUsage, "at most 1024"},
		"an unmet condition": {triple, []string{"--expect", "out[1] == 4"}, exitFindings, "out[1] is 3, not 4"},
	} {
		t.Run(name, func(t *testing.T) {
			got := simtrun(t, tt.source, append([]string{"FILE"}, tt.args...)...)
			if got.code != tt.code || !strings.Contains(got.stderr, tt.stderr) {
				t.Errorf("exit %d, want %d and %q\n%s%s", got.code, tt.code, tt.stderr, got.stdout, got.stderr)
			}
			begins, ends := name != "too large", name == "an unmet condition"
			if strings.Contains(got.stdout, "\ntime ") != begins || strings.Contains(got.stdout, " (until the run ended)  ") != (begins && !ends) {
				t.Errorf("its time:\n%s", got.stdout)
			}
			var object struct {
				GPU      string
				Launches []struct {
					Cycles     int64
					Partial    bool
					WarpCycles uint64 `json:"warp_cycles"`
					Stalls     map[string]uint64
				}
			}
			if err := json.Unmarshal([]byte(simtrun(t, tt.source, append([]string{"FILE", "--json"}, tt.args...)...).stdout), &object); err != nil || object.GPU != "h100" || len(object.Launches) != map[bool]int{true: 1}[begins] {
				t.Fatalf("%v, %+v", err, object)
			}
			for _, l := range object.Launches {
				sum := uint64(0)
				for _, n := range l.Stalls {
					sum += n
				}
				if l.Cycles <= 0 || l.Partial == ends || sum != l.WarpCycles || sum == 0 {
					t.Errorf("%+v", l)
				}
			}
		})
	}
}

// TestStreamsOverlap checks that launches in different streams overlap, that those in one stream run in order, and that
// without a clock all run in order. The report and the JSON object name the stream.
func TestStreamsOverlap(t *testing.T) {
	source := kernelText(t, "streams.s")
	l := timed(t, source)
	if l[0].Start != 0 || l[1].Start > 100 || l[2].Start != l[0].Cycles+int64(gpu.H100().CTAs.Launch) {
		t.Errorf("launches start at %d, %d and %d; the first takes %d", l[0].Start, l[1].Start, l[2].Start, l[0].Cycles)
	}
	if l[0].Stream != "a" || l[1].Stream != "b" || l[2].Stream != "a" {
		t.Errorf("streams %s %s %s", l[0].Stream, l[1].Stream, l[2].Stream)
	}
	got := simtrun(t, source, "FILE")
	want := fmt.Sprintf("stream b  start %d\n", l[1].Start)
	if got.code != 0 || !strings.Contains(got.stdout, want) || !strings.Contains(got.stdout, "1 passed") {
		t.Errorf("exit %d, want %q\n%s", got.code, want, got.stdout)
	}
	if got := simtrun(t, source, "FILE", "--functional"); got.code != 0 || strings.Contains(got.stdout, "stream") {
		t.Errorf("--functional: exit %d\n%s", got.code, got.stdout)
	}
	fails := strings.Replace(source, "args=out+4,", "args=0,", 1)
	if got := simtrun(t, fails, "FILE"); got.code != 4 || strings.Count(got.stdout, "FAIL") != 1 || strings.Contains(got.stdout, "ok ") || strings.Count(got.stdout, " (until the run ended)  ") != 2 {
		t.Errorf("exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
}

// TestClockContinuesOverLaunches checks that the clock continues from launch to launch, with the launch overhead in
// between.
func TestClockContinuesOverLaunches(t *testing.T) {
	source := kernelText(t, "launches_of_a_run.s")
	launches := timed(t, source)
	var read [3]int64
	got := simtrun(t, source, "FILE", "-q")
	if _, err := fmt.Sscanf(got.stdout, "out[0:3] u64 = %d %d %d", &read[0], &read[1], &read[2]); err != nil {
		t.Fatalf("%v: %+v", err, got)
	}
	between := int64(gpu.H100().CTAs.Launch)
	for i := 1; i < 3; i++ {
		if apart, want := read[i]-read[i-1], launches[i-1].Cycles+between; apart != want {
			t.Errorf("launch %d starts %d cycles after the one before, want %d", i, apart, want)
		}
	}
}

// TestSharedRegisterDelaysAdd: where the loads' register is shared by allocation, an add waits for a load that it does
// not read. Whether a register is read after the loop must not matter.
func TestSharedRegisterDelaysAdd(t *testing.T) {
	loop := kernelText(t, "registers_that_are_kept_loop.s")
	cycles := func(kept string) int64 {
		return timed(t, strings.Replace(loop, "KEPT", kept, 1), "--arg", "a=zeros:8192:f32", "--arg", "b=zeros:8192:f32", "--arg", "n=4")[0].Cycles
	}
	if free, kept := cycles(""), cycles("st.global.u32 [%rd2+4], %r21;"); max(free, kept)-min(free, kept) > 20 {
		t.Errorf("%d cycles, and %d if a register of the loop is read after it", free, kept)
	}
}

// TestAssumedTimesAreMarked: a run whose times rest on assumptions says so, in text, on the page and in JSON, and a GPU
// without tensor memory refuses a kernel that uses it.
func TestAssumedTimesAreMarked(t *testing.T) {
	const source = ".version 8.6\n.target sm_100a\n.entry k()\n{\n\ttcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n\tret;\n}\n"
	for _, tt := range []struct{ option, want string }{
		{"--gpu=b200", "\nassumed  the times of tcgen05, but for the peak of the tensor cores\n"},
		{"--page=summary", "Assumed      the times of tcgen05"},
		{"--json", `"assumed":["tcgen05"]`},
	} {
		got := simtrun(t, source, "FILE", "--gpu=b200", tt.option)
		if got.code != 0 || !strings.Contains(got.stdout, tt.want) {
			t.Errorf("%s: exit %d, want %q in\n%s%s", tt.option, got.code, tt.want, got.stdout, got.stderr)
		}
	}
	if got := simtrun(t, source, "FILE", "--gpu=h100"); got.code == 0 || !strings.Contains(got.stderr, "no time without tensor memory") {
		t.Errorf("exit %d, %s", got.code, got.stderr)
	}
}
