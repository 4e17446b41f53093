package sm

import (
	"encoding/binary"
	"runtime"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
)

// TestChangesDoNotGrow: in a loop of atomics with a warp that never diverges, only changes with results under way are
// kept.
func TestChangesDoNotGrow(t *testing.T) {
	var turn timeSlice
	for cycle := range int64(10000) {
		turn.expect(cycle+100, cycle)
	}
	if n := len(turn.results); n != 100 || !turn.wrote {
		t.Errorf("%d changes are kept, of which 100 are under way; %v that it wrote", n, turn.wrote)
	}
}

// steady is a kernel that does the same in each round: all kinds of loads and stores, atomics, barriers, and a
// divergent branch.
const steady = kerneltest.Entry + `
	.shared .b32 tile[128];
	.local .b32 own[4];
	.const .b32 table[8] = {1, 2, 3};
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %tid.x;
	mov.u32 %r2, %ctaid.x;
	mad.lo.u32 %r3, %r2, 128, %r1;
	mad.wide.u32 %rd2, %r3, 4, %rd1;
	mov.u64 %rd3, tile;
	mad.wide.u32 %rd4, %r1, 4, %rd3;
	mov.u64 %rd5, own;
	mov.u64 %rd6, table;
L:
	ld.global.u32 %r4, [%rd2];
	mov.u32 %r5, %r4;
	st.shared.u32 [%rd4], %r5;
	bar.sync 0;
	ld.shared.u32 %r6, [%rd4];
	and.b32 %r7, %r1, 3;
	setp.eq.u32 %p1, %r7, 0;
	@%p1 bra ODD;
	add.u32 %r6, %r6, 1;
	st.local.u32 [%rd5], %r6;
	add.u32 %r6, %r6, 3;
	mul.lo.u32 %r6, %r6, %r6;
	mul.lo.u32 %r6, %r6, %r6;
	mul.lo.u32 %r6, %r6, %r6;
	mul.lo.u32 %r6, %r6, %r6;
	mul.lo.u32 %r6, %r6, %r6;
	mul.lo.u32 %r6, %r6, %r6;
	bra JOIN;
ODD:
	ld.local.u32 %r8, [%rd5];
	ld.const.u32 %r9, [%rd6+4];
	add.u32 %r6, %r8, %r9;
JOIN:
	st.global.u32 [%rd2], %r6;
	ld.volatile.global.u32 %r10, [%rd1];
	atom.global.add.u32 %r11, [%rd1+64], 1;
	red.global.add.u32 [%rd1+128], %r10;
	atom.shared.add.u32 %r12, [%rd3], %r11;
	bra L;
}`

// TestWindowsAllocateNothing: windows of a kernel in a steady state allocate no host memory.
func TestWindowsAllocateNothing(t *testing.T) {
	for _, threads := range []int{1, 2} {
		on := gpu.H100()
		on.SMs = 8
		mod, err := asm.Parse("k.s", []byte(steady))
		if err != nil {
			t.Fatal(err)
		}
		m, err := interp.New(mod, interp.Config{GPU: on, Threads: threads})
		if err != nil {
			t.Fatal(err)
		}
		r, err := m.Alloc("out", 4*16*128)
		if err != nil {
			t.Fatal(err)
		}
		s, err := Begin(m, interp.Launch{Kernel: "k", Grid: kerneltest.Dim(16, 1), Block: kerneltest.Dim(128, 1), Params: binary.LittleEndian.AppendUint64(nil, r.Base)}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		s.pool.begin()
		run := func(windows int) (allocations uint64) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for range windows {
				if ended, err := s.runWindow(); ended || err != nil {
					t.Fatal(ended, err)
				}
			}
			runtime.ReadMemStats(&after)
			return after.Mallocs - before.Mallocs
		}
		run(2000)
		least := run(100)
		for range 9 { // the runtime sometimes allocates
			least = min(least, run(100))
		}
		if least > 0 {
			t.Errorf("%d threads: 100 windows make %d allocations", threads, least)
		}
		s.pool.stop()
		s.close()
	}
}
