package jit

// PredRegs are the general registers in which the predicates of a run are collected.
var PredRegs = [...]Reg{RSI, RDI, R12, R13, R15}

// ClearPred clears a general register, to collect a predicate.
func (e *Emit) ClearPred(r Reg) { e.op(xor, W32, r, r) }

// CollectPred adds a subvector's lanes of a predicate to r. After all subvectors r has the lanes of the warp. dead says
// that the predicate is not used afterwards.
func (e *Emit) CollectPred(r Reg, p Val, dead bool) {
	if dead {
		e.onlyMask(p.Lo)
	}
	l, _ := e.shape(32)
	e.vToReg(vmovmskps, l, RAX, p.Lo)
	if e.unrolled && e.subvector > 0 {
		e.shiftImm(shl, W32, RAX, uint8(SubvectorLanes*e.subvector))
	}
	e.op(or, W32, r, RAX)
	if !e.unrolled {
		e.shiftImm(ror, W32, r, uint8(e.Lanes))
	}
}

// SkipPred is CollectPred for a subvector without executing lanes, in the loop of EachSubvector.
func (e *Emit) SkipPred(r Reg) { e.shiftImm(ror, W32, r, uint8(e.Lanes)) }

// ScalarPred sets r to the lanes of the warp in which a predicate, given as a scalar, holds.
func (e *Emit) ScalarPred(r Reg, p, temp Val) {
	e.v3(vpackssdw, l128, temp.Lo, p.Lo, p.Lo)
	e.v3(vpacksswb, l128, temp.Lo, temp.Lo, temp.Lo)
	e.vToReg(vmovd, l128, r, temp.Lo)
}

// ScalarSubvectors sets r to the subvectors in which a predicate, given as a scalar and not used afterwards, holds.
func (e *Emit) ScalarSubvectors(r Reg, p Val) {
	e.onlyMask(p.Lo)
	if !e.fresh.dead {
		e.vToReg(vmovmskps, l128, r, p.Lo)
		return
	}
	e.vToMask(vpmovd2M, l128, maskScratch, p.Lo)
	e.kToReg(W32, r, maskScratch)
}

// StorePred writes a predicate to its slot; with masked only in the lanes of Context.Mask.
func (e *Emit) StorePred(off uint32, r Reg, masked bool) {
	m := memAt(regFile, int32(off))
	if !masked {
		e.store(W32, m, r)
		return
	}
	e.Load(W32, RAX, m)
	e.Load(W32, RCX, memAt(regCtx, ctxMask))
	e.op(xor, W32, r, RAX) // merge: old ^ (old^new)&mask
	e.op(and, W32, r, RCX)
	e.op(xor, W32, r, RAX)
	e.store(W32, m, r)
}

// LoadPred reads a predicate.
func (e *Emit) LoadPred(r Reg, off uint32) { e.Load(W32, r, memAt(regFile, int32(off))) }
