//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// asCommand makes the test's own binary the command.
const asCommand = "SIMTRUN_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	os.Exit(m.Run())
}

// process is the command, as a process of its own, on a kernel that goes on for
// long, with the given words after the file.
func process(t *testing.T, args ...string) (cmd *exec.Cmd, stderr *bytes.Buffer) {
	t.Helper()
	const source = `//sim:arg n = 4000000000
//sim:arg x = zeros:1:u8
.entry k(.param .u64 x, .param .u32 n)
{
	ld.param.u32 %r1, [n];
again:
	add.u32 %r2, %r2, 1;
	setp.lt.u32 %p1, %r2, %r1;
	@%p1 bra again;
	ret;
}
`
	file := filepath.Join(t.TempDir(), "k.s")
	if err := os.WriteFile(file, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	stderr = &bytes.Buffer{}
	cmd = exec.CommandContext(t.Context(), os.Args[0], append([]string{file}, args...)...)
	cmd.Env = append(os.Environ(), asCommand+"=1")
	cmd.Stderr = stderr
	return cmd, stderr
}

// blockedOn starts a process that reads an argument from a pipe, and returns
// the pipe's other end once it does so: it then listens to signals.
func blockedOn(t *testing.T, cmd *exec.Cmd, pipe string) *os.File {
	t.Helper()
	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w, err := os.OpenFile(pipe, os.O_WRONLY, 0) // waits for the reader
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestSignals(t *testing.T) {
	for signal, code := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			pipe := filepath.Join(t.TempDir(), "pipe")
			cmd, stderr := process(t, "--arg", "x=@"+pipe)
			w := blockedOn(t, cmd, pipe)
			if _, err := w.Write([]byte{1}); err != nil {
				t.Fatal(err)
			}
			w.Close()
			time.Sleep(500 * time.Millisecond) // the kernel has begun by then
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			if got := cmd.ProcessState.ExitCode(); got != code {
				t.Errorf("exit %d, want %d", got, code)
			}
			text := stderr.String()
			if !strings.Contains(text, ": interrupted here\n  next    ") || !strings.Contains(text, "\n  who     block (0,0,0) warp 0 lanes 0-31 (ffffffff)\n") {
				t.Errorf("standard error:\n%s", text)
			}
		})
	}
}

// TestSecondSignalKills interrupts a process that does not come to look at its
// context, since it reads from a pipe that nobody writes to.
func TestSecondSignalKills(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	cmd, stderr := process(t, "--arg", "x=@"+pipe)
	w := blockedOn(t, cmd, pipe)
	defer w.Close()
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	signal := func() {
		if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
	}
	signal()
	select {
	case err := <-ended:
		t.Fatalf("the first signal ended it: %v\n%s", err, stderr)
	case <-time.After(100 * time.Millisecond):
	}
	signal()
	<-ended
	if status := cmd.ProcessState.Sys().(syscall.WaitStatus); !status.Signaled() || status.Signal() != syscall.SIGINT {
		t.Errorf("%v, want a death by SIGINT", cmd.ProcessState)
	}
}
