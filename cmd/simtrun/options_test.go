package main

import (
	_ "embed"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// talk prints its CTA from the first thread of each.
//
//go:embed testdata/kernels/talk.s
var talk string

// TestKernelOutputIsInCTAOrder checks that kernel output is in CTA order, and precedes the report or is in the JSON
// object.
func TestKernelOutputIsInCTAOrder(t *testing.T) {
	const printed = "cta 0\ncta 2\ncta 1\n" // SM 1 gets its constants after SM 0, which is in the same GPC
	got := simtrun(t, talk, "FILE", "--grid", "3")
	if got.code != 0 || !strings.HasPrefix(got.stdout, printed+"talk    grid 3x1x1") || got.stderr != "" {
		t.Errorf("%+v", got)
	}
	got = simtrun(t, talk, "FILE", "--grid", "3", "-q")
	if diff := cmp.Diff(output{0, printed, ""}, got, cmp.AllowUnexported(output{})); diff != "" {
		t.Error(diff)
	}
	for _, args := range [][]string{{"FILE", "--grid", "3", "--json"}, {"FILE", "--grid", "3", "--script", "DIR/run.sim"}} {
		dir := t.TempDir()
		for name, text := range map[string]string{"k.s": talk, "run.sim": "json\n"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		got = simtrunIn(t.Context(), dir, args...)
		var object struct{ Stdout string }
		if err := json.Unmarshal([]byte(got.stdout), &object); err != nil {
			t.Fatalf("%v in %s", err, got.stdout)
		}
		if diff := cmp.Diff(printed, object.Stdout); diff != "" || got.stderr != "" {
			t.Errorf("%v: %s\n%s", args, diff, got.stderr)
		}
	}
	var stderr strings.Builder
	file := filepath.Join(t.TempDir(), "k.s")
	if err := os.WriteFile(file, []byte(talk), 0o666); err != nil {
		t.Fatal(err)
	}
	if code := run(t.Context(), []string{file, "-q"}, full{}, &stderr); code != 74 {
		t.Errorf("printing to a full disk: exit %d, %s", code, &stderr)
	}
}

// TestHostTimeIsShownOnRequest checks that the host time is present on request, and that nothing else changes.
func TestHostTimeIsShownOnRequest(t *testing.T) {
	plain := simtrun(t, triple, "FILE", "--json")
	timed := simtrun(t, triple, "FILE", "--json", "--host-time")
	field := regexp.MustCompile(`,"host_cpu_seconds":[0-9.e-]+`)
	if len(field.FindAllString(timed.stdout, -1)) != 1 {
		t.Errorf("%s", timed.stdout)
	}
	if diff := cmp.Diff(plain.stdout, field.ReplaceAllString(timed.stdout, "")); diff != "" {
		t.Error(diff)
	}
}

func TestJobsChangeNothing(t *testing.T) {
	want := simtrun(t, triple, "FILE", "--dump", "out")
	for _, jobs := range []string{"-j1", "-j7", "--jobs=64"} {
		if diff := cmp.Diff(want, simtrun(t, triple, "FILE", "--dump", "out", jobs), cmp.AllowUnexported(output{})); diff != "" {
			t.Errorf("%s:\n%s", jobs, diff)
		}
	}
}

// TestThreadsDoNotChangeRaces checks that results, counters and findings of a kernel without a clock do not depend on
// the number of host threads.
func TestThreadsDoNotChangeRaces(t *testing.T) {
	for name, lines := range map[string]string{
		"apart":  "\tst.global.u32 [%rd2], %r4;",
		"racing": "\tst.global.u32 [%rd1], %r4;",
		"atomic": "\tatom.global.add.u32 %r5, [%rd1], 1;\n\tst.global.u32 [%rd2], %r5;",
		"fault":  "\tsetp.eq.u32 %p1, %r1, 777;\n\t@%p1 mov.u64 %rd2, 64;\n\tst.global.u32 [%rd2], %r4;",
	} {
		source := "//sim:arg x = zeros:64000:u32\n//sim:grid 1000\n//sim:block 64\n//sim:dump x\n.entry k(.param .u64 x)\n{\n\tld.param.u64 %rd1, [x];\n" +
			"\tmov.u32 %r1, %ctaid.x;\n\tmov.u32 %r2, %ntid.x;\n\tmov.u32 %r3, %tid.x;\n\tmad.lo.u32 %r4, %r1, %r2, %r3;\n\tmad.wide.u32 %rd2, %r4, 4, %rd1;\n" +
			"\tmov.u32 %r6, 0;\nL:\tadd.u32 %r6, %r6, 1;\n\tsetp.lt.u32 %p2, %r6, 50;\n\t@%p2 bra L;\n" + lines + "\n\tret;\n}\n"
		for _, form := range []string{"--json", "--page=source"} {
			want := simtrun(t, source, "FILE", "--functional", form, "-j1")
			for _, jobs := range []string{"-j2", "-j5"} {
				if diff := cmp.Diff(want, simtrun(t, source, "FILE", "--functional", form, jobs), cmp.AllowUnexported(output{})); diff != "" {
					t.Errorf("%s %s %s:\n%s", name, form, jobs, diff)
				}
			}
		}
	}
}

func TestTimeoutEndsLaunch(t *testing.T) {
	source := body("again:\n\tadd.u32 %r1, %r1, 1;\n\tst.global.u32 [%rd1], %r1;\n\tbra again;")
	got := simtrun(t, source, "FILE", "--timeout", "200ms")
	want := regexp.MustCompile(`^k.s:\d+:2: error: time limit: not done after 200ms; --timeout sets the limit \[sync-timeout\]\n  next    .*;\n  who     block \(0,0,0\) warp 0 lanes 0-31 \(ffffffff\)\n$`)
	if got.code != 5 || !want.MatchString(got.stderr) {
		t.Errorf("%+v", got)
	}
	d := decode(t, simtrun(t, source, "FILE", "--timeout", "200ms", "--json"))
	if len(d.Findings) != 1 || d.Findings[0].Rule != "sync-timeout" || d.Summary.Exit != 5 {
		t.Errorf("%+v", d)
	}
	if got := simtrun(t, triple, "FILE", "--timeout", "1h"); got.code != 0 {
		t.Errorf("%+v", got)
	}
}

// TestEverySourceErrorIsFinding checks that every error in the sources is a finding with its position.
func TestEverySourceErrorIsFinding(t *testing.T) {
	type place struct {
		Rule    string
		Line    int
		Message string
	}
	for _, tt := range []struct {
		source string
		want   []place
	}{
		{body("\tadq.u32 %r1, %r1, 1;\n\tsubb.u32 %r1, %r1, 1;"), []place{
			{"asm-error", 5, "adq: no such opcode; did you mean add?"},
			{"asm-error", 6, "subb: no such opcode; did you mean sub?"}}},
		{body("\ttcgen05.shift.x %r1, %r2;"), []place{{"asm-error", 5, "tcgen05.shift.x is not supported yet"}}},
		{"//sim:gird 4\n" + triple, []place{{"directive-error", 1, `no directive "gird"; did you mean grid?`}}},
	} {
		d := decode(t, simtrun(t, tt.source, "FILE", "--json"))
		var got []place
		for _, f := range d.Findings {
			got = append(got, place{f.Rule, f.Line, f.Message})
		}
		if diff := cmp.Diff(tt.want, got); diff != "" || d.Summary.Errors != len(tt.want) || d.Summary.Exit != 3 {
			t.Errorf("%s%+v", diff, d.Summary)
		}
	}
}

// TestNpyFilesSurviveSaving saves two buffers, reads them back and compares them, and checks that --save, --expect,
// --symbol and
// --dump can be repeated.
func TestNpyFilesSurviveSaving(t *testing.T) {
	dir := t.TempDir()
	source := ".global .s16 a;\n.const .f32 b;\n" + triple
	if err := os.WriteFile(filepath.Join(dir, "k.s"), []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	got := simtrunIn(t.Context(), dir, "FILE", "-q", "--symbol", "a=-2", "--symbol", "b=0.5", "--save", "out=DIR/out.npy", "--save", "a=DIR/a.npy",
		"--expect", "a == -2", "--expect", "b == 0.5", "--dump", "a", "--dump", "b")
	if diff := cmp.Diff(output{0, "a[0:1] s16 = -2\nb[0:1] f32 = 0.5\n", ""}, got, cmp.AllowUnexported(output{})); diff != "" {
		t.Fatal(diff)
	}
	got = simtrunIn(t.Context(), dir, "FILE", "--arg", "out=@DIR/out.npy", "--symbol", "a=@DIR/a.npy", "--arg", "n=0",
		"--expect", "out == @DIR/out.npy", "--expect", "a == @DIR/a.npy", "--expect", "out[0:32] == iota:32:u32:0:3", "--expect", "out[32:] == 0")
	if got.code != 0 || !strings.HasSuffix(got.stdout, "expect  4 passed\n") {
		t.Errorf("%+v", got)
	}
}

// TestMismatchesAreNamed checks that at most ten mismatches are listed, with index, got and want.
func TestMismatchesAreNamed(t *testing.T) {
	got := simtrun(t, triple, "FILE", "-q", "--expect", "out[0:12] == 5", "--expect", "out[3] == 10 abs=1")
	want := `--expect out[0:12] == 5: 12 of 12 elements differ
  out[0] is 0, not 5
  out[1] is 3, not 5
  out[2] is 6, not 5
  out[3] is 9, not 5
  out[4] is 12, not 5
  out[5] is 15, not 5
  out[6] is 18, not 5
  out[7] is 21, not 5
  out[8] is 24, not 5
  out[9] is 27, not 5
  … 2 more
`
	if diff := cmp.Diff(output{1, "", want}, got, cmp.AllowUnexported(output{})); diff != "" {
		t.Error(diff)
	}
}

// TestLinkedHeadersAreConfined checks that the header of every file can read only below that file's folder.
func TestLinkedHeadersAreConfined(t *testing.T) {
	dir := t.TempDir()
	for _, err := range []error{
		os.Mkdir(filepath.Join(dir, "lib"), 0o777),
		os.WriteFile(filepath.Join(dir, "k.s"), []byte(triple), 0o666),
		os.WriteFile(filepath.Join(dir, "data"), make([]byte, 256), 0o666),
		os.WriteFile(filepath.Join(dir, "lib", "data"), []byte{1, 0, 0, 0}, 0o666),
		os.Symlink(filepath.Join(dir, "data"), filepath.Join(dir, "lib", "link")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		header string
		code   int
		stderr string
	}{
		{"//sim:buffer b = @data\n//sim:expect b == 1 type=u32", 0, ""},
		{"//sim:buffer b = @../data", 3, "lib/f.s:1:18: ../data is outside the source's folder; a header may only read files inside it\n"},
		{"//sim:buffer b = @" + dir + "/data", 3, "lib/f.s:1:18: data is outside the source's folder; a header may only read files inside it\n"},
		{"//sim:buffer b = @link", 3, "lib/f.s:1:14: link is outside the source's folder; a header may only read files inside it\n"},
		{"//sim:arg n = bytes:@../data", 3, "lib/f.s:1:15: ../data is outside the source's folder; a header may only read files inside it\n"},
		{"//sim:save out = x", 3, "lib/f.s:1:12: a header may not save; that is for scripts and flags\n"},
		{"//sim:timeout 1s", 3, "lib/f.s:1:7: no directive \"timeout\"; there are " + strings.Join(headerDirectives(t), " ") + "\n"},
		{"//sim:quiet", 3, "lib/f.s:1:7: no directive \"quiet\"; there are " + strings.Join(headerDirectives(t), " ") + "\n"},
	} {
		if err := os.WriteFile(filepath.Join(dir, "lib", "f.s"), []byte(tt.header+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		got := simtrunIn(t.Context(), dir, "run", "FILE", "DIR/lib/f.s")
		if got.code != tt.code || !strings.HasPrefix(got.stderr, tt.stderr) {
			t.Errorf("%s: exit %d, want %d\n%s", tt.header, got.code, tt.code, cmp.Diff(tt.stderr, got.stderr))
		}
	}
}

// headerDirectives returns the directives that a message lists.
func headerDirectives(t *testing.T) []string {
	t.Helper()
	line, _, _ := strings.Cut(simtrun(t, "//sim:xyzzy 4", "FILE").stderr, "\n")
	_, list, _ := strings.Cut(line, "there are ")
	return strings.Fields(list)
}

// TestUselessFlagsAreRefused checks that flags without effect on the run are refused. Registers and the carve-out have
// an effect even without a clock: they decide which launches fit the GPU.
func TestUselessFlagsAreRefused(t *testing.T) {
	for want, args := range map[string][]string{
		"--host-time needs --json":                                      {"FILE", "--host-time"},
		"1024 threads of 128 registers take 131072 registers per block": {"FILE", "--functional", "--regs", "128", "--block", "1024"},
		"--sched": {"FILE", "--functional", "--sched", "lrr"},
	} {
		if got := simtrun(t, triple, args...); got.code != exitUsage || !strings.Contains(got.stderr, want) {
			t.Errorf("%v: %+v, want %q", args, got, want)
		}
	}
}
