package check_test

import (
	"fmt"
	"testing"

	"github.com/simtrun/simtrun/internal/check"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
)

// TestReadOnlyLoadsOfWrittenDataAreFound checks loads by the read-only path: %rd2 is the thread's word of 64, and %rd3
// that of the next thread. The finding is on line 2.
func TestReadOnlyLoadsOfWrittenDataAreFound(t *testing.T) {
	for name, c := range map[string]struct {
		body  string
		found bool
	}{
		"its own write":          {"st.global.u32 [%rd2], %r1;\nld.global.nc.u32 %r2, [%rd2];", true},
		"another thread's write": {"st.global.u32 [%rd2], %r1; bar.sync 0;\nld.global.nc.u32 %r2, [%rd3];", true},
		"an atomic":              {"red.global.add.u32 [%rd2], 1;\nld.global.nc.u32 %r2, [%rd2];", true},
		"a byte of a word":       {"st.global.u8 [%rd2+3], %r1;\nld.global.nc.u32 %r2, [%rd2];", true},
		"other bytes of a word":  {"st.global.u8 [%rd2+3], %r1;\nld.global.nc.u16 %rs1, [%rd2];", false},
		"a vector":               {"st.global.u32 [%rd2+12], %r1;\n@%p1 ld.global.nc.v4.u32 {%r2, %r3, %r4, %r5}, [%rd1];", true},
		"written later":          {"\nld.global.nc.u32 %r2, [%rd2]; st.global.u32 [%rd2], %r2;", false},
		"an ordinary load":       {"st.global.u32 [%rd2], %r1;\nld.global.u32 %r2, [%rd2]; ld.global.nc.u32 %r3, [%rd2+1024];", false},
		"other memory":           {"st.global.u32 [%rd2], %r1;\nld.global.nc.u32 %r2, [%rd2+1024];", false},
	} {
		t.Run(name, func(t *testing.T) {
			var found []interp.Warning
			k := kerneltest.Kernel{Source: ".entry k(.param .u64 out) { ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mad.wide.u32 %rd2, %r1, 4, %rd1; add.u32 %r6, %r1, 1; and.b32 %r6, %r6, 63; " +
				"mad.wide.u32 %rd3, %r6, 4, %rd1; setp.eq.u32 %p1, %r1, 32; " + c.body + "\nret;\n}\n", Block: kerneltest.Dim(64, 1), Words: []int{512}}
			k.Driver = func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
				n, err := check.AttachNonCoherent(m, &l)
				if err != nil {
					return interp.Stats{}, err
				}
				stats, err := functional.Run(t.Context(), m, l)
				found = n.Warnings()
				return stats, err
			}
			if _, _, err := k.Run(t); err != nil {
				t.Fatal(fmt.Errorf("%w\n%s", err, k.Source))
			}
			if len(found) > 1 || (len(found) == 1) != c.found || c.found && (found[0].Place.Code.Line != 2 || found[0].Rule != interp.RuleNonCoherent) {
				t.Errorf("%+v", found)
			}
		})
	}
}
