package jit

// Code may keep a shadow of memory, to find uses of unwritten values: Hint.Shadow has a byte for each byte of memory,
// which is 0 if that is defined. Loads and atomics access only defined memory: at undefined memory they fail like
// accesses out of bounds, and lane functions execute them. Stores make memory defined. Code may read three bytes after
// a shadow.

// mostChecked bounds the bytes of a subvector's shadow that code checks.
const mostChecked = 1 << 10

// CheckShadow jumps to fail unless the memory of an affine area is defined in all lanes of a warp. CheckAffine must
// have stored the area's pointers.
func (e *Emit) CheckShadow(a *Area, fail Label) {
	done, ones := e.NewLabel(), e.Temp(64).Lo // allocated before the jump, because it may have to be spilled for
	h := e.hint(a)
	e.Load(W64, RDX, h.plus(hintShadow))
	e.test(W64, RDX, RDX)
	e.jcc(condE, done)
	n, step, first, size := a.pieces()
	if n*size > mostChecked {
		e.Jmp(fail)
	}
	e.opLoad(sub, W64, RDX, h.plus(hintData))
	e.v3(vpcmpeqd, l256, ones, ones, ones)
	for subvector := int32(0); subvector < subvectors; subvector++ {
		e.Load(W64, RAX, memAt(regCtx, ctxPointers+int32(a.Number)*8*subvectors+8*subvector))
		for i := range n {
			e.unlessDefined(atIndex(RAX, RDX, 1, int32(first+i*step)), size, ones, fail)
		}
	}
	e.Bind(done)
}

// pieces returns the n pieces of memory that a subvector accesses in an affine area: each of size bytes, the first one
// at an offset from the area's pointer, and the others at distances of step.
func (a *Area) pieces() (n, step, first, size int64) {
	stride := max(a.Stride, -a.Stride)
	if stride > a.Span {
		return SubvectorLanes, a.Stride, 0, a.Span
	}
	return 1, 0, min(0, (SubvectorLanes-1)*a.Stride), (SubvectorLanes-1)*stride + a.Span
}

// unlessDefined jumps to fail unless the n bytes of a shadow from m on are 0. All bits of ones are set.
func (e *Emit) unlessDefined(m Mem, n int64, ones Vec, fail Label) {
	for n > 0 {
		size := int64(1)
		switch {
		case n >= 32:
			size = 32
			e.v2M(vptest, l256, ones, m)
		case n >= 16:
			size = 16
			e.v2M(vptest, l128, ones, m)
		default:
			for size*2 <= min(n, 8) {
				size *= 2
			}
			e.opStoreImm(cmp, elementWidth(uint8(size)), m, 0)
		}
		e.jcc(condNE, fail)
		m, n = m.plus(int32(size)), n-size
	}
}

// CheckShadowLanes is CheckShadow for the lanes of the subvectors where p holds, or all if it is nil, by the area's
// offsets.
func (e *Emit) CheckShadowLanes(a *Area, p *Val, fail Label) {
	index, found, piece, all := e.Temp(32), e.Temp(32), e.Temp(32), e.Temp(32).Lo
	done := e.NewLabel()
	h := e.hint(a)
	e.Load(W64, RAX, h.plus(hintShadow))
	e.test(W64, RAX, RAX)
	e.jcc(condE, done)
	if a.Span > mostChecked/SubvectorLanes {
		e.Jmp(fail)
	}
	offsets := e.atSubvector(regCtx, 1, ctxOffsets+4*32*int32(a.Number))
	if e.two() {
		e.offsets2(index.Lo, offsets)
	} else {
		e.v2M(vmovdqu, l256, index.Lo, offsets)
	}
	e.op3(vpxor, found, found, found)
	for at := int64(0); at < min(a.Span, mostChecked/SubvectorLanes); at += 4 {
		e.v3(vpxor, l256, piece.Lo, piece.Lo, piece.Lo)
		if e.two() {
			e.kXnor(W16, maskScratch, maskScratch, maskScratch)
			e.vGatherK(vpgatherdd, l512, piece.Lo, RAX, index.Lo, 1, int32(at), maskScratch)
		} else {
			e.v3(vpcmpeqd, l256, all, all, all)
			e.vGather(vpgatherdd, l256, piece.Lo, RAX, index.Lo, 1, int32(at), all)
		}
		if over := at + 4 - a.Span; over > 0 {
			e.AndConst(piece, piece, 1<<(8*(4-over))-1)
		}
		e.Or(found, found, piece)
	}
	if p != nil {
		e.And(found, found, *p)
	}
	if e.two() {
		e.vTestKM(vptestmq, l512, maskScratch, found.Lo, e.constant(1<<64-1, 64))
		e.kortest(W16, maskScratch, maskScratch)
	} else {
		e.v2M(vptest, l256, found.Lo, e.constant(1<<64-1, 64))
	}
	e.jcc(condNE, fail)
	e.Bind(done)
}

