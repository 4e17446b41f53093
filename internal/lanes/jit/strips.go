package jit

// EachStrip writes a loop over the strips of a warp, as many at a time as a value has (AsStrips). If there are two
// short passes, it unrolls the loop.
func (e *Emit) EachStrip(short bool, body func()) {
	n := int32(e.Lanes / StripLanes)
	if e.Unrolls(short) {
		e.unrolled = true
		for e.strip = 0; e.strip < strips; e.strip += n {
			body()
		}
		e.unrolled = false
		return
	}
	e.op(xor, W32, regQuad, regQuad)
	e.op(xor, W32, regStrip, regStrip)
	top := e.NewLabel()
	e.Bind(top)
	body()
	e.opImm(add, W32, regQuad, 4*n)
	e.opImm(add, W32, regStrip, 32*n)
	e.opImm(cmp, W32, regQuad, 4*strips)
	e.jcc(condNE, top)
}

// Passes is how many times EachStrip executes its body.
func (e *Emit) Passes() int { return strips * StripLanes / e.Lanes }

// Pass is the index of the pass that code is for, if EachStrip has unrolled the loop.
func (e *Emit) Pass() int { return int(e.strip) * StripLanes / e.Lanes }

// InPass makes the code of body that of one pass.
func (e *Emit) InPass(n int, body func()) {
	e.unrolled, e.strip, e.masked = true, int32(n*e.Lanes/StripLanes), false
	body()
	e.unrolled = false
}

// needLanes loads, with AVX-512, the executing lanes into maskLanes, until the end of EachExecutingStrip or InPass.
func (e *Emit) needLanes() {
	if !e.masked {
		e.kLoad(W16, maskLanes, e.atQuad(regCtx, 1, ctxStrips))
		e.masked = true
	}
}

// atStrip is the memory at base + disp for the first strip of a warp, with a distance of 32 bytes times scale between
// strips.
func (e *Emit) atStrip(base Reg, scale uint8, disp int32) Mem {
	if e.unrolled {
		return memAt(base, disp+32*int32(scale)*e.strip)
	}
	return atIndex(base, regStrip, scale, disp)
}

// atQuad is atStrip with a distance of 4 bytes times scale.
func (e *Emit) atQuad(base Reg, scale uint8, disp int32) Mem {
	if e.unrolled {
		return memAt(base, disp+4*int32(scale)*e.strip)
	}
	return atIndex(base, regQuad, scale, disp)
}

// EachExecutingStrip is EachStrip for the strips with lanes of Context.Mask. For the other strips it emits skipped:
// SkipPred for each predicate that body collects and PublishNone for each value that it publishes. Nil emits nothing.
func (e *Emit) EachExecutingStrip(short bool, body, skipped func()) {
	e.EachStrip(short, func() {
		execute, next := e.NewLabel(), e.NewLabel()
		e.opStoreImm(cmp, W32, e.atQuad(regCtx, 1, ctxStrips), 0)
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

// Unrolls reports whether EachStrip unrolls its loop.
func (e *Emit) Unrolls(short bool) bool { return short && e.two() }

// setMaskUpper sets maskUpper when code is entered. It changes RAX.
func (e *Emit) setMaskUpper() {
	if e.Level == AVX512 {
		e.movImm(RAX, (1<<StripLanes-1)<<StripLanes)
		e.kFromReg(W16, maskUpper, RAX)
	}
}
