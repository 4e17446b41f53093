//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/simtrun/simtrun/internal/needs"
)

// cacheVariable names the folder of the history of commands.
const cacheVariable = "XDG_CACHE_HOME"

// paneScreen is a session of debug --tui in tmux.
type paneScreen struct {
	t            *testing.T
	tmux, socket string
}

// newPaneScreen begins a session in a terminal of 80x24 characters.
func newPaneScreen(t *testing.T, args string) *paneScreen {
	t.Helper()
	s := &paneScreen{t, needs.Tool(t, "tmux"), filepath.Join(t.TempDir(), "s")}
	t.Cleanup(func() { s.run("kill-server") })
	t.Setenv("LC_ALL", "C.UTF-8")
	t.Setenv("TERM", "xterm")
	t.Setenv(asCommand, "1")
	if os.Getenv(cacheVariable) == "" {
		t.Setenv(cacheVariable, t.TempDir())
	}
	t.Setenv("SHELL", "/bin/sh")
	s.run("-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", os.Args[0]+" "+args+"; echo exit $?; sleep 60")
	return s
}

// run runs a tmux command, and returns what it prints.
func (s *paneScreen) run(args ...string) string {
	out, err := exec.Command(s.tmux, append([]string{"-S", s.socket}, args...)...).CombinedOutput()
	if err != nil && args[0] != "kill-server" {
		s.t.Fatalf("tmux %s: %v\n%s", args, err, out)
	}
	return string(out)
}

// waits returns the screen as soon as a text is on it and it has a number of lines.
func (s *paneScreen) waits(text string, lines int) string {
	s.t.Helper()
	screen := ""
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		screen = s.run("capture-pane", "-p")
		if strings.Contains(screen, text) && strings.Count(screen, "\n") == lines {
			return screen
		}
	}
	s.t.Fatalf("no %q with %d lines on the screen:\n%s", text, lines, screen)
	return ""
}

// shows waits until the screen is that of a golden file, since a screen is drawn in several steps, and returns it.
// lines and text are as in waits.
func (s *paneScreen) shows(file, text string, lines int) string {
	s.t.Helper()
	want, err := os.ReadFile(file)
	if err != nil && !*update {
		s.t.Fatal(err)
	}
	screen := ""
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if screen = s.waits(text, lines); screen == string(want) {
			return screen
		}
	}
	if !*update {
		s.t.Errorf("%s is not this:\n%s", file, screen)
	} else if err := os.WriteFile(file, []byte(screen), 0o666); err != nil {
		s.t.Fatal(err)
	}
	return screen
}

// TestPanesFollowStepsAndSize steps with single keys and typed commands, and resizes the terminal. docs/debugger.md
// shows the smaller screen.
func TestPanesFollowStepsAndSize(t *testing.T) {
	s := newPaneScreen(t, "debug ../../programs/nested_if.s --tui -e 'break MEET' -e 'display r9'")
	s.waits("── output", 24)
	s.run("send-keys", "n", ":", "until NOT_BX", "BSpace", "Y_3", "Enter")
	s.waits("l0 21/32)\n", 24)
	s.run("send-keys", "s")
	small := s.shows("testdata/debug/panes_80x24.screen", "=>    70", 24)
	page, err := os.ReadFile("../../docs/debugger.md")
	if shown := strings.TrimRight("    "+strings.ReplaceAll(strings.TrimRight(small, "\n"), "\n", "\n    "), " "); err != nil || !strings.Contains(string(page), strings.ReplaceAll(shown, "\n    \n", "\n\n")) {
		t.Errorf("docs/debugger.md does not show this: %v\n%s", err, shown)
	}
	s.run("resize-window", "-x", "200", "-y", "60")
	s.shows("testdata/debug/panes_200x60.screen", "│── lanes", 60)
	s.run("send-keys", "S")
	s.waits("l0 21/32)", 60)
	s.run("send-keys", "c")
	s.waits("(simt b0.w0.l0 32/32)", 60)
	s.run("send-keys", ":", "what", "Tab", "1 + ", "2", "Enter")
	s.waits("whatis 1 + 2\ntype = s64", 60)
	s.run("send-keys", "q")
	if ended := s.waits("exit 0", 60); strings.Contains(ended, "lanes") {
		t.Errorf("the panes are still there:\n%s", ended)
	}
}