// Define makes the memory of a store defined, which is by its area's pointers if it is affine, else by its offsets. In
// its loop over subvectors executing returns the lanes that store, as for StoreElement. It uses only RAX, RCX and RDX,
// and vectors are not preserved.
func (e *Emit) Define(a *Access, affine bool, executing func() *Val) {
	done := e.NewLabel()
	h := e.hint(a.Area)
	e.Load(W64, RDX, h.plus(hintShadow))
	e.test(W64, RDX, RDX)
	e.jcc(condE, done)
	if affine {
		e.opLoad(sub, W64, RDX, h.plus(hintData))
	}
	e.store(W64, memAt(regCtx, ctxShadowAt), RDX)
	e.EachSubvector(false, func() {
		next := e.NewLabel()
		e.defineSubvector(a, affine, executing(), next)
		e.Bind(next)
	})
	e.Bind(done)
}

// defineSubvector is Define for the lanes of a subvector where p holds, or for all if it is nil.
func (e *Emit) defineSubvector(a *Access, affine bool, p *Val, next Label) {
	size := a.Size()
	if p != nil {
		e.vToReg(vmovmskps, l256, RCX, p.Lo)
		e.test(W32, RCX, RCX)
		e.jcc(condE, next)
	}
	lanes, row := e.NewLabel(), affine && a.Stride == size
	if affine && (a.Stride == 0 || row) {
		n := size
		if row {
			n *= SubvectorLanes
		}
		if row && p != nil {
			e.opImm(cmp, W32, RCX, 1<<SubvectorLanes-1)
			e.jcc(condNE, lanes)
		}
		e.shadowAt(a)
		e.clearBytes(memAt(RAX, a.disp(0)), n)
		if !row || p == nil {
			return
		}
		e.Jmp(next)
	}
	e.Bind(lanes)
	if p == nil {
		for lane := int32(0); lane < SubvectorLanes; lane++ {
			if affine {
				e.shadowAt(a)
				e.clearBytes(memAt(RAX, a.disp(0)+lane*int32(a.Stride)), size)
			} else {
				e.Load(W32, RAX, e.atSubvector(regCtx, 1, ctxOffsets+4*32*int32(a.Number)+4*lane))
				e.opLoad(add, W64, RAX, memAt(regCtx, ctxShadowAt))
				e.clearBytes(memAt(RAX, a.disp(0)), size)
			}
		}
		return
	}
	e.eachBit(func() {
		if affine {
			e.Asm.imulImm(W64, RDX, RCX, int32(a.Stride))
			e.shadowAt(a)
			e.op(add, W64, RAX, RDX)
		} else {
			e.lea(RAX, e.atSubvector(regCtx, 1, ctxOffsets+4*32*int32(a.Number)))
			e.Load(W32, RAX, atIndex(RAX, RCX, 4, 0))
			e.opLoad(add, W64, RAX, memAt(regCtx, ctxShadowAt))
		}
		e.clearBytes(memAt(RAX, a.disp(0)), size)
	})
}

// shadowAt sets RAX to the shadow of the place of the area's pointer.
func (e *Emit) shadowAt(a *Access) {
	e.pointer(RAX, a.Area)
	e.opLoad(add, W64, RAX, memAt(regCtx, ctxShadowAt))
}

// clearBytes clears n bytes from m on.
func (e *Emit) clearBytes(m Mem, n int64) {
	for n > 0 {
		size := int64(1)
		for size*2 <= min(n, 8) {
			size *= 2
		}
		e.storeImm(elementWidth(uint8(size)), m, 0)
		m, n = m.plus(int32(size)), n-size
	}
}
