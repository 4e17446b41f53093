package native

import (
	"slices"

	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/internal/program"
)

// plan is the analysis of a function before any of its code is written. Writing code does not change it: one plan
// serves the code for full warps, a second attempt in which loops carry nothing in registers, and partial code.
type plan struct {
	subject Subject // of make
	p       *program.Program
	f       *program.Func // with x, the expansion: all PCs are then those of the expansion
	x       *program.Expansion
	part    Part // of f
	notes   bool // code records its accesses
	shadow  bool // code keeps a shadow of memory
	trails  bool // code leaves a trail
	// trailsTurns says that turns end in the trail, too. Code with inlined calls leaves accesses to the engine.
	trailsTurns bool
	s           slots
	steps       []step
	live        liveness
	asksLanes   bool          // code asks for lane functions
	ramps       []jit.Scalar  // in slots that never change and have spill slots
	stops       []bool        // by PC: a path may end there other than at an instruction that code leaves to the engine
	stopsIn     *program.Func // function of stops

	templates isa.Templates

	blockFacts
	full versionPlan
	partialPlan
}

// blockFacts are facts about blocks, by block.
type blockFacts struct {
	inside    []bool // the part has instructions of it
	reached   []bool // code of the part may lead there
	diverging []bool // lanes may diverge in code at its end
}

// partialPlan is the part of a plan for partial masks, as makePartial finds it.
type partialPlan struct {
	hasPartial      bool
	divergent, some versionPlan
	walked          int    // visits of blocks of divergent regions
	inDivergent     []bool // by block: it has code for diverged lanes
	// by block: the divergent region of the branch at its end; nil if lanes do not diverge there in code
	divergentAt []*divergentRegion
	arrivesAt   []bool // by block: divergent regions end there
}

// versionPlan is the part of a plan for one kind of active mask.
type versionPlan struct {
	classes classes
	arms    []bool // by block: an arm of the branch at its end is if-converted; found by compiler.findArms
}

// make finds the facts that the code for full warps needs, except arms, unless the plan is already that of the subject.
// Each pass needs the results of those before it.
func (p *plan) make(s Subject) {
	f := s.Func
	if p.subject == s {
		return
	}
	p.subject, p.hasPartial = Subject{}, false
	if p.x = s.expansion(); p.x != nil {
		f = p.x.Func
	}
	p.clearSteps(f)
	p.s.find(f, s.Shape, s.Part)
	p.p, p.f, p.part, p.notes, p.shadow = s.Program, f, s.Part, s.Notes, s.Shadow
	p.findInside()
	findSteps(p.steps, f, s.Part, &p.s, &p.templates) // which instructions have templates depends on the widths of slots
	p.expectLocal()
	p.leaveAt(s.Leave)
	p.leaveTrail(s.Leave)
	p.leaveFences(s.Leave)
	p.leaveCalls()
	p.asksLanes = slices.ContainsFunc(p.steps, func(st step) bool { return st.kind == stepLanes })
	p.live.find(f, &p.s, s.Part, p.inside)
	p.findRamps()
	p.findStops()
	p.findDiverging()
	// Classes of live slots meet where paths do. The merges are an estimate, by steps alone, of the arms that will be
	// if-converted; which of them one region can contain depends on the classes.
	p.full.classes.find(&p.live, p.steps, false, nil, p.merges())
	p.subject = s
}

// asks reports whether code asks for something, and resumes.
func (p *plan) asks() bool { return p.notes || p.asksLanes }

// clearSteps resets the steps, of which only those of a part are known if the last plan was for another part of f.
func (p *plan) clearSteps(f *program.Func) {
	if p.f == f && p.part != (Part{}) && len(p.steps) == len(f.Ops) {
		clear(p.steps[p.part.First:min(p.part.End, len(p.steps))])
	} else {
		p.steps = zeroed(p.steps, len(f.Ops))
	}
}

// leaveFences makes code leave fences where they matter: accesses before and after one do not conflict.
func (p *plan) leaveFences(leave *program.Contention) {
	for pc := range p.steps {
		if st := &p.steps[pc]; leave != nil && st.op != nil && isa.Kind(st.op.Kind) == isa.Fence {
			st.kind = stepLeave
		}
	}
}

// makePartial finds the facts that partial code needs, except arms. Those of full warps must include the arms: lanes
// do not diverge at a branch with an if-converted arm.
func (p *plan) makePartial() {
	p.some.classes.find(&p.live, p.steps, true, p.full.classes.in, nil)
	p.findDivergent()
	p.hasPartial = true
}

// findRamps finds the slots that hold indices of threads or lanes.
func (p *plan) findRamps() {
	p.ramps = p.ramps[:0]
	for id := range p.s.all {
		if s := &p.s.all[id]; s.ramp {
			p.ramps = append(p.ramps, p.scalarAt(slotID(id), ofFixed(s)))
		}
	}
}

// scalarAt describes the scalar of a class in a slot.
func (p *plan) scalarAt(id slotID, k class) jit.Scalar {
	s := &p.s.all[id]
	return jit.Scalar{Slot: s.off, Spill: p.spillSlot(id), Bits: s.bits, Stride: k.stride}
}

// spillSlot returns the offset of the slot's spill slot in the register file.
func (p *plan) spillSlot(s slotID) uint32 { return p.f.Layout.SpillSlot(p.s.all[s].off) }

// findStops finds where the path of a split may end, other than after instructions that code leaves to the engine: at
// the reconvergence PCs of blocks.
func (p *plan) findStops() {
	if p.stopsIn == p.f {
		return
	}
	p.stops, p.stopsIn = make([]bool, len(p.f.Ops)), p.f // Func has it, too
	for _, b := range p.f.Graph.Blocks() {
		if rpc := p.f.Graph.Reconvergence(b.Start); rpc != flow.None && len(b.Succ) > 1 { // else lanes cannot diverge
			p.stops[rpc] = true
		}
	}
}

// ownsMemory reports whether code accesses memory of which each lane owns a part.
func (p *plan) ownsMemory() bool {
	return slices.ContainsFunc(p.steps, func(st step) bool { return st.own != jit.NotOwn || st.anywhere })
}
