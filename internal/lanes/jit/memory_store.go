package jit

// StoreElement writes element k of the lanes of the subvector where p holds, or of all if p is nil, by the area's
// pointer.
func (e *Emit) StoreElement(v Val, a *Access, k int, p *Val) {
	if e.two() {
		e.storeElement2(v, a, k, p)
		return
	}
	disp := a.disp(k)
	switch {
	case p != nil:
		e.storeSomeElements(v, a, disp, *p)
	case a.Stride == int64(a.Bytes):
		e.storeTogether(e.packed(v, a.Bytes), a.Bytes, memAt(e.pointerIn(a.Area), disp))
	case a.Stride == 0: // the highest lane wins
		e.keep(scratchValue, v)
		e.moveLane(a.Bytes, memAt(e.pointerIn(a.Area), disp), e.scratchLane(scratchValue, v.Bits, SubvectorLanes-1))
	default:
		p := e.pointerIn(a.Area)
		e.keep(scratchValue, v)
		for lane := range SubvectorLanes {
			e.moveLane(a.Bytes, memAt(p, disp+int32(a.Stride)*int32(lane)), e.scratchLane(scratchValue, v.Bits, lane))
		}
	}
}

// packed concatenates the low bytes of the lanes of v.
func (e *Emit) packed(v Val, bytes uint8) Val {
	if v.Bits == 8*bytes {
		return v
	}
	t := e.Temp(32)
	if v.Bits == 64 {
		e.Narrow(t, v)
		v = t
	}
	switch bytes {
	case 1:
		high := e.Temp(32)
		e.op3m(vpshufb, t, v, e.pair(0xffffffff_0c080400, 1<<64-1))
		e.v2I(vextracti128, l256, high.Lo, t.Lo, 1)
		e.v3(vpunpckldq, l128, t.Lo, t.Lo, high.Lo)
	case 2:
		e.op3m(vpshufb, t, v, e.pair(0x0d0c0908_05040100, 1<<64-1))
		e.v2I(vpermq, l256, t.Lo, t.Lo, 0x08) // 0, 2
	}
	return t
}

// storeTogether writes a subvector made by packed.
func (e *Emit) storeTogether(v Val, bytes uint8, m Mem) {
	switch bytes {
	case 1:
		e.vStore(vmovq, l128, m, v.Lo)
	case 2:
		e.vStore(vmovdqu, l128, m, v.Lo)
	default:
		e.vStore(vmovdqu, l256, m, v.Lo)
	}
	if bytes == 8 {
		e.vStore(vmovdqu, l256, m.plus(32), v.Hi)
	}
}

// moveHighest copies the element of the highest lane of EDX from scratchValue; the lanes from first on are those of
// EDX. It copies nothing if there are none; the flags say whether there are.
func (e *Emit) moveHighest(bits, bytes uint8, to Mem, first int) {
	none := e.NewLabel()
	e.jcc(condE, none)
	e.lzcnt(W32, RDX, RDX)
	e.opImm(xor, W32, RDX, 31)
	e.moveLane(bytes, to, atIndex(regCtx, RDX, bits/8, e.scratchLane(scratchValue, bits, first).Disp))
	e.Bind(none)
}

// storeSomeElements is StoreElement for the lanes where p holds.
func (e *Emit) storeSomeElements(v Val, a *Access, disp int32, p Val) {
	if a.Stride == 0 {
		e.keep(scratchValue, v)
		e.pointer(RAX, a.Area)
		e.vToReg(vmovmskps, l256, RDX, p.Lo)
		e.test(W32, RDX, RDX)
		e.moveHighest(v.Bits, a.Bytes, memAt(RAX, disp), 0)
		return
	}
	f, some, done := e.newFill(v), e.NewLabel(), e.NewLabel()
	together := v
	contiguous := a.Stride == int64(a.Bytes)
	if contiguous {
		together = e.packed(v, a.Bytes)
	}
	e.lanesOf(p, done)
	e.pointer(RAX, a.Area)
	if contiguous {
		e.opImm(cmp, W32, RDX, 1<<SubvectorLanes-1)
		e.jcc(condNE, some)
		e.storeTogether(together, a.Bytes, memAt(RAX, disp))
		e.Jmp(done)
	}
	e.Bind(some)
	low := min(0, (SubvectorLanes-1)*a.Stride) // offsets are relative to the lowest lane
	e.v2M(vmovdqu, l256, f.offsets.Lo, e.ramp(uint64(a.Stride), false))
	if low < 0 {
		e.AddConst(f.offsets, f.offsets, uint64(-low))
	}
	e.storeSome(v, p, a.Bytes, disp+int32(low), f)
	e.Bind(done)
}

