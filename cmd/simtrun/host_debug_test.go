//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/hostlink"
)

// debugVariable makes TestHostDebug's program of the test.
const debugVariable = "SIMTRUN_TEST_DEBUGGED"

// TestDebuggedProgram stands for a program with a debugger in it, which TestHostDebug runs.
func TestDebuggedProgram(t *testing.T) {
	if os.Getenv(debugVariable) == "" {
		t.Skip("TestHostDebug runs it")
	}
	link, err := hostlink.Dial(os.Getenv(hostlink.Env))
	if err != nil {
		t.Fatal(err)
	}
	for {
		link.Send(hostlink.Asks{Prompt: "(simt host) "})
		says, err := link.Receive()
		switch {
		case err != nil:
			t.Fatal(err)
		case says.End:
			return
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

// TestHostDebug checks what simtrun host --debug does as the terminal of a debugger: lines of -x come before those of
// -e, and are shown after the prompt, on standard error; one that fails is a mistake; and quit is no failure of the
// program.
func TestHostDebug(t *testing.T) {
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
		"quit":      {[]string{"--debug", "-e", "quit", "-e", "one"}, 0, "(simt host) quit\n"},
		"no debug":  {[]string{"-e", "quit"}, exitUsage, "-x and -e are commands of the debugger: simtrun host --debug"},
		"a clock":   {[]string{"--debug", "--clock"}, exitUsage, "--debug is for launches without a clock"},
		"no file":   {[]string{"--debug", "-x", "/none"}, exitUsage, "/none"},
	} {
		t.Run(name, func(t *testing.T) {
			got := simtrunIn(t.Context(), t.TempDir(), append(append([]string{"host"}, c.flags...), program)...)
			if got.code != c.code || got.stdout != "" || !strings.Contains(got.stderr, c.want) {
				t.Errorf("%+v, want %d and %q", got, c.code, c.want)
			}
		})
	}
}
