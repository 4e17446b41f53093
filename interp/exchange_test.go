package interp_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/internal/sm/exchange"
	"github.com/simtrun/simtrun/internal/workloads"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
	"github.com/simtrun/simtrun/warp"
)

// windows executes a launch on SMs that run independently for a window of cycles, each on its own goroutine. In each
// cycle an SM issues one instruction of one of its warps, in turn. A warp waits until its deferred operations are
// done, for at least lag cycles.
type windows struct {
	g       *interp.Grid
	window  int64
	sms     []*windowSM
	engines []*interp.Engine
	next    int64 // CTA that starts next
	now     int64
	late    int // accesses and calls that were deferred
	changes int // of those, atomics that changed memory
}

// lag is at least the longest window.
const lag = 256

type windowSM struct {
	engine  *interp.Engine
	journal *memory.Journal
	ctas    []*interp.CTA
	warps   []windowWarp
	turn    int // the warp that is next
	effect  interp.Effect
	late    int
	err     error
	at      exchange.Moment
}

type windowWarp struct {
	cta    *interp.CTA
	state  *warp.State
	split  divergence.Split
	served lanes.Mask
	waits  int   // for what it deferred
	ready  int64 // cycle
}

// newWindows prepares a launch on a number of SMs, with a number of resident CTAs on each.
func newWindows(t testing.TB, g *interp.Grid, sms, resident int, window int64) *windows {
	t.Helper()
	x := &windows{g: g, window: window, engines: g.NewEngines(sms, int64(sms*resident))}
	for id, e := range x.engines {
		m := &windowSM{engine: e, journal: e.Defer(), at: exchange.Moment{SM: id}}
		for range resident {
			c, err := g.NewCTA()
			if err != nil {
				t.Fatal(err)
			}
			m.ctas = append(m.ctas, c)
			for _, w := range c.Warps {
				m.warps = append(m.warps, windowWarp{cta: c, state: w})
			}
		}
		x.sms = append(x.sms, m)
	}
	for i := range resident {
		for _, m := range x.sms {
			x.start(m, m.ctas[i])
		}
	}
	return x
}

// start starts the next CTA in place of c, if there is one.
func (x *windows) start(m *windowSM, c *interp.CTA) {
	if x.next < x.g.Launch.Grid.Count() {
		m.engine.Start(c, x.g.Launch.Grid.At(x.next))
		x.next++
	}
}

// run executes the launch, and returns its first error and when that was.
func (x *windows) run() (exchange.Moment, error) {
	var merged exchange.Exchange
	for {
		var wait sync.WaitGroup
		for _, m := range x.sms {
			wait.Go(func() { m.run(x.now, x.now+x.window) })
		}
		wait.Wait()
		x.now += x.window
		first, err := exchange.Ever, error(nil)
		for _, m := range x.sms {
			if m.err != nil && m.at.Compare(first) < 0 {
				first, err = m.at, m.err
			}
		}
		if at, failed := merged.Apply(x.engines, first, x); failed != nil {
			first, err = at, failed
		}
		if err != nil {
			return first, err
		}
		live := false
		for _, m := range x.sms {
			for _, c := range m.ctas {
				if c.Live == 0 && len(c.Warps) > 0 && c.Warps[0].Steps > 0 {
					m.engine.End(c)
					c.Warps[0].Steps = 0
					x.start(m, c)
				}
				live = live || c.Live > 0
			}
			x.late += m.late
			m.late = 0
		}
		if !live {
			return exchange.Ever, nil
		}
	}
}

// Completed implements exchange.Completer.
func (x *windows) Completed(sm int, tag uint64, changed bool) {
	x.sms[sm].warps[tag].waits--
	if changed {
		x.changes++
	}
}

// run executes what the SM issues from one cycle up to, but without, another.
func (m *windowSM) run(from, until int64) {
	for now := from; now < until; now++ {
		m.journal.Position = now
		for range m.warps {
			m.turn = (m.turn + 1) % len(m.warps)
			if issued, err := m.issue(m.turn, now); err != nil {
				m.err, m.at.Cycle = err, now
				return
			} else if issued {
				break
			}
		}
	}
}

