package divergence

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/flowcode"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
)

// patterns are counted by hand: in warp instructions (issues), lane
// instructions (active) and, for order Taken, the most entries of the stack.
//
// Guard p holds in lanes 0 to 11 and q in odd lanes, unless the pattern has its
// own guards. A branch with n targets sends lane i to target i modulo n.
var patterns = []struct {
	name                 string
	src                  string
	p, q                 func(s site) bool
	issues, active, peak int
}{
	{
		name: "if",
		src: `
			@p bra J
			op
		J:	exit`,
		issues: 3, active: 32 + 20 + 32, peak: 2,
	},
	{
		name: "if else",
		src: `
			op
			@p bra E
			op
			op
			op
			bra J
		E:	op
			op
			op
			op
			op
		J:	op
			exit`,
		issues: 4 + 4 + 5, active: 4*32 + 4*20 + 5*12, peak: 3,
	},
	{
		name: "nested if else", // each instruction once
		src: `
			@p bra E
			@q bra B
			op
			bra K
		B:	op
		K:	op
			bra J
		E:	@q bra D
			op
			bra L
		D:	op
		L:	op
		J:	exit`,
		issues: 13, active: 2*32 + 20*3 + 10*2 + 10 + 12*2 + 6*2 + 6, peak: 5,
	},
	{
		name: "do while, 1 to 4 trips",
		src: `
		H:	op
			@q bra H
			exit`,
		q:      func(s site) bool { return s.times < s.lane%4 },
		issues: 2*4 + 1, active: 2*8*(1+2+3+4) + 32, peak: 2,
	},
	{
		name: "while, 0 to 3 trips",
		src: `
		H:	@!q bra X
			op
			bra H
		X:	exit`,
		q:      func(s site) bool { return s.times < s.lane%4 },
		issues: 4 + 2*3 + 1, active: 8*(1+2+3+4) + 2*8*(1+2+3) + 32, peak: 2,
	},
	{
		// One lane leaves in each of 32 iterations, and there are never more
		// entries than for one iteration.
		name: "do while, 1 to 32 trips",
		src: `
		H:	@q bra H
			exit`,
		q:      func(s site) bool { return s.times < s.lane },
		issues: 32 + 1, active: 32*33/2 + 32, peak: 2,
	},
	{
		// The op under @q is skipped in the third iteration, where lanes 3, 7,
		// 11 … are alone.
		name: "break and continue",
		src: `
		H:	@p bra X
			@q bra C
			op
		C:	op
			bra H
		X:	exit`,
		p:      func(s site) bool { return s.times == s.lane%4 },
		issues: 4 + 3 + 2 + 2*3 + 1, active: 8*(1+2+3+4) + 8*(1+2+3) + 8*2 + 2*8*(1+2+3) + 32, peak: 3,
	},
	{
		// The loop goes on below those who have left it: 32 times the test and
		// what follows, 31 times the body.
		name: "work on the way out of a loop",
		src: `
		H:	@p bra A
			op
			bra H
		A:	op
			exit`,
		p:      func(s site) bool { return s.times == s.lane },
		issues: 32 + 2*31 + 2, active: 32*33/2 + 2*31*32/2 + 2*32, peak: 2,
	},
	{
		name: "work in a break's arm",
		src: `
		H:	@p bra A
			@q bra X
			bra H
		A:	op
		X:	exit`,
		p:      func(s site) bool { return s.times == s.lane },
		q:      func(s site) bool { return s.times == 31 },
		issues: 32 + 2*31 + 32 + 1, active: 32*33/2 + 2*31*32/2 + 32 + 32, peak: 3,
	},
	{
		name: "short circuit and: the else twice",
		src: `
			@!p bra E
			@!q bra E
			op
			bra J
		E:	op
			op
		J:	exit`,
		issues: 4 + 2*2 + 1, active: 32 + 12 + 2*6 + 2*26 + 32, peak: 3,
	},
	{
		name: "short circuit or: the then twice",
		src: `
			@p bra T
			@!q bra J
		T:	op
			op
		J:	exit`,
		issues: 2 + 2*2 + 1, active: 32 + 20 + 2*22 + 32, peak: 3,
	},
	{
		name: "shared tail twice",
		src: `
			@p bra A
			@q bra B
			op
			bra J
		A:	op
			bra T
		B:	op
		T:	op
			op
		J:	exit`,
		issues: 2 + 2 + 2 + 1 + 2*2 + 1, active: 32 + 20 + 2*10 + 2*12 + 10 + 2*22 + 32, peak: 3,
	},
	{
		name: "goto a shared ret from an arm: the rest twice",
		src: `
			@p bra J
			@q bra R
			op
		J:	op
			op
		R:	ret`,
		issues: 3 + 2*2 + 1, active: 32 + 20 + 10 + 2*22 + 32, peak: 3,
	},
	{
		name: "guarded exit in an arm: all once",
		src: `
			@p bra J
			op
			@q exit
			op
		J:	op
			exit`,
		issues: 6, active: 32 + 2*20 + 10 + 2*22, peak: 2,
	},
	{
		name: "early ret in an arm: all once",
		src: `
			@p bra J
			@q bra R
			op
			bra J
		R:	op
			ret
		J:	op
			exit`,
		issues: 8, active: 32 + 20 + 2*10 + 2*10 + 2*22, peak: 3,
	},
	{
		// A, B and C are reached by 16, 8 and 8 lanes, and C again from B.
		name: "switch: one pass per distinct target, fall-through tails again",
		src: `
			bra A, B, A, C
		A:	op
			bra J
		B:	op
		C:	op
		J:	exit`,
		issues: 1 + 2 + 2 + 1 + 1, active: 32 + 2*16 + 2*8 + 8 + 32, peak: 4,
	},
	{
		name: "off the end",
		src: `
			@p bra END
			op
		END:`,
		issues: 2, active: 32 + 20, peak: 2,
	},
}

