package jit

// Lanes that diverge at a branch execute one side after the other in code, as the splits of
// divergence.ITS do as long as their time slices last, and come together at the reconvergence PC. Frames of the
// Context say who waits where, so that whoever leaves code before can make splits of them.

// Sides is where lanes go that diverge at a branch.
type Sides struct {
	Taken, Fall Label // in the code for some lanes
	// TakenArrives and FallArrives say that the side is the reconvergence PC.
	TakenArrives, FallArrives bool
	MayWait                   bool  // those that execute first may wait for others
	Some, Full                Label // behind the reconvergence PC
	Stop                      Label // an exit at the reconvergence PC
	RPC, Branch               int   // PCs
}

// MayDiverge goes to leave if code is to be left where lanes diverge, n instructions behind those that
// are counted: also if the budget is used up, as a time slice may end there.
func (e *Emit) MayDiverge(n int, leave Label) {
	e.OpImm(CMP, W64, regBudget, int32(n))
	e.Jcc(CondLE, leave)
	e.OpStoreImm(CMP, W64, At(regCtx, ctxQuantum), 0)
	e.Jcc(CondE, leave)
	e.OpStoreImm(CMP, W32, At(regCtx, ctxDepth), (MaxDepth-1)*frameBytes)
	e.Jcc(CondA, leave)
}

// ToSides goes, behind MayDiverge, to code elsewhere: to the address with a number in Context.Sides, or to leave without those.
func (e *Emit) ToSides(number int, leave Label) {
	e.Load(W64, RCX, At(regCtx, ctxSides))
	e.Test(W64, RCX, RCX)
	e.Jcc(CondE, leave)
	e.JmpMem(At(RCX, 8*int32(number)))
}

// mayWaitBit is the bit of Sides.MayWait in the register that has Sides.Branch.
const mayWaitBit = 32

// Diverge sends lanes to both sides of a branch, behind Branch, which has left in EAX those that
// take it.
func (e *Emit) Diverge(routine Label, s *Sides) {
	side := func(d Reg, l Label, arrives bool) {
		if arrives {
			e.MovImm(d, 0)
		} else {
			e.Lea(d, AtLabel(l, 0))
		}
	}
	side(RSI, s.Taken, s.TakenArrives)
	side(RDI, s.Fall, s.FallArrives)
	e.Lea(R12, AtLabel(s.Some, 0))
	e.Lea(R13, AtLabel(s.Full, 0))
	e.Lea(R15, AtLabel(s.Stop, 0))
	e.MovImm(RCX, uint64(s.RPC))
	branch := uint64(s.Branch)
	if s.MayWait {
		branch |= 1 << mayWaitBit
	}
	e.MovImm(RDX, branch)
	e.Jmp(routine)
}

