package jit

// Accesses by addresses of each lane's own: first it is checked where the lanes go, then they go there.

// Lanes are those of the strips that execute an access: those where P holds, all if it is nil; with Masked, those of
// Context.Mask alone.
type Lanes struct {
	P      *Val
	Masked bool
}

// all reports whether they are all.
func (w Lanes) all() bool { return w.P == nil && !w.Masked }

// masks are the lanes of both strips as mask registers, each in the lowest bits.
func (e *Emit) masks(w Lanes) (low, high KReg) {
	if w.Masked {
		e.needLanes()
	}
	switch {
	case w.P == nil:
		low = maskLanes
	case w.Masked:
		low = maskLow
		e.VToMask(VPMOVD2M, L512, low, w.P.Lo)
		e.KAnd(W16, low, low, maskLanes)
	default:
		low = maskLow
		e.VToMask(VPMOVD2M, L512, low, w.P.Lo)
	}
	e.KShiftR(W16, maskHigh, low, StripLanes)
	return low, maskHigh
}

// Executing is lanes that are not all, as a predicate.
func (e *Emit) Executing(w Lanes) Val {
	if !w.Masked {
		return *w.P
	}
	t := e.Temp(1)
	e.LoadLanes(t)
	if w.P != nil {
		e.And(t, t, *w.P)
	}
	return t
}

// CheckSize goes to fail if the memory has 2 GiB or more, which offsets of 32 bits do not
// reach, or less than what a lane moves.
func (e *Emit) CheckSize(a *Area, fail Label) {
	h, most := e.hint(a), uint8(31)
	if a.Own != NotOwn { // it has the parts of all lanes
		most -= 5
	}
	e.Load(W64, RCX, h.plus(hintLen))
	e.OpImm(SUB, W64, RCX, int32(a.Span))
	e.Shift(SHR, W64, RCX, most)
	e.Jcc(CondNE, fail)
}

// CheckLanes goes to fail unless lanes of the strips are within memory and aligned, by addresses of their own; CheckSize has not failed.
// Off is where they are, as offsets of 64 bits, 0 for other lanes.
func (e *Emit) CheckLanes(off, addr Val, a *Area, w Lanes, fail Label) {
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
			e.op3m(VPADDD, s, addr, e.constant(uint64(uint32(disp)), 32))
		}
		e.Widen(off, s, false)
		from, disp = off, 0
	}
	if based {
		e.V2M(VPBROADCASTQ, l, t.Lo, h.plus(hintBase))
		if disp != 0 {
			e.V3M(VPSUBQ, l, t.Lo, t.Lo, e.constant(disp, 64))
		}
	} else if disp != 0 {
		e.V2M(VMOVDQU, l, t.Lo, e.constant(-disp, 64))
	}
	e.relate(off, from, t.Lo, based || disp != 0, w, t)
	e.V2M(VPBROADCASTQ, l, t.Lo, h.plus(hintLen))
	e.V3M(VPSUBQ, l, t.Lo, t.Lo, e.constant(uint64(a.Span), 64))
	if e.two() {
		e.checkOffsets2(off, t, a, fail)
		return
	}
	e.V3(VPSUBQ, l, t.Hi, t.Lo, off.Hi)
	e.V3(VPSUBQ, l, t.Lo, t.Lo, off.Lo)
	e.V3(VPOR, l, t.Lo, t.Lo, t.Hi)
	e.V3(VPOR, l, t.Hi, off.Lo, off.Hi)
	e.V3(VPOR, l, t.Lo, t.Lo, t.Hi)
	e.VToReg(VMOVMSKPD, l, RCX, t.Lo)
	e.Test(W32, RCX, RCX)
	e.Jcc(CondNE, fail)
	if a.Align > 1 {
		e.V2M(VPTEST, l, t.Hi, e.constant(uint64(a.Align-1), 64))
		e.Jcc(CondNE, fail)
	}
}

