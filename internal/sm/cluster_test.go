package sm_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/interp"
)

// clusterEntry begins a kernel with clusters of this many CTAs.
func clusterEntry(size int) string {
	return fmt.Sprintf(".entry k(.param .u64 out)\n.reqnctapercluster %d\n{\n", size)
}

// TestWindowsDoNotChangeClusters: launches with clusters leave the same memory as without a clock, and give the same
// results for every window and number of threads.
func TestWindowsDoNotChangeClusters(t *testing.T) {
	short.Alternates(t, 0, 3)
	for _, model := range kerneltest.Models {
		for _, size := range []int{1, 2, 5, 16} {
			r := racing{source: kerneltest.Source(t, "testdata/kernels/cluster.txt", "five rounds", "$clusterEntry", clusterEntry(size)), ctas: uint32(size * 5), block: 32, words: size * 5 * 32, cfg: interp.Config{Divergence: model}}
			want := r.run(t, 0, 1)
			if want.Error != "" {
				t.Fatal(want.Error)
			}
			out, _, err := kerneltest.Kernel{Source: r.source, Grid: kerneltest.Dim(r.ctas, 1), Words: []int{r.words}, Config: r.cfg}.Run(t)
			if err != nil {
				t.Fatal(err)
			}
			if diff := kerneltest.Diff(out[0], want.Memory); diff != "" {
				t.Errorf("%v, clusters of %d: memory without a clock and with one (-want +got):\n%s", model, size, diff)
			}
			for _, window := range []int64{1, 13, 0} {
				for _, threads := range []int{1, 3} {
					if diff := kerneltest.Diff(want, r.run(t, window, threads)); diff != "" {
						t.Errorf("%v, clusters of %d, windows of %d cycles, %d threads (-want +got):\n%s", model, size, window, threads, diff)
					}
				}
			}
		}
	}
}

// TestTicketsFollowRequestTimes: which lane gets which ticket of another CTA depends only on the time of its request.
func TestTicketsFollowRequestTimes(t *testing.T) {
	r := racing{source: kerneltest.Source(t, "testdata/kernels/cluster.txt", "cluster tickets", "$clusterEntry", clusterEntry(4)), ctas: 24, block: 96, words: 24 * 96}
	want := r.run(t, 0, 1)
	seen := make(map[uint32]int)
	for _, ticket := range want.Memory {
		seen[ticket]++
	}
	for ticket := range uint32(4 * 96) {
		if seen[ticket] != 6 {
			t.Fatalf("ticket %d of a cluster appears %d times in 6 clusters", ticket, seen[ticket])
		}
	}
	for _, window := range []int64{1, 50, 0} {
		if diff := kerneltest.Diff(want, r.run(t, window, 4)); diff != "" {
			t.Errorf("windows of %d cycles (-want +got):\n%s", window, diff)
		}
	}
}

// slope returns the cycles that each repetition of a body adds to a launch of one cluster of two CTAs with one warp
// each.
func slope(t *testing.T, on *gpu.Config, before, body, after string) float64 {
	t.Helper()
	const few, many = 8, 24
	var cycles [2]int64
	for i, n := range []int{few, many} {
		r := racing{source: clusterEntry(2) + before + strings.Repeat(body, n) + after, ctas: 2, block: 32, words: 64, cfg: interp.Config{GPU: on}, options: sm.Options{WarmCode: true}}
		got := r.run(t, 0, 1)
		if got.Error != "" {
			t.Fatal(got.Error)
		}
		cycles[i] = got.Cycles
	}
	return float64(cycles[1]-cycles[0]) / (many - few)
}

// chase stores in each CTA's word the address of the other CTA's word.
const chase = `
	.shared .u32 word;
	mov.u32 %r1, %cluster_ctarank;
	xor.b32 %r1, %r1, 1;
	mapa.shared::cluster.u32 %r2, word, %r1;
	xor.b32 %r1, %r1, 1;
	mapa.shared::cluster.u32 %r3, word, %r1;
	st.shared.u32 [word], %r3;
	barrier.cluster.arrive;
	barrier.cluster.wait;
	mov.u32 %r4, %r2;
`

// TestClusterAccessesTakeGivenCycles: a load from the other SM takes cluster.latency; a warp's four sectors keep the
// ports busy for 128 / cluster.bytes cycles, 8 on an H100; all threads continue cluster.barrier cycles after the last
// arrival.
func TestClusterAccessesTakeGivenCycles(t *testing.T) {
	const after = "\n\tbarrier.cluster.arrive;\n\tbarrier.cluster.wait;\n\tst.shared.u32 [word], %r4;\n\tret;\n}"
	minimal, err := gpu.Preset("minimal")
	if err != nil {
		t.Fatal(err)
	}
	const changes = `
	.shared .u32 word[32];
	mov.u32 %r4, 0;
	mov.u32 %r1, %laneid;
	mov.u32 %r2, word;
	mad.lo.u32 %r2, %r1, 4, %r2;
	mapa.shared::cluster.u32 %r3, %r2, 1;
	barrier.cluster.arrive;
	barrier.cluster.wait;
	mov.u32 %r5, %cluster_ctarank;
	setp.ne.u32 %p1, %r5, 0;
	@%p1 bra END;
`
	for _, c := range []struct {
		name                string
		on                  *gpu.Config
		before, body, after string
		want                float64
	}{
		{"latency", gpu.H100(), chase, "\n\tld.shared::cluster.u32 %r4, [%r4];", after, 180},
		{"latency of minimal", minimal, chase, "\n\tld.shared::cluster.u32 %r4, [%r4];", after, 20},
		{"ports", gpu.H100(), changes, "\n\tred.shared::cluster.add.u32 [%r3], %r4;", kerneltest.Source(t, "testdata/kernels/cluster.txt", "ports"), 8},
		{"barrier", gpu.H100(), chase, "\n\tbarrier.cluster.arrive;\n\tbarrier.cluster.wait;", after, 180},
		// Both CTAs are on one scheduler, which prefers the older: the older one arrives in cycle 0 and waits from cycle 1
		// on, the other one arrives in cycle 2, and 10 cycles later the older one arrives again.
		{"barrier of minimal", minimal, chase, "\n\tbarrier.cluster.arrive;\n\tbarrier.cluster.wait;", after, 12},
	} {
		if got := slope(t, c.on, c.before, c.body, c.after); got != c.want {
			t.Errorf("%s: %v cycles each, want %v", c.name, got, c.want)
		}
	}
}

