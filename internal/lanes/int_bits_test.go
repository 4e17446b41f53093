package lanes

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"
)

func bitCases() []intCase {
	var cs []intCase
	for _, t := range []struct {
		k                                                                       kind
		shl, shr, popc, clz, brev, bfind, bfindShift, bfe, bfi, cnot, not, slct Func
	}{
		{kinds["u32"], Shl[uint32, uint32], Shr[uint32, uint32], Popc[uint32], Clz[uint32], Brev[uint32],
			Bfind[uint32, uint32], BfindShift[uint32, uint32], Bfe[uint32, uint32], Bfi[uint32], Cnot[uint32], Not[uint32, uint32], SlctInt[uint32]},
		{kinds["s32"], nil, Shr[int32, uint32], nil, nil, nil,
			Bfind[int32, uint32], BfindShift[int32, uint32], Bfe[int32, uint32], nil, nil, nil, nil},
		{kinds["u64"], Shl[uint64, uint64], Shr[uint64, uint64], Popc[uint64], Clz[uint64], Brev[uint64],
			Bfind[uint64, uint64], BfindShift[uint64, uint64], Bfe[uint64, uint64], Bfi[uint64], Cnot[uint64], Not[uint64, uint64], SlctInt[uint64]},
		{kinds["s64"], nil, Shr[int64, uint64], nil, nil, nil,
			Bfind[int64, uint64], BfindShift[int64, uint64], Bfe[int64, uint64], nil, nil, nil, nil},
		{kinds["u16"], Shl[uint16, uint32], Shr[uint16, uint32], nil, nil, nil, nil, nil, nil, nil, nil, Not[uint16, uint32], nil},
		{kinds["s16"], nil, Shr[int16, uint32], nil, nil, nil, nil, nil, nil, nil, nil, nil, nil},
	} {
		k, n := t.k, t.k.bits
		w := k.slot()
		name := fmt.Sprint(n, k.signed)
		highest := func(a uint64) uint64 { // bfind
			sign := uint64(0)
			if k.signed {
				sign = k.bit(a, n-1)
			}
			for i := int(n) - 1; i >= 0; i-- {
				if k.bit(a, uint(i)) != sign {
					return uint64(i)
				}
			}
			return 0xffffffff
		}
		all := []intCase{
			{name: "shl", fn: t.shl, d: w, a: w, b: 32, want: func(a, b, _, _ uint64) uint64 {
				if b >= uint64(n) {
					return 0
				}
				return k.wrap(new(big.Int).Lsh(k.value(a), uint(b)))
			}},
			{name: "shr", fn: t.shr, d: w, a: w, b: 32, want: func(a, b, _, _ uint64) uint64 {
				return k.wrap(new(big.Int).Rsh(k.value(a), uint(min(b, uint64(n)))))
			}},
			{name: "popc", fn: t.popc, d: 32, a: w, want: func(a, _, _, _ uint64) uint64 {
				count := uint64(0)
				for i := range n {
					count += k.bit(a, i)
				}
				return count
			}},
			{name: "clz", fn: t.clz, d: 32, a: w, want: func(a, _, _, _ uint64) uint64 {
				for i := range n {
					if k.bit(a, n-1-i) == 1 {
						return uint64(i)
					}
				}
				return uint64(n)
			}},
			{name: "brev", fn: t.brev, d: w, a: w, want: func(a, _, _, _ uint64) uint64 {
				r := uint64(0)
				for i := range n {
					r |= k.bit(a, i) << (n - 1 - i)
				}
				return r
			}},
			{name: "bfind", fn: t.bfind, d: 32, a: w, want: func(a, _, _, _ uint64) uint64 { return highest(a) }},
			{name: "bfind.shiftamt", fn: t.bfindShift, d: 32, a: w, want: func(a, _, _, _ uint64) uint64 {
				if h := highest(a); h != 0xffffffff {
					return uint64(n) - 1 - h
				}
				return 0xffffffff
			}},
			{name: "bfe", fn: t.bfe, d: w, a: w, b: 32, c: 32, want: func(a, b, c, _ uint64) uint64 {
				pos, length, msb := b&0xff, c&0xff, uint64(n)-1
				sign := uint64(0)
				if k.signed && length > 0 {
					sign = k.bit(a, uint(min(pos+length-1, msb)))
				}
				r := uint64(0)
				for i := uint64(0); i <= msb; i++ {
					v := sign
					if i < length && pos+i <= msb {
						v = k.bit(a, uint(pos+i))
					}
					r |= v << i
				}
				return r
			}},
			{name: "bfi", fn: t.bfi, d: w, a: w, b: w, c: 32, e: 32, want: func(a, b, c, e uint64) uint64 {
				pos, length, msb := c&0xff, e&0xff, uint64(n)-1
				for i := uint64(0); i < length && pos+i <= msb; i++ {
					b = b&^(1<<(pos+i)) | k.bit(a, uint(i))<<(pos+i)
				}
				return b
			}},
			{name: "cnot", fn: t.cnot, d: w, a: w, want: func(a, _, _, _ uint64) uint64 {
				if a == 0 {
					return 1
				}
				return 0
			}},
			{name: "not", fn: t.not, d: w, a: w, want: func(a, _, _, _ uint64) uint64 { return ^a & (1<<n - 1) }},
			{name: "slct", fn: t.slct, d: w, a: w, b: w, c: 32, want: func(a, b, c, _ uint64) uint64 {
				if c>>31 == 0 {
					return a
				}
				return b
			}},
		}
		for _, c := range all {
			if c.fn != nil {
				c.name += "." + name
				cs = append(cs, c)
			}
		}
	}
	return append(cs, wordCases()...)
}

