package jit

// Elements of less than 32 bits have zeros above.

// Pack concatenates elements, the first lowest.
func (e *Emit) Pack(d Val, elems []Val) {
	if d.Bits != 64 {
		e.packWord(d, elems)
		return
	}
	low, high, t := e.Temp(32), e.Temp(32), e.Temp(64)
	half := len(elems) / 2
	e.packWord(low, elems[:half])
	e.packWord(high, elems[half:])
	e.Widen(d, low, false)
	e.Widen(t, high, false)
	e.shift(vpsllq, t, t, 32)
	e.Or(d, d, t)
}

// packWord is Pack for a word.
func (e *Emit) packWord(d Val, elems []Val) {
	e.Move(d, elems[0])
	t := e.Temp(32)
	for i, v := range elems[1:] {
		e.ShiftLeftBy(t, v, uint8(32/len(elems)*(i+1)))
		e.Or(d, d, t)
	}
}

// Unpack is the reverse of Pack. It skips elements without a width.
func (e *Emit) Unpack(elems []Val, a Val) {
	if a.Bits != 64 {
		e.unpackWord(elems, a)
		return
	}
	word, t := e.Temp(32), e.Temp(64)
	half := len(elems) / 2
	e.Narrow(word, a)
	e.unpackWord(elems[:half], word)
	e.shift(vpsrlq, t, a, 32)
	e.Narrow(word, t)
	e.unpackWord(elems[half:], word)
}

func (e *Emit) unpackWord(elems []Val, a Val) {
	bits := uint8(32 / len(elems))
	for i, d := range elems {
		if d.Bits != 0 {
			e.Field(d, a, bits*uint8(i), bits, false)
		}
	}
}
