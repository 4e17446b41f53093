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

// clusterSpecials stores the values of special registers: 16 words for each CTA, by its linear index.
const clusterSpecials = kerneltest.Entry + `
	.reg .pred %e;
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %ctaid.y;
	mov.u32 %r3, %ctaid.z;
	mov.u32 %r4, %nctaid.x;
	mov.u32 %r5, %nctaid.y;
	mad.lo.u32 %r6, %r3, %r5, %r2;
	mad.lo.u32 %r6, %r6, %r4, %r1;
	ld.param.u64 %rd1, [out];
	mad.wide.u32 %rd1, %r6, 64, %rd1;
	mov.u32 %r1, %clusterid.x;
	st.global.u32 [%rd1+0], %r1;
	mov.u32 %r1, %clusterid.y;
	st.global.u32 [%rd1+4], %r1;
	mov.u32 %r1, %clusterid.z;
	st.global.u32 [%rd1+8], %r1;
	mov.u32 %r1, %nclusterid.x;
	st.global.u32 [%rd1+12], %r1;
	mov.u32 %r1, %nclusterid.y;
	st.global.u32 [%rd1+16], %r1;
	mov.u32 %r1, %nclusterid.z;
	st.global.u32 [%rd1+20], %r1;
	mov.u32 %r1, %cluster_ctaid.x;
	st.global.u32 [%rd1+24], %r1;
	mov.u32 %r1, %cluster_ctaid.y;
	st.global.u32 [%rd1+28], %r1;
	mov.u32 %r1, %cluster_ctaid.z;
	st.global.u32 [%rd1+32], %r1;
	mov.u32 %r1, %cluster_nctaid.x;
	st.global.u32 [%rd1+36], %r1;
	mov.u32 %r1, %cluster_nctaid.y;
	st.global.u32 [%rd1+40], %r1;
	mov.u32 %r1, %cluster_nctaid.z;
	st.global.u32 [%rd1+44], %r1;
	mov.u32 %r1, %cluster_ctarank;
	mov.u32 %r2, %cluster_nctarank;
	mov.pred %e, %is_explicit_cluster;
	selp.u32 %r3, 1, 0, %e;
	st.global.u32 [%rd1+48], %r1;
	st.global.u32 [%rd1+52], %r2;
	st.global.u32 [%rd1+56], %r3;
	ret;
}`

