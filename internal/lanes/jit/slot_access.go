package jit

// Places of values that are not in registers. In the subvector phase a place is that of the present subvector of
// EachSubvector's loop.

// slotPart is a subvector's part of a slot, or half of it.
func (e *Emit) slotPart(off uint32, bits uint8, part int32) Mem {
	if bits == 64 {
		return e.atSubvector(regFile, 2, int32(off)+e.vectorBytes()*part)
	}
	return e.atSubvector(regFile, 1, int32(off))
}

// LoadSlot reads a subvector of a slot.
func (e *Emit) LoadSlot(d Val, off uint32) {
	l, _ := e.shape(d.Bits)
	e.v2M(vmovdqu, l, d.Lo, e.slotPart(off, d.Bits, 0))
	if d.Bits == 64 {
		e.v2M(vmovdqu, l, d.Hi, e.slotPart(off, d.Bits, 1))
	}
}

// StoreSlot writes a subvector of a slot.
func (e *Emit) StoreSlot(off uint32, v Val) {
	l, _ := e.shape(v.Bits)
	e.vStore(vmovdqu, l, e.slotPart(off, v.Bits, 0), v.Lo)
	if v.Bits == 64 {
		e.vStore(vmovdqu, l, e.slotPart(off, v.Bits, 1), v.Hi)
	}
}

// MergeSlot writes the executing lanes of a subvector of a slot, within EachExecutingSubvector.
func (e *Emit) MergeSlot(off uint32, v Val) {
	old := e.Temp(v.Bits)
	e.LoadSlot(old, off)
	if !e.two() {
		p := e.Temp(v.Bits)
		e.loadLanes(p)
		e.Select(p, p, v, old)
		e.StoreSlot(off, p)
		return
	}
	e.needLanes()
	if v.Bits == 64 {
		e.kShiftR(W16, maskScratch, maskLanes, SubvectorLanes)
		e.v2K(vmovdqa64, l512, old.Lo, v.Lo, maskLanes, false)
		e.v2K(vmovdqa64, l512, old.Hi, v.Hi, maskScratch, false)
	} else {
		e.v2K(vmovdqa32, l512, old.Lo, v.Lo, maskLanes, false)
	}
	e.StoreSlot(off, old)
}

// loadLanes reads the executing lanes of the subvector, as a predicate, which may be wide, within
// EachExecutingSubvector.
func (e *Emit) loadLanes(d Val) {
	l, _ := e.shape(d.Bits)
	m := e.atSubvector(regCtx, 1, ctxMasks)
	switch {
	case e.two() && d.Bits == 64:
		e.needLanes()
		e.vFromMask(vpmovm2Q, l, d.Lo, maskLanes)
		e.kShiftR(W16, maskScratch, maskLanes, SubvectorLanes)
		e.vFromMask(vpmovm2Q, l, d.Hi, maskScratch)
	case e.two():
		e.needLanes()
		e.vFromMask(vpmovm2D, l, d.Lo, maskLanes)
	case e.Level == AVX512: // of one subvector
		e.bitsOf(d, memAt(regCtx, ctxMask), false)
	case d.Bits == 64:
		e.v2M(vpmovsxdq, l, d.Lo, m)
		e.v2M(vpmovsxdq, l, d.Hi, m.plus(e.vectorBytes()/2))
	default:
		e.v2M(vmovdqu, l, d.Lo, m)
	}
}

// LoadPredicate reads a subvector of a predicate's slot.
func (e *Emit) LoadPredicate(d Val, off uint32, not bool) {
	e.bitsOf(d, memAt(regFile, int32(off)), not)
}

// bitsOf reads a subvector of lanes, given as bits of a word in memory or of its complement, as a predicate.
func (e *Emit) bitsOf(d Val, m Mem, not bool) {
	l, _ := e.shape(d.Bits)
	bits := e.atSubvector(regCtx, 1, ctxBits)
	e.v2M(vpbroadcastd, l, d.Lo, m)
	if e.two() {
		test := vptestmd
		if not {
			test = vptestnmd
		}
		e.vTestKM(test, l, maskScratch, d.Lo, bits)
		e.vFromMask(vpmovm2D, l, d.Lo, maskScratch)
		return
	}
	e.v3M(vpand, l, d.Lo, d.Lo, bits)
	e.v3M(vpcmpeqd, l, d.Lo, d.Lo, bits)
	if not {
		e.XorConst(d, d, 1<<32-1)
	}
}

