package jit

// Accesses at per-lane addresses: all lanes are checked first, then they access memory.

// Lanes are the lanes of the subvectors that execute an access: those where P holds, or all if it is nil; with Masked,
// only those of Context.Mask.
type Lanes struct {
	P      *Val
	Masked bool
}

// all reports whether these are all lanes.
func (w Lanes) all() bool { return w.P == nil && !w.Masked }

// masks are the lanes of both subvectors as mask registers, each in the lowest bits.
func (e *Emit) masks(w Lanes) (low, high kReg) {
	if w.Masked {
		e.needLanes()
	}
	switch {
	case w.P == nil:
		low = maskLanes
	case w.Masked:
		low = maskLow
		e.vToMask(vpmovd2M, l512, low, w.P.Lo)
		e.kAnd(W16, low, low, maskLanes)
	default:
		low = maskLow
		e.vToMask(vpmovd2M, l512, low, w.P.Lo)
	}
	e.kShiftR(W16, maskHigh, low, SubvectorLanes)
	return low, maskHigh
}

// Executing returns lanes, which must not be all, as a predicate.
func (e *Emit) Executing(w Lanes) Val {
	if !w.Masked {
		return *w.P
	}
	t := e.Temp(1)
	e.loadLanes(t)
	if w.P != nil {
		e.And(t, t, *w.P)
	}
	return t
}

// CheckSize jumps to fail if the memory has 2 GiB or more, which 32-bit offsets do not reach, or is smaller than one
// lane's access.
func (e *Emit) CheckSize(a *Area, fail Label) {
	if !a.anywhere() { // else CheckLanes does, when it knows the memory
		e.checkSize(e.hint(a), a.Own != NotOwn, a, fail)
	}
}

// checkSize is CheckSize for the memory of h, which has the parts of all lanes or is one for all.
func (e *Emit) checkSize(h Mem, parts bool, a *Area, fail Label) {
	most := uint8(31)
	if parts {
		most -= 5
	}
	e.Load(W64, RCX, h.plus(hintLen))
	e.opImm(sub, W64, RCX, int32(a.Span))
	e.shiftImm(shr, W64, RCX, most)
	e.jcc(condNE, fail)
}

// CheckLanes jumps to fail unless the per-lane addresses of the subvectors are within memory and aligned; CheckSize
// must have passed. It sets off to their 64-bit offsets, 0 for lanes that do not execute.
func (e *Emit) CheckLanes(off, addr Val, a *Area, w Lanes, fail Label) {
	if a.anywhere() {
		e.checkAnywhere(off, addr, a, w, fail)
		return
	}
	t := e.Temp(64)
	l := e.length64()
	h := e.hint(a)
	based := !a.Shared && a.Own == NotOwn
	disp := uint64(a.Disp)
	from := addr
	if addr.Bits != 64 {
		s := addr
		if disp != 0 {
			s = e.Temp(32)
			e.op3m(vpaddd, s, addr, e.constant(uint64(uint32(disp)), 32))
		}
		e.Widen(off, s, false)
		from, disp = off, 0
	}
	if based {
		e.v2M(vpbroadcastq, l, t.Lo, h.plus(hintBase))
		if disp != 0 {
			e.v3M(vpsubq, l, t.Lo, t.Lo, e.constant(disp, 64))
		}
	} else if disp != 0 {
		e.v2M(vmovdqu, l, t.Lo, e.constant(-disp, 64))
	}
	e.relate(off, from, t.Lo, based || disp != 0, w, t)
	e.checkOffsets(off, t, h, a, fail)
}

// checkOffsets jumps to fail unless offsets in the memory of h are aligned and within it. It changes t.
func (e *Emit) checkOffsets(off, t Val, h Mem, a *Area, fail Label) {
	l := e.length64()
	e.v2M(vpbroadcastq, l, t.Lo, h.plus(hintLen))
	e.v3M(vpsubq, l, t.Lo, t.Lo, e.constant(uint64(a.Span), 64))
	if e.two() {
		e.checkOffsets2(off, t, a, fail)
		return
	}
	e.v3(vpsubq, l, t.Hi, t.Lo, off.Hi)
	e.v3(vpsubq, l, t.Lo, t.Lo, off.Lo)
	e.v3(vpor, l, t.Lo, t.Lo, t.Hi)
	e.v3(vpor, l, t.Hi, off.Lo, off.Hi)
	e.v3(vpor, l, t.Lo, t.Lo, t.Hi)
	e.vToReg(vmovmskpd, l, RCX, t.Lo)
	e.test(W32, RCX, RCX)
	e.jcc(condNE, fail)
	if a.Align > 1 {
		e.v2M(vptest, l, t.Hi, e.constant(uint64(a.Align-1), 64))
		e.jcc(condNE, fail)
	}
}

