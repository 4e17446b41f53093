package check_test

import (
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/check"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
)

// TestOnlyUsedUndefinedShufflesAreFound: an undefined shuffle result is a finding if a branch, an address or a store to
// global memory depends on it in its lane, and otherwise is not.
func TestOnlyUsedUndefinedShufflesAreFound(t *testing.T) {
	for _, c := range kerneltest.Cases(t, "testdata/shuffles.txt", "block", "finds") {
		want, threads := c.Value(t, "finds"), uint32(32)
		if c.Values("block") != nil {
			threads = c.Dim(t, "block").X
		}
		var found []interp.Warning
		k := kerneltest.Kernel{Source: ".extern .func (.param .b32 r) __nv_max(.param .b32 a, .param .b32 b);\n.entry k(.param .u64 out) {\nld.param.u64 %rd1, [out];\nmov.u32 %r1, %laneid;\n" + c.Body + "ret;\n}\n",
			Block: kerneltest.Dim(threads, 1), Words: []int{4}}
		k.Driver = func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
			s, err := check.AttachShuffles(m, &l)
			if err != nil {
				t.Fatal(err)
			}
			stats, err := functional.Run(t.Context(), m, l)
			found = s.Warnings()
			return stats, err
		}
		if _, _, err := k.Run(t); err != nil {
			t.Errorf("%s: %v", c.Name, err)
		}
		var text strings.Builder
		for _, w := range found {
			text.WriteString(w.Place.Code.String() + " " + w.Msg + "\n" + strings.Join(w.Details(), "\n"))
		}
		if want == "" && len(found) > 0 || want != "" && !strings.Contains(text.String(), want) {
			t.Errorf("%s: got %q, want %q", c.Name, text.String(), want)
		}
	}
}
