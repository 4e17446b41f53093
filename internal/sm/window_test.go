package sm_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/cost"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/profile"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/internal/workloads"
	"github.com/simtrun/simtrun/interp"
)

// trace is everything that a launch shows: what it leaves in memory, its times and counters, what it prints, and how
// it ends.
type trace struct {
	Memory  []uint32
	Printed string
	Error   string
	Stats   interp.Stats
	Cycles  int64
	Traffic sm.Traffic
	SMs     []sm.SMTiming
	States  [][]sm.States
	Profile []profile.Counts
}

// racing is a launch of kernel k of a module on a buffer of words.
type racing struct {
	source      string
	ctas, block uint32
	words       int // of the buffer
	images      images
	cfg         interp.Config
	options     sm.Options
	everyCycle  bool // nothing is skipped (sm.Session.ContinueEveryCycle)
	proves      bool // hangs are looked for all the time (sm.Session.ContinueProving)
	unobserved  bool // without a profile, whose observers keep the engine from executing compiled code
}

// run runs the launch in windows of some cycles, on some host threads.
func (r *racing) run(t testing.TB, window int64, threads int) (got trace) {
	t.Helper()
	mod, err := asm.Parse("k.s", []byte(r.source))
	if err != nil {
		t.Fatalf("%v in\n%s", err, r.source)
	}
	var printed bytes.Buffer
	cfg, o := r.cfg, r.options
	cfg.Threads, cfg.Stdout, o.Window = threads, &printed, window
	o.Prove = new(functional.Prover).Prove
	m, err := interp.New(mod, cfg)
	if err != nil {
		t.Fatal(err)
	}
	buffer, err := m.Alloc("out", int64(4*r.words))
	if err != nil {
		t.Fatal(err)
	}
	regions := r.images.bind(t, m)
	_, size := mod.Entry("k").ParamLayout()
	l := interp.Launch{Kernel: "k", Grid: kerneltest.Dim(r.ctas, 1), Block: kerneltest.Dim(r.block, 1), Params: make([]byte, size)}
	binary.LittleEndian.PutUint64(l.Params, buffer.Base)
	var collector *profile.Collector
	if !r.unobserved {
		if collector, err = profile.Attach(m, &l); err != nil {
			t.Fatal(err)
		}
	}
	s, err := sm.Begin(m, l, o)
	if err != nil {
		t.Fatal(err)
	}
	proceed := func() error { return s.Continue(t.Context()) }
	switch {
	case r.everyCycle:
		proceed = s.ContinueEveryCycle
	case r.proves:
		proceed = s.ContinueProving
	}
	if err := proceed(); err != nil {
		got.Error = err.Error()
	}
	got.Memory = make([]uint32, r.words)
	if _, err := binary.Decode(buffer.Data, binary.LittleEndian, got.Memory); err != nil {
		t.Fatal(err)
	}
	for _, texels := range regions {
		for at := 0; at < len(texels.Data); at += 4 {
			got.Memory = append(got.Memory, binary.LittleEndian.Uint32(texels.Data[at:]))
		}
	}
	got.Printed = printed.String()
	timing := s.Timing()
	if err := timing.Check(); err != nil || timing.Partial != (got.Error != "") {
		t.Errorf("%v, partial %v, of a launch that ends with %q", err, timing.Partial, got.Error)
	}
	got.Stats, got.Cycles, got.Traffic, got.SMs = s.Stats(), timing.Cycles, timing.Memory, timing.SMs
	for _, f := range timing.Funcs {
		got.States = append(got.States, f.States)
	}
	if r.unobserved {
		return got
	}
	p := collector.Profile()
	p.AddTime(timing)
	got.Profile = append(got.Profile, p.Total)
	for _, f := range p.Funcs {
		got.Profile = append(got.Profile, f.Instrs...)
	}
	for i := range got.Profile {
		got.Profile[i].Time = nil // the same pointer as in timing
	}
	return got
}

// windowCases are windows and numbers of threads that are compared with the longest windows on one thread.
var windowCases = []struct {
	window  int64
	threads int
}{{1, 1}, {50, 1}, {0, 2}, {50, 5}, {1, 5}}

