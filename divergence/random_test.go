package divergence

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/flowcode"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/short"
)

// Guards of random programs.
const (
	random  isa.RegID = iota // holds or not
	another                  // random while the lane has fuel, then not: a loop goes on
	spent                    // the lane is out of fuel
	rare                     // holds seldom
)

// fuel is the instructions after which a lane takes no retreating branch.
const fuel = 150

// decide makes guards and choices of a seed. Some sites treat all lanes alike,
// some halves of the warp, most each lane for itself.
func decide(m *machine, seed uint64) {
	bits := func(s site) uint64 {
		lane := s.lane
		switch mix(seed, uint64(s.pc)) % 5 {
		case 0:
			lane = 0
		case 1:
			lane /= 16
		}
		return mix(seed, uint64(s.pc), uint64(lane), uint64(s.step))
	}
	m.choose = func(n int, s site) int { return int(bits(s) % uint64(n)) }
	m.guard = func(r isa.RegID, s site) bool {
		switch r {
		case random:
			return bits(s)%2 == 0
		case another:
			return s.step < fuel && bits(s)%4 != 0
		case spent:
			return s.step >= fuel
		}
		return bits(s)%16 == 0
	}
}

// mix is a hash (the finaliser of splitmix64).
func mix(words ...uint64) uint64 {
	h := uint64(0)
	for _, w := range words {
		h += w + 0x9e3779b97f4a7c15
		h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
		h = (h ^ h>>27) * 0x94d049bb133111eb
		h ^= h >> 31
	}
	return h
}

// gotoCode makes a program of blocks that branch anywhere.
func gotoCode(rnd *rand.Rand) *isa.Func {
	b := flowcode.NewBuilder()
	blocks := 1 + rnd.IntN(10)
	label := func(i int) string { return "B" + strconv.Itoa(i) }
	anywhere := func() (name string, i int) { i = rnd.IntN(blocks + 1); return label(i), i }
	for i := range blocks {
		b.Place(label(i))
		for range rnd.IntN(3) {
			b.Emit(isa.NoReg, false, "op")
		}
		if rnd.IntN(5) == 0 {
			b.Emit(rare, false, "exit")
		}
		burn := func(target int) {
			if target <= i {
				b.Emit(spent, false, "exit")
			}
		}
		to, target := anywhere()
		switch rnd.IntN(10) {
		case 0:
		case 1:
			b.Emit(isa.NoReg, false, "ret")
		case 2, 3:
			burn(target)
			b.Emit(isa.NoReg, false, "bra", to)
		case 4:
			targets := []string{to}
			for range 1 + rnd.IntN(3) {
				name, j := anywhere()
				targets, target = append(targets, name), min(target, j)
			}
			burn(target)
			b.Emit(isa.NoReg, false, "bra", targets...)
		default:
			burn(target)
			b.Emit(random, rnd.IntN(2) == 0, "bra", to)
		}
	}
	b.Place(label(blocks))
	b.Finish()
	return b.Func
}

// statement of a structured program. It has two lives: emit makes code of it,
// and run executes it as nested statements under a mask, in which nothing is
// known of graphs, joins and stacks.
type statement struct {
	kind       kind
	body, alt  []*statement
	pc, jump   int    // of its conditional branch, or the only instruction; of the jump behind the body
	start, end string // labels of a loop: where continue and break go
}

type kind int

const (
	op kind = iota
	leave
	ifThen
	ifElse
	while
	doWhile
	// Not in run:
	breakIf
	continueIf
	breakNow
	retNow
)

// grower makes random structured programs.
type grower struct {
	rnd    *rand.Rand
	jumps  bool // break, continue and early ret
	labels int
	deep   int // deepest nesting made
}

func (g *grower) list(depth int, inLoop bool) []*statement {
	g.deep = max(g.deep, depth)
	var list []*statement
	for range g.rnd.IntN(4) {
		list = append(list, g.statement(depth, inLoop))
	}
	return list
}

