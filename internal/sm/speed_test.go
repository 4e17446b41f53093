package sm_test

import (
	"context"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/internal/workloads"
	"github.com/simtrun/simtrun/interp"
)

// BenchmarkALU issues arithmetic on all 132 SMs of an H100, with 64 warps each.
func BenchmarkALU(b *testing.B) {
	mod, err := asm.Parse("k.s", []byte(kerneltest.Source(b, "testdata/kernels/speed.txt", "one chain")))
	if err != nil {
		b.Fatal(err)
	}
	issued := uint64(0)
	for b.Loop() {
		m, err := interp.New(mod, interp.Config{})
		if err != nil {
			b.Fatal(err)
		}
		s, err := sm.Begin(m, interp.Launch{Kernel: "k", Grid: kerneltest.Dim(132*8, 1), Block: kerneltest.Dim(256, 1)}, sm.Options{})
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Continue(context.Background()); err != nil {
			b.Fatal(err)
		}
		issued += s.Stats().WarpInstrs
	}
	b.ReportMetric(float64(issued)/b.Elapsed().Seconds(), "warp-inst/s")
}

// BenchmarkCTAs runs the 108,544 CTAs of 128 threads of an element-wise kernel.
func BenchmarkCTAs(b *testing.B) {
	const ctas = 108544
	for b.Loop() {
		timed(b, preset(b, "h100"), ctas, 128, ctas*128, kerneltest.Source(b, "testdata/kernels/speed.txt", "elementwise"), sm.Options{})
	}
}

// BenchmarkMemory reads device memory on all 132 SMs of an H100, with 64 warps each: a load, and
// seven instructions around it.
func BenchmarkMemory(b *testing.B) {
	const threads, each = 132 * 2048, 16
	mod, err := asm.Parse("k.s", []byte(kerneltest.Source(b, "testdata/kernels/speed.txt", "benchmark memory")))
	if err != nil {
		b.Fatal(err)
	}
	issued := uint64(0)
	for b.Loop() {
		m, err := interp.New(mod, interp.Config{})
		if err != nil {
			b.Fatal(err)
		}
		r, err := m.Alloc("out", threads*each*4)
		if err != nil {
			b.Fatal(err)
		}
		s, err := sm.Begin(m, interp.Launch{Kernel: "k", Grid: kerneltest.Dim(132*8, 1), Block: kerneltest.Dim(256, 1), Params: binary.LittleEndian.AppendUint64(nil, r.Base)}, sm.Options{})
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Continue(context.Background()); err != nil {
			b.Fatal(err)
		}
		issued += s.Stats().WarpInstrs
	}
	b.ReportMetric(float64(issued)/b.Elapsed().Seconds(), "warp-inst/s")
}

// BenchmarkLoneWarp has one warp on the GPU, which waits nearly all the time: it adds 1 to a word, which it loads and
// stores each time.
func BenchmarkLoneWarp(b *testing.B) {
	const rounds = 10000
	for b.Loop() {
		timed(b, preset(b, "h100"), 1, 32, 1, kerneltest.Source(b, "testdata/kernels/speed.txt", "benchmark lone warp"), sm.Options{})
	}
	b.ReportMetric(float64(6*rounds*b.N)/b.Elapsed().Seconds(), "warp-inst/s")
}

// ofOneKind are instructions that BenchmarkKinds executes 4 of in each round of a loop.
var ofOneKind = []struct{ name, instr string }{
	{"add", "add.u32 %r5, %r5, %r6;"},
	{"atomics, one word", "atom.global.add.u32 %r5, [%rd1], 1;"},
	{"atomics, words of their own", "atom.global.add.u32 %r5, [%rd2], 1;"},
	{"reductions, one word", "red.global.add.u32 [%rd1], 1;"},
	{"atomics, shared", "atom.shared.add.u32 %r5, [%r4], 1;"},
	{"mma f16", "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r6, %r6, %r6, %r6}, {%r6, %r6}, {%f1, %f2, %f3, %f4};"},
	{"mma s8", "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%r10, %r11, %r12, %r13}, {%r6, %r6, %r6, %r6}, {%r6, %r6}, {%r10, %r11, %r12, %r13};"},
}

// BenchmarkKinds runs loops of 4 instructions of one kind on all 132 SMs of an H100, with 8 warps each.
func BenchmarkKinds(b *testing.B) {
	const ctas, threads, rounds = 132, 256, 100
	for _, kind := range ofOneKind {
		b.Run(kind.name, func(b *testing.B) {
			best, source := 0.0, kerneltest.Source(b, "testdata/kernels/speed.txt", "benchmark kinds", "$kind", strings.Repeat("\t"+kind.instr+"\n", 4))
			for b.Loop() {
				began := workloads.CPUTime()
				timed(b, preset(b, "h100"), ctas, threads, ctas*threads, source, sm.Options{})
				best = max(best, float64(ctas*threads/32*(10+rounds*7))/(workloads.CPUTime()-began).Seconds()/1e6)
			}
			b.ReportMetric(best, "Mwarp-inst/CPU-s")
		})
	}
}

// BenchmarkWorkloads runs the benchmark's kernels with the clock of an H100, on one thread (docs/performance.md).
func BenchmarkWorkloads(b *testing.B) {
	mod := workloads.Load(b)
	for i := range workloads.All {
		w := &workloads.All[i]
		b.Run(w.Name, func(b *testing.B) {
			p := w.Prepare(b, mod, interp.Config{Threads: 1})
			best := 0.0
			for b.Loop() {
				p.Fill()
				began := workloads.CPUTime()
				s, err := sm.Begin(p.Machine, p.Launch, sm.Options{})
				if err == nil {
					err = s.Continue(context.Background())
				}
				if err != nil {
					b.Fatal(err)
				}
				best = max(best, float64(s.Stats().WarpInstrs)/(workloads.CPUTime()-began).Seconds()/1e6)
			}
			b.ReportMetric(best, "Mwarp-inst/CPU-s")
		})
	}
}

// BenchmarkParts runs an eighth of the CTAs of each workload with the clock of an H100. It is for counting the host's
// instructions with Valgrind.
func BenchmarkParts(b *testing.B) {
	mod := workloads.Load(b)
	for _, w := range workloads.All {
		b.Run(w.Name, func(b *testing.B) {
			w.Grid.X = max(w.Grid.X/8, 1)
			p := w.Prepare(b, mod, interp.Config{Threads: 1})
			for b.Loop() {
				timing, err := run(b, p.Machine, p.Launch, sm.Options{})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(timing.Total().Schedulers[0].Issued), "warp-inst")
			}
		})
	}
}
