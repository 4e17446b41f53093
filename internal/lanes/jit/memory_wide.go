package jit

// Accesses of two subvectors, with AVX-512: affine ones have a pointer for each subvector. Masked stores do not touch
// the addresses of lanes that do not execute.

// pointers returns registers with the area's pointers of both subvectors: RAX and RCX, unless others keep them.
func (e *Emit) pointers(a *Area) (low, high Reg) {
	if a.InRegs {
		return a.Low, a.High
	}
	e.pointer(RAX, a)
	e.upperPointer(RCX, a)
	return RAX, RCX
}

// upperPointer loads the pointer of the upper subvector.
func (e *Emit) upperPointer(d Reg, a *Area) {
	e.Load(W64, d, e.atScalar(regCtx, 2, ctxPointers+int32(a.Number)*8*subvectors+8))
}

// offsets2 loads offsets, which CheckLanes has stored in two halves.
func (e *Emit) offsets2(d Vec, offsets Mem) {
	e.v2M(vmovdqu, l256, d, offsets)
	e.v3MI(vinserti64X4, l512, d, d, offsets.plus(32), 1)
}

// loadElement2 is LoadElement for two subvectors.
func (e *Emit) loadElement2(d Val, a *Access, k int) {
	lowAt, highAt := e.pointers(a.Area)
	disp := a.disp(k)
	low, high := memAt(lowAt, disp), memAt(highAt, disp)
	if a.Bytes == 8 {
		switch a.Stride {
		case 0:
			e.v2M(vpbroadcastq, l512, d.Lo, low)
			e.v2M(vpbroadcastq, l512, d.Hi, high)
		case 8:
			e.v2M(vmovdqu, l512, d.Lo, low)
			e.v2M(vmovdqu, l512, d.Hi, high)
		default:
			e.gatherSubvectors(d, a, low, high)
		}
		return
	}
	v := e.unextended(d)
	switch {
	case a.Stride == 0 && a.Bytes == 4:
		e.v2M(vpbroadcastd, l512, v.Lo, low)
		e.v2MK(vpbroadcastd, l512, v.Lo, high, maskUpper, false)
	case a.Stride == 0:
		t := e.Temp(32)
		e.Load(elementWidth(a.Bytes), RAX, low)
		e.Load(elementWidth(a.Bytes), RCX, high)
		e.vBroadcastReg(vpbroadcastd, l256, v.Lo, RAX)
		e.vBroadcastReg(vpbroadcastd, l256, t.Lo, RCX)
		e.join(v.Lo, v.Lo, t.Lo)
	case a.Stride == 4 && a.Bytes == 4:
		e.v2M(vmovdqu, l256, v.Lo, low)
		e.v3MI(vinserti64X4, l512, v.Lo, v.Lo, high, 1)
	case a.Stride == 2 && a.Bytes == 2:
		e.v2M(vmovdqu, l128, v.Lo, low)
		e.v3MI(vinserti128, l256, v.Lo, v.Lo, high, 1)
		e.v2(vpmovzxwd, l512, v.Lo, v.Lo)
	case a.Stride == 1 && a.Bytes == 1:
		e.v2M(vmovq, l128, v.Lo, low)
		e.v3MI(vpinsrq, l128, v.Lo, v.Lo, high, 1)
		e.v2(vpmovzxbd, l512, v.Lo, v.Lo)
	case a.Stride == 4 && a.Bytes < 4: // the rest of the four bytes may be beyond the memory: they are masked
		t, op, mask := e.Temp(32), vmovdqu8, uint64(0x11111111)
		if a.Bytes == 2 {
			op, mask = vmovdqu16, 0x5555
		}
		e.movImm(RDX, mask)
		e.kFromReg(W32, maskScratch, RDX)
		e.v2MK(op, l256, v.Lo, low, maskScratch, true)
		e.v2MK(op, l256, t.Lo, high, maskScratch, true)
		e.join(v.Lo, v.Lo, t.Lo)
	case a.Bytes == 4:
		e.gatherSubvectors(v, a, low, high)
	default:
		e.gatherAt(v, a.Bytes, func(lane int) Mem { return subvectorLane(a, low, high, lane) })
	}
	e.extend(d, v, a.Element)
}

