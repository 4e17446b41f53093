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

// asyncFindings returns the findings in the registers of a kernel.
func asyncFindings(t *testing.T, source string, threads uint32) []string {
	t.Helper()
	var found []interp.Warning
	k := kerneltest.Kernel{Source: source, Block: kerneltest.Dim(threads, 1), Words: []int{4}}
	k.Driver = func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
		a, err := check.AttachAsync(m, &l)
		if err != nil {
			return interp.Stats{}, err
		}
		stats, err := functional.Run(t.Context(), m, l)
		found = a.Warnings()
		return stats, err
	}
	if _, _, err := k.Run(t); err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, w := range found {
		all = append(all, fmt.Sprintf("%s %d", w.Rule, w.Place.Code.Line))
	}
	slices.Sort(all)
	return all
}

func TestEarlyUseOfProductsIsFound(t *testing.T) {
	for _, c := range kerneltest.Cases(t, "testdata/products.txt", "finds") {
		source := ".entry k(.param .u64 out) { .shared .align 128 .b8 s[4096]; ld.param.u64 %rd1, [out];\n" + c.Body + "ret;\n}\n"
		if diff := cmp.Diff(c.Values("finds"), asyncFindings(t, source, 128)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.Name, diff)
		}
	}
}

func TestEarlyUseOfTensorLoadsIsFound(t *testing.T) {
	for _, c := range kerneltest.Cases(t, "testdata/tensors.txt", "finds") {
		source := ".entry k(.param .u64 out) { .shared .b32 where; ld.param.u64 %rd1, [out]; mov.u32 %r6, 0; tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [where], 32; ld.shared.u32 %r1, [where];\n" +
			c.Body + "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r1, 32;\nret;\n}\n"
		if diff := cmp.Diff(c.Values("finds"), asyncFindings(t, source, 32)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.Name, diff)
		}
	}
}
