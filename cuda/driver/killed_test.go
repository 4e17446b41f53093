//go:build linux

package main

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/simtrun/simtrun/cuda"
	"github.com/simtrun/simtrun/internal/pty"
)

// TestKilledProgramLeavesRecord checks that a program that is killed by SIGKILL during a launch has recorded the
// launch, and has shown its progress on the terminal.
func TestKilledProgramLeavesRecord(t *testing.T) {
	dir := libraryDir(t)
	program := compile(t, dir, "testdata/killed/long.c", "-L"+dir, "-lcuda")
	screen, tty := pty.Open(t)
	summary := filepath.Join(t.TempDir(), "summary")
	c := exec.CommandContext(t.Context(), program)
	c.Env = append(os.Environ(), "LD_LIBRARY_PATH="+dir, cuda.EnvSummary+"="+summary, cuda.EnvProgress+"=60")
	c.Stdout, c.Stderr = io.Discard, tty
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer time.AfterFunc(time.Minute, func() { screen.Close() }).Stop()
	shown, err := bufio.NewReader(screen).ReadString('%')
	c.Process.Kill()
	c.Wait()
	if want := "\r\x1b[Klong  0 of 2000 blocks done  0%"; err != nil || shown != want {
		t.Errorf("the terminal shows %q (%v), want %q", shown, err, want)
	}
	text, err := os.ReadFile(summary)
	if err != nil {
		t.Fatal(err)
	}
	var states []cuda.State
	var last cuda.Launched
	for line := range strings.Lines(string(text)) {
		var l cuda.Launched
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		states, last = append(states, l.State), l
	}
	if len(states) < 4 || states[0] != cuda.Begun || states[1] != cuda.Ended || states[2] != cuda.Begun || states[3] != cuda.Running {
		t.Error(states)
	}
	if last.State != cuda.Running || last.Process != c.Process.Pid || last.Kernel != "long" || last.Mangled != "_Z4longi" || last.Grid != [3]uint32{1000, 2, 1} || last.Block != [3]uint32{64, 1, 1} || last.Total != 2000 || last.Seconds < 1.5 {
		t.Errorf("%+v", last)
	}
}

// TestStoppedLaunchesSayWhy checks the last lines of a launch that SIGINT ends, and of one that reaches its time
// limit: the first is interrupted, and the second is a hang.
func TestStoppedLaunchesSayWhy(t *testing.T) {
	dir := libraryDir(t)
	program := compile(t, dir, "testdata/killed/long.c", "-L"+dir, "-lcuda")
	for name, limit := range map[string]string{"interrupted": "1m", "late": "700ms"} {
		t.Run(name, func(t *testing.T) {
			summary, report := filepath.Join(t.TempDir(), "summary"), filepath.Join(t.TempDir(), "report")
			c := exec.CommandContext(t.Context(), program)
			c.Env = append(os.Environ(), "LD_LIBRARY_PATH="+dir, cuda.EnvSummary+"="+summary, cuda.EnvReport+"="+report, cuda.EnvLaunchTimeout+"="+limit)
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			if name == "interrupted" {
				for range 3000 {
					if text, _ := os.ReadFile(summary); strings.Contains(string(text), `"running"`) {
						break
					}
					time.Sleep(20 * time.Millisecond)
				}
				c.Process.Signal(os.Interrupt)
			}
			c.Wait()
			inSummary, inReport := lastLine(t, summary), lastLine(t, report)
			interrupted, late := name == "interrupted", name == "late"
			if l := inSummary; l.Kernel != "long" || l.Mangled != "_Z4longi" || (l.State == cuda.Interrupted) != interrupted || (l.Rule == ruleTimeout) != late || l.Hang != late || l.Error == "" {
				t.Errorf("the summary ends with %+v", l)
			}
			if l := inReport; l.State != cuda.Ended || l.Process != 0 || l.Hang != late || l.Error == "" {
				t.Errorf("the report ends with %+v", l)
			}
		})
	}
}

// lastLine returns the last line of a file of launches.
func lastLine(t *testing.T, file string) cuda.Launched {
	t.Helper()
	all := linesOf(t, file)
	return all[len(all)-1]
}

// TestBatchedLinesReachFiles checks that lines of SIMTRUN_REPORT that are kept for a common write get into the file: a
// short time later, at a failure, and at the end of the program, but not of a process that was forked. The lines for
// simtrun host count each of the 3000 launches once, in far fewer lines, and a fault is the last line, after the
// launches before it.
func TestBatchedLinesReachFiles(t *testing.T) {
	dir := libraryDir(t)
	program := compile(t, dir, "testdata/killed/batch.c", "-L"+dir, "-lcuda")
	for _, c := range []struct {
		name string
		r    run
		want int
	}{
		{"end", run{}, 3000},
		{"fault", run{args: []string{"fault"}, exit: -1, stderr: []string{"mem-oob|mem-space"}}, 3001},
	} {
		t.Run(c.name, func(t *testing.T) {
			folder := t.TempDir()
			report, summary := filepath.Join(folder, "report"), filepath.Join(folder, "summary")
			c.r.env = []string{cuda.EnvReport + "=" + report, cuda.EnvSummary + "=" + summary}
			c.r.do(t, dir, program)
			lines := linesOf(t, report)
			for i, l := range lines {
				if l.Kernel != "none" && i < 3000 {
					t.Fatalf("line %d is of the kernel %q", i+1, l.Kernel)
				}
			}
			if len(lines) != c.want {
				t.Errorf("the report has %d lines, want %d", len(lines), c.want)
			}
			addsUp(t, linesOf(t, summary), int64(c.want))
			if l := lastLine(t, summary); (l.Error != "") != (c.name == "fault") {
				t.Errorf("the last line is %+v", l)
			}
		})
	}
}

// addsUp checks that the lines for simtrun host count the wanted number of launches, and that most of them are in sums.
func addsUp(t *testing.T, lines []cuda.Launched, want int64) {
	t.Helper()
	var launches, ended int64
	var running bool
	for _, l := range lines {
		switch {
		case l.State == cuda.Begun:
			running = true
		case l.Launches > 0:
			launches, running = launches+l.Launches, false
		default:
			ended, running = ended+1, false
		}
	}
	if launches+ended != want || ended > eachHasLine || len(lines) > eachHasLine+1000 || running {
		t.Errorf("%d lines: %d launches with a line each, %d added up, one runs: %v; want %d in all", len(lines), ended, launches, running, want)
	}
}

// linesOf returns the lines of a file of launches.
func linesOf(t *testing.T, file string) (all []cuda.Launched) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var l cuda.Launched
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		all = append(all, l)
	}
	return all
}
