//go:build unix

package main

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestDebuggerReadsFromPipe types commands into a process through a pipe.
func TestDebuggerReadsFromPipe(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), os.Args[0], "debug", "testdata/debug/sides.s")
	cmd.Env = append(os.Environ(), asCommand+"=1")
	cmd.Stdin = strings.NewReader("until JOIN\np r5\n")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	const want = `sides  grid 1x1x1  block 32x1x1
=> 5    mov.u32 %r3, %laneid                     active ffffffff
(simt b0.w0.l0 32/32) until JOIN
=> 15   ld.param.u64 %rd1, [out]                 active ffffffff
(simt b0.w0.l0 32/32) p r5
r5 u32   0-15: 4*lane+1   16-31: 4*lane+2
`
	if string(out) != want {
		t.Errorf("%s", out)
	}
}

// TestSignalEndsPipedSession checks that without a terminal a signal ends the session, as it ends a run.
func TestSignalEndsPipedSession(t *testing.T) {
	cmd, stderr := process(t)
	cmd.Args = append([]string{cmd.Args[0], "debug"}, cmd.Args[1:]...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := in.Write([]byte("continue\n")); err != nil {
		t.Fatal(err)
	}
	works(t, cmd, 300*time.Millisecond) // the kernel has begun by then
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); got != exitInterrupt {
		t.Errorf("exit %d, want %d\n%s", got, exitInterrupt, stderr)
	}
}
