package jit

// Bits of integers: fields, counts and permutations.

// SignExtend is the low bits of a as a signed number.
func (e *Emit) SignExtend(d, a Val, bits uint8) { e.Field(d, a, 0, bits, true) }

// Field is the field of a, of 32 bits, at a bit position, with a length, extended.
func (e *Emit) Field(d, a Val, at, length uint8, signed bool) {
	right := vpsrld
	if signed {
		right = vpsrad
	}
	switch left := 32 - at - length; {
	case at == 0 && left == 0:
		e.Move(d, a)
	case left == 0:
		e.shift(right, d, a, at)
	case at == 0 && !signed:
		e.AndConst(d, a, 1<<length-1)
	default:
		e.shift(vpslld, d, a, left)
		e.shift(right, d, d, 32-length)
	}
}

// shiftSigned64 is d = a >> n, filled with the sign, for 64-bit n: AVX2 has no such shift.
func (e *Emit) shiftSigned64(d, a, n, temp Val) {
	if e.Level == AVX512 {
		e.op3(vpsravq, d, a, n)
		return
	}
	e.Const(temp, 0)
	e.op3(vpcmpgtq, temp, temp, a)
	e.Xor(d, a, temp)
	e.op3(vpsrlvq, d, d, n)
	e.Xor(d, d, temp)
}

// ShiftLeftBy is d = a << n, 0 if n is the width or more.
func (e *Emit) ShiftLeftBy(d, a Val, n uint8) { e.shift(byWidth(d.Bits, vpslld, vpsllq), d, a, n) }

// ShiftRightBy is d = a >> n, filled with the sign if signed, else with zeros; all bits are fill if n is the width or
// more.
func (e *Emit) ShiftRightBy(d, a Val, n uint8, signed bool) {
	switch {
	case !signed:
		e.shift(byWidth(d.Bits, vpsrld, vpsrlq), d, a, n)
	case d.Bits == 64 && e.Level < AVX512: // it has no such shift
		t := e.Temp(64)
		e.Const(t, 0)
		e.op3(vpcmpgtq, t, t, a)
		e.Xor(d, a, t)
		e.shift(vpsrlq, d, d, n)
		e.Xor(d, d, t)
	default:
		e.shift(byWidth(d.Bits, vpsrad, vpsraq), d, a, n)
	}
}

// IsZero is 1 if a is 0, else 0.
func (e *Emit) IsZero(d, a Val) {
	e.Const(d, 0)
	e.op3(byWidth(d.Bits, vpcmpeqd, vpcmpeqq), d, d, a)
	e.shift(byWidth(d.Bits, vpsrld, vpsrlq), d, d, d.Bits-1)
}

// FunnelLeft is the high word of b:a << n. N is clamped to 32, or taken modulo 32.
func (e *Emit) FunnelLeft(d, a, b, n Val, wrap bool) {
	t, u := e.funnelCounts(n, wrap)
	e.op3(vpsllvd, d, b, t)
	e.op3(vpsrlvd, u, a, u)
	e.Or(d, d, u)
}

// FunnelRight is the low word of b:a >> n.
func (e *Emit) FunnelRight(d, a, b, n Val, wrap bool) {
	t, u := e.funnelCounts(n, wrap)
	e.op3(vpsrlvd, d, a, t)
	e.op3(vpsllvd, u, b, u)
	e.Or(d, d, u)
}

// FunnelLeftBy is FunnelLeft by a constant number of bits, 0 to 32.
func (e *Emit) FunnelLeftBy(d, a, b Val, n uint8) {
	t := e.Temp(32)
	e.ShiftLeftBy(d, b, n)
	e.ShiftRightBy(t, a, 32-n, false)
	e.Or(d, d, t)
}

// funnelCounts are the count, and 32 minus the count: a shift by 32 gives 0.
func (e *Emit) funnelCounts(n Val, wrap bool) (count, rest Val) {
	count, rest = e.Temp(32), e.Temp(32)
	if wrap {
		e.AndConst(count, n, 31)
	} else {
		e.op3m(vpminud, count, n, e.constant(32, 32))
	}
	e.Const(rest, 32)
	e.Sub(rest, rest, count)
	return count, rest
}

// count8 is the low 8 bits of a count, at the width of the value to shift.
func (e *Emit) count8(n Val, bits uint8) Val {
	t := e.Temp(bits)
	if bits == 64 {
		e.Widen(t, n, false)
	} else {
		e.Move(t, n)
	}
	e.AndConst(t, t, 0xff)
	return t
}