// TestControlCInterruptsPanes interrupts a command with Ctrl-C.
func TestControlCInterruptsPanes(t *testing.T) {
	file := filepath.Join(t.TempDir(), "spin.s")
	if err := os.WriteFile(file, []byte(".entry spin()\n{\nAGAIN:\n\tadd.u32 %r1, %r1, 1;\n\tbra AGAIN;\n}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	s := newPaneScreen(t, fmt.Sprintf("debug %s --tui", file))
	s.waits("── output", 24)
	s.run("send-keys", "c")
	time.Sleep(50 * time.Millisecond)
	s.run("send-keys", "C-c")
	s.waits("interrupted", 24)
	s.run("send-keys", "C-d")
	s.waits("exit 0", 24)
}

// TestDebugPanesKeepTheHistory: Up recalls lines of earlier sessions, of the plain prompt too, and a session adds its
// own to them.
func TestDebugPanesKeepTheHistory(t *testing.T) {
	cache := t.TempDir()
	t.Setenv(cacheVariable, cache)
	history := filepath.Join(cache, "simtrun", "debug_history")
	if err := os.Mkdir(filepath.Dir(history), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(history, []byte("print 6 * 6\nprint 7 * 7\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	s := newPaneScreen(t, "debug ../../programs/nested_if.s --tui")
	s.waits("── output", 24)
	s.run("send-keys", "Up", "Up", "Enter")
	s.waits("6 * 6 = 36", 24)
	s.run("send-keys", ":", "print 5 * 5", "Enter", "q")
	s.waits("exit 0", 24)
	if text, err := os.ReadFile(history); err != nil || string(text) != "print 6 * 6\nprint 7 * 7\nprint 6 * 6\nprint 5 * 5\nquit\n" {
		t.Errorf("the history is %q, %v", text, err)
	}
}

func TestDebugPanesNeedATerminal(t *testing.T) {
	for _, c := range []struct {
		want string
		args []string
	}{
		{"--tui needs a terminal", []string{"--tui"}},
		{"--tui and --batch cannot be combined", []string{"--tui", "--batch"}},
	} {
		if got := simtrun(t, triple, append([]string{"debug", "FILE"}, c.args...)...); got.code != exitUsage || !strings.Contains(got.stderr, c.want) {
			t.Errorf("%v: %d %s", c.args, got.code, got.stderr)
		}
	}
}

// TestHostPanesShowDebuggerAndOutput debugs a program in panes: its output is in the output pane, as it comes, Ctrl-C
// interrupts it, and its end can be read before the panes are closed.
func TestHostPanesShowDebuggerAndOutput(t *testing.T) {
	program := hostFolder(t, "echo before; "+asCommand+"= "+debugVariable+"=1 "+os.Args[0]+" -test.run=^TestDebuggedProgram$ >/dev/null; echo after; trap 'echo stopped; exit 3' INT; while :; do sleep 0.1; done")
	s := newPaneScreen(t, "host --debug --tui "+program)
	s.waits("buffer 1 of 80x7", 24)
	s.run("send-keys", ":", "three", "Enter")
	s.waits("did three", 24)
	s.run("send-keys", "C-d")
	s.waits("after", 24)
	s.run("send-keys", "C-c")
	if screen := s.waits("the program ended with exit status 3; q closes", 24); !strings.Contains(screen, "stopped") {
		t.Errorf("the program was not interrupted:\n%s", screen)
	}
	s.run("send-keys", "q")
	if ended := s.waits("exit 3", 24); strings.Contains(ended, "lanes") || !strings.Contains(ended, "the program has launched no kernel") {
		t.Errorf("the panes are still there, or the report is not:\n%s", ended)
	}
}