func wordCases() []intCase {
	funnel := func(a, b uint64) *big.Int {
		v := new(big.Int).SetUint64(b)
		return v.Or(v.Lsh(v, 32), new(big.Int).SetUint64(a))
	}
	left := func(a, b, n uint64) uint64 { v := funnel(a, b); return wrap(v.Rsh(v.Lsh(v, uint(n)), 32), 32) }
	right := func(a, b, n uint64) uint64 { v := funnel(a, b); return wrap(v.Rsh(v, uint(n)), 32) }
	cs := []intCase{
		{name: "shf.l.clamp", fn: ShfL, d: 32, a: 32, b: 32, c: 32, want: func(a, b, c, _ uint64) uint64 { return left(a, b, min(c, 32)) }},
		{name: "shf.l.wrap", fn: ShfLWrap, d: 32, a: 32, b: 32, c: 32, want: func(a, b, c, _ uint64) uint64 { return left(a, b, c%32) }},
		{name: "shf.r.clamp", fn: ShfR, d: 32, a: 32, b: 32, c: 32, want: func(a, b, c, _ uint64) uint64 { return right(a, b, min(c, 32)) }},
		{name: "shf.r.wrap", fn: ShfRWrap, d: 32, a: 32, b: 32, c: 32, want: func(a, b, c, _ uint64) uint64 { return right(a, b, c%32) }},
		{name: "bmsk.clamp", fn: Bmsk, d: 32, a: 32, b: 32, want: func(a, b, _, _ uint64) uint64 { return bitRun(min(a, 32), min(b, 32)) }},
		{name: "bmsk.wrap", fn: Bmsk, imm: 31, d: 32, a: 32, b: 32, want: func(a, b, _, _ uint64) uint64 { return bitRun(a%32, b%32) }},
		{name: "min.relu", fn: MinRelu, d: 32, a: 32, b: 32, want: func(a, b, _, _ uint64) uint64 {
			return reluS32(a, b, func(order int) bool { return order < 0 })
		}},
		{name: "max.relu", fn: MaxRelu, d: 32, a: 32, b: 32, want: func(a, b, _, _ uint64) uint64 {
			return reluS32(a, b, func(order int) bool { return order > 0 })
		}},
		{name: "szext.clamp.u32", fn: Szext[uint32], d: 32, a: 32, b: 32, want: func(a, b, _, _ uint64) uint64 { return extendLow(a, min(b, 32), false) }},
		{name: "szext.clamp.s32", fn: Szext[int32], d: 32, a: 32, b: 32, want: func(a, b, _, _ uint64) uint64 { return extendLow(a, min(b, 32), true) }},
		{name: "szext.wrap.u32", fn: Szext[uint32], imm: 31, d: 32, a: 32, b: 32, want: func(a, b, _, _ uint64) uint64 { return extendLow(a, b%32, false) }},
		{name: "szext.wrap.s32", fn: Szext[int32], imm: 31, d: 32, a: 32, b: 32, want: func(a, b, _, _ uint64) uint64 { return extendLow(a, b%32, true) }},
		{name: "fns", fn: Fns, d: 32, a: 32, b: 32, c: 32, want: func(a, b, c, _ uint64) uint64 {
			offset, step := int32(c), 1
			if offset == 0 {
				if b < 32 && a>>b&1 == 1 {
					return b
				}
				return 0xffffffff
			}
			if offset < 0 {
				step = -1
			}
			found := int64(0)
			for i := int64(b); i >= 0 && i < 32; i += int64(step) {
				if a>>uint(i)&1 == 1 {
					found += int64(step)
				}
				if found == int64(offset) {
					return uint64(i)
				}
			}
			return 0xffffffff
		}},
	}
	for _, lut := range []uint64{0, 0x80, 0xe8, 0x96, 0xca, 0x1b, 0xff} {
		cs = append(cs, intCase{name: fmt.Sprintf("lop3 %#x", lut), fn: Lop3, imm: lut, d: 32, a: 32, b: 32, c: 32,
			want: func(a, b, c, _ uint64) (r uint64) {
				for i := range 32 {
					r |= (lut >> (a>>i&1<<2 | b>>i&1<<1 | c>>i&1) & 1) << i
				}
				return r
			}})
	}
	return append(append(cs, prmtCases()...), dotCases()...)
}

