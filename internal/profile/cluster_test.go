package profile_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/profile"
)

// TestLoadsOfOtherSharedMemoryAreCounted checks two CTAs of a cluster, with one warp each. They load every second word
// of the other's shared memory, which are two words per bank; store by generic addresses, half the lanes to their own
// memory and half to the other's; add to one word of the other's; and load their own memory by an address of
// .shared::cluster.
func TestLoadsOfOtherSharedMemoryAreCounted(t *testing.T) {
	p := kernel{grid: plane(2, 1), src: kerneltest.Source(t, "testdata/kernels/cluster.txt", "other shared memory")}.profile(t)
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
