package jit

// Area is the memory of accesses that have an address in common. One check covers all of them.
type Area struct {
	Disp   int64 // distance of a lane's first byte from the address
	Span   int64 // from there to the end of a lane's last byte
	Align  int64 // Disp plus the address is a multiple of it
	Stride int64 // difference of the address between lanes, if it is affine
	PC     int   // of the Hint
	Shared bool  // in the CTA's shared memory, else by the Hint
	// Generic says that addresses are generic: without a Hint they are assumed to be in shared memory.
	Generic bool
	Window  bool // in the CTA's shared memory, at generic addresses
	Own     Own
	// LocalAt is the generic address of local memory if lanes, at generic addresses of 64 bits that are not affine, may be
	// there as well; else 0.
	LocalAt int64
	Number  int // index of its pointers or offsets in the Context
	// If InRegs is set, these general registers have the pointers of the present subvectors.
	InRegs    bool
	Low, High Reg // High only with AVX-512
}

// Own is memory of which each lane owns an equal part, in order.
type Own uint8

// The kinds of such memory.
const (
	NotOwn    Own = iota
	OwnLocal      // Context.Local
	OwnParams     // Context.Params
)

// Access is an access to memory in the form that code makes it.
type Access struct {
	Element
	*Area
	Elems int   // number of elements that a lane moves
	Disp  int64 // added to the address
}

// Size is the number of bytes that a lane moves.
func (a *Access) Size() int64 { return int64(a.Bytes) * int64(a.Elems) }

// disp is the offset of element k from the beginning of the Area.
func (a *Access) disp(k int) int32 { return int32(a.Disp-a.Area.Disp) + int32(k)*int32(a.Bytes) }

// mostSpread bounds an Area, so that 32-bit displacements reach all of it.
const mostSpread = 1 << 24

// Add adds an access to an area. It returns false, and leaves the area unchanged, if their sizes and displacements do
// not allow one check for both.
func (a *Area) Add(x *Access) bool {
	low, high := min(a.Disp, x.Disp), max(a.Disp+a.Span, x.Disp+x.Size())
	// If the lowest displacement is aligned, all others are too, because they differ by multiples of each access's size.
	if (x.Disp-a.Disp)%max(x.Size(), a.Align) != 0 || high-low > mostSpread {
		return false
	}
	a.Disp, a.Span, a.Align = low, high-low, max(a.Align, x.Size())
	return true
}

// hint returns the place of the Hint. It uses RAX and, for a Generic area, RCX.
func (e *Emit) hint(a *Area) Mem {
	switch {
	case a.Shared:
		return memAt(regCtx, ctxShared)
	case a.Window:
		return memAt(regCtx, ctxWindow)
	case a.Own == OwnLocal:
		return memAt(regCtx, ctxLocal)
	case a.Own == OwnParams:
		return memAt(regCtx, ctxParams)
	}
	e.Load(W64, RAX, memAt(regCtx, ctxHints))
	h := memAt(RAX, int32(a.PC)*hintBytes)
	if a.Generic {
		e.lea(RAX, h)
		e.lea(RCX, memAt(regCtx, ctxWindow))
		e.opStoreImm(cmp, W64, memAt(RAX, hintData), 0)
		e.cmov(condE, W64, RAX, RCX)
		return memAt(RAX, 0)
	}
	return h
}

func (m Mem) plus(disp int32) Mem {
	m.Disp += disp
	return m
}