// same runs the launch in several windows and on several threads, and returns the differences from the longest windows
// on one thread, in which lane functions compute, or "".
func (r *racing) same(t testing.TB) string {
	t.Helper()
	byFunctions := *r
	byFunctions.cfg.Compile = interp.CompileNever
	want := byFunctions.run(t, 0, 1)
	for _, c := range windowCases {
		if diff := kerneltest.Diff(want, r.run(t, c.window, c.threads)); diff != "" {
			return fmt.Sprintf("windows of %d cycles, %d threads (-longest, 1, lane functions +these):\n%.3000s", c.window, c.threads, diff)
		}
	}
	return ""
}

// few is a GPU with some SMs.
func few(t testing.TB, name string, sms int) *gpu.Config {
	g := preset(t, name)
	g.SMs = sms
	return g
}

// TestWindowsDoNotChangeRandomKernels runs random kernels with threads that race for the same memory, half of them with
// a step limit. Nothing must depend on the length of windows or the number of host threads.
func TestWindowsDoNotChangeRandomKernels(t *testing.T) {
	seeds := []uint64{
		83,  // a load finds a pending sector that another load drops, and requests it again
		260, // a store waits for room at a time that only the exchange determines
	}
	const kernels = 100
	for seed := range uint64(short.Of(kernels)) {
		if !short.Waits(int(seed), 6) {
			seeds = append(seeds, seed)
		}
	}
	policies, gpus := sm.PolicyNames(), []string{"h100", "a100", "v100"}
	for _, seed := range seeds {
		r := racing{ctas: 1 + uint32(seed%7), block: 32 * (1 + uint32(seed%3)), words: []int{16, 256, 1 << 14}[seed%3],
			cfg:     interp.Config{GPU: few(t, gpus[seed/3%3], 1+int(seed%6)), Divergence: kerneltest.Models[seed%3], MaxSteps: 1e6},
			options: sm.Options{Cost: cost.Mode(seed / 2 % 2), Order: sm.Order(seed % 3), DualIssue: seed%5 == 0}, unobserved: seed/2%3 > 0}
		r.cfg.Lanes, r.cfg.Compile = kerneltest.LevelOf(seed), kerneltest.CompilationOf(seed)
		r.source = grow(seed, r.words)
		r.options.Policy, _ = sm.ParsePolicy(strings.Replace(policies[seed%uint64(len(policies))], "SEED", "1", 1))
		if diff := r.same(t); diff != "" {
			t.Fatalf("seed %d, %v: %s\nof %s", seed, r.cfg.Divergence, diff, r.source)
		}
		if r.cfg.MaxSteps = 20 + seed*37%400; seed%2 == 0 {
			if diff := r.same(t); diff != "" {
				t.Fatalf("seed %d, %v, %d steps: %s\nof %s", seed, r.cfg.Divergence, r.cfg.MaxSteps, diff, r.source)
			}
		}
	}
}

// TestWindowsDoNotChangeWorkloads: nor may it for a part of each workload.
func TestWindowsDoNotChangeWorkloads(t *testing.T) {
	mod := workloads.Load(t)
	for i := range workloads.All {
		w := &workloads.All[i]
		if short.Skips(i) || short.Waits(i, 6) {
			continue
		}
		t.Run(w.Name, func(t *testing.T) {
			part := func(window int64, threads int) []any {
				p := w.Prepare(t, mod, interp.Config{GPU: few(t, "h100", 8), Threads: threads})
				p.Launch.Grid.X = min(p.Launch.Grid.X, 20)
				p.Launch.Grid.Y = min(p.Launch.Grid.Y, 2)
				timing, err := run(t, p.Machine, p.Launch, sm.Options{Window: window})
				if err != nil {
					t.Fatal(err)
				}
				all := []any{timing.Cycles, timing.Memory, timing.SMs, timing.Funcs[0].States}
				for i := range mod.Entry(w.Name).Params {
					if r := p.Buffer(i); r != nil {
						all = append(all, crc32.ChecksumIEEE(r.Data))
					}
				}
				return all
			}
			want := part(0, 1)
			for _, c := range windowCases {
				if diff := kerneltest.Diff(want, part(c.window, c.threads)); diff != "" {
					t.Errorf("windows of %d cycles, %d threads (-longest, 1 +these):\n%.2000s", c.window, c.threads, diff)
				}
			}
		})
	}
}
