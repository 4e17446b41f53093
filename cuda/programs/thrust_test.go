package programs_test

import (
	"flag"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/cuda"
	"github.com/simtrun/simtrun/internal/cudatest"
	"github.com/simtrun/simtrun/internal/needs"
	"github.com/simtrun/simtrun/internal/short"
)

var all = flag.Bool("all", false, "test all programs with Thrust, which takes minutes")

// lookBack matches the accesses of CUB 1.17 to the words through which the blocks of a prefix sum exchange their
// progress: one block polls words that another writes, by accesses that are neither volatile nor have a memory order.
const lookBack = `(ld|st)\.cg\.`

// racesOf are the races by PTX's memory model in programs of Thrust and CUB, as expressions for the reported
// accesses. The other programs have none.
var racesOf = map[string]string{
	// Before sm_80 one lane arrives at a barrier for others, and nothing orders the accesses of the others before
	// that: the lanes have synchronised by match and shfl.
	"barriers_sm70": `(ld|st)\.shared\.`,
	// Selection in place: one block reads elements before another overwrites them, and only look-back orders these
	// accesses.
	"scans": lookBack + `|ld\.global\.nc\.u32|st\.global\.u32`,
	// Runs of one element are all written to one place, which nothing reads.
	"cub_device": lookBack + `|st\.shared\.u32`,
	"async":      lookBack,
	"sorting":    lookBack,
}

var raceAccess = regexp.MustCompile(`(?m)^  (?:read|write|atomic) .*`)

// TestThrustMatchesHostAlgorithms checks that each program of testdata/thrust, which compares Thrust, CUB and libcu++
// with the host's algorithms, prints ok at the end, also with a check for races, with a clock, and with forced
// divergence. Compilation takes clang minutes: without -all every sixth program runs, and with -short that one once.
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
	modes := cudatest.Modes
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
				if !strings.HasSuffix(got, "ok\n") {
					t.Errorf("%s: printed %q", mode, got)
				}
				if mode == cuda.EnvCheck+"=race" {
					checkRaces(t, got, racesOf[name])
				}
			}
		})
	}
}

// checkRaces checks that the only findings are known races, and that known races are found.
func checkRaces(t *testing.T, printed, known string) {
	t.Helper()
	if found := strings.Contains(printed, ": error: race"); found != (known != "") {
		t.Errorf("races were found: %t\n%s", found, printed)
	}
	if known == "" {
		return
	}
	pattern := regexp.MustCompile(known)
	for _, access := range raceAccess.FindAllString(printed, -1) {
		if !pattern.MatchString(access) {
			t.Errorf("an access of a race that is not known: %s", access)
		}
	}
}