// relate makes offsets of addresses: base less, if they have one, and 0 for lanes that do not execute. With AVX2 it uses t
// then.
func (e *Emit) relate(off, addr Val, base Vec, based bool, w Lanes, t Val) {
	l := e.length64()
	if e.two() && !w.all() {
		low, high := e.masks(w)
		if based {
			e.V3K(VPSUBQ, l, off.Lo, addr.Lo, base, low, true)
			e.V3K(VPSUBQ, l, off.Hi, addr.Hi, base, high, true)
		} else {
			e.V2K(VMOVDQA64, l, off.Lo, addr.Lo, low, true)
			e.V2K(VMOVDQA64, l, off.Hi, addr.Hi, high, true)
		}
		return
	}
	if based {
		e.V3(VPSUBQ, l, off.Lo, addr.Lo, base)
		e.V3(VPSUBQ, l, off.Hi, addr.Hi, base)
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

// checkOffsets2 goes to fail unless offsets are aligned, and none is above t.
func (e *Emit) checkOffsets2(off, t Val, a *Area, fail Label) {
	const above = 6 // nle
	e.VCmpK(VPCMPUQ, L512, maskScratch, off.Lo, t.Lo, above)
	e.VCmpK(VPCMPUQ, L512, maskSecond, off.Hi, t.Lo, above)
	if a.Align > 1 {
		e.KOr(W16, maskScratch, maskScratch, maskSecond)
		e.V3(VPOR, L512, t.Hi, off.Lo, off.Hi)
		e.VTestKM(VPTESTMQ, L512, maskSecond, t.Hi, e.constant(uint64(a.Align-1), 64))
	}
	e.Kortest(W16, maskScratch, maskSecond)
	e.Jcc(CondNE, fail)
}

// KeepOffsets keeps what CheckLanes has found as the area's offsets, of 32 bits.
func (e *Emit) KeepOffsets(a *Area, off Val) {
	o := e.Temp(32)
	e.Narrow(o, off)
	if a.Own != NotOwn {
		e.addParts(o, e.hint(a))
	}
	e.storeForLanes(e.atStrip(regCtx, 1, ctxOffsets+4*32*int32(a.Number)), o.Lo)
}

// GathersFrom reports whether GatherFrom reads what an access moves.
func (a *Access) GathersFrom() bool { return a.Bytes >= 4 && a.Own == NotOwn }

// GatherFrom reads element k of lanes of the strips by offsets that CheckLanes has found; it is undefined in other lanes.
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
		gather := func(op VOp, l Length, d, index Vec) {
			e.V3(VPCMPEQD, l, all, all, all)
			e.V3(VPXOR, l, d, d, d)
			e.VGather(op, l, d, RAX, index, 1, disp, all)
		}
		if a.Bytes == 8 {
			gather(VPGATHERQQ, L256, v.Lo, off.Lo)
			gather(VPGATHERQQ, L256, v.Hi, off.Hi)
		} else {
			index := e.Temp(32)
			e.Narrow(index, off)
			gather(VPGATHERDD, L256, v.Lo, index.Lo)
		}
	}
	if a.Bytes < 8 {
		e.extend(d, v, a.Element)
	}
}

// gatherFrom2 is GatherFrom for two strips, of elements that are not extended. One lane alone is read without a gather, which takes
// as long for one as for all.
func (e *Emit) gatherFrom2(v Val, a *Access, disp int32, off Val, w Lanes) {
	upper, t := e.Temp(32).Lo, e.Temp(32).Lo
	low, high, done := maskLanes, maskHigh, e.NewLabel()
	if !w.all() {
		low, high = e.masks(w)
		one, bytes := e.NewLabel(), a.Bytes
		e.KToReg(W16, RDX, low)
		e.Blsr(W32, RDX, RDX)
		e.Jcc(CondE, one)
		e.seldom(one, done, func() { e.loadOne(v, bytes, disp, off, low, high, upper, t) })
	}
	gather := func(op VOp, d Vec, index Vec, k KReg) {
		if w.all() {
			e.KXnor(W16, maskScratch, maskScratch, maskScratch)
		} else {
			e.KMov(W16, maskScratch, k)
		}
		e.V3(VPXOR, L128, d, d, d)
		e.VGatherK(op, L512, d, RAX, index, 1, disp, maskScratch)
	}
	if a.Bytes == 8 {
		gather(VPGATHERQQ, v.Lo, off.Lo, low)
		gather(VPGATHERQQ, v.Hi, off.Hi, high)
	} else {
		gather(VPGATHERQD, v.Lo, off.Lo, low)
		gather(VPGATHERQD, upper, off.Hi, high)
		e.join(v.Lo, v.Lo, upper)
	}
	e.Bind(done)
}

