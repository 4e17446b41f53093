package jit

// Vectors of 4 and 8 bytes are moved as one element, and those of 16 bytes lane by lane, each by one instruction;
// they are unpacked in registers.

// LoadsVector reports whether LoadVector can make an access, into values of a width, or 0 if they differ. It gains
// nothing if all lanes of a subvector read one place.
func (a *Access) LoadsVector(bits uint8, affine bool) bool {
	return a.Elems > 1 && !(affine && a.Stride == 0) && (a.isOne() || a.Size() == 16 && a.Bytes*8 == bits)
}

// StoresVector reports whether StoreVector can make an access, from values of a width, in all lanes or, with some, in
// those where a predicate holds.
func (a *Access) StoresVector(bits uint8, affine, some bool) bool {
	// those would need too many registers
	if a.isOne() && bits != 32 || some && (a.Size() == 16 || a.Size() == 8 && a.Bytes < 4) {
		return false
	}
	return a.LoadsVector(bits, affine)
}

// isOne reports whether a vector is moved as one element.
func (a *Access) isOne() bool { return a.Size() == 4 || a.Size() == 8 }

// asOne is the access with the vector as one element.
func (a *Access) asOne() *Access {
	one := *a
	one.Element, one.Elems = Element{Bytes: uint8(a.Size())}, 1
	return &one
}

// LoadVector reads all elements of each lane of the subvector, by the area's pointer or else by its offsets.
func (e *Emit) LoadVector(d []Val, a *Access, affine bool) {
	if a.isOne() {
		all := e.Temp(uint8(a.Size() * 8))
		if affine {
			e.LoadElement(all, a.asOne(), 0)
		} else {
			e.Gather(all, a.asOne(), 0)
		}
		e.split(d, all, a.Element)
		return
	}
	at := e.places(a, affine)
	l, _ := e.shape(32)
	if a.Bytes == 8 {
		t, n := e.Temp(32).Lo, e.Lanes/2
		for i, v := range [][2]Vec{{d[0].Lo, d[1].Lo}, {d[0].Hi, d[1].Hi}} {
			e.loadRows(t, at, i*n, 2)
			e.loadRows(v[1], at, i*n+1, 2)
			e.v3(vpunpcklqdq, l, v[0], t, v[1])
			e.v3(vpunpckhqdq, l, v[1], t, v[1])
		}
		return
	}
	xy, xyBehind, zw, zwBehind := e.Temp(32).Lo, e.Temp(32).Lo, e.Temp(32).Lo, e.Temp(32).Lo
	for i, v := range d {
		e.loadRows(v.Lo, at, i, 4)
	}
	e.v3(vpunpckldq, l, xy, d[0].Lo, d[1].Lo)
	e.v3(vpunpckldq, l, xyBehind, d[2].Lo, d[3].Lo)
	e.v3(vpunpckhdq, l, zw, d[0].Lo, d[1].Lo)
	e.v3(vpunpckhdq, l, zwBehind, d[2].Lo, d[3].Lo)
	e.v3(vpunpcklqdq, l, d[0].Lo, xy, xyBehind)
	e.v3(vpunpckhqdq, l, d[1].Lo, xy, xyBehind)
	e.v3(vpunpcklqdq, l, d[2].Lo, zw, zwBehind)
	e.v3(vpunpckhqdq, l, d[3].Lo, zw, zwBehind)
}

// StoreVector writes all elements of the lanes of the subvector where p holds, or of all if p is nil, by the area's
// pointer or else by its offsets. If lanes have the same place the highest wins.
func (e *Emit) StoreVector(v []Val, a *Access, affine bool, p *Val) {
	if a.isOne() {
		all := e.joined(v, a.Bytes)
		if affine {
			e.StoreElement(all, a.asOne(), 0, p)
		} else {
			e.Scatter(all, a.asOne(), 0, p)
		}
		return
	}
	at := e.places(a, affine)
	l, _ := e.shape(32)
	if a.Bytes == 8 {
		even, odd, n := e.Temp(32).Lo, e.Temp(32).Lo, e.Lanes/2
		for i, part := range [][2]Vec{{v[0].Lo, v[1].Lo}, {v[0].Hi, v[1].Hi}} {
			e.v3(vpunpcklqdq, l, even, part[0], part[1])
			e.v3(vpunpckhqdq, l, odd, part[0], part[1])
			e.storeRows([]Vec{even, odd}, at, i*n)
		}
		return
	}
	x, y, z, w := v[0].Lo, v[1].Lo, v[2].Lo, v[3].Lo
	xy, xyBehind, zw, zwBehind, first := e.Temp(32).Lo, e.Temp(32).Lo, e.Temp(32).Lo, e.Temp(32).Lo, e.Temp(32).Lo
	e.v3(vpunpckldq, l, xy, x, y)
	e.v3(vpunpckhdq, l, xyBehind, x, y)
	e.v3(vpunpckldq, l, zw, z, w)
	e.v3(vpunpckhdq, l, zwBehind, z, w)
	e.v3(vpunpcklqdq, l, first, xy, zw)
	e.v3(vpunpckhqdq, l, xy, xy, zw)
	e.v3(vpunpcklqdq, l, zw, xyBehind, zwBehind)
	e.v3(vpunpckhqdq, l, xyBehind, xyBehind, zwBehind)
	e.storeRows([]Vec{first, xy, zw, xyBehind}, at, 0)
}

