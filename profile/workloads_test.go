package profile_test

import (
	"context"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/profile"
)

// words is a buffer of that many 32-bit words.
type words int

// workload is a launch of a kernel of interp/testdata/workloads.ptx, at the size
// at which package interp times it.
type workload struct {
	name        string
	grid, block isa.Dim
	args        []any // words, int32 or float32
}

func plane(x, y uint32) isa.Dim { return isa.Dim{X: x, Y: y, Z: 1} }

var workloads = []workload{
	{"saxpy_loop", plane(256, 1), plane(256, 1), []any{words(1 << 16), words(1 << 16), float32(0.999), int32(256)}},
	{"vecadd", plane(4096, 1), plane(256, 1), []any{words(1 << 20), words(1 << 20), words(1 << 20)}},
	{"matmul_naive", plane(16, 16), plane(16, 16), []any{words(1 << 16), words(1 << 16), words(1 << 16), int32(256)}},
	{"matmul_tiled", plane(16, 16), plane(16, 16), []any{words(1 << 16), words(1 << 16), words(1 << 16), int32(256)}},
	{"reduce", plane(4096, 1), plane(256, 1), []any{words(1 << 20), words(1 << 12)}},
	{"histogram", plane(256, 1), plane(256, 1), []any{words(1 << 20), words(256), int32(16)}},
	{"mandelbrot", plane(32, 32), plane(16, 16), []any{words(1 << 18), int32(512), int32(512), int32(256)}},
	{"collatz", plane(256, 1), plane(256, 1), []any{words(1 << 16)}},
	{"nbody", plane(8, 1), plane(256, 1), []any{words(1 << 13), words(1 << 13), int32(2048), float32(0.01)}},
	{"transpose", plane(64, 64), plane(16, 16), []any{words(1 << 20), words(1 << 20), int32(1024)}},
}

// prepare makes a machine with the workload's buffers, full of random words.
func (w *workload) prepare(tb testing.TB, mod *isa.Module) (*interp.Machine, interp.Launch) {
	tb.Helper()
	m, err := interp.New(mod, interp.Config{})
	if err != nil {
		tb.Fatal(err)
	}
	offsets, size := mod.Entry(w.name).ParamLayout()
	l := interp.Launch{Kernel: w.name, Grid: w.grid, Block: w.block, Params: make([]byte, size)}
	r := rand.New(rand.NewPCG(1, 2))
	for i, arg := range w.args {
		at := l.Params[offsets[i]:]
		switch v := arg.(type) {
		case int32:
			binary.LittleEndian.PutUint32(at, uint32(v))
		case float32:
			binary.LittleEndian.PutUint32(at, math.Float32bits(v))
		case words:
			region, err := m.Alloc("buffer", 4*int64(v))
			if err != nil {
				tb.Fatal(err)
			}
			for j := range int(v) {
				binary.LittleEndian.PutUint32(region.Data[4*j:], r.Uint32())
			}
			binary.LittleEndian.PutUint64(at, region.Base)
		}
	}
	return m, l
}

func loadWorkloads(tb testing.TB) *isa.Module {
	tb.Helper()
	src, err := os.ReadFile("../interp/testdata/workloads.ptx")
	if err != nil {
		tb.Fatal(err)
	}
	mod, err := asm.Parse("workloads.ptx", src)
	if err != nil {
		tb.Fatal(err)
	}
	return mod
}

// TestWorkloads checks on what compilers make of CUDA C that all lost lane slots
// have a cause, at two columns of CTAs. The requests of vecadd are known: each of
// its 16 warps makes two loads and a store of a row of words.
func TestWorkloads(t *testing.T) {
	mod := loadWorkloads(t)
	for i := range workloads {
		w := &workloads[i]
		m, l := w.prepare(t, mod)
		l.Grid.X = min(l.Grid.X, 2)
		fns, err := m.Functions(w.name)
		if err != nil {
			t.Fatal(err)
		}
		c := profile.NewCollector(fns)
		l.Observer = c
		stats, err := m.Run(context.Background(), l)
		if err != nil {
			t.Fatal(err)
		}
		p := c.Profile()
		checkTotals(t, p, stats)
		if p.Total.LostBlock != 0 {
			t.Errorf("%s: %d lane slots are lost to blocks of whole warps", w.name, p.Total.LostBlock)
		}
		if w.name != "vecadd" {
			continue
		}
		const warps = 16
		want := []profile.Traffic{
			{Kind: isa.Load, Space: isa.Global, Requests: 2 * warps, Lanes: 64 * warps, Sectors: 8 * warps, Lines: 2 * warps, IdealSectors: 8 * warps},
			{Kind: isa.Store, Space: isa.Global, Requests: warps, Lanes: 32 * warps, Sectors: 4 * warps, Lines: warps, IdealSectors: 4 * warps},
		}
		if diff := cmp.Diff(want, p.Total.Traffic); diff != "" {
			t.Errorf("vecadd (-want +got):\n%s", diff)
		}
	}
}

// BenchmarkCollect times each workload without and with a Collector, in turn,
// and reports the cost of the latter as a ratio.
func BenchmarkCollect(b *testing.B) {
	mod := loadWorkloads(b)
	for i := range workloads {
		w := &workloads[i]
		b.Run(w.name, func(b *testing.B) {
			m, l := w.prepare(b, mod)
			fns, err := m.Functions(w.name)
			if err != nil {
				b.Fatal(err)
			}
			plain, observed := math.Inf(1), math.Inf(1) // the fastest, in seconds
			for b.Loop() {
				l.Observer = nil
				plain = min(plain, seconds(b, m, l))
				l.Observer = profile.NewCollector(fns)
				observed = min(observed, seconds(b, m, l))
			}
			b.ReportMetric(observed/plain, "observed/plain")
		})
	}
}

// seconds is how long a launch takes.
func seconds(b *testing.B, m *interp.Machine, l interp.Launch) float64 {
	start := b.Elapsed()
	if _, err := m.Run(context.Background(), l); err != nil {
		b.Fatal(err)
	}
	return (b.Elapsed() - start).Seconds()
}
