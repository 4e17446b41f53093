package check_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/check"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
)

// proxyLines returns the lines of the findings about the async proxy in a kernel for one block of 128 threads.
func proxyLines(t *testing.T, body string) (lines []string) {
	t.Helper()
	var found []interp.Warning
	k := kerneltest.Kernel{Source: ".entry k(.param .u64 out) { .shared .align 128 .b8 s[4096]; .shared .align 8 .b64 bar; ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, s; mad.lo.u32 %r2, %r1, 16, %r2; " +
		"setp.eq.u32 %p1, %r1, 0; setp.eq.u32 %p3, %r1, 32; shr.u32 %r3, %r1, 5; setp.eq.u32 %p2, %r3, 1;\n" + body + "ret;\n}\n", Block: kerneltest.Dim(128, 1), Words: []int{1024}}
	k.Driver = func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
		p, err := check.AttachProxies(m, &l)
		if err != nil {
			return interp.Stats{}, err
		}
		stats, err := functional.Run(t.Context(), m, l)
		found = p.Warnings()
		return stats, err
	}
	if _, _, err := k.Run(t); err != nil {
		t.Fatal(fmt.Errorf("%w\n%s", err, k.Source))
	}
	for _, w := range found {
		lines = append(lines, fmt.Sprint(w.Place.Code.Line))
	}
	slices.Sort(lines)
	return lines
}

func TestMissingProxyFencesAreFound(t *testing.T) {
	for _, c := range kerneltest.Cases(t, "testdata/proxies.txt", "finds") {
		if diff := cmp.Diff(c.Values("finds"), proxyLines(t, c.Body)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.Name, diff)
		}
	}
}
