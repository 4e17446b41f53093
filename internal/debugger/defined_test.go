package debugger

import (
	"errors"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/divergence"
)

// TestDefineMakesCommand: define makes a command of several, with arguments, lists within, help and completion. In the
// kernel, r1 is the number of the thread.
func TestDefineMakesCommand(t *testing.T) {
	b := newSeveral(t, divergence.IndependentThreads, 64, "work")
	for _, c := range [][2]string{
		{"define", "define what? A name, of letters, digits, - and _"},
		{"define two words", "define what? A name, of letters, digits, - and _"},
		{"define step", "step is a command of the debugger; define takes another name"},
		{"define bp", "bp is a command of the debugger; define takes another name"},
		{"define hook-stop", "no command can be executed with another one; display shows values after every stop, commands N begins what breakpoint N executes"},
		{"document at", "document what? A command that define has defined"},
		{"show user", "no command of that kind; define NAME begins one, up to end"},
		// stop PLACE EXPR makes a breakpoint that prints.
		{"define at", ""},
		{"# of a place and a value", ""},
		{"tbreak $arg0", ""},
		{"commands", ""},
		{"silent", ""},
		{"print $arg1", ""},
		{"end", ""},
		{"echo $argc", ""},
		{"end", ""},
		{"help at", "at [ARG ...]\n  defined by the user"},
		{"document at", ""},
		{"stops at a place,", ""},
		{"", ""},
		{"if you like", ""},
		{"end", ""},
		{"help at", "at [ARG ...]\n  stops at a place, if you like"},
		{"apropos you like", "at\n  stops at a place, if you like"},
		{"at LOW r2[3]", "tbreak 1 at L25: mov.u32 %r3, box\n2"},
		{"info break", "tbreak 1 at L25: mov.u32 %r3, box   hits 0\n  silent\n  print r2[3]"},
		{"continue", "r2[3] u32 = 6"},
		{"show user at", "at:\n  # of a place and a value\n  tbreak $arg0\n  commands\n  silent\n  print $arg1\n  end\n  echo $argc"},
		{"show user a", "no command of that kind; define NAME begins one, up to end"},
		// An argument that is missing stays as it is; $arg10 is not $arg1 and a 0.
		{"define many", ""},
		{"print $arg10 + $arg1", ""},
		{"end", ""},
		{"many 0 1 2 3 4 5 6 7 8 9 20", "20 + 1 = 21"},
		{"many 0 1", "print $arg10 + 1: no register, parameter, buffer or variable $arg10; set $arg10 = EXPR makes one of the debugger"},
		// A command can be defined again, even from within.
		{"define many", ""},
		{"define many", ""},
		{"echo second", ""},
		{"end", ""},
		{"echo first", ""},
		{"end", ""},
		{"many", "first"},
		{"many", "second"},
	} {
		if got := b.do(c[0]); got != c[1] {
			t.Fatalf("%s: %s, want %s", c[0], got, c[1])
		}
	}
	if got := b.Complete("man"); len(got) != 1 || got[0] != "many" {
		t.Errorf("man is completed to %q", got)
	}
}

// TestDefinedCommandsEnd: neither recursion nor arguments that grow keep the debugger busy, and quit works in them.
func TestDefinedCommandsEnd(t *testing.T) {
	b := newSeveral(t, divergence.IndependentThreads, 64, "work")
	for _, line := range strings.Split("define twice\ntwice\ntwice\nend\ndefine grow\ngrow $arg0$arg0\nend\ndefine leave\nquit\nend", "\n") {
		b.do(line)
	}
	for line, want := range map[string]string{
		"twice":  "lists of commands execute more than 10000 lines",
		"grow x": "a command has at most 4096",
	} {
		if got := b.do(line); !strings.HasSuffix(got, want) || strings.Contains(got, "\n") {
			t.Errorf("%s: %.100s ... want %s", line, got, want)
		}
		if got := b.do("print 3"); got != "3 = 3" {
			t.Errorf("afterwards print answers %s", got)
		}
	}
	if err := b.Execute(t.Context(), "leave"); !errors.Is(err, ErrQuit) {
		t.Errorf("leave: %v", err)
	}
}

// TestDefinedCommandsTakeTime: a defined command may execute instructions, and works with a clock.
func TestDefinedCommandsTakeTime(t *testing.T) {
	b := newTimedBench(t, timedKernels[0], simple(), 64, 1)
	for _, line := range strings.Split("define on\nstep -cycle $arg0\nwhen\nend", "\n") {
		if b.MayExecute(line) {
			t.Errorf("%s may execute something", line)
		}
		b.do(line)
	}
	if got := b.do("on 7"); !strings.HasSuffix(got, "\ncycle 7") || !b.MayExecute("on 7") {
		t.Errorf("on 7: %s", got)
	}
}
