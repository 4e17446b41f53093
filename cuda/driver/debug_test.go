package main

import (
	"bytes"
	"flag"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/cuda"
	"github.com/simtrun/simtrun/internal/hostlink"
)

var renew = flag.Bool("update", false, "write the sessions of TestDebugSessionsMatchFiles")

// TestDebugSessionsMatchFiles debugs the program of testdata/debug in sessions. Each is a file of commands, with their
// output in another file. Comments among the commands configure the run:
//
//	# check KIND   a value of SIMTRUN_CHECK
//	# output TEXT  what the program prints
//	# killed       the session ends the program
func TestDebugSessionsMatchFiles(t *testing.T) {
	dir := libraryDir(t)
	program := compile(t, dir, "testdata/debug/prog.c", "-L"+dir, "-lcuda")
	files, _ := filepath.Glob("testdata/debug/sessions/*.gdb")
	if len(files) == 0 {
		t.Fatal("no sessions")
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			script, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			session, output, _, killed := debugged(t, dir, program, string(script), os.DevNull)
			golden := strings.TrimSuffix(file, ".gdb") + ".golden"
			if *renew {
				if err := os.WriteFile(golden, []byte(session), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil || session != string(want) {
				t.Errorf("%v, want\n%s\ngot\n%s", err, want, session)
			}
			if text := about(string(script), "output"); text != strings.TrimSpace(output) {
				t.Errorf("the program prints %q, want %q", output, text)
			}
			if want := strings.Contains(string(script), "# killed\n"); killed != want {
				t.Errorf("killed: %v, want %v", killed, want)
			}
		})
	}
}

// TestFaultIsShownOnce: the terminal of the debugger is that of the program's standard error. A log file has all
// findings, and standard error those of launches that the debugger has not shown.
func TestFaultIsShownOnce(t *testing.T) {
	dir := libraryDir(t)
	program := compile(t, dir, "testdata/debug/prog.c", "-L"+dir, "-lcuda")
	const fault = "error: load in .global space"
	log := filepath.Join(t.TempDir(), "log")
	for _, c := range []struct {
		script, log        string
		shown, said, inLog int
	}{
		{"catch error\ncontinue\ncontinue\ncontinue\ncontinue\n", "", 1, 0, 0},
		{"catch error\ncontinue\ncontinue\ncontinue\ncontinue\n", log, 1, 0, 1},
		{"detach\n", "", 0, 1, 0},
	} {
		session, _, messages, _ := debugged(t, dir, program, c.script, c.log)
		text, _ := os.ReadFile(c.log)
		got := [3]int{strings.Count(session, fault), strings.Count(messages, fault), strings.Count(string(text), fault)}
		if want := [3]int{c.shown, c.said, c.inLog}; got != want {
			t.Errorf("%q: %v in the session, on standard error and in the log; want %v\n%s\n%s", c.script, got, want, session, messages)
		}
	}
}

// about returns the rest of a comment that begins with a word.
func about(script, word string) string {
	if m := regexp.MustCompile(`(?m)^# ` + word + ` (.*)$`).FindStringSubmatch(script); m != nil {
		return m[1]
	}
	return ""
}

// debugged runs a program with a terminal on which a script is typed. It returns what the terminal shows,
// and what the program prints on standard output and standard error. Findings go to the file log, or to standard error
// without one.
func debugged(t *testing.T, dir, program, script, log string) (session, output, messages string, killed bool) {
	socket := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	shown := make(chan string, 1)
	go func() {
		conn, err := l.Accept()
		if err != nil {
			shown <- err.Error()
			return
		}
		defer conn.Close()
		shown <- typeIn(hostlink.New[hostlink.Asks, hostlink.Says](conn), script)
	}()
	c := exec.CommandContext(t.Context(), program)
	c.Env = append(os.Environ(), "LD_LIBRARY_PATH="+dir, hostlink.Env+"="+socket, cuda.EnvCheck+"="+about(script, "check"), cuda.EnvLog+"="+log)
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	c.Run()
	killed = c.ProcessState.ExitCode() < 0
	l.Close()
	return <-shown, stdout.String(), stderr.String(), killed
}

// typeIn answers the prompts of a debugger with the lines of a script until the program ends.
func typeIn(terminal *hostlink.Terminal, script string) string {
	var b strings.Builder
	lines := strings.Split(strings.TrimSuffix(script, "\n"), "\n")
	for {
		m, err := terminal.Receive()
		if err != nil {
			return b.String()
		}
		b.WriteString(m.Out)
		if m.Prompt == "" {
			continue
		}
		for len(lines) > 0 && strings.HasPrefix(lines[0], "#") {
			lines = lines[1:]
		}
		says := hostlink.Says{End: true}
		if len(lines) > 0 {
			b.WriteString(m.Prompt + lines[0] + "\n")
			says, lines = hostlink.Says{Line: lines[0]}, lines[1:]
		}
		if terminal.Send(says) != nil {
			return b.String()
		}
	}
}
