package interp_test

import (
	"fmt"
	"math/bits"
)

// flowPlace is the place of a lane: the PC of a function, and the call depth.
type flowPlace struct{ fn, pc, depth int16 }

// maxLonerSteps is more steps than any thread takes that ends.
const maxLonerSteps = 100_000

// loner is a thread that is executed alone, as far as possible without the others.
type loner struct {
	p     *flowProgram
	calls []lonerCall // under way, the kernel first
	waits *flowInstr  // at which it waits, or nil
	ended bool
	// steps are the places where it has been, without those where it only waited for others.
	steps []flowPlace
	words []uint32 // what it kept
}

// lonerCall is an activation of a function.
type lonerCall struct {
	fn, pc, aim int
	regs        [numFlowRegs]uint32
}

// flowOutcome is the result of a program.
type flowOutcome struct {
	threads []*loner // by number in the grid; nil where there is none
	locks   [maxLocks * lockWords]uint32
	stuck   bool // threads wait for others that never come
}

// alone executes the program one lane at a time. Lanes depend on others only where they wait for each other, so that
// any order will do.
func (p *flowProgram) alone() (*flowOutcome, error) {
	o := &flowOutcome{threads: make([]*loner, p.ctas*flowStride)}
	for cta := range p.ctas {
		var warps [][]*loner
		for tid := range p.threads {
			t := &loner{p: p, calls: make([]lonerCall, 1)}
			t.calls[0].regs[rTID], t.calls[0].regs[rCTA] = uint32(tid), uint32(cta)
			o.threads[cta*flowStride+tid] = t
			if tid%32 == 0 {
				warps = append(warps, nil)
			}
			warps[tid/32] = append(warps[tid/32], t)
		}
		for completed := true; completed; {
			for _, w := range warps {
				for _, t := range w {
					if err := t.run(o); err != nil {
						return nil, err
					}
				}
			}
			completed = completeBarriers(warps)
			for _, w := range warps {
				completed = completeCollectives(w) || completed
			}
		}
		for _, w := range warps {
			o.stuck = o.stuck || live(w) != 0
		}
	}
	return o, nil
}

// live is the set of threads of a warp that have not ended.
func live(warp []*loner) (set uint32) {
	for l, t := range warp {
		set |= truth(!t.ended) << l
	}
	return set
}

// run executes the thread until it waits or ends.
func (t *loner) run(o *flowOutcome) error {
	for t.waits == nil && !t.ended {
		if len(t.steps) > maxLonerSteps {
			return fmt.Errorf("thread comes to no end")
		}
		t.step(o)
	}
	return nil
}

func (t *loner) step(o *flowOutcome) {
	c := &t.calls[len(t.calls)-1]
	f := t.p.funcs[c.fn]
	pc := c.pc
	c.pc++
	if pc == len(f.code) {
		t.note(c.fn, pc)
		t.leave()
		return
	}
	in := &f.code[pc]
	if !in.spins {
		t.note(c.fn, pc)
	}
	if in.guard != noReg && (c.regs[in.guard] != 0) == in.not {
		return
	}
	switch in.kind {
	case doCompute:
		c.regs[in.d] = computations[in.op](c.source(in.a), c.operandB(in))
	case doAim:
		c.aim = in.targets[0]
	case doBranch:
		c.pc = f.labels[in.targets[0]]
	case doTable:
		c.pc = f.labels[in.targets[c.regs[in.a]]]
	case doCall:
		t.call(c, in)
	case doReturn:
		t.leave()
	case doExit:
		t.ended = true
	case doCollective, doBarrier:
		t.waits = in
	case doLock:
		a := c.source(in.a)
		if in.op == "atom.global.add.u32" {
			a = 1
		}
		if d := lockAccesses[in.op](&o.locks[in.imm], a); in.d != noReg {
			c.regs[in.d] = d
		}
	case doKeep:
		t.words = append(t.words, c.regs[in.a])
	}
}

