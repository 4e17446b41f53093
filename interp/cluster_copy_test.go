package interp_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/interp"
)

// withClock runs a launch with a clock.
func withClock(m *interp.Machine, l interp.Launch) (stats interp.Stats, err error) {
	policy, err := sm.ParsePolicy("gto") // under gty warps that poll may starve others
	if err != nil {
		return stats, err
	}
	s, err := sm.Begin(m, l, sm.Options{Policy: policy})
	if err == nil {
		err = s.Continue(context.Background())
		stats = s.Stats()
	}
	return stats, err
}

// betweenCTAs begins a kernel in clusters of a number of CTAs of one warp, which have a buffer of 64 words and two
// mbarriers; %r1 is the rank of a CTA, %r2 the lane, and the global words x[i] are i*i+7.
func betweenCTAs(size int) string {
	var words []string
	for i := range 64 {
		words = append(words, fmt.Sprint(i*i+7))
	}
	return `
.global .align 128 .u32 x[64] = {` + strings.Join(words, ", ") + `};
.entry k(.param .u64 out)
.reqnctapercluster ` + fmt.Sprint(size) + `
{
	.shared .align 128 .u32 s[64];
	.shared .align 8 .b64 bars[2];
	mov.u32 %r1, %cluster_ctarank;
	mov.u32 %r2, %laneid;
	setp.eq.u32 %p1, %r2, 0;
	mov.u32 %r3, s;
	mad.lo.u32 %r4, %r2, 4, %r3;
	mov.u32 %r5, bars;
	mov.u64 %rd1, x;
	add.u32 %r6, %r1, 1;
	rem.u32 %r6, %r6, ` + fmt.Sprint(size) + `;
	setp.eq.u32 %p2, %r1, 0;
	and.pred %p3, %p1, %p2;
	mov.u32 %r10, 0;
	st.shared.u32 [%r4], %r10;
	st.shared.u32 [%r4+128], %r10;
`
}

// Patterns of accesses to each other's shared memory by copies and mbarriers, in clusters of size CTAs, and the final
// word of a lane in the CTA with a rank.
var patternsBetweenCTAs = []struct {
	name, body string
	sizes      []int
	want       func(size, rank, lane int) int
}{
	{"multicast to some", `
	@%p1 mbarrier.init.shared.b64 [%r5+8], 1;
	@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r5+8], 96;
	barrier.cluster.arrive;
	barrier.cluster.wait;
	mov.u32 %r7, 0xb;
	@%p3 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [s+32], [%rd1+16], 96, [%r5+8], 0xb;
	shr.u32 %r8, %r7, %r1;
	and.b32 %r8, %r8, 1;
	setp.eq.u32 %p4, %r8, 0;
	@%p4 bra END;
WAIT:
	mbarrier.try_wait.parity.shared.b64 %p5, [%r5+8], 0;
	@!%p5 bra WAIT;
END:
	ld.shared.u32 %r9, [%r4];
`, []int{4, 5, 16}, func(_, rank, lane int) int {
		if 0xb>>rank&1 == 0 || lane < 8 {
			return 0
		}
		return (lane-4)*(lane-4) + 7
	}},
	// The addresses of the buffer and the mbarrier are those in CTA 1, which does not get the copy.
	{"multicast by an address in another block, with a policy", `
	@%p1 mbarrier.init.shared.b64 [%r5], 1;
	@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r5], 128;
	barrier.cluster.arrive;
	barrier.cluster.wait;
	mapa.shared::cluster.u32 %r7, %r3, 1;
	mapa.shared::cluster.u32 %r8, %r5, 1;
	mov.b16 %rs1, 5;
	mov.b64 %rd2, 0;
	@%p3 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [%r7], [%rd1], 128, [%r8], %rs1, %rd2;
	setp.eq.u32 %p4, %r1, 1;
	@%p4 bra END;
WAIT:
	mbarrier.try_wait.parity.shared.b64 %p5, [%r5], 0;
	@!%p5 bra WAIT;
END:
	ld.shared.u32 %r9, [%r4];
`, []int{3}, func(_, rank, lane int) int {
		if rank == 1 {
			return 0
		}
		return lane*lane + 7
	}},
	{"each to the next, from shared memory", `
	@%p1 mbarrier.init.shared.b64 [%r5], 1;
	@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r5], 128;
	mad.lo.u32 %r7, %r1, 100, %r2;
	st.shared.u32 [%r4], %r7;
	fence.proxy.async.shared::cta;
	barrier.cluster.arrive;
	barrier.cluster.wait;
	mapa.shared::cluster.u32 %r7, %r3, %r6;
	mapa.shared::cluster.u32 %r8, %r5, %r6;
	@%p1 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r7+128], [%r3], 128, [%r8];
WAIT:
	mbarrier.try_wait.parity.shared.b64 %p5, [%r5], 0;
	@!%p5 bra WAIT;
	ld.shared.u32 %r9, [%r4+128];
`, []int{2, 5}, func(size, rank, lane int) int { return (rank+size-1)%size*100 + lane }},
	{"each to the next, from global memory", `
	@%p1 mbarrier.init.shared.b64 [%r5], 1;
	@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r5], 128;
	barrier.cluster.arrive;
	barrier.cluster.wait;
	mapa.shared::cluster.u32 %r7, %r3, %r6;
	mapa.shared::cluster.u32 %r8, %r5, %r6;
	mul.wide.u32 %rd3, %r1, 16;
	add.u64 %rd1, %rd1, %rd3;
	@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r7], [%rd1], 128, [%r8];
WAIT:
	mbarrier.try_wait.parity.shared.b64 %p5, [%r5], 0;
	@!%p5 bra WAIT;
	ld.shared.u32 %r9, [%r4];
`, []int{2, 5}, func(size, rank, lane int) int {
		i := (rank+size-1)%size*4 + lane
		return i*i + 7
	}},
	// All lanes of all blocks arrive at the mbarrier of the first when they have stored their values; it releases them
	// by their own mbarriers.
	{"arrivals at another block's", `
	@%p1 mbarrier.init.shared.b64 [%r5], SIZE32;
	@%p1 mbarrier.init.shared.b64 [%r5+8], 1;
	barrier.cluster.arrive;
	barrier.cluster.wait;
	mapa.shared::cluster.u32 %r7, %r4, 0;
	mapa.shared::cluster.u32 %r8, %r5, 0;
	add.u32 %r9, %r1, 1;
	red.shared::cluster.add.u32 [%r7], %r9;
	mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r8];
	@!%p2 bra THEIRS;
WAIT:
	mbarrier.try_wait.parity.acquire.cluster.shared.b64 %p5, [%r5], 0;
	@!%p5 bra WAIT;
	mov.u32 %r12, 0;
EACH:
	mapa.shared::cluster.u32 %r13, %r5, %r12;
	@%p1 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r13+8];
	add.u32 %r12, %r12, 1;
	setp.lt.u32 %p6, %r12, SIZE;
	@%p6 bra EACH;
THEIRS:
	mbarrier.try_wait.parity.acquire.cluster.shared.b64 %p5, [%r5+8], 0;
	@!%p5 bra THEIRS;
	ld.shared::cluster.u32 %r9, [%r7];
`, []int{1, 2, 6}, func(size, _, _ int) int { return size * (size + 1) / 2 }},
	// Each block sets the expected bytes of its neighbour's mbarrier, and completes them in two parts; drops out of it,
	// and checks the rest: 3 arrivals were expected, and 2 are now.
	{"counts of another block's", `
	@%p1 mbarrier.init.shared.b64 [%r5], 3;
	barrier.cluster.arrive;
	barrier.cluster.wait;
	mapa.shared::cluster.u32 %r8, %r5, %r6;
	@%p1 mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [%r8], 100;
	@%p1 mbarrier.arrive.expect_tx.shared::cluster.b64 _, [%r8], 60;
	@%p1 mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%r8], 128;
	@%p1 mbarrier.arrive_drop.shared::cluster.b64 _, [%r8];
	@%p1 mbarrier.arrive_drop.expect_tx.shared::cluster.b64 _, [%r8], 8;
	barrier.cluster.arrive;
	barrier.cluster.wait;
	mbarrier.test_wait.parity.shared.b64 %p5, [%r5], 0;
	selp.u32 %r9, 1000, 0, %p5;
	@%p1 mbarrier.complete_tx.shared.b64 [%r5], 40;
	bar.sync 0;
	mbarrier.test_wait.parity.shared.b64 %p5, [%r5], 0;
	@%p5 add.u32 %r9, %r9, 1;
	@%p1 mbarrier.arrive.shared.b64 %rd5, [%r5];
	@%p1 mbarrier.pending_count.b64 %r12, %rd5;
	shfl.sync.idx.b32 %r12, %r12, 0, 31, -1;
	mad.lo.u32 %r9, %r12, 10, %r9;
	mbarrier.test_wait.parity.shared.b64 %p5, [%r5], 1;
	@%p5 add.u32 %r9, %r9, 100;
`, []int{2, 3}, func(_, _, _ int) int { return 111 }},
}