// subvectorLane is the place of a lane's element; low and high are those of the first lanes of both subvectors.
func subvectorLane(a *Access, low, high Mem, lane int) Mem {
	if lane < SubvectorLanes {
		return low.plus(int32(a.Stride) * int32(lane))
	}
	return high.plus(int32(a.Stride) * int32(lane-SubvectorLanes))
}

// gatherSubvectors reads words, or 64-bit elements, at multiples of the area's stride.
func (e *Emit) gatherSubvectors(d Val, a *Access, low, high Mem) {
	index := e.Temp(32).Lo
	e.v2M(vmovdqu, l256, index, e.ramp(uint64(uint32(a.Stride)), false))
	if d.Bits == 64 {
		e.gather64(d.Lo, low, index)
		e.gather64(d.Hi, high, index)
		return
	}
	t := e.Temp(32).Lo
	for _, part := range []struct {
		d Vec
		m Mem
	}{{d.Lo, low}, {t, high}} {
		e.kXnor(W16, maskScratch, maskScratch, maskScratch)
		e.v3(vpxor, l128, part.d, part.d, part.d)
		e.vGatherK(vpgatherdd, l256, part.d, part.m.Base, index, 1, part.m.Disp, maskScratch)
	}
	e.join(d.Lo, d.Lo, t)
}

// gather64 reads eight 64-bit elements at m plus a 32-bit index each.
func (e *Emit) gather64(d Vec, m Mem, index Vec) {
	e.kXnor(W16, maskScratch, maskScratch, maskScratch)
	e.v3(vpxor, l128, d, d, d)
	e.vGatherK(vpgatherdq, l512, d, m.Base, index, 1, m.Disp, maskScratch)
}

// gather2 is Gather for two subvectors, for words and 64-bit elements, at RAX.
func (e *Emit) gather2(d Val, disp int32, offsets Mem) {
	index := e.Temp(32).Lo
	if d.Bits == 64 {
		e.v2M(vmovdqu, l256, index, offsets)
		e.gather64(d.Lo, memAt(RAX, disp), index)
		e.v2M(vmovdqu, l256, index, offsets.plus(32))
		e.gather64(d.Hi, memAt(RAX, disp), index)
		return
	}
	e.offsets2(index, offsets)
	e.kXnor(W16, maskScratch, maskScratch, maskScratch)
	e.v3(vpxor, l128, d.Lo, d.Lo, d.Lo)
	e.vGatherK(vpgatherdd, l512, d.Lo, RAX, index, 1, disp, maskScratch)
}

// narrowStores are the instructions that store the low bytes of elements, by number of bytes, for words and for
// 64-bit elements.
var narrowStores = [9][2]vOp{1: {vpmovdb, vpmovqb}, 2: {vpmovdw, vpmovqw}, 4: {vmovdqu32, vpmovqd}, 8: {vmovdqu64, vmovdqu64}}

// storeElement2 is StoreElement for two subvectors.
func (e *Emit) storeElement2(v Val, a *Access, k int, p *Val) {
	lowAt, highAt := e.pointers(a.Area)
	disp := a.disp(k)
	low, high := memAt(lowAt, disp), memAt(highAt, disp)
	if p != nil {
		e.vToMask(vpmovd2M, l512, maskScratch, p.Lo)
	}
	switch {
	case a.Stride == int64(a.Bytes):
		e.storeSubvectors(v, a, low, high, p != nil)
	case p != nil && a.Stride == 0:
		e.keep(scratchValue, v)
		e.kToReg(W16, RDX, maskScratch)
		e.opImm(and, W32, RDX, 1<<SubvectorLanes-1)
		e.moveHighest(v.Bits, a.Bytes, low, 0)
		e.kToReg(W16, RDX, maskScratch)
		e.shiftImm(shr, W32, RDX, SubvectorLanes)
		e.moveHighest(v.Bits, a.Bytes, high, SubvectorLanes)
	case p != nil && a.Bytes >= 4:
		e.scatterSubvectors(e.asBytes(v, a.Bytes), a, low, high)
	case p == nil && a.Stride == 0: // the highest lane of each subvector wins
		e.keep(scratchValue, v)
		e.moveLane(a.Bytes, low, e.scratchLane(scratchValue, v.Bits, SubvectorLanes-1))
		e.moveLane(a.Bytes, high, e.scratchLane(scratchValue, v.Bits, 2*SubvectorLanes-1))
	default:
		e.moveLanes(v, a, p, func(lane int) Mem { return subvectorLane(a, low, high, lane) })
	}
}

