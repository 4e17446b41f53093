package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/cuda"
	"github.com/simtrun/simtrun/internal/cudatest"
	"github.com/simtrun/simtrun/internal/needs"
	"github.com/simtrun/simtrun/internal/report"
	"github.com/simtrun/simtrun/internal/short"
)

const linesFolder = "testdata/lines"

// lineCase is a kernel of testdata/lines/cases.cu with one mistake.
type lineCase struct {
	kernel  string
	flags   []string // of its run
	args    []string // NAME=VALUE
	rule    string
	sides   []string // labels of the lines, the last one where the finding is
	advice  string   // words of the fix; "" for none
	call    string   // label of the call through which the code was inlined; "" for none
	used    string   // label of the use of an undefined value; "" for none
	grid    string
	block   string
	checked string // the value of --check; "" for none
}

// lineCases reads the cases, and the lines of their labels, such as "cases.cu:12".
func lineCases(t *testing.T) (cases []*lineCase, labels map[string]string) {
	t.Helper()
	labels = make(map[string]string)
	label := regexp.MustCompile(`// @([\w.]+)$`)
	for _, name := range []string{"helpers.cuh", "cases.cu"} {
		text, err := os.ReadFile(filepath.Join(linesFolder, name))
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			if m := label.FindStringSubmatch(line); m != nil {
				labels[m[1]] = fmt.Sprintf("%s:%d", name, i+1)
			}
			words := strings.Fields(line)
			if len(words) == 0 || !strings.HasPrefix(words[0], "//") {
				continue
			}
			switch words[0] {
			case "//case":
				cases = append(cases, newLineCase(words[1:]))
			case "//want":
				c := cases[len(cases)-1]
				before, advice, _ := strings.Cut(line, " : ")
				c.rule, c.sides, c.advice = words[1], strings.Fields(before)[2:], advice
			case "//call":
				cases[len(cases)-1].call = words[2]
			case "//used":
				cases[len(cases)-1].used = words[1]
			}
		}
	}
	return cases, labels
}

func newLineCase(words []string) *lineCase {
	c := &lineCase{kernel: words[0], grid: "1"}
	for _, word := range words[1:] {
		switch name, value, _ := strings.Cut(word, "="); name {
		case "grid":
			c.grid = value
		case "block":
			c.block = value
		case "check":
			c.checked = value
		default:
			c.args = append(c.args, word)
		}
	}
	c.flags = []string{"--kernel", c.kernel, "--grid", c.grid, "--block", c.block, "--functional"}
	if c.checked != "" {
		c.flags = append(c.flags, "--check", c.checked)
	}
	for _, arg := range c.args {
		c.flags = append(c.flags, "--arg", arg)
	}
	return c
}

