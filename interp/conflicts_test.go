package interp_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/hazard"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/interp"
)

// conflicts observes which warp of a launch accesses which byte by which instruction, and after how many barriers.
type conflicts struct {
	passed map[int]int // barriers, by warp
	bytes  map[visited][]visit
}

type visited struct {
	region   int32
	offset   uint64
	interval int
}

type visit struct {
	warp, pc int
	store    bool
}

// Accessed implements interp.AccessObserver.
func (m *conflicts) Accessed(at *interp.Place, a *interp.Access) {
	if s := isa.Space(a.Space); s != isa.Shared && s != isa.Global {
		return
	}
	v := visit{at.Warp, a.PC, a.Kind == isa.Store}
	for lane := range 32 {
		for i := uint64(0); i < a.Size && a.Lanes>>lane&1 != 0; i++ {
			place := visited{a.Region, a.At(lane) + i, m.passed[at.Warp]}
			if !slices.Contains(m.bytes[place], v) {
				m.bytes[place] = append(m.bytes[place], v)
			}
		}
	}
}

// Arrived implements interp.ArrivalObserver.
func (m *conflicts) Arrived(at *interp.Place, pc, id int, m32 lanes.Mask) { m.passed[at.Warp]++ }

// all returns the instructions by which a warp stored to a byte that another warp accessed in the same interval.
func (m *conflicts) all() map[int]bool {
	all := make(map[int]bool)
	for _, visits := range m.bytes {
		for _, a := range visits {
			for _, b := range visits {
				if a.store && !b.store && a.warp != b.warp {
					all[a.pc], all[b.pc] = true, true
				}
			}
		}
	}
	return all
}

// generator writes random kernels with accesses that stay within their arrays: shared s and u of 4096 words, and
// global x and y.
type generator struct {
	*rand.Rand
	text   strings.Builder
	labels int
	opened []string // open loops and branches
	loops  int      // number of loops that count up
	tree   bool     // one of them halves %r30
	most   int      // number of words that the present access may reach
	places []place  // addresses of earlier accesses
	whole  bool     // all warps have 32 threads
}

// place is an address of some words: the instructions that compute it in %r43 or, for global memory, in %rd3.
type place struct {
	text  string
	words int
	space string
}

func (g *generator) linef(format string, args ...any) { fmt.Fprintf(&g.text, format+"\n", args...) }

// kernel writes a kernel for blocks of the given shape. Registers: %r2, %r3 the thread's index in x and y; %r10 and
// up the counters of loops; %r30 the bound of a tree; %r40 and up for use within a statement.
func (g *generator) kernel() string {
	g.text.Reset()
	g.linef(".shared .align 16 .b32 s[6000];\n.shared .align 16 .b32 u[6000];")
	g.linef("mov.u32 %%r2, %%tid.x;\nmov.u32 %%r3, %%tid.y;\nld.param.u64 %%rd1, [x];\nld.param.u64 %%rd2, [y];\nld.param.u32 %%r4, [n];\nmov.u32 %%r20, s;\nmov.u32 %%r21, u;\nmov.u32 %%r30, 16;")
	g.statements(3 + g.IntN(5))
	g.linef("ret;\n}")
	return ".entry k(.param .u64 x, .param .u64 y, .param .u32 n)\n{\n" + g.text.String()
}

func (g *generator) statements(n int) {
	for range n {
		switch g.IntN(12) {
		case 0, 1:
			if g.loops < 2 {
				g.loop()
			}
		case 2:
			g.branch()
		case 3:
			if !g.tree {
				g.halving()
			}
		case 4, 5:
			if g.together() {
				g.linef("bar.sync 0;")
			}
		default:
			g.access()
		}
	}
}

// together reports whether all threads are active: barriers may be in loops that all threads repeat, but not in
// branches.
func (g *generator) together() bool { return !slices.Contains(g.opened, "if") }

func (g *generator) label() string {
	g.labels++
	return fmt.Sprint("L", g.labels)
}

// loop repeats statements a few times, counted up or by a pointer.
func (g *generator) loop() {
	counter, label := fmt.Sprint("%r", 10+g.loops), g.label()
	g.loops++
	g.opened = append(g.opened, "loop")
	g.linef("mov.u32 %s, 0;\n%s:", counter, label)
	g.statements(1 + g.IntN(3))
	g.linef("add.u32 %s, %s, 1;\nsetp.lt.u32 %%p1, %s, %d;\n@%%p1 bra %s;", counter, counter, counter, 2+g.IntN(mostPasses-1), label)
	g.opened = g.opened[:len(g.opened)-1]
	g.loops--
}