// issue issues an instruction of a warp, if it has one.
func (m *windowSM) issue(n int, now int64) (bool, error) {
	x := &m.warps[n]
	if x.cta.Live == 0 || x.state.Live == 0 || x.waits > 0 || now < x.ready {
		return false, nil
	}
	c := x.state.Control
	if !c.Ready(x.served, &x.split) {
		x.served = 0
		if !c.Ready(0, &x.split) && (!c.Break() || !c.Ready(0, &x.split)) {
			return false, nil
		}
	}
	x.served |= x.split.Mask
	why, err := m.engine.Issue(x.cta, x.state, &x.split, &m.effect)
	if err != nil {
		return true, err
	}
	if why == interp.Executed || why == interp.Branched {
		c.Advance(x.split.ID, x.split.PC)
	}
	if d := m.effect.Deferred; d >= 0 {
		m.engine.Tag(d, uint64(n))
		x.waits++
		x.ready = now + lag
		m.late++
	}
	return true, nil
}

// TestWorkloadsPassInWindows checks the benchmark's kernels on SMs that exchange their accesses to memory.
func TestWorkloadsPassInWindows(t *testing.T) {
	mod := workloads.Load(t)
	for i := range workloads.All {
		w := &workloads.All[i]
		if testing.Short() && w.Name != "histogram" && w.Name != "transpose" || short.Waits(i, 6) {
			continue
		}
		t.Run(w.Name, func(t *testing.T) {
			p := w.Prepare(t, mod, kerneltest.Config(interp.Config{}))
			g, err := p.Machine.Prepare(p.Launch)
			if err != nil {
				t.Fatal(err)
			}
			x := newWindows(t, g, 4, 4, 200)
			if _, err := x.run(); err != nil {
				t.Fatal(err)
			}
			if err := p.Check(); err != nil {
				t.Error(err)
			}
			t.Logf("%d warp instructions, %d deferred", interp.Total(x.engines).WarpInstrs, x.late)
		})
	}
}

// TestLockExcludesInWindows: 12 threads on 4 SMs add 1 to a word 5 times each under a lock. What they add to another
// word is then 1 + 2 + ... + 60. The order in which they take the lock does not depend on the window if the deferred
// operations do not: after an acquire plain loads are deferred, until the exchange.
func TestLockExcludesInWindows(t *testing.T) {
	t.Run("plain", func(t *testing.T) {
		testLockInWindows(t, kerneltest.Source(t, "testdata/kernels/exchange.txt", "lock"), false)
	})
	t.Run("volatile", func(t *testing.T) {
		testLockInWindows(t, strings.Replace(kerneltest.Source(t, "testdata/kernels/exchange.txt", "lock"), "ld.global.u32 %r3", "ld.volatile.global.u32 %r3", 1), true)
	})
}

func testLockInWindows(t *testing.T, src string, sameOrder bool) {
	var first string
	for _, window := range []int64{1, 50, 255} {
		g, out := grid(t, interp.Config{}, src, kerneltest.Dim(12, 1), kerneltest.Dim(1, 1), 4)
		x := newWindows(t, g, 4, 3, window)
		if _, err := x.run(); err != nil {
			t.Fatal(err)
		}
		if got, want := fmt.Sprint(words(out.Data)), "[0 60 1830 0]"; got != want {
			t.Errorf("window %d: %s, want %s", window, got, want)
		}
		got := fmt.Sprint(interp.Total(x.engines).WarpInstrs, x.late, x.changes)
		if first == "" {
			first = got
		}
		if sameOrder && got != first {
			t.Errorf("window %d: instructions, deferred, changes %s; window 1: %s", window, got, first)
		}
	}
}

func words(data []byte) []uint32 {
	w := make([]uint32, len(data)/4)
	binary.Decode(data, binary.LittleEndian, w)
	return w
}

// TestSourcesAreKept: stored and added values are those that the registers had when the instruction was issued.
func TestSourcesAreKept(t *testing.T) {
	g, out := grid(t, interp.Config{}, kerneltest.Source(t, "testdata/kernels/exchange.txt", "sources are kept"), kerneltest.Dim(1, 1), kerneltest.Dim(32, 1), 128)
	newWindows(t, g, 1, 1, 255).issueAll(t, -1)
	for i, v := range words(out.Data) {
		lane := uint32(i / 4)
		if want := [...]uint32{lane + 5, lane + 5, lane + 7, 0}[i%4]; v != want {
			t.Fatalf("word %d is %d, want %d", i, v, want)
		}
	}
}

