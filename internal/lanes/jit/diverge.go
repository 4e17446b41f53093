package jit

// Lanes that diverge at a branch execute one side after the other in code, as the splits of divergence.ITS do within
// their time slices, and reconverge at the reconvergence PC. Frames of the Context record the waiting lanes, so that
// splits can be made of them if code exits earlier. Package functional has the rule that ties them to Go ("Who runs
// next").

// Sides has the continuations of lanes that diverge at a branch.
type Sides struct {
	Taken, Fall Label // in the code for partial masks
	// TakenArrives and FallArrives say that the side is the reconvergence PC.
	TakenArrives, FallArrives bool
	MayWait                   bool  // the lanes that execute first may wait for others
	Some, Full                Label // after the reconvergence PC
	Stop                      Label // an exit at the reconvergence PC
	RPC, Branch               int   // PCs
}

// MayDiverge jumps to leave if code must exit where lanes diverge, n instructions after those that are counted: also
// if the budget is used up, because a time slice may end there.
func (e *Emit) MayDiverge(n int, leave Label) {
	e.opImm(cmp, W64, regBudget, int32(n))
	e.jcc(condLE, leave)
	e.opStoreImm(cmp, W64, memAt(regCtx, ctxQuantum), 0)
	e.jcc(condE, leave)
	e.opStoreImm(cmp, W32, memAt(regCtx, ctxDepth), (maxDepth-1)*frameBytes)
	e.jcc(condA, leave)
}

// NoteDivergence notes in Context.Divergences that lanes diverge at the branch at pc. It is for the time right after
// Branch, and keeps EAX.
func (e *Emit) NoteDivergence(pc int) { e.noteDivergence(RCX, pc) }

func (e *Emit) noteDivergence(r Reg, pc int) {
	e.Load(W64, r, memAt(regCtx, ctxDivergences))
	e.storeImm(W8, memAt(r, int32(pc)), 1)
}

// ToSides jumps, after MayDiverge, to the address with a number in Context.Sides, or to leave if there are no Sides.
func (e *Emit) ToSides(number int, leave Label) {
	e.Load(W64, RCX, memAt(regCtx, ctxSides))
	e.test(W64, RCX, RCX)
	e.jcc(condE, leave)
	e.jmpMem(memAt(RCX, 8*int32(number)))
}

// mayWaitBit is the bit of Sides.MayWait in the register that has Sides.Branch.
const mayWaitBit = 32

// Diverge sends lanes to both sides of a branch, after Branch, which has left in EAX the lanes that take it.
func (e *Emit) Diverge(routine Label, s *Sides) {
	side := func(d Reg, l Label, arrives bool) {
		if arrives {
			e.movImm(d, 0)
		} else {
			e.lea(d, atLabel(l, 0))
		}
	}
	side(RSI, s.Taken, s.TakenArrives)
	side(RDI, s.Fall, s.FallArrives)
	e.lea(R12, atLabel(s.Some, 0))
	e.lea(R13, atLabel(s.Full, 0))
	e.lea(R15, atLabel(s.Stop, 0))
	e.movImm(RCX, uint64(s.RPC))
	branch := uint64(s.Branch)
	if s.MayWait {
		branch |= 1 << mayWaitBit
	}
	e.movImm(RDX, branch)
	e.Jmp(routine)
}

