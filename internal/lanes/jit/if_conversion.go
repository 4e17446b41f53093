package jit

// A short side of a branch is executed by its lanes while the others wait at the reconvergence PC (if-conversion).
// This needs no frame, because code cannot exit on the way: either the whole side is executed, or code exits at the
// branch.

// Side is an if-converted side of a branch, or both sides.
type Side struct {
	Pred      Reg  // has the lanes in which the branch's predicate holds
	Not       bool // the side is for lanes in which it does not hold
	Masked    bool // not all lanes of the warp may be at the branch
	Both      bool // both sides, each as an InnerSide
	MayWait   bool // lanes of the side may wait for others
	Before    int  // instructions up to the branch that are not counted yet
	Count     int  // instructions of the side that all of its lanes execute
	Most      int  // instructions of the side
	Inner     []InnerSide
	StorePred bool   // the predicate must be written to its slot
	Slot      uint32 // that slot
}

// InnerSide is instructions of a side that only lanes with a predicate execute, which a branch tests.
type InnerSide struct {
	Pred  Reg
	Not   bool
	Count int
	Noted bool // a divergence at the branch is noted (NoteDivergence)
	PC    int  // of the branch
}

// BeginSide restricts execution to the lanes of a side, unless it is both, or jumps to leave if their time slice may
// end on the way.
func (e *Emit) BeginSide(s *Side, leave Label) {
	e.opImm(cmp, W64, regBudget, int32(s.Before+s.Most))
	e.jcc(condLE, leave)
	least := 0
	if s.MayWait {
		least = s.Most
	}
	e.opStoreImm(cmp, W64, memAt(regCtx, ctxQuantum), int32(least))
	e.jcc(condBE, leave)
	if s.StorePred {
		e.StorePred(s.Slot, s.Pred, s.Masked)
	}
	if s.Both {
		return
	}
	e.mov(W32, RAX, s.Pred)
	if s.Not {
		e.Asm.not(W32, RAX)
	}
	if s.Masked {
		e.Load(W32, RCX, memAt(regCtx, ctxMask))
		e.store(W32, memAt(regCtx, ctxOuter), RCX)
		e.op(and, W32, RAX, RCX)
	}
	e.store(W32, memAt(regCtx, ctxMask), RAX)
	e.laneMasks()
}

// EndSide counts the instructions of the lanes of a side, and resumes execution by all lanes at the branch.
func (e *Emit) EndSide(s *Side) {
	e.Load(W32, RCX, memAt(regCtx, ctxMask))
	e.opImm(sub, W64, regBudget, int32(s.Before))
	if s.MayWait {
		e.withhold()
	}
	e.opStoreImm(add, W32, memAt(regCtx, ctxDiverged), 1)
	if s.Count > 0 {
		e.countSide(RCX, s.Count)
	}
	for _, n := range s.Inner {
		none, all := e.NewLabel(), e.NewLabel()
		e.mov(W32, RDX, n.Pred)
		if n.Not {
			e.Asm.not(W32, RDX)
		}
		e.op(and, W32, RDX, RCX)
		if !s.Both {
			e.jcc(condE, none)
			e.op(cmp, W32, RDX, RCX)
			e.jcc(condE, all)
			e.opStoreImm(add, W32, memAt(regCtx, ctxDiverged), 1)
			if n.Noted {
				e.noteDivergence(RAX, n.PC)
			}
		}
		e.Bind(all)
		e.countSide(RDX, n.Count)
		e.Bind(none)
	}
	if s.Both {
		return
	}
	e.AllAgain(s.Masked)
	if s.Masked {
		e.laneMasks()
	}
}

// withhold limits the budget to the Quantum, as DivergeRoutine does if diverging lanes may wait for others. It uses
// RAX.
func (e *Emit) withhold() {
	enough := e.NewLabel()
	e.mov(W64, RAX, regBudget)
	e.opLoad(sub, W64, RAX, memAt(regCtx, ctxQuantum))
	e.jcc(condLE, enough)
	e.opStore(add, W64, memAt(regCtx, ctxWithheld), RAX)
	e.opStore(sub, W64, memAt(regCtx, ctxCounted), RAX)
	e.op(sub, W64, regBudget, RAX)
	e.Bind(enough)
}

// AllAgain restores Context.Mask to its value before BeginSide.
func (e *Emit) AllAgain(masked bool) {
	if !masked {
		e.storeImm(W32, memAt(regCtx, ctxMask), -1)
		return
	}
	e.Load(W32, RAX, memAt(regCtx, ctxOuter))
	e.store(W32, memAt(regCtx, ctxMask), RAX)
}

// countSide counts n instructions that only the lanes of r have executed. It uses RAX.
func (e *Emit) countSide(r Reg, n int) {
	e.popcnt(W32, RAX, r)
	e.imulImm(W64, RAX, RAX, int32(n))
	e.opStore(add, W64, memAt(regCtx, ctxLaneInstrs), RAX)
	e.opStoreImm(sub, W64, memAt(regCtx, ctxCounted), int32(n))
	e.opImm(sub, W64, regBudget, int32(n))
}