// compiledCases compiles the cases once, and returns a folder that runs as a .cu file does.
func compiledCases(t *testing.T) string {
	t.Helper()
	c, dir := cudatest.Compiler(t), t.TempDir()
	s := source{name: filepath.Join(linesFolder, "cases.cu")}
	ptx, _, err := compileCUDA(&s, false, reading{arch: "sm_90"})
	if err != nil {
		t.Fatalf("clang %d: %v", c.Version, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "kernel.ptx"), ptx, 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

// noPTX matches positions in PTX that is in no file of the user's.
var noPTX = regexp.MustCompile(`\.ptx\b|PTX of`)

// TestFindingsNameLinesOfTheSource runs each case, and compares the lines on all sides with its labels, in text and
// in JSON. Each case is one finding.
func TestFindingsNameLinesOfTheSource(t *testing.T) {
	short.Alternates(t, 1, 3)
	cases, labels := lineCases(t)
	folder := compiledCases(t)
	if len(cases) < 40 {
		t.Fatalf("%d cases", len(cases))
	}
	for _, c := range cases {
		t.Run(c.kernel, func(t *testing.T) {
			text := typed(t, append([]string{folder, "-q"}, c.flags...)...)
			all := text.stdout + text.stderr
			for _, side := range c.sides {
				if !strings.Contains(all, labels[side]) {
					t.Errorf("%s (%s) is not in the text", side, labels[side])
				}
			}
			if at := labels[c.sides[len(c.sides)-1]]; !regexp.MustCompile(`(?m)^\S*` + regexp.QuoteMeta(at) + `:\d+: (error|warning): .*\[` + c.rule + `\]`).MatchString(all) {
				t.Errorf("no %s at %s", c.rule, at)
			}
			if m := noPTX.FindString(all); m != "" {
				t.Errorf("the text has %q", m)
			}
			files := []string{filepath.Join(t.TempDir(), "sarif"), filepath.Join(t.TempDir(), "junit")}
			checkLines(t, c, labels, typed(t, append([]string{folder, "--json", "--sarif", files[0], "--junit", files[1]}, c.flags...)...).stdout)
			checkForms(t, c, labels, files[0], files[1])
			if t.Failed() {
				t.Logf("\n%s", all)
			}
		})
	}
}

// checkLines checks the findings in JSON.
func checkLines(t *testing.T, c *lineCase, labels map[string]string, text string) {
	t.Helper()
	var got struct{ Findings []report.Finding }
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatalf("%v: %.200s", err, text)
	}
	at := func(file string, line int32) string { return fmt.Sprintf("%s:%d", filepath.Base(file), line) }
	var found []report.Finding
	for _, f := range got.Findings {
		if f.Rule == c.rule {
			found = append(found, f)
		}
		if m := noPTX.FindString(f.File); m != "" {
			t.Errorf("JSON has the file %q", f.File)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d findings of %s in JSON", len(found), c.rule)
	}
	f := &found[0]
	if want := labels[c.sides[len(c.sides)-1]]; at(f.File, f.Line) != want || f.Compiled == nil || f.Code == "" {
		t.Errorf("JSON has %s, want %s", at(f.File, f.Line), want)
	}
	if len(c.sides) > 1 && (f.Other == nil || at(f.Other.File, f.Other.Line) != labels[c.sides[0]]) {
		t.Errorf("JSON has the other side %+v, want %s", f.Other, labels[c.sides[0]])
	}
	advice := c.advice
	for label, place := range labels {
		advice = strings.ReplaceAll(advice, "{"+label+"}", place[strings.Index(place, ":")+1:])
	}
	if !strings.Contains(f.Fix, advice) {
		t.Errorf("the fix is %q, want %q", f.Fix, advice)
	}
	calls := func(list *report.Compiled) bool {
		return list != nil && slices.ContainsFunc(list.Calls, func(call report.Call) bool { return at(call.File, call.Line) == labels[c.call] })
	}
	if c.call != "" && !calls(f.Compiled) && (f.Other == nil || !calls(f.Other.Compiled)) {
		t.Errorf("no call at %s: %+v", labels[c.call], f.Compiled)
	}
	if c.used != "" && !slices.ContainsFunc(f.Waiters, func(w report.Waiter) bool { return at(w.File, w.Line) == labels[c.used] }) {
		t.Errorf("not used at %s: %+v", labels[c.used], f.Waiters)
	}
}

// TestFindingsOfProgramsNameLinesOfTheSource runs the cases as programs on the driver library.
func TestFindingsOfProgramsNameLinesOfTheSource(t *testing.T) {
	short.Skip(t)
	library, err := filepath.Abs("../../cuda/lib")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(library, cuda.Library)); err != nil {
		needs.Skip(t, "library")
	}
	t.Setenv(cuda.EnvLibrary, library)
	cases, labels := lineCases(t)
	program := programOfCases(t, cases)
	for i, c := range cases {
		if short.Skips(i) || short.Waits(i, 3) {
			continue
		}
		t.Run(c.kernel, func(t *testing.T) {
			sarif, junit := filepath.Join(t.TempDir(), "sarif"), filepath.Join(t.TempDir(), "junit")
			args := []string{"host", "--sarif", sarif, "--junit", junit}
			if c.checked != "" {
				args = append(args, "--check", c.checked)
			}
			got := typed(t, append(args, program, c.kernel)...)
			all := got.stdout + got.stderr
			for _, side := range append([]string{c.call, c.used}, c.sides...) {
				if !strings.Contains(all, labels[side]) {
					t.Errorf("%s (%s) is not in the text", side, labels[side])
				}
			}
			if at := labels[c.sides[len(c.sides)-1]]; !regexp.MustCompile(`(?m)^simtrun: \S*` + regexp.QuoteMeta(at) + `:\d+: (error|warning): .*\[` + c.rule + `\]`).MatchString(all) {
				t.Errorf("no %s at %s", c.rule, at)
			}
			if m := noPTX.FindString(all); m != "" {
				t.Errorf("the text has %q", m)
			}
			checkForms(t, c, labels, sarif, junit)
			if t.Failed() {
				t.Logf("\n%s", all)
			}
		})
	}
}

// checkForms checks the findings in the SARIF and JUnit files of a run: each line of the case is a location, and a
// line of the failure, and none is one of PTX.
func checkForms(t *testing.T, c *lineCase, labels map[string]string, sarif, junit string) {
	t.Helper()
	type location struct {
		Physical struct {
			Artifact struct{ URI string }    `json:"artifactLocation"`
			Region   struct{ StartLine int } `json:"region"`
		} `json:"physicalLocation"`
		Logical []struct{ Name string } `json:"logicalLocations"`
	}
	type result struct {
		RuleID                      string
		Locations, RelatedLocations []location
	}
	var log struct{ Runs []struct{ Results []result } }
	text, err := os.ReadFile(sarif)
	if err == nil {
		err = json.Unmarshal(text, &log)
	}
	if err != nil || len(log.Runs) != 1 {
		t.Fatalf("%v: %s", err, text)
	}
	found := slices.DeleteFunc(log.Runs[0].Results, func(r result) bool { return r.RuleID != c.rule })
	if len(found) != 1 {
		t.Fatalf("%d findings of %s in SARIF:\n%s", len(found), c.rule, text)
	}
	r := found[0]
	at := func(l location) string {
		return fmt.Sprintf("%s:%d", filepath.Base(l.Physical.Artifact.URI), l.Physical.Region.StartLine)
	}
	if len(r.Locations) != 1 || at(r.Locations[0]) != labels[c.sides[len(c.sides)-1]] || len(r.Locations[0].Logical) != 1 || r.Locations[0].Logical[0].Name != c.kernel {
		t.Errorf("SARIF has %+v, want %s", r.Locations, labels[c.sides[len(c.sides)-1]])
	}
	xml, err := os.ReadFile(junit)
	if err != nil {
		t.Fatal(err)
	}
	for _, side := range append([]string{c.call, c.used}, c.sides...) {
		if side == "" {
			continue
		}
		if !slices.ContainsFunc(append(r.RelatedLocations, r.Locations...), func(l location) bool { return at(l) == labels[side] }) {
			t.Errorf("%s (%s) is not in SARIF: %+v", side, labels[side], r)
		}
		if !bytes.Contains(xml, []byte(labels[side])) {
			t.Errorf("%s (%s) is not in JUnit:\n%s", side, labels[side], xml)
		}
	}
	for _, form := range [][]byte{[]byte(fmt.Sprint(r)), xml} {
		if m := noPTX.Find(form); m != nil {
			t.Errorf("%q in\n%s", m, form)
		}
		if m := mangled.Find(form); m != nil {
			t.Errorf("the mangled name %q in\n%s", m, form)
		}
	}
}

// programOfCases compiles a program that launches the kernel of a case, which its argument names.
func programOfCases(t *testing.T, cases []*lineCase) string {
	t.Helper()
	dir := t.TempDir()
	folder, err := filepath.Abs(linesFolder)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "#include \"%s/cases.cu\"\n#include <cstring>\n#include <vector>\n", folder)
	b.WriteString(`template <class T> T *made(int n, bool iota)
{
    std::vector<T> v(n);
    for (int i = 0; i < n; i++) v[i] = iota ? i : 0;
    T *p;
    cudaMalloc(&p, n * sizeof(T));
    cudaMemcpy(p, v.data(), n * sizeof(T), cudaMemcpyHostToDevice);
    return p;
}
int main(int, char **argv)
{
`)
	for _, c := range cases {
		var args []string
		for _, arg := range c.args {
			_, value, _ := strings.Cut(arg, "=")
			parts := strings.Split(value, ":")
			switch {
			case len(parts) == 1 && value == "0":
				args = append(args, "nullptr")
			case len(parts) == 1:
				args = append(args, value)
			case c.kernel == "misaligned":
				args = append(args, fmt.Sprintf("made<char>(4 * %s, false)", parts[1]))
			default:
				args = append(args, fmt.Sprintf("made<%s>(%s, %v)", map[string]string{"s32": "int", "f32": "float"}[parts[2]], parts[1], parts[0] == "iota"))
			}
		}
		fmt.Fprintf(&b, "    if (!strcmp(argv[1], %q)) %s<<<%s, %s>>>(%s);\n", c.kernel, c.kernel, c.grid, c.block, strings.Join(args, ", "))
	}
	b.WriteString("    cudaDeviceSynchronize();\n}\n")
	file, program := filepath.Join(dir, "program.cu"), filepath.Join(dir, "program")
	if err := os.WriteFile(file, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	cudatest.Build(t, file, "-arch=sm_90", "-o", program)
	return program
}

// mangled matches mangled names of C++, except in parentheses, where they follow the name in the source.
var mangled = regexp.MustCompile(`[^(]_ZN?\d\w+`)

// TestNoOutputNamesTemporaryPTX runs a kernel of CUDA C++ in all commands that show positions or instructions, and
// looks in what they print and write for a position in PTX, which is in no file, and in text for mangled names.
func TestNoOutputNamesTemporaryPTX(t *testing.T) {
	short.Skip(t)
	short.Alternates(t, 1, 3)
	cudatest.Compiler(t)
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	file := filepath.Join(linesFolder, "cases.cu")
	launch := []string{file, "--arch", "sm_90", "--kernel", "rolled", "--block", "64", "--arg", "o=zeros:64:s32", "--arg", "n=5"}
	commands := [][]string{
		append([]string{"profile", "--html", in("page.html"), "--pprof", in("profile.pb.gz"), "--timeline", in("timeline.json"), "-o", in("run"), "--json"}, launch...),
		{"report", in("run"), "--page", "summary"},
		{"report", in("run"), "--page", "source"},
		{"report", in("run"), "--page", "advice"},
		{"report", in("run"), "--csv", "--page", "source"},
		{"report", in("run"), "--json"},
		append([]string{"--trace", "instr", "--functional"}, launch...),
		append([]string{"--trace", "regs", "--functional"}, launch...),
		append([]string{"--trace", "issue"}, launch...),
		append([]string{"debug", "-e", "disas", "-e", "si 9", "-e", "x/9i $pc"}, launch...),
		append([]string{"sweep", "--block", "32,64"}, launch...),
		{"asm", "--cfg", file},
		{"asm", file},
	}
	for _, command := range commands {
		got := typed(t, command...)
		if got.code != 0 {
			t.Errorf("%q: %d %s", command, got.code, got.stderr)
		}
		for _, text := range []string{got.stdout, got.stderr} {
			if at := noPTX.FindStringIndex(text); at != nil {
				t.Errorf("%q prints %q", command, text[max(at[0]-100, 0):min(at[1]+60, len(text))])
			}
			if at := mangled.FindStringIndex(text); at != nil && command[0] != "profile" && command[len(command)-1] != "--json" {
				t.Errorf("%q prints the mangled name %q", command, text[max(at[0]-100, 0):min(at[1]+60, len(text))])
			}
		}
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 4 {
		t.Fatalf("%v %v", files, err)
	}
	for _, f := range files {
		text, err := os.ReadFile(in(f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(f.Name(), ".gz") || bytes.HasPrefix(text, []byte{0x1f, 0x8b}) {
			z, err := gzip.NewReader(bytes.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			if text, err = io.ReadAll(z); err != nil {
				t.Fatal(err)
			}
		}
		if at := noPTX.FindIndex(text); at != nil {
			t.Errorf("%s has %q", f.Name(), text[max(at[0]-100, 0):min(at[1]+60, len(text))])
		}
	}
}

// TestGoldenOfCUDAHasLinesOfTheSource checks that goldens of a .cu file have its lines, whatever its folder, and
// names of C++ in its header.
func TestGoldenOfCUDAHasLinesOfTheSource(t *testing.T) {
	cudatest.Compiler(t)
	writeFiles(t, map[string]string{"k.cu": `//sim:block 64
//sim:arg x = iota:64:f32
//sim:arg n = 60
//sim:dump x:f32:3
__device__ void twice(float *x, int i)
{
    x[i] *= 2.0f;
}
__global__ void scale(float *x, int n)
{
    if ((int)threadIdx.x < n)
        twice(x, threadIdx.x);
}
`, "k.golden": "-- dump --\n-- report source --\n"})
	if got := typed(t, "test", "-u", "k.cu"); got.code != 0 {
		t.Fatal(got)
	}
	text, err := os.ReadFile("k.golden")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"x[0:3] f32 = 0 2 4\n", "scale  k.cu  grid", "  x[i] *= 2.0f;\n", "  if ((int)threadIdx.x < n)\n"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if m := noPTX.Find(text); m != nil {
		t.Errorf("%q in\n%s", m, text)
	}
}

// TestNamesOfTheSourceAreTaken uses names of C++ in flags and in the debugger, and names that mean several kernels.
func TestNamesOfTheSourceAreTaken(t *testing.T) {
	folder := compiledCases(t)
	run := []string{folder, "--functional", "-q", "--kernel", "templated<float>", "--block", "64", "--arg", "o=zeros:64:f32", "--dump", "o:f32:2"}
	if got := typed(t, run...); got.stdout != "o[0:2] f32 = 32 33\n" && got.stdout != "o[0:2] f32 = 0 0\n" {
		t.Errorf("%+v", got)
	}
	got := typed(t, folder, "--functional", "--kernel", "store_past", "--arg", "q=1")
	if want := "kernel store_past has no parameter q; its parameters are 0: int *o, 1: int n"; !strings.Contains(got.stderr, want) || got.code != exitUsage {
		t.Errorf("%+v, want %s", got, want)
	}
	got = typed(t, folder, "--functional", "--kernel", "store_past", "--block", "64")
	if want := "--arg o=zeros:64:s32"; !strings.Contains(got.stderr, want) {
		t.Errorf("%+v, want %s", got, want)
	}
	got = typed(t, "debug", folder, "--kernel", "store_past", "--block", "32", "--arg", "o=zeros:32:s32", "--arg", "n=7", "--batch", "-e", "break store_past", "-e", "info args", "-e", "p n")
	for _, want := range []string{"break 1 at", "  o int * = o\n", "  n int = 7\n", "n int = 7\n"} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("no %q in\n%s", want, got.stdout)
		}
	}
	got = typed(t, "debug", folder, "--kernel", "header_past", "--block", "32", "--arg", "o=zeros:64:s32", "--batch", "-e", "list helpers.cuh:6,7")
	if !strings.Contains(got.stdout, "    p[i] = v; // @put\n") {
		t.Errorf("list does not show the line of the header:\n%s", got.stdout)
	}
}
