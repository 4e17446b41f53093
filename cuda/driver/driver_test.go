package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/simtrun/simtrun"
	"github.com/simtrun/simtrun/internal/needs"
	"github.com/simtrun/simtrun/internal/short"
)

// library builds libcuda.so.1, the runtimes, NVML and the stand-ins that programs load as the Makefile does, once, and
// returns their folder. It begins with copies of what make -C cuda has built, so that make compiles C again only if a
// file has changed since.
var library = sync.OnceValues(func() (dir string, err error) {
	if dir, err = os.MkdirTemp("", "simtrun-driver"); err != nil {
		return "", err
	}
	for _, part := range []string{"libcuda.so*", "libcudart.so*", "libnvidia-ml.so*", "standins/*cufft*", "standins/*cudnn*"} {
		if err := copyBuilt("../lib", part, dir); err != nil {
			return dir, err
		}
	}
	if text, err := exec.Command("make", "-C", "..", "LIB="+dir, "driver", "runtimes", "nvml",
		dir+"/standins/cufft", dir+"/standins/cudnn").CombinedOutput(); err != nil {
		return dir, fmt.Errorf("%v\n%s", err, text)
	}
	return dir, nil
})

// copyBuilt copies the files of a folder that match a pattern, with their times.
func copyBuilt(from, pattern, to string) error {
	files, err := filepath.Glob(filepath.Join(from, pattern))
	if err != nil || len(files) == 0 {
		return err
	}
	to = filepath.Join(to, filepath.Dir(pattern))
	if err := os.MkdirAll(to, 0o777); err != nil {
		return err
	}
	if text, err := exec.Command("cp", append([]string{"-a", "-t", to}, files...)...).CombinedOutput(); err != nil {
		return fmt.Errorf("%v\n%s", err, text)
	}
	return nil
}

func TestMain(m *testing.M) {
	code := m.Run()
	if built.dir != "" {
		os.RemoveAll(built.dir)
	}
	os.Exit(code)
}

// built is the folder to remove at the end.
var built struct {
	sync.Mutex
	dir string
}

// libraryDir returns the folder with the library. It skips the test if there is no C compiler.
func libraryDir(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the library")
	}
	needs.Tool(t, "cc")
	dir, err := library()
	built.Lock()
	built.dir = dir
	built.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// A program is a C file of testdata. Comments in the file define its runs and their expected results:
//
//	// RUN [NAME=VALUE ...] [argument ...]  a run, with more of the environment; one without any where there is no such line
//	// EXIT n                               its exit status; else 0
//	// STDERR regexp                        a line of standard error; where there is none, that has to be empty
//	// STDOUT regexp                        a line of standard output
//
// The lines after a RUN are about that run. $OUT is a folder for the run.
type run struct {
	env, args      []string
	exit           int
	stderr, stdout []string
}

var directive = regexp.MustCompile(`^(?://|#) (RUN|EXIT|STDERR|STDOUT)\b ?(.*)$`)

func runsOf(t *testing.T, file string) (runs []run) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	runs = []run{{}}
	first := true
	for line := range strings.Lines(string(text)) {
		m := directive.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		r := &runs[len(runs)-1]
		switch m[1] {
		case "RUN":
			if !first {
				runs = append(runs, run{})
			}
			first = false
			r = &runs[len(runs)-1]
			for word := range strings.FieldsSeq(m[2]) {
				if strings.Contains(word, "=") {
					r.env = append(r.env, word)
				} else {
					r.args = append(r.args, word)
				}
			}
		case "EXIT":
			fmt.Sscan(m[2], &r.exit)
		case "STDERR":
			r.stderr = append(r.stderr, m[2])
		case "STDOUT":
			r.stdout = append(r.stdout, m[2])
		}
	}
	return runs
}

// do executes a command in the run's environment, and compares the results.
func (r *run) do(t *testing.T, dir string, command ...string) {
	t.Helper()
	out := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, command[0], append(command[1:], r.args...)...)
	c.Env = append(os.Environ(), "LD_LIBRARY_PATH="+dir, "OUT="+out)
	for _, e := range r.env {
		c.Env = append(c.Env, strings.ReplaceAll(e, "$OUT", out))
	}
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	err := c.Run()
	if code := c.ProcessState.ExitCode(); code != r.exit {
		t.Errorf("exit status %d (%v), want %d", code, err, r.exit)
	}
	r.compare(t, "standard error", stderr.String(), r.stderr)
	if r.stdout != nil {
		r.compare(t, "standard output", stdout.String(), r.stdout)
	}
	if t.Failed() {
		t.Logf("standard output:\n%s\nstandard error:\n%s", stdout.String(), stderr.String())
	}
}

