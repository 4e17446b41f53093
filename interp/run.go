package interp

import (
	"bufio"
	"math/bits"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/lanes"
	"github.com/simtrun/simtrun/memory"
	"github.com/simtrun/simtrun/program"
	"github.com/simtrun/simtrun/warp"
)

// executor runs the warps of one launch, one at a time.
type executor struct {
	m      *Machine
	p      *program.Program
	params memory.Region
	stats  Stats
	warned map[isa.Pos]int // index in stats.Warnings
	// counted is how many instructions of the running warp are in stats already.
	counted uint64

	// The split that runs, as it began to, and what belongs to it.
	split divergence.Split
	frame *divergence.Frame
	fn    *program.Func
	file  *lanes.File
	hint  []*memory.Region // by PC: where the instruction's lanes went last

	observers observers
	event     Access        // that observers are notified of
	values    *lanes.Access // where stores write what observers ask for; nil before the first asks
	singly    bool          // the run loop comes back after every instruction
	at        Place         // of the split that runs

	partedAt partedAt

	spin   spinDetector
	quiet  bool   // nobody has got on since it was set, nor changed memory
	serial uint64 // of the latest activation

	hints       [][]*memory.Region // by function
	pools       [][][]*divergence.Frame
	stack       int64 // bytes of the host that calls take
	acc         lanes.Access
	groups      []divergence.Group
	prints      *bufio.Writer // to the machine's standard output; nil before the first printf
	activations []divergence.Activation
	parts       []lanes.Mask
	onePart     [1]lanes.Mask
	table       *lanes.File // on which lanes from several places exchange values
	// Regions that stand for one lane's part of local memory, and of the
	// activation's .param variables.
	localPart, framePart memory.Region
}

// resume prepares to run x.split.
func (x *executor) resume() {
	f := x.split.Frame
	if x.frame == f {
		return
	}
	x.frame, x.file = f, f.File
	if n := f.Func; n != x.at.Func || x.fn == nil {
		x.fn, x.hint, x.at.Func = x.p.Funcs[n], x.hints[n], n
	}
}

// run gives warp w its turn, or goes on with it: until it has executed enough,
// waits or is done. It leaves the warp's masks and PCs in w.Control. It reports
// whether any lane could run.
func (x *executor) run(c *cta, w *warp.State) (ran bool, err error) {
	split := &x.split
	ok := w.Control.Next(split)
	if !ok {
		return false, nil
	}
	t := &c.turns[w.ID]
	if !t.on {
		if w.Steps >= x.m.cfg.MaxSteps {
			return true, x.tooLong(c, w)
		}
		t.end = min(w.Steps+turnLength+uneven(w, turnLength), x.m.cfg.MaxSteps)
		t.fresh, t.inside = true, false
	}
	t.on = false
	x.at.CTA, x.at.Slot, x.at.Warp = c.at, c.slot, w.ID
	for ; ok; ok = w.Control.Next(split) {
		if w.Steps >= t.end && !t.inside {
			x.quiet = false
			return true, nil
		}
		x.resume()
		stop := split.Stop
		if x.singly {
			if x.part(c, w, split) {
				continue
			}
			if x.halts(Warp{x, c, w}, split) {
				t.on = true
				return true, errHalted
			}
			stop = split.PC + 1
		}
		t.inside = false
		switch {
		case !t.fresh:
			if x.strict(w) {
				t.lookAt = 0
			}
		case split.Turns == 0 && split.Mask == w.Live: // as a rule: it has not waited, and is alone
			t.fresh, t.lookAt, x.spin.on, x.quiet = false, t.end, false, false
		default:
			x.newSlice(w, t, split)
		}
		if x.spin.on {
			x.spin.runs(split.Mask)
		}
		x.counted, x.at.Split = w.Steps, split.Mask
		over, err := x.path(c, w, t, split, stop)
		n := w.Steps - x.counted
		x.stats.WarpInstrs += n
		x.stats.LaneInstrs += n * uint64(split.Mask.Count())
		if over || err != nil {
			return true, err
		}
	}
	return true, nil
}

// halts asks the steppers whether the launch is to halt before the instruction
// that split of a warp comes to.
func (x *executor) halts(w Warp, split *divergence.Split) bool {
	for _, s := range x.observers.steppers {
		if s.Step(w, *split) {
			return true
		}
	}
	return false
}