// TestClusterStaysInOneGPC: the CTAs of a cluster are on SMs of one GPC, each on a different SM if there is room;
// clusters without room wait.
func TestClusterStaysInOneGPC(t *testing.T) {
	on := gpu.H100()
	gpcs := on.Floorplan().Group
	for _, size := range []int{2, 8, 16} {
		k := kerneltest.Kernel{Source: kerneltest.Source(t, "testdata/kernels/cluster.txt", "cluster places"), Grid: kerneltest.Dim(uint32(20*size), 1), Block: kerneltest.Dim(32, 1),
			Cluster: kerneltest.Dim(uint32(size), 1), Shared: 200 << 10, Words: []int{20 * size * 32},
			Driver: func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
				s, err := sm.Begin(m, l, sm.Options{})
				if err != nil {
					return interp.Stats{}, err
				}
				err = s.Continue(context.Background())
				return s.Stats(), err
			}}
		out, _, err := k.Run(t)
		if err != nil {
			t.Fatal(err)
		}
		for first := 0; first < 20*size; first += size {
			seen := make(map[uint32]bool)
			gpc := gpcs[out[0][first*32]]
			for rank := range size {
				smid := out[0][(first+rank)*32]
				if gpcs[smid] != gpc || seen[smid] {
					t.Errorf("clusters of %d: block %d is on SM %d of GPC %d, with another of its cluster on GPC %d", size, first+rank, smid, gpcs[smid], gpc)
				}
				seen[smid] = true
			}
		}
	}
}

func TestClusterErrorsNameCause(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{kerneltest.Source(t, "testdata/kernels/cluster.txt", "a hang of one of the cluster"), "no warp of the cluster can go on [sync-deadlock]"},
		{kerneltest.Source(t, "testdata/kernels/cluster.txt", "shared memory of a block that has ended"), "but the address is that of shared memory of block (1,0,0), which has ended [mem-space] shared::cluster 0x1100000"},
		{kerneltest.Source(t, "testdata/kernels/cluster.txt", "a spin before a barrier of the cluster"), "livelock: every spinning warp is back in an earlier state [sync-spin]"},
	} {
		_, _, err := kerneltest.Kernel{Source: kerneltest.Entry + c.body, Grid: kerneltest.Dim(4, 1), Block: kerneltest.Dim(64, 1), Cluster: kerneltest.Dim(2, 1), Words: []int{4},
			Driver: func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
				s, err := sm.Begin(m, l, sm.Options{Prove: new(functional.Prover).Prove})
				if err != nil {
					return interp.Stats{}, err
				}
				return s.Stats(), s.Continue(context.Background())
			}}.Run(t)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// handedOn returns what handOn leaves: in each round every CTA receives what the one before it has, and stores it
// after adding what the first CTA has stored in the round before.
func handedOn(size, ctas int) []uint32 {
	has, out := make([]uint32, ctas*32), make([]uint32, ctas*32)
	for i := range has {
		has[i] = uint32(i)
	}
	for round := range 6 {
		next, stored := make([]uint32, len(has)), make([]uint32, len(has))
		for i := range has {
			first := i / 32 / size * size
			from := first + (i/32-first+size-1)%size
			next[i] = has[from*32+i%32]*3 + uint32(round)
			stored[i] = next[i] + out[first*32+i%32]
		}
		has, out = next, stored
	}
	return out
}

// TestWindowsDoNotChangeCopiesBetweenSMs: copies and arrivals between SMs do the same for every window and number of
// threads.
func TestWindowsDoNotChangeCopiesBetweenSMs(t *testing.T) {
	short.Alternates(t, 2, 3)
	for _, model := range kerneltest.Models {
		for _, size := range []int{2, 5, 16} {
			r := racing{source: kerneltest.Source(t, "testdata/kernels/cluster.txt", "hand on", "$clusterEntry", clusterEntry(size)), ctas: uint32(size * 5), block: 32, words: size * 5 * 32, cfg: interp.Config{Divergence: model}}
			want := r.run(t, 0, 1)
			if want.Error != "" {
				t.Fatal(want.Error)
			}
			if diff := kerneltest.Diff(handedOn(size, size*5), want.Memory); diff != "" {
				t.Errorf("%v, clusters of %d (-want +got):\n%s", model, size, diff)
			}
			for _, window := range []int64{1, 13, 0} {
				for _, threads := range []int{1, 3} {
					if diff := kerneltest.Diff(want, r.run(t, window, threads)); diff != "" {
						t.Errorf("%v, clusters of %d, windows of %d cycles, %d threads (-want +got):\n%s", model, size, window, threads, diff)
					}
				}
			}
		}
	}
}
