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

// TestWindowsAllocateNothing: windows of a kernel in a steady state allocate no host memory.
func TestWindowsAllocateNothing(t *testing.T) {
	kerneltest.SkipVerified(t)
	for _, threads := range []int{1, 2} {
		on := gpu.H100()
		on.SMs = 8
		mod, err := asm.Parse("k.s", []byte(kerneltest.Source(t, "testdata/kernels/alloc.txt", "steady")))
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
