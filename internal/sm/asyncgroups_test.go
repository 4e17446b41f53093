package sm_test

import (
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/cost"
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/sm"
)

// TestCopyWaitTakesTimeOfCopies: a wait for copies takes as long as the copies, which is 100 cycles from their issue.
// Each PTX instruction is one machine instruction; instructions for groups use the pipe CBU for a cycle.
func TestCopyWaitTakesTimeOfCopies(t *testing.T) {
	for _, p := range []pipeline{
		{
			name: "the older of two groups",
			body: kerneltest.Source(t, "testdata/kernels/asyncgroups.txt", "copies one after the other"),
			issues: `
	0 w0.0
	1 w0.1
	4 w0.2 # the pipe of loads takes one every 4 cycles
	5 w0.3
	100 w0.4 # the first copy is there
	104 w0.5 # and the second
	105 w0.6`,
			cycles: 106,
			states: map[sm.State]uint64{sm.Selected: 7, sm.LongScoreboard: 94 + 3, sm.LGThrottle: 2},
		}, {
			name: "a wait that allows more pending groups than exist",
			body: kerneltest.Source(t, "testdata/kernels/asyncgroups.txt", "copies with a wait"),
			issues: `
	0 w0.0
	1 w0.1
	4 w0.2
	5 w0.3
	6 w0.4
	7 w0.5`,
			cycles: 8,
		}, {
			name: "a copy without a group",
			body: kerneltest.Source(t, "testdata/kernels/asyncgroups.txt", "copies of two groups"),
			issues: `
	0 w0.0
	1 w0.1
	4 w0.2
	5 w0.3
	8 w0.4
	104 w0.5 # the third copy is in no group
	108 w0.6
	109 w0.7`,
			cycles: 110,
		},
	} {
		p.gpu, p.code, p.options.Cost = small(1), ".global .align 16 .b32 x[64];\n", cost.PTX
		t.Run(p.name, p.run)
	}
}

// TestBulkWaitTakesTimeOfCopies: a wait for bulk groups takes as long as the copies: on this GPU, which has neither
// caches nor queues, the 10 cycles of a store from their issue. The first copy issues when %laneid is ready, after 20
// cycles; the pipe of loads and stores takes one copy every 4 cycles.
func TestBulkWaitTakesTimeOfCopies(t *testing.T) {
	p := pipeline{
		name: "two groups",
		body: kerneltest.Source(t, "testdata/kernels/asyncgroups.txt", "bulk groups"),
		issues: `
	0 w0.0
	20 w0.1
	21 w0.2
	24 w0.3
	25 w0.4
	26 w0.5
	30 w0.6 # the first copy is there
	34 w0.7 # and the second
	35 w0.8
	36 w0.9`,
		cycles: 37,
	}
	p.gpu, p.code, p.options.Cost = small(1), ".global .align 16 .b32 x[64];\n", cost.PTX
	t.Run(p.name, p.run)
}

// TestBulkCopiesOccupyCopyEngine: bulk copies within shared memory keep the copy engine busy for a cycle for each 128
// bytes, but the pipe of loads and stores only as long as any instruction. A wait for the sources of a copy to global
// memory takes until they have been read, a wait for the copy until L2 has received it.
func TestBulkCopiesOccupyCopyEngine(t *testing.T) {
	const before = `
	.shared .align 128 .b8 s[8192];
	.shared .b64 bar;
	.shared .b64 word;
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %tid.x;
	mov.u32 %r2, s;
	mov.u32 %r4, word;
	st.shared.u32 [word], %r4;
	setp.eq.u32 %p1, %r1, 0;
	@%p1 mbarrier.init.shared.b64 [bar], 1;
	bar.warp.sync -1;
	@!%p1 bra END;
`
	const after = `
	mbarrier.arrive.shared.b64 _, [bar];
WAIT:
	mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0;
	@!%p2 bra WAIT;
	st.shared.u32 [word], %r4;
END:
	ret;
}`
	const within = "\n\tmbarrier.expect_tx.relaxed.cta.shared.b64 [bar], 4096;\n\tcp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r2], [%r2+4096], 4096, [bar];"
	loads := strings.Repeat("\n\tld.shared.u32 %r4, [%r4];", 4)
	for _, c := range []struct {
		name, body  string
		least, most float64
	}{
		{"copies within shared memory", within, 32, 32},
		{"a wait for a copy's source", kerneltest.Source(t, "testdata/kernels/asyncgroups.txt", "a wait for a copy's source"), 1, 20},
		{"a wait for a copy", kerneltest.Source(t, "testdata/kernels/asyncgroups.txt", "a wait for a copy"), 260, 300}, // a load from L2 takes 277
		{"four dependent loads", loads, 4 * 23, 4 * 23},
		{"four dependent loads during a copy", within + loads, 4 * 23, 4 * 23},
	} {
		if got := slope(t, gpu.H100(), before, c.body, after); got < c.least || got > c.most {
			t.Errorf("%s: %v cycles each, want %v to %v", c.name, got, c.least, c.most)
		}
	}
}

// TestWindowsDoNotChangeBulkCopies: bulk copies to global memory, including reductions, give the same memory and times
// for every window and number of threads.
func TestWindowsDoNotChangeBulkCopies(t *testing.T) {
	r := racing{source: kerneltest.Source(t, "testdata/kernels/asyncgroups.txt", "bulk windows", "$clusterEntry", clusterEntry(1)), ctas: 5, block: 32, words: 6 * 32}
	want := r.run(t, 0, 1)
	if want.Error != "" {
		t.Fatal(want.Error)
	}
	for i, got := range want.Memory {
		last := uint32(i + 3)
		if i >= 160 { // the sum over 5 CTAs of 4 rounds
			last = 0
			for cta := range uint32(5) {
				last += 4*(32*cta+uint32(i-160)) + 6
			}
		}
		if got != last {
			t.Errorf("word %d is %d, want %d", i, got, last)
		}
	}
	for _, window := range []int64{1, 13, 0} {
		for _, threads := range []int{1, 3} {
			if diff := kerneltest.Diff(want, r.run(t, window, threads)); diff != "" {
				t.Errorf("windows of %d cycles, %d threads (-want +got):\n%s", window, threads, diff)
			}
		}
	}
}
