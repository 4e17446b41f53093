package check_test

import (
	"context"
	_ "embed"
	"encoding/binary"
	"runtime"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/check"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
)

//go:embed testdata/contention_loop.s
var contentionLoop string

// contend runs a kernel of testdata/contention.txt with 2 CTAs of some threads, each of which takes n locks, and
// returns how many instructions the warps executed.
func contend(t testing.TB, c kerneltest.Case, threads, n uint32) uint64 {
	t.Helper()
	src := prologue + strings.Replace(contentionLoop, "CASE\n", c.Body, 1)
	m, l, g := launchOf(t, parsed(t, src), interp.Config{}, dim(2, 1, 1), dim(threads, 1, 1))
	binary.LittleEndian.PutUint32(g.Data[4092:], n)
	races, err := check.Attach(m, &l)
	if err != nil {
		t.Fatal(err)
	}
	stats, err := functional.Run(context.Background(), m, l)
	if err != nil {
		t.Fatal(err)
	}
	if fs := races.Findings(); len(fs) > 0 {
		t.Errorf("%s: %v", c.Name, summary(fs))
	}
	sum := uint32(0)
	for at := 2048; at < 2048+4*64; at += 4 {
		sum += binary.LittleEndian.Uint32(g.Data[at:])
	}
	if want := 2 * threads * n; sum != want {
		t.Errorf("%s: the words under locks count %d, want %d", c.Name, sum, want)
	}
	return stats.WarpInstrs
}

// TestLocksCostByInstruction checks that what the check allocates for clocks for each instruction of a warp does not
// depend on how long threads have contended for locks: twice the length costs at most 2.3 times as much. The bound of
// bytes is that of clocks that are joined only if neither is known to cover the other.
func TestLocksCostByInstruction(t *testing.T) {
	for _, c := range kerneltest.Cases(t, "testdata/contention.txt") {
		took := func(n uint32) (bytes, instrs uint64) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			instrs = contend(t, c, 64, n)
			runtime.ReadMemStats(&after)
			return after.TotalAlloc - before.TotalAlloc, instrs
		}
		took(1)
		some, instrs := took(24)
		twice, more := took(48)
		const most = 1200 // bytes for an instruction: at the release of acq_rel each lane has a clock of its own
		if twice > most*more {
			t.Errorf("%s: %d instructions allocate %d bytes, more than %d for each", c.Name, more, twice, most)
		}
		t.Logf("%s: %d bytes for %d instructions, %d for %d", c.Name, some, instrs, twice, more)
		if float64(twice)/float64(some) > 2.3/2*float64(more)/float64(instrs) {
			t.Errorf("%s: %d instructions allocate %d bytes, %d allocate %d", c.Name, instrs, some, more, twice)
		}
	}
}

// BenchmarkContention measures the check of locks for which threads contend.
func BenchmarkContention(b *testing.B) {
	for _, c := range kerneltest.Cases(b, "testdata/contention.txt") {
		b.Run(strings.ReplaceAll(c.Name, " ", "_"), func(b *testing.B) {
			instrs := uint64(0)
			for b.Loop() {
				instrs += contend(b, c, 128, 32)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(instrs), "ns/warp-inst")
		})
	}
}
