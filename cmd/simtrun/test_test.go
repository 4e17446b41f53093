package main

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// writeFiles writes files into a new folder and makes it the working directory.
func writeFiles(t *testing.T, files map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
}

// typed runs a command line in the working directory.
func typed(t *testing.T, args ...string) output {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := run(t.Context(), args, &stdout, &stderr)
	return output{code, stdout.String(), stderr.String()}
}

func checkOutput(t *testing.T, want, got output) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(output{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Folders a to c have a case that passes, one that fails, and one that is only run; testdata has one that the command
// line does not select.
var folders = map[string]string{
	"a/triple.s":        "//sim:block 64\n//sim:dump out:u32:4\n" + triple,
	"a/triple.golden":   "-- dump --\nout[0:4] u32 = 0 3 6 9\n",
	"b/triple.s":        "//sim:block 64\n//sim:dump out:u32:4\n" + triple,
	"b/triple.golden":   "-- dump --\nout[0:4] u32 = 0 3 6 8\n",
	"c/triple.s":        "//sim:expect out[3] == 9\n" + triple,
	"c/testdata/no.s":   "//sim:expect out[3] == 8\n" + triple,
	"c/no_case.s":       ".func f() { ret; }\n",
	"c/no_case.txtar":   "-- a.txt --\nno kernel\n",
	"_old/triple.s":     "//sim:expect out[3] == 8\n" + triple,
	"c/.hidden/tripe.s": "//sim:expect out[3] == 8\n" + triple,
}

func TestTestCommandComparesGoldenFiles(t *testing.T) {
	writeFiles(t, folders)
	const b = `FAIL  b/triple.s
  dump: b/triple.golden differs (-golden +now)
       2 - out[0:4] u32 = 0 3 6 8
         + out[0:4] u32 = 0 3 6 9
`
	for _, c := range []struct {
		args string
		want output
	}{
		{"./...", output{1, b + "FAIL  1 of 3 cases failed, 1 without golden file\n", ""}},
		{"./... -j 1", output{1, b + "FAIL  1 of 3 cases failed, 1 without golden file\n", ""}},
		{"./... -v", output{1, "ok    a/triple.s\n" + b + "ok    c/triple.s  no golden file\nFAIL  1 of 3 cases failed, 1 without golden file\n", ""}},
		{"-run a/t ./...", output{0, "ok    1 case\n", ""}},
		{"--run=[ac]/ ./...", output{0, "ok    2 cases, 1 without golden file\n", ""}},
		{"a c/triple.s a/triple.golden", output{0, "ok    2 cases, 1 without golden file\n", ""}},
		{"", output{2, "", "simtrun: no test cases in .; a case is a source (.s .ptx .cu .txtar) with a //sim: header, or with a golden file\nsee 'simtrun help test'\n"}},
		{"-run d ./...", output{2, "", "simtrun: --run d: none of the 3 cases matches\nsee 'simtrun help test'\n"}},
		{"-run ( a", output{2, "", "simtrun: --run (: error parsing regexp: missing closing ): `(`\nsee 'simtrun help test'\n"}},
		{"-j 0 a", output{2, "", "simtrun: -j 0: expected a number of cases at a time, 1 or more\nsee 'simtrun help test'\n"}},
		{"d", output{2, "", "simtrun: no file d\nsee 'simtrun help test'\n"}},
		{"--updat a", output{2, "", "simtrun: no flag --updat; did you mean --update?\nsee 'simtrun help test'\n"}},
		{"a/none.golden", output{2, "", "simtrun: no file a/none.golden\nsee 'simtrun help test'\n"}},
	} {
		t.Run(c.args, func(t *testing.T) {
			checkOutput(t, c.want, typed(t, append([]string{"test"}, strings.Fields(c.args)...)...))
		})
	}
}

// An update rewrites only what differs. A case without a golden file gets one, whether it is named or found in a
// folder.
func TestUpdateRewritesOnlyDifferences(t *testing.T) {
	writeFiles(t, folders)
	checkOutput(t, output{0, "new   b/triple.s\nnew   c/triple.s\nok    3 cases, 2 rewritten\n", ""}, typed(t, "test", "-u", "./..."))
	if err := os.Remove("c/triple.golden"); err != nil {
		t.Fatal(err)
	}
	checkOutput(t, output{0, "new   c/triple.s\nok    1 case, 1 rewritten\n", ""}, typed(t, "test", "-u", "c/triple.s"))
	checkOutput(t, output{0, "ok    3 cases\n", ""}, typed(t, "test", "-u", "./..."))
	checkOutput(t, output{0, "ok    3 cases\n", ""}, typed(t, "test", "./..."))
	for name, want := range map[string]string{
		"a/triple.golden": folders["a/triple.golden"],
		"b/triple.golden": folders["a/triple.golden"],
		"c/triple.golden": typed(t, "c/triple.s", "--functional").stdout,
	} {
		got, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestTestJSONHasLinePerCase(t *testing.T) {
	writeFiles(t, folders)
	got := typed(t, "test", "--json", "./...")
	if got.code != 1 || got.stderr != "" {
		t.Errorf("exit %d, standard error:\n%s", got.code, got.stderr)
	}
	const want = `{"schema":"simtrun.test/v1","case":"a/triple.s","status":"pass","golden":true,"runs":[""],"problems":[],"warnings":[]}
{"schema":"simtrun.test/v1","case":"b/triple.s","status":"fail","golden":true,"runs":[""],"problems":[{"runs":[""],"section":"dump","text":"b/triple.golden differs (-golden +now)\n     2 - out[0:4] u32 = 0 3 6 8\n       + out[0:4] u32 = 0 3 6 9"}],"warnings":[]}
{"schema":"simtrun.test/v1","case":"c/triple.s","status":"pass","golden":false,"runs":[""],"problems":[],"warnings":[]}
`
	if diff := cmp.Diff(want, got.stdout); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// warned is a kernel of two warps that use a word of shared memory without a barrier in between: the result depends on
// the order of the warps, which is a warning without --check race.
//
//go:embed testdata/kernels/warned.s
var warned string

// TestWarningsAreShownBelowCase: a warning is printed below a case that passes, also if its golden file is made, and is
// in JSON. If it fails the case, JUnit has it once. Several machines with one warning have one line.
func TestWarningsAreShownBelowCase(t *testing.T) {
	writeFiles(t, map[string]string{"k.s": warned})
	const line = "k.s:11:2: warning: results may depend on the order of warps"
	for _, c := range []struct {
		args string
		code int
		text string
	}{
		{"-u", 0, "new   k.s\n  " + line},
		{"", 0, "ok    k.s\n  " + line},
		{"--json", 0, `"problems":[],"warnings":["` + line},
		{"--fail-on warning --junit j.xml", 1, "FAIL  k.s\n  " + line},
	} {
		got := typed(t, append([]string{"test", "k.s"}, strings.Fields(c.args)...)...)
		if got.code != c.code || strings.Count(got.stdout, c.text) != 1 {
			t.Errorf("%s: %+v", c.args, got)
		}
	}
	if xml := readFile(t, "j.xml"); strings.Count(xml, "<failure ") != 1 || !strings.Contains(xml, line) {
		t.Error(xml)
	}
}

func TestTestWritesJUnit(t *testing.T) {
	writeFiles(t, folders)
	if got := typed(t, "test", "--junit", "out.xml", "./..."); got.code != 1 {
		t.Errorf("exit %d", got.code)
	}
	text, err := os.ReadFile("out.xml")
	if err != nil {
		t.Fatal(err)
	}
	const want = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="3" failures="1">
  <testsuite name="simtrun test" tests="3" failures="1">
    <testcase classname="simtrun" name="a/triple.s"></testcase>
    <testcase classname="simtrun" name="b/triple.s">
      <failure message="dump: b/triple.golden differs (-golden +now)">  dump: b/triple.golden differs (-golden +now)&#xA;       2 - out[0:4] u32 = 0 3 6 8&#xA;         + out[0:4] u32 = 0 3 6 9&#xA;</failure>
    </testcase>
    <testcase classname="simtrun" name="c/triple.s"></testcase>
  </testsuite>
</testsuites>
`
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	got := typed(t, "test", "--junit", "no/out.xml", "./...")
	if got.code != exitUsage || got.stdout != "" {
		t.Errorf("a report in no folder: %+v", got)
	}
}

// TestJobsDoNotChangeOutput checks that many cases, some of which fail, give the same output with one and with eight
// jobs.
func TestJobsDoNotChangeOutput(t *testing.T) {
	files := make(map[string]string)
	for i := range 40 {
		files[fmt.Sprintf("k%02d.s", i)] = fmt.Sprintf("//sim:matrix divergence=its,stack\n//sim:expect out[1] == %d\n", i%4) + triple
	}
	writeFiles(t, files)
	want := typed(t, "test", "-v", "-j", "1")
	if strings.Count(want.stdout, "FAIL  k") != 30 || strings.Count(want.stdout, "\nok    k") != 10 {
		t.Errorf("not 30 of 40 failed:\n%s", want.stdout)
	}
	for _, jobs := range []string{"2", "8", "100"} {
		checkOutput(t, want, typed(t, "test", "-v", "-j", jobs))
	}
}

// TestTestingPageShowsRealOutput runs the commands of docs/testing.md and compares their output. The files that the
// page shows are those of the example.
func TestTestingPageShowsRealOutput(t *testing.T) {
	page := readFile(t, "../../docs/testing.md")
	kernel := readFile(t, "../../docs/example/arms.ptx")
	for name, text := range map[string]string{
		"arms.ptx": kernel, "arms.golden": readFile(t, "../../docs/example/arms.golden"), "arms_test.go": readFile(t, "../../docs/example/arms_test.go"),
	} {
		if !strings.Contains(page, indented(text)) {
			t.Errorf("the page shows another %s than the example has", name)
		}
	}
	golden := readFile(t, "../../docs/example/arms.golden")
	writeFiles(t, map[string]string{"arms.ptx": kernel})
	commands := 0
	lines := strings.Split(page, "\n")
	for i := 0; i < len(lines); i++ {
		command, ok := strings.CutPrefix(lines[i], "    $ ")
		if !ok {
			continue
		}
		commands++
		var want strings.Builder
		for i+1 < len(lines) && strings.HasPrefix(lines[i+1], "    ") && !strings.HasPrefix(lines[i+1], "    $ ") {
			i++
			want.WriteString(lines[i][4:] + "\n")
		}
		var got string
		if args := strings.Fields(command); args[0] == "simtrun" {
			out := typed(t, args[1:]...)
			got = out.stdout + out.stderr
		} else {
			out, err := exec.Command("sh", "-c", command).CombinedOutput()
			if err != nil {
				t.Error(err)
			}
			got = string(out)
		}
		if diff := cmp.Diff(want.String(), got); diff != "" {
			t.Errorf("%s (-page +now):\n%s", command, diff)
		}
		if command == "simtrun test -u" {
			if diff := cmp.Diff(golden, readFile(t, "arms.golden")); diff != "" {
				t.Errorf("arms.golden (-example +now):\n%s", diff)
			}
		}
	}
	if commands != 5 {
		t.Errorf("the page has %d commands, want 5", commands)
	}
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// indented returns a file as the page shows it.
func indented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if line != "\n" {
			b.WriteString("    ")
		}
		b.WriteString(line)
	}
	return b.String()
}

// An interrupted test reports that, and does not report cases that are not done.
func TestInterruptedTestReportsDoneCases(t *testing.T) {
	writeFiles(t, folders)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(interrupted{os.Interrupt})
	var stdout, stderr bytes.Buffer
	code := run(ctx, []string{"test", "./..."}, &stdout, &stderr)
	checkOutput(t, output{exitInterrupt, "", "simtrun: interrupted\n"}, output{code, stdout.String(), stderr.String()})
}

// TestGivenGPUReplacesThoseOfCases: --gpu takes the place of the GPUs that cases name. Sections of other GPUs are left
// out, and a shared array that only fits a GPU fails on another.
func TestGivenGPUReplacesThoseOfCases(t *testing.T) {
	const shared = ".entry k()\n{\n\t.shared .b8 tile[%d];\n\tmov.u32 %%r1, tile;\n\tret;\n}\n"
	large := fmt.Sprintf(shared, 1000)
	writeFiles(t, map[string]string{
		"header.s":      "//sim:gpu a100\n//sim:shared 200000\n" + large, // 227 KB on h100, 163 KB on a100
		"matrix.s":      "//sim:matrix gpu=a100,v100\n//sim:grid 1\n" + large,
		"matrix.golden": "-- dump a100 --\n-- dump v100 --\nwrong\n",
	})
	if got := typed(t, "test", "header.s"); got.code != exitFindings {
		t.Errorf("on a100: %+v", got)
	}
	if got := typed(t, "test", "--gpu", "h100"); got.code != exitOK || !strings.Contains(got.stdout, "ok    2 cases") {
		t.Errorf("on h100: %+v", got)
	}
	if got := typed(t, "test", "--gpu", "v100", "matrix.s"); got.code != exitFindings {
		t.Errorf("on v100: %+v", got)
	}
	if got := typed(t, "test", "--gpu", "h1000"); got.code != exitUsage || !strings.Contains(got.stderr, "--gpu h1000: no GPU \"h1000\"; did you mean h100?\n") {
		t.Errorf("on h1000: %+v", got)
	}
	if got := typed(t, "test", "--gpu", "a100", "-u"); got.code != exitUsage {
		t.Errorf("-u: %+v", got)
	}
}
