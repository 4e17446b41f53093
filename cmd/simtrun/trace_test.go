package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTraceIsFilteredAndRedirected checks that the trace precedes the results or is in a file, and that filters limit
// it.
func TestTraceIsFilteredAndRedirected(t *testing.T) {
	got := simtrun(t, triple, "FILE", "--block", "64", "--arg", "n=40", "--trace", "mask", "--warp-filter", "1")
	trace, results, ok := strings.Cut(got.stdout, "\ntriple ")
	if got.code != 0 || !ok || !strings.Contains(trace, "b0.w1  diverge ") || !strings.Contains(results, "warp-instr") {
		t.Errorf("%+v", got)
	}
	file := filepath.Join(t.TempDir(), "masks")
	got = simtrun(t, triple, "FILE", "--block", "64", "--arg", "n=40", "--trace", "mask:"+file, "--warp-filter", "1")
	text, err := os.ReadFile(file)
	if err != nil || got.code != 0 || strings.Contains(got.stdout, "diverge ") {
		t.Fatalf("%v, %+v", err, got)
	}
	if want := "b0.w1  diverge     L12   ffffffff  taken ffffff00 to L18"; !strings.HasPrefix(string(text), want) || strings.Contains(string(text), "b0.w0") {
		t.Errorf("the trace is\n%swant it to begin with\n%s", text, want)
	}
	if got := simtrun(t, triple, "FILE", "--trace", "masks"); !strings.Contains(got.stderr, `--trace masks: no trace "masks"; did you mean mask?`) {
		t.Errorf("%+v", got)
	}
	if got := simtrun(t, triple, "FILE", "--warp-filter", "x"); got.code != exitUsage {
		t.Errorf("a wrong filter without a trace: %+v", got)
	}
	for _, tt := range []struct{ flag, value, want string }{
		{"--block-filter", "x", "--block-filter x: "},
		{"--trace", "heat", "--trace heat: a run writes one trace, and --trace mask is given already"},
	} {
		got := simtrun(t, triple, "FILE", "--trace", "mask", tt.flag, tt.value)
		if got.code != exitUsage || !strings.Contains(got.stderr, tt.want) {
			t.Errorf("%s %s: %+v", tt.flag, tt.value, got)
		}
	}
}

// TestIssueTraceIgnoresThreads checks that the trace of issues comes from a run with a clock, is the same on any number
// of threads, and that its filters apply to no other trace.
func TestIssueTraceIgnoresThreads(t *testing.T) {
	got := simtrun(t, triple, "FILE", "--block", "64", "--arg", "n=40", "--grid", "3", "--trace", "issue", "--sm-filter", "125", "--cycle-filter", "0-999", "-j", "1")
	trace, results, ok := strings.Cut(got.stdout, "\ntriple ")
	if got.code != 0 || !ok || !strings.Contains(results, "cycles ") || strings.Contains(trace, "sm124.") || !strings.Contains(trace, "sm125.0  b1.w0 ") {
		t.Errorf("%+v", got)
	}
	if again := simtrun(t, triple, "FILE", "--block", "64", "--arg", "n=40", "--grid", "3", "--trace", "issue", "--sm-filter", "125", "--cycle-filter", "0-999", "-j", "3"); again.stdout != got.stdout {
		t.Errorf("on several threads:\n%s\nand on one:\n%s", again.stdout, got.stdout)
	}
	for _, tt := range []struct{ args, want string }{
		{"--trace issue --functional", "--trace issue needs a run with a clock"},
		{"--trace issue --check race", "--trace issue needs a run with a clock"},
		{"--trace mask --sm-filter 0", "--sm-filter and --cycle-filter need --trace issue or --timeline"},
		{"--cycle-filter 0", "--sm-filter and --cycle-filter need --trace issue or --timeline"},
	} {
		if got := simtrun(t, triple, append([]string{"FILE", "--arg", "n=40"}, strings.Fields(tt.args)...)...); got.code != exitUsage || !strings.Contains(got.stderr, tt.want) {
			t.Errorf("%s: %+v", tt.args, got)
		}
	}
}

// TestTimelineIsWrittenToFile checks that the timeline is a file, compressed if its name says so, and that omissions
// are reported.
func TestTimelineIsWrittenToFile(t *testing.T) {
	dir := t.TempDir()
	plain, compressed := filepath.Join(dir, "t.json"), filepath.Join(dir, "t.json.gz")
	got := simtrun(t, triple, "FILE", "--block", "64", "--arg", "n=40", "--grid", "6", "--timeline", plain, "-j", "1")
	if got.code != 0 || got.stderr != plain+": left out: the warps of 2 SMs from 128 to 129; --sm-filter chooses SMs\nwrote "+plain+"\n" {
		t.Errorf("%+v", got)
	}
	if got := simtrun(t, triple, "FILE", "--block", "64", "--arg", "n=40", "--grid", "6", "--timeline", compressed, "-j", "3", "--host-time", "--json"); got.code != 0 {
		t.Errorf("%+v", got)
	}
	want, err := os.ReadFile(plain)
	if err != nil || !json.Valid(want) || bytes.Count(want, []byte(`"cat":"block"`)) != 6 || bytes.Count(want, []byte(`"cat":"launch"`)) != 1 {
		t.Errorf("%v: %.500s", err, want)
	}
	f, err := os.Open(compressed)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(z); err != nil || !bytes.Equal(want, got) {
		t.Errorf("%v: compressed, on several threads, it is another one of %d bytes, not %d", err, len(got), len(want))
	}
	for _, tt := range []struct{ args, want string }{
		{"--functional", "--timeline needs a run with a clock"},
		{"--timeline-size 5", "--timeline-size 5: expected a size such as 200M, 1M or more"},
		{"--line-filter 3", "--line-filter does not apply to a timeline, which has all lines"},
		{"--sm-filter x", "--sm-filter x: "},
	} {
		if got := simtrun(t, triple, append([]string{"FILE", "--arg", "n=40", "--timeline", plain}, strings.Fields(tt.args)...)...); got.code != exitUsage || !strings.Contains(got.stderr, tt.want) {
			t.Errorf("%s: %+v", tt.args, got)
		}
	}
	if got := simtrun(t, triple, "FILE", "--arg", "n=40", "--timeline", filepath.Join(dir, "none", "t")); got.code != exitUsage || got.stdout != "" {
		t.Errorf("a folder that does not exist: %+v", got)
	}
}