func (g *grower) statement(depth int, inLoop bool) *statement {
	s := &statement{}
	switch r := g.rnd.IntN(12); {
	case r < 3:
	case r == 3:
		s.kind = leave
	case g.jumps && inLoop && r < 6:
		s.kind = breakIf + kind(g.rnd.IntN(2))
	case depth > 4:
	case r < 8:
		s.kind = ifThen
		s.body = g.list(depth+1, inLoop)
		if g.jumps && g.rnd.IntN(3) == 0 {
			s.body = append(s.body, g.wayOut(inLoop))
		}
	case r < 10:
		s.kind = ifElse
		s.body, s.alt = g.list(depth+1, inLoop), g.list(depth+1, inLoop)
	default:
		s.kind = while + kind(g.rnd.IntN(2))
		s.body = g.list(depth+1, true)
	}
	return s
}

func (g *grower) wayOut(inLoop bool) *statement {
	if inLoop && g.rnd.IntN(2) == 0 {
		return &statement{kind: breakNow}
	}
	return &statement{kind: retNow}
}

func (g *grower) label() string {
	g.labels++
	return fmt.Sprint("L", g.labels)
}

func (g *grower) emit(b *flowcode.Builder, list []*statement, loop *statement) {
	for _, s := range list {
		switch s.kind {
		case op:
			s.pc = b.Emit(isa.NoReg, false, "op")
		case leave:
			s.pc = b.Emit(rare, false, "exit")
		case retNow:
			s.pc = b.Emit(isa.NoReg, false, "ret")
		case breakNow:
			s.pc = b.Emit(isa.NoReg, false, "bra", loop.end)
		case breakIf:
			s.pc = b.Emit(random, false, "bra", loop.end)
		case continueIf:
			s.pc = b.Emit(random, false, "bra", loop.start)
		case ifThen, ifElse:
			g.emitIf(b, s, loop)
		case while, doWhile:
			g.emitLoop(b, s)
		}
	}
}

func (g *grower) emitIf(b *flowcode.Builder, s, loop *statement) {
	alt, join := g.label(), g.label()
	s.pc = b.Emit(random, true, "bra", alt)
	g.emit(b, s.body, loop)
	if s.kind == ifElse {
		s.jump = b.Emit(isa.NoReg, false, "bra", join)
	}
	b.Place(alt)
	g.emit(b, s.alt, loop)
	b.Place(join)
}

func (g *grower) emitLoop(b *flowcode.Builder, s *statement) {
	s.start, s.end = g.label(), g.label()
	if s.kind == while {
		b.Place(s.start)
		s.pc = b.Emit(another, true, "bra", s.end)
		g.emit(b, s.body, s)
		s.jump = b.Emit(isa.NoReg, false, "bra", s.start)
	} else {
		head := g.label()
		b.Place(head)
		g.emit(b, s.body, s)
		b.Place(s.start)
		s.pc = b.Emit(another, false, "bra", head)
	}
	b.Place(s.end)
}

// run executes the statements for the lanes of mask and returns those that are
// left.
func (m *machine) run(list []*statement, mask lanes.Mask) lanes.Mask {
	for _, s := range list {
		switch s.kind {
		case op, leave:
			mask, _ = m.step(s.pc, mask)
		case ifThen:
			alt, body := m.step(s.pc, mask)
			mask = m.run(s.body, body) | alt
		case ifElse:
			alt, body := m.step(s.pc, mask)
			body, _ = m.step(s.jump, m.run(s.body, body))
			mask = body | m.run(s.alt, alt)
		case while:
			out, in := m.step(s.pc, mask)
			for in != 0 {
				in, _ = m.step(s.jump, m.run(s.body, in))
				var done lanes.Mask
				done, in = m.step(s.pc, in)
				out |= done
			}
			mask = out
		case doWhile:
			out := lanes.Mask(0)
			for in := mask; in != 0; {
				var done lanes.Mask
				in, done = m.step(s.pc, m.run(s.body, in))
				out |= done
			}
			mask = out
		}
	}
	return mask
}