// DivergeRoutine writes, at l, the routine of Diverge.
func (e *Emit) DivergeRoutine(l, setMask Label) {
	taken, fall, run, shrink, push := e.NewLabel(), e.NewLabel(), e.NewLabel(), e.NewLabel(), e.NewLabel()
	e.Align(32)
	e.Bind(l)
	e.countLanes()
	counted := e.NewLabel()
	e.mov(W64, R10, RDX)
	e.shiftImm(shr, W64, R10, mayWaitBit)
	e.jcc(condE, counted)
	e.mov(W64, R10, regBudget)
	e.opLoad(sub, W64, R10, memAt(regCtx, ctxQuantum))
	e.jcc(condLE, counted)
	e.opStore(add, W64, memAt(regCtx, ctxWithheld), R10)
	e.Load(W64, regBudget, memAt(regCtx, ctxQuantum))
	e.Bind(counted)
	e.store(W64, memAt(regCtx, ctxCounted), regBudget)
	e.opStoreImm(add, W32, memAt(regCtx, ctxDiverged), 1)
	e.Load(W32, R11, memAt(regCtx, ctxMask))
	e.test(W64, RSI, RSI)
	e.jcc(condE, taken)
	e.test(W64, RDI, RDI)
	e.jcc(condE, fall)

	// Both sides execute, first the lanes that take the branch.
	e.frame()
	e.newFrame()
	e.storeImm(W32, memAt(R10, frameArrived), 0)
	e.op(xor, W32, R11, RAX)
	e.store(W32, memAt(R10, framePending), R11)
	e.store(W64, memAt(R10, framePendingAt), RDI)
	e.Jmp(run)

	e.Bind(fall) // the lanes that do not take it arrive
	e.mov(W32, RDI, RAX)
	e.op(xor, W32, RAX, R11)
	e.Jmp(shrink)

	e.Bind(taken) // the lanes that take it arrive
	e.mov(W64, RSI, RDI)
	e.mov(W32, RDI, R11)
	e.op(xor, W32, RDI, RAX)

	// The lanes in EAX arrive, and those in EDI continue at RSI. If the lanes of the latest frame arrive at the same
	// place, and no other lanes must execute before, the lanes of EAX join the waiting ones of that frame.
	e.Bind(shrink)
	e.frame()
	e.opStoreImm(cmp, W32, memAt(regCtx, ctxDepth), 0)
	e.jcc(condE, push)
	e.opLoad(cmp, W32, RCX, memAt(R10, frameRPC-frameBytes))
	e.jcc(condNE, push)
	e.opStoreImm(cmp, W32, memAt(R10, framePending-frameBytes), 0)
	e.jcc(condNE, push)
	e.opStore(or, W32, memAt(R10, frameArrived-frameBytes), RAX)
	e.store(W32, memAt(R10, frameBranch-frameBytes), RDX)
	e.mov(W32, RAX, RDI)
	e.Jmp(run)
	e.Bind(push)
	e.newFrame()
	e.store(W32, memAt(R10, frameArrived), RAX)
	e.storeImm(W32, memAt(R10, framePending), 0)
	e.mov(W32, RAX, RDI)

	e.Bind(run) // the lanes of EAX, from RSI
	e.Jmp(setMask)
}

// frame sets R10 to the end of the frames in use.
func (e *Emit) frame() {
	e.Load(W64, R10, memAt(regCtx, ctxDepth))
	e.lea(R10, atIndex(regCtx, R10, 1, ctxFrames))
}

// newFrame fills the fields that all new frames have in common. R11 has the executing lanes.
func (e *Emit) newFrame() {
	e.store(W32, memAt(R10, frameOuter), R11)
	e.store(W32, memAt(R10, frameRPC), RCX)
	e.store(W32, memAt(R10, frameBranch), RDX)
	e.store(W64, memAt(R10, frameSomeAt), R12)
	e.store(W64, memAt(R10, frameFullAt), R13)
	e.store(W64, memAt(R10, frameStopAt), R15)
	e.Load(W64, RDX, memAt(regCtx, ctxStop))
	e.store(W64, memAt(R10, frameOuterStop), RDX)
	e.store(W64, memAt(regCtx, ctxStop), RCX)
	e.opStoreImm(add, W64, memAt(regCtx, ctxDepth), frameBytes)
}

// countLanes adds the instructions that the lanes of the mask have executed since Counted.
func (e *Emit) countLanes() {
	e.Load(W64, R10, memAt(regCtx, ctxCounted))
	e.op(sub, W64, R10, regBudget)
	e.Load(W32, R11, memAt(regCtx, ctxMask))
	e.popcnt(W32, R11, R11)
	e.imul(W64, R10, R11)
	e.opStore(add, W64, memAt(regCtx, ctxLaneInstrs), R10)
}

// SetMaskRoutine writes a routine, at l, that continues with the lanes of EAX at RSI.
func (e *Emit) SetMaskRoutine(l Label) {
	e.Align(32)
	e.Bind(l)
	e.store(W32, memAt(regCtx, ctxMask), RAX)
	e.laneMasks()
	e.jmpReg(RSI)
}