func (t *loner) note(fn, pc int) {
	t.steps = append(t.steps, flowPlace{int16(fn), int16(pc), int16(len(t.calls) - 1)})
}

func (c *lonerCall) source(r flowReg) uint32 {
	if r == noReg {
		return 0
	}
	return c.regs[r]
}

func (c *lonerCall) operandB(in *flowInstr) uint32 {
	if in.b == noReg {
		return in.imm
	}
	return c.regs[in.b]
}

func (t *loner) call(c *lonerCall, in *flowInstr) {
	callee := lonerCall{fn: c.aim}
	if len(in.targets) > 0 {
		callee.fn = in.targets[0]
	}
	callee.regs[rArg0], callee.regs[rArg1], callee.regs[rThread] = c.regs[rPath], c.regs[rFuel], c.regs[rThread]
	t.calls = append(t.calls, callee)
}

func (t *loner) leave() {
	last := len(t.calls) - 1
	if last == 0 {
		t.ended = true
		return
	}
	t.calls[last-1].regs[rPath], t.calls[last-1].regs[rFuel] = t.calls[last].regs[rPath], t.calls[last].regs[rFuel]
	t.calls = t.calls[:last]
}

// completeCollectives lets lanes of a warp continue that wait for each other, at one kind of instruction with one
// mask, if all live lanes of the mask do. It reports whether there were any.
func completeCollectives(warp []*loner) (completed bool) {
	type rendezvous struct {
		op      string
		members uint32
	}
	arrived := make(map[rendezvous]uint32)
	for l, t := range warp {
		if t.waits != nil && t.waits.kind == doCollective {
			arrived[rendezvous{t.waits.op, t.calls[len(t.calls)-1].regs[rMembers]}] |= 1 << l
		}
	}
	for m, set := range arrived {
		if m.members&live(warp)&^set != 0 {
			continue
		}
		completed = true
		var a, b [32]uint32
		for l, t := range warp {
			if set>>l&1 != 0 {
				c := &t.calls[len(t.calls)-1]
				a[l], b[l] = c.source(t.waits.a), c.operandB(t.waits)
			}
		}
		for l, t := range warp {
			if set>>l&1 == 0 {
				continue
			}
			if d := t.waits.d; d != noReg {
				t.calls[len(t.calls)-1].regs[d] = collectives[m.op](l, set, &a, &b)
			}
			t.waits = nil
		}
	}
	return completed
}

// completeBarriers lets threads of a CTA continue that wait at a barrier, if all live lanes of all its warps do. It
// reports whether there were any.
func completeBarriers(warps [][]*loner) (completed bool) {
	left := 0
	var arrived [16]int // warps by barrier
	for _, w := range warps {
		if live(w) != 0 {
			left++
		}
		if id, ok := barrierOf(w); ok {
			arrived[id]++
		}
	}
	for id, n := range arrived {
		if n == 0 || n < left {
			continue
		}
		completed = true
		holds := uint32(0)
		each := func(do func(t *loner, c *lonerCall)) {
			for _, w := range warps {
				for _, t := range w {
					if t.waits != nil && t.waits.kind == doBarrier && t.waits.imm == uint32(id) {
						do(t, &t.calls[len(t.calls)-1])
					}
				}
			}
		}
		each(func(t *loner, c *lonerCall) { holds += c.source(t.waits.a) })
		each(func(t *loner, c *lonerCall) {
			if t.waits.d != noReg {
				c.regs[t.waits.d] = holds
			}
			t.waits = nil
		})
	}
	return completed
}

// barrierOf returns the barrier at which all remaining lanes of a warp wait.
func barrierOf(warp []*loner) (id int, ok bool) {
	at := uint32(0)
	for _, t := range warp {
		if t.waits != nil && t.waits.kind == doBarrier {
			at |= 1 << t.waits.imm
		} else if !t.ended {
			return 0, false
		}
	}
	return bits.TrailingZeros32(at), bits.OnesCount32(at) == 1
}