// issueAll executes the only warp of the launch to its end without waiting for deferred operations. These are
// executed after a number of instructions, and at the end.
func (x *windows) issueAll(t testing.TB, after int) (instrs int) {
	m, w := x.sms[0], &x.sms[0].warps[0]
	var merged exchange.Exchange
	apply := func() {
		if _, err := merged.Apply(x.engines, exchange.Ever, x); err != nil {
			t.Fatal(err)
		}
	}
	for ; w.state.Live != 0; instrs++ {
		m.journal.Position = int64(instrs)
		if _, err := m.issue(0, int64(instrs)); err != nil {
			t.Fatal(err)
		}
		if instrs == after {
			apply()
		}
		w.waits, w.ready = 0, 0
	}
	apply()
	return instrs
}

// TestLateResultsHarmNothing: unused results may arrive after other registers in the same slot or frame were written,
// and must not overwrite them.
func TestLateResultsHarmNothing(t *testing.T) {
	for name, src := range map[string]string{
		"in a block": kerneltest.Source(t, "testdata/kernels/exchange.txt", "in a block"),
		"in a frame": kerneltest.Source(t, "testdata/kernels/exchange.txt", "in a frame")} {
		t.Run(name, func(t *testing.T) {
			for after, instrs := 0, 1; after < instrs; after++ {
				g, out := grid(t, interp.Config{}, src, kerneltest.Dim(1, 1), kerneltest.Dim(32, 1), 128)
				instrs = newWindows(t, g, 1, 1, 255).issueAll(t, after)
				for lane, v := range words(out.Data)[:32] {
					if want := uint32(2*lane + 5); v != want {
						t.Fatalf("made after %d instructions, lane %d has %d, want %d", after, lane, v, want)
					}
				}
			}
		})
	}
}

// TestWindowsDoNotChangeSystemCalls: the output and the results of calls do not depend on the window. The CTAs of all
// SMs issue the same in the same cycles, so that those of a cycle come in the order of SMs; CTA 4 to 7 come after CTA 0
// to 3.
func TestWindowsDoNotChangeSystemCalls(t *testing.T) {
	for _, window := range []int64{1, 50, 255} {
		var text strings.Builder
		g, out := grid(t, interp.Config{Stdout: &text}, kerneltest.Source(t, "testdata/kernels/exchange.txt", "printing"), kerneltest.Dim(8, 1), kerneltest.Dim(2, 1), 16)
		x := newWindows(t, g, 4, 1, window)
		if _, err := x.run(); err != nil {
			t.Fatal(err)
		}
		if want := "0 1 10 11 20 21 30 31 40 41 50 51 60 61 70 71 "; text.String() != want {
			t.Errorf("window %d: printed %s, want %s", window, &text, want)
		}
		for i, v := range words(out.Data) {
			n := uint32(i/2*10 + i%2)
			if want := 2*n + 1; v != want {
				t.Errorf("window %d: word %d is %d, want %d", window, i, v, want)
			}
		}
	}
}

// TestFirstErrorInWindowWins: the error is the first in the order of cycle and SM, among those of instructions and
// those of calls at the exchange. Later operations have no effect.
func TestFirstErrorInWindowWins(t *testing.T) {
	for _, tt := range []struct {
		ctas uint32
		sm   int
		want string
		left string
	}{
		{1, 0, "free of 0x1000", "[1 0 0 0 1 0 0 0 0 0 0 0]"},
		{2, 1, "store past the end of out", "[1 1 0 0 1 1 0 0 0 0 0 0]"},
		// A store of SM 1 and 3 in the cycle of the error comes before it, or after it.
		{4, 2, "free of 0x1000", "[1 1 1 1 0 0 0 0 0 0 0 0]"},
	} {
		var first error
		var cycle int64
		for _, window := range []int64{1, 7, 255} {
			g, out := grid(t, interp.Config{}, kerneltest.Source(t, "testdata/kernels/exchange.txt", "errors in windows"), kerneltest.Dim(tt.ctas, 1), kerneltest.Dim(1, 1), 12)
			x := newWindows(t, g, 4, 1, window)
			at, err := x.run()
			if err == nil || !strings.Contains(err.Error(), tt.want) || at.SM != tt.sm {
				t.Fatalf("%d CTAs, window %d: %v at %v, want %s on SM %d", tt.ctas, window, err, at, tt.want, tt.sm)
			}
			if first == nil {
				first, cycle = err, at.Cycle
			}
			if err.Error() != first.Error() || at.Cycle != cycle {
				t.Errorf("%d CTAs, window %d: %v in cycle %d, window 1: %v in cycle %d", tt.ctas, window, err, at.Cycle, first, cycle)
			}
			if got := fmt.Sprint(words(out.Data)); got != tt.left {
				t.Errorf("%d CTAs, window %d: memory is %s, want %s", tt.ctas, window, got, tt.left)
			}
			if _, ok := errors.AsType[*interp.Fault](err); !ok {
				t.Errorf("%d CTAs, window %d: %T", tt.ctas, window, err)
			}
		}
	}
}