// halving repeats statements with a bound that is halved, usually with a barrier at the end.
func (g *generator) halving() {
	g.tree = true
	label := g.label()
	g.opened = append(g.opened, "loop")
	g.linef("mov.u32 %%r30, 64;\n%s:", label)
	g.statements(1 + g.IntN(2))
	if g.together() && g.IntN(4) > 0 {
		g.linef("bar.sync 0;")
	}
	g.linef("shr.u32 %%r30, %%r30, 1;\nsetp.ne.u32 %%p1, %%r30, 0;\n@%%p1 bra %s;", label)
	g.opened = g.opened[:len(g.opened)-1]
	g.tree = false
}

// branch writes statements for some of the threads.
func (g *generator) branch() {
	label := g.label()
	g.guard("%p2")
	g.linef("@%s%%p2 bra %s;", g.pick("", "!"), label)
	g.opened = append(g.opened, "if")
	g.statements(1 + g.IntN(2))
	g.opened = g.opened[:len(g.opened)-1]
	g.linef("%s:", label)
}

func (g *generator) pick(all ...string) string { return all[g.IntN(len(all))] }

// guard sets a predicate by the thread's index.
func (g *generator) guard(p string) {
	a := g.pick("%r2", "%r2", "%r2", "%r3", "%r41")
	if a == "%r41" {
		g.linef("shr.u32 %%r41, %%r2, %s;", g.pick("5", "5", "4", "1"))
	}
	b := g.pick(fmt.Sprint(g.IntN(70)), fmt.Sprint(32*g.IntN(3)), "0", "1", "%r30")
	g.linef("setp.%s.%s %s, %s, %s;", g.pick("lt", "le", "gt", "ge", "eq", "ne"), g.pick("u32", "s32"), p, a, b)
}

// access loads or stores at an address that depends on the index of the thread and the counters of loops; often at an
// earlier address, or next to it.
func (g *generator) access() {
	if n := len(g.places); n > 0 && g.IntN(2) == 0 {
		p := g.places[g.IntN(n)]
		g.text.WriteString(p.text)
		if g.IntN(4) == 0 {
			next := p.words * (1 + g.IntN(3)) * 4
			g.linef("add.u32 %%r43, %%r43, %d;\nadd.u64 %%rd3, %%rd3, %d;", next, next)
		}
		g.move(p.words, p.space)
		return
	}
	begins := g.text.Len()
	words := 1 << g.one(0, 0, 0, 1, 2)
	first := words * g.IntN(70)
	g.most = first + words
	g.linef("mov.u32 %%r40, %d;", first)
	var rows []int // the factors of the thread's index
	if g.IntN(8) > 0 {
		f := words * g.one(1, 1, 1, 2, 4, 8)
		g.term("%r2", f)
		rows = append(rows, f)
	}
	if g.IntN(3) > 0 {
		f := words * g.one(32, 96, 128, 1, 3)
		g.term("%r3", f)
		rows = append(rows, f)
	}
	for i := range g.loops {
		f := words * g.one(1, 1, 4, 64, 128, 512)
		// Package hazard assumes that a loop which counts elements of a row stays within the row.
		leaves := func(row int) bool { return f < row && row < f*2*mostPasses }
		if g.IntN(2) == 0 && !slices.ContainsFunc(rows, leaves) {
			g.term(fmt.Sprint("%r", 10+i), f)
		}
	}
	if g.tree && g.IntN(2) == 0 {
		g.term("%r30", words*g.one(1, 1, 2))
	}
	switch g.IntN(10) {
	case 0:
		g.linef("shr.u32 %%r42, %%r2, %s;", g.pick("5", "3", "1"))
		g.term("%r42", words*g.one(1, 32))
	case 1:
		g.linef("and.b32 %%r42, %%r2, %s;", g.pick("31", "7", "1"))
		g.term("%r42", words*g.one(1, 32))
	case 2:
		g.linef("xor.b32 %%r42, %%r2, %s;", g.pick("1", "32", "%r30"))
		g.term("%r42", words)
	}
	space := "shared"
	if g.IntN(3) == 0 {
		space = "global"
		g.linef("mad.wide.u32 %%rd3, %%r40, 4, %s;", g.pick("%rd1", "%rd1", "%rd2"))
	} else {
		g.linef("mad.lo.u32 %%r43, %%r40, 4, %s;", g.pick("%r20", "%r20", "%r21"))
	}
	g.places = append(g.places, place{g.text.String()[begins:], words, space})
	g.move(words, space)
}

// move loads or stores this many words at %r43 or %rd3.
func (g *generator) move(words int, space string) {
	guard := ""
	if g.IntN(4) == 0 {
		g.guard("%p3")
		guard = "@" + g.pick("", "!") + "%p3 "
	}
	vector := map[int]string{1: "", 2: ".v2", 4: ".v4"}[words]
	value := map[int]string{1: "%r50", 2: "{%r50, %r51}", 4: "{%r50, %r51, %r52, %r53}"}[words]
	place := map[string]string{"shared": "[%r43]", "global": "[%rd3]"}[space]
	if words == 4 && space == "shared" && guard == "" && g.whole && g.together() && g.IntN(2) == 0 {
		matrix := g.pick("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r50, %r51, %r52, %r53}, [%r43];", "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%r50}, [%r43];",
			"stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r43], {%r50, %r51};")
		g.linef("%s", matrix)
		return
	}
	switch g.IntN(7) {
	case 0, 1, 2:
		g.linef("%sst.%s%s.u32 %s, %s;", guard, space, vector, place, value)
	case 3:
		if words == 1 {
			g.linef("%sred.%s.add.u32 %s, 1;", guard, space, place)
			return
		}
		fallthrough
	default:
		g.linef("%sld.%s%s.u32 %s, %s;", guard, space, vector, value, place)
	}
}

