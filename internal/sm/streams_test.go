package sm_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/internal/sm/cache"
	"github.com/simtrun/simtrun/interp"
)

// sideBySide runs launches of kernels of a source together, and returns the session when it has ended. Out is a
// buffer that all of them have as a parameter.
func sideBySide(t *testing.T, on *gpu.Config, threads int, source string, o sm.Options, ls ...sm.Launch) (*sm.Session, []uint32, error) {
	t.Helper()
	var s *sm.Session
	words, _, err := kerneltest.Kernel{Source: source, Grid: kerneltest.Dim(1, 1), Block: kerneltest.Dim(32, 1), Words: []int{4096}, Config: interp.Config{GPU: on, Threads: threads},
		Driver: func(m *interp.Machine, first interp.Launch) (interp.Stats, error) {
			for i := range ls {
				l := &ls[i]
				l.Machine, l.Params = m, first.Params
				if l.Block.X == 0 {
					l.Block = kerneltest.Dim(32, 1)
				}
			}
			var err error
			if s, err = sm.BeginAll(ls, o); err != nil {
				return interp.Stats{}, err
			}
			err = s.Continue(context.Background())
			return interp.Stats{}, err
		}}.Run(t)
	var out []uint32
	if len(words) > 0 {
		out = words[0]
	}
	if err == nil {
		for i := range ls {
			if err := s.TimingOf(i).Check(); err != nil {
				t.Errorf("launch %d: %v", i, err)
			}
		}
	}
	return s, out, err
}

// of returns a launch of a kernel in a stream.
func of(kernel string, ctas uint32, stream string) sm.Launch {
	return sm.Launch{Launch: interp.Launch{Kernel: kernel, Grid: kerneltest.Dim(ctas, 1)}, Stream: stream}
}

// chain is a kernel of n additions, each of which waits 4 cycles for the one before. It ends 4*n-2 cycles after its
// start: the return does not wait for the last addition, and the warp ends a cycle after it.
func chain(name string, n int) string {
	return ".entry " + name + "(.param .u64 out)\n{\n" + strings.Repeat("\tadd.f32 %f1, %f1, %f1;\n", n) + "\tret;\n}\n"
}

// TestStreamsStartAndEndByHand: when launches start and end on small GPUs. A CTA takes 4*n-2 cycles, the next one
// starts in its place 50 cycles later, and a launch 300 cycles after the one that it waits for.
func TestStreamsStartAndEndByHand(t *testing.T) {
	source := chain("k10", 10) + chain("k20", 20) + chain("k30", 30)
	for _, c := range []struct {
		name     string
		sms      int
		perSM    int // CTAs
		launches []sm.Launch
		want     string // start+cycles of each
	}{
		{"one stream", 2, 4, []sm.Launch{of("k10", 1, ""), of("k20", 1, ""), of("k30", 1, "")}, "0+38 338+78 716+118"},
		{"two streams", 2, 4, []sm.Launch{of("k10", 1, "a"), of("k20", 1, "b"), of("k30", 1, "a")}, "0+38 0+78 338+118"},
		{"each has an SM", 2, 1, []sm.Launch{of("k30", 1, "a"), of("k10", 1, "b")}, "0+118 0+38"},
		// The second CTA of the first launch and the second launch start when an SM is free, in this order.
		{"room for one", 1, 1, []sm.Launch{of("k30", 2, "a"), of("k10", 1, "b")}, "0+286 336+38"},
		// The second launch has to wait until all CTAs of the first are handed out, though there is room on SM 1.
		{"remaining room", 2, 2, []sm.Launch{of("k30", 5, "a"), of("k10", 1, "b")}, "0+286 168+38"},
		// The launch that could start first starts first, not the one that was given first.
		{"order of start", 1, 1, []sm.Launch{of("k10", 1, "a"), of("k10", 1, "a"), of("k30", 9, "b")}, fmt.Sprintf("0+38 %d+38 88+%d", 88+9*168, 8*168+118)},
		{"two chains", 1, 8, []sm.Launch{of("k10", 1, "a"), of("k10", 1, "b"), of("k10", 1, "a"), of("k10", 1, "b")}, "0+38 0+38 338+38 338+38"},
	} {
		for _, window := range []int64{0, 1, 7} {
			on := small(1)
			on.SMs, on.GPCs, on.TPCs = c.sms, 1, c.sms
			on.Residency.CTAs, on.CTAs.Launch = c.perSM, 300
			if c.name == "two chains" {
				on.Schedulers = 4
			}
			s, _, err := sideBySide(t, on, 1, source, sm.Options{Window: window}, c.launches...)
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				continue
			}
			var got []string
			for i := range c.launches {
				timing := s.TimingOf(i)
				got = append(got, fmt.Sprintf("%d+%d", timing.Start, timing.Cycles))
			}
			if got := strings.Join(got, " "); got != c.want {
				t.Errorf("%s, window %d: %s, want %s", c.name, window, got, c.want)
			}
		}
	}
}

