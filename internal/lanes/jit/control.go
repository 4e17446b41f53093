package jit

import "encoding/binary"

// General registers of compiled code. R14, RSP and RBP are Go's.
const (
	regFile      = R8  // the register file
	regCtx       = R9  // the Context
	regScalar    = R10 // 4 * the subvector
	regSubvector = R11 // 32 * the subvector
	regBudget    = RBX // instructions until code exits after a branch
)

// Scalar is a slot with its value in a spill slot: that of the first lane of each subvector.
// Lane i of the subvector has Stride*i more.
type Scalar struct {
	Slot, Spill uint32 // offsets in the register file
	Bits        uint8
	Stride      int32
}

const scalarBytes = 16

// Scalars writes a table of scalars, at l.
func (e *Emit) Scalars(l Label, all []Scalar) {
	e.Bind(l)
	var b [scalarBytes]byte
	for _, s := range all {
		binary.LittleEndian.PutUint32(b[0:], s.Slot)
		binary.LittleEndian.PutUint32(b[4:], s.Spill)
		binary.LittleEndian.PutUint32(b[8:], uint32(s.Bits))
		binary.LittleEndian.PutUint32(b[12:], uint32(s.Stride))
		e.literal(b[:])
	}
	e.literal(make([]byte, scalarBytes)) // a width of 0 ends the table
}

// NoExit is the Context.Exit of code that could not be entered, because slots do not hold the expected scalars.
const NoExit = 1<<32 - 1

// ramp is a vector of multiples of the lane's number in a subvector.
func (e *Emit) ramp(bits uint64, wide bool) Mem {
	return e.pooled(poolConstant{bits: bits, wide: wide, kind: poolRamp})
}

// EnterRoutine writes, at l, the routine of Enter and Rejoin. It checks that slots hold the scalars of the table at
// RSI, and copies these to their spill slots. With masked it also makes masks of Context.Mask. It continues at RDI, or
// at R15 if a slot is not uniform or affine as expected.
func (e *Emit) EnterRoutine(l Label, masked bool) {
	e.Align(32)
	e.Bind(l)
	fail := e.NewLabel()
	if masked {
		e.laneMasks()
	}
	e.eachScalar(func() { e.jmpReg(RDI) }, func(wide bool) {
		for s := int32(0); s < subvectors; s++ {
			if !wide {
				e.v2M(vmovdqu, l256, 2, memAt(RAX, 32*s))
				e.v3(vpsubd, l256, 2, 2, 1)
				e.v2(vpbroadcastd, l256, 3, 2)
				e.v3(vpcmpeqd, l256, 3, 3, 2)
				e.vStore(vmovd, l128, memAt(RDX, 4*s), 2)
			} else {
				e.v2M(vmovdqu, l256, 2, memAt(RAX, 64*s))
				e.v3(vpsubq, l256, 2, 2, 1)
				e.v2(vpbroadcastq, l256, 3, 2)
				e.vStore(vmovq, l128, memAt(RDX, 8*s), 2)
				e.v3(vpcmpeqq, l256, 2, 3, 2)
				e.v2M(vmovdqu, l256, 5, memAt(RAX, 64*s+32))
				e.v3(vpsubq, l256, 5, 5, 6)
				e.v3(vpcmpeqq, l256, 3, 3, 5)
				e.v3(vpand, l256, 3, 3, 2)
			}
			if s == 0 {
				e.v2(vmovdqa, l256, 4, 3)
			} else {
				e.v3(vpand, l256, 4, 4, 3)
			}
		}
		e.vToReg(vpmovmskb, l256, RCX, 4)
		e.opImm(cmp, W32, RCX, -1)
		e.jcc(condNE, fail)
	})
	e.Bind(fail)
	e.jmpReg(R15)
}

// NotEntered writes the exit of entries with scalars that do not hold.
func (e *Emit) NotEntered(l Label) {
	e.Bind(l)
	e.storeImm(W32, memAt(regCtx, ctxExit), -1)
	e.vzeroupper()
	e.Ret()
}

// eachScalar writes a loop over the table at RSI: body has a scalar's slot at RAX, its spill slot at RDX, and the
// multiples of its stride for the lanes of a subvector in vector 1, and in 6 for the upper lanes of a wide one.
func (e *Emit) eachScalar(done func(), body func(wide bool)) {
	loop, end, wide, next := e.NewLabel(), e.NewLabel(), e.NewLabel(), e.NewLabel()
	e.Bind(loop)
	e.Load(W32, RCX, memAt(RSI, 8))
	e.test(W32, RCX, RCX)
	e.jcc(condE, end)
	e.Load(W32, RAX, memAt(RSI, 0))
	e.op(add, W64, RAX, regFile)
	e.Load(W32, RDX, memAt(RSI, 4))
	e.op(add, W64, RDX, regFile)
	e.v2M(vpbroadcastd, l256, 1, memAt(RSI, 12))
	e.opImm(cmp, W32, RCX, 64)
	e.jcc(condE, wide)
	e.v3M(vpmulld, l256, 1, 1, e.ramp(1, false))
	body(false)
	e.Jmp(next)
	e.Bind(wide)
	e.v2M(vmovdqu, l256, 5, e.ramp(1, true))
	m := e.ramp(1, true)
	m.Disp += 32
	e.v3M(vpmuldq, l256, 6, 1, m)
	e.v3(vpmuldq, l256, 1, 1, 5)
	body(true)
	e.Bind(next)
	e.opImm(add, W64, RSI, scalarBytes)
	e.Jmp(loop)
	e.Bind(end)
	done()
}