// TestCopiesBetweenCTAs checks copies to other CTAs and their mbarriers, with a clock and without one.
func TestCopiesBetweenCTAs(t *testing.T) {
	const end = `
	mov.u32 %r14, %ctaid.x;
	mad.lo.u32 %r14, %r14, 32, %r2;
	ld.param.u64 %rd9, [out];
	mad.wide.u32 %rd9, %r14, 4, %rd9;
	st.global.u32 [%rd9], %r9;
	barrier.cluster.arrive;
	barrier.cluster.wait;
	ret;
}`
	minimal, err := gpu.Preset("minimal")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range patternsBetweenCTAs {
		for _, size := range p.sizes {
			body := strings.NewReplacer("SIZE32", fmt.Sprint(32*size), "SIZE", fmt.Sprint(size)).Replace(p.body)
			const clusters = 3
			want := make([]uint32, clusters*size*32)
			for i := range want {
				want[i] = uint32(p.want(size, i/32%size, i%32))
			}
			for _, on := range []*gpu.Config{gpu.H100(), minimal} {
				for _, driver := range []func(*interp.Machine, interp.Launch) (interp.Stats, error){nil, withClock} {
					if on.Cluster.Size < size {
						continue
					}

					out, _, err := kerneltest.Kernel{Source: betweenCTAs(size) + body + end, Grid: kerneltest.Dim(uint32(clusters*size), 1), Words: []int{len(want)}, Driver: driver,
						Config: interp.Config{GPU: on, Threads: 2, Divergence: divergence.IndependentThreads}}.Run(t)
					if err != nil {
						t.Errorf("%s, clusters of %d on %s, clock %v: %v", p.name, size, on.Name, driver != nil, err)
						continue
					}
					if diff := cmp.Diff(want, out[0]); diff != "" {
						t.Errorf("%s, clusters of %d on %s, clock %v (-want +got):\n%s", p.name, size, on.Name, driver != nil, diff)
					}
				}
			}
		}
	}
}