// reluS32 returns a or b, selected by take from their order, or 0 if that is negative.
func reluS32(a, b uint64, take func(order int) bool) uint64 {
	x, y := kinds["s32"].value(a), kinds["s32"].value(b)
	if !take(x.Cmp(y)) {
		x = y
	}
	if x.Sign() < 0 {
		return 0
	}
	return x.Uint64()
}

// extendLow returns the low n bits of a with copies of the highest of them, or zeros, above.
func extendLow(a, n uint64, signed bool) (r uint64) {
	for i := range uint64(32) {
		switch {
		case i < n:
			r |= a >> i & 1 << i
		case signed && n > 0:
			r |= a >> (n - 1) & 1 << i
		}
	}
	return r
}

// bitRun returns n ones from bit pos up, within 32 bits.
func bitRun(pos, n uint64) (r uint64) {
	for i := pos; i < min(pos+n, 32); i++ {
		r |= 1 << i
	}
	return r
}

func prmtCases() []intCase {
	pick := func(a, b, i uint64) uint64 { return (b<<32 | a) >> (8 * (i & 7)) & 0xff }
	build := func(byteOf func(k uint64) uint64) (r uint64) {
		for k := range uint64(4) {
			r |= byteOf(k) << (8 * k)
		}
		return r
	}
	cs := []intCase{{name: "prmt", fn: Prmt, d: 32, a: 32, b: 32, c: 32, want: func(a, b, c, _ uint64) uint64 {
		return build(func(k uint64) uint64 {
			sel := c >> (4 * k) & 15
			v := pick(a, b, sel)
			if sel&8 != 0 {
				if v&0x80 != 0 {
					return 0xff
				}
				return 0
			}
			return v
		})
	}}}
	for mode, at := range map[uint64]func(k, c uint64) uint64{
		prmtF4E:  func(k, c uint64) uint64 { return c + k },
		prmtB4E:  func(k, c uint64) uint64 { return (c - k) & 7 },
		prmtRC8:  func(_, c uint64) uint64 { return c },
		prmtECL:  func(k, c uint64) uint64 { return max(k, c) },
		prmtECR:  func(k, c uint64) uint64 { return min(k, c) },
		prmtRC16: func(k, c uint64) uint64 { return k&1 + c&1<<1 },
	} {
		cs = append(cs, intCase{name: fmt.Sprint("prmt mode ", mode), fn: Prmt, imm: mode, d: 32, a: 32, b: 32, c: 32,
			want: func(a, b, c, _ uint64) uint64 {
				return build(func(k uint64) uint64 { return pick(a, b, at(k, c&3)) })
			}})
	}
	return cs
}

