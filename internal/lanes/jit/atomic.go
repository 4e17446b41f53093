package jit

// Atomic is the operation of an atomic.
type Atomic uint8

// The operations; b is the operand, and the old value is that in memory.
const (
	NoAtomic     Atomic = iota
	AtomicAdd           // the sum
	AtomicAnd           // the bits set in both
	AtomicOr            // the bits set in either
	AtomicXor           // the bits that differ
	AtomicExch          // b
	AtomicMin           // the smaller, as signed numbers if Element.Signed
	AtomicMax           // the larger, as signed numbers if Element.Signed
	AtomicInc           // old + 1, or 0 if old is at least b
	AtomicDec           // old - 1, or b if old is 0 or above b
	AtomicCas           // c if old is b
	AtomicAddF32        // the sum of .f32, rounded to nearest
	// AtomicAddF32Flushed is AtomicAddF32 with subnormal numbers flushed to zero.
	AtomicAddF32Flushed
)

// AddsFloats reports whether an atomic adds floats, which depends on the control mode of the vector unit.
func (op Atomic) AddsFloats() bool { return op == AtomicAddF32 || op == AtomicAddF32Flushed }

// Places in the scratch memory of a Context, in spills. Their number is ScratchSpills.
const (
	scratchValue   = iota // value to store, or an operand
	scratchMask           // executing lanes
	scratchThird          // a second operand
	scratchFound          // old values of lanes
	scratchData           // address of the memory
	scratchOffsets        // offsets at which lanes store

	ScratchSpills
)

// scratchLane is the memory of a lane of a value in one of these places.
func (e *Emit) scratchLane(place int, bits uint8, lane int) Mem {
	return memAt(regCtx, ctxSpills+spillBytes*int32(place)+int32(lane)*int32(bits/8))
}

// UpdateElement executes an atomic in the lanes of the subvector where p holds, or in all if p is nil, one lane after
// the other. c is the second operand of AtomicCas. The old values go to d, unless that has no width; d is undefined in
// other lanes.
func (e *Emit) UpdateElement(op Atomic, d, b, c Val, a *Access, affine bool, p *Val) {
	x, y := e.Temp(32).Lo, e.Temp(32).Lo // allocated here, because the code of a lane may be skipped
	e.keep(scratchValue, b)
	if op == AtomicCas {
		e.keep(scratchThird, c)
	}
	if affine {
		e.pointer(RAX, a.Area)
	} else {
		e.data(a.Area)
		e.store(W64, e.scratchLane(scratchData, 64, 0), RAX)
	}
	done := e.NewLabel()
	if p != nil {
		l, _ := e.shape(32)
		e.vToReg(vmovmskps, l, RCX, p.Lo)
		e.test(W32, RCX, RCX)
		e.jcc(condE, done)
		e.keep(scratchMask, *p)
	}
	for lane := range e.Lanes {
		if affine && lane == SubvectorLanes {
			e.upperPointer(RAX, a.Area)
		}
		skip := e.NewLabel()
		if p != nil {
			e.opStoreImm(cmp, W32, e.scratchLane(scratchMask, 32, lane), 0)
			e.jcc(condE, skip)
		}
		at := memAt(RAX, a.disp(0)+int32(a.Stride)*int32(lane%SubvectorLanes))
		if !affine {
			e.Load(W32, RAX, e.atSubvector(regCtx, 1, ctxOffsets+4*32*int32(a.Number)+4*int32(lane)))
			e.opLoad(add, W64, RAX, e.scratchLane(scratchData, 64, 0))
			at = memAt(RAX, a.disp(0))
		}
		e.updateLane(op, lane, at, a, d.Bits != 0, x, y)
		e.Bind(skip)
	}
	e.Bind(done)
	if d.Bits != 0 {
		l, _ := e.shape(d.Bits)
		e.v2M(vmovdqu, l, d.Lo, e.scratchLane(scratchFound, 32, 0))
		if d.Bits == 64 {
			e.v2M(vmovdqu, l, d.Hi, e.scratchLane(scratchFound, 64, e.Lanes/2))
		}
	}
}

