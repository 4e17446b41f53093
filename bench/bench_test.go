package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/simtrun/simtrun/internal/needs"
	"github.com/simtrun/simtrun/internal/workloads"
)

// TestMain lets the benchmark start the test binary as itself.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == serveCommand {
		main()
		return
	}
	os.Exit(m.Run())
}

func TestOptionsChooseSets(t *testing.T) {
	for _, c := range []struct {
		args, sets, problem string
	}{
		{"", "ten", ""},
		{"-set five", "five", ""},
		{"-set irregular", "irregular", ""},
		{"--set all --rounds 3 --threads 2 --json", "ten five irregular", ""},
		{"softmax vecadd", "ten five irregular", ""},
		{"-set six", "", `no set "six"; there are ten, five, irregular and all`},
		{"vecad", "", `no workload "vecad"`},
		{"-rounds 0", "", "-rounds and -threads must be at least 1"},
	} {
		o, err := parse(strings.Fields(c.args), &bytes.Buffer{})
		if err != nil || c.problem != "" {
			if err == nil || err.Error() != c.problem {
				t.Errorf("%s: %v", c.args, err)
			}
			continue
		}
		var sets []string
		for _, s := range o.sets {
			sets = append(sets, s.Name)
		}
		if got := strings.Join(sets, " "); got != c.sets {
			t.Errorf("%s: sets %s", c.args, got)
		}
	}
}

// stub is a tool that has executed nothing.
type stub struct {
	tool
	called, lanes string
}

func (s stub) name() (tool, lanes string) { return s.called, s.lanes }

func cpu(ms ...int) []sample {
	var all []sample
	for _, n := range ms {
		all = append(all, sample{CPU: time.Duration(n) * time.Millisecond, Wall: time.Hour, GHz: 2, WarpInstrs: 1e6, LaneInstrs: 3e7})
	}
	return all
}

