package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/simtrun/simtrun/internal/short"
)

// TestGreatLaunchStaysWithinLimits checks that 108,544 blocks of 128 threads, with one element each, take less than 5 s
// and 500 MB of the host. If tests take turns, one commit of six runs it.
func TestGreatLaunchStaysWithinLimits(t *testing.T) {
	short.Skip(t)
	short.Alternates(t, 5, 6)
	relu := kernelText(t, "great_launch_relu.s")
	file := filepath.Join(t.TempDir(), "relu.s")
	if err := os.WriteFile(file, []byte(relu), 0o666); err != nil {
		t.Fatal(err)
	}
	took, mb := greatLaunch(t, 108544, file)
	quarter, _ := greatLaunch(t, 27136, file, "--grid", "27136", "--expect", "none")
	// A quarter takes a quarter of the time, 0.5 s on a fast host and 1.4 s on a slow one.
	if took > 6*quarter || took > 20*time.Second || mb == 0 || mb > 500 {
		t.Errorf("it takes %v and %d MB, a quarter of it %v", took, mb, quarter)
	}
}

// greatLaunch runs a number of blocks, and returns the CPU time and the memory.
func greatLaunch(t *testing.T, blocks int, args ...string) (took time.Duration, mb int64) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env = append(os.Environ(), asCommand+"=1")
	var out bytes.Buffer
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	most := make(chan int64)
	go func() { most <- mostMemory(cmd.Process.Pid) }()
	err := cmd.Wait()
	if text := out.String(); err != nil || !strings.Contains(text, fmt.Sprintf("(%d blocks)", blocks)) || blocks == 108544 && !strings.Contains(text, "expect  1 passed") {
		t.Fatalf("%v\n%s", err, text)
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), <-most >> 10
}

// mostMemory polls the peak memory of a process until it ends, in KB. The figure that the system gives afterwards
// includes the parent process.
func mostMemory(pid int) (kb int64) {
	for ; ; time.Sleep(10 * time.Millisecond) {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		_, text, found := strings.Cut(string(status), "VmHWM:")
		if err != nil || !found {
			return kb
		}
		fmt.Sscan(text, &kb)
	}
}
