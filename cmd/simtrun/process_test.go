//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/simtrun/simtrun/cuda"
	"github.com/simtrun/simtrun/internal/report"
	"github.com/simtrun/simtrun/internal/short"
)

// asCommand makes the test's binary act as the command.
const asCommand = "SIMTRUN_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	before, status := entries(), m.Run()
	for name := range entries() {
		if !before[name] {
			fmt.Fprintf(os.Stderr, "the tests have left %s in their package's folder\n", name)
			status = 1
		}
	}
	os.Exit(status)
}

// entries are the names of what is in the package's folder.
func entries() map[string]bool {
	all := make(map[string]bool)
	files, _ := os.ReadDir(".")
	for _, f := range files {
		all[f.Name()] = true
	}
	return all
}

// process starts the command in a process, on a long-running kernel, with the given words after the file.
func process(t *testing.T, args ...string) (cmd *exec.Cmd, stderr *bytes.Buffer) {
	t.Helper()
	source := kernelText(t, "process.s")
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

// blockedOn starts a process that reads an argument from a pipe, and returns the write end once the process has
// opened it. The process handles signals by then.
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

// works waits until a process has used that much more CPU time, where the system reports it. Unlike wall time, this
// means the same progress on a busy host.
func works(t *testing.T, cmd *exec.Cmd, more time.Duration) {
	t.Helper()
	begin, known := usedBy(cmd)
	if !known {
		time.Sleep(2 * more)
		return
	}
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if now, _ := usedBy(cmd); now >= begin+more {
			return
		}
	}
	t.Error("the process does not work")
}

// usedBy returns the CPU time of a process. Linux reports it in hundredths of a second.
func usedBy(cmd *exec.Cmd) (used time.Duration, known bool) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", cmd.Process.Pid))
	if err != nil {
		return 0, false
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:])) // the third is the first one
	var user, system time.Duration
	_, err = fmt.Sscan(fields[14-3]+" "+fields[15-3], &user, &system)
	return (user + system) * 10 * time.Millisecond, err == nil
}

