package report

import (
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/launch"
	"github.com/simtrun/simtrun/internal/source"
	"github.com/simtrun/simtrun/interp"
)

// TestUncompiledFunctionsAreNamedOnce: functions that could not be compiled are named once; what else kept warps out of
// code is written only if it is asked for.
func TestUncompiledFunctionsAreNamedOnce(t *testing.T) {
	at := isa.Pos{File: "k.s", Line: 3, Col: 1}
	l := launch.Launched{Execution: launch.Execution{
		Uncompiled: []interp.Uncompiled{{Func: "k", Pos: at, Reason: "a bug", Stack: "stack\n"}, {Func: "k", Pos: at, Reason: "they see it", Observed: true}},
		Left:       []interp.Left{{Func: "k", Place: source.Place{Code: at}, Text: "call f;", Times: 20000, Why: "it calls"}},
		Leaves:     []interp.Left{{Func: "k", Place: source.Place{Code: at}, Text: "call g;", Why: "it calls"}},
	}}
	res := &launch.Result{Launches: []launch.Launched{l, l}}
	const refused = "k.s:3:1: note: k is not compiled and takes many times as long: a bug; please report this with what simtrun run -v prints\n"
	const asked = "stack\nk.s:3:1: note: k ran without compiled code and took many times as long: they see it\nk.s:3:1: note: compiled code was left 20000 times at: call f; (it calls)\nk.s:3:1: note: compiled code leaves this to the interpreter: call g; (it calls)\n"
	for verbose, want := range map[bool]string{false: refused, true: refused + asked} {
		var b strings.Builder
		if WriteUncompiled(&b, res, verbose, Paint("")); b.String() != want {
			t.Errorf("verbose %t: %q, want %q", verbose, b.String(), want)
		}
	}
	if all := leftOf(&l); len(all) != 1 || all[0] != (Left{Name{"k", ""}, Place{"k.s", 3, 1}, 0, "call f;", 20000, "it calls"}) {
		t.Errorf("%+v", all)
	}
}
