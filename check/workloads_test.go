package check_test

import (
	"context"
	"encoding/binary"
	"math"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/check"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/isa"
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

var workloads = []workload{
	{"saxpy_loop", dim(256, 1, 1), dim(256, 1, 1), []any{words(1 << 16), words(1 << 16), float32(0.999), int32(256)}},
	{"vecadd", dim(4096, 1, 1), dim(256, 1, 1), []any{words(1 << 20), words(1 << 20), words(1 << 20)}},
	{"matmul_naive", dim(16, 16, 1), dim(16, 16, 1), []any{words(1 << 16), words(1 << 16), words(1 << 16), int32(256)}},
	{"matmul_tiled", dim(16, 16, 1), dim(16, 16, 1), []any{words(1 << 16), words(1 << 16), words(1 << 16), int32(256)}},
	{"reduce", dim(4096, 1, 1), dim(256, 1, 1), []any{words(1 << 20), words(1 << 12)}},
	{"histogram", dim(256, 1, 1), dim(256, 1, 1), []any{words(1 << 20), words(256), int32(16)}},
	{"mandelbrot", dim(32, 32, 1), dim(16, 16, 1), []any{words(1 << 18), int32(512), int32(512), int32(256)}},
	{"collatz", dim(256, 1, 1), dim(256, 1, 1), []any{words(1 << 16)}},
	{"nbody", dim(8, 1, 1), dim(256, 1, 1), []any{words(1 << 13), words(1 << 13), int32(2048), float32(0.01)}},
	{"transpose", dim(64, 64, 1), dim(16, 16, 1), []any{words(1 << 20), words(1 << 20), int32(1024)}},
}

// prepare makes a machine with the workload's buffers, whose words count up.
func (w *workload) prepare(tb testing.TB, mod *isa.Module) (*interp.Machine, interp.Launch) {
	tb.Helper()
	m, err := interp.New(mod, interp.Config{})
	if err != nil {
		tb.Fatal(err)
	}
	offsets, size := mod.Entry(w.name).ParamLayout()
	l := interp.Launch{Kernel: w.name, Grid: w.grid, Block: w.block, Params: make([]byte, size)}
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
				binary.LittleEndian.PutUint32(region.Data[4*j:], uint32(j))
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

// TestWorkloads checks that there are no races in what compilers make of CUDA C
// that is right, at two columns of CTAs.
func TestWorkloads(t *testing.T) {
	mod := loadWorkloads(t)
	for i := range workloads {
		w := &workloads[i]
		m, l := w.prepare(t, mod)
		l.Grid.X = min(l.Grid.X, 2)
		races, err := check.Attach(m, &l)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Run(context.Background(), l); err != nil {
			t.Fatal(err)
		}
		if fs := races.Findings(); len(fs) > 0 {
			t.Errorf("%s: %v", w.name, summary(fs))
		}
	}
}

// BenchmarkCheck times each workload without and with the check, in turn, and
// reports the cost of the latter as a ratio.
func BenchmarkCheck(b *testing.B) {
	mod := loadWorkloads(b)
	for i := range workloads {
		w := &workloads[i]
		b.Run(w.name, func(b *testing.B) {
			m, plainly := w.prepare(b, mod)
			plain, checked := math.Inf(1), math.Inf(1) // the fastest, in seconds
			for b.Loop() {
				plain = min(plain, seconds(b, m, plainly))
				l := plainly
				if _, err := check.Attach(m, &l); err != nil {
					b.Fatal(err)
				}
				checked = min(checked, seconds(b, m, l))
			}
			b.ReportMetric(checked/plain, "checked/plain")
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

// exchange has the threads of a CTA read each other's words of shared memory, add
// them to the buffer, and pass a counter with fences.
const exchange = prologue + `
mov.u32 %r10, s; add.u32 %r10, %r10, %r5; xor.b32 %r11, %r5, 128; mov.u32 %r12, s; add.u32 %r12, %r12, %r11;
st.shared.u32 [%r10], %r1; bar.sync 0; ld.shared.u32 %r13, [%r12]; bar.warp.sync 0xffffffff;
and.b32 %r14, %r3, 511; shl.b32 %r14, %r14, 2; cvt.u64.u32 %rd3, %r14; add.u64 %rd3, %rd3, %rd1;
red.global.add.u32 [%rd3+1024], %r13; ld.global.u32 %r15, [%rd2]; membar.gl; bar.sync 0;
setp.eq.u32 %p1, %r1, 0; @%p1 atom.global.add.u32 %r16, [%rd1+512], 1;
ret;
}
`

// TestMemoryStaysFlat checks that what is kept does not grow with the number of
// CTAs, but for what a counter that each of them passes tells of it.
func TestMemoryStaysFlat(t *testing.T) {
	alone := strings.Replace(exchange, "@%p1 atom.global.add.u32 %r16, [%rd1+512], 1;", "", 1)
	for _, c := range []struct {
		name, src string
		most      int64 // bytes for a CTA
	}{{"CTAs for themselves", alone, 8}, {"CTAs that pass a counter", exchange, 800}} {
		keptAfter(t, c.src, 10)
		few, many := keptAfter(t, c.src, 1000), keptAfter(t, c.src, 10_000)
		if perCTA := (many - few) / 9000; perCTA > c.most {
			t.Errorf("%s: %d bytes are kept for each", c.name, perCTA)
		}
	}
}

// fencedCounter is how the last CTA finds out that it is: each passes a counter, with
// a fence before and behind it.
const fencedCounter = `.entry k(.param .u64 g) { .shared .align 4 .b8 s[256];
ld.param.u64 %rd1, [g]; mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, s; add.u32 %r2, %r2, %r3;
st.shared.u32 [%r2], %r1; bar.sync 0; setp.ne.u32 %p1, %r1, 0; @%p1 bra J;
membar.gl; atom.global.inc.u32 %r4, [%rd1], 999999; membar.gl;
J: bar.sync 0; ld.shared.u32 %r5, [%r2];
ret;
}
`

// TestFencesCostByCTA checks that a CTA which passes a counter costs the same
// whatever has been before: what all before it knew is not copied, nor walked.
func TestFencesCostByCTA(t *testing.T) {
	took := func(ctas uint32) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		keptAfter(t, fencedCounter, ctas)
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	took(10)
	if few, many := took(1000), took(8000); many > 12*few {
		t.Errorf("1,000 CTAs allocate %d bytes, 8,000 %d", few, many)
	}
}

// keptAfter is the bytes that live after a launch of so many CTAs.
func keptAfter(t *testing.T, src string, ctas uint32) int64 {
	t.Helper()
	mod, err := asm.Parse("k.s", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	m, err := interp.New(mod, interp.Config{})
	if err != nil {
		t.Fatal(err)
	}
	g, err := m.Alloc("g", 4096)
	if err != nil {
		t.Fatal(err)
	}
	l := interp.Launch{Kernel: "k", Grid: dim(ctas, 1, 1), Block: dim(64, 1, 1), Params: binary.LittleEndian.AppendUint64(nil, g.Base)}
	races, err := check.Attach(m, &l)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Run(context.Background(), l); err != nil {
		t.Fatal(err)
	}
	var mem runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&mem)
	runtime.KeepAlive(races)
	t.Logf("%d CTAs: %d bytes", ctas, mem.HeapAlloc)
	return int64(mem.HeapAlloc)
}
