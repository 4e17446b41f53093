package check_test

import (
	"context"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/check"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/interp"
)

const (
	clusterMeet  = "barrier.cluster.arrive; barrier.cluster.wait;"
	clusterRelax = "barrier.cluster.arrive.relaxed; barrier.cluster.wait;"
	peerLoad     = "@%p1 ld.shared::cluster.u32 %r9, [%r6];"
)

// lifetimeCases are kernels for clusters of two blocks. The block in which %p1 holds accesses shared memory of the
// other, in which %p2 holds, at %r6. Each block has an mbarrier for 64 arrivals: its own is at %r12, that of the other
// at %r13. The cases begin at line 3. Want is the rules and lines of the findings.
var lifetimeCases = []struct {
	name, body string
	want       []string
}{
	{"between two barriers", clusterMeet + "\n" + peerLoad + "\n" + clusterMeet, nil},
	{"no barrier after it", clusterMeet + "\n" + peerLoad, []string{"cluster-exit 4"}},
	{"no barrier before it", peerLoad + "\n" + clusterMeet, []string{"cluster-start 3"}},
	{"no barrier at all", peerLoad, []string{"cluster-exit 3", "cluster-start 3"}},
	{"after the arrival and before the wait", clusterMeet + "\nbarrier.cluster.arrive;\n" + peerLoad + "\nbarrier.cluster.wait;", []string{"cluster-exit 5"}},
	{"after the first arrival and before the first wait", "barrier.cluster.arrive;\n" + peerLoad + "\nbarrier.cluster.wait;\n" + clusterMeet, []string{"cluster-start 4"}},
	{"barriers with relaxed arrivals", clusterRelax + "\n" + peerLoad + "\n" + clusterRelax, nil},
	{"a barrier of the block after it", clusterMeet + "\n" + peerLoad + "\nbar.sync 0;", []string{"cluster-exit 4"}},
	{"a barrier of the block before it", "bar.sync 0;\n" + peerLoad + "\n" + clusterMeet, []string{"cluster-start 4"}},
	{"a store", clusterMeet + "\n@%p1 st.shared::cluster.u32 [%r6], 1;", []string{"cluster-exit 4"}},
	{"an atomic", clusterMeet + "\n@%p1 red.shared::cluster.add.u32 [%r6], 1;", []string{"cluster-exit 4"}},
	{"a generic load", clusterMeet + "\ncvt.u64.u32 %rd8, %r6; cvta.shared::cluster.u64 %rd8, %rd8; @%p1 ld.u32 %r9, [%rd8];", []string{"cluster-exit 4"}},
	{"of some lanes", clusterMeet + "\nsetp.lt.u32 %p4, %r1, 3; and.pred %p4, %p4, %p1; @%p4 ld.shared::cluster.u32 %r9, [%r6];", []string{"cluster-exit 4"}},
	{"one in time and one too late", clusterMeet + "\n" + peerLoad + "\n" + clusterMeet + "\n" + peerLoad, []string{"cluster-exit 6"}},
	{"in a loop, with a barrier at its end", clusterMeet + "\nmov.u32 %r20, 0;\nL: " + peerLoad + " add.u32 %r20, %r20, 1;\n" + clusterMeet + " setp.lt.u32 %p4, %r20, 3; @%p4 bra L;", nil},
	{"in a loop, with a barrier at its head", "mov.u32 %r20, 0;\nL: " + clusterMeet + "\n" + peerLoad + " add.u32 %r20, %r20, 1;\nsetp.lt.u32 %p4, %r20, 3; @%p4 bra L;", []string{"cluster-exit 5"}},
	{"own memory by an address of the cluster", "mapa.shared::cluster.u32 %r9, %r8, %r14; ld.shared::cluster.u32 %r9, [%r9];", nil},
	{"no access at all", "bar.sync 0;", nil},
	{"threads of the block that exit early", clusterMeet + "\n" + peerLoad + "\nsetp.gt.u32 %p4, %r1, 31; and.pred %p4, %p4, %p2; @%p4 ret;\n" + clusterMeet, nil},
	{"an arrival without a wait before the exit of the reading block", clusterMeet + "\n" + peerLoad + "\nbarrier.cluster.arrive; @%p1 ret;\nbarrier.cluster.wait;", nil},
	{"an arrival without a wait before the exit of the other", clusterMeet + "\n" + peerLoad + "\nbarrier.cluster.arrive; @%p2 ret;\nbarrier.cluster.wait;", []string{"cluster-exit 4"}},
	{"an arrival at an mbarrier at which the other waits", clusterMeet + "\n" + peerLoad + "\n@%p1 mbarrier.arrive.shared::cluster.b64 _, [%r13];\n@%p1 ret;\nW: mbarrier.try_wait.parity.shared.b64 %p3, [%r12], 0; @!%p3 bra W;", nil},
	{"an arrival at an mbarrier at which no thread waits", clusterMeet + "\n" + peerLoad + "\n@%p1 mbarrier.arrive.shared::cluster.b64 _, [%r13];", []string{"cluster-exit 4", "cluster-exit 5"}},
	{"an arrival before the load", clusterMeet + "\n@%p1 mbarrier.arrive.shared::cluster.b64 _, [%r13];\n" + peerLoad + "\n@%p1 ret;\nW: mbarrier.try_wait.parity.shared.b64 %p3, [%r12], 0; @!%p3 bra W;", []string{"cluster-exit 5"}},
	{"one thread waits at the mbarrier, the others at a barrier", clusterMeet + "\n" + peerLoad + "\n@%p1 mbarrier.arrive.shared::cluster.b64 _, [%r13];\n@%p1 ret;\n" +
		"setp.ne.u32 %p4, %r1, 0; @%p4 bra J; W: mbarrier.try_wait.parity.shared.b64 %p3, [%r12], 0; @!%p3 bra W;\nJ: bar.sync 0;", nil},
	{"an asynchronous store for which the other waits", clusterMeet + "\n@%p2 mbarrier.arrive.expect_tx.shared.b64 _, [%r12], 4;\n@%p1 st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r6], %r5, [%r13];\n@%p1 ret;\nW: mbarrier.try_wait.parity.shared.b64 %p3, [%r12], 0; @!%p3 bra W;", nil},
	{"an asynchronous store for which no thread waits", clusterMeet + "\n@%p1 st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r6], %r5, [%r13];", []string{"cluster-exit 4", "cluster-exit 4"}},
	{"a flag in global memory, with fences", clusterMeet + "\n" + peerLoad + "\n@%p2 bra W; bar.sync 0; setp.ne.u32 %p4, %r1, 0; @%p4 ret; fence.acq_rel.gpu;\nst.relaxed.gpu.global.u32 [%rd16], 1; ret;\n" +
		"W: ld.relaxed.gpu.global.u32 %r20, [%rd16]; setp.eq.u32 %p4, %r20, 0; @%p4 bra W; fence.acq_rel.gpu;", nil},
}

