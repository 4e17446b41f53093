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
)

var all = flag.Bool("all", false, "test all programs with Thrust, which takes minutes")

// lookBack are the accesses of CUB 1.17 to the words by which the blocks of a prefix sum tell each other how far they are: one block polls
// what another writes, by accesses that are neither volatile nor of a named memory order.
const lookBack = `(ld|st)\.cg\.`

// racesOf are the races by PTX's memory model that Thrust and CUB have in a program: what the accesses look like of which one is told. The
// others have none.
var racesOf = map[string]string{
	// Before sm_80 one lane arrives at a barrier for others, whose accesses nothing orders before: they have come together by match and shfl.
	"barriers_sm70": `(ld|st)\.shared\.`,
	// What is selected in place is read by one block before another writes it, which only look-back orders.
	"scans": lookBack + `|ld\.global\.nc\.u32|st\.global\.u32`,
	// Runs of one element are all written to one place, which nothing reads.
	"cub_device": lookBack + `|st\.shared\.u32`,
	"async":      lookBack,
	"sorting":    lookBack,
}

var raceAccess = regexp.MustCompile(`(?m)^  (?:earlier|later) .*`)

// TestThrust: each program of testdata/thrust checks what Thrust, CUB and libcu++ give against the host's algorithms, and prints ok at the
// end; checked for races, with a clock, and with lanes that run apart, too. They take clang minutes: without -all it is every sixth, and with -short that once.
func TestThrust(t *testing.T) {
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
			for _, mode := range modes {
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

// checkRaces: what is found are races whose accesses look like known, and if some are known, some are found.
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
