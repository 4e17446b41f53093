// Package programs_test runs every kernel of this directory as a user would,
// with the command.
package programs_test

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	_ "github.com/simtrun/simtrun/internal/launch" // see build
	"github.com/simtrun/simtrun/internal/short"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestProgramsHoldInEveryVariant(t *testing.T) {
	cmd := build(t)
	cmd.checkGolden(t)
	for i, file := range sources(t) {
		t.Run(file, func(t *testing.T) {
			if _, err := os.Stat(strings.TrimSuffix(file, ".s") + ".golden"); err != nil {
				t.Error(err)
			}
			if short.Skips(i) {
				return
			}
			for j, check := range []func(*testing.T, string){cmd.checkPathOrders, cmd.checkStack, cmd.checkGrids, cmd.checkRaces} {
				if !short.Waits(i+j, 4) {
					check(t, file)
				}
			}
		})
	}
}

// sources returns the programs, sorted.
func sources(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("*.s")
	if err != nil || len(files) == 0 {
		t.Fatalf("no programs: %v", err)
	}
	return files
}

// command is the path of the built simtrun.
type command string

// build builds simtrun. The cache of test results does not see the inputs of go build. So this test imports package
// launch, and with it all packages of the command, and reads the command's own directory: a change in any of them
// runs it again.
func build(t *testing.T) command {
	t.Helper()
	if _, err := os.ReadDir("../cmd/simtrun"); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "simtrun")
	if out, err := exec.Command("go", "build", "-o", path, "../cmd/simtrun").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return command(path)
}

// run returns the standard output of simtrun for a file. The exit status must be 0, which means that all expectations
// of the file are met.
func (c command) run(t *testing.T, file string, flags ...string) string {
	t.Helper()
	cmd := exec.Command(string(c), append([]string{file}, flags...)...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("simtrun %s: %v\n%s%s", strings.Join(cmd.Args[1:], " "), err, &stdout, &stderr)
	}
	return stdout.String()
}

