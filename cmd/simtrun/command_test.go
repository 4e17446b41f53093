package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/interp"
)

// triple stores 3*i for every thread i below n.
//
//go:embed testdata/kernels/triple.s
var triple string

// output is the result of a command line.
type output struct {
	code           int
	stdout, stderr string
}

// simtrun runs a command line in which FILE stands for a file with the source,
// and DIR for its folder.
func simtrun(t *testing.T, source string, args ...string) output {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "k.s")
	if err := os.WriteFile(file, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	return simtrunIn(t.Context(), dir, args...)
}

func simtrunIn(ctx context.Context, dir string, args ...string) output {
	replace := strings.NewReplacer("FILE", filepath.Join(dir, "k.s"), "DIR", dir)
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = replace.Replace(a)
	}
	var stdout, stderr bytes.Buffer
	code := run(ctx, words, &stdout, &stderr)
	clean := func(b *bytes.Buffer) string { return strings.ReplaceAll(b.String(), dir+"/", "") }
	return output{code, clean(&stdout), clean(&stderr)}
}

func TestRunPrintsResults(t *testing.T) {
	got := simtrun(t, triple, "FILE", "--functional", "--grid", "2", "--block", "32", "--dump", "out:u32:4", "--expect", "out[60:64] == 180 183 186 189")
	want := output{0, `triple  grid 2x1x1 (2 blocks)  block 32x1x1 (1 warp)  warps 2  divergence its
ok      warp-instr 26  lanes active 100.0%  divergent branches 0
out[0:4] u32 = 0 3 6 9
expect  1 passed
`, ""}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(output{})); diff != "" {
		t.Error(diff)
	}
}

func TestQuietRunPrintsLongDump(t *testing.T) {
	got := simtrun(t, triple, "run", "-q", "FILE", "--block", "64", "--dump", "out:u32:20")
	want := output{0, `out[0:20] u32 =
   0: 0 3 6 9 12 15 18 21 24 27 30 33 36 39 42 45
  16: 48 51 54 57
`, ""}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(output{})); diff != "" {
		t.Error(diff)
	}
}

// halves has a barrier in both arms of a branch.
//
//go:embed testdata/kernels/halves.s
var halves string

// TestDivergentBarrierCountsLanes checks that a barrier in divergent code counts lanes as they arrive, as on Volta and
// later, and is an error that does not end the run. Under stack it can never complete.
func TestDivergentBarrierCountsLanes(t *testing.T) {
	got := simtrun(t, halves, "FILE", "--functional", "--block", "64")
	want := output{1, `k       grid 1x1x1 (1 block)  block 64x1x1 (2 warps)  warps 2  divergence its
FAIL    warp-instr 14  lanes active 71.4%  divergent branches 2  findings 1
`, `k.s:9:2: error: lanes of one warp execute different barriers [sync-diverged]
  bar.sync 0;
  arrived block (0,0,0) warp 0 lanes 0-15 (0000ffff)
  waits   block (0,0,0) warp 0 lanes 16-31 (ffff0000) at k.s:6:2, barrier 0
  repeats 2 times; first shown
`}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(output{})); diff != "" {
		t.Error(diff)
	}
	got = simtrun(t, halves, "FILE", "--json")
	for _, want := range []string{`"rule":"sync-diverged","severity":"error"`, `"repeats":{"instances":1,"warps":1,"blocks":1}`, `"errors":1`, `"warnings":0`} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("the JSON object lacks %s:\n%s", want, got.stdout)
		}
	}
	got = simtrun(t, halves, "FILE", "--divergence", "stack")
	if got.code != 5 || !strings.Contains(got.stderr, "barrier inside divergent code [sync-diverged]") || !strings.Contains(got.stderr, "--divergence its") {
		t.Errorf("under the stack: %+v", got)
	}
}

