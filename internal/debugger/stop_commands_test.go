package debugger

import (
	"errors"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/divergence"
)

// TestCommandsRunAfterTheirStop: the commands of a point are executed after its stop, those after one that goes on are
// not, and those of the next stop follow; info break lists them.
func TestCommandsRunAfterTheirStop(t *testing.T) {
	b := newSeveral(t, divergence.IndependentThreads, 64, "work")
	for _, c := range [][2]string{
		{"commands", "commands of which breakpoint? break LOC makes one"},
		{"break LOW", "break 1 at L25: mov.u32 %r3, box"},
		{"commands", ""},
		{"silent", ""},
		{"", ""},
		{"print r2[3]", ""},
		{"continue", ""},
		{"echo not reached", ""},
		{"end", ""},
		{"tbreak 33", "tbreak 2 at L33: ret"},
		{"commands 2", ""},
		{"echo at the end", ""},
		{"end", ""},
		{"info break", "break 1 at L25: mov.u32 %r3, box   hits 0\n  silent\n  print r2[3]\n  continue\n  echo not reached\n" +
			"tbreak 2 at L33: ret   hits 0\n  echo at the end"},
		// Two warps come to LOW; lane 3 of the second one has thread 35, 35 * 2 + 1.
		{"continue", "r2[3] u32 = 6\nr2[3] u32 = 71\ntbreak 2 at L33  b0.w0  lanes 0-31\n=> 33   ret                                      active ffffffff\nat the end"},
		{"print r1[3]", "r1[3] u32 = 3"},
		{"commands 7", "no break, watch or trace 7; info break lists them"},
		{"commands 1", ""},
		{"nonsense", ""},
		{"echo not reached", ""},
		{"end", ""},
	} {
		if got := b.do(c[0]); got != c[1] {
			t.Fatalf("%s: %s, want %s", c[0], got, c[1])
		}
	}
	if got := b.do("continue"); got != `nonsense: no command "nonsense"; help lists them` {
		t.Errorf("a command that does not exist: %s", got)
	}
}

// TestCommandsHaveTheirOwnPrompt: while commands are typed there is another prompt, and no line is executed.
func TestCommandsHaveTheirOwnPrompt(t *testing.T) {
	b := newSeveral(t, divergence.IndependentThreads, 64, "work")
	b.do("break LOW")
	b.do("commands")
	if got := b.Prompt(); got != "> " || b.MayExecute("continue") {
		t.Errorf("the prompt is %q, and continue may execute: %v", got, b.MayExecute("continue"))
	}
	if b.do("step 3"); b.now() != (moment{}) {
		t.Errorf("step was executed")
	}
	b.do("end")
	if got := b.Prompt(); got != "(simt b0.w0.l0 32/32) " {
		t.Errorf("after end the prompt is %q", got)
	}
}

// TestSavedPointsAreRestored: the commands that save writes make the same points in another session, which saves the
// same.
func TestSavedPointsAreRestored(t *testing.T) {
	files := make(map[string]string)
	begin := func() *bench {
		b := newSeveral(t, divergence.IndependentThreads, 64, "work", "work")
		b.cfg.WriteFile = func(name string, text []byte) error {
			if name == "full" {
				return errors.New("no space left on device")
			}
			files[name] = string(text)
			return nil
		}
		b.cfg.ReadFile = func(name string) ([]byte, error) { return []byte(files[name]), nil }
		return b
	}
	b := begin()
	for _, line := range []string{"break 22 if r1 > 3", "commands", "silent", "p r1", "c", "end", "cond 1 -hits % 2", "tbreak k.s:24", "ignore 2 3", "watch -rw y[3] if r1 == 3",
		"rwatch box", "trace twice a, r if a < 4", "disable 5", "break", "break +2", "tbreak @4", "break on diverge", "awatch weight"} {
		b.do(line)
	}
	if got := b.do("save breakpoints a"); got != "saved 10 points to a" {
		t.Fatalf("save answers %s", got)
	}
	again := begin()
	if got := again.do("source a"); strings.Contains(got, "no ") {
		t.Fatalf("source answers %s\n%s", got, files["a"])
	}
	if got, want := again.do("info break"), b.do("info break"); got != want || strings.Count(want, "\n") != 12 {
		t.Errorf("the points are\n%s\nwant\n%s", got, want)
	}
	if again.do("save break b"); files["a"] != files["b"] {
		t.Errorf("saved again:\n%s\nwant\n%s", files["b"], files["a"])
	}
	for _, c := range [][2]string{{"save breakpoints full", "no space left on device"}, {"save", "save breakpoints FILE writes commands that make them; simtrun run --save NAME=FILE writes a buffer"}} {
		if got := b.do(c[0]); got != c[1] {
			t.Errorf("%s: %s", c[0], got)
		}
	}
}