// Extract is the field of a at bit pos of length n, extended with its sign, or a's, if signed. Only the low 8 bits of
// pos and n count.
func (e *Emit) Extract(d, a, pos, n Val, signed bool) {
	bits := a.Bits
	left := byWidth(bits, vpsllvd, vpsllvq)
	t := e.count8(pos, bits)
	if !signed {
		e.op3(byWidth(bits, vpsrlvd, vpsrlvq), d, a, t)
		e.lowBits(t, e.count8(n, bits))
		e.And(d, d, t)
		return
	}
	var temp Val
	if bits == 64 {
		temp = e.Temp(64)
		e.shiftSigned64(d, a, t, temp)
		e.Widen(t, n, false)
	} else {
		e.op3(vpsravd, d, a, t)
		e.Move(t, n)
	}
	e.AndConst(t, t, 0xff)
	e.spare(t, t)
	e.op3(left, d, d, t)
	if bits == 64 {
		e.shiftSigned64(d, d, t, temp)
		return
	}
	e.op3(vpsravd, d, d, t)
}

// spare is the width minus n, or 0 if n is more. For 64 bits, the upper 32 are 0.
func (e *Emit) spare(d, n Val) {
	e.op3m(vpminud, d, n, e.constant(uint64(n.Bits), n.Bits))
	t := e.Temp(n.Bits)
	e.Const(t, uint64(n.Bits))
	e.Sub(d, t, d)
}

// lowBits is a mask of the n lowest bits.
func (e *Emit) lowBits(d, n Val) {
	e.Const(d, 1)
	e.op3(byWidth(d.Bits, vpsllvd, vpsllvq), d, d, n)
	e.AddConst(d, d, ^uint64(0))
}

// Insert is b with the low n bits of a at bit pos. Only the low 8 bits of pos and n count.
func (e *Emit) Insert(d, a, b, pos, n Val) {
	shift := byWidth(d.Bits, vpsllvd, vpsllvq)
	at, mask := e.count8(pos, d.Bits), e.Temp(d.Bits)
	if d.Bits == 64 {
		e.Widen(d, n, false)
	} else {
		e.Move(d, n)
	}
	e.AndConst(d, d, 0xff)
	e.lowBits(mask, d)
	e.op3(shift, mask, mask, at)
	e.op3(shift, d, a, at)
	e.And(d, d, mask)
	e.AndNot(mask, mask, b)
	e.Or(d, d, mask)
}

// Mask is n bits from bit pos up.
func (e *Emit) Mask(d, pos, n Val, wrap bool) {
	if wrap {
		t := e.Temp(32)
		e.AndConst(t, n, 31)
		e.lowBits(d, t)
		e.AndConst(t, pos, 31)
		pos = t
	} else {
		e.lowBits(d, n)
	}
	e.op3(vpsllvd, d, d, pos)
}

// ExtendLow is the low n bits of a, extended; all if n is 32 or more, or n modulo 32.
func (e *Emit) ExtendLow(d, a, n Val, wrap, signed bool) {
	t := e.Temp(32)
	if wrap {
		e.AndConst(t, n, 31)
		n = t
	}
	e.spare(t, n)
	e.op3(vpsllvd, d, a, t)
	if signed {
		e.op3(vpsravd, d, d, t)
		return
	}
	e.op3(vpsrlvd, d, d, t)
}

// pair is a vector in memory that repeats 16 bytes.
func (e *Emit) pair(low, high uint64) Mem {
	return e.pooled(poolConstant{bits: low, high: high, wide: true, kind: poolPair})
}

// nibbles looks up the low, or else the upper, nibble of each byte of a in a table of 16 bytes.
func (e *Emit) nibbles(d, a Val, upper bool, low, high uint64) {
	table := e.Temp(32)
	l, n := e.shape(d.Bits)
	e.v2M(vmovdqu, l, table.Lo, e.pair(low, high))
	if upper {
		e.shift(vpsrlw, d, a, 4)
		a = d
	}
	e.AndConst(d, a, 0x0f0f0f0f0f0f0f0f)
	e.v3(vpshufb, l, d.Lo, table.Lo, d.Lo)
	if n == 2 {
		e.v3(vpshufb, l, d.Hi, table.Lo, d.Hi)
	}
}

// The number of ones of a nibble.
const (
	countsLow  = 0x0302020102010100
	countsHigh = 0x0403030203020201
)