func (r *run) compare(t *testing.T, what, text string, want []string) {
	t.Helper()
	if want == nil && text != "" {
		t.Errorf("%s is not empty", what)
	}
	for _, w := range want {
		if !regexp.MustCompile("(?m)" + w).MatchString(text) {
			t.Errorf("%s has no %q", what, w)
		}
	}
}

func (r *run) name() string {
	return cmp.Or(strings.Join(append(slices.Clone(r.env), r.args...), " "), "plain")
}

// compile compiles a C file of testdata.
func compile(t *testing.T, dir, file string, flags ...string) (program string) {
	t.Helper()
	program = filepath.Join(t.TempDir(), strings.TrimSuffix(filepath.Base(file), ".c"))
	args := append([]string{"-std=gnu11", "-g", "-Wall", "-Wextra", "-Werror", "-I../include", "-o", program, file, "-pthread", "-ldl", "-lm"}, flags...)
	if text, err := exec.Command("cc", args...).CombinedOutput(); err != nil {
		t.Fatalf("cc %s: %v\n%s", file, err, text)
	}
	return program
}

// TestCProgramsPass runs the C programs of testdata. They are linked with -lcuda, except those named dl*, which load
// the library themselves. A commit runs half of them.
func TestCProgramsPass(t *testing.T) {
	dir := libraryDir(t)
	files, _ := filepath.Glob("testdata/*.c")
	if len(files) == 0 {
		t.Fatal("no programs")
	}
	for i, file := range files {
		if short.Waits(i, 2) {
			continue
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".c"), func(t *testing.T) {
			flags := []string{"-L" + dir, "-lcuda"}
			if strings.HasPrefix(filepath.Base(file), "dl") {
				flags = nil
			}
			program := compile(t, dir, file, flags...)
			for _, r := range runsOf(t, file) {
				t.Run(r.name(), func(t *testing.T) { r.do(t, dir, program) })
			}
		})
	}
}

// TestOffloadingProgramsPass runs OpenMP and OpenACC programs that GCC compiles for NVIDIA's GPUs: its plugin loads the
// driver library, and links the compiler's PTX with that of its own libraries there.
func TestOffloadingProgramsPass(t *testing.T) {
	dir := libraryDir(t)
	for i, c := range []struct{ source, compiler, flags, stderr string }{
		{"openmp.c", "gcc", "-O2 -fopenmp -foffload-options=-lm", ""},
		{"openacc.c", "gcc", "-O2 -fopenacc -foffload-options=-lm", ""},
		{"matmul.f90", "gfortran", "-O0 -fopenmp -foffload-options=-lgfortran -foffload-options=-lm", "^simtrun: input1.ptx:.*: _gfortran_matmul_r4 is .* here and .* there"},
	} {
		if short.Waits(i, 3) {
			continue
		}
		t.Run(c.source, func(t *testing.T) {
			program := filepath.Join(t.TempDir(), "program")
			var messages []byte
			err := errors.New("no GCC")
			for _, version := range []string{"", "-12", "-13", "-14", "-15"} {
				args := append(strings.Fields(c.flags), "-foffload=nvptx-none", "-o", program, "testdata/offload/"+c.source, "-lm")
				if messages, err = exec.Command(c.compiler+version, args...).CombinedOutput(); err == nil {
					break
				}
			}
			if err != nil {
				t.Logf("no GCC that offloads to NVIDIA's GPUs: %v\n%s", err, messages)
				needs.Skip(t, "offloading-"+c.compiler)
			}
			r := run{stdout: []string{"^ok$"}}
			if c.stderr != "" {
				r.env, r.stderr = []string{"OMP_TARGET_OFFLOAD=MANDATORY"}, []string{c.stderr}
			}
			r.do(t, dir, program)
		})
	}
}