// storeSubvectors writes contiguous elements; with masked those of the lanes in maskScratch.
func (e *Emit) storeSubvectors(v Val, a *Access, low, high Mem, masked bool) {
	l, upper := l256, v.Hi
	op := narrowStores[a.Bytes][v.Bits/64]
	if v.Bits == 64 {
		l = l512
	} else {
		upper = e.Temp(32).Lo
		e.upper(upper, v.Lo)
	}
	if !masked {
		e.vStore(op, l, low, v.Lo)
		e.vStore(op, l, high, upper)
		return
	}
	e.kShiftR(W16, maskSecond, maskScratch, SubvectorLanes)
	e.vStoreK(op, l, low, v.Lo, maskScratch)
	e.vStoreK(op, l, high, upper, maskSecond)
}

// asBytes is v as a value of no more than a number of bytes, 4 or 8.
func (e *Emit) asBytes(v Val, bytes uint8) Val {
	if v.Bits != 64 || bytes == 8 {
		return v
	}
	t := e.Temp(32)
	e.Narrow(t, v)
	return t
}

// scatterSubvectors writes words, or 64-bit elements, at multiples of the area's stride, in the lanes of maskScratch.
// If lanes have the same place the highest wins.
func (e *Emit) scatterSubvectors(v Val, a *Access, low, high Mem) {
	index := e.Temp(32).Lo
	e.v2M(vmovdqu, l256, index, e.ramp(uint64(uint32(a.Stride)), false))
	e.kShiftR(W16, maskSecond, maskScratch, SubvectorLanes)
	if v.Bits == 64 {
		e.vScatterK(vpscatterdq, l512, low.Base, index, 1, low.Disp, v.Lo, maskScratch)
		e.vScatterK(vpscatterdq, l512, high.Base, index, 1, high.Disp, v.Hi, maskSecond)
		return
	}
	upper := e.Temp(32).Lo
	e.upper(upper, v.Lo)
	e.vScatterK(vpscatterdd, l256, low.Base, index, 1, low.Disp, v.Lo, maskScratch)
	e.vScatterK(vpscatterdd, l256, high.Base, index, 1, high.Disp, upper, maskSecond)
}

// scatter2 is Scatter for two subvectors, from RAX on. If all lanes store, one after the other is faster.
func (e *Emit) scatter2(v Val, a *Access, disp int32, offsets Mem, p *Val) {
	if p == nil || a.Bytes < 4 {
		e.moveLanes(v, a, p, func(lane int) Mem {
			e.Load(W32, RCX, offsets.plus(4*int32(lane)))
			return atIndex(RAX, RCX, 1, disp)
		})
		return
	}
	v = e.asBytes(v, a.Bytes)
	index := e.Temp(32).Lo
	e.vToMask(vpmovd2M, l512, maskScratch, p.Lo)
	if v.Bits == 64 {
		e.kShiftR(W16, maskSecond, maskScratch, SubvectorLanes)
		e.v2M(vmovdqu, l256, index, offsets)
		e.vScatterK(vpscatterdq, l512, RAX, index, 1, disp, v.Lo, maskScratch)
		e.v2M(vmovdqu, l256, index, offsets.plus(32))
		e.vScatterK(vpscatterdq, l512, RAX, index, 1, disp, v.Hi, maskSecond)
		return
	}
	e.offsets2(index, offsets)
	e.vScatterK(vpscatterdd, l512, RAX, index, 1, disp, v.Lo, maskScratch)
}

// moveLanes writes the lanes of v where p holds, or all if p is nil, one after the other, each at its place, which
// may use RAX and RCX.
func (e *Emit) moveLanes(v Val, a *Access, p *Val, at func(lane int) Mem) {
	e.keep(scratchValue, v)
	done := e.NewLabel()
	if p != nil {
		l, _ := e.shape(32)
		e.vToReg(vmovmskps, l, RDX, p.Lo)
		e.test(W32, RDX, RDX)
		e.jcc(condE, done)
		e.keep(scratchMask, *p)
	}
	for lane := range e.Lanes {
		skip := e.NewLabel()
		if p != nil {
			e.opStoreImm(cmp, W32, e.scratchLane(scratchMask, 32, lane), 0)
			e.jcc(condE, skip)
		}
		e.moveLane(a.Bytes, at(lane), e.scratchLane(scratchValue, v.Bits, lane))
		e.Bind(skip)
	}
	e.Bind(done)
}