func TestPatternsIssueWhatIsClaimed(t *testing.T) {
	for _, tt := range patterns {
		t.Run(tt.name, func(t *testing.T) {
			p, q := tt.p, tt.q
			if p == nil {
				p = func(s site) bool { return s.lane < 12 }
			}
			if q == nil {
				q = func(s site) bool { return s.lane%2 == 1 }
			}
			m := machine{
				f:      flowcode.Assemble(t, tt.src).Func,
				guard:  func(r isa.RegID, s site) bool { return [...]func(site) bool{p, q}[r](s) },
				choose: func(n int, s site) int { return s.lane % n },
			}
			for _, o := range orders {
				m.together(t, NewStack(flow.New(m.f), o), lanes.AllLanes)
				if m.issues != tt.issues || m.active != tt.active {
					t.Errorf("%v: %d warp and %d lane instructions, want %d and %d", o, m.issues, m.active, tt.issues, tt.active)
				}
				if o == Taken && m.peak != tt.peak {
					t.Errorf("%d entries, want %d", m.peak, tt.peak)
				}
			}
		})
	}
}

// threeWay has a branch with targets 5 and 3 and fall-through 1. Its lanes meet
// at 6.
const threeWay = `
		@p bra C, B
	A:	op
		bra J
	B:	op
		bra J
	C:	op
	J:	exit`

func TestOrderArrangesSides(t *testing.T) {
	groups := []Group{{5, 0x0000000f}, {3, 0x000000f0}, {1, 0xffffff00}} // C, B, fall-through
	for _, tt := range []struct {
		order  Order
		groups []Group
		want   []int
	}{
		{Taken, groups, []int{5, 3, 1, 6}},
		{FallThrough, groups, []int{1, 3, 5, 6}},
		{Majority, groups, []int{1, 3, 5, 6}},
		{Majority, []Group{{5, 0x7}, {3, 0x38}, {1, 0xc0}}, []int{3, 5, 1, 6}},
	} {
		mask := lanes.Mask(0)
		for _, g := range tt.groups {
			mask |= g.Mask
		}
		w := NewStack(flow.New(flowcode.Assemble(t, threeWay).Func), tt.order)
		w.Start(0, mask)
		w.Diverge(0, 0, tt.groups)
		var got []int
		for range tt.want {
			var s Split
			w.Ready(0, &s)
			got = append(got, s.PC)
			w.Advance(s.ID, s.Stop)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%v: PCs in the order they run (-want +got):\n%s", tt.order, diff)
		}
	}
}

func TestOrderReadsItsOwnName(t *testing.T) {
	for _, o := range orders {
		if got, err := ParseOrder(o.String()); got != o || err != nil {
			t.Errorf("ParseOrder(%q) = %v, %v", o, got, err)
		}
	}
	_, err := ParseOrder("minpc")
	const want = `no path order "minpc"; there are taken, fallthrough, majority`
	if err == nil || err.Error() != want {
		t.Errorf("ParseOrder: %v, want %s", err, want)
	}
}