func TestSignalsSetExitCode(t *testing.T) {
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
			works(t, cmd, 300*time.Millisecond) // the kernel has begun by then
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

// TestInterruptedRunWritesItsFiles checks that an interrupted run writes all requested files, with the time so far, and
// does not wait for a pipe that is not read.
func TestInterruptedRunWritesItsFiles(t *testing.T) {
	short.Skip(t)
	for _, tt := range []struct {
		signal syscall.Signal
		code   int
		args   []string
		timed  bool
	}{{syscall.SIGINT, 130, nil, true}, {syscall.SIGTERM, 143, []string{"--functional"}, false}} {
		t.Run(tt.signal.String(), func(t *testing.T) {
			dir := t.TempDir()
			in, stuck := filepath.Join(dir, "in"), filepath.Join(dir, "stuck")
			if err := syscall.Mkfifo(stuck, 0o666); err != nil {
				t.Fatal(err)
			}
			files := []string{"-o", "run.json", "--html", "page.html", "--pprof", "cpu.pb.gz"}
			if tt.timed {
				files = append(files, "--timeline", "timeline.json")
			}
			args := append([]string{"--arg", "x=@" + in}, tt.args...)
			for i, word := range files {
				if i%2 == 1 {
					word = filepath.Join(dir, word)
				}
				args = append(args, word)
			}
			cmd, stderr := process(t, args...)
			w := blockedOn(t, cmd, in)
			if _, err := w.Write([]byte{1}); err != nil {
				t.Fatal(err)
			}
			w.Close()
			works(t, cmd, 500*time.Millisecond) // the kernel has begun by then
			if err := cmd.Process.Signal(tt.signal); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			if got := cmd.ProcessState.ExitCode(); got != tt.code {
				t.Errorf("exit %d, want %d\n%s", got, tt.code, stderr)
			}
			for i := 1; i < len(files); i += 2 {
				if info, err := os.Stat(filepath.Join(dir, files[i])); err != nil || info.Size() == 0 {
					t.Errorf("%s: %v", files[i], err)
				}
			}
			text, err := os.ReadFile(filepath.Join(dir, "run.json"))
			if err != nil {
				t.Fatal(err)
			}
			d, err := report.ReadDocument(text)
			if err != nil || len(d.Launches) != 1 || d.Launches[0].Counts.Runs < 1000 || d.Summary.Exit != tt.code {
				t.Fatalf("%v, %.500s", err, text)
			}
			if time := d.Launches[0].Time; (time != nil) != tt.timed || tt.timed && (!time.Partial || time.Cycles < 1000) {
				t.Errorf("%+v", time)
			}
			// A pipe without a reader.
			cmd, _ = process(t, "-o", stuck)
			signalled(t, cmd, working(300*time.Millisecond), tt.signal, tt.code)
		})
	}
}

// heedTime is how soon a signal must end the command in any phase. It takes graceTime on an idle machine; the phases
// below take much longer than heedTime.
const heedTime = 3 * time.Second

// reached waits until a process has reached the phase in which it is to be signalled.
type reached func(t *testing.T, cmd *exec.Cmd)

func working(cpu time.Duration) reached {
	return func(t *testing.T, cmd *exec.Cmd) { works(t, cmd, cpu) }
}

// opens waits until the process has opened a FIFO for reading. The test writes nothing to it.
func opens(pipe string) reached {
	return func(t *testing.T, cmd *exec.Cmd) {
		w, err := os.OpenFile(pipe, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { w.Close() })
	}
}

// stuck is for a process that waits for another one, which cannot be observed.
func stuck(*testing.T, *exec.Cmd) { time.Sleep(time.Second) }

// signalled starts a process, sends it a signal in the phase, and checks how it ends.
func signalled(t *testing.T, cmd *exec.Cmd, at reached, signal syscall.Signal, code int) {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	at(t, cmd)
	sent := time.Now()
	if err := cmd.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if took := time.Since(sent); took > heedTime {
		t.Errorf("%v ended it after %v", signal, took)
	}
	if got := cmd.ProcessState.ExitCode(); got != code {
		t.Errorf("%v: exit %d, want %d", signal, got, code)
	}
}

// TestSignalEndsEveryPhase checks that a signal soon ends the command in phases that take seconds, or that wait for
// another process.
func TestSignalEndsEveryPhase(t *testing.T) {
	const void = ".entry k(.param .u64 o) { ret; }\n"
	long := ".entry k()\n{\n" + strings.Repeat("\tmad.lo.u32 %r2, %r1, %r3, 7;\n", 300000) + "\tret;\n}\n"
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Fatal(err)
	}
	phases := map[string]struct {
		source string
		args   []string
		at     reached
		want   string // on standard output
	}{
		"assembling":          {long, []string{"asm", "FILE"}, working(200 * time.Millisecond), ""},
		"filling":             {"//sim:arg o = rand:2000000000:u8:1\n" + void, []string{"FILE"}, working(500 * time.Millisecond), ""},
		"filling, with JSON":  {"//sim:arg o = rand:2000000000:u8:1\n" + void, []string{"FILE", "--json"}, working(500 * time.Millisecond), `"summary":{"exit":143,"errors":0,"warnings":0,"message":"interrupted"}}` + "\n"},
		"filling what is set": {"//sim:symbol o = rand:1500000000:u8:1\n.global .u8 o[1500000000];\n.entry k() { ret; }", []string{"FILE"}, working(500 * time.Millisecond), ""},
		"comparing":           {"//sim:arg o = zeros:2000000000:u8\n//sim:expect o == iota:2000000000:u8:0:0\n" + void, []string{"FILE"}, working(time.Second), ""},
		"reading a FIFO":      {void, []string{"FILE", "--arg", "o=@" + pipe}, opens(pipe), ""},
		"a source in a FIFO":  {void, []string{"run", pipe}, opens(pipe), ""},
		"writing to a FIFO":   {"//sim:arg o = zeros:1:u8\n" + void, []string{"FILE", "--save", "o=" + pipe}, stuck, ""},
		"testing":             {"//sim:arg o = rand:2000000000:u8:1\n" + void, []string{"test", "FILE"}, working(500 * time.Millisecond), ""},
	}
	for i, name := range slices.Sorted(maps.Keys(phases)) {
		if short.Skips(i) || short.Waits(i, 4) {
			continue
		}
		tt := phases[name]
		for signal, code := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143} {
			if signal == syscall.SIGINT && tt.want != "" {
				continue
			}
			t.Run(name+", "+signal.String(), func(t *testing.T) {
				dir := t.TempDir()
				if err := os.WriteFile(filepath.Join(dir, "k.s"), []byte(tt.source), 0o666); err != nil {
					t.Fatal(err)
				}
				var args []string
				for _, arg := range tt.args {
					args = append(args, strings.ReplaceAll(arg, "FILE", filepath.Join(dir, "k.s")))
				}
				var stdout, stderr bytes.Buffer
				cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
				cmd.Env, cmd.Stdout, cmd.Stderr = append(os.Environ(), asCommand+"=1"), &stdout, &stderr
				signalled(t, cmd, tt.at, signal, code)
				if stderr.String() != "simtrun: interrupted\n" || !strings.HasSuffix(stdout.String(), tt.want) {
					t.Errorf("standard output:\n%sstandard error:\n%s", &stdout, &stderr)
				}
			})
		}
	}
}