// TestStreamsShareGPU: two launches with a CTA for half of the SMs each run on different SMs, and take as long as one
// of them alone.
func TestStreamsShareGPU(t *testing.T) {
	source, on := chain("k", 100), gpu.H100()
	on.CTAs.PerCycle = 0
	alone, _, err := sideBySide(t, on, 1, source, sm.Options{}, of("k", 66, ""))
	if err != nil {
		t.Fatal(err)
	}
	s, _, err := sideBySide(t, on, 1, source, sm.Options{}, of("k", 66, "a"), of("k", 66, "b"))
	if err != nil {
		t.Fatal(err)
	}
	for launch := range 2 {
		timing := s.TimingOf(launch)
		for id, m := range timing.SMs {
			want := int64(0)
			if id/66 == launch {
				want = 1
			}
			if m.CTAs != want {
				t.Errorf("launch %d: %d CTAs on SM %d", launch, m.CTAs, id)
			}
		}
		if timing.Cycles != alone.Timing().Cycles {
			t.Errorf("launch %d: %d cycles, %d alone", launch, timing.Cycles, alone.Timing().Cycles)
		}
	}
}

// TestWindowsDoNotChangeStreams: what launches that run together do, and leave in memory, does not depend on windows or
// host threads. Their memory traffic is counted separately.
func TestWindowsDoNotChangeStreams(t *testing.T) {
	launches := func() []sm.Launch {
		return []sm.Launch{of("copy", 300, "a"), of("count", 60, "b"), of("copy", 40, "b"), of("count", 200, "a"), of("copy", 90, "c")}
	}
	on := func() *gpu.Config {
		g := gpu.H100()
		g.SMs, g.GPCs, g.TPCs, g.CTAs.Launch = 6, 1, 3, 700
		return g
	}
	run := func(threads int, window int64) (all []string) {
		s, words, err := sideBySide(t, on(), threads, kerneltest.Source(t, "testdata/kernels/streams.txt", "mixed"), sm.Options{Window: window}, launches()...)
		if err != nil {
			t.Fatal(err)
		}
		for i := range launches() {
			timing := s.TimingOf(i)
			all = append(all, fmt.Sprint(timing.Start, timing.Cycles, timing.SMs, timing.Funcs[0].States, timing.Memory, s.StatsOf(i)))
		}
		return append(all, fmt.Sprint(words))
	}
	want := run(1, 0)
	for _, c := range []struct {
		threads int
		window  int64
	}{{1, 1}, {1, 50}, {2, 0}, {5, 33}} {
		for i, got := range run(c.threads, c.window) {
			if got != want[i] {
				t.Errorf("launch %d with %d threads and windows of %d:\n%s\nwant\n%s", i, c.threads, c.window, got, want[i])
			}
		}
	}
	s, _, err := sideBySide(t, on(), 1, kerneltest.Source(t, "testdata/kernels/streams.txt", "mixed"), sm.Options{}, launches()...)
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range launches() { // a line of four sectors for each warp of copy; 20 times four for count
		timing := s.TimingOf(i)
		loads, stores, atomics := timing.Memory.Sectors[cache.Load], timing.Memory.Sectors[cache.Store], timing.Memory.Sectors[cache.Atomic]
		ctas := int64(l.Grid.X)
		want := [3]int64{4 * ctas, 4 * ctas, 0}
		if l.Kernel == "count" {
			want = [3]int64{loads, 4 * (20 + 1) * ctas, 4 * 20 * ctas}
		} else if hits := int64(timing.Total().L1.Hits + timing.Total().L1.Pending); hits > 0 {
			want[0] -= hits
		}
		if got := [3]int64{loads, stores, atomics}; got != want {
			t.Errorf("launch %d: %v sectors of loads, stores and atomics, want %v", i, got, want)
		}
	}
}