// TestPythonProgramsPass runs the Python programs of testdata, which use the library through ctypes.
func TestPythonProgramsPass(t *testing.T) {
	dir := libraryDir(t)
	python := needs.Tool(t, "python3")
	files, _ := filepath.Glob("testdata/*.py")
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".py"), func(t *testing.T) {
			for _, r := range runsOf(t, file) {
				t.Run(r.name(), func(t *testing.T) { r.do(t, dir, python, file) })
			}
		})
	}
}

// apiNames returns the names of api.txt with all their variants.
func apiNames(t *testing.T) (names []string) {
	text, err := os.ReadFile("api.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^\d+ (cu\w+)\(.*\)(.*)$`).FindAllStringSubmatch(string(text), -1) {
		names = append(names, m[1])
		for tag := range strings.FieldsSeq(m[2]) {
			if tag == "v1" {
				names = append(names, regexp.MustCompile(`_v\d+$`).ReplaceAllString(m[1], ""))
			} else {
				names = append(names, m[1]+"_"+tag)
			}
		}
	}
	return append(names, "cuGetProcAddress", "cuGetProcAddress_v2")
}

func unsupportedNames(t *testing.T) []string {
	text, err := os.ReadFile("unsupported.txt")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(regexp.MustCompile(`(?m)^#.*$`).ReplaceAllString(string(text), ""))
}

// TestExportedNamesAreListed compares the exported names of the library with api.txt and unsupported.txt.
func TestExportedNamesAreListed(t *testing.T) {
	dir := libraryDir(t)
	exported := make(map[string]bool)
	for _, name := range exportedNames(t, filepath.Join(dir, "libcuda.so.1"), "cu") {
		exported[name] = true
	}
	for _, name := range append(apiNames(t), unsupportedNames(t)...) {
		if !exported[name] {
			t.Errorf("%s is not exported, or twice in the lists", name)
		}
		delete(exported, name)
	}
	for name := range exported {
		t.Errorf("%s is exported and in neither list", name)
	}
}

// TestUnsupportedCallsReportOnce calls all unsupported functions: each returns CUDA_ERROR_NOT_SUPPORTED and reports
// that once, some with an explanation.
func TestUnsupportedCallsReportOnce(t *testing.T) {
	dir := libraryDir(t)
	program := compile(t, dir, "testdata/names/unsupported.c")
	names := unsupportedNames(t)
	r := run{args: names}
	for _, name := range names {
		r.stderr = append(r.stderr, "^simtrun: "+name+" is not supported yet(: .*)?$")
	}
	r.do(t, dir, program)
}

// TestEveryEntryPointIsTested checks that every entry point has a test.
func TestEveryEntryPointIsTested(t *testing.T) {
	var all []byte
	for _, pattern := range []string{"testdata/*.c", "testdata/*.py", "testdata/*.h"} {
		files, _ := filepath.Glob(pattern)
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, text...)
		}
	}
	words := make(map[string]bool)
	for _, w := range regexp.MustCompile(`\bcu\w+`).FindAllString(string(all), -1) {
		words[w] = true
	}
	for _, name := range apiNames(t) {
		base := regexp.MustCompile(`_v\d+$`).ReplaceAllString(name, "") // the name in the header
		if !words[name] && !words[base] && !strings.HasSuffix(name, "_ptds") && !strings.HasSuffix(name, "_ptsz") {
			t.Errorf("%s is called by no test", name)
		}
	}
}

// TestGeneratedFilesAreFresh runs the generator and compares the files.
func TestGeneratedFilesAreFresh(t *testing.T) {
	dir := t.TempDir()
	for _, d := range []string{"driver/entry", "include/simtrun"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"gen.go", "api.txt", "unsupported.txt", "present.txt", "errors.txt", "../include/simtrun/errors.h"} {
		text, err := os.ReadFile(name)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, "driver", name), text, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	gen := exec.Command("go", "run", "gen.go")
	gen.Dir = filepath.Join(dir, "driver")
	if text, err := gen.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for _, name := range []string{"entry/entry_gen.c", "calls_gen.h", "calls_gen.c", "errors_gen.go", "../include/cuda_api.h", "../include/cudaTypedefs.h", "../include/cuda_errors.h"} {
		want, err := os.ReadFile(filepath.Join(dir, "driver", name))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is stale: go generate", name)
		}
	}
}

