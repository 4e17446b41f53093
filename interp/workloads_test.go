package interp_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/memory"
)

// The ten workloads of the peer benchmark: testdata/workloads.ptx is what
// clang 19 made of CUDA C, unchanged. Sizes and inputs are those that PoCL and
// Oclgrind are measured on; every result is checked against a reference
// computed here in plain Go.

// rng is the xorshift generator that fills the inputs.
type rng uint32

func (r *rng) next() uint32 {
	*r ^= *r << 13
	*r ^= *r >> 17
	*r ^= *r << 5
	return uint32(*r)
}

// float is in [-0.5, 0.5).
func (r *rng) float() float32 { return float32(r.next()>>8)/16777216 - 0.5 }

func (r *rng) floats(n int) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = r.float()
	}
	return v
}

// workload is one launch: arguments are []float32, []int32 or []uint32 for
// buffers, and int32 or float32 for scalars.
type workload struct {
	name        string
	grid, block isa.Dim
	args        []any
	out         int // the argument that is the result
	check       func(out []byte) error
}

func workloads() []workload {
	return []workload{saxpyLoop(), vecadd(), matmul("matmul_naive"), matmul("matmul_tiled"), reduce(),
		histogram(), mandelbrot(), collatz(), nbody(), transpose()}
}

func saxpyLoop() workload {
	const n, iterations, a = 65536, 256, float32(0.999)
	r := rng(12345)
	y, x := r.floats(n), r.floats(n)
	return workload{"saxpy_loop", dim(256, 1), dim(256, 1), []any{y, x, a, int32(iterations)}, 0, func(out []byte) error {
		for i := range n {
			acc := y[i]
			for range iterations {
				acc = fma32(acc, a, x[i])
			}
			if err := same(out, i, acc); err != nil {
				return err
			}
		}
		return nil
	}}
}

// fma32 is the correctly rounded a*b + c: the product is exact in float64, and
// rounding the sum to odd first makes the second rounding harmless.
func fma32(a, b, c float32) float32 {
	p, s := float64(a)*float64(b), 0.0
	s = p + float64(c)
	t := s - p
	e := (p - (s - t)) + (float64(c) - t)
	if bits := math.Float64bits(s); e != 0 && bits&1 == 0 {
		if (e > 0) == (s > 0) {
			s = math.Float64frombits(bits + 1)
		} else {
			s = math.Float64frombits(bits - 1)
		}
	}
	return float32(s)
}

func vecadd() workload {
	const n = 1 << 20
	r := rng(12345)
	a, b := r.floats(n), r.floats(n)
	return workload{"vecadd", dim(4096, 1), dim(256, 1), []any{a, b, make([]float32, n)}, 2, func(out []byte) error {
		for i := range n {
			if err := same(out, i, a[i]+b[i]); err != nil {
				return err
			}
		}
		return nil
	}}
}

func matmul(name string) workload {
	const n = 256
	r := rng(12345)
	a, b := r.floats(n*n), r.floats(n*n)
	return workload{name, dim(16, 16), dim(16, 16), []any{a, b, make([]float32, n*n), int32(n)}, 2, func(out []byte) error {
		for row := range n {
			for col := range n {
				acc := float32(0)
				for k := range n {
					acc = fma32(a[row*n+k], b[k*n+col], acc)
				}
				if err := same(out, row*n+col, acc); err != nil {
					return err
				}
			}
		}
		return nil
	}}
}

func reduce() workload {
	const n = 1 << 20
	r := rng(12345)
	in := make([]int32, n)
	for i := range in {
		in[i] = int32(r.next()%1000) - 500
	}
	return workload{"reduce", dim(4096, 1), dim(256, 1), []any{in, make([]int32, n/256)}, 1, func(out []byte) error {
		for b := range n / 256 {
			sum := int32(0)
			for _, v := range in[b*256 : (b+1)*256] {
				sum += v
			}
			if err := same(out, b, sum); err != nil {
				return err
			}
		}
		return nil
	}}
}

