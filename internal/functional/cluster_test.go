package functional_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

// preset returns the GPU with a name.
func preset(t *testing.T, name string) *gpu.Config {
	c, err := gpu.Preset(name)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestClusterSpecialRegistersMatchGrid: a grid of 4x6x2 CTAs in clusters of 2x3x1, and one without clusters.
func TestClusterSpecialRegistersMatchGrid(t *testing.T) {
	grid := isa.Dim{X: 4, Y: 6, Z: 2}
	for _, c := range []isa.Dim{{}, {X: 1, Y: 1, Z: 1}, {X: 2, Y: 3, Z: 1}, {X: 1, Y: 2, Z: 2}} {
		explicit := uint32(0)
		size := isa.Dim{X: 1, Y: 1, Z: 1}
		if c != (isa.Dim{}) {
			explicit, size = 1, c
		}
		for _, threads := range []int{1, 3} {
			kerneltest.Kernel{Source: kerneltest.Source(t, "testdata/kernels/cluster.txt", "cluster specials"), Grid: grid, Cluster: c, Words: []int{48 * 16}, Config: interp.Config{Threads: threads}}.Want(t, func(i int) uint32 {
				n := uint32(i / 16)
				x, y, z := n%4, n/4%6, n/24
				in := [3]uint32{x % size.X, y % size.Y, z % size.Z}
				return [16]uint32{
					x / size.X, y / size.Y, z / size.Z, 4 / size.X, 6 / size.Y, 2 / size.Z, in[0], in[1], in[2], size.X, size.Y, size.Z,
					in[0] + size.X*(in[1]+size.Y*in[2]), size.X * size.Y * size.Z, explicit, 0,
				}[i%16]
			})
		}
	}
}

// wantRing is what thread i of a ring in clusters of size has in the end.
func wantRing(size, block int) func(i int) uint32 {
	return func(i int) uint32 {
		first := i / block / size * size
		words := make([]uint32, size)
		for rank := range words {
			words[rank] = uint32(first + rank)
		}
		for range 8 {
			next := make([]uint32, size)
			for rank := range words {
				next[rank] = words[(rank+1)%size] + uint32(rank)
			}
			words = next
		}
		return words[i/block%size]
	}
}

func TestClusterRingPassesValues(t *testing.T) {
	for _, model := range kerneltest.Models {
		for _, size := range []int{1, 2, 3, 8, 16} {
			for _, threads := range []int{1, 4} {
				ctas := 6 * size
				kerneltest.Kernel{Source: kerneltest.Source(t, "testdata/kernels/cluster.txt", "ring"), Grid: kerneltest.Dim(uint32(ctas), 1), Block: kerneltest.Dim(80, 1), Cluster: kerneltest.Dim(uint32(size), 1),
					Words: []int{80 * ctas}, Config: interp.Config{Threads: threads, Divergence: model}}.Want(t, wantRing(size, 80))
			}
		}
	}
}

// TestClusterNeedsRoom: clusters wait until those before have ended if the GPU holds only one at a time.
func TestClusterNeedsRoom(t *testing.T) {
	on := *preset(t, "minimal")
	on.Residency.CTAs = 4
	kerneltest.Kernel{Source: kerneltest.Source(t, "testdata/kernels/cluster.txt", "ring"), Grid: kerneltest.Dim(12, 1), Block: kerneltest.Dim(64, 1), Cluster: kerneltest.Dim(4, 1),
		Words: []int{64 * 12}, Config: interp.Config{GPU: &on}}.Want(t, wantRing(4, 64))
}

// TestGenericAddressesReachClusterMemory: loads, stores and atomics by generic addresses, with lanes that access
// different CTAs of the cluster and global memory at once.
func TestGenericAddressesReachClusterMemory(t *testing.T) {
	kerneltest.Kernel{Source: kerneltest.Source(t, "testdata/kernels/cluster.txt", "cluster generic"), Grid: kerneltest.Dim(4, 1), Cluster: kerneltest.Dim(4, 1), Words: []int{128}}.Want(t, func(i int) uint32 {
		if i%32 > 27 {
			return 0
		}
		return 4 * 2 * 11 // two lanes of each of four CTAs
	})
}

// TestClusterBarrierIgnoresExitedThreads: a cluster's barrier does not wait for threads that end, whether they have
// arrived or not.
func TestClusterBarrierIgnoresExitedThreads(t *testing.T) {
	kerneltest.Kernel{Source: kerneltest.Source(t, "testdata/kernels/cluster.txt", "cluster exits"), Grid: kerneltest.Dim(3, 1), Cluster: kerneltest.Dim(3, 1), Words: []int{96}}.Want(t, func(i int) uint32 {
		if i/32 == 1 || i%32 < 20 {
			return 0
		}
		return uint32(i/32 + 5)
	})
}

func TestClusterMisuseIsReported(t *testing.T) {
	const begin = kerneltest.Entry + `
	.shared .align 8 .u32 s[4];
	mov.u32 %r1, %cluster_ctarank;
	setp.eq.u32 %p1, %r1, 0;
	mov.u64 %rd1, s;
	cvta.shared.u64 %rd2, %rd1;
`
	for _, c := range []struct {
		name, body string
		want       []string
	}{
		{"no barrier for all", kerneltest.Source(t, "testdata/kernels/cluster.txt", "no barrier for all"), []string{
			"no warp of the cluster can go on [sync-deadlock]", "waits   block (0,0,0) warp 1 lanes 0-31 (ffffffff) at k.s:10:7, the barrier of the cluster",
			"waits   block (1,0,0) warp 0 lanes 0-31 (ffffffff) at k.s:12:8, barrier 0", "waits   block (1,0,0) warp 1 lanes 0-31 (ffffffff) at k.s:12:8, barrier 1"}},
		{"twice", kerneltest.Source(t, "testdata/kernels/cluster.txt", "twice"), []string{
			"k.s:10:2: error: threads that have arrived at the barrier of the cluster arrive again without a wait between [sync-cluster]"}},
		{"never", "barrier.cluster.wait;\n\tret;\n}", []string{
			"k.s:9:2: error: threads wait at the barrier of the cluster without having arrived; execute barrier.cluster.arrive first [sync-cluster]"}},
		{"ended", kerneltest.Source(t, "testdata/kernels/cluster.txt", "ended"), []string{
			"load in .shared::cluster space, but the address is that of shared memory of block (1,0,0), which has ended [mem-space] shared::cluster 0x1100004"}},
		{"no such rank", kerneltest.Source(t, "testdata/kernels/cluster.txt", "no such rank"), []string{
			"store in .shared::cluster space, but the address is that of block 2 of the cluster, which has 2 [mem-space] shared::cluster 0x1200000"}},
		{"past the end", kerneltest.Source(t, "testdata/kernels/cluster.txt", "past the end"), []string{
			"atomic past the end of shared memory of block (1,0,0) [mem-oob] shared::cluster 0x1100010",
			"shared memory of block (1,0,0): 16 bytes at 0x1100000..0x110000f; the access starts right after the end"}},
		{"misaligned", kerneltest.Source(t, "testdata/kernels/cluster.txt", "misaligned"), []string{
			"misaligned load: shared::cluster 0x1100004 is not a multiple of 8 bytes [mem-misaligned]"}},
		{"not the own", kerneltest.Source(t, "testdata/kernels/cluster.txt", "not the own"), []string{
			"the address is that of 0x4 in shared memory of block (1,0,0), which .shared::cluster reaches"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := kerneltest.Kernel{Source: begin + "\t" + c.body, Grid: kerneltest.Dim(2, 1), Block: kerneltest.Dim(64, 1), Cluster: kerneltest.Dim(2, 1), Words: []int{8}}.Run(t)
			for _, want := range c.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("the error lacks %q: %v", want, err)
				}
			}
		})
	}
}