// relate sets off to addresses minus base, if based, and to 0 in lanes that do not execute. With AVX2 it uses t for
// that.
func (e *Emit) relate(off, addr Val, base Vec, based bool, w Lanes, t Val) {
	l := e.length64()
	if e.two() && !w.all() {
		low, high := e.masks(w)
		if based {
			e.v3K(vpsubq, l, off.Lo, addr.Lo, base, low, true)
			e.v3K(vpsubq, l, off.Hi, addr.Hi, base, high, true)
		} else {
			e.v2K(vmovdqa64, l, off.Lo, addr.Lo, low, true)
			e.v2K(vmovdqa64, l, off.Hi, addr.Hi, high, true)
		}
		return
	}
	if based {
		e.v3(vpsubq, l, off.Lo, addr.Lo, base)
		e.v3(vpsubq, l, off.Hi, addr.Hi, base)
	} else if off != addr {
		e.Move(off, addr)
	}
	if !w.all() {
		p := e.Executing(w)
		if p.Bits != 64 {
			e.Widen(t, p, true)
			p = t
		}
		e.And(off, off, p)
	}
}

// checkOffsets2 jumps to fail unless offsets are aligned, and at most t.
func (e *Emit) checkOffsets2(off, t Val, a *Area, fail Label) {
	const above = 6 // nle
	e.vCmpK(vpcmpuq, l512, maskScratch, off.Lo, t.Lo, above)
	e.vCmpK(vpcmpuq, l512, maskSecond, off.Hi, t.Lo, above)
	if a.Align > 1 {
		e.kOr(W16, maskScratch, maskScratch, maskSecond)
		e.v3(vpor, l512, t.Hi, off.Lo, off.Hi)
		e.vTestKM(vptestmq, l512, maskSecond, t.Hi, e.constant(uint64(a.Align-1), 64))
	}
	e.kortest(W16, maskScratch, maskSecond)
	e.jcc(condNE, fail)
}

// KeepOffsets stores the result of CheckLanes as the area's 32-bit offsets.
func (e *Emit) KeepOffsets(a *Area, off Val) {
	o := e.Temp(32)
	e.Narrow(o, off)
	if a.Own != NotOwn {
		e.addParts(o, e.hint(a))
	}
	e.storeForLanes(e.atSubvector(regCtx, 1, ctxOffsets+4*32*int32(a.Number)), o.Lo)
}

// GathersFrom reports whether GatherFrom can make an access.
func (a *Access) GathersFrom() bool { return a.Bytes >= 4 && a.Own == NotOwn }

// GatherFrom reads element k of lanes of the subvectors at offsets from CheckLanes; d is undefined in other lanes.
func (e *Emit) GatherFrom(d Val, a *Access, k int, off Val, w Lanes) {
	e.data(a.Area)
	disp := a.disp(k)
	v := d
	if a.Bytes < 8 {
		v = e.unextended(d)
	}
	if e.two() {
		e.gatherFrom2(v, a, disp, off, w)
	} else {
		all := e.Temp(32).Lo
		gather := func(op vOp, l length, d, index Vec) {
			e.v3(vpcmpeqd, l, all, all, all)
			e.v3(vpxor, l, d, d, d)
			e.vGather(op, l, d, RAX, index, 1, disp, all)
		}
		if a.Bytes == 8 {
			gather(vpgatherqq, l256, v.Lo, off.Lo)
			gather(vpgatherqq, l256, v.Hi, off.Hi)
		} else {
			index := e.Temp(32)
			e.Narrow(index, off)
			gather(vpgatherdd, l256, v.Lo, index.Lo)
		}
	}
	if a.Bytes < 8 {
		e.extend(d, v, a.Element)
	}
}

// gatherFrom2 is GatherFrom for two subvectors, with elements that are not extended. A single lane is read without a
// gather, which takes as long for one lane as for all.
func (e *Emit) gatherFrom2(v Val, a *Access, disp int32, off Val, w Lanes) {
	upper, t := e.Temp(32).Lo, e.Temp(32).Lo
	low, high, done := maskLanes, maskHigh, e.NewLabel()
	if !w.all() {
		low, high = e.masks(w)
		one, bytes := e.NewLabel(), a.Bytes
		e.kToReg(W16, RDX, low)
		e.blsr(W32, RDX, RDX)
		e.jcc(condE, one)
		e.seldom(one, done, func() { e.loadOne(v, bytes, disp, off, low, high, upper, t) })
	}
	gather := func(op vOp, d Vec, index Vec, k kReg) {
		if w.all() {
			e.kXnor(W16, maskScratch, maskScratch, maskScratch)
		} else {
			e.kMov(W16, maskScratch, k)
		}
		e.v3(vpxor, l128, d, d, d)
		e.vGatherK(op, l512, d, RAX, index, 1, disp, maskScratch)
	}
	if a.Bytes == 8 {
		gather(vpgatherqq, v.Lo, off.Lo, low)
		gather(vpgatherqq, v.Hi, off.Hi, high)
	} else {
		gather(vpgatherqd, v.Lo, off.Lo, low)
		gather(vpgatherqd, upper, off.Hi, high)
		e.join(v.Lo, v.Lo, upper)
	}
	e.Bind(done)
}

