//go:build unix

package main

import (
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/simtrun/simtrun/internal/hostlink"
)

// debugVariable makes TestHostDebuggerRunsGivenCommands's program of the test.
const debugVariable = "SIMTRUN_TEST_DEBUGGED"

// TestDebuggedProgram stands for a program with a debugger in it, which TestHostDebuggerRunsGivenCommands runs.
func TestDebuggedProgram(t *testing.T) {
	if os.Getenv(debugVariable) == "" {
		t.Skip("TestHostDebuggerRunsGivenCommands runs it")
	}
	if socket := os.Getenv(hostlink.EnvEditor); socket != "" {
		conn, err := net.Dial("unix", socket)
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(conn, conn)
		return
	}
	link, err := hostlink.Dial(os.Getenv(hostlink.Env))
	if err != nil {
		t.Fatal(err)
	}
	for asked := false; ; {
		if !asked {
			link.Send(hostlink.Asks{Prompt: "(simt host) "})
		}
		says, err := link.Receive()
		asked = says.Pane != nil
		switch {
		case err != nil:
			t.Fatal(err)
		case says.End:
			return
		case says.Pane != nil:
			link.Send(hostlink.Asks{Pane: &hostlink.Pane{Lines: []string{fmt.Sprintf("buffer %d of %dx%d", says.Pane.Pane, says.Pane.Columns, says.Pane.Rows)}}})
		case strings.HasPrefix(says.Line, "again"):
			lines := strings.ReplaceAll(strings.TrimPrefix(says.Line, "again "), ";", "\n") + "\n"
			link.Send(hostlink.Asks{Again: &lines})
			os.Exit(9)
		case says.Line == "quit":
			link.Send(hostlink.Asks{Quit: true})
			os.Exit(9)
		case says.Line == "bad":
			link.Send(hostlink.Asks{Out: "it is bad\n"})
			link.Send(hostlink.Asks{Answered: true, Failed: "it is bad"})
		default:
			link.Send(hostlink.Asks{Out: "did " + says.Line + "\n"})
			link.Send(hostlink.Asks{Answered: true})
		}
	}
}

// TestListeningDebuggerServesFirstEditor: the debugger in a program is connected with the first editor that comes,
// whose end the program sees.
func TestListeningDebuggerServesFirstEditor(t *testing.T) {
	program := hostFolder(t, debugVariable+"=1 exec "+os.Args[0]+" -test.run=^TestDebuggedProgram$ >/dev/null")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	ended := make(chan output, 1)
	go func() { ended <- simtrunIn(t.Context(), t.TempDir(), "host", "--listen", addr, program) }()
	var conn net.Conn
	for try := 0; ; try++ {
		if conn, err = net.Dial("tcp", addr); err == nil {
			break
		}
		if try == 500 {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond)
	}
	fmt.Fprintf(conn, "to the program")
	answer := make([]byte, len("to the program"))
	if _, err := io.ReadFull(conn, answer); err != nil || string(answer) != "to the program" {
		t.Errorf("received %q, %v", answer, err)
	}
	conn.Close()
	if got := <-ended; got.code != 0 || !strings.Contains(got.stderr, "simtrun: waiting for an editor to attach at "+addr+"\n") {
		t.Errorf("%+v", got)
	}
}

// TestHostDebuggerRunsGivenCommands checks what simtrun host --debug does as the terminal of a debugger: lines of -x
// come before those of
// -e, and are shown after the prompt, on standard error; one that fails is a mistake; and quit is no failure of the
// program.
func TestHostDebuggerRunsGivenCommands(t *testing.T) {
	program := hostFolder(t, debugVariable+"=1 exec "+os.Args[0]+" -test.run=^TestDebuggedProgram$ >/dev/null")
	script := filepath.Join(filepath.Dir(program), "script")
	if err := os.WriteFile(script, []byte("one\n\ntwo"), 0o666); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		flags []string
		code  int
		want  string
	}{
		"lines":     {[]string{"--debug", "-x", script, "-e", "three"}, 0, "(simt host) one\ndid one\n(simt host) \ndid #\n(simt host) two\ndid two\n(simt host) three\ndid three\nsimtrun: the program has launched no kernel\n"},
		"a failure": {[]string{"--debug", "-e", "bad", "-e", "one"}, exitUsage, "(simt host) bad\nit is bad\n(simt host) one\ndid one\n"},
		"again": {[]string{"--debug", "-e", "one", "-e", "again two;bad", "-e", "three"}, 0,
			"(simt host) one\ndid one\n(simt host) again two;bad\n(simt host) two\ndid two\n(simt host) bad\nit is bad\n(simt host) three\ndid three\nsimtrun: the program has launched no kernel\n"},
		"quit":     {[]string{"--debug", "-e", "quit", "-e", "one"}, 0, "(simt host) quit\n"},
		"both":     {[]string{"--debug", "--listen", ":0"}, exitUsage, "--listen waits for an editor: it cannot be combined with --debug, --tui, -x or -e"},
		"no port":  {[]string{"--listen", "nowhere"}, exitUsage, "--listen nowhere: expected IP:PORT, or :PORT for this machine alone"},
		"no debug": {[]string{"-e", "quit"}, exitUsage, "-x and -e give commands to the debugger: pass --debug, too"},
		"a clock":  {[]string{"--debug", "--clock"}, exitUsage, "--debug needs launches without a clock"},
		"panes":    {[]string{"--debug", "--tui"}, exitUsage, "--tui needs a terminal as standard input and output"},
		"no panes": {[]string{"--tui"}, exitUsage, "--tui shows a debugger: pass --debug, too"},
		"no file":  {[]string{"--debug", "-x", "/none"}, exitUsage, "/none"},
	} {
		t.Run(name, func(t *testing.T) {
			got := simtrunIn(t.Context(), t.TempDir(), append(append([]string{"host"}, c.flags...), program)...)
			if got.code != c.code || got.stdout != "" || !strings.Contains(got.stderr, c.want) {
				t.Errorf("%+v, want %d and %q", got, c.code, c.want)
			}
		})
	}
}
