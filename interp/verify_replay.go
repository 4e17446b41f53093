package interp

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/internal/native"
	"github.com/simtrun/simtrun/internal/program"
)

// replay executes by lane functions the instructions that compiled code executes. Lanes that diverge at a branch
// execute one side after the other up to the reconvergence PC, as in code.
//
// For code that is compiled from an expansion it executes the expansion, and all its PCs are of the expansion.
type replay struct {
	e      *Engine
	code   *native.Func
	x      *program.Expansion // of code
	f      *program.Func      // of the PCs
	path   lanes.Path         // a copy of the engine's: Mask, PC and Stop are those of the executing lanes
	frames []replayFrame
	budget int64
	// diverges says that lanes may diverge in code. Code that cannot handle that at a branch exits there.
	diverges bool

	steps, laneSteps int64
	diverged         uint32
	branch           int    // PC of the branch executed last, or -1 if another instruction followed
	passed           int    // PC of a branch that was passed although the budget was used up, or -1
	why              string // why the replay has ended
	yielded          bool   // the replay has ended after an access that may conflict with another warp's

	// If no instruction was executed since lanes arrived at a reconvergence PC: the state before they did.
	before       lanesAt
	beforeFrames []replayFrame
	arrivedAfter int64
}

// lanesAt is where the executing lanes are, and where their path ends.
type lanesAt struct {
	mask     lanes.Mask
	pc, stop int
}

// replayFrame is a jit.Frame.
type replayFrame struct {
	outer, arrived, pending lanes.Mask
	rpc, branch, outerStop  int
}

// noLimit makes a replay go as far as lane functions can: to a branch where the budget is used up, and to the end of
// the part of the function for which there is code.
const noLimit = -1

// begin prepares for an execution from the engine's place on.
func (r *replay) begin(e *Engine, memory *storeLog, code *native.Func, budget int64) {
	x := code.Expansion()
	*r = replay{e: e, code: code, x: x, f: e.fn, path: e.path, budget: budget, frames: r.frames[:0], beforeFrames: r.beforeFrames[:0], branch: -1, passed: -1, arrivedAfter: -1}
	r.path.Memory, r.path.Limit = memory, 0
	r.diverges = e.native.ctx.Quantum != 0
	if memory.x = x; x != nil {
		r.f, r.path.Ops, r.path.PC = x.Func, x.Ops, x.At[r.path.PC]
		if r.path.Stop != none {
			r.path.Stop = x.At[r.path.Stop]
		}
	}
}

// origin returns the PC in the function itself: in an inlined function, that of the call.
func (r *replay) origin(pc int) int {
	if r.x == nil || pc == none {
		return pc
	}
	return r.x.Origin[pc]
}

// run executes n instructions, or as many as possible if n is noLimit.
func (r *replay) run(n int64) {
	for {
		if r.yielded {
			return
		}
		if r.path.PC == r.path.Stop {
			if len(r.frames) == 0 {
				r.why = "the path ends there"
				return
			}
			r.arrive()
			continue
		}
		usedUp := r.branch >= 0 && r.steps >= r.budget
		switch {
		case r.steps == n:
			return
		case n == noLimit && usedUp:
			r.why = "the budget is used up at a branch"
			return
		case n == noLimit && !r.code.Covers(r.origin(r.path.PC)):
			r.why = "the code of another part continues"
			return
		case usedUp && r.passed < 0:
			r.passed = r.branch
		}
		if !r.step() {
			return
		}
	}
}

// step executes an instruction. It returns false if lane functions do not execute it.
func (r *replay) step() bool {
	p := &r.path
	pc, mask := p.PC, p.Mask
	op := &p.Ops[pc]
	branch := -1
	switch kind := isa.Kind(op.Kind); {
	case op.Kind == lanes.Jump || kind == isa.Branch:
		if !r.jump(pc) {
			return false
		}
		branch = pc
	case kind == isa.Shuffle || kind == isa.Vote:
		op.Fn(p.File, op, p.Mask)
		p.PC++
	case kind == program.WarpBarrier || kind == isa.Fence:
		p.PC++
	case kind == isa.Matrix && p.Mask == lanes.AllLanes && r.f.Products[pc] != nil:
		op.Fn(p.File, op, p.Mask)
		p.PC++
	case p.Mask == lanes.AllLanes && r.f.Matrices[pc] != nil:
		if !r.moveMatrix(r.origin(pc)) {
			r.why = "it is left to the engine"
			return false
		}
		p.PC++
	case kind == isa.Load && r.f.Info[pc].Image != nil:
		if !r.fetch(r.origin(pc), op.Active(p.File, p.Mask)) {
			r.why = "it is left to the engine"
			return false
		}
		p.PC++
	case kind == program.Slow:
		m := op.Active(p.File, p.Mask)
		if zero := zeroDivisors(&r.f.Src.Code[pc], op, p.File) & m; zero != 0 {
			r.why = fmt.Sprintf("lane %d divides by 0 there, and the engine warns", firstLane(zero))
			return false
		}
		op.Fn(p.File, op, m)
		p.PC++
	default:
		stop := p.Stop
		p.Stop = pc + 1
		why := p.Exec()
		p.Stop = stop
		if why != lanes.AtStop && !r.accessByPlace(pc) {
			r.why = "it is left to the engine"
			return false
		}
		if r.yielded = op.Mem != nil && (r.x == nil || r.x.Inside(pc) == nil) && r.e.mayConflict(r.origin(pc)); r.yielded {
			r.why = "another warp continues"
		}
	}
	r.steps, r.laneSteps, r.branch = r.steps+1, r.laneSteps+int64(mask.Count()), branch
	return true
}