// checkGolden runs the golden tests as a user would: the golden file of a program is the output of simtrun.
func (c command) checkGolden(t *testing.T) {
	t.Helper()
	args := []string{"test", "."}
	if *update {
		args = append(args, "-u")
	}
	if out, err := exec.Command(string(c), args...).CombinedOutput(); err != nil {
		t.Errorf("simtrun %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// spinning are the programs in which threads poll: how often depends on the order of execution.
var spinning = map[string]bool{
	"all_reduce.s": true, "flag_arms.s": true, "gemm_cluster.s": true, "grid_barrier.s": true, "look_back.s": true, "ping_pong.s": true, "pipeline.s": true, "spin_lock.s": true, "tensor_copy.s": true, "ticket_lock.s": true,
}

// checkPathOrders checks that the path order has no effect: the sides of a structured branch run separately and
// reconverge before anything else runs. So not only memory but also the counts stay the same, unless threads poll.
func (c command) checkPathOrders(t *testing.T, file string) {
	t.Helper()
	flags := []string{"--functional"}
	if spinning[file] {
		flags = append(flags, "--quiet")
	}
	want := c.run(t, file, append(flags, "--path-order", "taken")...)
	for _, order := range []string{"fallthrough", "majority"} {
		if diff := cmp.Diff(want, c.run(t, file, append(flags, "--path-order", order)...)); diff != "" {
			t.Errorf("path order (-taken +%s):\n%s", order, diff)
		}
	}
}

// checkRaces checks that no accesses race: a race would make the exit status 1. Reliance on lock step, as in
// warp_sum_racy.s, is not an error.
func (c command) checkRaces(t *testing.T, file string) {
	t.Helper()
	c.run(t, file, "--check", "race", "--quiet")
}

// TestProgramsHaveNoFindings runs the programs under all checks, on four GPUs if these have their instructions, and
// with two models of divergence. All are correct; one says that it relies on lock step.
func TestProgramsHaveNoFindings(t *testing.T) {
	cmd := build(t)
	for i, file := range sources(t) {
		level := "warning"
		if file == "warp_sum_racy.s" {
			level = "error"
		}
		for j, gpu := range []string{"v100", "a100", "h100", "b200"} {
			for k, model := range []string{"its", "stack"} {
				if model == "stack" && independent[file] || short.Skips(i) || short.Waits(i+2*j+k, 16) {
					continue
				}
				t.Run(file+" "+gpu+" "+model, func(t *testing.T) {
					flags := []string{file, "--check", "all", "--gpu", gpu, "--divergence", model, "--fail-on", level, "--quiet"}
					out, err := exec.Command(string(cmd), flags...).CombinedOutput()
					if err != nil && !bytes.Contains(out, []byte("needs .target")) {
						t.Errorf("%v\n%s", err, out)
					}
				})
			}
		}
	}
}

// independent are the programs that need a PC for each lane.
var independent = map[string]bool{
	"divergent_barrier.s": true, "flag_arms.s": true, "ping_pong.s": true, "spin_lock.s": true, "ticket_lock.s": true, "vote_both_arms.s": true,
}

// hang is the exit status for a kernel that does not end.
const hang = 5

// checkStack checks that a program that ends with a reconvergence stack has the same memory and counts there.
func (c command) checkStack(t *testing.T, file string) {
	t.Helper()
	if independent[file] {
		err := exec.Command(string(c), file, "--divergence", "stack").Run()
		if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != hang {
			t.Errorf("with a reconvergence stack: %v, want exit status %d", err, hang)
		}
		return
	}
	want := strings.Replace(c.run(t, file, "--functional"), "divergence its", "divergence stack", 1)
	if diff := cmp.Diff(want, c.run(t, file, "--functional", "--divergence", "stack")); diff != "" {
		t.Errorf("divergence (-its +stack):\n%s", diff)
	}
}

// tiled are the programs whose grid must cover their data, or ranks. The others divide their work over any grid.
var tiled = map[string]bool{"all_reduce.s": true, "cluster_reduce.s": true, "gemm.s": true, "gemm_cluster.s": true, "gemm_mma.s": true, "gemm_wgmma.s": true, "matmul_naive.s": true, "matmul_tiled.s": true, "transpose.s": true}

// checkGrids checks that memory is the same with other grids, and with and without a clock.
func (c command) checkGrids(t *testing.T, file string) {
	t.Helper()
	grids := []string{"132x4"}
	if !tiled[file] {
		grids = append(grids, "1", "7", "3x5")
	}
	want := c.run(t, file, "--quiet", "--functional")
	if diff := cmp.Diff(want, c.run(t, file, "--quiet")); diff != "" {
		t.Errorf("clock (-functional +timed):\n%s", diff)
	}
	for _, grid := range grids {
		if diff := cmp.Diff(want, c.run(t, file, "--quiet", "--grid", grid)); diff != "" {
			t.Errorf("grid (-default +%s):\n%s", grid, diff)
		}
	}
}

// TestMissingBarriersShowUnderDivergence forces lanes to diverge, as independent threads may at any time: a program
// that lacks necessary barriers gives a wrong result for some seeds, and one that has them for none.
func TestMissingBarriersShowUnderDivergence(t *testing.T) {
	wrong := map[string]int{"warp_sum.s": 0, "warp_sum_racy.s": 0}
	for file := range wrong {
		for seed := 1; seed <= 16; seed++ {
			res, _ := simulate(t, file, []directive{{"split", strconv.Itoa(seed)}}, false)
			wrong[file] += len(res.Failed)
		}
	}
	if wrong["warp_sum.s"] != 0 || wrong["warp_sum_racy.s"] == 0 {
		t.Errorf("wrong sums over 16 seeds: %v", wrong)
	}
}

// The course must list every program, and every program must check the results that it derives.
func TestCourseListsEveryProgram(t *testing.T) {
	course, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range sources(t) {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(src, []byte("\n//sim:expect ")) {
			t.Errorf("%s expects nothing", file)
		}
		if !bytes.Contains(course, []byte("("+file+")")) {
			t.Errorf("README.md does not list %s", file)
		}
	}
}
