//go:build linux

package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/simtrun/simtrun/internal/pty"
	"github.com/simtrun/simtrun/internal/short"
)

// echoes reports whether a terminal echoes input.
func echoes(t *testing.T, tty *os.File) bool {
	t.Helper()
	var state syscall.Termios
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, tty.Fd(), syscall.TCGETS, uintptr(unsafe.Pointer(&state))); errno != 0 {
		t.Fatal(errno)
	}
	return state.Lflag&syscall.ECHO != 0
}

// onTerminal starts the command at a terminal, and returns the output up to the first occurrence of until.
func onTerminal(t *testing.T, tty, screen *os.File, until string, args ...string) (*exec.Cmd, string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env = append(os.Environ(), asCommand+"=1", "XDG_CACHE_HOME="+t.TempDir())
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var shown bytes.Buffer
	for part := make([]byte, 1024); !strings.Contains(shown.String(), until); {
		n, err := screen.Read(part)
		if err != nil {
			t.Fatal(err, shown.String())
		}
		shown.Write(part[:n])
	}
	go io.Copy(io.Discard, screen)
	return cmd, shown.String()
}

// TestPrintfCannotControlTerminal checks that kernel output cannot send control sequences to a terminal.
func TestPrintfCannotControlTerminal(t *testing.T) {
	screen, tty := pty.Open(t)
	file := filepath.Join(t.TempDir(), "k.s")
	source := strings.Replace(talk, "{99, 116, 97, 32, 37, 100, 10, 0}", "{27, 91, 51, 49, 109, 255, 10, 0}", 1) // \x1b[31m\xff
	if err := os.WriteFile(file, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd, shown := onTerminal(t, tty, screen, "warp-instr", file, "--color", "never")
	if err := cmd.Wait(); err != nil || !strings.HasPrefix(shown, `\x1b[31m\xff`+"\r\n") || strings.Contains(shown, "\x1b") {
		t.Errorf("%v, %q", err, shown)
	}
}

// TestOneWaveShowsCycles: the blocks of a launch all end together, and until then its progress is in cycles and
// instructions.
func TestOneWaveShowsCycles(t *testing.T) {
	short.Skip(t)
	screen, tty := pty.Open(t)
	file := filepath.Join(t.TempDir(), "long.s")
	source := body("\tmov.u32 %r1, %tid.x;\n\tmov.u32 %r2, 0;\nLOOP:\n\tmad.lo.u32 %r1, %r1, 1664525, 1013904223;\n" +
		"\tadd.u32 %r2, %r2, 1;\n\tsetp.lt.u32 %p1, %r2, 200000;\n\t@%p1 bra LOOP;\n\tst.global.u32 [%rd1], %r1;")
	if err := os.WriteFile(file, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd, shown := onTerminal(t, tty, screen, "done", "run", file, "--grid", "528", "--block", "256")
	cmd.Process.Signal(syscall.SIGINT)
	cmd.Wait()
	if !regexp.MustCompile(`^\r\x1b\[Kk  [0-9.]+k cycles, [0-9.]+M instructions  0 of 528 blocks done$`).MatchString(shown) {
		t.Errorf("the terminal shows %q", shown)
	}
}

// TestProgramHasTheTerminal checks that a program under host writes to the terminal of the command, on which the driver
// library shows the progress of launches, that the line of a launch that was cut short is removed, and that a program
// ends, as it would by itself, when its reader does.
func TestProgramHasTheTerminal(t *testing.T) {
	screen, tty := pty.Open(t)
	program := hostFolder(t, `test -t 1 && test -t 2 && echo "terminal of $SIMTRUN_PROGRESS columns"`)
	cmd, shown := onTerminal(t, tty, screen, "no kernel", "host", program)
	if err := cmd.Wait(); err != nil || !strings.HasPrefix(shown, "terminal of 80 columns\r\n") {
		t.Errorf("%v, %q", err, shown)
	}
	screen, tty = pty.Open(t)
	program = hostFolder(t, `echo '{"state":"begun","process":1,"kernel":"k","grid":[8,2,1],"block":[32,1,1]}' >> $SIMTRUN_SUMMARY; printf 'k  0 of 16 blocks' >&2; kill -9 $$`)
	cmd, shown = onTerminal(t, tty, screen, "SIGKILL", "host", program)
	if cmd.Wait(); !strings.HasPrefix(shown, "k  0 of 16 blocks\r\x1b[Ksimtrun: killed during the first launch: kernel k") {
		t.Errorf("%q", shown)
	}
	program = hostFolder(t, "while :; do echo x; done")
	cmd = exec.CommandContext(t.Context(), os.Args[0], "host", program)
	cmd.Env = append(os.Environ(), asCommand+"=1")
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer time.AfterFunc(20*time.Second, func() { cmd.Process.Kill() }).Stop()
	out.Read(make([]byte, 1))
	out.Close()
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exitSignal+int(syscall.SIGPIPE) {
		t.Errorf("exit status %d", code)
	}
}

// TestSIGTERMEndsDebugger checks that SIGTERM ends a session that waits for a line, and restores the terminal's echo;
// SIGINT discards the line only.
func TestSIGTERMEndsDebugger(t *testing.T) {
	screen, tty := pty.Open(t)
	cmd, _ := onTerminal(t, tty, screen, "(simt ", "debug", "testdata/debug/sides.s")
	for end := time.Now().Add(10 * time.Second); echoes(t, tty); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the terminal is never read by the character")
		}
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * graceTime)
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); got != exitTerminated || !echoes(t, tty) {
		t.Errorf("exit %d, want %d; echo %v", got, exitTerminated, echoes(t, tty))
	}
}
