//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/short"
)

// TestSweepReportsFailedPoints checks a table with what differs between points, why points failed, and the exit status
// for failed points.
func TestSweepReportsFailedPoints(t *testing.T) {
	got := simtrun(t, triple, "sweep", "FILE", "--grid", "1,2", "--block", "32,2048", "--arg", "n=64", "-j", "2")
	want := output{1, `triple  k.s  4 points  gpu h100  divergence its  sched gty  cta-order by-gpc  cost lowered

#  grid  block     time  waves  occupancy  slots   IPC  main stall
0     1     32  TIME
1     1   2048  refused: triple: block 2048x1x1: 2048 threads, at most 1024
2     2     32  TIME
3     2   2048  refused: triple: block 2048x1x1: 2048 threads, at most 1024
`, "simtrun: 2 of 4 points failed: refused 2\n"}
	got.stdout = regexp.MustCompile(`0\.\d\d us  <0\.01      1\.6 %.*`).ReplaceAllString(got.stdout, "TIME")
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(output{})); diff != "" {
		t.Error(diff)
	}
}

// TestSweepContinuesInDirectory checks that a sweep with a directory continues where it was, and that --merge shows the
// same table.
func TestSweepContinuesInDirectory(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "k.s"), []byte(triple), 0o666); err != nil {
		t.Fatal(err)
	}
	words := []string{"sweep", "FILE", "--block", "16,32,64", "--csv"}
	direct := simtrunIn(t.Context(), dir, words...)
	if direct.code != 0 || strings.Count(direct.stdout, "\n") != 4 || !strings.HasPrefix(direct.stdout, "index,--block,status,error,kernel,") {
		t.Fatalf("%+v", direct)
	}
	words = append(words, "-o", "DIR/results")
	some := simtrunIn(t.Context(), dir, append(words, "--point", "2")...)
	if some.code != 0 || strings.Count(some.stdout, "\n") != 2 {
		t.Errorf("%+v", some)
	}
	merge := []string{"sweep", "--merge", "DIR/results", "--csv"}
	if got := simtrunIn(t.Context(), dir, merge...); got.code != 75 || got.stderr != "simtrun: missing points, 2 of 3: 0-1\n" || !strings.Contains(got.stdout, "\n0,16,missing,,") {
		t.Errorf("%+v", got)
	}
	for _, args := range [][]string{append(words, "--point", "0/2"), words, merge} {
		got := simtrunIn(t.Context(), dir, args...)
		if got.code != 0 || args[len(args)-1] != "0/2" && got.stdout != direct.stdout {
			t.Errorf("%v: %+v", args, got)
		}
	}
}

