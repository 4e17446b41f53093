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

// Parts of the cases. %r1 is the thread's index and %r2 its own 16 bytes of s, a word of which it writes; %p1 holds in
// thread 0, %p2 in threads 32 to 63 and %p3 in thread 32. One copy is of the words of all 128 threads, the other of
// none of them.
const (
	pxWrite  = "st.shared.u32 [%r2], %r1;"
	pxFence  = "fence.proxy.async.shared::cta;"
	pxBar    = "bar.sync 0;"
	pxCopy   = "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 2048;"
	pxOther  = "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s+2048], 2048;"
	pxWait   = "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;"
	pxTake   = "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd1], 2048, [bar];"
	pxInit   = "@%p1 mbarrier.init.shared.b64 [bar], 1;"
	pxExpect = "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 2048;"
	pxPoll   = "W: mbarrier.try_wait.parity.shared.b64 %p4, [bar], 0; @!%p4 bra W;"
)

// proxyCases have the line of the finding, which is the read's; 0 for none. The first line of the body is line 2.
var proxyCases = []struct {
	name string
	body string
	want int
}{
	{"each thread fences what it wrote", pxWrite + "\n" + pxFence + pxBar + "\n" + pxCopy + pxWait, 0},
	{"no fence", pxWrite + "\n" + pxBar + "\n" + pxCopy + pxWait, 4},
	{"a fence before the write", pxFence + pxWrite + "\n" + pxBar + "\n" + pxCopy + pxWait, 4},
	{"the thread that copies fences", pxWrite + pxBar + "\n@%p1 " + pxFence + "\n" + pxCopy + pxWait, 0},
	{"a fence after the copy", pxWrite + pxBar + "\n" + pxCopy + "\n" + pxFence + pxWait, 3},
	{"an ordinary fence", pxWrite + "membar.cta;" + pxBar + "\n" + pxCopy + pxWait, 3},
	{"fence.acq_rel", pxWrite + "fence.acq_rel.cta;" + pxBar + "\n" + pxCopy + pxWait, 3},
	{"a fence for global memory", pxWrite + "fence.proxy.async.global;" + pxBar + "\n" + pxCopy + pxWait, 3},
	{"a fence for all memory", pxWrite + "fence.proxy.async;" + pxBar + "\n" + pxCopy + pxWait, 0},
	{"a fence for the cluster's shared memory", pxWrite + "fence.proxy.async.shared::cluster;" + pxBar + "\n" + pxCopy + pxWait, 0},
	{"a fence of aliases", pxWrite + "fence.proxy.alias;" + pxBar + "\n" + pxCopy + pxWait, 3},
	{"other bytes", pxWrite + pxBar + "\n" + pxOther + pxWait, 0},
	{"nothing is written", pxCopy + pxWait, 0},
	{"reads need no fence", "ld.shared.u32 %r9, [%r2];" + pxBar + "\n" + pxCopy + pxWait, 0},
	{"an atomic", "red.shared.add.u32 [%r2], 1;" + pxBar + "\n" + pxCopy + pxWait, 3},
	{"a copy of cp.async", "cp.async.ca.shared.global [%r2], [%rd1], 4; cp.async.wait_all;" + pxBar + "\n" + pxCopy + pxWait, 3},
	{"a copy of cp.async, and a fence", "cp.async.ca.shared.global [%r2], [%rd1], 4; cp.async.wait_all;" + pxFence + pxBar + "\n" + pxCopy + pxWait, 0},
	{"a vector", "st.shared.v4.u32 [%r2], {%r1, %r1, %r1, %r1};" + pxBar + "\n" + pxCopy + pxWait, 3},
	{"a generic store", "cvt.u64.u32 %rd5, %r2; cvta.shared.u64 %rd5, %rd5; st.u32 [%rd5], %r1;" + pxBar + "\n" + pxCopy + pxWait, 3},
	{"two writes, one with a fence", pxWrite + pxFence + "\n" + pxWrite + "\n" + pxBar + "\n" + pxCopy + pxWait, 5},
	{"written again after the fence", pxWrite + pxFence + "@%p3 " + pxWrite + pxBar + "\n" + pxCopy + pxWait, 3},
	{"only some threads fence", pxWrite + "@!%p2 " + pxFence + pxBar + "\n" + pxCopy + pxWait, 3},
	{"a third thread fences between two barriers", pxWrite + pxBar + "@%p3 " + pxFence + pxBar + "\n" + pxCopy + pxWait, 0},
	{"a third thread fences before the barrier", "@!%p2 " + pxWrite + "@%p3 " + pxFence + pxBar + "\n" + pxCopy + pxWait, 3},
	{"the second copy reads what is new", pxWrite + pxFence + pxBar + "\n" + pxCopy + pxWait + pxBar + "\n" + pxWrite + pxBar + "\n" + pxCopy + pxWait, 5},
	{"the second copy of the same", pxWrite + pxFence + pxBar + "\n" + pxCopy + pxWait + pxBar + "\n" + pxCopy + pxWait, 0},
	{"what a copy has brought", pxInit + pxBar + pxExpect + "\n" + pxTake + pxPoll + pxBar + "\n" + pxCopy + pxWait, 0},
	{"what a copy has overwritten", pxWrite + pxInit + pxBar + pxExpect + "\n" + pxTake + pxPoll + pxBar + "\n" + pxCopy + pxWait, 0},
	{"written after a copy has brought it", pxInit + pxBar + pxExpect + "\n" + pxTake + pxPoll + "\n" + pxWrite + pxBar + "\n" + pxCopy + pxWait, 5},
	{"a copy overwrites without a fence", pxWrite + pxInit + pxBar + pxExpect + "\n" + pxTake + pxPoll, 0},
	{"in a loop, with a fence", "mov.u32 %r9, 0;\nL: " + pxWrite + pxFence + pxBar + "\n" + pxCopy + pxWait + pxBar + "add.u32 %r9, %r9, 1; setp.lt.u32 %p5, %r9, 3; @%p5 bra L;", 0},
	{"in a loop, with the fence outside", "mov.u32 %r9, 0;\n" + pxWrite + pxFence + "\nL: " + pxBar + pxCopy + pxWait + pxBar + "\n" + pxWrite + " add.u32 %r9, %r9, 1; setp.lt.u32 %p5, %r9, 3; @%p5 bra L;", 4},
	{"a product", pxWrite + pxFence + pxBar + wgFence + "\n" + wgProduct + wgCommit + wgWait, 0},
	{"a product without a fence", pxWrite + pxBar + wgFence + "\n" + wgProduct + wgCommit + wgWait, 3},
	{"a product, and wgmma.fence alone", pxWrite + wgFence + pxBar + wgFence + "\n" + wgProduct + wgCommit + wgWait, 3},
}

// proxyLines returns the lines of the findings about the async proxy in a kernel for one block of 128 threads.
func proxyLines(t *testing.T, body string) (lines []int) {
	t.Helper()
	var found []interp.Warning
	k := kerneltest.Kernel{Source: ".entry k(.param .u64 out) { .shared .align 128 .b8 s[4096]; .shared .align 8 .b64 bar; ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, s; mad.lo.u32 %r2, %r1, 16, %r2; " +
		"setp.eq.u32 %p1, %r1, 0; setp.eq.u32 %p3, %r1, 32; shr.u32 %r3, %r1, 5; setp.eq.u32 %p2, %r3, 1;\n" + body + "\nret;\n}\n", Block: kerneltest.Dim(128, 1), Words: []int{1024}}
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
		lines = append(lines, int(w.Place.Code.Line))
	}
	slices.Sort(lines)
	return lines
}

func TestFencesOfTheAsyncProxy(t *testing.T) {
	for _, c := range proxyCases {
		var want []int
		if c.want != 0 {
			want = []int{c.want}
		}
		if diff := cmp.Diff(want, proxyLines(t, c.body)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}