// TestFirstLineSaysWhyBlockSize checks what the first line says about a block size that the user did not choose.
func TestFirstLineSaysWhyBlockSize(t *testing.T) {
	for source, want := range map[string]string{
		".entry k() { ret; }":                          "block 32x1x1 (1 warp, default)",
		".entry k() .reqntid 48 { ret; }":              "block 48x1x1 (2 warps, .reqntid)",
		"//sim:block 8x8\n.entry k() { ret; }":         "block 8x8x1 (2 warps)",
		"//sim:launch k block=33\n.entry k() { ret; }": "block 33x1x1 (2 warps)",
	} {
		got := simtrun(t, source, "FILE")
		if got.code != 0 || !strings.Contains(got.stdout, want) {
			t.Errorf("%q: %+v, want %q", source, got, want)
		}
	}
}

// body is a kernel with a buffer x of 4 elements and the given instructions.
func body(lines string) string {
	return "//sim:arg x = zeros:4:u32\n.entry k(.param .u64 x)\n{\n\tld.param.u64 %rd1, [x];\n" + lines + "\n\tret;\n}\n"
}

// TestMistakesAreExplained checks the messages for one mistake after the other.
func TestMistakesAreExplained(t *testing.T) {
	short.Skip(t)
	short.Alternates(t, 0, 3)
	perThread := kernelText(t, "messages_per_thread.s")
	tests := []struct {
		name   string
		source string
		args   []string
		code   int
		stderr string // a regular expression
	}{
		{"typo in an opcode", body("\tadq.u32 %r1, %r1, 1;"), nil, 3, `^k.s:5:2: adq: no such opcode; did you mean add\?\n    5 \|  adq\.u32 %r1, %r1, 1;\n      \|  \^\^\^\^\^\^\^\n$`},
		{"undeclared register", body("\t.reg .b32 %r<4>;\n\tadd.u32 %r9, %r1, 1;"), nil, 3, `^k.s:6:\d+: .*%r9`},
		{"wrong type", body("\tadd.u32 %rd2, %rd1, 1;"), nil, 3, `^k.s:5:\d+: add.u32: %rd2 is .b64`},
		{"missing argument", ".entry k(.param .u64 x, .param .u32 n) { ret; }", []string{"--arg", "n=3"}, 2, `^simtrun: no argument for parameter x of kernel k; its parameters are 0: .u64 x, 1: .u32 n; for example\n  --arg x=zeros:32:f32\nsee 'simtrun help run'\n$`},
		{"surplus argument", triple, []string{"--arg", "2=3"}, 2, `^simtrun: --arg 2=3: kernel triple has no parameter 2; its parameters are 0: .u64 out, 1: .u32 n\n`},
		{"misspelt argument", triple, []string{"--arg", "oot=3"}, 2, `did you mean out\?\n`},
		{"argument out of range", triple, []string{"--arg", "n=4294967296"}, 2, `4294967296 is out of range for u32, which takes -2147483648 to 4294967295`},
		{"buffer too small", triple, []string{"--block", "64", "--arg", "out=zeros:60:u32"}, 4, `(?s)^k.s:16:2: error: store past the end of out \[mem-oob\].*block \(0,0,0\) warp 1 lanes 28-31.*out: 240 bytes.*starts right after the end`},
		{"access past a buffer", body("\tst.global.u32 [%rd1+16], 1;"), nil, 4, `^k.s:5:2: error: store past the end of x \[mem-oob\]`},
		{"access before a buffer", body("\tld.global.u32 %r1, [%rd1+-4];"), nil, 4, `^k.s:5:2: error: load `},
		{"misaligned access", body("\tst.global.u32 [%rd1+2], 1;"), nil, 4, `^k.s:5:2: error: misaligned store.*\[mem-misaligned\]`},
		{"lanes past a buffer", body(perThread), nil, 4, `(?s)lanes 4-31 .*x: 16 bytes`},
		{"expectation past a buffer", triple, []string{"--expect", "out[0:65] == 1"}, 2, `out has 256 bytes, 64 elements of u32, not 65`},
		{"dump past a buffer", triple, []string{"--dump", "out:f32:9999"}, 2, `out has 256 bytes, 64 elements of f32, not 9999`},
		{"endless loop", body("again:\n\tbra again;"), []string{"--max-steps", "1000"}, 5, `(?s)^k.s:\d+:\d+: error: .*`},
		{"endless loop in a large grid", body("again:\n\tadd.u32 %r1, %r1, 1;\n\tbra again;"), []string{"--grid", "264", "--block", "256", "--max-launch-steps", "1e7"}, 5,
			`(?s)^k.s:\d+:\d+: error: step limit: the warps executed 1\d{7} instructions since a block was last done; --max-launch-steps sets the limit \[sync-steps\]\n  next    .*\n  who     block .*\n  blocks  0 of 264 are done, 264 under way\n$`},
		{"bad grid", triple, []string{"--grid", "4xx"}, 2, `^simtrun: --grid 4xx: "4xx" is not X, XxY or XxYxZ with numbers from 1, as in 132x4\n`},
		{"grid of nothing", triple, []string{"--grid", "0"}, 2, `"0" is not X, XxY`},
		{"grid too high", triple, []string{"--grid", "1x70000"}, 2, `^simtrun: triple: grid 1x70000x1: at most`},
		{"block too large", triple, []string{"--block", "1025"}, 2, `at most 1024`},
		{"against .reqntid", ".entry k() .reqntid 64 { ret; }", []string{"--block", "32"}, 2, `\.reqntid`},
		{"missing file", triple, []string{"--script", "DIR/none.sim"}, 2, `none.sim: there is no such file\n`},
		{"unknown flag", triple, []string{"--gird", "4"}, 2, `^simtrun: no flag --gird; did you mean --grid\?\nsee 'simtrun help run'\n$`},
		{"unknown short flag", triple, []string{"-z"}, 2, `^simtrun: no flag -z\n`},
		{"later flag", triple, []string{"--schedules", "3"}, 2, `^simtrun: --schedules is not supported yet\n`},
		{"no such GPU", triple, []string{"--gpu", "h100pcie"}, 2, `^simtrun: --gpu h100pcie: no GPU "h100pcie"; did you mean h100-pcie\?\nsee`},
		{"no such GPU file", triple, []string{"--gpu", "DIR/none.toml"}, 2, `: no file none.toml\n`},
		{"split under a GPU's stack", triple, []string{"--split", "3", "--gpu", "minimal"}, 2, `^simtrun: --split 3: split is for divergence its, not stack\n`},
		{"header with a GPU file", "//sim:gpu my.toml\n" + triple, nil, 3, `^k.s:1:11: my.toml: a header names a preset`},
		{"no such model", triple, []string{"--divergence", "ist"}, 2, `no divergence model "ist"; did you mean its\?\n`},
		{"no such seed", triple, []string{"--split", "0"}, 2, `^simtrun: --split 0: "0" is not a seed; it is a number from 1\n`},
		{"split under the stack", triple, []string{"--split", "3", "--divergence", "stack"}, 2, `^simtrun: --split 3: split is for divergence its, not stack\n`},
		{"header that splits", "//sim:split 3\n" + triple, nil, 3, `^k.s:1:13: a header may not split; that is for scripts and flags`},
		{"one file twice", triple, []string{"FILE"}, 3, `^k.s:3:8: triple is defined already, at k.s:3:8\n    3 \| \.entry triple\(.*\n      \|        \^{6}\n$`},
		{"header that saves", "//sim:save x = y\n" + triple, nil, 3, `^k.s:1:12: a header may not save`},
		{"header that reads elsewhere", "//sim:arg out = @/etc/hostname\n" + triple, nil, 3, `^k.s:1:17: /etc/hostname is outside the source's folder`},
		{"header with a typo", "//sim:gird 4\n" + triple, nil, 3, `^k.s:1:7: no directive "gird"; did you mean grid\?\n    1 \| //sim:gird 4\n      \|       \^{4}\n$`},
		{"header's file is missing", "//sim:arg x = @none\n.entry k(.param .u64 x) { ret; }", nil, 2, `^k.s:1:11: no file none\n`},
		{"no such kernel", triple, []string{"--kernel", "tripel"}, 2, `no kernel "tripel" in k.s; did you mean triple\?`},
		{"not supported yet", body("\ttcgen05.shift.x %r1, %r2;"), nil, 3, `^k.s:5:2: tcgen05.shift.x is not supported yet\n`},
		{"failed expectation", triple, []string{"--expect", "out[0:3] == 0 3 7"}, 1, `^--expect out\[0:3\] == 0 3 7: 1 of 3 elements differs\n  out\[2\] is 6, not 7\n$`},
		{"failed expectation of the header", "//sim:expect out[2] == 7\n" + triple, nil, 1, `^k.s:1:14: expect out\[2\] == 7: 1 of 1 element differs\n`},
		{"several mistakes", body("\tadq.u32 %r1, %r1, 1;\n\tsubb.u32 %r1, %r1, 1;"), nil, 3, `^k.s:5:2: .*\n.*\n.*\nk.s:6:2: .*\n.*\n.*\n$`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := simtrun(t, tt.source, append([]string{"FILE"}, tt.args...)...)
			if got.code != tt.code || !regexp.MustCompile(tt.stderr).MatchString(got.stderr) {
				t.Errorf("exit %d, want %d\nstderr:\n%swant %s", got.code, tt.code, got.stderr, tt.stderr)
			}
		})
	}
}