// TestClusterSpecials: a grid of 4x6x2 CTAs in clusters of 2x3x1, and one without clusters.
func TestClusterSpecials(t *testing.T) {
	grid := isa.Dim{X: 4, Y: 6, Z: 2}
	for _, c := range []isa.Dim{{}, {X: 1, Y: 1, Z: 1}, {X: 2, Y: 3, Z: 1}, {X: 1, Y: 2, Z: 2}} {
		explicit := uint32(0)
		size := isa.Dim{X: 1, Y: 1, Z: 1}
		if c != (isa.Dim{}) {
			explicit, size = 1, c
		}
		for _, threads := range []int{1, 3} {
			kerneltest.Kernel{Source: clusterSpecials, Grid: grid, Cluster: c, Words: []int{48 * 16}, Config: interp.Config{Threads: threads}}.Want(t, func(i int) uint32 {
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

// ring passes a word round the cluster: in each of eight rounds every CTA reads that of the next
// rank and adds its own rank to it, between two barriers.
const ring = kerneltest.Entry + `
	.shared .u32 word;
	mov.u32 %r10, %cluster_ctarank;
	mov.u32 %r11, %cluster_nctarank;
	mov.u32 %r12, %tid.x;
	mov.u32 %r13, %ctaid.x;
	setp.ne.u32 %p1, %r12, 0;
	@!%p1 st.shared.u32 [word], %r13;
	add.u32 %r14, %r10, 1;
	rem.u32 %r14, %r14, %r11;
	mapa.shared::cluster.u32 %r15, word, %r14;
	mov.u32 %r16, 0;
ROUND:
	barrier.cluster.arrive.release;
	barrier.cluster.wait.acquire;
	ld.shared::cluster.u32 %r1, [%r15];
	add.u32 %r1, %r1, %r10;
	barrier.cluster.arrive.relaxed.aligned;
	barrier.cluster.wait.aligned;
	@!%p1 st.shared.u32 [word], %r1;
	add.u32 %r16, %r16, 1;
	setp.lt.u32 %p2, %r16, 8;
	@%p2 bra ROUND;
	barrier.cluster.arrive;
	barrier.cluster.wait;
	bar.sync 0;
	ld.shared.u32 %r1, [word];
` + kerneltest.StoreR1

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

func TestClusterRing(t *testing.T) {
	for _, model := range kerneltest.Models {
		for _, size := range []int{1, 2, 3, 8, 16} {
			for _, threads := range []int{1, 4} {
				ctas := 6 * size
				kerneltest.Kernel{Source: ring, Grid: kerneltest.Dim(uint32(ctas), 1), Block: kerneltest.Dim(80, 1), Cluster: kerneltest.Dim(uint32(size), 1),
					Words: []int{80 * ctas}, Config: interp.Config{Threads: threads, Divergence: model}}.Want(t, wantRing(size, 80))
			}
		}
	}
}

// TestClusterNeedsRoom: clusters wait until those before have ended if the GPU holds only one at a time.
func TestClusterNeedsRoom(t *testing.T) {
	on := *preset(t, "minimal")
	on.Residency.CTAs = 4
	kerneltest.Kernel{Source: ring, Grid: kerneltest.Dim(12, 1), Block: kerneltest.Dim(64, 1), Cluster: kerneltest.Dim(4, 1),
		Words: []int{64 * 12}, Config: interp.Config{GPU: &on}}.Want(t, wantRing(4, 64))
}

// TestClusterGeneric: loads, stores and atomics by generic addresses, with lanes that access different CTAs of the
// cluster and global memory at once.
func TestClusterGeneric(t *testing.T) {
	kerneltest.Kernel{Source: kerneltest.Entry + `
	.shared .u32 counts[4];
	mov.u32 %r1, %laneid;
	mov.u64 %rd1, counts;
	cvta.shared.u64 %rd1, %rd1;
	and.b32 %r2, %r1, 3;          // the CTA
	shr.u32 %r3, %r1, 2;
	and.b32 %r3, %r3, 3;          // the counter
	mapa.u64 %rd2, %rd1, %r2;
	mad.wide.u32 %rd2, %r3, 4, %rd2;
	barrier.cluster.arrive;
	barrier.cluster.wait;
	atom.add.u32 %r4, [%rd2], 1;
	red.add.u32 [%rd2], 10;
	getctarank.u64 %r6, %rd2;
	setp.ne.u32 %p1, %r6, %r2;
	@%p1 trap;
	barrier.cluster.arrive;
	barrier.cluster.wait;
	setp.gt.u32 %p2, %r1, 27;     // the last lanes go to global memory
	ld.param.u64 %rd3, [out];
	selp.b64 %rd4, %rd3, %rd2, %p2;
	ld.u32 %r5, [%rd4];
	barrier.cluster.arrive;
	barrier.cluster.wait;
	mov.u32 %r1, %r5;
` + kerneltest.StoreR1, Grid: kerneltest.Dim(4, 1), Cluster: kerneltest.Dim(4, 1), Words: []int{128}}.Want(t, func(i int) uint32 {
		if i%32 > 27 {
			return 0
		}
		return 4 * 2 * 11 // two lanes of each of four CTAs
	})
}

// TestClusterExits: a cluster's barrier does not wait for threads that end, whether they have arrived or not.
func TestClusterExits(t *testing.T) {
	kerneltest.Kernel{Source: kerneltest.Entry + `
	mov.u32 %r1, %cluster_ctarank;
	mov.u32 %r2, %tid.x;
	setp.eq.u32 %p1, %r1, 1;
	@%p1 exit;                    // a whole block
	barrier.cluster.arrive;
	setp.lt.u32 %p2, %r2, 7;
	@%p2 exit;                    // some that have arrived
	barrier.cluster.wait;
	setp.lt.u32 %p3, %r2, 20;
	@%p3 exit;                    // some that have not
	barrier.cluster.arrive;
	barrier.cluster.wait;
	add.u32 %r1, %r1, 5;
` + kerneltest.StoreR1, Grid: kerneltest.Dim(3, 1), Cluster: kerneltest.Dim(3, 1), Words: []int{96}}.Want(t, func(i int) uint32 {
		if i/32 == 1 || i%32 < 20 {
			return 0
		}
		return uint32(i/32 + 5)
	})
}

func TestClusterMisuse(t *testing.T) {
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
		{"no barrier for all", "@%p1 barrier.cluster.arrive;\n\t@%p1 barrier.cluster.wait;\n\tmov.u32 %r3, %warpid;\n\t@!%p1 bar.sync %r3;\n\tret;\n}", []string{
			"no warp of the cluster can go on [sync-deadlock]", "waits   block (0,0,0) warp 1 lanes 0-31 (ffffffff) at k.s:10:7, the barrier of the cluster",
			"waits   block (1,0,0) warp 0 lanes 0-31 (ffffffff) at k.s:12:8, barrier 0", "waits   block (1,0,0) warp 1 lanes 0-31 (ffffffff) at k.s:12:8, barrier 1"}},
		{"twice", "barrier.cluster.arrive;\n\tbarrier.cluster.arrive;\n\tret;\n}", []string{
			"k.s:10:2: error: threads that have arrived at the barrier of the cluster arrive again without a wait between [sync-cluster]"}},
		{"never", "barrier.cluster.wait;\n\tret;\n}", []string{
			"k.s:9:2: error: threads wait at the barrier of the cluster without having arrived; execute barrier.cluster.arrive first [sync-cluster]"}},
		{"ended", "@!%p1 exit;\nSPIN:\n\tadd.u32 %r2, %r2, 1;\n\tsetp.lt.u32 %p2, %r2, 80000;\n\t@%p2 bra SPIN;\n\tmapa.shared::cluster.u64 %rd3, s, 1;\n\tld.shared::cluster.u32 %r1, [%rd3+4];\n\tret;\n}", []string{
			"load in .shared::cluster space, but the address is that of shared memory of block (1,0,0), which has ended [mem-space] shared::cluster 0x1100004"}},
		{"no such rank", "mapa.u64 %rd3, %rd2, 2;\n\tst.u32 [%rd3], 1;\n\tret;\n}", []string{
			"store in .shared::cluster space, but the address is that of block 2 of the cluster, which has 2 [mem-space] shared::cluster 0x1200000"}},
		{"past the end", "mapa.u64 %rd3, %rd2, 1;\n\tatom.add.u32 %r2, [%rd3+16], 1;\n\tret;\n}", []string{
			"atomic past the end of shared memory of block (1,0,0) [mem-oob] shared::cluster 0x1100010",
			"shared memory of block (1,0,0): 16 bytes at 0x1100000..0x110000f; the access starts right after the end"}},
		{"misaligned", "mapa.shared::cluster.u64 %rd3, %rd1, 1;\n\tld.shared::cluster.u64 %rd4, [%rd3+4];\n\tret;\n}", []string{
			"misaligned load: shared::cluster 0x1100004 is not a multiple of 8 bytes [mem-misaligned]"}},
		{"not the own", "mapa.shared::cluster.u64 %rd3, %rd1, 1;\n\tld.shared.u32 %r2, [%rd3+4];\n\tret;\n}", []string{
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

func TestClusterLaunches(t *testing.T) {
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

// TestClusterSaved restores a ring to many earlier states, and runs it to its end from each.
func TestClusterSaved(t *testing.T) {
	mod, err := asm.Parse("k.s", []byte(ring))
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

// TestClusterBudget: one cluster must fit the host's memory.
func TestClusterBudget(t *testing.T) {
	_, _, err := kerneltest.Kernel{Source: ring, Grid: kerneltest.Dim(16, 1), Cluster: kerneltest.Dim(16, 1), Shared: 200 << 10, Words: []int{512}, Config: interp.Config{Budget: memory.NewBudget(8 << 20)}}.Run(t)
	if launchError, ok := errors.AsType[*interp.LaunchError](err); !ok || !strings.Contains(launchError.Msg, "the resident blocks of a cluster") {
		t.Errorf("got %v", err)
	}
}
