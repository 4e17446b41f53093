// Package workloads is the ten kernels of the benchmark as launches, for tests of
// packages that look on while they run.
package workloads

import (
	"context"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/isa"
)

// Workload is a launch of a kernel of interp/testdata/workloads.ptx, at the size
// at which package interp times it.
type Workload struct {
	Name        string
	Grid, Block isa.Dim
	args        []any // words, int32 or float32
}

// words is a buffer of that many 32-bit words.
type words int

func plane(x, y uint32) isa.Dim { return isa.Dim{X: x, Y: y, Z: 1} }

// All are the ten workloads.
var All = []Workload{
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

// Load parses the module that the workloads are in. It is for tests of packages
// in folders beside interp.
func Load(tb testing.TB) *isa.Module {
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

// Prepare makes a machine with the workload's buffers, full of random words that
// are always the same.
func (w *Workload) Prepare(tb testing.TB, mod *isa.Module) (*interp.Machine, interp.Launch) {
	tb.Helper()
	m, err := interp.New(mod, interp.Config{})
	if err != nil {
		tb.Fatal(err)
	}
	offsets, size := mod.Entry(w.Name).ParamLayout()
	l := interp.Launch{Kernel: w.Name, Grid: w.Grid, Block: w.Block, Params: make([]byte, size)}
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

// BenchmarkCost times each workload as it is and with somebody who looks on, whom
// observe adds to the launch, in turn. It reports the latter over the former, of
// the fastest runs.
func BenchmarkCost(b *testing.B, observe func(m *interp.Machine, l *interp.Launch) error) {
	mod := Load(b)
	for i := range All {
		w := &All[i]
		b.Run(w.Name, func(b *testing.B) {
			m, plainly := w.Prepare(b, mod)
			plain, observed := math.Inf(1), math.Inf(1) // in seconds
			for b.Loop() {
				plain = min(plain, seconds(b, m, plainly))
				l := plainly
				if err := observe(m, &l); err != nil {
					b.Fatal(err)
				}
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
