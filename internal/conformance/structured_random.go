package conformance

import (
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
)

// origin says how a register is initialised: what a compiler knows of its lanes.
type origin struct {
	kind   originKind
	stride uint64 // of affineOrigin; of a predicate, the number of the first lane in which it does not hold
	// special is the special register of specialOrigin. A predicate holds if it is less than stride.
	special string
}

type originKind int

const (
	perLane      originKind = iota // loaded from the lane's place
	loadedScalar                   // loaded from the first lane's
	constantOrigin
	affineOrigin // in the number of the thread
	specialOrigin
	unsetOrigin // it is 0
)

const (
	maxDepth   = 3  // of loops
	maxNested  = 4  // of all
	maxSteps   = 60 // instructions of a program, without those of branches and loops
	maxRepeats = 4
)

// structuredGrower makes random programs.
type structuredGrower struct {
	*rand.Rand
	p        *Structured
	f        *function // that is made, and its number; nil: the kernel
	number   int
	room     int
	loops    int
	varied   []bool // of the loops around
	jumps    bool   // lanes leave loops and the kernel
	scalars  bool   // the lower half of each pool is the same in all lanes
	together bool   // all lanes of a warp are here
	exited   bool   // lanes may have exited
	matrices bool   // many instructions are on matrices
	contends bool   // lanes change cells that they share
	wides    bool   // many instructions are on registers of 128 bits
	// collective says that functions have instructions that combine lanes.
	collective bool
	// scattered says that lanes may come together here earlier or later, as the model of divergence has it.
	scattered bool
}

// RandomStructured returns the program of a seed.
func RandomStructured(seed uint64) *Structured {
	g := &structuredGrower{Rand: rand.New(rand.NewPCG(seed, 15)), together: true}
	p := &Structured{}
	g.p, g.jumps, g.scalars, g.matrices = p, g.IntN(2) == 0, g.IntN(4) > 0, g.IntN(4) == 0
	g.contends, g.wides, p.narrow = g.IntN(3) == 0, g.IntN(5) == 0, g.IntN(8) == 0
	p.rows = g.cellRows()
	g.functions()
	g.room = 4 + g.IntN(maxSteps)
	for g.room > 0 {
		p.steps = append(p.steps, g.list(0)...)
	}
	p.narrow = p.narrow && !callsByAddress(p)
	p.shape = randomShape(!g.jumps, g.Rand)
	p.lanes = randomLanes(size(p.grid)*p.threads(), g.Rand)
	hides := g.IntN(2) == 0
	for i := range registers {
		p.origins = append(p.origins, g.origin(p, i))
		p.shown = append(p.shown, (!hides || g.IntN(2) == 0) && (p.carries || registers[i].bits > 0))
	}
	return p
}

// origin chooses how register i is initialised, and changes its values accordingly.
func (g *structuredGrower) origin(p *Structured, i int) (o origin) {
	bits := registers[i].bits
	o.kind = originKind(g.IntN(7)) % (unsetOrigin + 1)
	of := laneSpecials
	if pool := pools[bits]; g.scalars && slices.Index(pool, i) < len(pool)/2 {
		o.kind, of = []originKind{loadedScalar, loadedScalar, constantOrigin, constantOrigin, specialOrigin, unsetOrigin}[g.IntN(6)], blockSpecials
	}
	switch {
	case bits == 0 || bits == 8:
		o.kind = min(o.kind, loadedScalar)
	case bits == 16 && o.kind == affineOrigin:
		o.kind = perLane
	}
	switch o.kind {
	case affineOrigin:
		o.stride = []uint64{1, 4, 8, 12, 1 << 20, 1 << 31, 1<<64 - 1, 1<<64 - 4, 1<<64 - 16}[g.IntN(9)]
	case specialOrigin:
		o.special = of[g.IntN(len(of))]
	}
	if bits == 1 {
		o.stride = uint64(g.IntN(34))
	}
	if o.kind != perLane {
		first := p.lanes[0].regs[i]
		for thread := range p.lanes {
			p.lanes[thread].regs[i] = o.value(p, i, thread, first)
		}
	}
	return o
}

// value is the initial value of register i in a thread; first is the stored one of the first thread.
func (o *origin) value(p *Structured, i, thread int, first uint64) uint64 {
	bits, t := registers[i].bits, thread%p.threads()
	switch o.kind {
	case unsetOrigin:
		return 0
	case constantOrigin:
		if bits == 1 {
			return uint64(b2i(uint64(p.special("%ctaid.x", thread)) != first))
		}
	case affineOrigin:
		if bits == 1 {
			return uint64(b2i(uint64(t) < o.stride))
		}
		return truncate(first+uint64(t)*o.stride, bits)
	case specialOrigin:
		v := uint64(p.special(o.special, thread))
		if bits == 1 {
			return uint64(b2i(v < o.stride))
		}
		return truncate(v, bits)
	}
	return first
}