// TestTableHasMediansMinimaAndRatios: medians 4 and 8 ms compared with 2 ms, and 25 (the mean of 20 and 30) with 50,
// make ratios 2, 4 and 0.5; minima 3 and 6 with 1, and 10 with 40 make 3, 6 and 0.25. A million warp instructions in
// 3 ms are 333 million a second, and 6 million cycles at 2 GHz.
func TestTableHasMediansMinimaAndRatios(t *testing.T) {
	r := &report{Host: host{"a CPU", 2, "go1"}, Peer: &deviceInfo{"PoCL 3", "here"}, Threads: 1, Rounds: 3}
	tools := []tool{stub{called: "PoCL"}, stub{called: "simtrun", lanes: "go"}, stub{called: "simtrun", lanes: "avx2"}}
	r.add("ten", "first", tools, [][]sample{cpu(9, 2, 1), cpu(8, 3, 4), cpu(6, 8, 12)})
	r.add("ten", "second", tools[:2], [][]sample{cpu(40, 60, 40, 60), cpu(40, 30, 10, 20)})
	var out strings.Builder
	if err := r.write(&out); err != nil {
		t.Fatal(err)
	}
	want := `a CPU, 2 cores, go1. PoCL 3 on here. CPU time of one thread in ms, 3 rounds. Ratios are simtrun to PoCL: less than 1 is faster.

| Workload              | Lanes | PoCL median |  Min | simtrun median |  Min | Ratio of medians | Of minima | Warp-inst | Mwarp-inst/s | Mlane-inst/s | Cycles/warp-inst |
|-----------------------|-------|------------:|-----:|---------------:|-----:|-----------------:|----------:|----------:|-------------:|-------------:|-----------------:|
| first                 | go    |        2.00 | 1.00 |           4.00 | 3.00 |             2.00 |      3.00 |   1000000 |          333 |        10000 |             6.00 |
| first                 | avx2  |        2.00 | 1.00 |           8.00 | 6.00 |             4.00 |      6.00 |   1000000 |          167 |         5000 |             12.0 |
| second                | go    |        50.0 | 40.0 |           25.0 | 10.0 |            0.500 |     0.250 |   1000000 |          100 |         3000 |             20.0 |
| geometric mean of ten | go    |             |      |                |      |             1.00 |     0.866 |           |          183 |              |             11.0 |
| geometric mean of ten | avx2  |             |      |                |      |             4.00 |      6.00 |           |          167 |              |             12.0 |
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

// TestSeveralThreadsReportWallTime: with several threads wall time is reported.
func TestSeveralThreadsReportWallTime(t *testing.T) {
	r := &report{Threads: 2}
	if got := r.times(cpu(1)); got.Min != 3.6e6 {
		t.Errorf("%v ms", got.Min)
	}
}

// TestClockIsPlausible: the estimate is in the range of existing processors.
func TestClockIsPlausible(t *testing.T) {
	if ghz := clockGHz(); ghz < 0.2 || ghz > 8 {
		t.Errorf("%v GHz", ghz)
	}
}

// TestCPUTimeAdvancesWithWork: the clock of the process advances during a chain of additions.
func TestCPUTimeAdvancesWithWork(t *testing.T) {
	before := workloads.CPUTime()
	runtime.KeepAlive(chain(1e6, 0))
	if d := workloads.CPUTime() - before; d < time.Millisecond || d > time.Minute {
		t.Errorf("%v for 16 million sums", d)
	}
}

// TestSimtrunIsTimedWithoutPoCL: without PoCL the missing package is named and simtrun is timed alone.
func TestSimtrunIsTimedWithoutPoCL(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	o, err := parse([]string{"-json", "-rounds", "1", "-lanes", "go,go", "histogram"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var out, notes bytes.Buffer
	if err := o.run(&out, &notes); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(notes.String(), "no gcc (Debian package gcc); install everything that PoCL needs with apt-get install gcc ocl-icd-opencl-dev opencl-headers pocl-opencl-icd\n") {
		t.Error(notes.String())
	}
	var r report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	if r.Peer != nil || len(r.Workloads) != 1 || len(r.Workloads[0].Simtrun) != 2 {
		t.Fatalf("%s", &out)
	}
	l := r.Workloads[0].Simtrun[0]
	if l.Lanes != "go" || l.WarpInstrs != 385024 || l.LaneInstrs != 32*385024 || l.Min <= 0 || l.RatioOfMedians != 0 || l.Cycles <= 0 {
		t.Errorf("%+v", l)
	}
}

// TestPoCLRunsAWorkloadOfEachSet runs a workload of each set on PoCL, if it is installed.
func TestPoCLRunsAWorkloadOfEachSet(t *testing.T) {
	p, err := startPoCL(1)
	var missing *missingError
	if errors.As(err, &missing) {
		t.Log(missing)
		needs.Skip(t, "pocl")
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []struct {
		set  *workloads.Set
		name string
	}{{&workloads.Ten, "histogram"}, {&workloads.Five, "softmax"}, {&workloads.Five, "stencil"}} {
		for i := range at.set.Workloads {
			if w := &at.set.Workloads[i]; w.Name == at.name {
				samples, err := interleave(at.set, w, []tool{p}, 2)
				if err != nil || len(samples[0]) != 2 || samples[0][0].CPU <= 0 {
					t.Errorf("%s: %v %v", at.name, samples, err)
				}
			}
		}
	}
	if _, err := interleave(&workloads.Five, &workloads.Workload{Name: "none"}, []tool{faulty{p}}, 1); err == nil || !strings.Contains(err.Error(), "PoCL: none: ") {
		t.Errorf("of a kernel that is not there: %v", err)
	}
	if err := p.close(); err != nil {
		t.Error(err)
	}
}

// faulty requests a kernel that does not exist.
type faulty struct{ *poCL }

func (f faulty) prepare(*workloads.Set, *workloads.Workload) error {
	return f.command(bytes.NewBufferString("kernel none 1 1 1 1 0 0\n"))
}

func TestCheckerSkipsEqualResults(t *testing.T) {
	calls := 0
	c := checker{reference: func(out []byte) error {
		if calls++; out[0] != 1 {
			return errors.New("not 1")
		}
		return nil
	}}
	for _, s := range []struct {
		out   byte
		right bool
		calls int
	}{{1, true, 1}, {1, true, 1}, {2, false, 2}, {1, true, 2}} {
		if err := c.check([]byte{s.out}); (err == nil) != s.right || calls != s.calls {
			t.Errorf("%d: %v after %d calls", s.out, err, calls)
		}
	}
}

func TestDigitsAreThreeSignificantOnes(t *testing.T) {
	for v, want := range map[float64]string{0.01234: "0.0123", 1: "1.00", 99.96: "100", 123.4: "123", math.Pi * 1e6: "3141593"} {
		if got := digits(v); got != want {
			t.Errorf("%v: %s, want %s", v, got, want)
		}
	}
}
