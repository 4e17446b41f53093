package check_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/check"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
)

// Parts of the cases: a product of matrices in shared memory into %f1 to %f4, one with A in %r1 to %r4, and another
// into %f5 to %f8; and what orders them.
const (
	wgProduct = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, 0x800080000, 0x800080000, 1, 1, 1, 0, 0;"
	wgRegs    = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, 0x800080000, 1, 1, 1, 0;"
	wgOther   = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f5, %f6, %f7, %f8}, 0x800080000, 0x800080000, 1, 1, 1, 0, 0;"
	wgWide    = "wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}, 0x800080000, 0x800080000, 1, 1, 1, 0, 0;"
	wgFence   = "wgmma.fence.sync.aligned;"
	wgCommit  = "wgmma.commit_group.sync.aligned;"
	wgWait    = "wgmma.wait_group.sync.aligned 0;"
	wgWait1   = "wgmma.wait_group.sync.aligned 1;"
	wgStore   = "st.global.f32 [%rd1], %f1;"
)

// asyncCases have the rule and line of the findings. The first line of the body is line 2.
var asyncCases = []struct {
	name string
	body []string
	want []string
}{
	{"a product", []string{wgFence, wgProduct, wgCommit, wgWait, wgStore}, nil},
	{"no fence", []string{wgProduct, wgCommit, wgWait, wgStore}, []string{"product-fence 2"}},
	{"a fence that comes later", []string{wgProduct, wgFence, wgCommit, wgWait, wgStore}, []string{"product-fence 2"}},
	{"two products into the same registers", []string{wgFence, wgProduct, wgProduct, wgCommit, wgWait, wgStore}, nil},
	{"the same in two groups", []string{wgFence, wgProduct, wgCommit, wgProduct, wgCommit, wgWait, wgStore}, nil},
	{"two shapes", []string{wgFence, wgProduct, wgWide, wgCommit, wgWait, wgStore}, []string{"product-result 4"}},
	{"two shapes, with a wait", []string{wgFence, wgProduct, wgCommit, wgWait, wgFence, wgWide, wgCommit, wgWait, wgStore}, nil},
	{"no wait", []string{wgFence, wgProduct, wgCommit, wgStore}, []string{"product-result 5"}},
	{"no wait and no group", []string{wgFence, wgProduct, wgStore}, []string{"product-result 4"}},
	{"a wait without a group", []string{wgFence, wgProduct, wgWait, wgStore}, []string{"product-result 5"}},
	{"a wait for all but the latest", []string{wgFence, wgProduct, wgCommit, wgWait1, wgStore}, []string{"product-result 6"}},
	{"a wait for the first of two groups", []string{wgFence, wgProduct, wgCommit, wgOther, wgCommit, wgWait1, wgStore, wgWait}, nil},
	{"a wait for the first of two groups, and a use of the second", []string{wgFence, wgOther, wgCommit, wgProduct, wgCommit, wgWait1, wgStore, wgWait}, []string{"product-result 8"}},
	{"a barrier is no wait", []string{wgFence, wgProduct, wgCommit, "bar.sync 0;", wgStore, wgWait}, []string{"product-result 6"}},
	{"a fence is no wait", []string{wgFence, wgProduct, wgCommit, wgFence, wgStore, wgWait}, []string{"product-result 6"}},
	{"a result is overwritten", []string{wgFence, wgProduct, wgCommit, "mov.f32 %f1, 0f00000000;", wgWait}, []string{"product-result 5"}},
	{"an operation on a result", []string{wgFence, wgProduct, wgCommit, "add.f32 %f9, %f2, %f3;", wgWait}, []string{"product-result 5"}},
	{"another register", []string{wgFence, wgProduct, wgCommit, "add.f32 %f9, %f9, %f9;", wgWait, wgStore}, nil},
	{"a result moves", []string{wgFence, wgProduct, wgCommit, "mov.f32 %f9, %f1;", wgWait, "st.global.f32 [%rd1], %f9;"}, nil},
	{"a result moves and is used", []string{wgFence, wgProduct, wgCommit, "mov.f32 %f9, %f1;", "st.global.f32 [%rd1], %f9;", wgWait}, []string{"product-result 6"}},
	{"A in registers", []string{wgFence, wgRegs, wgCommit, wgWait, wgStore}, nil},
	{"A is written before the fence", []string{"mov.u32 %r1, 1;", wgFence, wgRegs, wgCommit, wgWait, wgStore}, nil},
	{"A is written after the fence", []string{wgFence, "mov.u32 %r1, 1;", wgRegs, wgCommit, wgWait, wgStore}, []string{"product-fence 4"}},
	{"A is written before the wait", []string{wgFence, wgRegs, wgCommit, "mov.u32 %r2, 1;", wgWait, wgStore}, []string{"product-result 5"}},
	{"A is read before the wait", []string{wgFence, wgRegs, wgCommit, "st.global.u32 [%rd1], %r2;", wgWait, wgStore}, nil},
	{"A is written after the wait", []string{wgFence, wgRegs, wgCommit, wgWait, "mov.u32 %r2, 1;", wgStore}, nil},
	{"A for two products", []string{wgFence, wgRegs, wgRegs, wgCommit, wgWait, wgStore}, nil},
	{"A is loaded between two products without a fence", []string{wgFence, wgRegs, wgCommit, wgWait, "ld.global.u32 %r3, [%rd1];", wgRegs, wgCommit, wgWait, wgStore}, []string{"product-fence 7"}},
	{"A is loaded between two products", []string{wgFence, wgRegs, wgCommit, wgWait, "ld.global.u32 %r3, [%rd1];", wgFence, wgRegs, wgCommit, wgWait, wgStore}, nil},
	{"D is cleared before the fence", []string{"mov.f32 %f1, 0f00000000;", wgFence, wgProduct, wgCommit, wgWait, wgStore}, nil},
	{"D is cleared after the fence", []string{wgFence, "mov.f32 %f1, 0f00000000;", wgProduct, wgCommit, wgWait, wgStore}, []string{"product-fence 4"}},
	{"a loop with a fence and a wait", []string{"mov.u32 %r9, 0; L:", wgFence, wgProduct, wgCommit, wgWait, "add.f32 %f1, %f1, %f1; add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 3; @%p1 bra L;", wgStore}, nil},
	{"a loop with the fence outside", []string{wgFence, "mov.u32 %r9, 0; L:", wgProduct, wgCommit, wgWait, "add.f32 %f1, %f1, %f1; add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 3; @%p1 bra L;", wgStore}, []string{"product-fence 4"}},
	{"a pipeline of two groups", []string{wgFence, wgProduct, wgCommit, "mov.u32 %r9, 0; L:", wgFence, wgOther, wgCommit, wgWait1, "add.f32 %f9, %f1, %f2;", wgFence, wgProduct, wgCommit, wgWait1,
		"add.f32 %f9, %f5, %f6; add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 3; @%p1 bra L;", wgWait}, nil},
	{"a pipeline that uses the wrong group", []string{wgFence, wgProduct, wgCommit, "mov.u32 %r9, 0; L:", wgFence, wgOther, wgCommit, wgWait1, "add.f32 %f9, %f5, %f6;", wgFence, wgProduct, wgCommit, wgWait1,
		"add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 3; @%p1 bra L;", wgWait}, []string{"product-result 10"}},
}