// accessByPlace executes a load or store at generic addresses with lanes in local memory and lanes elsewhere, first for
// those in local memory. It returns false, and does nothing, for other instructions, or if the engine must execute it.
func (r *replay) accessByPlace(pc int) bool {
	p, op, in, memory := &r.path, &r.path.Ops[pc], &r.f.Info[pc], r.path.Memory.(*storeLog)
	if kind := isa.Kind(op.Kind); kind != isa.Load && kind != isa.Store || in.Space != isa.Generic || in.OnlyShared || op.Mem == nil {
		return false
	}
	all := op.Active(p.File, p.Mask)
	local := lanes.Mask(0)
	for m := all; m != 0; m &= m - 1 {
		if lane := firstLane(m); r.e.laneAddr(op, in, lane)/isa.WindowBytes == isa.LocalWindow/isa.WindowBytes {
			local |= 1 << lane
		}
	}
	parts := [...]lanes.Mask{local, all &^ local}
	off := memory.off
	memory.off = true
	some := parts[0] != 0 && parts[1] != 0 && memory.Locate(pc, parts[0]) != nil && memory.Locate(pc, parts[1]) != nil
	memory.off = off
	if !some {
		return false
	}
	for _, m := range parts {
		op.Mem(p.File, op, m, memory.Locate(pc, m))
	}
	p.PC = pc + 1
	return true
}

// fetch executes a tex at a PC of the function itself for the lanes of m. It returns false, and does nothing, if code
// does not execute it.
func (r *replay) fetch(pc int, m lanes.Mask) bool {
	if m == 0 {
		return true
	}
	if !native.Fetches(r.e.fn, pc) || r.e.showsTexels() {
		return false
	}
	if r.e.fetch(pc, m) {
		return true
	}
	uses, _, err := r.e.uses(pc, m, isa.TexRef) // of a tld4
	if err != nil || len(uses) != 1 {
		return false
	}
	r.e.sample(pc, &uses[0], false)
	return true
}

// moveMatrix makes the access of the whole warp at a PC of the function itself. It returns false, and moves nothing, if
// the engine must make it.
func (r *replay) moveMatrix(pc int) bool {
	e, memory := r.e, r.path.Memory.(*storeLog)
	x := e.fn.Matrices[pc]
	locate := func(i int) *lanes.Access {
		if x.Pieces != nil {
			e.locatePiece(&e.fn.Ops[pc], x.Pieces, i)
		}
		return memory.Locate(r.path.PC, x.Lanes)
	}
	if x.Pieces != nil {
		if e.checkAlignment(pc, x.Pieces) != nil {
			return false
		}
		off := memory.off
		memory.off = true
		for i := range x.Ops {
			if locate(i) == nil {
				memory.off = off
				return false
			}
		}
		memory.off = off
	}
	for i := range x.Ops {
		a := locate(i)
		if a == nil {
			return false
		}
		x.Ops[i].Mem(r.path.File, &x.Ops[i], x.Lanes, a)
	}
	return true
}

// jump executes a branch. It returns false if the engine must.
func (r *replay) jump(pc int) bool {
	p := &r.path
	graph, target := r.f.Graph, int(r.f.Info[pc].Target)
	switch taken := p.Ops[pc].Active(p.File, p.Mask); taken {
	case 0:
		p.PC = pc + 1
	case p.Mask:
		p.PC = target
	default:
		rpc := graph.Reconvergence(pc)
		if !r.diverges || rpc == none || p.Ops[pc].Kind != lanes.Jump {
			r.why = "lanes diverge there"
			return false
		}
		r.diverge(pc, target, rpc, taken)
		return true
	}
	if p.Ops[pc].Kind != lanes.Jump && graph.Leaves(pc, p.PC) {
		p.PC, r.why = pc, "lanes leave an exit region there"
		return false
	}
	return true
}

// diverge lets the lanes that take a branch execute first. Lanes that are then at the reconvergence PC have arrived.
func (r *replay) diverge(pc, target, rpc int, taken lanes.Mask) {
	p := &r.path
	r.diverged++
	f := replayFrame{outer: p.Mask, rpc: rpc, branch: pc, outerStop: p.Stop}
	switch {
	case target == rpc:
		f.arrived, p.Mask, p.PC = taken, p.Mask&^taken, pc+1
	case pc+1 == rpc:
		f.arrived, p.Mask, p.PC = p.Mask&^taken, taken, target
	default:
		f.pending, p.Mask, p.PC = p.Mask&^taken, taken, target
	}
	if n := len(r.frames); n > 0 && f.pending == 0 && r.frames[n-1].rpc == rpc && r.frames[n-1].pending == 0 {
		r.frames[n-1].arrived |= f.arrived
		r.frames[n-1].branch = pc
		return
	}
	r.frames = append(r.frames, f)
	p.Stop = rpc
}