// DivergeRoutine writes what Diverge goes to, at l.
func (e *Emit) DivergeRoutine(l, setMask Label) {
	taken, fall, run, shrink, push := e.NewLabel(), e.NewLabel(), e.NewLabel(), e.NewLabel(), e.NewLabel()
	e.Align(32)
	e.Bind(l)
	e.countLanes()
	counted := e.NewLabel()
	e.Mov(W64, R10, RDX)
	e.Shift(SHR, W64, R10, mayWaitBit)
	e.Jcc(CondE, counted)
	e.Mov(W64, R10, regBudget)
	e.OpLoad(SUB, W64, R10, At(regCtx, ctxQuantum))
	e.Jcc(CondLE, counted)
	e.OpStore(ADD, W64, At(regCtx, ctxWithheld), R10)
	e.Load(W64, regBudget, At(regCtx, ctxQuantum))
	e.Bind(counted)
	e.Store(W64, At(regCtx, ctxCounted), regBudget)
	e.OpStoreImm(ADD, W32, At(regCtx, ctxDiverged), 1)
	e.Load(W32, R11, At(regCtx, ctxMask))
	e.Test(W64, RSI, RSI)
	e.Jcc(CondE, taken)
	e.Test(W64, RDI, RDI)
	e.Jcc(CondE, fall)

	// Both sides execute: the one that takes the branch first.
	e.frame()
	e.newFrame()
	e.StoreImm(W32, At(R10, frameArrived), 0)
	e.Op(XOR, W32, R11, RAX)
	e.Store(W32, At(R10, framePending), R11)
	e.Store(W64, At(R10, framePendingAt), RDI)
	e.Jmp(run)

	e.Bind(fall) // those that do not take it arrive
	e.Mov(W32, RDI, RAX)
	e.Op(XOR, W32, RAX, R11)
	e.Jmp(shrink)

	e.Bind(taken) // those that take it arrive
	e.Mov(W64, RSI, RDI)
	e.Mov(W32, RDI, R11)
	e.Op(XOR, W32, RDI, RAX)

	// EAX arrives, and EDI goes on at RSI. If those who have diverged last are to arrive at the same place, and
	// nobody else is to execute before, the lanes of EAX join those of them that wait.
	e.Bind(shrink)
	e.frame()
	e.OpStoreImm(CMP, W32, At(regCtx, ctxDepth), 0)
	e.Jcc(CondE, push)
	e.OpLoad(CMP, W32, RCX, At(R10, frameRPC-frameBytes))
	e.Jcc(CondNE, push)
	e.OpStoreImm(CMP, W32, At(R10, framePending-frameBytes), 0)
	e.Jcc(CondNE, push)
	e.OpStore(OR, W32, At(R10, frameArrived-frameBytes), RAX)
	e.Store(W32, At(R10, frameBranch-frameBytes), RDX)
	e.Mov(W32, RAX, RDI)
	e.Jmp(run)
	e.Bind(push)
	e.newFrame()
	e.Store(W32, At(R10, frameArrived), RAX)
	e.StoreImm(W32, At(R10, framePending), 0)
	e.Mov(W32, RAX, RDI)

	e.Bind(run) // the lanes of EAX, from RSI
	e.Jmp(setMask)
}

// frame makes R10 point behind the frames in use.
func (e *Emit) frame() {
	e.Load(W64, R10, At(regCtx, ctxDepth))
	e.Lea(R10, AtIndex(regCtx, R10, 1, ctxFrames))
}

// newFrame fills what all new frames have in common. R11 is the lanes that execute.
func (e *Emit) newFrame() {
	e.Store(W32, At(R10, frameOuter), R11)
	e.Store(W32, At(R10, frameRPC), RCX)
	e.Store(W32, At(R10, frameBranch), RDX)
	e.Store(W64, At(R10, frameSomeAt), R12)
	e.Store(W64, At(R10, frameFullAt), R13)
	e.Store(W64, At(R10, frameStopAt), R15)
	e.Load(W64, RDX, At(regCtx, ctxStop))
	e.Store(W64, At(R10, frameOuterStop), RDX)
	e.Store(W64, At(regCtx, ctxStop), RCX)
	e.OpStoreImm(ADD, W64, At(regCtx, ctxDepth), frameBytes)
}

// countLanes counts what the lanes of the mask have executed since Counted.
func (e *Emit) countLanes() {
	e.Load(W64, R10, At(regCtx, ctxCounted))
	e.Op(SUB, W64, R10, regBudget)
	e.Load(W32, R11, At(regCtx, ctxMask))
	e.Popcnt(W32, R11, R11)
	e.Imul(W64, R10, R11)
	e.OpStore(ADD, W64, At(regCtx, ctxLaneInstrs), R10)
}

// SetMaskRoutine writes a routine, at l, that goes on with the lanes of EAX from RSI.
func (e *Emit) SetMaskRoutine(l Label) {
	e.Align(32)
	e.Bind(l)
	e.Store(W32, At(regCtx, ctxMask), RAX)
	e.laneMasks()
	e.JmpReg(RSI)
}