func histogram() workload {
	const n = 1 << 20
	r := rng(12345)
	in := make([]uint32, n)
	var bins [256]uint32
	for i := range in {
		in[i] = r.next()
		bins[in[i]&255]++
	}
	return workload{"histogram", dim(256, 1), dim(256, 1), []any{in, make([]uint32, 256), int32(16)}, 1, func(out []byte) error {
		for i, want := range bins {
			if err := same(out, i, want); err != nil {
				return err
			}
		}
		return nil
	}}
}

func mandelbrot() workload {
	const w, h, limit = 512, 512, 256
	return workload{"mandelbrot", dim(32, 32), dim(16, 16), []any{make([]int32, w*h), int32(w), int32(h), int32(limit)}, 0, func(out []byte) error {
		for py := range h {
			for px := range w {
				// Rounded as the PTX does it: no contraction but the fma that is there.
				cx := float32(float32(float32(px)*3)/w) - 2
				cy := float32(float32(float32(py)*3)/h) - 1.5
				var zx, zy float32
				it := int32(0)
				for it < limit {
					x2, y2 := float32(zx*zx), float32(zy*zy)
					if float32(y2+x2) > 4 {
						break
					}
					zy = fma32(zx+zx, zy, cy)
					zx = cx + float32(x2-y2)
					it++
				}
				if err := same(out, py*w+px, it); err != nil {
					return err
				}
			}
		}
		return nil
	}}
}

func collatz() workload {
	const n = 65536
	return workload{"collatz", dim(256, 1), dim(256, 1), []any{make([]uint32, n)}, 0, func(out []byte) error {
		for i := range n {
			steps := uint32(0)
			for v := uint32(i + 1); v != 1; steps++ {
				if v&1 != 0 {
					v = 3*v + 1
				} else {
					v >>= 1
				}
			}
			if err := same(out, i, steps); err != nil {
				return err
			}
		}
		return nil
	}}
}

func nbody() workload {
	const n, eps2 = 2048, float32(0.01)
	r := rng(12345)
	pos := r.floats(4 * n)
	for i := 3; i < len(pos); i += 4 {
		pos[i] = 0.5 + float32(math.Abs(float64(pos[i])))
	}
	return workload{"nbody", dim(8, 1), dim(256, 1), []any{pos, make([]float32, 4*n), int32(n), eps2}, 1, func(out []byte) error {
		for i := range n {
			p := pos[4*i : 4*i+4]
			var acc [3]float32
			for j := range n {
				q := pos[4*j : 4*j+4]
				dx, dy, dz := q[0]-p[0], q[1]-p[1], q[2]-p[2]
				r2 := fma32(dx, dx, fma32(dy, dy, fma32(dz, dz, eps2)))
				inv := 1 / float32(math.Sqrt(float64(r2)))
				s := float32(inv * float32(inv*float32(q[3]*inv)))
				acc[0], acc[1], acc[2] = fma32(s, dx, acc[0]), fma32(s, dy, acc[1]), fma32(s, dz, acc[2])
			}
			for c, want := range acc {
				if err := same(out, 4*i+c, want); err != nil {
					return err
				}
			}
		}
		return nil
	}}
}

func transpose() workload {
	const n = 1024
	r := rng(12345)
	in := r.floats(n * n)
	return workload{"transpose", dim(64, 64), dim(16, 16), []any{in, make([]float32, n*n), int32(n)}, 1, func(out []byte) error {
		for row := range n {
			for col := range n {
				if err := same(out, col*n+row, in[row*n+col]); err != nil {
					return err
				}
			}
		}
		return nil
	}}
}

