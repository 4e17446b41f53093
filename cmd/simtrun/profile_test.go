package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// strided loads 4 bytes at a stride of n words from global and from shared
// memory.
//
//go:embed testdata/kernels/strided.s
var strided string

// TestStridesHaveExpectedMetrics checks the sectors, lines and wavefronts of strided loads in the JSON object. A sector
// is 8 words, a line 32, and there are 32 banks of a word: stride s takes min(4s, 32) sectors, min(s, 32) lines and
// gcd(s, 32) wavefronts.
func TestStridesHaveExpectedMetrics(t *testing.T) {
	for _, c := range []struct{ stride, sectors, lines, wavefronts float64 }{
		{0, 1, 1, 1}, {1, 4, 1, 1}, {2, 8, 2, 2}, {3, 12, 3, 1}, {4, 16, 4, 4}, {5, 20, 5, 1}, {6, 24, 6, 2}, {7, 28, 7, 1},
		{8, 32, 8, 8}, {16, 32, 16, 16}, {32, 32, 32, 32}, {33, 32, 32, 1},
	} {
		got := simtrun(t, strided, "FILE", "--arg", fmt.Sprintf("n=%v", c.stride), "--json")
		var report struct {
			Launches []struct {
				Metrics map[string]float64
				Lines   []struct {
					Line    int
					Metrics map[string]float64
				}
			}
		}
		if err := json.Unmarshal([]byte(got.stdout), &report); err != nil {
			t.Fatalf("%v in %+v", err, got)
		}
		m := report.Launches[0].Metrics
		want := map[string]float64{"global_load_requests": 1, "global_load_sectors": c.sectors, "global_load_lines": c.lines,
			"shared_load_requests": 1, "shared_load_wavefronts": c.wavefronts}
		for name, v := range want {
			if m[name] != v {
				t.Errorf("stride %v: %s is %v, want %v", c.stride, name, m[name], v)
			}
		}
		for _, l := range report.Launches[0].Lines {
			if l.Line == 14 && l.Metrics["global_load_sectors"] != c.sectors {
				t.Errorf("stride %v: line 14 has %v", c.stride, l.Metrics)
			}
		}
	}
}

func TestMetricsCanBeExpected(t *testing.T) {
	const header = "//sim:expect metric global_load_sectors == 4\n//sim:expect metric shared_load_wavefronts@SHARED == 1\n"
	tests := []struct {
		args []string
		code int
		want string // in either output
	}{
		{nil, 0, "expect  2 passed\n"},
		{[]string{"--expect", "metric lane_instructions@GLOBAL == 32"}, 0, "expect  3 passed\n"},
		{[]string{"--expect", "metric active_lanes_per_instruction == 30 abs=2.5"}, 0, "expect  3 passed\n"},
		{[]string{"--expect", "metric warp_instructions == 14"}, 1, "--expect metric warp_instructions == 14: it is 12, not 14\n"},
		{[]string{"--expect", "metric local_load_sectors_per_request == 1"}, 1, "it is nothing, not 1\n"},
		{[]string{"--arg", "n=2"}, 0, "expect  0 passed, 2 on counters left out: they apply to the header's launch\n"},
		{[]string{"--divergence", "stack"}, 0, "expect  2 passed\n"},
		{[]string{"--expect", "metric global_load_sector == 1"}, 2, `no metric "global_load_sector"; did you mean global_load_sectors?`},
		{[]string{"--expect", "metric warp_instructions@GLOBL == 1"}, 2, `no label "GLOBL"; did you mean GLOBAL?`},
		{[]string{"--expect", "metric warp_instructions == 1 2"}, 2, "expected one number after =="},
		{[]string{"--expect", "metric warp_instructions == 1 ulp=2"}, 2, `no option "ulp"; there are abs= rel=`},
	}
	for _, tt := range tests {
		got := simtrun(t, header+strided, append([]string{"FILE"}, tt.args...)...)
		if got.code != tt.code || !strings.Contains(got.stdout+got.stderr, tt.want) {
			t.Errorf("%v: %+v, want exit %d and %q", tt.args, got, tt.code, tt.want)
		}
	}
}

// TestUsageErrorsAreJSON checks that --json prints an object whatever else is wrong with the command line.
func TestUsageErrorsAreJSON(t *testing.T) {
	for _, args := range [][]string{{"FILE", "--json", "--gird", "2"}, {"FILE", "--schedules", "3", "--json"}, {"check", "FILE", "--json"}, {"run", "--json"}} {
		got := simtrun(t, strided, args...)
		var object struct {
			Summary struct {
				Exit    int
				Message string
			}
		}
		if err := json.Unmarshal([]byte(got.stdout), &object); err != nil || got.code != exitUsage || object.Summary.Exit != exitUsage || object.Summary.Message == "" {
			t.Errorf("%v: %v, %+v", args, err, got)
		}
	}
}

func TestProfilePagesShowCounters(t *testing.T) {
	got := simtrun(t, strided, "profile", "FILE", "-q", "--gpu", "h100-text")
	for _, want := range []string{"Instructions 12 executed", "     14  ld.global.u32 %r4, […", "                  4.0        -"} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("the summary lacks %q:\n%s", want, got.stdout)
		}
	}
	if run := simtrun(t, strided, "FILE", "-q", "--gpu", "h100-text", "--page", "summary"); run.stdout != got.stdout {
		t.Errorf("--page summary differs from profile:\n%s", cmp.Diff(got.stdout, run.stdout))
	}
	if got := simtrun(t, strided, "FILE", "--page", "source"); !strings.Contains(got.stdout, "ld.shared.u32 %r6, [%r5];") {
		t.Errorf("the source page lacks a line:\n%s", got.stdout)
	}
	got = simtrun(t, strided, "FILE", "--csv", "-q")
	for _, want := range []string{"launch,kernel,metric,unit,value,ncu\n", "0,k,global_load_sectors,sector,4,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum\n"} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("the CSV lacks %q:\n%s", want, got.stdout)
		}
	}
	if got := simtrun(t, strided, "FILE", "--page", "sauce"); got.code != exitUsage || !strings.Contains(got.stderr, `--page sauce: no page "sauce"; did you mean source?`) {
		t.Errorf("a wrong page: %+v", got)
	}
	if got := simtrun(t, strided, "metrics"); !strings.Contains(got.stdout, "global_load_sectors (sector)\n") {
		t.Errorf("metrics: %s", got.stdout)
	}
}
