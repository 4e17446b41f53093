// Package workloads is the ten kernels of the benchmark as launches, for tests
// and benchmarks of packages that execute kernels or observe them.
// Sizes and inputs are those that PoCL and Oclgrind are measured on.
package workloads

import (
	"context"
	_ "embed"
	"encoding/binary"
	"math"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/functional"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/memory"
)

// PTX is the module that the workloads are in, as clang made it of workloads.cu.
//
//go:embed workloads.ptx
var PTX []byte

// Workload is a launch of a kernel of PTX.
type Workload struct {
	Name        string
	Grid, Block isa.Dim
	inputs      func() inputs
}

func plane(x, y uint32) isa.Dim { return isa.Dim{X: x, Y: y, Z: 1} }

// All are the ten workloads.
var All = []Workload{
	{"saxpy_loop", plane(256, 1), plane(256, 1), saxpyLoop},
	{"vecadd", plane(4096, 1), plane(256, 1), vecadd},
	{"matmul_naive", plane(16, 16), plane(16, 16), matmul},
	{"matmul_tiled", plane(16, 16), plane(16, 16), matmul},
	{"reduce", plane(4096, 1), plane(256, 1), reduce},
	{"histogram", plane(256, 1), plane(256, 1), histogram},
	{"mandelbrot", plane(32, 32), plane(16, 16), mandelbrot},
	{"collatz", plane(256, 1), plane(256, 1), collatz},
	{"nbody", plane(8, 1), plane(256, 1), nbody},
	{"transpose", plane(64, 64), plane(16, 16), transpose},
}

// Load parses the module that the workloads are in.
func Load(tb testing.TB) *isa.Module {
	tb.Helper()
	mod, err := asm.Parse("workloads.ptx", PTX)
	if err != nil {
		tb.Fatal(err)
	}
	return mod
}

// Prepared is a workload whose buffers are in a machine's memory.
type Prepared struct {
	Machine *interp.Machine
	Launch  interp.Launch

	inputs  inputs
	buffers map[int]*memory.Region // by argument
}

// Prepare makes a machine with the workload's buffers, filled.
func (w *Workload) Prepare(tb testing.TB, mod *isa.Module, cfg interp.Config) *Prepared {
	tb.Helper()
	m, err := interp.New(mod, cfg)
	if err != nil {
		tb.Fatal(err)
	}
	fn := mod.Entry(w.Name)
	offsets, size := fn.ParamLayout()
	p := &Prepared{Machine: m, inputs: w.inputs(), buffers: make(map[int]*memory.Region),
		Launch: interp.Launch{Kernel: w.Name, Grid: w.Grid, Block: w.Block, Params: make([]byte, size)}}
	for i, a := range p.inputs.args {
		at := p.Launch.Params[offsets[i]:]
		switch v := a.(type) {
		case int32:
			binary.LittleEndian.PutUint32(at, uint32(v))
		case float32:
			binary.LittleEndian.PutUint32(at, math.Float32bits(v))
		default:
			r, err := m.Alloc(fn.Params[i].Name, int64(binary.Size(v)))
			if err != nil {
				tb.Fatal(err)
			}
			p.buffers[i] = r
			binary.LittleEndian.PutUint64(at, r.Base)
		}
	}
	p.Fill()
	return p
}

// Fill gives the buffers their contents at the start of a launch.
func (p *Prepared) Fill() {
	for i, r := range p.buffers {
		if _, err := binary.Encode(r.Data, binary.LittleEndian, p.inputs.args[i]); err != nil {
			panic(err)
		}
	}
}

// Buffer is what parameter i points to, or nil.
func (p *Prepared) Buffer(i int) *memory.Region { return p.buffers[i] }

// Check compares what one launch left with the reference.
func (p *Prepared) Check() error { return p.inputs.check(p.buffers[p.inputs.out].Data) }

// Run executes the launch.
func (p *Prepared) Run(tb testing.TB) interp.Stats {
	tb.Helper()
	stats, err := functional.Run(context.Background(), p.Machine, p.Launch)
	if err != nil {
		tb.Fatal(err)
	}
	return stats
}

// BenchmarkCost times each workload as it is and with an observer, which
// observe adds to the launch, in turn. It reports the latter over the former, of
// the fastest runs.
func BenchmarkCost(b *testing.B, observe func(m *interp.Machine, l *interp.Launch) error) {
	mod := Load(b)
	for i := range All {
		w := &All[i]
		b.Run(w.Name, func(b *testing.B) {
			p := w.Prepare(b, mod, interp.Config{})
			plainly := p.Launch
			plain, observed := math.Inf(1), math.Inf(1) // in seconds
			for b.Loop() {
				p.Launch = plainly
				plain = min(plain, seconds(b, p))
				if err := observe(p.Machine, &p.Launch); err != nil {
					b.Fatal(err)
				}
				observed = min(observed, seconds(b, p))
			}
			b.ReportMetric(observed/plain, "observed/plain")
		})
	}
}

// seconds is how long a launch takes.
func seconds(b *testing.B, p *Prepared) float64 {
	start := b.Elapsed()
	p.Run(b)
	return (b.Elapsed() - start).Seconds()
}