// TestSignalEndsBlockedWrite checks that a signal ends the command even if the reader of its output does not read.
func TestSignalEndsBlockedWrite(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd, _ := process(t)
	cmd.Args = append([]string{cmd.Args[0], "run"}, append(cmd.Args[1:], "--arg", "n=1", "--arg", "x=zeros:200000:u8", "--dump", "x")...)
	cmd.Stdout = w
	signalled(t, cmd, func(t *testing.T, cmd *exec.Cmd) {
		if _, err := r.Read(make([]byte, 1)); err != nil {
			t.Error(err)
		}
	}, syscall.SIGTERM, 143)
	w.Close()
}

// TestSecondSignalKills checks that a second signal ends the command without waiting for graceTime. On a busy host
// that time may have passed before the second signal is sent, so the test retries.
func TestSecondSignalKills(t *testing.T) {
	var ended []string
	for range 10 {
		pipe := filepath.Join(t.TempDir(), "pipe")
		cmd, _ := process(t, "--arg", "x=@"+pipe)
		w := blockedOn(t, cmd, pipe)
		for range 2 {
			if err := cmd.Process.Signal(syscall.SIGINT); err != nil && !errors.Is(err, os.ErrProcessDone) {
				t.Fatal(err)
			}
			time.Sleep(graceTime / 5)
		}
		_ = cmd.Wait()
		w.Close()
		if status := cmd.ProcessState.Sys().(syscall.WaitStatus); status.Signaled() && status.Signal() == syscall.SIGINT {
			return
		}
		ended = append(ended, cmd.ProcessState.String())
	}
	t.Errorf("%q, want a death by SIGINT", ended)
}

// TestLostReaderIsWriteError checks that for every command, it is a write error if the reader of standard output has
// exited, and if the device is full.
func TestLostReaderIsWriteError(t *testing.T) {
	short.Alternates(t, 2, 3)
	for _, args := range [][]string{{"help"}, {"completion", "bash"}, {"version"}, {"metrics"}, {"run", "../../programs/vecadd.s"},
		{"run", "../../programs/vecadd.s", "--json"}, {"run", "../../programs/vecadd.s", "--trace", "mem:/dev/stdout"}, {"test", "../../programs/vecadd.s"}, {"asm", "../../programs/vecadd.s"}} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		if err != nil {
			t.Skip(err)
		}
		for _, stdout := range []*os.File{w, full} {
			var stderr bytes.Buffer
			cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
			cmd.Env, cmd.Stdout, cmd.Stderr = append(os.Environ(), asCommand+"=1"), stdout, &stderr
			_ = cmd.Run()
			if got := cmd.ProcessState.ExitCode(); got != exitIO || strings.Count(stderr.String(), "\n") != 1 {
				t.Errorf("%s: exit %d, want %d\n%s", args, got, exitIO, &stderr)
			}
			stdout.Close()
		}
	}
}