// at is a split of the kernel.
func at(pc int, m lanes.Mask, stop int) Split { return Split{PC: pc, Mask: m, Stop: stop} }

// splitsOf are the splits of a warp.
func splitsOf(w Control) (splits []Split) {
	for s := range w.Splits() {
		splits = append(splits, s)
	}
	return splits
}

// TestSplitsShowWaitingLanes follows the splits through a divergent branch: what a report
// of a deadlock is made of.
func TestSplitsShowWaitingLanes(t *testing.T) {
	w := NewStack(flow.New(flowcode.Assemble(t, threeWay).Func), Taken)
	steps := []struct {
		what  string
		event func()
		want  []Split
	}{
		{"start", func() { w.Start(0, 0xfff) }, []Split{at(0, 0xfff, flow.None)}},
		{"diverge", func() { w.Diverge(0, 0, []Group{{5, 0xf}, {3, 0xf0}, {1, 0xf00}}) },
			[]Split{at(5, 0xf, 6), at(3, 0xf0, 6), at(1, 0xf00, 6)}},
		{"lanes 0 to 3 at the reconvergence PC", func() { w.Advance(0, 6) }, []Split{at(3, 0xf0, 6), at(1, 0xf00, 6), at(6, 0xf, flow.None)}},
		{"turn given up", func() { w.Advance(0, 4) }, []Split{at(4, 0xf0, 6), at(1, 0xf00, 6), at(6, 0xf, flow.None)}},
		{"lanes 4 and 5 end", func() { w.Exit(0, 0x30, 5) }, []Split{at(5, 0xc0, 6), at(1, 0xf00, 6), at(6, 0xf, flow.None)}},
		{"lanes 6 and 7 end", func() { w.Exit(0, 0xc0, 6) }, []Split{at(1, 0xf00, 6), at(6, 0xf, flow.None)}},
		{"lane 8 ends just before the join", func() { w.Exit(0, 0x100, 6) }, []Split{at(6, 0xe0f, flow.None)}},
		{"all end", func() { w.Exit(0, 0xe0f, 7) }, nil},
		{"no lanes to start", func() { w.Start(0, 0) }, nil},
	}
	for _, s := range steps {
		s.event()
		if diff := cmp.Diff(s.want, splitsOf(w)); diff != "" {
			t.Errorf("%s: splits (-want +got):\n%s", s.what, diff)
		}
		var current Split
		ok := w.Ready(0, &current)
		if ok != (s.want != nil) || ok && current != s.want[0] {
			t.Errorf("%s: Ready() = %v, %v", s.what, current, ok)
		}
		if w.Depth() == 0 != (s.want == nil) {
			t.Errorf("%s: %d entries", s.what, w.Depth())
		}
	}
}

// TestEndlessRegionHasNoReconvergence has lanes that can never come back to where the others go
// on; they do not wait for each other.
func TestEndlessRegionHasNoReconvergence(t *testing.T) {
	p := flowcode.Assemble(t, `
	A:	op
	B:	bra A, B`)
	w := NewStack(flow.New(p.Func), Taken)
	w.Start(0, lanes.AllLanes)
	w.Diverge(0, 1, []Group{{0, 0xffff}, {1, 0xffff0000}})
	want := []Split{at(0, 0xffff, flow.None), at(1, 0xffff0000, flow.None)}
	if diff := cmp.Diff(want, splitsOf(w)); diff != "" {
		t.Errorf("splits (-want +got):\n%s", diff)
	}
}

func TestStackDoesNotAllocate(t *testing.T) {
	w := NewStack(flow.New(flowcode.Assemble(t, threeWay).Func), Majority)
	groups, s := []Group{{5, 0xff}, {3, 0xff00}, {1, 0xffff0000}}, new(Split)
	run := func() {
		w.Start(0, lanes.AllLanes)
		w.Diverge(0, 0, groups)
		for w.Ready(0, s) {
			switch s.PC {
			case 3:
				w.Advance(0, 4)
			case 6:
				w.Exit(0, s.Mask, 7)
			default:
				w.Advance(s.ID, s.Stop)
			}
		}
	}
	if n := testing.AllocsPerRun(100, run); n != 0 {
		t.Errorf("%v allocations per run of a CTA", n)
	}
}