func dotCases() []intCase {
	var cs []intCase
	for signs, fns := range map[[2]bool][2]Func{
		{false, false}: {Dp4a[uint8, uint8], Dp2a[uint16, uint8]}, {false, true}: {Dp4a[uint8, int8], Dp2a[uint16, int8]},
		{true, false}: {Dp4a[int8, uint8], Dp2a[int16, uint8]}, {true, true}: {Dp4a[int8, int8], Dp2a[int16, int8]},
	} {
		dot := func(a, b, c uint64, n, aBits uint) uint64 {
			sum := new(big.Int).SetUint64(c)
			ka, kb := kind{aBits, signs[0]}, kind{8, signs[1]}
			for i := range n {
				sum.Add(sum, new(big.Int).Mul(ka.value(a>>(aBits*i)), kb.value(b>>(8*i))))
			}
			return wrap(sum, 32)
		}
		cs = append(cs,
			intCase{name: fmt.Sprint("dp4a", signs), fn: fns[0], d: 32, a: 32, b: 32, c: 32,
				want: func(a, b, c, _ uint64) uint64 { return dot(a, b, c, 4, 8) }},
			intCase{name: fmt.Sprint("dp2a.lo", signs), fn: fns[1], d: 32, a: 32, b: 32, c: 32,
				want: func(a, b, c, _ uint64) uint64 { return dot(a, b, c, 2, 16) }},
			intCase{name: fmt.Sprint("dp2a.hi", signs), fn: fns[1], imm: 16, d: 32, a: 32, b: 32, c: 32,
				want: func(a, b, c, _ uint64) uint64 { return dot(a, b>>16, c, 2, 16) }})
	}
	return cs
}

// TestLop3ComputesPredicate checks the second result of lop3.
func TestLop3ComputesPredicate(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	f := NewFile(fileBytes)
	for range 200 {
		for lane := range Width {
			for _, off := range []uint32{regA, regB, regC} {
				put(f, off, 32, lane, operand(r, 32))
			}
		}
		m, e, old := Mask(r.Uint32()), Mask(r.Uint32()), Mask(r.Uint32())
		and := *Reg[uint32](f, regA)
		for i, b := range Reg[uint32](f, regB) {
			and[i] &= b
		}
		*Pred(f, predE) = e
		for _, c := range []struct {
			name string
			fn   Func
			want func(nonZero, e bool) bool
		}{
			{"and", Lop3And, func(nonZero, e bool) bool { return nonZero && e }},
			{"or", Lop3Or, func(nonZero, e bool) bool { return nonZero || e }},
		} {
			*Pred(f, predD2) = old
			c.fn(f, &Op{D: regD, D2: predD2, A: regA, B: regB, C: regC, E: predE | 1, Imm: 0xc0}, m) // a & b, and not e
			for lane := range Width {
				want := old>>lane&1 != 0
				if m>>lane&1 != 0 {
					want = c.want(and[lane] != 0, e>>lane&1 == 0)
					if got := Reg[uint32](f, regD)[lane]; got != and[lane] {
						t.Fatalf("lop3.%s lane %d: got %#x, want %#x", c.name, lane, got, and[lane])
					}
				}
				if got := *Pred(f, predD2)>>lane&1 != 0; got != want {
					t.Fatalf("lop3.%s lane %d of %08x: got %t, want %t", c.name, lane, uint32(m), got, want)
				}
			}
		}
	}
}