// laneMasks expands Context.Mask: with AVX-512 to the masks of pairs of subvectors, 64 bits apart, else to vectors and
// to the lanes of each subvector.
func (e *Emit) laneMasks() {
	if e.Level == AVX512 {
		e.v2M(vpmovzxwq, l128, 1, memAt(regCtx, ctxMask))
		e.vStore(vmovdqu, l128, memAt(regCtx, ctxSubvectors), 1)
		return
	}
	e.v2M(vpmovzxbd, l128, 1, memAt(regCtx, ctxMask))
	e.vStore(vmovdqu, l128, memAt(regCtx, ctxSubvectors), 1)
	e.v2M(vpbroadcastd, l256, 1, memAt(regCtx, ctxMask))
	for s := int32(0); s < subvectors; s++ {
		e.v2M(vmovdqu, l256, 2, memAt(regCtx, ctxBits+32*s))
		e.v3(vpand, l256, 3, 1, 2)
		e.v3(vpcmpeqd, l256, 3, 3, 2)
		e.vStore(vmovdqu, l256, memAt(regCtx, ctxMasks+32*s), 3)
	}
}

// Arrive jumps to exit if no lanes have diverged in code, or the budget is used up, and else to the routine for lanes
// that arrive at a reconvergence PC.
func (e *Emit) Arrive(routine, exit Label) {
	e.test(W64, regBudget, regBudget)
	e.jcc(condLE, exit)
	e.opStoreImm(cmp, W32, memAt(regCtx, ctxDepth), 0)
	e.jcc(condE, exit)
	e.Jmp(routine)
}

// ArriveRoutine writes, at l, the routine of Arrive.
func (e *Emit) ArriveRoutine(l, setMask Label) {
	again, join, out := e.NewLabel(), e.NewLabel(), e.NewLabel()
	e.Align(32)
	e.Bind(l)
	e.countLanes()
	e.store(W64, memAt(regCtx, ctxCounted), regBudget)
	e.frame()
	e.Bind(again)
	e.opImm(sub, W64, R10, frameBytes)
	e.Load(W32, RAX, memAt(R10, framePending))
	e.test(W32, RAX, RAX)
	e.jcc(condE, join)
	e.Load(W32, RDX, memAt(regCtx, ctxMask))
	e.opStore(or, W32, memAt(R10, frameArrived), RDX)
	e.storeImm(W32, memAt(R10, framePending), 0)
	e.Load(W64, RSI, memAt(R10, framePendingAt))
	e.Jmp(setMask)

	e.Bind(join) // all have arrived
	e.Load(W32, RAX, memAt(R10, frameOuter))
	e.store(W32, memAt(regCtx, ctxMask), RAX)
	e.Load(W64, RDX, memAt(R10, frameOuterStop))
	e.store(W64, memAt(regCtx, ctxStop), RDX)
	e.Load(W64, RSI, memAt(R10, frameSomeAt))
	e.opImm(cmp, W32, RAX, -1)
	some := e.NewLabel()
	e.jcc(condNE, some)
	e.Load(W64, RSI, memAt(R10, frameFullAt))
	e.Bind(some)
	e.opStoreImm(sub, W64, memAt(regCtx, ctxDepth), frameBytes)
	e.Load(W32, RCX, memAt(R10, frameRPC))
	e.op(cmp, W64, RDX, RCX)
	e.jcc(condNE, setMask)
	// Their own path ends here, too.
	e.opStoreImm(cmp, W32, memAt(regCtx, ctxDepth), 0)
	e.jcc(condNE, again)
	e.Bind(out)
	e.Load(W64, RSI, memAt(R10, frameStopAt))
	e.Jmp(setMask)
}

// Extend jumps to l if the budget is used up only because part of it was withheld from diverged lanes that could wait
// for others, and now they cannot: all lanes of the warp execute together again, or mayWait is false.
func (e *Emit) Extend(l Label, mayWait bool) {
	no := e.NewLabel()
	e.Load(W64, RAX, memAt(regCtx, ctxWithheld))
	e.test(W64, RAX, RAX)
	e.jcc(condE, no)
	if mayWait {
		e.Load(W32, RCX, memAt(regCtx, ctxMask))
		e.opLoad(cmp, W32, RCX, memAt(regCtx, ctxLive))
		e.jcc(condNE, no)
	}
	e.storeImm(W64, memAt(regCtx, ctxWithheld), 0)
	e.opStore(add, W64, memAt(regCtx, ctxCounted), RAX)
	e.op(add, W64, regBudget, RAX)
	e.jcc(condG, l)
	e.Bind(no)
}