// TestReportMatchesHandCount runs a program with SIMTRUN_REPORT and compares the lines with figures worked out by hand.
// The lines have the metrics that SIMTRUN_METRICS names.
func TestReportMatchesHandCount(t *testing.T) {
	dir := libraryDir(t)
	program := compile(t, dir, "testdata/report.c", "-L"+dir, "-lcuda")
	for _, c := range []struct {
		functional, metrics string
		want                int // number of metrics in a line; -1 for more than ten
	}{{"1", "", 0}, {"0", "", 0}, {"1", "warp_instructions, lane_instructions", 2}, {"0", "all", -1}} {
		t.Run("functional="+c.functional+" "+c.metrics, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "report.json")
			r := run{env: []string{"SIMTRUN_REPORT=" + file, "SIMTRUN_FUNCTIONAL=" + c.functional, "SIMTRUN_METRICS=" + c.metrics}}
			r.do(t, dir, program)
			checkReport(t, file, c.functional == "0", c.want)
		})
	}
}

// checkReport checks the report of report.c. Its kernel is ten instructions for the lower half of each warp and nine
// for the others, and it is launched with 2 CTAs of 64 threads, then with 3 of 32; then a kernel of one instruction
// with 1 CTA of 40.
func checkReport(t *testing.T, file string, timed bool, metrics int) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	type line struct {
		Kernel            string
		Grid, Block       [3]int
		Shared            int
		WarpInstructions  int `json:"warp_instructions"`
		LaneInstructions  int `json:"lane_instructions"`
		DivergentBranches int `json:"divergent_branches"`
	}
	want := []line{
		{"half", [3]int{2, 1, 1}, [3]int{64, 1, 1}, 0, 4 * 10, 4 * (32*9 + 16), 4},
		{"half", [3]int{3, 1, 1}, [3]int{32, 1, 1}, 128, 3 * 10, 3 * (32*9 + 16), 3},
		{"none", [3]int{1, 1, 1}, [3]int{40, 1, 1}, 0, 2, 40, 0},
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(lines) != len(want) {
		t.Fatalf("%d lines, want %d:\n%s", len(lines), len(want), text)
	}
	for i, l := range lines {
		var got line
		if err := json.Unmarshal([]byte(l), &got); err != nil {
			t.Fatalf("line %d is no JSON: %v\n%s", i+1, err, l)
		}
		if got != want[i] {
			t.Errorf("line %d: %+v, want %+v", i+1, got, want[i])
		}
		var extra struct {
			Seconds, Microseconds float64
			Cycles                int64
			Metrics               map[string]float64
			Error                 string
		}
		json.Unmarshal([]byte(l), &extra)
		if n := len(extra.Metrics); n != metrics && (metrics >= 0 || n <= 10) || extra.Seconds <= 0 || extra.Error != "" {
			t.Errorf("line %d: seconds, metrics or error: %s", i+1, l)
		}
		if (extra.Cycles > 0) != timed || (extra.Microseconds > 0) != timed {
			t.Errorf("line %d: %d cycles, %g µs", i+1, extra.Cycles, extra.Microseconds)
		}
	}
}

// TestSavedLaunchesRunAgain checks that saved launches of a program run again with the same results; the program runs
// one kernel with two shapes and another with one.
func TestSavedLaunchesRunAgain(t *testing.T) {
	dir, saves := libraryDir(t), t.TempDir()
	program := compile(t, dir, "testdata/report.c", "-L"+dir, "-lcuda")
	(&run{env: []string{"SIMTRUN_SAVE=" + saves}}).do(t, dir, program)
	saved, _ := filepath.Glob(filepath.Join(saves, "*", "kernel.ptx"))
	if len(saved) != 3 {
		t.Fatal(saved)
	}
	checked := 0
	for _, file := range saved {
		p, err := simtrun.LoadFiles(file)
		if err != nil {
			t.Fatal(err)
		}
		out, err := p.Run(t.Context(), simtrun.RunOptions{})
		if err != nil || len(out.Failed) > 0 {
			t.Error(file, err, out.Failed)
		}
		checked += out.Passed
	}
	if checked != 1 { // only the first launch changes memory
		t.Errorf("%d buffers were checked", checked)
	}
}