func (g *structuredGrower) list(nested int) (steps []step) {
	for range 1 + g.IntN(6) {
		steps = append(steps, g.step(nested))
	}
	return steps
}

// pred chooses the predicate of a branch or jump, mostly one that can differ between lanes.
func (g *structuredGrower) pred() int {
	of := pools[1]
	if g.scalars && g.IntN(4) > 0 {
		of = of[len(of)/2:]
	}
	return of[g.IntN(len(of))]
}

func (g *structuredGrower) step(nested int) step {
	s := step{index: -1, pred: -1}
	g.room--
	switch n := g.IntN(46); {
	case g.room < 0 || nested == maxNested:
	case g.single(&s, n):
		return s
	case n >= 36 && n < 40 && g.call(&s):
		return s
	case n == 32 || n == 33:
		g.even(&s, nested)
		return s
	case n < 4:
		s.kind, s.pred, s.complement = branchStep, g.pred(), g.IntN(2) == 0
		s.arms = [][]step{g.apart(nested), nil}
		if g.IntN(2) == 0 {
			s.arms[1] = g.apart(nested)
		}
		return s
	case n < 5:
		s.kind, s.selector = switchStep, pools[32][g.IntN(len(pools[32]))]
		was := g.scattered
		g.scattered = true
		for range []int{2, 4}[g.IntN(2)] {
			s.arms, s.falls = append(s.arms, g.apart(nested)), append(s.falls, g.IntN(2) == 0)
		}
		g.scattered = was
		return s
	case n < 7 && g.loops < maxDepth && (g.f == nil || g.loops == 0):
		s.kind, s.count, s.depth = loopStep, 1+g.IntN(maxRepeats), g.loops
		s.varied, s.first = g.IntN(2) == 0, g.IntN(2) == 0
		if s.varied {
			s.count = []int{2, 4}[g.IntN(2)]
		}
		was := g.together
		g.together = was && !s.varied
		g.loops++
		g.varied = append(g.varied, s.varied)
		s.arms = [][]step{g.list(nested + 1)}
		g.loops--
		g.varied = g.varied[:g.loops]
		g.together = was
		return s
	case n < 9 && g.jumps && g.loops > 0:
		s.kind, s.depth, s.pred, s.complement = []stepKind{breakStep, continueStep}[g.IntN(2)], g.IntN(g.loops), g.pred(), g.IntN(2) == 0
		return s
	case n < 10 && g.jumps && !g.exited:
		g.exited = true
		s.kind, s.pred, s.complement = exitStep, g.pred(), g.IntN(2) == 0
		return s
	case n < 11 && nested == 0:
		s.kind = barrierStep
		if s.op = []string{"", "popc", "and", "or"}[g.IntN(4)]; s.op != "" {
			of := pools[map[bool]int{false: 1, true: 32}[s.op == "popc"]]
			s.reg, s.pred, s.complement = of[g.IntN(len(of))], g.pred(), g.IntN(2) == 0
		}
		return s
	}
	g.compute(&s)
	return s
}

// single makes a step without others in it that is not an instruction of a pattern, for some numbers.
func (g *structuredGrower) single(s *step, n int) bool {
	whole := g.f == nil && g.together && !g.jumps && !g.scattered && g.loops < 2
	switch {
	case whole && (n == 30 || n == 31 || g.matrices && n >= 20):
		s.kind, s.matrix = matrixStep, randomMatrixInstr(g.Rand)
	case n == 34 || n == 35:
		s.kind, s.reg = specialStep, pools[32][g.IntN(len(pools[32]))]
		all := slices.Concat(blockSpecials, laneSpecials)
		s.special = all[g.IntN(len(all))]
	case g.contends && (n == 43 || n >= 24 && n < 27) && g.contention(s):
	case g.wides && (n == 44 || n >= 20 && n < 24) && g.wideInstr(s):
	case n > 42:
		return false
	case n == 39 && g.f != nil && g.jumps:
		s.kind, s.pred, s.complement = returnStep, g.pred(), g.IntN(2) == 0
	case n == 42 && (g.f == nil || g.f.memory):
		s.kind, s.copy = copyStep, g.copy()
		if g.IntN(2) == 0 {
			s.pred, s.complement = g.pred(), g.IntN(2) == 0
		}
	case n >= 40:
		s.kind, s.table = tableStep, g.table()
	default:
		return false
	}
	return true
}

// even makes a branch on what is the same in all lanes of a warp, unless lanes leave a loop separately.
func (g *structuredGrower) even(s *step, nested int) {
	s.kind, s.op, s.depth = evenStep, []string{"eq", "lt", "ge"}[g.IntN(3)], g.loops-1
	s.bound = uint32(g.IntN(4))
	same := g.loops > 0 && !g.varied[s.depth]
	if g.IntN(2) == 0 || g.loops == 0 {
		s.special, same = blockSpecials[g.IntN(len(blockSpecials))], true
	}
	was := g.together
	g.together = was && same
	s.arms = [][]step{g.list(nested + 1), nil}
	if g.IntN(2) == 0 {
		s.arms[1] = g.list(nested + 1)
	}
	g.together = was
}