// step issues the instruction at pc, if there are lanes for it. It parts those
// that are left in those that its guard let through to where it branches, and
// the others; lanes that exit are in neither, and those of straight-line code
// are in the first.
func (m *machine) step(pc int, mask lanes.Mask) (taken, others lanes.Mask) {
	if mask == 0 {
		return 0, 0
	}
	in := &m.f.Code[pc]
	exits := in.Is(isa.Exit) || in.Is(isa.Return)
	for lane := range lanes.Width {
		switch bit := mask & (1 << lane); {
		case m.holds(lane, pc) != exits:
			taken |= bit
		case !exits:
			others |= bit
		}
	}
	m.issue(pc, mask)
	return taken, others
}

// models are the ways to run a warp.
var models = []struct {
	name string
	new  func(*flow.Graph, Order) Control
}{
	{"minpc", func(g *flow.Graph, _ Order) Control { return newMinPC(g) }},
	{"its", func(g *flow.Graph, o Order) Control { return NewITS(g, o) }},
	{"stack", func(g *flow.Graph, o Order) Control { return NewStack(g, o) }},
}

// checkProgram runs f under all models and orders. Every lane must go the way
// that it goes alone, and neither the order nor turns must change what is
// issued, as lanes do not wait for each other. What minpc issues follows from
// the text: it may be more, or less.
func checkProgram(t *testing.T, m *machine, mask lanes.Mask) {
	t.Helper()
	want := m.alone()
	fl := flow.New(m.f)
	issues := 0
	for _, model := range models {
		for _, o := range orders {
			m.together(t, model.new(fl, o), mask)
			for lane := range lanes.Width {
				if mask>>lane&1 != 0 && m.thread[lane].path != want[lane] {
					t.Fatalf("%s, %v: lane %d goes another way than alone, in\n%s", model.name, o, lane, flowcode.Listing(m.f))
				}
			}
			if issues != 0 && m.issues != issues {
				t.Fatalf("%s, %v: %d instructions, before: %d, in\n%s", model.name, o, m.issues, issues, flowcode.Listing(m.f))
			}
			if issues = m.issues; model.name == "minpc" {
				issues = 0
			}
		}
	}
}

// checkStructured checks a program without jumps also against what its
// statements issue: all sides of a branch meet right behind it.
func checkStructured(t *testing.T, g *grower, m *machine, list []*statement, mask lanes.Mask) {
	t.Helper()
	peak := m.peak
	issues := m.issues
	m.reset()
	m.run(list, mask)
	if issues != m.issues {
		t.Fatalf("%d instructions, nested statements issue %d, in\n%s", issues, m.issues, flowcode.Listing(m.f))
	}
	if most := 2*(g.deep+1) + 1; peak > most {
		t.Fatalf("%d entries for nesting %d, want at most %d, in\n%s", peak, g.deep, most, flowcode.Listing(m.f))
	}
}

func checkSeed(t *testing.T, seed uint64, class string) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(seed, 3))
	mask := lanes.AllLanes
	if rnd.IntN(4) == 0 {
		mask = lanes.Mask(rnd.Uint32())
	}
	m := &machine{}
	decide(m, seed)
	if class == "goto" {
		m.f = gotoCode(rnd)
		checkProgram(t, m, mask)
		return
	}
	g := &grower{rnd: rnd, jumps: class == "jumps"}
	list := append(g.list(0, false), g.list(0, false)...)
	b := flowcode.NewBuilder()
	g.emit(b, list, nil)
	b.Finish()
	m.f = b.Func
	checkProgram(t, m, mask)
	if class == "structured" {
		checkStructured(t, g, m, list, mask)
	}
}

var classes = []string{"structured", "jumps", "goto"}

func TestRandomProgramsKeepPathsOfLanes(t *testing.T) {
	const programs = 400
	for _, class := range classes {
		t.Run(class, func(t *testing.T) {
			for seed := range uint64(short.Of(programs)) {
				checkSeed(t, seed, class)
			}
		})
	}
}

func FuzzStack(f *testing.F) {
	f.Add(uint64(1), uint8(0))
	f.Add(uint64(1), uint8(1))
	f.Add(uint64(1), uint8(2))
	f.Fuzz(func(t *testing.T, seed uint64, class uint8) { checkSeed(t, seed, classes[int(class)%len(classes)]) })
}