// loadOne reads what one lane of two strips at most, or none, finds at RAX + disp and its offset. It uses RCX, t and u.
func (e *Emit) loadOne(v Val, bytes uint8, disp int32, off Val, low, high KReg, t, u Vec) {
	e.V2K(VPCOMPRESSQ, L512, t, off.Lo, low, true)
	e.V2K(VPCOMPRESSQ, L512, u, off.Hi, high, true)
	e.V3(VPOR, L128, t, t, u)
	e.VToReg(VMOVQ, L128, RCX, t)
	if m := AtIndex(RAX, RCX, 1, disp); bytes == 8 {
		e.V2MK(VPBROADCASTQ, L512, v.Lo, m, low, true)
		e.V2MK(VPBROADCASTQ, L512, v.Hi, m, high, true)
	} else {
		e.V2MK(VPBROADCASTD, L512, v.Lo, m, low, true)
	}
}

// Undo is what a run has written that is live where it starts, and of which the Context has what was there before.
type Undo struct {
	Slots []UndoSlot
	Homes []UndoHome
	// Before says that no slot was written yet of the strips that the loop is at, and that they may not have been kept.
	Before bool
}

// UndoSlot is a slot that is written strip by strip, behind Log.
type UndoSlot struct {
	Off  uint32
	Bits uint8
}

// UndoHome is the home of a scalar, and where its quad was kept.
type UndoHome struct {
	Home, Kept Quad
	Bits       uint8
}

// undoBytes is the size of a slot of 64 bits.
const undoBytes = 8 * 32

// undoPart is where the Context has a strip's part of slot n, or half of it.
func (e *Emit) undoPart(n int, bits uint8, part int32) Mem {
	if bits == 64 {
		return e.atStrip(regCtx, 2, ctxUndo+undoBytes*int32(n)+e.vectorBytes()*part)
	}
	return e.atStrip(regCtx, 1, ctxUndo+undoBytes*int32(n))
}

// Log keeps what the strips have in slot n of an Undo.
func (e *Emit) Log(n int, v Val) {
	l, regs := e.shape(v.Bits)
	e.VStore(VMOVDQU, l, e.undoPart(n, v.Bits, 0), v.Lo)
	if regs == 2 {
		e.VStore(VMOVDQU, l, e.undoPart(n, v.Bits, 1), v.Hi)
	}
}

// UnlessMore goes to l if the strips are the last ones of the loop over them; with masked, also where lanes of none that come
// behind execute, as far as that is easy to tell.
func (e *Emit) UnlessMore(masked bool, l Label) {
	n := int32(e.Lanes / StripLanes)
	if masked && e.two() { // behind the masks of the last pair there are zeros
		e.OpStoreImm(CMP, W16, e.atQuad(regCtx, 1, ctxStrips+4*n), 0)
	} else {
		e.OpImm(CMP, W32, regQuad, 4*(Strips-n))
	}
	e.Jcc(CondE, l)
}

// Undo puts back what a run has written, up to the strips that its loop is at.
func (e *Emit) Undo(u *Undo, masked bool) {
	e.AsQuads()
	for _, h := range u.Homes {
		v := Val{Bits: h.Bits}
		e.LoadQuad(v, h.Kept)
		e.StoreQuad(h.Home, v)
	}
	if len(u.Slots) == 0 {
		return
	}
	e.AsStrips()
	e.Mov(W32, RAX, regQuad)
	n := int32(e.Lanes / StripLanes)
	e.Op(XOR, W32, regQuad, regQuad)
	e.Op(XOR, W32, regStrip, regStrip)
	top, next, done := e.NewLabel(), e.NewLabel(), e.NewLabel()
	e.Bind(top)
	if u.Before {
		e.Op(CMP, W32, regQuad, RAX)
		e.Jcc(CondE, done)
	}
	if masked {
		w := W32
		if e.two() {
			w = W16
		}
		e.OpStoreImm(CMP, w, e.atQuad(regCtx, 1, ctxStrips), 0)
		e.Jcc(CondE, next)
	}
	for i, s := range u.Slots {
		l, regs := e.shape(s.Bits)
		for part := range int32(regs) {
			e.V2M(VMOVDQU, l, 0, e.undoPart(i, s.Bits, part))
			e.VStore(VMOVDQU, l, e.slotPart(s.Off, s.Bits, part), 0)
		}
	}
	e.Bind(next)
	e.OpImm(ADD, W32, regQuad, 4*n)
	e.OpImm(ADD, W32, regStrip, 32*n)
	if u.Before {
		e.Jmp(top)
	} else {
		e.Op(CMP, W32, regQuad, RAX)
		e.Jcc(CondBE, top)
	}
	e.Bind(done)
}
