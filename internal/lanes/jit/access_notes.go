package jit

// Code may record which words of memory it accesses, so that these can be compared with the accesses of other host
// threads: a byte for each word, 0xff if it was accessed, in pages that Hint.Notes points to. This does not affect
// the accesses themselves.

// Pages of notes. The notes of a row of words that begins in one page continue in the NoteOverhang bytes after those
// of the page.
const (
	NotePageBytes = 2 << 10 // bytes of memory that a page covers
	NoteOverhang  = 64      // words
	noteWord      = 4       // bytes of a word

	notePageShift = 11
	noteWordShift = 2
)

// ask asks for the page of the place RAX in memory, and resumes at l.
func (e *Emit) ask(a *Area, routine, l Label) {
	e.store(W64, memAt(regCtx, ctxAskedAt), RAX)
	e.request(int32(a.PC), routine, l)
}

// UnlessReadsNoted jumps to l if reads are not recorded.
func (e *Emit) UnlessReadsNoted(l Label) {
	e.opStoreImm(cmp, W32, memAt(regCtx, ctxReadsNoted), 0)
	e.jcc(condE, l)
}

// Note records an access by its area's pointers if it is affine, else by its offsets. In its loop over subvectors
// executing returns the lanes that make the access, as for StoreElement. It uses only RAX, RCX and RDX, and vectors
// are not preserved. routine is that of AskRoutine.
func (e *Emit) Note(a *Access, affine bool, executing func() *Val, routine Label) {
	done := e.NewLabel()
	h := e.hint(a.Area)
	e.Load(W64, RDX, h.plus(hintNotes))
	e.test(W64, RDX, RDX)
	e.jcc(condE, done)
	e.store(W64, memAt(regCtx, ctxNoted), RDX)
	e.Load(W64, RDX, h.plus(hintData))
	e.store(W64, memAt(regCtx, ctxNotedData), RDX)
	missing, again := e.NewLabel(), e.NewLabel()
	e.EachSubvector(false, func() {
		e.Bind(again)
		next := e.NewLabel()
		e.noteSubvector(a, affine, executing(), missing, next)
		e.Bind(next)
	})
	over := e.NewLabel()
	e.Jmp(over)
	e.Bind(missing)
	e.ask(a.Area, routine, again)
	e.Bind(over)
	e.Bind(done)
}

// noteSubvector records the accesses of the lanes of a subvector where p holds, or of all if it is nil.
func (e *Emit) noteSubvector(a *Access, affine bool, p *Val, missing, next Label) {
	size := a.Size()
	if a.anywhere() {
		e.unlessAtHint(a.Area, next)
	}
	if p != nil {
		e.vToReg(vmovmskps, l256, RCX, p.Lo)
		e.test(W32, RCX, RCX)
		e.jcc(condE, next)
	}
	lanes := e.NewLabel()
	row := affine && a.Stride == size && size >= noteWord
	if affine && (a.Stride == 0 || row) {
		if row && p != nil {
			e.opImm(cmp, W32, RCX, 1<<SubvectorLanes-1)
			e.jcc(condNE, lanes)
		}
		e.noteAt(a)
		e.notePage(missing)
		bytes := max(size/noteWord, 1)
		if row {
			bytes *= SubvectorLanes
		}
		e.noteBytes(bytes)
		if !row || p == nil {
			return
		}
		e.Jmp(next)
	}
	e.Bind(lanes)
	if p == nil {
		e.movImm(RCX, 1<<SubvectorLanes-1)
	}
	e.eachBit(func() {
		if affine {
			e.Asm.imulImm(W64, RDX, RCX, int32(a.Stride))
			e.noteAt(a)
			e.op(add, W64, RAX, RDX)
		} else {
			at := e.atSubvector(regCtx, 1, ctxOffsets+4*32*int32(a.Number))
			e.lea(RAX, at)
			e.Load(W32, RAX, atIndex(RAX, RCX, 4, 0))
			if d := a.disp(0); d != 0 {
				e.opImm(add, W64, RAX, d)
			}
		}
		e.notePage(missing)
		e.noteBytes(max(size/noteWord, 1))
	})
}

// eachBit writes a loop over the bits of ECX, which is not 0. The body has a bit's number in RCX, and may change RCX;
// the rest is saved in the Context.
func (e *Emit) eachBit(body func()) {
	top := e.NewLabel()
	e.store(W32, memAt(regCtx, ctxExit), RCX)
	e.Bind(top)
	e.Load(W32, RDX, memAt(regCtx, ctxExit))
	e.tzcnt(W32, RCX, RDX)
	e.blsr(W32, RDX, RDX)
	e.store(W32, memAt(regCtx, ctxExit), RDX)
	body()
	e.opStoreImm(cmp, W32, memAt(regCtx, ctxExit), 0)
	e.jcc(condNE, top)
}

// noteAt sets RAX to the place in memory of the first lane of a subvector, by the area's pointer.
func (e *Emit) noteAt(a *Access) {
	e.pointer(RAX, a.Area)
	e.opLoad(sub, W64, RAX, memAt(regCtx, ctxNotedData))
	if d := a.disp(0); d != 0 {
		e.opImm(add, W64, RAX, d)
	}
}

// notePage sets RDX to the page of the place RAX in memory, and RAX to the word in the page. It jumps to missing,
// with RAX unchanged, if there is no such page. It uses RCX.
func (e *Emit) notePage(missing Label) {
	e.mov(W64, RCX, RAX)
	e.shiftImm(shr, W64, RCX, notePageShift)
	e.Load(W64, RDX, memAt(regCtx, ctxNoted))
	e.Load(W64, RDX, atIndex(RDX, RCX, 8, 0))
	e.test(W64, RDX, RDX)
	e.jcc(condE, missing)
	e.shiftImm(shr, W32, RAX, noteWordShift)
	e.opImm(and, W32, RAX, NotePageBytes/noteWord-1)
}

// noteBytes marks n words from RAX on of the page RDX.
func (e *Emit) noteBytes(n int64) {
	w, step := W64, int64(8)
	if n < 8 {
		w, step = elementWidth(uint8(n)), n
	}
	for i := int64(0); i < n; i += step {
		e.storeImm(w, atIndex(RDX, RAX, 1, int32(i)), -1)
	}
}