// CheckAffine jumps to fail unless the accesses of all lanes of a warp are within memory and aligned. The addresses
// of the first lanes of subvectors are a scalar. It stores the places of these as the area's pointers.
//
// A 32-bit sum wraps before it is extended. That is computed for the area's first byte only: the others follow it
// within memory of less than 4 GiB, so that their sums wrap the same way.
func (e *Emit) CheckAffine(addr Val, a *Area, fail Label) {
	off, t := e.Temp(64), e.Temp(64)
	low := int64(0) // distance of the lowest address from that of the first lane
	span := (SubvectorLanes - 1) * a.Stride
	if span < 0 {
		low, span = span, -span
	}
	if addr.Bits == 64 {
		if d := a.Disp + low; d != 0 {
			e.v3M(vpaddq, l256, off.Lo, addr.Lo, e.constant(uint64(d), 64))
		} else {
			e.v2(vmovdqa, l256, off.Lo, addr.Lo)
		}
	} else { // the sum wraps at 32 bits
		s := addr
		if d := a.Disp + low; d != 0 {
			s = e.Temp(32)
			e.v3M(vpaddd, l128, s.Lo, addr.Lo, e.constant(uint64(uint32(d)), 32))
		}
		e.v2(vpmovzxdq, l256, off.Lo, s.Lo)
	}
	h := e.hint(a)
	if !a.Shared {
		e.v2M(vpbroadcastq, l256, t.Lo, h.plus(hintBase))
		e.v3(vpsubq, l256, off.Lo, off.Lo, t.Lo)
	}
	// limit - off is negative if off is too large; off is negative before the start.
	e.v2M(vpbroadcastq, l256, t.Lo, h.plus(hintLen))
	e.v3M(vpsubq, l256, t.Lo, t.Lo, e.constant(uint64(a.Span+span), 64))
	e.v3(vpsubq, l256, t.Lo, t.Lo, off.Lo)
	e.v3(vpor, l256, t.Lo, t.Lo, off.Lo)
	e.vToReg(vmovmskpd, l256, RCX, t.Lo)
	e.test(W32, RCX, RCX)
	e.jcc(condNE, fail)
	if a.Stride%a.Align != 0 { // one of two lanes is misaligned
		e.Jmp(fail)
	} else if a.Align > 1 {
		e.v2M(vptest, l256, off.Lo, e.constant(uint64(a.Align-1), 64))
		e.jcc(condNE, fail)
	}
	e.v2M(vpbroadcastq, l256, t.Lo, h.plus(hintData))
	e.v3(vpaddq, l256, off.Lo, off.Lo, t.Lo)
	if low != 0 {
		e.v3M(vpsubq, l256, off.Lo, off.Lo, e.constant(uint64(low), 64))
	}
	e.vStore(vmovdqu, l256, memAt(regCtx, ctxPointers+int32(a.Number)*8*subvectors), off.Lo)
}

// PointerRegs is the number of general registers for the pointers of an area.
func (e *Emit) PointerRegs() int { return e.Lanes / SubvectorLanes }

// KeepPointers loads the area's pointers of the subvector into PointerRegs registers. Loads and stores use them while
// InRegs is set.
func (e *Emit) KeepPointers(a *Area, regs []Reg) {
	a.InRegs, a.Low = true, regs[0]
	e.pointer(a.Low, a)
	if e.two() {
		a.High = regs[1]
		e.upperPointer(a.High, a)
	}
}

// pointerIn returns the register with the area's pointer of the subvector: RAX, unless another one keeps it.
func (e *Emit) pointerIn(a *Area) Reg {
	if a.InRegs {
		return a.Low
	}
	e.pointer(RAX, a)
	return RAX
}

// pointer loads the area's pointer of the subvector.
func (e *Emit) pointer(d Reg, a *Area) {
	e.Load(W64, d, e.atScalar(regCtx, 2, ctxPointers+int32(a.Number)*8*subvectors))
}

// LoadAsScalars reads one element for each subvector, in which all lanes have the same address.
func (e *Emit) LoadAsScalars(d Val, a *Access) {
	at := func(subvector int32) Mem {
		e.Load(W64, RAX, memAt(regCtx, ctxPointers+int32(a.Number)*8*subvectors+8*subvector))
		return memAt(RAX, a.disp(0))
	}
	if a.Bytes == 8 {
		t := e.Temp(32)
		e.v2M(vmovq, l128, d.Lo, at(0))
		e.v3MI(vpinsrq, l128, d.Lo, d.Lo, at(1), 1)
		e.v2M(vmovq, l128, t.Lo, at(2))
		e.v3MI(vpinsrq, l128, t.Lo, t.Lo, at(3), 1)
		e.v3I(vinserti128, l256, d.Lo, d.Lo, t.Lo, 1)
		return
	}
	v := e.unextended(d)
	for s := int32(0); s < subvectors; s++ {
		m := at(s)
		if a.Bytes < 4 {
			e.Load(elementWidth(a.Bytes), RCX, m)
			if s == 0 {
				e.vFromReg(vmovd, v.Lo, RCX)
			} else {
				e.vFromRegI(vpinsrd, v.Lo, v.Lo, RCX, uint8(s))
			}
			continue
		}
		if s == 0 {
			e.v2M(vmovd, l128, v.Lo, m)
		} else {
			e.v3MI(vpinsrd, l128, v.Lo, v.Lo, m, uint8(s))
		}
	}
	e.extend(d, v, a.Element)
}