// ExitRoutine writes, at l, the return to Go by the exit with its number in EDI. It writes the scalars of the table
// at RSI to their slots, or the deferred ones.
func (e *Emit) ExitRoutine(l Label, deferred bool) {
	e.Align(32)
	e.Bind(l)
	e.store(W32, memAt(regCtx, ctxExit), RDI)
	e.store(W64, memAt(regCtx, ctxBudget), regBudget)
	out := e.NewLabel()
	if deferred {
		e.Load(W64, RSI, memAt(regCtx, ctxDeferred))
		e.test(W64, RSI, RSI)
		e.jcc(condE, out)
		e.storeImm(W64, memAt(regCtx, ctxDeferred), 0)
	}
	e.expandAll(func() {
		e.Bind(out)
		e.vzeroupper()
		e.Ret()
	})
}

// ExpandRoutine writes, at l, a routine that writes the scalars of the table at RSI to their slots, and returns. It
// preserves R12.
func (e *Emit) ExpandRoutine(l Label) {
	e.Align(32)
	e.Bind(l)
	e.expandAll(e.Ret)
}

func (e *Emit) expandAll(done func()) {
	if e.Level == AVX512 {
		e.expandPairs(done)
		return
	}
	e.eachScalar(done, func(wide bool) {
		for s := int32(0); s < subvectors; s++ {
			if !wide {
				e.v2M(vpbroadcastd, l256, 2, memAt(RDX, 4*s))
				e.v3(vpaddd, l256, 2, 2, 1)
				e.vStore(vmovdqu, l256, memAt(RAX, 32*s), 2)
				continue
			}
			e.v2M(vpbroadcastq, l256, 2, memAt(RDX, 8*s))
			e.v3(vpaddq, l256, 3, 2, 6)
			e.v3(vpaddq, l256, 2, 2, 1)
			e.vStore(vmovdqu, l256, memAt(RAX, 64*s), 2)
			e.vStore(vmovdqu, l256, memAt(RAX, 64*s+32), 3)
		}
	})
}

// expandPairs is expandAll for two subvectors at a time: later code reads slots in this unit, and several short stores
// are not forwarded to a long load.
func (e *Emit) expandPairs(done func()) {
	e.eachScalar(done, func(wide bool) {
		if wide { // two vectors have the lanes of a subvector
			e.v3I(vinserti64X4, l512, 1, 1, 6, 1)
			for s := int32(0); s < subvectors; s++ {
				e.v2M(vpbroadcastq, l512, 2, memAt(RDX, 8*s))
				e.v3(vpaddq, l512, 2, 2, 1)
				e.vStore(vmovdqu, l512, memAt(RAX, 64*s), 2)
			}
			return
		}
		e.v3I(vinserti64X4, l512, 1, 1, 1, 1)
		for s := int32(0); s < subvectors; s += 2 {
			e.v2M(vpbroadcastd, l512, 2, memAt(RDX, 4*s))
			e.v2MK(vpbroadcastd, l512, 2, memAt(RDX, 4*s+4), maskUpper, false)
			e.v3(vpaddd, l512, 2, 2, 1)
			e.vStore(vmovdqu, l512, memAt(RAX, 32*s), 2)
		}
	})
}

// Entry is a place where code can be entered.
type Entry struct {
	Routine Label // of the version
	Table   Label // of scalars
	Body    Label // start of the code
	Not     Label // jump target if a slot does not hold its scalar
	Before  int   // instructions of the block before the entry, which are executed outside of code
	// Fixed is how many scalars of the table, the first ones, are in slots that never change. Once they have been
	// checked, the word at offset Checked of the register file is not 0.
	Fixed   int
	Checked uint32
}

// Enter writes an entry.
func (e *Emit) Enter(n *Entry) {
	e.setMaskUpper()
	e.Load(W64, regFile, memAt(regCtx, ctxFile))
	e.Load(W64, regBudget, memAt(regCtx, ctxBudget))
	if n.Before != 0 {
		e.opImm(add, W64, regBudget, int32(n.Before))
	}
	e.lea(RSI, atLabel(n.Table, 0))
	if n.Fixed > 0 {
		checked := memAt(regFile, int32(n.Checked))
		first, start, body := e.NewLabel(), e.NewLabel(), e.NewLabel()
		e.opStoreImm(cmp, W32, checked, 0)
		e.jcc(condE, first)
		e.opImm(add, W64, RSI, int32(n.Fixed)*scalarBytes)
		e.lea(RDI, atLabel(n.Body, 0))
		e.Jmp(start)
		e.Bind(body)
		e.storeImm(W32, checked, 1)
		e.Jmp(n.Body)
		e.Bind(first)
		e.lea(RDI, atLabel(body, 0))
		e.Bind(start)
	} else {
		e.lea(RDI, atLabel(n.Body, 0))
	}
	e.lea(R15, atLabel(n.Not, 0))
	e.Jmp(n.Routine)
}

