package jit

// A program that takes generic addresses of local variables (cvta.local) may access local memory by any generic
// address. Code checks the addresses of such an access against the memory of the hint first, and then against local
// memory, of which each lane owns a part. Each pass over subvectors makes its own check, because it has its own base
// for offsets.

// anywhere reports whether lanes may be in local memory, too.
func (a *Area) anywhere() bool { return a.LocalAt != 0 }

// checkAnywhere is CheckLanes for an area that may be in local memory. It sets off to offsets from the base that it
// stores for the subvectors.
func (e *Emit) checkAnywhere(off, addr Val, a *Area, w Lanes, fail Label) {
	l := e.length64()
	t, lane := e.Temp(64), e.Temp(32)
	switch { // all registers are allocated, and the lanes loaded, before the first jump
	case e.two() && w.Masked:
		e.needLanes()
	case !e.two() && !w.all():
		p, wide := e.Executing(w), e.Temp(64)
		e.Widen(wide, p, true)
		w = Lanes{P: &wide}
	}
	local, done := e.NewLabel(), e.NewLabel()
	h := e.hint(a)
	e.checkSize(h, false, a, local)
	e.v2M(vpbroadcastq, l, t.Lo, h.plus(hintBase))
	if a.Disp != 0 {
		e.v3M(vpsubq, l, t.Lo, t.Lo, e.constant(uint64(a.Disp), 64))
	}
	e.relate(off, addr, t.Lo, true, w, t)
	e.checkOffsets(off, t, h, a, local)
	e.keepBase(a, h)
	e.Jmp(done)

	e.Bind(local)
	h = memAt(regCtx, ctxLocal)
	e.checkSize(h, true, a, fail)
	e.v2M(vmovdqu, l, t.Lo, e.constant(uint64(a.LocalAt-a.Disp), 64))
	e.relate(off, addr, t.Lo, true, w, t)
	e.checkOffsets(off, t, h, a, fail)
	e.LaneNumbers(lane)
	narrow, _ := e.shape(32)
	e.v2M(vpbroadcastd, narrow, t.Lo, h.plus(hintLen))
	e.v3(vpmulld, narrow, lane.Lo, lane.Lo, t.Lo)
	e.Widen(t, lane, false)
	e.Add(off, off, t)
	e.keepBase(a, h)
	e.Bind(done)
}

// keepBase stores the first byte of the memory of h as the base of the present subvectors. It uses RCX.
func (e *Emit) keepBase(a *Area, h Mem) {
	e.Load(W64, RCX, h.plus(hintData))
	e.store(W64, e.baseOf(a), RCX)
	if e.two() {
		e.store(W64, e.baseOf(a).plus(8), RCX)
	}
}

// baseOf is the place of the base of the present subvector.
func (e *Emit) baseOf(a *Area) Mem {
	return e.atScalar(regCtx, 2, ctxBases+int32(a.Number)*8*subvectors)
}

// unlessAtHint jumps to l if the base of the present subvector is not the memory whose accesses are being recorded. It
// uses RAX.
func (e *Emit) unlessAtHint(a *Area, l Label) {
	e.Load(W64, RAX, e.baseOf(a))
	e.opLoad(cmp, W64, RAX, memAt(regCtx, ctxNotedData))
	e.jcc(condNE, l)
}