func TestCommandsExitWithTheirCode(t *testing.T) {
	tests := []struct {
		args []string
		want output // the start of each text
	}{
		{nil, output{0, "Run, check, debug and profile CUDA kernels", ""}},
		{[]string{"help"}, output{0, "Run, check, debug and profile CUDA kernels", ""}},
		{[]string{"help", "run"}, output{0, "Run a kernel", ""}},
		{[]string{"version"}, output{0, versionText() + "\n" + lanesText() + "\n", ""}},
		{[]string{"run"}, output{2, "", "simtrun: no file; expected simtrun run FILE\n"}},
		{[]string{"rnu", "FILE"}, output{2, "", "simtrun: no command or file \"rnu\"; did you mean run?\nsee 'simtrun help'\n"}},
		{[]string{"check", "FILE"}, output{2, "", "simtrun: check is not supported yet\n"}},
		{[]string{"none.s"}, output{2, "", "simtrun: no file none.s\n"}},
		{[]string{"--grid", "2", "FILE"}, output{0, "triple  grid 2x1x1", ""}},
		{[]string{"asm", "FILE", "--ptx"}, output{0, "//sim:arg out = zeros:64:u32\n//sim:arg n = 64\n.version", ""}},
		{[]string{"asm", "--frob", "FILE"}, output{2, "", "simtrun: no flag --frob\nsee 'simtrun help asm'\n"}},
	}
	for _, tt := range tests {
		got := simtrun(t, triple, tt.args...)
		if got.code != tt.want.code || !strings.HasPrefix(got.stdout, tt.want.stdout) || !strings.HasPrefix(got.stderr, tt.want.stderr) {
			t.Errorf("%v: %+v, want %+v", tt.args, got, tt.want)
		}
	}
}

