package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/short"
)

// demonstration has a template in a namespace, a struct as parameter, overloads, a race, an access past the end and an
// unwritten value that a function passes on.
const demonstration = `//sim:block 64
//sim:arg a = iota:64:s32
//sim:arg out = zeros:64:s32
//sim:arg n = 64
//sim:arg p = hex:0100000002000000
namespace app {
struct Pair { int x, y; };
__device__ int counter;
__device__ __noinline__ int add(int a, int b) { return a + b; }
__device__ __noinline__ float add(float a, float b) { return a + b; }
template <typename T> __global__ void sum(const T *a, T *out, int n, Pair p)
{
    __shared__ T s[64];
    int i = threadIdx.x;
    s[i] = a[i];
    SYNC
    if (i < n)
        out[i] = add(s[(i + 1) % 64], p.x) + (int)add((float)i, 1.0f);
    atomicAdd(&counter, 1);
    if (i == 63)
        out[LAST] = 1;
}
template __global__ void sum<int>(const int *, int *, int, Pair);
}
`

// TestOutputsOfCUDAHaveNamesAndLinesOfTheSource: no output has a name of PTX, except next to the name in the source in
// keys that are for it, or a line of the PTX without one of the source before it.
func TestOutputsOfCUDAHaveNamesAndLinesOfTheSource(t *testing.T) {
	short.Skip(t)
	short.Alternates(t, 0, 3)
	needsClang(t)
	t.Chdir(t.TempDir())
	for name, with := range map[string][]string{"good.cu": {"SYNC", "__syncthreads();", "LAST", "i"}, "bad.cu": {"SYNC", "", "LAST", "n"}} {
		if err := os.WriteFile(name, []byte(strings.NewReplacer(with...).Replace(demonstration)), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	texts := make(map[string]string)
	for _, line := range []string{
		"run good.cu", "run good.cu --json", "run good.cu --trace instr", "run good.cu --trace mem --csv", "run bad.cu --check all", "run bad.cu --check all --json",
		"run bad.cu --check all --sarif bad.sarif", "profile good.cu -o p.json --html p.html --timeline p.trace", "explore bad.cu", "occupancy good.cu", "sweep good.cu --block 32,64", "test bad.cu",
		"diff p.json p.json", "report p.json --page summary", "report p.json --page source --csv", "report p.json --page memory", "report p.json --page advice", "report p.json --page raw"} {
		got := typed(t, strings.Fields(line)...)
		if got.code == exitUsage {
			t.Errorf("%s: %s", line, got.stderr)
		}
		texts[line] = got.stdout + got.stderr
	}
	debug := []string{"debug", "good.cu", "--batch"}
	for _, command := range []string{"info cuda kernels", "break good.cu:18", "continue", "info args", "info locals", "bt", "info functions", "info mem", "info launch", "info frame", "info variables", "p &app::counter", "p nosuch"} {
		debug = append(debug, "-e", command)
	}
	texts["debug"] = typed(t, debug...).stdout
	if !strings.Contains(texts["debug"], "\n  p app::Pair = {x = 1, y = 2}\n") {
		t.Errorf("no parameter p in\n%s", texts["debug"])
	}
	if !strings.Contains(texts["run bad.cu --check all"], "a result in global memory depends on shared memory s+") {
		t.Errorf("no function in\n%s", texts["run bad.cu --check all"])
	}
	s, opened := viewed(t, "good.cu", "--functional")
	for i := range opened.Files {
		if opened.Files[i].Lang == "ptx" { // the text of the PTX itself
			opened.Files[i].Text = ""
		}
	}
	answers := []any{opened}
	for _, name := range []string{"source", "warp", "block", "memory"} {
		answers = append(answers, stateOf(t, s, name, 0, 0, 20))
	}
	explorer, err := json.Marshal(answers)
	if err != nil {
		t.Fatal(err)
	}
	texts["view"] = string(explorer)
	files, _ := filepath.Glob("[bp]*.[jhts]*")
	for _, file := range files {
		texts[file] = readFile(t, file)
	}
	mangled := regexp.MustCompile(`("\w+_mangled": ?|"decoratedName": |title=)(\[[^]]*\]|"[^"]*")`)
	for name, text := range texts {
		if found := regexp.MustCompile(`.{0,40}(_Z[A-Z0-9]|_param_\d).{0,40}`).FindString(mangled.ReplaceAllString(text, "")); found != "" {
			t.Errorf("%s has %s", name, found)
		}
		if found := regexp.MustCompile(`.*\.ptx:\d.*`).FindString(text); found != "" {
			t.Errorf("%s has %s", name, found)
		}
	}
}