// keep stores a subvector of a value in scratch memory.
func (e *Emit) keep(place int, v Val) {
	e.storeForLanes(e.scratchLane(place, 32, 0), v.Lo)
	if v.Bits == 64 {
		e.storeForLanes(e.scratchLane(place, 64, e.Lanes/2), v.Hi)
	}
}

// storeForLanes stores a vector of subvectors to be read element by element. Intel CPUs do not forward a 512-bit store
// to a load of a word in its upper half.
func (e *Emit) storeForLanes(m Mem, v Vec) {
	e.vStore(vmovdqu, l256, m, v)
	if e.two() {
		e.vStoreI(vextracti64X4, l512, m.plus(32), v, 1)
	}
}

// updateLane executes an atomic for one lane, with its operands in scratch memory. It uses RCX, RDX, x and y.
func (e *Emit) updateLane(op Atomic, lane int, at Mem, a *Access, found bool, x, y Vec) {
	bits, w := a.Element.Bytes*8, W32
	if bits == 64 {
		w = W64
	}
	b := e.scratchLane(scratchValue, bits, lane)
	if alu, ok := simpleAtomics[op]; ok && !found {
		e.Load(w, RDX, b)
		e.opStore(alu, w, at, RDX)
		return
	}
	e.Load(w, RCX, at)
	if found {
		e.store(w, e.scratchLane(scratchFound, bits, lane), RCX)
	}
	if alu, ok := simpleAtomics[op]; ok {
		e.opLoad(alu, w, RCX, b)
		e.store(w, at, RCX)
		return
	}
	switch op {
	case AtomicExch:
		e.Load(w, RCX, b)
	case AtomicMin, AtomicMax:
		e.Load(w, RDX, b)
		e.op(cmp, w, RDX, RCX)
		e.cmov(better(op, a.Signed), w, RCX, RDX)
	case AtomicInc: // and with all ones if it is below b
		e.Load(w, RDX, b)
		e.op(cmp, w, RCX, RDX)
		e.op(sbb, w, RDX, RDX)
		e.opImm(add, w, RCX, 1)
		e.op(and, w, RCX, RDX)
	case AtomicDec: // one less than 0 is also above any b
		e.Load(w, RDX, b)
		e.opImm(sub, w, RCX, 1)
		e.op(cmp, w, RCX, RDX)
		e.cmov(condAE, w, RCX, RDX)
	case AtomicCas:
		e.Load(w, RDX, e.scratchLane(scratchThird, bits, lane))
		e.opLoad(cmp, w, RCX, b)
		e.cmov(condE, w, RCX, RDX)
	case AtomicAddF32, AtomicAddF32Flushed:
		e.Load(w, RDX, b)
		e.addFloats(op == AtomicAddF32Flushed, x, y)
	}
	e.store(w, at, RCX)
}

// simpleAtomics are the operations for which x86-64 has one instruction on memory.
var simpleAtomics = map[Atomic]alu{AtomicAdd: add, AtomicAnd: and, AtomicOr: or, AtomicXor: xor}

// better returns the condition under which an operand replaces the value that it was compared with.
func better(op Atomic, signed bool) cond {
	switch {
	case op == AtomicMin && signed:
		return condL
	case op == AtomicMin:
		return condB
	case signed:
		return condG
	}
	return condA
}

// addFloats adds the float in RDX to the float in RCX.
func (e *Emit) addFloats(flush bool, x, y Vec) {
	const (
		exponent = 0x7f800000
		sign     = -1 << 31
	)
	flushed := func(r Reg) {
		if !flush {
			return
		}
		normal := e.NewLabel()
		e.testImm(W32, r, exponent)
		e.jcc(condNE, normal)
		e.opImm(and, W32, r, sign)
		e.Bind(normal)
	}
	flushed(RCX)
	flushed(RDX)
	e.vFromReg(vmovd, x, RCX)
	e.vFromReg(vmovd, y, RDX)
	e.v3(vaddps, l128, x, x, y)
	e.vToReg(vmovd, l128, RCX, x)
	flushed(RCX)
	number := e.NewLabel()
	e.mov(W32, RDX, RCX)
	e.opImm(and, W32, RDX, 1<<31-1)
	e.opImm(cmp, W32, RDX, exponent)
	e.jcc(condBE, number)
	e.movImm(RCX, nanF32)
	e.Bind(number)
}
