package jit

// Code may ask for something, and go on when it has that: it returns from Enter with what it asks for in the Context,
// and resumes at the ResumeRoutine. It does not exit: scalars stay in their spill slots, and the state of the warp
// remains as it was when code was entered.

// Request is what code asks for.
type Request struct {
	// PC is that of the Hint, if Exit is AskExit; that of the first instruction, if Exit is LanesExit.
	PC    int32
	End   int32  // PC after the instructions, if Exit is LanesExit
	Lanes uint32 // that execute them
	Off   uint64 // of the access in its memory, if Exit is AskExit

	resume uintptr
	kept   [2 + len(PredRegs)]uint64 // registers
}

// Values of Context.Exit with which code asks and then resumes: AskExit for a page of notes, and LanesExit for the
// execution of instructions by their lane functions.
const (
	AskExit   = ExitEnded - 1
	LanesExit = ExitEnded - 2
)

// askKept are the registers that code needs when it resumes, in addition to those that the Context has.
func askKept() []Reg { return append([]Reg{regScalar, regSubvector}, PredRegs[:]...) }

// AskRoutine writes, at l, the exit by AskExit.
func (e *Emit) AskRoutine(l Label) {
	e.Align(32)
	e.Bind(l)
	for i, r := range askKept() {
		e.store(W64, memAt(regCtx, ctxKept+8*int32(i)), r)
	}
	e.storeImm(W32, memAt(regCtx, ctxExit), AskExit-NoExit-1)
	e.returnAsking()
}

// LanesRoutine writes, at l, the exit by LanesExit, which is between regions: code needs no registers when it resumes.
func (e *Emit) LanesRoutine(l Label) {
	e.Align(32)
	e.Bind(l)
	e.storeImm(W32, memAt(regCtx, ctxExit), LanesExit-NoExit-1)
	e.returnAsking()
}

//go:noinline
func (e *Emit) returnAsking() {
	e.store(W64, memAt(regCtx, ctxBudget), regBudget)
	e.vzeroupper()
	e.Ret()
}

// ResumeRoutine writes, at l, the entry of code that resumes after it has asked.
func (e *Emit) ResumeRoutine(l Label) {
	e.Align(32)
	e.Bind(l)
	for i, r := range askKept() {
		e.Load(W64, r, memAt(regCtx, ctxKept+8*int32(i)))
	}
	e.Load(W64, regFile, memAt(regCtx, ctxFile))
	e.Load(W64, regBudget, memAt(regCtx, ctxBudget))
	e.setMaskUpper()
	e.jmpMem(memAt(regCtx, ctxResume))
}

// request exits by a routine, with a PC, and resumes at l. It changes RDX.
func (e *Emit) request(pc int32, routine, l Label) {
	e.storeImm(W32, memAt(regCtx, ctxAskedPC), pc)
	e.lea(RDX, atLabel(l, 0))
	e.store(W64, memAt(regCtx, ctxResume), RDX)
	e.Jmp(routine)
}

// ByLanes asks for the execution of the instructions from pc up to end by their lane functions, in the lanes of
// Context.Mask if masked, else in all. Their operands are in slots. routine is that of LanesRoutine.
func (e *Emit) ByLanes(pc, end int, masked bool, routine Label) {
	next := e.NewLabel()
	e.executing(masked)
	e.store(W32, memAt(regCtx, ctxAskedLanes), RDX)
	e.storeImm(W32, memAt(regCtx, ctxAskedEnd), int32(end))
	e.request(int32(pc), routine, next)
	e.Bind(next)
}