// same compares element i of out, which has 4 bytes, bit for bit.
func same(out []byte, i int, want any) error {
	b, err := binary.Append(nil, binary.LittleEndian, want)
	if err != nil {
		return err
	}
	if got := out[4*i : 4*i+4]; string(got) != string(b) {
		return fmt.Errorf("[%d]: got %x, want %x (%v)", i, got, b, want)
	}
	return nil
}

// prepared is a workload whose buffers are in a machine's memory.
type prepared struct {
	*workload
	machine *interp.Machine
	buffers map[int]*memory.Region
	launch  interp.Launch
}

func prepare(tb testing.TB, mod *isa.Module, w *workload, cfg interp.Config) *prepared {
	tb.Helper()
	m, err := interp.New(mod, cfg)
	if err != nil {
		tb.Fatal(err)
	}
	fn := mod.Entry(w.name)
	offsets, size := fn.ParamLayout()
	p := &prepared{workload: w, machine: m, buffers: make(map[int]*memory.Region),
		launch: interp.Launch{Kernel: w.name, Grid: w.grid, Block: w.block, Params: make([]byte, size)}}
	for i, a := range w.args {
		at := p.launch.Params[offsets[i]:]
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
	p.fill()
	return p
}

// fill gives the buffers their contents at the start of a launch.
func (p *prepared) fill() {
	for i, r := range p.buffers {
		if _, err := binary.Encode(r.Data, binary.LittleEndian, p.args[i]); err != nil {
			panic(err)
		}
	}
}

func (p *prepared) run(tb testing.TB) interp.Stats {
	tb.Helper()
	stats, err := p.machine.Run(context.Background(), p.launch)
	if err != nil {
		tb.Fatal(err)
	}
	return stats
}

func loadWorkloads(tb testing.TB) *isa.Module {
	tb.Helper()
	src, err := os.ReadFile("testdata/workloads.ptx")
	if err != nil {
		tb.Fatal(err)
	}
	mod, err := asm.Parse("workloads.ptx", src)
	if err != nil {
		tb.Fatal(err)
	}
	return mod
}

func TestWorkloads(t *testing.T) {
	mod := loadWorkloads(t)
	for _, w := range workloads() {
		t.Run(w.name, func(t *testing.T) {
			var stats interp.Stats
			for _, model := range []divergence.Model{minPC, stack, its} {
				p := prepare(t, mod, &w, interp.Config{Divergence: model})
				stats = p.run(t)
				if err := w.check(p.buffers[w.out].Data); err != nil {
					t.Errorf("%v: %v", model, err)
				}
			}
			t.Logf("%d warp instructions, %.1f lanes each", stats.WarpInstrs, float64(stats.LaneInstrs)/float64(stats.WarpInstrs))
		})
	}
}

// BenchmarkWorkloads times launches alone: loading and filling buffers are
// outside of the clock.
func BenchmarkWorkloads(b *testing.B) { benchmarkWorkloads(b, its) }

// BenchmarkWorkloadsOnStack is to show that independent threads cost nothing to
// speak of where nobody waits.
func BenchmarkWorkloadsOnStack(b *testing.B) { benchmarkWorkloads(b, stack) }

func benchmarkWorkloads(b *testing.B, model divergence.Model) {
	mod := loadWorkloads(b)
	for _, w := range workloads() {
		b.Run(w.name, func(b *testing.B) {
			p := prepare(b, mod, &w, interp.Config{Divergence: model})
			var instrs, laneInstrs uint64
			for b.Loop() {
				b.StopTimer()
				p.fill()
				b.StartTimer()
				stats := p.run(b)
				instrs += stats.WarpInstrs
				laneInstrs += stats.LaneInstrs
			}
			ns := float64(b.Elapsed().Nanoseconds())
			b.ReportMetric(ns/float64(instrs), "ns/warp-inst")
			b.ReportMetric(float64(instrs)/ns*1e3, "Mwarp-inst/s")
			b.ReportMetric(float64(laneInstrs)/ns*1e3, "Mlane-inst/s")
		})
	}
}