// TestLaterNamesDoNotExist: what is answered with "not supported yet" is not a command or flag.
func TestLaterNamesDoNotExist(t *testing.T) {
	root := newRoot()
	for _, name := range laterCommands {
		if slices.Contains(commandNames(root), name) {
			t.Errorf("%s is a command", name)
		}
	}
	for _, name := range laterFlags {
		if slices.Contains(longFlags(root), name) {
			t.Errorf("--%s is a flag", name)
		}
	}
}

func TestAsmListsInstructions(t *testing.T) {
	later := simtrun(t, ".version 8.6\n.target sm_100a\n.entry j() { ret; }\n.entry k() { tcgen05.shift.x %r1, %r2; ret; }\n", "asm", "FILE")
	if want := "k.s:4:14: warning: tcgen05.shift.x is not supported yet: a kernel that reaches it cannot be launched\n"; later.code != 0 || !strings.HasPrefix(later.stderr, want) {
		t.Errorf("%+v", later)
	}
	got := simtrun(t, ".entry k(.param .u32 n)\n{\n\tld.param.u32 %r1, [n];\n\tsetp.eq.u32 %p1, %r1, 0;\n\t@!%p1 bra end;\n\tbar.sync 0;\nend:\n\tret;\n}\n", "asm", "FILE")
	want := output{0, `k  instructions 5  registers 2
    @0  ld.param.u32 %r1, [n];
    @1  setp.eq.u32 %p1, %r1, 0;
    @2  @!%p1 bra end;
    @3  bar.sync 0;
end:
    @4  ret;
`, ""}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(output{})); diff != "" {
		t.Error(diff)
	}
}