// CountOnes is the number of ones in a, in 32 bits.
func (e *Emit) CountOnes(d, a Val) {
	s, t := d, e.Temp(a.Bits)
	if a.Bits == 64 {
		s = e.Temp(64)
	}
	e.nibbles(s, a, false, countsLow, countsHigh)
	e.nibbles(t, a, true, countsLow, countsHigh)
	e.op3(vpaddb, s, s, t)
	for n := a.Bits / 2; n >= 8; n /= 2 {
		e.shift(byWidth(a.Bits, vpsrld, vpsrlq), t, s, n)
		e.op3(vpaddb, s, s, t)
	}
	e.AndConst(s, s, 0xff)
	if a.Bits == 64 {
		e.Narrow(d, s)
	}
}

// LeadingZeros is the number of zeros above the highest one in a, in 32 bits.
func (e *Emit) LeadingZeros(d, a Val) {
	switch {
	case a.Bits != 64:
		e.leadingZeros32(d, a, e.Temp(32))
		return
	case e.Level == AVX512:
		w := e.Temp(64)
		e.op2(vplzcntq, w, a)
		e.Narrow(d, w)
		return
	}
	// Zeros of the upper word, plus those of the lower one if the upper is 0.
	w, t, x := e.Temp(64), e.Temp(32), e.Temp(32)
	e.shift(vpsrlq, w, a, 32)
	e.Narrow(x, w)
	e.leadingZeros32(d, x, t)
	e.Narrow(x, a)
	u := Val{Bits: 32, Lo: w.Lo}
	e.leadingZeros32(u, x, t)
	e.v3M(vpcmpeqd, e.length32(), t.Lo, d.Lo, e.constant(32, 32))
	e.And(u, u, t)
	e.Add(d, d, u)
}

func (e *Emit) length32() length {
	l, _ := e.shape(32)
	return l
}

// leadingZeros32 counts them or, without an instruction for that, reads the count from the exponent of a float. It
// clears the bit below the highest one, so that rounding cannot reach the next power of two.
func (e *Emit) leadingZeros32(d, a, temp Val) {
	if e.Level == AVX512 {
		e.op2(vplzcntd, d, a)
		return
	}
	e.shift(vpsrld, temp, a, 1)
	e.AndNot(temp, temp, a)
	e.op2(vcvtdq2PS, temp, temp)
	e.shift(vpsrld, temp, temp, 23) // the sign is above the exponent
	e.Const(d, 127+31)
	e.Sub(d, d, temp)
	e.Const(temp, 0)
	e.op3(vpmaxsd, d, d, temp)
	e.op3m(vpminsd, d, d, e.constant(32, 32))
}

// HighestBit is the position of the highest bit of a that differs from its sign, or all ones. With shift it is the
// left shift that brings that bit to the top.
func (e *Emit) HighestBit(d, a Val, signed, shift bool) {
	bits := uint64(a.Bits)
	if signed {
		t := e.Temp(a.Bits)
		e.Const(t, 0)
		e.op3(byWidth(a.Bits, vpcmpgtd, vpcmpgtq), t, t, a)
		e.Xor(t, t, a)
		a = t
	}
	e.LeadingZeros(d, a)
	t := e.Temp(32)
	if shift {
		e.v3M(vpcmpeqd, e.length32(), t.Lo, d.Lo, e.constant(bits, 32))
		e.Or(d, d, t)
		return
	}
	e.Const(t, bits-1)
	e.Sub(d, t, d)
}

// Reverse is a with its bits in reverse order.
func (e *Emit) Reverse(d, a Val) {
	const (
		lowFirst, highFirst = 0x0e060a020c040800, 0x0f070b030d050901 // nibbles in reverse order
		swapLow, swapHigh   = 0x0405060700010203, 0x0c0d0e0f08090a0b
		flipLow, flipHigh   = 0x0001020304050607, 0x08090a0b0c0d0e0f
	)
	t := e.Temp(a.Bits)
	e.nibbles(t, a, true, lowFirst, highFirst)
	e.nibbles(d, a, false, lowFirst<<4, highFirst<<4)
	e.Or(d, d, t)
	order := e.pair(swapLow, swapHigh)
	if a.Bits == 64 {
		order = e.pair(flipLow, flipHigh)
	}
	e.op3m(vpshufb, d, d, order)
}

// Permute is four of the eight bytes b:a, selected by the nibbles of c: the lower three bits select a byte, the upper
// one replaces it by copies of its sign.
func (e *Emit) Permute(d, a, b, c Val) {
	t := e.Temp(32)
	// One nibble in each byte.
	e.AndConst(t, c, 0xffff)
	e.shift(vpslld, d, t, 8)
	e.Or(t, t, d)
	e.AndConst(t, t, 0x00ff00ff)
	e.shift(vpslld, d, t, 4)
	e.Or(t, t, d)
	e.AndConst(t, t, 0x0f0f0f0f)
	e.permute(d, a, b, t)
}