// TestGenericAtomicsReachEveryRegion: if the lanes of a generic atomic go to shared memory and to two regions of global
// memory, the first part is executed at once. The Completer is notified of the others once.
func TestGenericAtomicsReachEveryRegion(t *testing.T) {
	g, out := grid(t, interp.Config{}, kerneltest.Source(t, "testdata/kernels/exchange.txt", "generic in windows"), kerneltest.Dim(1, 1), kerneltest.Dim(32, 1), 64)
	x := newWindows(t, g, 1, 1, 255)
	if _, err := x.run(); err != nil {
		t.Fatal(err)
	}
	for i, v := range words(out.Data) {
		want := uint32(2*(i%32) + 10)
		switch {
		case i < 32 && i%3 == 1:
			want = uint32(i + 10)
		case i < 32:
			want = 0
		}
		if v != want {
			t.Errorf("word %d is %d, want %d", i, v, want)
		}
	}
	if x.late != 1 || x.changes != 1 {
		t.Errorf("%d instructions deferred, %d of them atomics that changed memory; want the atomic", x.late, x.changes)
	}
}

// TestWindowsAllocateNothing: neither logging nor the exchange allocates.
func TestWindowsAllocateNothing(t *testing.T) {
	g, _ := grid(t, interp.Config{}, kerneltest.Source(t, "testdata/kernels/exchange.txt", "rows"), kerneltest.Dim(4, 1), kerneltest.Dim(64, 1), 512)
	x := newWindows(t, g, 2, 2, 255)
	var merged exchange.Exchange
	window := func() {
		for _, m := range x.sms {
			m.run(x.now, x.now+x.window)
		}
		x.now += x.window
		if _, err := merged.Apply(x.engines, exchange.Ever, x); err != nil {
			t.Fatal(err)
		}
	}
	for range 20 {
		window()
	}
	if n := testing.AllocsPerRun(50, window); n > 0 {
		t.Errorf("%v allocations in a window", n)
	}
}

// BenchmarkAccess issues accesses of a warp to rows of global memory: directly, and through a journal with an
// exchange after 200 of them.
func BenchmarkAccess(b *testing.B) {
	for _, access := range []string{
		"ld.global.u32 %r2, [%rd3];", "st.global.u32 [%rd2], %r2;", "red.global.add.u32 [%rd2], %r2;",
		"atom.global.add.u32 %r2, [%rd2], 1;", "ld.volatile.global.u32 %r2, [%rd2];",
	} {
		src := kerneltest.Source(b, "testdata/kernels/exchange.txt", "benchmark access", "$access", strings.Repeat(access+"\n", 200))
		name, _, _ := strings.Cut(access, " ")
		for _, deferring := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/journal=%v", name, deferring), func(b *testing.B) {
				g, _ := grid(b, interp.Config{}, src, kerneltest.Dim(1, 1), kerneltest.Dim(32, 1), 4096)
				e := g.NewEngine()
				if deferring {
					e.Defer()
				}
				c, err := g.NewCTA()
				if err != nil {
					b.Fatal(err)
				}
				e.Start(c, isa.Dim{})
				var s divergence.Split
				var effect interp.Effect
				var merged exchange.Exchange
				c.Warps[0].Control.Ready(0, &s)
				for n := 0; b.Loop(); n++ {
					if _, err := e.Issue(c, c.Warps[0], &s, &effect); err != nil {
						b.Fatal(err)
					}
					if deferring && n%200 == 199 {
						merged.Apply([]*interp.Engine{e}, exchange.Ever, nothing{})
					}
				}
			})
		}
	}
}

type nothing struct{}

func (nothing) Completed(int, uint64, bool) {}
