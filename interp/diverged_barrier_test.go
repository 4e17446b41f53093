package interp_test

import (
	"strings"
	"testing"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
)

// TestBarriersInDivergentCode: it is an error, because PTX leaves it undefined, if lanes of a warp skip an aligned
// barrier or execute another one, whichever side of the branch runs first. It is not an error if they have returned,
// or reach the barrier later.
func TestBarriersInDivergentCode(t *testing.T) {
	const (
		odd   = "and.b32 %r1, %tid.x, 1;\nsetp.ne.u32 %p1, %r1, 0;\n"
		few   = "setp.ge.u32 %p1, %tid.x, 40;\n"
		store = "st.global.u32 [%rd1], 1;\n"
	)
	const leaves, differ = "lanes of the warp skip this barrier", "lanes of one warp execute different barriers"
	for _, c := range []struct {
		name, body string
		want       string // message of the expected error; "" for none
	}{
		{"if (t < 40) sync", few + "@%p1 bra SKIP;\nbar.sync 0;\nSKIP:\n" + store, leaves},
		{"guarded", "setp.lt.u32 %p2, %tid.x, 40;\n@%p2 bar.sync 0;\n" + store, leaves},
		{"reduction", few + "@%p1 bra SKIP;\nbar.red.popc.u32 %r2, 0, %p1;\nSKIP:\n" + store, leaves},
		{"aligned barrier", few + "@%p1 bra SKIP;\nbarrier.sync.aligned 0;\nSKIP:\n" + store, leaves},
		{"not aligned", few + "@%p1 bra SKIP;\nbarrier.sync 0;\nSKIP:\n" + store, ""},
		{"both arms", odd + "@%p1 bra ODD;\nbar.sync 0;\n" + store + "bra END;\nODD:\nbar.sync 0;\n" + store + "END:\n", differ},
		{"both arms, not aligned", odd + "@%p1 bra ODD;\nbarrier.sync 0;\n" + store + "bra END;\nODD:\nbarrier.sync 0;\n" + store + "END:\n", ""},
		{"loop", "and.b32 %r1, %tid.x, 3;\nL:\nbar.sync 0;\nsub.s32 %r1, %r1, 1;\nsetp.ge.s32 %p1, %r1, 0;\n@%p1 bra L;\n" + store, leaves},
		{"early return", few + "@%p1 ret;\nbar.sync 0;\n" + store, ""},
		{"early return by a branch", few + "@%p1 bra END;\nbar.sync 0;\n" + store + "END:\n", ""},
		{"work before an early return", few + "@!%p1 bra GO;\n" + store + "ret;\nGO:\nbar.sync 0;\n" + store, ""},
		{"work before an early return, to one end", few + "@!%p1 bra GO;\n" + store + "bra END;\nGO:\nbar.sync 0;\n" + store + "END:\n", ""},
		{"if of whole warps", "setp.ge.u32 %p1, %tid.x, 32;\n@%p1 bra SKIP;\nbar.sync 1, 32;\nSKIP:\n" + store, ""},
		{"after a branch", odd + "@%p1 bra ODD;\n" + store + "ODD:\nbar.sync 0;\n" + store, ""},
	} {
		for _, order := range kerneltest.Orders {
			k := kerneltest.Kernel{Source: kerneltest.Entry + "ld.param.u64 %rd1, [out];\n" + c.body + "ret;\n}", Block: kerneltest.Dim(64, 1), Words: []int{1},
				Config: interp.Config{PathOrder: order, Divergence: divergence.IndependentThreads}}
			_, stats, err := k.Run(t)
			if err != nil {
				t.Errorf("%s, %s: %v", c.name, order, err)
				continue
			}
			found := false
			for _, w := range stats.Warnings {
				if w.Rule != interp.RuleDiverged || !w.Error || c.want == "" {
					t.Errorf("%s, %s: %+v", c.name, order, w)
				}
				found = found || strings.Contains(w.Msg, c.want)
			}
			if c.want != "" && !found {
				t.Errorf("%s, %s: nothing says %q: %+v", c.name, order, c.want, stats.Warnings)
			}
		}
	}
}

// TestBarriersInCalledFunctions: the verdict on a barrier in a function that is called, as without optimisation, is
// that on the same code inlined. CALL stands for a call.
func TestBarriersInCalledFunctions(t *testing.T) {
	const (
		few    = "setp.ge.u32 %p1, %tid.x, 40;\n"
		store  = "st.global.u32 [%rd1], 1;\n"
		guards = few + "@%p1 bra SKIP;\nbar.sync 0;\nSKIP:\n"
		early  = few + "@%p1 bra SKIP;\nbar.sync 0;\n" + "ret;\nSKIP:\n"
	)
	const leaves = "lanes of the warp skip this barrier"
	for _, c := range []struct {
		name, function, kernel string
		want                   string // message of the expected error; "" for none
	}{
		{"if (t < 40) sync in a function", guards, "CALL" + store, leaves},
		{"if (t < 40) sync in a function at the end", guards, "CALL", ""},
		{"before a branch to the end", guards, "CALL" + "bra.uni END;\nEND:\n", ""},
		{"if (t < 40) call", "bar.sync 0;\n", few + "@%p1 bra NOT;\nCALL\nNOT:\n" + store, leaves},
		{"if (t < 40) call, at the end", "bar.sync 0;\n", few + "@%p1 bra NOT;\nCALL\nNOT:\n", ""},
		{"in both arms", "bar.sync 0;\n", few + "@%p1 bra NOT;\nCALL\nbra.uni MEET;\nNOT:\nCALL\nMEET:\n" + store, leaves},
		{"early return before the call", "bar.sync 0;\n", few + "@%p1 ret;\nCALL" + store, ""},
		{"early return in the function", early, "CALL" + store, leaves},
		{"early return in the function at the end", early, "CALL", ""},
		{"after a branch", "bar.sync 0;\n", few + "@%p1 bra NOT;\n" + store + "NOT:\nCALL" + store, ""},
	} {
		for _, order := range kerneltest.Orders {
			function := ".func f(.reg .u64 %rd1)\n{\n.reg .pred %p1;\n" + c.function + "ret;\n}\n"
			source := function + kerneltest.Entry + "ld.param.u64 %rd1, [out];\n" + strings.ReplaceAll(c.kernel, "CALL", "call f, (%rd1);\n") + "ret;\n}"
			k := kerneltest.Kernel{Source: source, Block: kerneltest.Dim(64, 1), Words: []int{1},
				Config: interp.Config{PathOrder: order, Divergence: divergence.IndependentThreads}}
			_, stats, err := k.Run(t)
			if err != nil {
				t.Errorf("%s, %s: %v", c.name, order, err)
				continue
			}
			found := false
			for _, w := range stats.Warnings {
				if w.Rule != interp.RuleDiverged || !w.Error || c.want == "" {
					t.Errorf("%s, %s: %+v", c.name, order, w)
				}
				found = found || strings.Contains(w.Msg, c.want)
			}
			if c.want != "" && !found {
				t.Errorf("%s, %s: nothing says %q: %+v", c.name, order, c.want, stats.Warnings)
			}
		}
	}
}
