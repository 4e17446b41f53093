package jit

// Where values are while they are in no register. In a strip a place is that of the strip that the
// loop of EachStrip is at.

// slotPart is a strip's part of a slot, or half of it.
func slotPart(off uint32, bits uint8, part int32) Mem {
	if bits == 64 {
		return AtIndex(regFile, regStrip, 2, int32(off)+vectorBytes*part)
	}
	return AtIndex(regFile, regStrip, 1, int32(off))
}

// LoadSlot reads a strip of a slot.
func (e *Emit) LoadSlot(d Val, off uint32) {
	e.V2M(VMOVDQU, L256, d.Lo, slotPart(off, d.Bits, 0))
	if d.Bits == 64 {
		e.V2M(VMOVDQU, L256, d.Hi, slotPart(off, d.Bits, 1))
	}
}

// StoreSlot writes a strip of a slot.
func (e *Emit) StoreSlot(off uint32, v Val) {
	e.VStore(VMOVDQU, L256, slotPart(off, v.Bits, 0), v.Lo)
	if v.Bits == 64 {
		e.VStore(VMOVDQU, L256, slotPart(off, v.Bits, 1), v.Hi)
	}
}

// LoadLanes reads which lanes of the strip execute, as a predicate, or as a wide one.
func (e *Emit) LoadLanes(d Val) {
	m := AtIndex(regCtx, regStrip, 1, ctxMasks)
	if d.Bits == 64 {
		e.V2M(VPMOVSXDQ, L256, d.Lo, m)
		e.V2M(VPMOVSXDQ, L256, d.Hi, m.plus(vectorBytes/2))
		return
	}
	e.V2M(VMOVDQU, L256, d.Lo, m)
}

// LoadPredicate reads a strip of a predicate's slot.
func (e *Emit) LoadPredicate(d Val, off uint32, not bool) {
	e.V2M(VPBROADCASTD, L256, d.Lo, At(regFile, int32(off)))
	bits := AtIndex(regCtx, regStrip, 1, ctxBits)
	e.V3M(VPAND, L256, d.Lo, d.Lo, bits)
	e.V3M(VPCMPEQD, L256, d.Lo, d.Lo, bits)
	if not {
		e.XorConst(d, d, 1<<32-1)
	}
}

// Spill and Unspill write and read a value that is in no slot.
func (e *Emit) Spill(n int, v Val) {
	e.VStore(VMOVDQU, L256, At(regCtx, ctxSpills+64*int32(n)), v.Lo)
	if e.Two(v.Bits) {
		e.VStore(VMOVDQU, L256, At(regCtx, ctxSpills+64*int32(n)+32), v.Hi)
	}
}

// Unspill reads what Spill has written.
func (e *Emit) Unspill(d Val, n int) {
	e.V2M(VMOVDQU, L256, d.Lo, At(regCtx, ctxSpills+64*int32(n)))
	if e.Two(d.Bits) {
		e.V2M(VMOVDQU, L256, d.Hi, At(regCtx, ctxSpills+64*int32(n)+32))
	}
}

// Quad is where a quad is: in the register file, or in the Context by number.
type Quad struct {
	File  bool
	At    uint32 // offset in the file, or number
	Known bool   // all lanes hold Value: it is nowhere
	Value uint64
}

func (q Quad) base() (Reg, int32) {
	if q.File {
		return regFile, int32(q.At)
	}
	return regCtx, ctxQuads + int32(q.At)*8*Strips
}

// LoadQuad reads a quad.
func (e *Emit) LoadQuad(d Val, q Quad) {
	if q.Known {
		e.Const(d, q.Value)
		return
	}
	base, disp := q.base()
	l, _ := e.shape(d.Bits)
	e.V2M(VMOVDQU, l, d.Lo, At(base, disp))
}

// StoreQuad writes a quad.
func (e *Emit) StoreQuad(q Quad, v Val) {
	base, disp := q.base()
	l, _ := e.shape(v.Bits)
	e.VStore(VMOVDQU, l, At(base, disp), v.Lo)
}

// LoadScalar reads a strip of a scalar, of which q has the first lanes.
func (e *Emit) LoadScalar(d Val, q Quad, stride int64) {
	switch {
	case q.Known:
		e.Const(d, q.Value)
	case d.Bits == 64:
		base, disp := q.base()
		e.V2M(VPBROADCASTQ, L256, d.Lo, AtIndex(base, regQuad, 2, disp))
		if stride == 0 {
			e.V2(VMOVDQA, L256, d.Hi, d.Lo)
			return
		}
		m := e.ramp(uint64(stride), true)
		high := m
		high.Disp += vectorBytes
		e.V3M(VPADDQ, L256, d.Hi, d.Lo, high)
		e.V3M(VPADDQ, L256, d.Lo, d.Lo, m)
	default:
		base, disp := q.base()
		e.V2M(VPBROADCASTD, L256, d.Lo, AtIndex(base, regQuad, 1, disp))
		if stride != 0 {
			e.V3M(VPADDD, L256, d.Lo, d.Lo, e.ramp(uint64(stride), false))
		}
	}
}