func TestImpossibleClustersAreRefused(t *testing.T) {
	tiny := *gpu.H100()
	tiny.SMs, tiny.TPCs, tiny.GPCs = 8, 8, 4
	for _, c := range []struct {
		directives string
		cluster    isa.Dim
		grid       isa.Dim
		shared     int64
		on         *gpu.Config
		want       string
	}{
		{"", kerneltest.Dim(2, 1), kerneltest.Dim(5, 1), 0, nil, "k: grid 5x1x1 is not a multiple of cluster 2x1x1 in every dimension"},
		{"", kerneltest.Dim(2, 3), kerneltest.Dim(6, 2), 0, nil, "k: grid 6x2x1 is not a multiple of cluster 2x3x1 in every dimension"},
		{"", kerneltest.Dim(17, 1), kerneltest.Dim(17, 1), 0, nil, "k: cluster 17x1x1: 17 blocks, at most 16"},
		{"", kerneltest.Dim(2, 1), kerneltest.Dim(4, 1), 0, preset(t, "a100"), "k: cluster 2x1x1: GPU a100 has no clusters; those from compute capability 9.0 on have"},
		{".reqnctapercluster 4", kerneltest.Dim(2, 1), kerneltest.Dim(4, 1), 0, nil, "k: cluster 2x1x1: .reqnctapercluster asks for 4x1x1"},
		{".maxclusterrank 4", kerneltest.Dim(8, 1), kerneltest.Dim(8, 1), 0, nil, "k: cluster 8x1x1: 8 blocks, .maxclusterrank allows 4"},
		{".explicitcluster", isa.Dim{}, kerneltest.Dim(8, 1), 0, nil, "k: the kernel is .explicitcluster, and nothing says how many blocks a cluster has, as --cluster 2 does"},
		{"", kerneltest.Dim(4, 1), kerneltest.Dim(8, 1), 200 << 10, &tiny, "k: cluster 4x1x1: no GPC has room for 4 blocks at once, of which an SM holds 1"},
		{".reqnctapercluster 4", isa.Dim{}, kerneltest.Dim(8, 1), 0, nil, ""},
		{".explicitcluster .reqnctapercluster 4, 2", isa.Dim{}, kerneltest.Dim(4, 2), 0, nil, ""},
		{".reqnctapercluster 1, 1, 1", isa.Dim{}, kerneltest.Dim(8, 1), 0, preset(t, "a100"), ""},
	} {
		_, _, err := kerneltest.Kernel{Source: ".entry k() " + c.directives + " { ret; }", Grid: c.grid, Cluster: c.cluster, Shared: c.shared, Config: interp.Config{GPU: c.on}}.Run(t)
		if got := fmt.Sprint(err); got != c.want && (c.want != "" || err != nil) {
			t.Errorf("%q, cluster %v: %v, want %s", c.directives, c.cluster, err, c.want)
		}
	}
}