// unextended is a place for an element of up to 32 bits before it is extended to d.
func (e *Emit) unextended(d Val) Val {
	if d.Bits == 64 {
		return e.Temp(32)
	}
	return d
}

// extend sets d to v, an element with zeros above up to 32 bits, extended.
func (e *Emit) extend(d, v Val, t Element) {
	if up := 32 - 8*t.Bytes; t.Signed && t.Bytes < 4 {
		e.shift(vpslld, v, v, up)
		e.shift(vpsrad, v, v, up)
		if t.Half {
			e.AndConst(v, v, 0xffff)
		}
	}
	if d.Bits == 64 {
		e.Widen(d, v, t.Signed)
	}
}

// LoadElement reads element k of each lane of the subvector, by the area's pointer.
func (e *Emit) LoadElement(d Val, a *Access, k int) {
	if e.two() {
		e.loadElement2(d, a, k)
		return
	}
	m := memAt(e.pointerIn(a.Area), a.disp(k))
	lanes := func(lane int) Mem { return m.plus(int32(a.Stride) * int32(lane)) }
	if a.Bytes == 8 {
		switch a.Stride {
		case 0:
			e.v2M(vpbroadcastq, l256, d.Lo, m)
			e.v2(vmovdqa, l256, d.Hi, d.Lo)
		case 8:
			e.v2M(vmovdqu, l256, d.Lo, m)
			e.v2M(vmovdqu, l256, d.Hi, m.plus(32))
		default:
			e.gatherAt(d, a.Bytes, lanes)
		}
		return
	}
	v := e.unextended(d)
	switch {
	case a.Stride == 0 && a.Bytes == 4:
		e.v2M(vpbroadcastd, l256, v.Lo, m)
	case a.Stride == 0:
		e.Load(elementWidth(a.Bytes), RCX, m)
		e.vFromReg(vmovd, v.Lo, RCX)
		e.v2(vpbroadcastd, l256, v.Lo, v.Lo)
	case a.Stride == 4 && a.Bytes == 4:
		e.v2M(vmovdqu, l256, v.Lo, m)
	case a.Stride == 2 && a.Bytes == 2:
		e.v2M(vpmovzxwd, l256, v.Lo, m)
	case a.Stride == 1 && a.Bytes == 1:
		e.v2M(vpmovzxbd, l256, v.Lo, m)
	default:
		e.gatherAt(v, a.Bytes, lanes)
	}
	e.extend(d, v, a.Element)
}

// gatherAt reads one element for each lane, at its place, which may use RAX and RCX.
func (e *Emit) gatherAt(d Val, bytes uint8, at func(lane int) Mem) {
	t := e.Temp(32).Lo
	if bytes == 8 {
		for part, v := range []Vec{d.Lo, d.Hi} {
			e.v2M(vmovq, l128, v, at(4*part))
			e.v3MI(vpinsrq, l128, v, v, at(4*part+1), 1)
			e.v2M(vmovq, l128, t, at(4*part+2))
			e.v3MI(vpinsrq, l128, t, t, at(4*part+3), 1)
			e.v3I(vinserti128, l256, v, v, t, 1)
		}
		return
	}
	for first := 0; first < e.Lanes; first += 4 {
		v := d.Lo
		if first > 0 {
			v = t
		}
		for i := range 4 {
			m := at(first + i)
			switch {
			case bytes < 4:
				e.Load(elementWidth(bytes), RDX, m)
				if i == 0 {
					e.vFromReg(vmovd, v, RDX)
				} else {
					e.vFromRegI(vpinsrd, v, v, RDX, uint8(i))
				}
			case i == 0:
				e.v2M(vmovd, l128, v, m)
			default:
				e.v3MI(vpinsrd, l128, v, v, m, uint8(i))
			}
		}
		switch {
		case first == 0:
		case e.two():
			e.v3I(vinserti32X4, l512, d.Lo, d.Lo, t, uint8(first/4))
		default:
			e.v3I(vinserti128, l256, d.Lo, d.Lo, t, 1)
		}
	}
}