// TestClosedOutputFailsCommand checks that a command that writes to a closed standard output, under any of its names,
// fails, and that it does not fail if standard output is /dev/null, even if that is open for reading and writing.
func TestClosedOutputFailsCommand(t *testing.T) {
	short.Skip(t)
	short.Alternates(t, 0, 3)
	if !knowsClosed {
		t.Skip("built without cgo")
	}
	const kernel = "../../programs/vecadd.s"
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	for i, args := range [][]string{{"help"}, {"help", "run"}, {"-h"}, {"completion", "bash"}, {"version"}, {"--version"}, {"metrics"}, {"gpu"}, {"explain", "mem-oob"},
		{"run", kernel}, {"run", kernel, "--json"}, {"run", kernel, "-q", "-o", "/dev/stdout"}, {"run", kernel, "-q", "--expect", "none", "--save", "c=/dev/stdout"},
		{"run", kernel, "-q", "--trace", "mem:/dev/stdout"}, {"run", kernel, "-q", "--html", "/dev/stdout"}, {"run", kernel, "-q", "--pprof", "/dev/stdout"},
		{"profile", kernel}, {"occupancy", kernel}, {"sweep", kernel, "--grid", "1,2"}, {"test", kernel}, {"validate", "8.17"},
		{"asm", kernel}, {"asm", "--ptx", kernel}, {"asm", "--cfg", kernel}, {"debug", kernel}} {
		for _, closed := range []bool{true, false} {
			if !closed && i%6 != 0 {
				continue // /dev/null is the same for all commands
			}
			var stderr bytes.Buffer
			words := append([]string{os.Args[0]}, args...)
			want := 0
			if closed {
				words = append([]string{"sh", "-c", `exec "$0" "$@" >&-`}, words...)
				want = exitIO
			}
			cmd := exec.CommandContext(t.Context(), words[0], words[1:]...)
			cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = append(os.Environ(), asCommand+"=1"), strings.NewReader("q\n"), null, &stderr
			_ = cmd.Run()
			if got := cmd.ProcessState.ExitCode(); got != want || closed && strings.Count(stderr.String(), "simtrun: ") != 1 {
				t.Errorf("%s, closed %v: exit %d, want %d\n%s", args, closed, got, want, &stderr)
			}
		}
	}
}

