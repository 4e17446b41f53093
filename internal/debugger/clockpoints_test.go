package debugger

import (
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/kerneltest"
)

// TestStoresAreFoundBackwards: with a clock, a store takes effect some cycles after its execution, perhaps after the
// next copy, or after the present. Going back finds each of five, wherever there are copies.
func TestStoresAreFoundBackwards(t *testing.T) {
	stores := kerneltest.Source(t, "testdata/kernels/clockpoints.txt", "five stores")
	on := gpu.H100()
	on.SMs = 1
	for _, every := range []int64{0, 3, 40} {
		b := newTimedBench(t, stores, on, 32, 1)
		for !b.IsOver() {
			b.do("step -cycle")
			if every > 0 && !b.IsOver() && b.now().step%every == 0 {
				b.copyNow()
			}
		}
		b.do("watch out")
		found := 0
		for now := b.now(); strings.Contains(b.do("reverse-continue"), "watch 1"); found++ {
			if !b.now().before(now) {
				t.Fatalf("going back from %v leads to %v", now, b.now())
			}
			now = b.now()
		}
		if found != 5 {
			t.Errorf("with copies every %d cycles, %d of 5 stores are found", every, found)
		}
	}
}