// laneMasks expands Context.Mask: with AVX-512 to the masks of pairs of strips, 64 bits apart, and else to vectors
// and to the lanes of each strip.
func (e *Emit) laneMasks() {
	if e.Level == AVX512 {
		e.V2M(VPMOVZXWQ, L128, 1, At(regCtx, ctxMask))
		e.VStore(VMOVDQU, L128, At(regCtx, ctxStrips), 1)
		return
	}
	e.V2M(VPMOVZXBD, L128, 1, At(regCtx, ctxMask))
	e.VStore(VMOVDQU, L128, At(regCtx, ctxStrips), 1)
	e.V2M(VPBROADCASTD, L256, 1, At(regCtx, ctxMask))
	for s := int32(0); s < Strips; s++ {
		e.V2M(VMOVDQU, L256, 2, At(regCtx, ctxBits+32*s))
		e.V3(VPAND, L256, 3, 1, 2)
		e.V3(VPCMPEQD, L256, 3, 3, 2)
		e.VStore(VMOVDQU, L256, At(regCtx, ctxMasks+32*s), 3)
	}
}

// Arrive goes to exit if no lanes have diverged in code, or the budget is used up, and else to the routine for
// those that arrive at a reconvergence PC.
func (e *Emit) Arrive(routine, exit Label) {
	e.Test(W64, regBudget, regBudget)
	e.Jcc(CondLE, exit)
	e.OpStoreImm(CMP, W32, At(regCtx, ctxDepth), 0)
	e.Jcc(CondE, exit)
	e.Jmp(routine)
}

// ArriveRoutine writes what Arrive goes to, at l.
func (e *Emit) ArriveRoutine(l, setMask Label) {
	again, join, out := e.NewLabel(), e.NewLabel(), e.NewLabel()
	e.Align(32)
	e.Bind(l)
	e.countLanes()
	e.Store(W64, At(regCtx, ctxCounted), regBudget)
	e.frame()
	e.Bind(again)
	e.OpImm(SUB, W64, R10, frameBytes)
	e.Load(W32, RAX, At(R10, framePending))
	e.Test(W32, RAX, RAX)
	e.Jcc(CondE, join)
	e.Load(W32, RDX, At(regCtx, ctxMask))
	e.OpStore(OR, W32, At(R10, frameArrived), RDX)
	e.StoreImm(W32, At(R10, framePending), 0)
	e.Load(W64, RSI, At(R10, framePendingAt))
	e.Jmp(setMask)

	e.Bind(join) // all have arrived
	e.Load(W32, RAX, At(R10, frameOuter))
	e.Store(W32, At(regCtx, ctxMask), RAX)
	e.Load(W64, RDX, At(R10, frameOuterStop))
	e.Store(W64, At(regCtx, ctxStop), RDX)
	e.Load(W64, RSI, At(R10, frameSomeAt))
	e.OpImm(CMP, W32, RAX, -1)
	some := e.NewLabel()
	e.Jcc(CondNE, some)
	e.Load(W64, RSI, At(R10, frameFullAt))
	e.Bind(some)
	e.OpStoreImm(SUB, W64, At(regCtx, ctxDepth), frameBytes)
	e.Load(W32, RCX, At(R10, frameRPC))
	e.Op(CMP, W64, RDX, RCX)
	e.Jcc(CondNE, setMask)
	// Their own path ends here, too.
	e.OpStoreImm(CMP, W32, At(regCtx, ctxDepth), 0)
	e.Jcc(CondNE, again)
	e.Bind(out)
	e.Load(W64, RSI, At(R10, frameStopAt))
	e.Jmp(setMask)
}

// Extend goes to l if the budget is used up only since lanes had diverged that could wait for others, and now they
// cannot: all lanes of the warp execute together again, unless mayWait is false.
func (e *Emit) Extend(l Label, mayWait bool) {
	no := e.NewLabel()
	e.Load(W64, RAX, At(regCtx, ctxWithheld))
	e.Test(W64, RAX, RAX)
	e.Jcc(CondE, no)
	if mayWait {
		e.Load(W32, RCX, At(regCtx, ctxMask))
		e.OpLoad(CMP, W32, RCX, At(regCtx, ctxLive))
		e.Jcc(CondNE, no)
	}
	e.StoreImm(W64, At(regCtx, ctxWithheld), 0)
	e.OpStore(ADD, W64, At(regCtx, ctxCounted), RAX)
	e.Op(ADD, W64, regBudget, RAX)
	e.Jcc(CondG, l)
	e.Bind(no)
}