// loadOne reads the element of at most one lane of two subvectors at RAX + disp + its offset. It uses RCX, t and u.
func (e *Emit) loadOne(v Val, bytes uint8, disp int32, off Val, low, high kReg, t, u Vec) {
	e.v2K(vpcompressq, l512, t, off.Lo, low, true)
	e.v2K(vpcompressq, l512, u, off.Hi, high, true)
	e.v3(vpor, l128, t, t, u)
	e.vToReg(vmovq, l128, RCX, t)
	if m := atIndex(RAX, RCX, 1, disp); bytes == 8 {
		e.v2MK(vpbroadcastq, l512, v.Lo, m, low, true)
		e.v2MK(vpbroadcastq, l512, v.Hi, m, high, true)
	} else {
		e.v2MK(vpbroadcastd, l512, v.Lo, m, low, true)
	}
}

// Undo lists the registers that a region has written and that are live at its start, with the old values in the
// Context.
type Undo struct {
	Slots   []UndoSlot
	Scalars []UndoScalar
	// Before says that the slots of the subvectors in the present pass are not written yet, and that they may not have
	// been saved.
	Before bool
}

// UndoSlot is a slot that is written subvector by subvector, after Log.
type UndoSlot struct {
	Off  uint32
	Bits uint8
}

// UndoScalar is the spill slot of a scalar, and the place of its saved values.
type UndoScalar struct {
	Spill, Kept ScalarPlace
	Bits        uint8
}

// undoBytes is the size of a slot of 64 bits.
const undoBytes = 8 * 32

// undoPart is the place in the Context of a subvector's part of slot n, or half of it.
func (e *Emit) undoPart(n int, bits uint8, part int32) Mem {
	if bits == 64 {
		return e.atSubvector(regCtx, 2, ctxUndo+undoBytes*int32(n)+e.vectorBytes()*part)
	}
	return e.atSubvector(regCtx, 1, ctxUndo+undoBytes*int32(n))
}

// Log saves the subvectors of slot n of an Undo.
func (e *Emit) Log(n int, v Val) {
	l, regs := e.shape(v.Bits)
	e.vStore(vmovdqu, l, e.undoPart(n, v.Bits, 0), v.Lo)
	if regs == 2 {
		e.vStore(vmovdqu, l, e.undoPart(n, v.Bits, 1), v.Hi)
	}
}

// UnlessMore jumps to l if these are the last subvectors of the loop; with masked, also if no later subvectors have
// executing lanes, as far as that is cheap to test.
func (e *Emit) UnlessMore(masked bool, l Label) {
	n := int32(e.Lanes / SubvectorLanes)
	if masked && e.two() { // after the masks of the last pair there are zeros
		e.opStoreImm(cmp, W16, e.atScalar(regCtx, 1, ctxSubvectors+4*n), 0)
	} else {
		e.opImm(cmp, W32, regScalar, 4*(subvectors-n))
	}
	e.jcc(condE, l)
}

// Undo restores the registers that a region has written, up to the subvectors of the present pass.
func (e *Emit) Undo(u *Undo, masked bool) {
	e.AsScalars()
	for _, h := range u.Scalars {
		v := Val{Bits: h.Bits}
		e.LoadScalars(v, h.Kept)
		e.StoreScalars(h.Spill, v)
	}
	if len(u.Slots) == 0 {
		return
	}
	e.AsSubvectors()
	e.mov(W32, RAX, regScalar)
	n := int32(e.Lanes / SubvectorLanes)
	e.op(xor, W32, regScalar, regScalar)
	e.op(xor, W32, regSubvector, regSubvector)
	top, next, done := e.NewLabel(), e.NewLabel(), e.NewLabel()
	e.Bind(top)
	if u.Before {
		e.op(cmp, W32, regScalar, RAX)
		e.jcc(condE, done)
	}
	if masked {
		w := W32
		if e.two() {
			w = W16
		}
		e.opStoreImm(cmp, w, e.atScalar(regCtx, 1, ctxSubvectors), 0)
		e.jcc(condE, next)
	}
	for i, s := range u.Slots {
		l, regs := e.shape(s.Bits)
		for part := range int32(regs) {
			e.v2M(vmovdqu, l, 0, e.undoPart(i, s.Bits, part))
			e.vStore(vmovdqu, l, e.slotPart(s.Off, s.Bits, part), 0)
		}
	}
	e.Bind(next)
	e.opImm(add, W32, regScalar, 4*n)
	e.opImm(add, W32, regSubvector, 32*n)
	if u.Before {
		e.Jmp(top)
	} else {
		e.op(cmp, W32, regScalar, RAX)
		e.jcc(condBE, top)
	}
	e.Bind(done)
}