// PermuteMode is Permute with nibbles from one of four selectors, by the low two bits of c.
func (e *Emit) PermuteMode(d, a, b, c Val, selectors [4]uint32) {
	var table [2]uint64
	for i, s := range selectors {
		for k := range 4 {
			table[i/2] |= uint64(s>>(4*k)&0xf) << (32*(i%2) + 8*k)
		}
	}
	t := e.Temp(32)
	e.AndConst(t, c, 3)
	e.shift(vpslld, t, t, 2)
	e.op3m(vpshufb, t, t, e.pair(0x0404040400000000, 0x0c0c0c0c08080808))
	e.op3m(vpaddb, t, t, e.constant(0x03020100, 32))
	l, _ := e.shape(32)
	e.v2M(vmovdqu, l, d.Lo, e.pair(table[0], table[1]))
	e.op3(vpshufb, t, d, t)
	e.permute(d, a, b, t)
}

// permute is Permute with nibbles that are in bytes.
func (e *Emit) permute(d, a, b, nibbles Val) {
	u, choice := e.Temp(32), e.Temp(32)
	l := e.length32()
	e.AndConst(d, nibbles, 0x03030303)
	e.op3m(vpor, d, d, e.pair(0x0404040400000000, 0x0c0c0c0c08080808)) // bytes of the lane's own word
	e.op3(vpshufb, u, b, d)
	e.op3(vpshufb, d, a, d)
	e.shift(vpslld, choice, nibbles, 5) // the blend selects by the top bit of a byte
	e.v4(vpblendvb, l, d.Lo, d.Lo, u.Lo, choice.Lo)
	e.Const(u, 0)
	e.op3(vpcmpgtb, u, u, d)
	e.shift(vpslld, choice, nibbles, 4)
	e.v4(vpblendvb, l, d.Lo, d.Lo, u.Lo, choice.Lo)
}

// Logic applies a truth table to each bit of a, b and c: entry 4a+2b+c.
func (e *Emit) Logic(d, a, b, c Val, table uint8) {
	if e.Level == AVX512 {
		e.Move(d, a)
		e.op3i(vpternlogd, d, b, c, table)
		return
	}
	e.logic3(d, a, b, c, table&0xf, table>>4)
}

// logic3 is zero, a table for b and c, where a is 0, and the table one elsewhere.
func (e *Emit) logic3(d, a, b, c Val, zero, one uint8) {
	switch {
	case zero == one:
		e.logic2(d, b, c, zero)
	case one == 0xf:
		e.logic2(d, b, c, zero)
		e.Or(d, d, a)
	case zero == 0:
		e.logic2(d, b, c, one)
		e.And(d, d, a)
	case one == 0:
		e.logic2(d, b, c, zero)
		e.AndNot(d, a, d)
	case one == zero^0xf:
		e.logic2(d, b, c, zero)
		e.Xor(d, d, a)
	default:
		t := e.Temp(32)
		e.logic2(t, b, c, zero^one)
		e.And(t, t, a)
		e.logic2(d, b, c, zero)
		e.Xor(d, d, t)
	}
}

// logic2 applies a truth table to each bit of b and c: entry 2b+c.
func (e *Emit) logic2(d, b, c Val, table uint8) {
	switch table {
	case 0b0000:
		e.Const(d, 0)
	case 0b1111:
		e.Const(d, 1<<32-1)
	case 0b1100:
		e.Move(d, b)
	case 0b1010:
		e.Move(d, c)
	case 0b0011:
		e.Not(d, b)
	case 0b0101:
		e.Not(d, c)
	case 0b1000:
		e.And(d, b, c)
	case 0b1110:
		e.Or(d, b, c)
	case 0b0110:
		e.Xor(d, b, c)
	case 0b0010:
		e.AndNot(d, b, c)
	case 0b0100:
		e.AndNot(d, c, b)
	default: // the complement of one of those
		e.logic2(d, b, c, table^0xf)
		e.Not(d, d)
	}
}

// NotZero is the lanes in which a, of 32 bits, is not 0.
func (e *Emit) NotZero(d, a Val) {
	e.Const(d, 0)
	e.op3(vpcmpeqd, d, d, a)
	e.Not(d, d)
}

// Negative is the lanes in which a, of 32 bits, is negative.
func (e *Emit) Negative(d, a Val) { e.shift(vpsrad, d, a, 31) }