// tensorCases are those of tensor memory: a block of 32 threads that has 32 columns, at %r1.
var tensorCases = []struct {
	name string
	body []string
	want []string
}{
	{"a load", []string{tmLoad, tmWait, tmUse}, nil},
	{"no wait", []string{tmLoad, tmUse, tmWait}, []string{"tensor-unwaited 3"}},
	{"a wait for stores is none for loads", []string{tmLoad, "tcgen05.wait::st.sync.aligned;", tmUse, tmWait}, []string{"tensor-unwaited 4"}},
	{"a fence is no wait", []string{tmLoad, "tcgen05.fence::before_thread_sync;", tmUse, tmWait}, []string{"tensor-unwaited 4"}},
	{"a barrier is no wait", []string{tmLoad, "bar.warp.sync -1;", tmUse, tmWait}, []string{"tensor-unwaited 4"}},
	{"not used", []string{tmLoad}, nil},
	{"another register", []string{tmLoad, "add.u32 %r6, %r6, 1;", tmWait, tmUse}, nil},
	{"overwritten", []string{tmLoad, "mov.u32 %r2, 1;", tmWait, tmUse}, []string{"tensor-unwaited 3"}},
	{"two loads and a wait", []string{tmLoad, strings.ReplaceAll(tmLoad, "%r2", "%r3"), tmWait, "add.u32 %r4, %r2, %r3;"}, nil},
	{"the second load is not waited for", []string{tmLoad, tmWait, strings.ReplaceAll(tmLoad, "%r2", "%r3"), "add.u32 %r4, %r2, %r3;", tmWait}, []string{"tensor-unwaited 5"}},
	{"stored back", []string{tmLoad, "tcgen05.st.sync.aligned.32x32b.x1.b32 [%r1], {%r2};", tmWait}, []string{"tensor-unwaited 3"}},
	{"moved and used after the wait", []string{tmLoad, "mov.u32 %r5, %r2;", tmWait, "add.u32 %r4, %r5, %r5;"}, nil},
	{"moved and used before the wait", []string{tmLoad, "mov.u32 %r5, %r2;", "add.u32 %r4, %r5, %r5;", tmWait}, []string{"tensor-unwaited 4"}},
	{"an address", []string{tmLoad, "cvt.u64.u32 %rd5, %r2;", tmWait}, []string{"tensor-unwaited 3"}},
	{"a condition", []string{tmLoad, "setp.eq.u32 %p1, %r2, 0;", tmWait}, []string{"tensor-unwaited 3"}},
}

const (
	tmLoad = "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r2}, [%r1];"
	tmWait = "tcgen05.wait::ld.sync.aligned;"
	tmUse  = "st.global.u32 [%rd1], %r2;"
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

func TestRegistersOfProducts(t *testing.T) {
	for _, c := range asyncCases {
		source := ".entry k(.param .u64 out) { .shared .align 128 .b8 s[4096]; ld.param.u64 %rd1, [out];\n" + strings.Join(c.body, "\n") + "\nret;\n}\n"
		if diff := cmp.Diff(c.want, asyncFindings(t, source, 128)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestRegistersOfTensorLoads(t *testing.T) {
	for _, c := range tensorCases {
		source := ".entry k(.param .u64 out) { .shared .b32 where; ld.param.u64 %rd1, [out]; mov.u32 %r6, 0; tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [where], 32; ld.shared.u32 %r1, [where];\n" +
			strings.Join(c.body, "\n") + "\ntcgen05.dealloc.cta_group::1.sync.aligned.b32 %r1, 32;\nret;\n}\n"
		if diff := cmp.Diff(c.want, asyncFindings(t, source, 32)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}