// TestHeadersOfFilesApplyInOrder checks that the headers of several files are applied in order, and that one file can
// call a function of another.
func TestHeadersOfFilesApplyInOrder(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"k.s": `//sim:arg x = zeros:4:u32
//sim:block 32
.extern .func (.reg .u32 r) twice(.reg .u32 a);
.entry k(.param .u64 x)
{
	ld.param.u64 %rd1, [x];
	mov.u32 %r1, %tid.x;
	mad.wide.u32 %rd1, %r1, 4, %rd1;
	call (%r1), twice, (%r1);
	st.global.u32 [%rd1], %r1;
	ret;
}
`,
		"f.s": `//sim:block 4
//sim:dump x
.visible .func (.reg .u32 r) twice(.reg .u32 a)
{
	add.u32 r, a, a;
	ret;
}
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got := simtrunIn(t.Context(), dir, "run", "-q", "FILE", "DIR/f.s")
	if diff := cmp.Diff(output{0, "x[0:4] u32 = 0 2 4 6\n", ""}, got, cmp.AllowUnexported(output{})); diff != "" {
		t.Error(diff)
	}
	got = simtrunIn(t.Context(), dir, "asm", "FILE", "DIR/f.s")
	if got.code != 0 || !strings.Contains(got.stdout, "\ntwice  instructions 2  registers 2\n") {
		t.Errorf("%+v", got)
	}
	got = simtrunIn(t.Context(), dir, "run", "FILE")
	if got.code != 4 || !strings.Contains(got.stderr, "twice is declared but not defined") {
		t.Errorf("without the second file: %+v", got)
	}
}

// TestLaunchesOfScriptShareMemory runs launches that share a buffer and a module variable, from a script that also
// saves and sets flags.
func TestLaunchesOfScriptShareMemory(t *testing.T) {
	source := kernelText(t, "script.s")
	dir := t.TempDir()
	saved := filepath.Join(dir, "x.bin")
	for name, text := range map[string]string{
		"k.s":     source,
		"run.sim": "# twice\nbuffer x = iota:4:u32\nsymbol total = 40\nlaunch add block=4 args=x,10\nlaunch add block=2 args=x,100\nsave x = " + saved + "\ndump x\nexpect total == 42\nquiet\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got := simtrunIn(t.Context(), dir, "FILE", "--script", "DIR/run.sim")
	if diff := cmp.Diff(output{0, "x[0:4] u32 = 110 111 12 13\n", ""}, got, cmp.AllowUnexported(output{})); diff != "" {
		t.Error(diff)
	}
	data, err := os.ReadFile(saved)
	if want := []byte{110, 0, 0, 0, 111, 0, 0, 0, 12, 0, 0, 0, 13, 0, 0, 0}; err != nil || !bytes.Equal(data, want) {
		t.Errorf("saved %v, %v", data, err)
	}
	// The command line overrides the script.
	got = simtrunIn(t.Context(), dir, "FILE", "--script", "DIR/run.sim", "--quiet=false", "--expect", "total == 41")
	if got.code != 1 || !strings.Contains(got.stdout, "expect  1 passed, 1 failed\n") || strings.Count(got.stdout, "\nok ") != 2 {
		t.Errorf("%+v", got)
	}
}

// decoded is the part of the JSON object that TestJSONHasLaunchesAndDumps reads.
type decoded struct {
	Schema, GPU, Divergence string
	Launches                []struct {
		Kernel           string
		Grid, Block      [3]int
		Warps            int
		WarpInstructions int `json:"warp_instructions"`
		LaneInstructions int `json:"lane_instructions"`
		Metrics          map[string]float64
	}
	Dumps []struct {
		Name, Type string
		Values     []json.RawMessage
	}
	Findings []struct {
		Rule, Message, File, Instr, Mask, Space string
		Line, Warp, Size                        int
		Block                                   [3]int
		Lanes                                   []int
		Address                                 uint64
	}
	Expects struct{ Passed, Failed int }
	Summary struct {
		Exit, Errors int
		Message      string
	}
}

func decode(t *testing.T, got output) decoded {
	t.Helper()
	var d decoded
	dec := json.NewDecoder(strings.NewReader(got.stdout))
	if err := dec.Decode(&d); err != nil {
		t.Fatalf("%v in:\n%s", err, got.stdout)
	}
	if _, err := dec.Token(); err != io.EOF {
		t.Errorf("more than one object:\n%s", got.stdout)
	}
	if d.Schema != "simtrun.run/v1" || d.GPU != "h100" && d.GPU != "none" || d.Divergence != "its" {
		t.Errorf("schema %q, gpu %q, divergence %q", d.Schema, d.GPU, d.Divergence)
	}
	if d.Summary.Exit != got.code {
		t.Errorf("summary says exit %d, the process %d", d.Summary.Exit, got.code)
	}
	return d
}

func TestJSONHasLaunchesAndDumps(t *testing.T) {
	source := "//sim:buffer w = list:u64:18446744073709551615,1\n//sim:buffer f = list:f32:nan,-inf,0.1,1e30\n//sim:dump w\n//sim:dump f\n//sim:expect w[1] == 1\n" + triple
	d := decode(t, simtrun(t, source, "FILE", "--json", "--block", "40"))
	if len(d.Launches) != 1 || d.Launches[0].Kernel != "triple" || d.Launches[0].Block != [3]int{40, 1, 1} || d.Launches[0].Warps != 2 ||
		d.Launches[0].WarpInstructions != 26 || d.Launches[0].LaneInstructions != 13*40 || d.Launches[0].Metrics == nil {
		t.Errorf("launches: %+v", d.Launches)
	}
	var values []string
	for _, dump := range d.Dumps {
		for _, v := range dump.Values {
			values = append(values, string(v))
		}
	}
	if diff := cmp.Diff([]string{"18446744073709551615", "1", `"nan"`, `"-inf"`, "0.1", "1e+30"}, values); diff != "" {
		t.Error(diff)
	}
	if d.Expects.Passed != 1 || d.Findings == nil || len(d.Findings) != 0 {
		t.Errorf("%+v", d)
	}
}

func TestJSONHasFailures(t *testing.T) {
	d := decode(t, simtrun(t, body("\tst.global.u32 [%rd1+2], 1;"), "FILE", "--json"))
	if len(d.Findings) != 1 || !strings.HasSuffix(d.Findings[0].File, "k.s") || d.Summary.Exit != 4 || d.Summary.Errors != 1 {
		t.Fatalf("fault: %+v", d)
	}
	if f := d.Findings[0]; f.Rule != "mem-misaligned" || f.Line != 5 || f.Instr != "st.global.u32 [%rd1+2], 1;" || f.Mask != "ffffffff" ||
		len(f.Lanes) != 32 || f.Space != "global" || f.Address%4 != 2 || f.Size != 4 {
		t.Errorf("fault: %+v", f)
	}
	d = decode(t, simtrun(t, body("again:\n\tbra again;"), "FILE", "--json", "--max-steps", "100"))
	if len(d.Findings) != 1 || d.Findings[0].Rule == "" || d.Summary.Exit != 5 {
		t.Errorf("hang: %+v", d)
	}
	d = decode(t, simtrun(t, body("\tadq.u32 %r1, %r1, 1;"), "FILE", "--json"))
	if d.Summary.Exit != 3 || !strings.Contains(d.Summary.Message, "no such opcode") {
		t.Errorf("bad source: %+v", d)
	}
	d = decode(t, simtrun(t, triple, "FILE", "--json", "--expect", "out == 9"))
	if d.Summary.Exit != 1 || d.Expects.Failed != 1 {
		t.Errorf("failed expectation: %+v", d)
	}
}

func TestVerboseTellsTimeApart(t *testing.T) {
	got := simtrun(t, triple, "FILE", "-v")
	if !regexp.MustCompile(`^host time \d+\.\d+ s\n$`).MatchString(got.stderr) || strings.Contains(got.stdout, "host") {
		t.Errorf("%+v", got)
	}
	got = simtrun(t, triple, "FILE", "-v", "--functional")
	if !regexp.MustCompile(`^lanes: (go( \(.*\))?|avx2|avx512)\nhost time \d+\.\d+ s\n$`).MatchString(got.stderr) || strings.Contains(got.stdout, "lanes:") {
		t.Errorf("without a clock: %+v", got)
	}
}

// full is a disk without free space.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestUnwrittenFileFailsRun(t *testing.T) {
	got := simtrun(t, triple, "FILE", "--save", "out=DIR/none/out.bin", "--expect", "out == 9")
	if got.code != 74 || !strings.Contains(got.stderr, "simtrun: out not saved: ") {
		t.Errorf("%+v", got)
	}
	file := filepath.Join(t.TempDir(), "k.s")
	if err := os.WriteFile(file, []byte(triple), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{file}, {file, "--json"}, {"version"}, {"asm", file}} {
		var stderr bytes.Buffer
		if code := run(t.Context(), args, full{}, &stderr); code != 74 || !strings.Contains(stderr.String(), "no space left") {
			t.Errorf("%v: exit %d, %s", args, code, &stderr)
		}
	}
}

func TestInterruptExitsWithSignal(t *testing.T) {
	for signal, want := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "k.s"), []byte(triple), 0o666); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(interrupted{signal})
		if got := simtrunIn(ctx, dir, "FILE"); got.code != want {
			t.Errorf("%v: %+v, want exit %d", signal, got, want)
		}
	}
}

func TestPanicIsInternal(t *testing.T) {
	var stderr bytes.Buffer
	code := guarded(&stderr, []string{"k.s", "--grid", "4"}, func() int { panic("simtrun bug: no lanes") })
	if code != 70 || !strings.HasPrefix(stderr.String(), "simtrun bug: no lanes\n") || !strings.Contains(stderr.String(), "simtrun k.s --grid 4\n") {
		t.Errorf("exit %d:\n%s", code, &stderr)
	}
}

// TestMiscompilationIsInternal: a difference that SIMTRUN_LANES=verify finds ends the command with 70, and is printed
// with the place, the lane, both values and the machine code.
func TestMiscompilationIsInternal(t *testing.T) {
	wrong := &interp.Miscompiled{Func: "k", Lanes: 0xff, From: 3, To: 9, What: "%r1 is 0x1 in lane 4, by lane functions 0x2", Listing: "      0  vpaddd zmm1, zmm2, zmm3"}
	var stderr bytes.Buffer
	code := guarded(&stderr, []string{"k.s"}, func() int { panic(wrong) })
	if code != 70 || !strings.HasPrefix(stderr.String(), wrong.Error()+"\n") || !strings.Contains(wrong.Error(), wrong.What+"\n"+wrong.Listing) {
		t.Errorf("exit %d:\n%s", code, &stderr)
	}
}

func TestWorseExitCodeWins(t *testing.T) {
	for _, tt := range [][3]int{{1, 4, 4}, {74, 70, 70}, {130, 2, 130}, {5, 3, 3}, {0, 1, 1}, {74, 143, 74}} {
		if got := worse(tt[0], tt[1]); got != tt[2] {
			t.Errorf("worse(%d, %d) = %d, want %d", tt[0], tt[1], got, tt[2])
		}
	}
}
