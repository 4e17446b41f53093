package jit

// EachSubvector writes a loop over the subvectors of a warp, as many at a time as a value has (AsSubvectors). If there
// are two short passes, it unrolls the loop.
func (e *Emit) EachSubvector(short bool, body func()) {
	n := int32(e.Lanes / SubvectorLanes)
	if e.Unrolls(short) {
		e.unrolled = true
		for e.subvector = 0; e.subvector < subvectors; e.subvector += n {
			body()
		}
		e.unrolled = false
		return
	}
	e.op(xor, W32, regScalar, regScalar)
	e.op(xor, W32, regSubvector, regSubvector)
	top := e.NewLabel()
	e.Bind(top)
	body()
	e.opImm(add, W32, regScalar, 4*n)
	e.opImm(add, W32, regSubvector, 32*n)
	e.opImm(cmp, W32, regScalar, 4*subvectors)
	e.jcc(condNE, top)
}

// Passes is how many times EachSubvector executes its body.
func (e *Emit) Passes() int { return subvectors * SubvectorLanes / e.Lanes }

// Pass is the index of the pass that code is for, if EachSubvector has unrolled the loop.
func (e *Emit) Pass() int { return int(e.subvector) * SubvectorLanes / e.Lanes }

// InPass makes the code of body that of one pass.
func (e *Emit) InPass(n int, body func()) {
	e.unrolled, e.subvector, e.masked = true, int32(n*e.Lanes/SubvectorLanes), false
	body()
	e.unrolled = false
}

// needLanes loads, with AVX-512, the executing lanes into maskLanes, until the end of EachExecutingSubvector or InPass.
func (e *Emit) needLanes() {
	if !e.masked {
		e.kLoad(W16, maskLanes, e.atScalar(regCtx, 1, ctxSubvectors))
		e.masked = true
	}
}

// atSubvector is the memory at base + disp for the first subvector of a warp, with a distance of 32 bytes times scale
// between subvectors.
func (e *Emit) atSubvector(base Reg, scale uint8, disp int32) Mem {
	if e.unrolled {
		return memAt(base, disp+32*int32(scale)*e.subvector)
	}
	return atIndex(base, regSubvector, scale, disp)
}

// atScalar is atSubvector with a distance of 4 bytes times scale.
func (e *Emit) atScalar(base Reg, scale uint8, disp int32) Mem {
	if e.unrolled {
		return memAt(base, disp+4*int32(scale)*e.subvector)
	}
	return atIndex(base, regScalar, scale, disp)
}

// EachExecutingSubvector is EachSubvector for the subvectors with lanes of Context.Mask. For the other subvectors it
// emits skipped: SkipPred for each predicate that body collects and PublishNone for each value that it publishes. Nil
// emits nothing.
func (e *Emit) EachExecutingSubvector(short bool, body, skipped func()) {
	e.EachSubvector(short, func() {
		execute, next := e.NewLabel(), e.NewLabel()
		e.opStoreImm(cmp, W32, e.atScalar(regCtx, 1, ctxSubvectors), 0)
		e.masked = false
		if skipped == nil {
			e.jcc(condE, next)
		} else {
			e.jcc(condNE, execute)
			skipped()
			e.Jmp(next)
		}
		e.Bind(execute)
		body()
		e.Bind(next)
	})
}

// Unrolls reports whether EachSubvector unrolls its loop.
func (e *Emit) Unrolls(short bool) bool { return short && e.two() }

// setMaskUpper sets maskUpper when code is entered. It changes RAX.
func (e *Emit) setMaskUpper() {
	if e.Level == AVX512 {
		e.movImm(RAX, (1<<SubvectorLanes-1)<<SubvectorLanes)
		e.kFromReg(W16, maskUpper, RAX)
	}
}