// TestOtherResultsAreReplacedOnRequest checks that results of another matrix or file are replaced only on request, and
// that results of a changed source are replaced.
func TestOtherResultsAreReplacedOnRequest(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"k.s": triple, "other.s": triple} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	results := filepath.Join(dir, "results")
	sweep := func(words ...string) output {
		t.Helper()
		return typed(t, append([]string{"sweep", "-o", results}, words...)...)
	}
	file := filepath.Join(dir, "k.s")
	words := []string{file, "--block", "16,32"}
	if got := sweep(words...); got.code != 0 {
		t.Fatalf("%+v", got)
	}
	before, err := os.ReadFile(filepath.Join(results, "point-000000.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, other := range [][]string{{file, "--block", "16,64"}, {file, "--block", "16,32,64"}, {file, "--block", "16,32", "--grid", "1"}, {file}, {filepath.Join(dir, "other.s"), "--block", "16,32"}} {
		want := "simtrun: -o " + results + " has results of another sweep: " + file + " over block 16,32; choose another directory, or pass --overwrite\n"
		if got := sweep(other...); got.code != exitUsage || !strings.HasPrefix(got.stderr, want) {
			t.Errorf("%v: %+v, want %q", other, got, want)
		}
	}
	if after, err := os.ReadFile(filepath.Join(results, "point-000000.json")); err != nil || !bytes.Equal(before, after) {
		t.Errorf("%v: the results have changed: %s", err, after)
	}
	if err := os.WriteFile(file, []byte(triple+"// changed\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if got := sweep(words...); got.code != 0 {
		t.Errorf("a source that has changed: %+v", got)
	}
	if got := sweep(file, "--block", "16,64", "--overwrite"); got.code != 0 {
		t.Errorf("--overwrite: %+v", got)
	}
	if got := typed(t, "sweep", "--merge", results); got.code != 0 || !strings.Contains(got.stdout, "\n1     64 ") {
		t.Errorf("%+v", got)
	}
}

// TestInterruptedSweepKeepsResults checks that a signal ends a sweep with a directory with exit status 75, and that its
// results so far are kept.
func TestInterruptedSweepKeepsResults(t *testing.T) {
	short.Skip(t)
	for _, c := range []struct {
		signal syscall.Signal
		keep   bool
		code   int
	}{{syscall.SIGINT, true, 75}, {syscall.SIGTERM, true, 75}, {syscall.SIGTERM, false, 143}} {
		cmd, stderr := process(t)
		dir := filepath.Join(t.TempDir(), "results")
		cmd.Args = []string{cmd.Args[0], "sweep", cmd.Args[1], "--arg", "n=1,4000000000", "--arg", "x=0", "-j", "1"}
		if c.keep {
			cmd.Args = append(cmd.Args, "-o", dir)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for range 500 {
			time.Sleep(20 * time.Millisecond)
			if _, err := os.Stat(filepath.Join(dir, "point-000000.json")); err == nil || !c.keep {
				break
			}
		}
		works(t, cmd, 300*time.Millisecond) // the next point has begun by then
		if err := cmd.Process.Signal(c.signal); err != nil {
			t.Fatal(err)
		}
		cmd.Wait()
		if code := cmd.ProcessState.ExitCode(); code != c.code {
			t.Errorf("%v: exit status %d, want %d: %s", c.signal, code, c.code, stderr)
		}
		if !c.keep {
			continue
		}
		got := simtrunIn(t.Context(), ".", "sweep", "--merge", dir)
		if got.code != 75 || got.stderr != "simtrun: missing points, 1 of 2: 1\n" {
			t.Errorf("%+v", got)
		}
	}
}

// TestSweepMistakesAreFoundFirst checks that errors are reported before anything runs.
func TestSweepMistakesAreFoundFirst(t *testing.T) {
	for _, c := range []struct {
		want string
		args []string
	}{
		{"no file", nil},
		{"--block 32,32: 32 stands twice", []string{"FILE", "--block", "32,32"}},
		{"--grid 0: ", []string{"FILE", "--grid", "1,0"}},
		{"-j 0", []string{"FILE", "-j", "0"}},
		{"--csv and --json", []string{"FILE", "--csv", "--json"}},
		{"-o DIR is missing", []string{"FILE", "--emit", "slurm"}},
		{"-o DIR is missing", []string{"FILE", "--point", "0"}},
		{`--emit pbs: no scheduler "pbs"; there are slurm, k8s`, []string{"FILE", "-o", "DIR/r", "--emit", "pbs"}},
		{"no standard input", []string{"-", "-o", "DIR/r", "--emit", "slurm"}},
		{"--point 3: expected a point I from 0 to 2", []string{"FILE", "--block", "1,2,3", "-o", "DIR/r", "--point", "3"}},
		{"--point 2/2", []string{"FILE", "--block", "1,2,3", "-o", "DIR/r", "--point", "2/2"}},
		{"--merge DIR allows only --csv, --json and --plot", []string{"FILE", "--merge", "DIR"}},
		{"--merge DIR allows only --csv, --json and --plot: it runs nothing, so --grid has no effect", []string{"--merge", "DIR", "--grid", "1,2"}},
		{"so --jobs has no effect", []string{"--merge", "DIR", "-j", "2"}},
		{"so --overwrite has no effect", []string{"--merge", "DIR", "--overwrite"}},
		{"so --output has no effect", []string{"--merge", "DIR", "-o", "DIR/r"}},
		{"--overwrite needs -o DIR", []string{"FILE", "--overwrite"}},
		{"has no results of a sweep", []string{"--merge", "DIR"}},
		{"--tasks N needs --emit", []string{"FILE", "--tasks", "3"}},
		{"a picture is .svg or .png", []string{"FILE", "--plot", "DIR/p.gif"}},
		{"a sweep compares times", []string{"FILE", "--functional"}},
	} {
		got := simtrun(t, triple, append([]string{"sweep"}, c.args...)...)
		if got.code != 2 || !strings.Contains(got.stderr, c.want) {
			t.Errorf("%v: %d %s", c.args, got.code, got.stderr)
		}
	}
}

// TestSweepJobsRunPointByPoint runs the output of --emit task by task, as a scheduler would; simtrun is the test's own
// binary. Arguments contain characters that shells and Kubernetes interpret.
func TestSweepJobsRunPointByPoint(t *testing.T) {
	short.Skip(t)
	dir := t.TempDir()
	bin := filepath.Join(dir, "bin")
	if err := os.Mkdir(bin, 0o777); err != nil {
		t.Fatal(err)
	}
	self, err := filepath.Abs(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(bin, "simtrun")); err != nil {
		t.Fatal(err)
	}
	source := "it's $(HOME) `x`.s"
	if err := os.WriteFile(filepath.Join(dir, source), []byte(triple), 0o666); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	words := []string{"sweep", source, "--block", "8,16,32,2048", "--gpu", "h100,a100", "--expect", "out[0:2] == 0 3"}
	direct := simtrunIn(t.Context(), dir, append(words, "--json")...)
	for _, c := range []struct {
		name, variable string
		tasks          int
		array          *regexp.Regexp // of the number of tasks, or one less
		script         func(text string) string
	}{
		{"slurm", "SLURM_ARRAY_TASK_ID", 3, regexp.MustCompile(`(?m)^#SBATCH --array=0-2$`), func(text string) string { return text }},
		{"k8s", "JOB_COMPLETION_INDEX", 8, regexp.MustCompile(`(?m)^  completions: 8$`), podCommand},
	} {
		emit := append(words, "-o", "results of "+c.name, "--emit", c.name)
		if c.tasks != 8 {
			emit = append(emit, "--tasks", "3")
		}
		got := simtrunIn(t.Context(), dir, emit...)
		if got.code != 0 || !c.array.MatchString(got.stdout) {
			t.Fatalf("%s: %+v", c.name, got)
		}
		for task := range c.tasks {
			shell := exec.CommandContext(t.Context(), "sh", "-c", c.script(got.stdout))
			shell.Env = append(os.Environ(), asCommand+"=1", "PATH="+bin+":"+os.Getenv("PATH"), c.variable+"="+string(rune('0'+task)))
			if out, err := shell.CombinedOutput(); err != nil {
				t.Fatalf("%s, task %d: %v\n%s", c.name, task, err, out)
			}
		}
		merged := simtrunIn(t.Context(), dir, "sweep", "--merge", "results of "+c.name, "--json")
		if diff := cmp.Diff(direct, merged, cmp.AllowUnexported(output{})); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// TestManyPointsShareTasks checks that an array has at most as many tasks as a scheduler allows, each with several
// points.
func TestManyPointsShareTasks(t *testing.T) {
	var values []string
	for n := range 35 {
		values = append(values, strconv.Itoa(n+1))
	}
	list := strings.Join(values, ",")
	got := simtrun(t, triple, "sweep", "FILE", "--block", list, "--grid", list, "-o", "DIR/r", "--emit", "slurm")
	for _, want := range []string{"#SBATCH --array=0-999\n", "the points i, i+1000, … of 1225", `--point "$SLURM_ARRAY_TASK_ID/1000"`} {
		if got.code != 0 || !strings.Contains(got.stdout, want) {
			t.Errorf("no %s in %+v", want, got)
		}
	}
}

// podCommand returns the command that a container's shell gets: Kubernetes replaces $$(NAME) by $(NAME).
func podCommand(manifest string) string {
	line := regexp.MustCompile(`(?m)^        command: (.*)$`).FindStringSubmatch(manifest)
	var words []string
	if line == nil || json.Unmarshal([]byte(line[1]), &words) != nil || len(words) != 3 {
		return "exit 99"
	}
	return strings.ReplaceAll(words[2], "$$(", "$(")
}

// TestSweepPlotHasTitles checks that a picture has the panels' titles.
func TestSweepPlotHasTitles(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "k.s"), []byte(triple), 0o666); err != nil {
		t.Fatal(err)
	}
	if got := simtrunIn(t.Context(), dir, "sweep", "FILE", "--grid", "1,2,3", "--gpu", "h100,a100", "--arg", "n=64", "--plot", "DIR/p.svg"); got.code != 0 {
		t.Fatalf("%+v", got)
	}
	picture, err := os.ReadFile(filepath.Join(dir, "p.svg"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{">time, us<", ">waves<", ">blocks of the grid<", ">active warps of an SM<", ">L2 and SMs, GB/s<", ">gpu h100<", ">gpu a100<", ">triple<"} {
		if !bytes.Contains(picture, []byte(want)) {
			t.Errorf("no %s in the picture", want)
		}
	}
}