// spillBytes is the size of a place for a spilled value.
const spillBytes = 8 * maxVectorLanes

// Spill and Unspill store and load a value that has no slot.
func (e *Emit) Spill(n int, v Val) {
	l, _ := e.shape(v.Bits)
	e.vStore(vmovdqu, l, memAt(regCtx, ctxSpills+spillBytes*int32(n)), v.Lo)
	if e.Two(v.Bits) {
		e.vStore(vmovdqu, l, memAt(regCtx, ctxSpills+spillBytes*int32(n)+e.vectorBytes()), v.Hi)
	}
}

// Unspill reads the value that Spill has written.
func (e *Emit) Unspill(d Val, n int) {
	l, _ := e.shape(d.Bits)
	e.v2M(vmovdqu, l, d.Lo, memAt(regCtx, ctxSpills+spillBytes*int32(n)))
	if e.Two(d.Bits) {
		e.v2M(vmovdqu, l, d.Hi, memAt(regCtx, ctxSpills+spillBytes*int32(n)+e.vectorBytes()))
	}
}

// ScalarPlace is the place of a scalar, which is one value for each of a warp's four subvectors: in the register file,
// or in the Context by number.
type ScalarPlace struct {
	File  bool
	At    uint32 // offset in the file, or number
	Known bool   // all lanes hold Value: it has no place
	Value uint64
	// Uniform says that it is in a slot with the same value in all lanes.
	Uniform bool
}

func (q ScalarPlace) base() (Reg, int32) {
	if q.File {
		return regFile, int32(q.At)
	}
	return regCtx, ctxScalars + int32(q.At)*8*subvectors
}

// LoadScalars reads the four values of a scalar.
func (e *Emit) LoadScalars(d Val, q ScalarPlace) {
	if q.Known {
		e.Const(d, q.Value)
		return
	}
	base, disp := q.base()
	l, _ := e.shape(d.Bits)
	e.v2M(vmovdqu, l, d.Lo, memAt(base, disp))
}

// StoreScalars writes the four values of a scalar.
func (e *Emit) StoreScalars(q ScalarPlace, v Val) {
	base, disp := q.base()
	l, _ := e.shape(v.Bits)
	e.vStore(vmovdqu, l, memAt(base, disp), v.Lo)
}

// LoadScalar computes the lanes of the scalar at q in a subvector.
func (e *Emit) LoadScalar(d Val, q ScalarPlace, stride int64) {
	base, disp := q.base()
	l, n := e.shape(d.Bits)
	switch {
	case q.Known:
		e.Const(d, q.Value)
	case q.Uniform:
		e.v2M(byWidth(d.Bits, vpbroadcastd, vpbroadcastq), l, d.Lo, memAt(base, disp))
		if n == 2 {
			e.v2(vmovdqa, l, d.Hi, d.Lo)
		}
	case d.Bits == 64:
		e.v2M(vpbroadcastq, l, d.Lo, e.atScalar(base, 2, disp))
		if e.two() {
			e.v2M(vpbroadcastq, l, d.Hi, e.atScalar(base, 2, disp+8))
			if stride != 0 {
				e.op3m(vpaddq, d, d, e.ramp(uint64(stride), true))
			}
			return
		}
		if stride == 0 {
			e.v2(vmovdqa, l, d.Hi, d.Lo)
			return
		}
		m := e.ramp(uint64(stride), true)
		e.v3M(vpaddq, l, d.Hi, d.Lo, m.plus(e.vectorBytes()))
		e.v3M(vpaddq, l, d.Lo, d.Lo, m)
	default:
		e.v2M(vpbroadcastd, l, d.Lo, e.atScalar(base, 1, disp))
		if e.two() {
			e.v2MK(vpbroadcastd, l, d.Lo, e.atScalar(base, 1, disp+4), maskUpper, false)
		}
		if stride != 0 {
			e.v3M(vpaddd, l, d.Lo, d.Lo, e.ramp(uint64(stride), false))
		}
	}
}