// path executes what split comes to until it is at stop, or the model is to say
// who goes on. It reports whether the warp's turn is over.
func (x *executor) path(c *cta, w *warp.State, t *warpTurn, split *divergence.Split, stop int) (over bool, err error) {
	pc, mask := split.PC, split.Mask
	first := pc // of the instructions not yet counted
	for pc != stop {
		lookAt, branch := t.lookAt, 0
		if x.singly {
			lookAt = 0
		}
		if pc, first, branch, err = x.straight(c, w, pc, first, stop, mask, lookAt); err != nil {
			x.ran(w, first, pc, mask)
			return true, err
		}
		if branch == none {
			if pc == stop {
				break
			}
			op := &x.fn.Ops[pc]
			m := op.Active(x.file, mask)
			if isa.Kind(op.Kind) == isa.Barrier && m != 0 { // not left to special, as it is frequent
				w.Steps += uint64(pc + 1 - first)
				if len(x.observers.run) > 0 {
					x.notifyRan(first, pc+1, mask)
				}
				x.quiet = false
				return true, x.arrive(c, w, pc, m)
			}
			switch isa.Kind(op.Kind) {
			case program.Jump, isa.Branch:
			default:
				if on, over, err := x.special(c, w, split, pc, first, m); !on {
					return over, err
				}
				pc, first = pc+1, pc+1
				continue
			}
			x.ran(w, first, pc+1, mask)
			branch = pc
			if pc, err = x.branch(c, w, branch, m, mask); err != nil {
				return true, err
			}
			if pc == parted {
				t.lookAt = min(t.lookAt, w.Steps+sliceOf(split))
				return false, nil
			}
			first = pc
		}
		if w.Steps >= t.lookAt {
			var then then
			switch t.lookAt, then = x.look(w, split, branch, pc, t.end); then {
			case turnOver:
				return true, nil
			case another:
				t.fresh = true
				return false, nil
			case anew:
				return false, nil
			}
		}
		if x.singly {
			stop = pc
		}
	}
	x.ran(w, first, pc, mask)
	if pc == split.Stop {
		w.Control.Arrive()
	} else {
		w.Control.Suspend(pc)
		t.inside = true
	}
	return false, nil
}

// none stands for no PC.
const none = -1

// straight executes instructions, those of PC first up to pc among them not yet
// counted, as long as all lanes of mask go on together and nobody need be
// notified of it. It ends at stop, before an instruction of another kind, at one that
// failed, or at lookAt, in the warp's instructions, behind a branch: then branch
// is the PC of that, else none.
func (x *executor) straight(c *cta, w *warp.State, pc, first, stop int, mask lanes.Mask, lookAt uint64) (at, uncounted, branch int, err error) {
	f, ops := x.file, x.fn.Ops
	for {
		// A loop by itself, as little is alive in it.
		for pc != stop && isa.Kind(ops[pc].Kind) == isa.Compute {
			ops[pc].Fn(f, &ops[pc], mask)
			pc++
		}
		if pc == stop {
			return pc, first, none, nil
		}
		op := &ops[pc]
		m := op.Active(f, mask)
		switch kind := isa.Kind(op.Kind); {
		case kind <= isa.Atomic:
			if m != 0 {
				if err := x.access(c, w, pc, m); err != nil {
					return pc, first, none, err
				}
			}
		case kind == program.Jump:
			if m != 0 && m != mask {
				return pc, first, none, nil
			}
			w.Steps += uint64(pc + 1 - first)
			if len(x.observers.run) > 0 {
				x.notifyRan(first, pc+1, mask)
			}
			branch := pc
			if first = pc + 1; m != 0 {
				first = int(op.Imm)
			}
			pc = first
			if w.Steps >= lookAt {
				return pc, first, branch, nil
			}
			continue
		case kind == program.Guarded:
			if m != 0 {
				op.Fn(f, op, m)
			}
		case kind != isa.Nop:
			return pc, first, none, nil
		}
		pc++
	}
}

// special executes an instruction at pc that may end the split's path, for the
// lanes m of it; those from first on are not yet counted. It reports whether the
// split goes on behind it, else whether the warp's turn is over.
func (x *executor) special(c *cta, w *warp.State, split *divergence.Split, pc, first int, m lanes.Mask) (on, over bool, err error) {
	x.ran(w, first, pc+1, split.Mask)
	if m == 0 {
		return true, false, nil
	}
	switch isa.Kind(x.fn.Ops[pc].Kind) {
	case program.Slow:
		x.slow(c, w, pc, m)
		return true, false, nil
	case isa.Shuffle, isa.Vote, program.WarpBarrier:
		waits, err := x.collective(c, w, pc, m)
		return !waits && err == nil, false, err
	case isa.Fence:
		if len(x.observers.sync) > 0 {
			x.notifyFenced(pc, m)
		}
		return true, false, nil
	case isa.Trap:
		return false, true, x.fault(c, w, pc, m, violated(RuleTrap, "trap"))
	}
	if w.Steps > x.m.cfg.MaxSteps {
		w.Control.Suspend(pc)
		return false, true, x.tooLong(c, w)
	}
	return false, false, x.transfer(c, w, split, pc, m, split.Mask)
}

// transfer executes a call, return or exit at pc for the lanes of m, which is
// not empty.
func (x *executor) transfer(c *cta, w *warp.State, split *divergence.Split, pc int, m, mask lanes.Mask) error {
	switch isa.Kind(x.fn.Ops[pc].Kind) {
	case isa.CallKind:
		return x.callFunctions(c, w, split, pc, m, mask)
	case isa.Return:
		x.returnFrom(w, split, pc, m)
	default:
		if len(x.observers.exit) > 0 {
			x.notifyExited(pc, m)
		}
		w.Control.Exit(m, pc+1)
		if w.Live = w.Control.Live(); w.Live == 0 {
			c.live--
		}
		x.quiet = false
		x.left(c, w)
	}
	return nil
}

// ran notes that w has executed the instructions from PC first to end, under
// mask.
func (x *executor) ran(w *warp.State, first, end int, mask lanes.Mask) {
	w.Steps += uint64(end - first)
	if len(x.observers.run) > 0 {
		x.notifyRan(first, end, mask)
	}
}

// firstLane is the lowest lane of m, which is not empty.
func firstLane(m lanes.Mask) int { return bits.TrailingZeros32(uint32(m)) }
