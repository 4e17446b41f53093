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
}

type originKind int

const (
	perLane      originKind = iota // loaded from the lane's place
	loadedScalar                   // loaded from the first lane's
	constantOrigin
	affineOrigin // in the number of the thread
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
	room     int
	loops    int
	jumps    bool // lanes leave loops and the kernel
	scalars  bool // the lower half of each pool is the same in all lanes
	together bool // all lanes of a warp are here
	exited   bool // lanes may have exited
	// scattered says that lanes may come together here earlier or later, as the model of divergence has it.
	scattered bool
}

// RandomStructured returns the program of a seed.
func RandomStructured(seed uint64) *Structured {
	g := &structuredGrower{Rand: rand.New(rand.NewPCG(seed, 15)), together: true}
	g.jumps, g.scalars, g.room = g.IntN(2) == 0, g.IntN(4) > 0, 4+g.IntN(maxSteps)
	p := &Structured{}
	for g.room > 0 {
		p.steps = append(p.steps, g.list(0)...)
	}
	threads := []int{32, 32, 64, 45, 1, 7, 33, 96}[g.IntN(8)]
	if !g.jumps {
		threads = (threads + 31) / 32 * 32
	}
	p.lanes = randomLanes(threads, g.Rand)
	p.lanes[0].at = here
	hides := g.IntN(2) == 0
	for i := range registers {
		p.origins = append(p.origins, g.origin(p.lanes, i))
		p.shown = append(p.shown, !hides || g.IntN(2) == 0)
	}
	return p
}

// origin chooses how register i is initialised, and changes its values accordingly.
func (g *structuredGrower) origin(lanes []laneState, i int) (o origin) {
	bits := registers[i].bits
	o.kind = originKind(g.IntN(5) % 4)
	if of := pools[bits]; g.scalars && slices.Index(of, i) < len(of)/2 {
		o.kind = []originKind{loadedScalar, constantOrigin}[g.IntN(2)]
	}
	switch {
	case bits == 0 || bits == 8:
		o.kind = min(o.kind, loadedScalar)
	case bits == 16 && o.kind == affineOrigin:
		o.kind = perLane
	}
	if o.kind == perLane {
		return o
	}
	if o.kind == affineOrigin {
		o.stride = []uint64{1, 4, 8, 12, 1 << 20}[g.IntN(5)]
		if bits == 1 {
			o.stride = uint64(g.IntN(34))
		}
	}
	for lane := range lanes {
		v := lanes[0].regs[i]
		switch {
		case o.kind != affineOrigin:
		case bits == 1:
			v = 0
			if uint64(lane) < o.stride {
				v = 1
			}
		default:
			v = truncate(v+uint64(lane)*o.stride, bits)
		}
		lanes[lane].regs[i] = v
	}
	return o
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
	switch n := g.IntN(30); {
	case g.room < 0 || nested == maxNested:
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
	case n < 7 && g.loops < maxDepth:
		s.kind, s.count, s.depth = loopStep, 1+g.IntN(maxRepeats), g.loops
		s.varied, s.first = g.IntN(2) == 0, g.IntN(2) == 0
		if s.varied {
			s.count = []int{2, 4}[g.IntN(2)]
		}
		was := g.together
		g.together = was && !s.varied
		g.loops++
		s.arms = [][]step{g.list(nested + 1)}
		g.loops--
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
		return s
	}
	g.compute(&s)
	return s
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
	usual := g.IntN(3) > 0
	for {
		record := g.Uint64()
		if groups := usualGroups(); usual {
			record = record&^0xff | groups[g.IntN(len(groups))]
		}
		s.in = decodeInstruction(record)
		if usual && g.IntN(4) > 0 && !s.in.hasUsualTypes() {
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
	}
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

// usualGroups are the numbers of the groups of allPatterns with the opcodes that make up most of programs.
var usualGroups = sync.OnceValue(func() (all []uint64) {
	usual := strings.Fields("mov add sub mul mad fma setp selp and or xor shl shr cvt ld st min max neg addc subc madc shf lop3 vote")
	for i, group := range allPatterns() {
		if at := slices.Index(usual, group[0].op); at >= 0 {
			all, usual[at] = append(all, uint64(i)), "" // once, though cvt has several groups
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
