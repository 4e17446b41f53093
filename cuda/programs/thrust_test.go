package programs_test

import (
	"flag"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/cuda"
	"github.com/simtrun/simtrun/internal/cudatest"
	"github.com/simtrun/simtrun/internal/needs"
	"github.com/simtrun/simtrun/internal/short"
)

var all = flag.Bool("all", false, "test all programs with Thrust, which takes minutes")

// lookBack are the races of a prefix sum of CUB 1.17: its blocks exchange their progress through words that one block
// polls and another writes, by ld.cg and st.cg, which are weak.
var lookBack = []string{`thread_load\.cuh:273:.*\[race-raw\]`, `thread_store\.cuh:262:.*\[race-war\]`}

// findingsOf are the findings of all checks in programs of Thrust and CUB, which docs/check.md explains. The other
// programs have none.
var findingsOf = map[string][]string{
	"async":    {lookBack[0], `copy reads what kernel .*DeviceScanKernel.* \[stream-race\]`},
	"atomics":  {leaks},
	"barriers": {leaks},
	"barriers_sm70": {`barriers\.cu:\d+:\d+: error: race: .*\[race-(raw|war|waw)\]`, `barriers\.cu:87:\d+: warning: .*\[race-lockstep\]`,
		leaks},
	"cub_device": {lookBack[0], lookBack[1], `warp_exchange\.cuh:450:.*\[race-waw\]`, `warp_exchange\.cuh:450:.*\[race-lockstep\]`},
	"cub_sort":   {`524:52: error: control flow depends on a local variable, .*\[init-register\]`, leaks},
	"cuda_std":   {leaks},
	"kernels":    {`cudaMalloc returned .*\[api-failed\]`, `kernels\.cu:173:\d+: error: trap \[trap\]`},
	"scans":      {lookBack[0], lookBack[1], `assign_value\.h:46:.*\[race-war\]`},
	"sorting":    {lookBack[0], lookBack[1], `set_operations\.h:937:\d+: error: a branch depends .*\[init-register\]`},
}

const leaks = `never freed.*\[mem-leak\]`

var finding = regexp.MustCompile(`(?m)^simtrun: .*(?:error|warning): .*`)

// TestThrustMatchesHostAlgorithms checks that each program of testdata/thrust, which compares Thrust, CUB and libcu++
// with the host's algorithms, prints ok at the end, also with all checks, with a clock, and with forced divergence.
// Compilation takes clang minutes: without -all every sixth program runs, and with -short that one once.
func TestThrustMatchesHostAlgorithms(t *testing.T) {
	short.Alternates(t, 1, 3)
	library := cudatest.Library(t)
	for _, header := range []string{"thrust/version.h", "cub/version.cuh", "cuda/std/version"} {
		needs.File(t, "thrust", filepath.Join("/usr/include", header))
	}
	files, err := filepath.Glob("testdata/thrust/*.cu")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	allChecks := cuda.EnvCheck + "=all"
	modes := append([]string{"", allChecks}, cudatest.Modes[2:]...)
	if testing.Short() {
		modes = modes[:1]
	}
	for i, file := range files {
		if !*all && i%6 != 1 {
			continue
		}
		name := strings.TrimSuffix(filepath.Base(file), ".cu")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			program := filepath.Join(t.TempDir(), "program")
			cudatest.Build(t, append(cudatest.OwnOptions(t, file), file, "-L"+library, "-o", program)...)
			for j, mode := range modes {
				if j > 0 && short.Waits(i+j, 6) {
					continue
				}
				got := cudatest.ExecuteIn(t, []string{"LD_LIBRARY_PATH=" + library, mode}, program)
				if !regexp.MustCompile(`(?m)^ok$`).MatchString(got) {
					t.Errorf("%s: printed %q", mode, got)
				}
				if mode == allChecks {
					checkFindings(t, got, findingsOf[name])
				}
			}
		})
	}
}

// checkFindings checks that all findings are known, and that the known ones are found.
func checkFindings(t *testing.T, printed string, known []string) {
	t.Helper()
	found := finding.FindAllString(printed, -1)
	for _, pattern := range known {
		is := regexp.MustCompile(pattern)
		rest := slices.DeleteFunc(slices.Clone(found), is.MatchString)
		if len(rest) == len(found) {
			t.Errorf("no finding matches %s", pattern)
		}
		found = rest
	}
	if len(found) > 0 {
		t.Errorf("findings that are not known:\n%s", strings.Join(found, "\n"))
	}
}