// apart makes steps for some of the lanes.
func (g *structuredGrower) apart(nested int) []step {
	was := g.together
	g.together = false
	steps := g.list(nested + 1)
	g.together = was
	return steps
}

// compute chooses an instruction.
func (g *structuredGrower) compute(s *step) {
	usual, exchanges := g.IntN(3) > 0, g.together && !g.jumps && !g.scattered && g.IntN(10) == 0
	for {
		record := g.Uint64()
		if groups := groupsOf(); exchanges {
			record = record&^0xff | groups.exchanges[g.IntN(len(groups.exchanges))]
		} else if usual {
			record = record&^0xff | groups.usual[g.IntN(len(groups.usual))]
		}
		s.in = decodeInstruction(record)
		if usual && g.IntN(4) > 0 && !s.in.hasUsualTypes() {
			continue
		}
		if s.in.usesCarry() && (g.f != nil || !g.p.carries) || g.f != nil && !g.f.memory && s.in.access != nil {
			continue
		}
		if s.in.warp == nil || !g.jumps && !g.scattered && (g.together || s.in.maskable()) {
			break
		}
	}
	if g.scalars {
		s.in.confine(s.in.warp == nil && s.in.access == nil && g.IntN(3) == 0)
	}
	if s.in.access != nil && s.places() > 1 && g.IntN(2) == 0 {
		s.index = pools[32][g.IntN(len(pools[32]))]
		s.addressing = g.addressing(&s.in)
	}
	if of := strongMods[s.in.op]; of != nil && s.in.space != localScratch && g.IntN(6) == 0 {
		s.strong = of[g.IntN(len(of))]
	}
}

// strongMods are modifiers of accesses that do not change the results of lanes with memory of their own.
var strongMods = map[string][]string{
	"ld":   {"volatile", "relaxed.cta", "relaxed.gpu", "acquire.gpu", "acquire.sys"},
	"st":   {"volatile", "relaxed.cta", "relaxed.sys", "release.gpu"},
	"atom": {"relaxed.cta", "acq_rel.gpu", "acquire.sys", "release.cta"},
	"red":  {"relaxed.cta", "relaxed.gpu", "release.gpu"},
}

// confine makes the instruction compute scalars from scalars, in the lower halves of the pools, or write only to the
// upper halves. It changes nothing if a half has too few registers.
func (in *instruction) confine(uniform bool) {
	half := func(reg int) int {
		of := pools[registers[reg].bits]
		at, n := slices.Index(of, reg), len(of)/2
		switch {
		case n == 0: // the carry flag
			return reg
		case uniform:
			return of[at%n]
		}
		return of[n+at%(len(of)-n)]
	}
	var dst []int
	for _, reg := range in.dst {
		if reg != sink {
			if reg = half(reg); slices.Contains(dst, reg) {
				return
			}
		}
		dst = append(dst, reg)
	}
	if in.dst = dst; !uniform {
		return
	}
	for k := range in.src {
		if s := &in.src[k]; s.reg >= 0 {
			s.reg = half(s.reg)
		}
	}
	if in.guard >= 0 {
		in.guard = half(in.guard)
	}
}

// usesCarry reports whether the instruction reads or writes the carry flag.
func (in *instruction) usesCarry() bool {
	isCarry := func(s argument) bool { return s.reg == carryRegister() }
	return slices.Contains(in.dst, carryRegister()) || slices.ContainsFunc(in.src, isCarry)
}

// groupNumbers are numbers of groups of allPatterns: with the opcodes that make up most of programs, and of exchanges
// between lanes.
type groupNumbers struct{ usual, exchanges []uint64 }

var groupsOf = sync.OnceValue(func() (all groupNumbers) {
	usual := strings.Fields("mov add sub mul mad fma setp selp and or xor shl shr cvt ld st min max neg addc subc madc shf lop3 vote")
	for i, group := range allPatterns() {
		if at := slices.Index(usual, group[0].op); at >= 0 {
			all.usual, usual[at] = append(all.usual, uint64(i)), "" // once, though cvt has several groups
		}
		if slices.Contains([]string{"shfl", "vote", "match", "redux"}, group[0].op) {
			all.exchanges = append(all.exchanges, uint64(i))
		}
	}
	return all
})

// hasUsualTypes reports whether the instruction has none but the types that make up most of programs.
func (in *instruction) hasUsualTypes() bool {
	return !slices.ContainsFunc(in.types, func(typ string) bool {
		return !slices.Contains([]string{"pred", "u32", "s32", "b32", "f32", "u64", "s64", "b64", "f64", "f16", "u16", "u8"}, typ)
	})
}