// TestLostReaderEndsTrace checks that the run ends if the reader of its trace exits, however long the run would
// continue.
func TestLostReaderEndsTrace(t *testing.T) {
	for _, where := range []string{"/dev/stdout", "PIPE"} {
		pipe := filepath.Join(t.TempDir(), "pipe")
		if err := syscall.Mkfifo(pipe, 0o666); err != nil {
			t.Fatal(err)
		}
		cmd, stderr := process(t, "--trace", "instr:"+strings.Replace(where, "PIPE", pipe, 1))
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if where == "PIPE" {
			if out, err = os.Open(pipe); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := io.ReadFull(out, make([]byte, 10)); err != nil {
			t.Fatal(err)
		}
		out.Close()
		_ = cmd.Wait()
		if got := cmd.ProcessState.ExitCode(); got != exitIO || !strings.Contains(stderr.String(), "broken pipe") {
			t.Errorf("%s: exit %d, want %d\n%s", where, got, exitIO, stderr)
		}
	}
}

// TestSaveIsWhole checks that on a full disk a file is either replaced completely or unchanged, and that no temporary
// file stays. Links and modes are kept.
func TestSaveIsWhole(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "saved")
	if err := os.WriteFile(file, []byte("before"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("saved", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	source := filepath.Join(t.TempDir(), "k.s")
	if err := os.WriteFile(source, []byte(".entry k(.param .u64 o) { ret; }"), 0o666); err != nil {
		t.Fatal(err)
	}
	save := func(shell string) (int, string) {
		cmd := exec.CommandContext(t.Context(), "sh", "-c", shell+`; exec "$0" "$1" --arg o=fill:1000000:f32:1 --save o="$2"`, os.Args[0], source, filepath.Join(dir, "link"))
		cmd.Env = append(os.Environ(), asCommand+"=1")
		text, _ := cmd.CombinedOutput()
		return cmd.ProcessState.ExitCode(), string(text)
	}
	if code, text := save("trap '' XFSZ; ulimit -f 1000"); code != exitIO {
		t.Errorf("exit %d\n%s", code, text)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "before" {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	if code, text := save(":"); code != exitOK {
		t.Errorf("exit %d\n%s", code, text)
	}
	info, err := os.Lstat(file)
	if err != nil || info.Size() != 4000000 || info.Mode() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 || entries[0].Type() != os.ModeSymlink {
		t.Errorf("%v %v", entries, err)
	}
}

// TestHostForwardsSignals checks that host forwards signals to the program, and reports the launch that they ended.
func TestHostForwardsSignals(t *testing.T) {
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGXCPU, syscall.SIGHUP} {
		t.Run(signalNames[s], func(t *testing.T) {
			t.Parallel()
			const script = `echo '{"state":"begun","process":1,"kernel":"k","grid":[8,2,1],"block":[32,1,1]}' >> $SIMTRUN_SUMMARY; echo ready; exec sleep 60`
			code, _, stderr := signalledHost(t, s, script)
			want := "killed during the first launch: kernel k, grid 8x2, block 32\nsimtrun: prog was ended by " + signalNames[s]
			if code != exitSignal+int(s) || !strings.Contains(stderr, want) {
				t.Errorf("exit status %d\n%s", code, stderr)
			}
		})
	}
}

// TestHostReportsManyLaunches checks that host reports the launches of a program that a signal ended, even if reading
// them takes longer than other commands have to end.
func TestHostReportsManyLaunches(t *testing.T) {
	const script = `yes '{"process":1,"kernel":"k","grid":[8,2,1],"block":[32,1,1],"warp_instructions":2}' | head -n 60000 >> $SIMTRUN_SUMMARY; echo ready; exec sleep 60`
	code, _, stderr := signalledHost(t, syscall.SIGTERM, script)
	if code != exitSignal+int(syscall.SIGTERM) || !strings.Contains(stderr, "60000 launches of 1 kernel, 120000 warp instructions") {
		t.Errorf("exit status %d\n%s", code, stderr)
	}
}

// TestHostWaitsForSignalledProgram checks that host waits for a program that handles a signal, as long as that takes,
// and then writes its report.
func TestHostWaitsForSignalledProgram(t *testing.T) {
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		for _, status := range []int{0, 3} {
			t.Run(fmt.Sprint(signalNames[s], status), func(t *testing.T) {
				t.Parallel()
				report := filepath.Join(t.TempDir(), "junit.xml")
				script := fmt.Sprintf("trap 'sleep 1; echo cleaned; exit %d' INT TERM; echo ready; while :; do sleep 0.1; done", status)
				code, stdout, _ := signalledHost(t, s, script, "--junit", report)
				if code != status || !strings.HasSuffix(stdout, "cleaned\n") {
					t.Errorf("exit status %d, output %q", code, stdout)
				}
				if _, err := os.Stat(report); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// signalledHost runs a script under host, and sends a signal to host once the script has printed "ready".
func signalledHost(t *testing.T, s syscall.Signal, script string, flags ...string) (code int, stdout, stderr string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{cuda.Library: "", "prog": "#!/bin/sh\n" + script + "\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	errs := &bytes.Buffer{}
	cmd := exec.CommandContext(t.Context(), os.Args[0], append(append([]string{"host"}, flags...), filepath.Join(dir, "prog"))...)
	cmd.Env, cmd.Stderr = append(os.Environ(), asCommand+"=1", cuda.EnvLibrary+"="+dir), errs
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, len("ready"))); err != nil {
		t.Fatal(err)
	}
	cmd.Process.Signal(s)
	rest, _ := io.ReadAll(out)
	cmd.Wait()
	return cmd.ProcessState.ExitCode(), string(rest), errs.String()
}