const (
	arrayWords = 5900 // of each array, except for what an access next to another one may reach
	mostPasses = 4    // of a loop
)

// term adds a multiple of a register to %r40, in one of the ways that compilers use, unless that may lead out of an
// array.
func (g *generator) term(r string, factor int) {
	limit := map[string]int{"%r3": 4, "%r10": mostPasses, "%r11": mostPasses, "%r30": 64}[r]
	if limit == 0 {
		limit = 191 // for values derived from %tid.x
	}
	if g.most+factor*limit > arrayWords {
		return
	}
	g.most += factor * limit
	if factor&(factor-1) == 0 && g.IntN(2) == 0 {
		shift := 0
		for 1<<shift < factor {
			shift++
		}
		g.linef("shl.b32 %%r44, %s, %d;\nadd.u32 %%r40, %%r40, %%r44;", r, shift)
		return
	}
	g.linef("mad.lo.u32 %%r40, %s, %d, %%r40;", r, factor)
}

func (g *generator) one(all ...int) int { return all[g.IntN(len(all))] }

// TestConflictsAreFound: in random kernels, each access at which warps collide in a run is one that may collide.
func TestConflictsAreFound(t *testing.T) {
	short.Alternates(t, 2, 3)
	found, marked, total := 0, 0, 0
	for seed := range 500 {
		if short.Skips(seed) {
			continue
		}
		m, k, n := checkConflicts(t, uint64(seed))
		found, marked, total = found+m, marked+k, total+n
		if t.Failed() {
			return
		}
	}
	t.Logf("of %d accesses %d collide, and %d were predicted to", total, found, marked)
}

// FuzzConflicts is TestConflictsAreFound for any seed.
func FuzzConflicts(f *testing.F) {
	f.Add(uint64(0))
	f.Fuzz(func(t *testing.T, seed uint64) { checkConflicts(t, seed) })
}

// checkConflicts runs one random kernel. It returns the number of accesses that collide, of those that may, and of
// all.
func checkConflicts(t *testing.T, seed uint64) (found, marked, total int) {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 1))}
	block := isa.Dim{X: uint32(g.one(64, 96, 128, 70)), Y: 1, Z: 1}
	if g.IntN(3) == 0 {
		block = isa.Dim{X: uint32(g.one(32, 16, 20)), Y: uint32(2 + g.IntN(3)), Z: 1}
	}
	g.whole = block.Count()%32 == 0
	source, same := g.kernel(), g.IntN(3) == 0
	mod, err := asm.Parse("k.s", []byte(source))
	if err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, source)
	}
	m, err := kerneltest.New(mod, interp.Config{})
	if err != nil {
		t.Fatal(err)
	}
	var params []byte
	for i := range 2 {
		if i == 1 && same {
			params = append(params, params...)
			break
		}
		r, err := m.Alloc(fmt.Sprint("buffer ", i), 1<<17)
		if err != nil {
			t.Fatal(err)
		}
		params = binary.LittleEndian.AppendUint64(params, r.Base)
	}
	params = binary.LittleEndian.AppendUint32(params, 4096)
	seen := &conflicts{passed: make(map[int]int), bytes: make(map[visited][]visit)}
	l := interp.Launch{Kernel: "k", Grid: isa.Dim{X: 1, Y: 1, Z: 1}, Block: block, Params: params, Observers: []interp.Observer{seen}}
	if _, err := functional.Run(context.Background(), m, l); err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, source)
	}
	f := mod.Funcs[0]
	mark := make([]bool, len(f.Code))
	if h := hazard.Find(f, flow.New(f), func(pc int) bool { return f.Code[pc].Is(isa.Barrier) }); h != nil {
		h.In(block, func(p, q int64) bool { return p == q || same }, mark)
	}
	for pc := range f.Code {
		if in := &f.Code[pc]; in.Is(isa.Store) || in.Is(isa.Load) || in.Is(isa.Atomic) {
			total++
		}
		if mark[pc] {
			marked++
		}
	}
	all := seen.all()
	for pc := range all {
		if found++; !mark[pc] {
			t.Errorf("seed %d, block %v, same %v: warps meet at %v: %s", seed, block, same, f.Code[pc].Pos, f.Text(pc))
		}
	}
	if t.Failed() {
		t.Log(source)
	}
	return found, marked, total
}