// TestClustersResumeFromSavedStates restores a ring to many earlier states, and runs it to its end from each.
func TestClustersResumeFromSavedStates(t *testing.T) {
	mod, err := asm.Parse("k.s", []byte(kerneltest.Source(t, "testdata/kernels/cluster.txt", "ring")))
	if err != nil {
		t.Fatal(err)
	}
	m, err := interp.New(mod, interp.Config{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.Alloc("out", 4*6*64)
	if err != nil {
		t.Fatal(err)
	}
	for at := 0; at < 700; at += 37 {
		l := interp.Launch{Kernel: "k", Grid: kerneltest.Dim(6, 1), Block: kerneltest.Dim(64, 1), Cluster: kerneltest.Dim(3, 1), Params: binary.LittleEndian.AppendUint64(nil, r.Base)}
		l.Observe(&haltAt{at: at})
		clear(r.Data)
		s, err := functional.Begin(m, l)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Continue(context.Background()); err != nil {
			t.Fatal(err)
		}
		var saved functional.State
		if err := s.Save(&saved); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := s.Continue(context.Background()); err != nil || !s.Done() {
				t.Fatal("halted at ", at, ": ", err)
			}
			for i := range 6 * 64 {
				if got, want := binary.LittleEndian.Uint32(r.Data[4*i:]), wantRing(3, 64)(i); got != want {
					t.Fatalf("halted at %d: word %d is %d, want %d", at, i, got, want)
				}
			}
			s.Restore(&saved)
		}
	}
}

// TestClusterMustFitMemory: one cluster must fit the host's memory.
func TestClusterMustFitMemory(t *testing.T) {
	_, _, err := kerneltest.Kernel{Source: kerneltest.Source(t, "testdata/kernels/cluster.txt", "ring"), Grid: kerneltest.Dim(16, 1), Cluster: kerneltest.Dim(16, 1), Shared: 200 << 10, Words: []int{512}, Config: interp.Config{Budget: memory.NewBudget(8 << 20)}}.Run(t)
	if launchError, ok := errors.AsType[*interp.LaunchError](err); !ok || !strings.Contains(launchError.Msg, "the resident blocks of a cluster") {
		t.Errorf("got %v", err)
	}
}