// Rejoin continues at body if slots hold the scalars of a table, else at not.
func (e *Emit) Rejoin(routine, table, body, not Label) {
	e.lea(RSI, atLabel(table, 0))
	e.lea(RDI, atLabel(body, 0))
	e.lea(R15, atLabel(not, 0))
	e.Jmp(routine)
}

// Exit writes an exit with a number.
func (e *Emit) Exit(routine, table Label, number int) {
	e.lea(RSI, atLabel(table, 0))
	e.movImm(RDI, uint64(number))
	e.Jmp(routine)
}

// Expand writes the scalars of a table to their slots.
func (e *Emit) Expand(routine, table Label) {
	e.lea(RSI, atLabel(table, 0))
	e.Call(routine)
}

// Defer, after Branch, defers writing the scalars of a table to their slots until diverged lanes reconverge or code
// exits. Undefer ends that.
func (e *Emit) Defer(table Label) {
	e.lea(RSI, atLabel(table, 0))
	e.store(W64, memAt(regCtx, ctxDeferred), RSI)
}

// Undefer is described with Defer.
func (e *Emit) Undefer() { e.storeImm(W64, memAt(regCtx, ctxDeferred), 0) }

// ExpandAtBranch is Expand after Branch; it preserves the lanes in EAX.
func (e *Emit) ExpandAtBranch(routine, table Label) {
	e.mov(W32, R12, RAX)
	e.Expand(routine, table)
	e.mov(W32, RAX, R12)
}

// ExitAtStop jumps to exit if the path ends at pc.
func (e *Emit) ExitAtStop(pc int, exit Label) {
	e.opStoreImm(cmp, W32, memAt(regCtx, ctxStop), int32(pc))
	e.jcc(condE, exit)
}

// Count counts n executed instructions.
func (e *Emit) Count(n int) {
	if n != 0 {
		e.opImm(sub, W64, regBudget, int32(n))
	}
}

// CheckBudget jumps to fail if n instructions use up the budget.
func (e *Emit) CheckBudget(n int, fail Label) {
	e.opImm(cmp, W64, regBudget, int32(n))
	e.jcc(condLE, fail)
}

// NoteCall sets Context.Called.
func (e *Emit) NoteCall() { e.storeImm(W32, memAt(regCtx, ctxCalled), 1) }

// CountAndGo counts n instructions, and jumps to exit if the budget is used up, else to l.
func (e *Emit) CountAndGo(n int, exit, l Label) {
	e.opImm(sub, W64, regBudget, int32(n))
	e.jcc(condLE, exit)
	e.Jmp(l)
}

// BranchScalar is Branch for full warps, by a predicate that ScalarSubvectors has collected. If the lanes diverge, p
// has them as after CollectPred.
func (e *Emit) BranchScalar(p Reg, not bool, taken, fall, diverge Label) {
	e.test(W32, p, p)
	if not {
		e.jcc(condE, taken)
	} else {
		e.jcc(condE, fall)
	}
	e.opImm(cmp, W32, p, 1<<subvectors-1)
	e.jcc(condNE, diverge)
	if not {
		e.Jmp(fall)
	} else {
		e.Jmp(taken)
	}
}

// SpreadSubvectors expands the subvectors in p to lanes, after BranchScalar, and sets EAX as Branch does.
func (e *Emit) SpreadSubvectors(p Reg, not bool) {
	e.Asm.imulImm(W32, p, p, 1<<21|1<<14|1<<7|1) // a subvector has the bit of its lowest lane
	e.opImm(and, W32, p, 0x01010101)
	e.Asm.imulImm(W32, p, p, 1<<SubvectorLanes-1)
	e.mov(W32, RAX, p)
	if not {
		e.Asm.not(W32, RAX)
	}
}

// Branch jumps to taken if a predicate holds in all lanes, to fall if in none, and else to diverge, with the lanes in
// which it holds in EAX. With masked only the lanes of Context.Mask count.
func (e *Emit) Branch(p Reg, not, masked bool, taken, fall, diverge Label) {
	e.mov(W32, RAX, p)
	if not {
		e.Asm.not(W32, RAX)
	}
	if masked {
		e.Load(W32, RCX, memAt(regCtx, ctxMask))
		e.op(and, W32, RAX, RCX)
		e.jcc(condE, fall)
		e.op(cmp, W32, RAX, RCX)
	} else {
		e.test(W32, RAX, RAX)
		e.jcc(condE, fall)
		e.opImm(cmp, W32, RAX, -1)
	}
	e.jcc(condNE, diverge)
	e.Jmp(taken)
}
