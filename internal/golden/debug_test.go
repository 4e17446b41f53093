package golden_test

import (
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/golden"
)

// TestDebugSectionIsSession: the commands of a debug section are carried out, backwards ones too, and the section gets
// what they print.
func TestDebugSectionIsSession(t *testing.T) {
	root := dir(t, map[string]string{"parts.s": parts, "parts.golden": `-- debug --
(simt) step 5
(simt) reverse-step
(simt) last-write r1
(simt) continue
(simt) nonsense
-- debug cycles timed --
(simt) step 2
(simt) reverse-step
`})
	o := checked(t, root, "parts.s", golden.Compare)
	if len(o.Problems) == 0 {
		t.Error("a session without output passes")
	}
	checked(t, root, "parts.s", golden.Update)
	same(t, 0, len(checked(t, root, "parts.s", golden.Compare).Problems))
	text := read(t, root, "parts.golden")
	for _, want := range []string{
		"(simt b0.w0.l0 16/32) reverse-step\n=> 9    @%p1 bra LOW ",
		"(simt b0.w0.l0 32/32) last-write r1\nstep 1  b0.w0  L6: mov.u32 %r1, %tid.x\n",
		"expect  1 passed\n(simt) nonsense\nno command \"nonsense\"",
		"-- debug cycles timed --\nparts  grid 1x1x1  block 32x1x1  gpu h100",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the sections lack %q:\n%s", want, text)
		}
	}
	root = dir(t, map[string]string{"parts.s": parts, "parts.golden": "-- debug --\nstep\n"})
	if o := checked(t, root, "parts.s", golden.Update); len(o.Problems) == 0 || !strings.Contains(o.Problems[0].Text, "has no commands") {
		t.Errorf("a session without commands: %+v", o)
	}
}