// TestNextLaunchHitsL2: a launch finds in L2 what the previous one has read, and nothing in L1.
func TestNextLaunchHitsL2(t *testing.T) {
	const sectors = 4 * 64 // 64 warps load a line each
	on := gpu.H100()
	l2 := sm.NewL2(on)
	cycles := make([]int64, 3)
	for i, want := range []struct {
		warm   bool
		misses int64
	}{{true, sectors}, {true, 0}, {false, sectors}} {
		o := sm.Options{}
		if want.warm {
			o.L2 = l2
		}
		s, _, err := sideBySide(t, on, 1, kerneltest.Source(t, "testdata/kernels/streams.txt", "mixed"), o, of("copy", 64, ""))
		if err != nil {
			t.Fatal(err)
		}
		timing := s.Timing()
		cycles[i] = timing.Cycles
		if got := [2]int64{timing.Memory.Sectors[cache.Load], timing.Memory.Misses[cache.Load]}; got != [2]int64{sectors, want.misses} {
			t.Errorf("launch %d: %d sectors are loaded and missed, want %d", i, got, [2]int64{sectors, want.misses})
		}
	}
	if cycles[1] >= cycles[0] || cycles[2] != cycles[0] {
		t.Errorf("%d cycles: want the second launch faster than the others, and those equal", cycles)
	}
}

// TestCTAWaitsForCarveOut: a CTA waits for an empty SM if its shared memory does not fit into what the SM is configured
// to have.
func TestCTAWaitsForCarveOut(t *testing.T) {
	none := 0
	source := chain("k30", 30) + ".extern .shared .b8 room[];\n"
	for _, c := range []struct {
		shared int64
		want   int64 // start of the second launch
	}{{1000, 0}, {20000, 118 + 50}} {
		on := small(1)
		on.CTAs.Launch = 300
		_, _, err := kerneltest.Kernel{Source: source, Grid: kerneltest.Dim(1, 1), Block: kerneltest.Dim(32, 1), Words: []int{4}, Config: interp.Config{GPU: on, Carveout: &none},
			Driver: func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
				first, second := of("k30", 1, "a"), of("k30", 1, "b")
				for _, one := range []*sm.Launch{&first, &second} {
					one.Machine, one.Block, one.Params = m, l.Block, l.Params
				}
				first.Shared, second.Shared = 4000, c.shared
				s, err := sm.BeginAll([]sm.Launch{first, second}, sm.Options{})
				if err != nil {
					return interp.Stats{}, err
				}
				if err := s.Continue(context.Background()); err != nil {
					return interp.Stats{}, err
				}
				if got := s.TimingOf(1).Start; got != c.want {
					t.Errorf("%d bytes: the second launch starts at %d, want %d", c.shared, got, c.want)
				}
				return interp.Stats{}, nil
			}}.Run(t)
		if err != nil {
			t.Error(err)
		}
	}
}

// TestStreamErrorNamesItsLaunch: an error names its launch; launches that have ended before keep their figures.
func TestStreamErrorNamesItsLaunch(t *testing.T) {
	source := kerneltest.Source(t, "testdata/kernels/streams.txt", "streams fail", "$chain2", chain("k900", 900), "$chain", chain("k10", 10))
	on := small(1)
	on.CTAs.Launch = 300
	s, _, err := sideBySide(t, on, 1, source, sm.Options{}, of("k10", 1, "a"), of("k900", 1, "b"), of("wrong", 1, "a"), of("k10", 1, "a"))
	if err == nil || s.Failed() != 2 {
		t.Errorf("launch %d failed: %v", s.Failed(), err)
	}
	for i, want := range [][2]bool{{true, true}, {true, false}, {true, false}, {false, false}} {
		if got := [2]bool{s.Began(i), s.Ended(i)}; got != want {
			t.Errorf("launch %d: began, ended: %v, want %v", i, got, want)
		}
	}
	// One launch waits for what another writes.
	if s, _, err := sideBySide(t, on, 1, source, sm.Options{}, of("waits", 1, "a"), of("k10", 1, "b"), of("sets", 1, "b")); err != nil || s.Failed() != -1 {
		t.Error(err)
	}
}
