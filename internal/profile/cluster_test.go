package profile_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/profile"
)

// TestOtherSharedMemory checks two CTAs of a cluster, with one warp each. They load every second word of the other's
// shared memory, which are two words per bank; store by generic addresses, half the lanes to their own memory and
// half to the other's; add to one word of the other's; and load their own memory by an address of .shared::cluster.
func TestOtherSharedMemory(t *testing.T) {
	p := kernel{grid: plane(2, 1), src: `.entry k()
	.reqnctapercluster 2
	{
		.shared .align 4 .b8 s[256];
		mov.u32 %r0, %tid.x;
		mov.u32 %r1, s;
		mov.u32 %r2, %cluster_ctarank;
		xor.b32 %r3, %r2, 1;
		mapa.shared::cluster.u32 %r4, %r1, %r3;
		mapa.shared::cluster.u32 %r5, %r1, %r2;
		barrier.cluster.arrive;
		barrier.cluster.wait;
		mad.lo.u32 %r6, %r0, 8, %r4;
		ld.shared::cluster.u32 %r7, [%r6];
		setp.lt.u32 %p1, %r0, 16;
		selp.b32 %r8, %r5, %r4, %p1;
		mad.lo.u32 %r8, %r0, 4, %r8;
		cvt.u64.u32 %rd1, %r8;
		cvta.shared::cluster.u64 %rd1, %rd1;
		st.u32 [%rd1], %r0;
		red.shared::cluster.add.u32 [%r4], 1;
		mad.lo.u32 %r9, %r0, 4, %r5;
		ld.shared::cluster.u32 %r7, [%r9];
		barrier.cluster.arrive;
		barrier.cluster.wait;
		ret;
	}`}.profile(t)
	for _, c := range []struct {
		opcode string
		n      int
		want   []profile.Traffic
	}{
		{"ld.shared::cluster.u32", 0, []profile.Traffic{{Kind: isa.Load, Space: isa.SharedCluster, Requests: 2, Lanes: 64, Wavefronts: 4, IdealWavefronts: 2, WorstConflict: 2}}},
		{"st.u32", 0, []profile.Traffic{
			{Kind: isa.Store, Space: isa.Shared, Requests: 2, Lanes: 32, Wavefronts: 2, IdealWavefronts: 2, WorstConflict: 1},
			{Kind: isa.Store, Space: isa.SharedCluster, Requests: 2, Lanes: 32, Wavefronts: 2, IdealWavefronts: 2, WorstConflict: 1}}},
		{"red.shared::cluster.add.u32", 0, []profile.Traffic{{Kind: isa.Atomic, Space: isa.SharedCluster, Requests: 2, Lanes: 64, Wavefronts: 2, IdealWavefronts: 2, WorstConflict: 1, Contention: 64, WorstContention: 32}}},
		{"ld.shared::cluster.u32", 1, []profile.Traffic{{Kind: isa.Load, Space: isa.Shared, Requests: 2, Lanes: 64, Wavefronts: 2, IdealWavefronts: 2, WorstConflict: 1}}},
	} {
		if diff := cmp.Diff(c.want, at(t, p, "k", c.opcode, c.n).Traffic); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.opcode, diff)
		}
	}
	values := make(map[string]float64)
	for _, v := range profile.Values(&p.Total) {
		values[v.Name] = v.Number
	}
	for name, want := range map[string]float64{"shared_load_requests": 2, "shared_cluster_load_requests": 2, "shared_cluster_load_conflict_degree": 2, "shared_cluster_store_lanes": 32,
		"shared_store_lanes": 32, "shared_atomic_requests": 0, "shared_cluster_atomic_worst_contention": 32, "shared_excess_wavefronts": 2} {
		if values[name] != want {
			t.Errorf("%s: %g, want %g", name, values[name], want)
		}
	}
}