// arrive continues after the executing lanes have arrived at the reconvergence PC of the latest frame: with the
// pending lanes, or with all together.
func (r *replay) arrive() {
	p := &r.path
	if r.arrivedAfter != r.steps {
		r.before, r.arrivedAfter = r.place(), r.steps
		r.beforeFrames = append(r.beforeFrames[:0], r.frames...)
	}
	n := len(r.frames)
	f := &r.frames[n-1]
	if f.pending != 0 {
		f.arrived |= p.Mask
		p.Mask, p.PC, f.pending = f.pending, f.branch+1, 0
		return
	}
	p.Mask, p.PC, p.Stop = f.outer, f.rpc, f.outerStop
	r.frames = r.frames[:n-1]
}

func (r *replay) place() lanesAt { return lanesAt{r.path.Mask, r.path.PC, r.path.Stop} }

// exits describes how the place and the reason of code's exit differ from those of lane functions, or returns "".
// Where lanes have arrived at a reconvergence PC, code may exit before it lets others continue.
func (r *replay) exits(x *native.Exit, ctx *jit.Context) string {
	wrong := r.placeDiffers(x, ctx)
	if wrong != "" && r.arrivedAfter == r.steps {
		r.path.Mask, r.path.PC, r.path.Stop = r.before.mask, r.before.pc, r.before.stop
		r.frames = append(r.frames[:0], r.beforeFrames...)
		wrong = r.placeDiffers(x, ctx)
	}
	switch {
	case wrong != "":
		return wrong
	case x.Why == native.AtStop && x.PC != r.origin(r.path.Stop):
		return fmt.Sprintf("it takes PC %d for the end of the path, which is PC %d", x.PC, r.origin(r.path.Stop))
	case x.Why == native.Branched && (r.origin(r.branch) != x.Branch || ctx.Budget > 0):
		return fmt.Sprintf("it exits with a budget of %d and says that it is after the branch at PC %d; it is after that at PC %d", ctx.Budget, x.Branch, r.origin(r.branch))
	case (x.Why == native.Yields) != r.yielded:
		return fmt.Sprintf("another warp continues: %t, and by lane functions: %t", x.Why == native.Yields, r.yielded)
	case ctx.Diverged != r.diverged:
		return fmt.Sprintf("it counts %d divergent branches, and lane functions %d", ctx.Diverged, r.diverged)
	case ctx.Diverged == 0:
		return ""
	}
	counted := ctx.LaneInstrs + (ctx.Counted-ctx.Budget)*int64(lanes.Mask(ctx.Mask).Count())
	if want := r.laneSteps - int64(x.PC-x.First+x.Uncounted)*int64(r.path.Mask.Count()); counted != want {
		return fmt.Sprintf("it counts %d lane instructions, and lane functions %d", counted, want)
	}
	return ""
}

// placeDiffers describes how the places of the lanes differ, or returns "".
func (r *replay) placeDiffers(x *native.Exit, ctx *jit.Context) string {
	p := &r.path
	pc := r.origin(p.PC)
	if x.PC != pc || r.x != nil && r.x.Inside(p.PC) != nil || lanes.Mask(ctx.Mask) != p.Mask {
		return fmt.Sprintf("it exits with lanes %08x at PC %d, and lane functions with lanes %08x at PC %d", ctx.Mask, x.PC, uint32(p.Mask), pc)
	}
	if int(ctx.Stop) != r.origin(p.Stop) {
		return fmt.Sprintf("the path of its lanes ends at PC %d, and that of lane functions at PC %d", ctx.Stop, r.origin(p.Stop))
	}
	frames := ctx.Frames[:ctx.Depth/int64(unsafe.Sizeof(ctx.Frames[0]))]
	got := make([]replayFrame, len(frames))
	for i := range frames {
		f := &frames[i]
		got[i] = replayFrame{lanes.Mask(f.Outer), lanes.Mask(f.Arrived), lanes.Mask(f.Pending), int(f.RPC), int(f.Branch), 0}
	}
	want := slices.Clone(r.frames)
	for i := range want {
		want[i].outerStop, want[i].rpc, want[i].branch = 0, r.origin(want[i].rpc), r.origin(want[i].branch)
	}
	if !slices.Equal(got, want) {
		return fmt.Sprintf("its diverged lanes are in the frames %+v, and those of lane functions in %+v", got, want)
	}
	return ""
}

// continuation is where lanes continue.
type continuation struct {
	mask lanes.Mask
	pc   int
}

// continuations returns where each lane continues: the executing ones, and those that wait for others in frames.
func (r *replay) continuations() []continuation {
	all := []continuation{{r.path.Mask, r.path.PC}}
	for i := range r.frames {
		f := &r.frames[i]
		all = append(all, continuation{f.pending, f.branch + 1}, continuation{f.arrived, f.rpc})
	}
	return all
}