// TestLifetimes runs the cases in two clusters of two blocks, with either block as the one that accesses the other's
// memory.
func TestLifetimes(t *testing.T) {
	for _, c := range lifetimeCases {
		for _, rank := range []string{"0", "1"} {
			t.Run(c.name+", by block "+rank, func(t *testing.T) {
				begin := "mov.u32 %r14, %cluster_ctarank; xor.b32 %r7, %r14, 1; setp.eq.u32 %p1, %r14, " + rank + "; not.pred %p2, %p1; mov.u32 %r8, s; add.u32 %r8, %r8, %r5; mapa.shared::cluster.u32 %r6, %r8, %r7; " +
					"mul.lo.u32 %r15, %r3, 4; and.b32 %r15, %r15, 8; cvt.u64.u32 %rd16, %r15; add.u64 %rd16, %rd16, %rd1;\n" +
					"mov.u32 %r12, s; add.u32 %r12, %r12, 512; mapa.shared::cluster.u32 %r13, %r12, %r7; setp.eq.u32 %p5, %r1, 0; @%p5 mbarrier.init.shared.b64 [%r12], 64; bar.sync 0;\n"
				found, err := lifetimesOf(t, prologue+begin+c.body+"\nret;\n}\n")
				if err != nil && strings.Contains(err.Error(), "which has ended [mem-space]") && slices.ContainsFunc(c.want, func(f string) bool { return strings.HasPrefix(f, "cluster-exit") }) {
					return // the other block happened to end first
				}
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(c.want, found); diff != "" {
					t.Errorf("findings (-want +got):\n%s", diff)
				}
			})
		}
	}
}

// lifetimesOf runs a kernel in two clusters of two blocks, and returns the rules and lines of findings about lifetimes.
func lifetimesOf(t *testing.T, src string) (found []string, err error) {
	t.Helper()
	mod, err := asm.Parse("k.s", []byte(src))
	if err != nil {
		return nil, err
	}
	m, err := interp.New(mod, interp.Config{MaxSteps: 1e6})
	if err != nil {
		return nil, err
	}
	g, err := m.Alloc("g", 4096)
	if err != nil {
		return nil, err
	}
	l := interp.Launch{Kernel: "k", Grid: isa.Dim{X: 4, Y: 1, Z: 1}, Block: isa.Dim{X: 64, Y: 1, Z: 1}, Cluster: isa.Dim{X: 2, Y: 1, Z: 1},
		Params: binary.LittleEndian.AppendUint64(nil, g.Base)}
	races, err := check.Attach(m, &l)
	if err != nil {
		return nil, err
	}
	if _, err := functional.Run(context.Background(), m, l); err != nil {
		return nil, err
	}
	for _, s := range summary(races.Findings()) {
		rule, lines, _ := strings.Cut(s, " ")
		_, line, _ := strings.Cut(lines, " ")
		if strings.HasPrefix(rule, "cluster-") {
			found = append(found, rule+" "+line)
		}
	}
	return found, nil
}