// split unpacks the consecutive elements in all into d. It changes all.
func (e *Emit) split(d []Val, all Val, t Element) {
	word := e.Temp(32)
	for k, v := range d {
		if k > 0 {
			e.shift(byWidth(all.Bits, vpsrld, vpsrlq), all, all, 8*t.Bytes)
		}
		to := v
		if v.Bits == 64 {
			to = word
		}
		if all.Bits == 64 {
			e.Narrow(to, all)
		} else {
			e.Move(to, all)
		}
		if t.Bytes < 4 {
			e.AndConst(to, to, 1<<(8*t.Bytes)-1)
		}
		e.extend(v, to, t)
	}
}

// joined concatenates elements, the low bytes of words, to 4 or 8 bytes.
func (e *Emit) joined(v []Val, bytes uint8) Val {
	if int(bytes)*len(v) == 8 {
		low, high := e.Temp(64), e.Temp(64)
		e.Widen(low, e.joinedWord(v[:len(v)/2], bytes), false)
		e.Widen(high, e.joinedWord(v[len(v)/2:], bytes), false)
		e.shift(vpsllq, high, high, 32)
		e.Or(low, low, high)
		return low
	}
	return e.joinedWord(v, bytes)
}

// joinedWord is joined for 4 bytes in total.
func (e *Emit) joinedWord(v []Val, bytes uint8) Val {
	if len(v) == 1 {
		return v[0]
	}
	word, next := e.Temp(32), e.Temp(32)
	e.AndConst(word, v[0], 1<<(8*bytes)-1)
	for k, v := range v[1:] {
		e.AndConst(next, v, 1<<(8*bytes)-1)
		e.shift(vpslld, next, next, 8*bytes*uint8(k+1))
		e.Or(word, word, next)
	}
	return word
}

// places is the place of the access for each lane of the subvector, which may use RAX and RCX.
func (e *Emit) places(a *Access, affine bool) func(lane int) Mem {
	disp := a.disp(0)
	if !affine {
		e.data(a.Area)
		offsets := e.atSubvector(regCtx, 1, ctxOffsets+4*32*int32(a.Number))
		return func(lane int) Mem {
			e.Load(W32, RCX, offsets.plus(4*int32(lane)))
			return atIndex(RAX, RCX, 1, disp)
		}
	}
	var low, high Mem
	if e.two() {
		lowAt, highAt := e.pointers(a.Area)
		low, high = memAt(lowAt, disp), memAt(highAt, disp)
	} else {
		low = memAt(e.pointerIn(a.Area), disp)
	}
	return func(lane int) Mem { return subvectorLane(a, low, high, lane) }
}

// loadRows reads the 16 bytes of a lane into the lowest part of d, and those of lanes at multiples of distance into
// the next parts.
func (e *Emit) loadRows(d Vec, at func(lane int) Mem, lane, distance int) {
	e.v2M(vmovdqu, l128, d, at(lane))
	e.v3MI(vinserti128, l256, d, d, at(lane+distance), 1)
	if e.two() {
		e.v3MI(vinserti32X4, l512, d, d, at(lane+2*distance), 2)
		e.v3MI(vinserti32X4, l512, d, d, at(lane+3*distance), 3)
	}
}

// storeRows writes parts of 16 bytes to consecutive lanes: the lowest one of each vector, then the next of each.
func (e *Emit) storeRows(rows []Vec, at func(lane int) Mem, lane int) {
	parts := 2
	if e.two() {
		parts = 4
	}
	for part := range parts {
		for i, v := range rows {
			switch m := at(lane + part*len(rows) + i); part {
			case 0:
				e.vStore(vmovdqu, l128, m, v)
			case 1:
				e.vStoreI(vextracti128, l256, m, v, 1)
			default:
				e.vStoreI(vextracti32X4, l512, m, v, uint8(part))
			}
		}
	}
}