// addParts adds the start of each lane's part of memory to an offset.
func (e *Emit) addParts(off Val, h Mem) {
	l, _ := e.shape(32)
	lane, part := e.Temp(32), e.Temp(32)
	e.LaneNumbers(lane)
	e.v2M(vpbroadcastd, l, part.Lo, h.plus(hintLen))
	e.v3(vpmulld, l, lane.Lo, lane.Lo, part.Lo)
	e.v3(vpaddd, l, off.Lo, off.Lo, lane.Lo)
}

// data loads the address of the memory into RAX.
func (e *Emit) data(a *Area) {
	if a.anywhere() {
		e.Load(W64, RAX, e.baseOf(a))
		return
	}
	h := e.hint(a)
	e.Load(W64, RAX, h.plus(hintData))
}

// Gather reads element k of each lane of the subvector, by the area's offsets.
func (e *Emit) Gather(d Val, a *Access, k int) {
	e.data(a.Area)
	disp := a.disp(k)
	offsets := e.atSubvector(regCtx, 1, ctxOffsets+4*32*int32(a.Number))
	if a.Bytes == 8 {
		if e.two() {
			e.gather2(d, disp, offsets)
			return
		}
		e.gatherAt(d, a.Bytes, func(lane int) Mem {
			e.Load(W32, RCX, offsets.plus(4*int32(lane)))
			return atIndex(RAX, RCX, 1, disp)
		})
		return
	}
	v := e.unextended(d)
	switch {
	case a.Bytes == 4 && e.two():
		e.gather2(v, disp, offsets)
	case a.Bytes == 4:
		index, all := e.Temp(32), e.Temp(32)
		e.v2M(vmovdqu, l256, index.Lo, offsets)
		e.v3(vpcmpeqd, l256, all.Lo, all.Lo, all.Lo)
		e.v3(vpxor, l256, v.Lo, v.Lo, v.Lo)
		e.vGather(vpgatherdd, l256, v.Lo, RAX, index.Lo, 1, disp, all.Lo)
	default:
		e.gatherAt(v, a.Bytes, func(lane int) Mem {
			e.Load(W32, RCX, offsets.plus(4*int32(lane)))
			return atIndex(RAX, RCX, 1, disp)
		})
	}
	e.extend(d, v, a.Element)
}

// CheckWrap jumps to fail if a 32-bit scalar plus the multiples of its stride, which is not 0, wraps within a
// subvector: if it is outside the range in which it does not.
func (e *Emit) CheckWrap(v Val, stride int64, signed bool, fail Label) {
	last := uint32(-(SubvectorLanes - 1) * stride)
	if stride > 0 {
		last += 1<<31 - 1
	} else {
		last -= 1 << 31
	}
	if !signed {
		v = e.flipped(v)
	}
	wraps := e.Temp(32)
	if stride > 0 {
		e.v3M(vpcmpgtd, l128, wraps.Lo, v.Lo, e.constant(uint64(last), 32))
	} else {
		e.v2M(vmovdqu, l128, wraps.Lo, e.constant(uint64(last), 32))
		e.v3(vpcmpgtd, l128, wraps.Lo, wraps.Lo, v.Lo)
	}
	e.vToReg(vmovmskps, l128, RCX, wraps.Lo)
	e.test(W32, RCX, RCX)
	e.jcc(condNE, fail)
}