// lanesOf sets EDX to the lanes of the subvector in which p holds. It jumps to none if there are none.
func (e *Emit) lanesOf(p Val, none Label) {
	e.vToReg(vmovmskps, l256, RDX, p.Lo)
	e.test(W32, RDX, RDX)
	e.jcc(condE, none)
}

// fill has the registers of storeSome. They are allocated before the first jump, because other values may have to be
// spilled for them.
type fill struct{ offsets, highest, highestOffset, wide Val }

func (e *Emit) newFill(v Val) fill {
	f := fill{offsets: e.Temp(32), highest: e.Temp(v.Bits), highestOffset: e.Temp(32)}
	if v.Bits == 64 {
		f.wide = e.Temp(64)
	}
	return f
}

// storeSome writes the low bytes of v at RAX + disp and the fill's offsets, in the lanes where p holds, which are
// those of EDX.
//
// The other lanes repeat the write of the highest of them. Because lanes write from the lowest on, the highest of
// those at one place wins as if the others wrote nothing, and there are no branches, which could not be predicted.
func (e *Emit) storeSome(v, p Val, bytes uint8, disp int32, f fill) {
	e.keep(scratchOffsets, f.offsets)
	e.keep(scratchValue, v)
	e.lzcnt(W32, RCX, RDX)
	e.opImm(xor, W32, RCX, 31) // the highest lane
	highest := func(place int, bits uint8) Mem {
		return atIndex(regCtx, RCX, bits/8, e.scratchLane(place, bits, 0).Disp)
	}
	e.v2M(vpbroadcastd, l256, f.highestOffset.Lo, highest(scratchOffsets, 32))
	if v.Bits == 64 {
		e.v2M(vpbroadcastq, l256, f.highest.Lo, highest(scratchValue, 64))
		e.v2(vmovdqa, l256, f.highest.Hi, f.highest.Lo)
		e.Widen(f.wide, p, true)
		e.Select(f.highest, f.wide, v, f.highest)
	} else {
		e.v2M(vpbroadcastd, l256, f.highest.Lo, highest(scratchValue, 32))
		e.Select(f.highest, p, v, f.highest)
	}
	e.Select(f.offsets, p, f.offsets, f.highestOffset)
	e.keep(scratchOffsets, f.offsets)
	e.keep(scratchValue, f.highest)
	for lane := range SubvectorLanes {
		e.Load(W32, RCX, e.scratchLane(scratchOffsets, 32, lane))
		e.moveLane(bytes, atIndex(RAX, RCX, 1, disp), e.scratchLane(scratchValue, v.Bits, lane))
	}
}

// moveLane copies the element of one lane, through RDX.
func (e *Emit) moveLane(bytes uint8, to, from Mem) {
	w := W32
	if bytes == 8 {
		w = W64
	}
	e.Load(w, RDX, from)
	e.store(elementWidth(bytes), to, RDX)
}

// elementWidth is the width of an element of a size in bytes.
func elementWidth(bytes uint8) Width {
	return [9]Width{1: W8, 2: W16, 4: W32, 8: W64}[bytes]
}

// Scatter writes element k of the lanes of the subvector where p holds, or of all if p is nil, by the area's offsets.
// If lanes have the same place the highest wins.
func (e *Emit) Scatter(v Val, a *Access, k int, p *Val) {
	disp := a.disp(k)
	offsets := e.atSubvector(regCtx, 1, ctxOffsets+4*32*int32(a.Number))
	if e.two() {
		e.data(a.Area)
		e.scatter2(v, a, disp, offsets, p)
		return
	}
	if p == nil {
		e.data(a.Area)
		e.keep(scratchValue, v)
		for lane := range SubvectorLanes {
			e.Load(W32, RCX, offsets.plus(4*int32(lane)))
			e.moveLane(a.Bytes, atIndex(RAX, RCX, 1, disp), e.scratchLane(scratchValue, v.Bits, lane))
		}
		return
	}
	f, done := e.newFill(v), e.NewLabel()
	e.lanesOf(*p, done)
	e.data(a.Area)
	e.v2M(vmovdqu, l256, f.offsets.Lo, offsets)
	e.storeSome(v, *p, a.Bytes, disp, f)
	e.Bind(done)
}
