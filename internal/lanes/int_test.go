package lanes

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/simtrun/simtrun/internal/short"
)

// The reference for integer lane functions works on big integers and single
// bits, straight from the definitions in the PTX ISA, and shares nothing with
// the functions under test.

// kind is an integer type: its width in bits and signedness.
type kind struct {
	bits   uint
	signed bool
}

func (k kind) slot() uint {
	if k.bits > 32 {
		return 64
	}
	return 32
}

// value returns the number of the low bits of x.
func (k kind) value(x uint64) *big.Int {
	v := new(big.Int).SetUint64(x & (1<<k.bits - 1))
	if k.signed && v.Bit(int(k.bits)-1) == 1 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), k.bits))
	}
	return v
}

// wrap returns the low bits of v in the format of a slot.
func wrap(v *big.Int, bits uint) uint64 {
	m := new(big.Int).Lsh(big.NewInt(1), bits)
	return new(big.Int).Mod(v, m).Uint64()
}

func (k kind) wrap(v *big.Int) uint64 { return wrap(v, k.bits) }

func (k kind) bit(x uint64, i uint) uint64 { return x >> i & 1 }

// intCase is one lane function with its reference: the result of sources in the format of slots.
type intCase struct {
	name       string
	fn         Func
	d, a, b, c uint // slot widths in bits; 0: no such source
	e          uint
	imm        uint64
	want       func(a, b, c, e uint64) uint64
}

func bi(n int64) *big.Int { return big.NewInt(n) }

var kinds = map[string]kind{"u16": {16, false}, "s16": {16, true}, "u32": {32, false}, "s32": {32, true}, "u64": {64, false}, "s64": {64, true}}

// perType makes a case for each type in fns.
func perType(name string, fns map[string]Func, sources int, want func(k kind, a, b, c uint64) uint64) []intCase {
	var cs []intCase
	for t, fn := range fns {
		k := kinds[t]
		c := intCase{name: name + "." + t, fn: fn, d: k.slot(), a: k.slot(), want: func(a, b, c, _ uint64) uint64 { return want(k, a, b, c) }}
		if sources > 1 {
			c.b = k.slot()
		}
		if sources > 2 {
			c.c = k.slot()
		}
		cs = append(cs, c)
	}
	return cs
}

func allInts(u16, s16, u32, s32, u64, s64 Func) map[string]Func {
	return map[string]Func{"u16": u16, "s16": s16, "u32": u32, "s32": s32, "u64": u64, "s64": s64}
}

func intCases() []intCase {
	var cs []intCase
	add := func(c ...intCase) { cs = append(cs, c...) }
	bin := func(name string, fns map[string]Func, op func(z, x, y *big.Int) *big.Int) {
		add(perType(name, fns, 2, func(k kind, a, b, _ uint64) uint64 {
			return k.wrap(op(new(big.Int), k.value(a), k.value(b)))
		})...)
	}
	bin("add", allInts(Add[uint16, uint32], Add[int16, uint32], Add[uint32, uint32], Add[int32, uint32], Add[uint64, uint64], Add[int64, uint64]), (*big.Int).Add)
	bin("sub", allInts(Sub[uint16, uint32], Sub[int16, uint32], Sub[uint32, uint32], Sub[int32, uint32], Sub[uint64, uint64], Sub[int64, uint64]), (*big.Int).Sub)
	bin("mul.lo", allInts(MulLo[uint16, uint32], MulLo[int16, uint32], MulLo[uint32, uint32], MulLo[int32, uint32], MulLo[uint64, uint64], MulLo[int64, uint64]), (*big.Int).Mul)
	bin("min", allInts(Min[uint16, uint32], Min[int16, uint32], Min[uint32, uint32], Min[int32, uint32], Min[uint64, uint64], Min[int64, uint64]),
		func(_, x, y *big.Int) *big.Int {
			if x.Cmp(y) < 0 {
				return x
			}
			return y
		})
	bin("max", allInts(Max[uint16, uint32], Max[int16, uint32], Max[uint32, uint32], Max[int32, uint32], Max[uint64, uint64], Max[int64, uint64]),
		func(_, x, y *big.Int) *big.Int {
			if x.Cmp(y) > 0 {
				return x
			}
			return y
		})
	bin("div", allInts(Div[uint16, uint32], Div[int16, uint32], Div[uint32, uint32], Div[int32, uint32], Div[uint64, uint64], Div[int64, uint64]),
		func(z, x, y *big.Int) *big.Int {
			if y.Sign() == 0 {
				return bi(-1)
			}
			return z.Quo(x, y)
		})
	bin("rem", allInts(Rem[uint16, uint32], Rem[int16, uint32], Rem[uint32, uint32], Rem[int32, uint32], Rem[uint64, uint64], Rem[int64, uint64]),
		func(z, x, y *big.Int) *big.Int {
			if y.Sign() == 0 {
				return bi(-1)
			}
			return z.Rem(x, y)
		})
	high := func(k kind, a, b uint64) *big.Int {
		p := new(big.Int).Mul(k.value(a), k.value(b))
		return p.Rsh(p, k.bits)
	}
	add(perType("mul.hi", allInts(MulHi[uint16, uint32], MulHi[int16, uint32], MulHi[uint32, uint32], MulHi[int32, uint32], MulHi[uint64, uint64], MulHi[int64, uint64]), 2,
		func(k kind, a, b, _ uint64) uint64 { return k.wrap(high(k, a, b)) })...)
	add(perType("mad.lo", allInts(MadLo[uint16, uint32], MadLo[int16, uint32], MadLo[uint32, uint32], MadLo[int32, uint32], MadLo[uint64, uint64], MadLo[int64, uint64]), 3,
		func(k kind, a, b, c uint64) uint64 {
			p := new(big.Int).Mul(k.value(a), k.value(b))
			return k.wrap(p.Add(p, k.value(c)))
		})...)
	add(perType("mad.hi", allInts(MadHi[uint16, uint32], MadHi[int16, uint32], MadHi[uint32, uint32], MadHi[int32, uint32], MadHi[uint64, uint64], MadHi[int64, uint64]), 3,
		func(k kind, a, b, c uint64) uint64 {
			h := high(k, a, b)
			return k.wrap(h.Add(h, k.value(c)))
		})...)
	add(perType("sad", allInts(Sad[uint16, uint32], Sad[int16, uint32], Sad[uint32, uint32], Sad[int32, uint32], Sad[uint64, uint64], Sad[int64, uint64]), 3,
		func(k kind, a, b, c uint64) uint64 {
			d := new(big.Int).Sub(k.value(a), k.value(b))
			return k.wrap(d.Add(d.Abs(d), k.value(c)))
		})...)
	add(perType("neg", map[string]Func{"s16": Neg[int16, uint32], "s32": Neg[int32, uint32], "s64": Neg[int64, uint64]}, 1,
		func(k kind, a, _, _ uint64) uint64 { return k.wrap(new(big.Int).Neg(k.value(a))) })...)
	add(perType("abs", map[string]Func{"s16": Abs[int16, uint32], "s32": Abs[int32, uint32], "s64": Abs[int64, uint64]}, 1,
		func(k kind, a, _, _ uint64) uint64 { return k.wrap(new(big.Int).Abs(k.value(a))) })...)
	for name, c := range map[string]struct {
		fn   Func
		half func(a, b uint64) uint64
	}{
		"add.16x2": {Add16x2, func(a, b uint64) uint64 { return a + b }},
		"min.s16x2": {Min16x2[int16], func(a, b uint64) uint64 {
			if kinds["s16"].value(a).Cmp(kinds["s16"].value(b)) < 0 {
				return a
			}
			return b
		}},
		"max.u16x2": {Max16x2[uint16], func(a, b uint64) uint64 {
			if kinds["u16"].value(a).Cmp(kinds["u16"].value(b)) > 0 {
				return a
			}
			return b
		}},
	} {
		add(intCase{name: "pair " + name[:4], fn: c.fn, d: 32, a: 32, b: 32, want: func(a, b, _, _ uint64) uint64 {
			return c.half(a&0xffff, b&0xffff)&0xffff | c.half(a>>16, b>>16)&0xffff<<16
		}})
	}
	cs = append(cs, wideCases()...)
	cs = append(cs, clampCases()...)
	cs = append(cs, bitCases()...)
	return cs
}

func wideCases() []intCase {
	var cs []intCase
	for t, fns := range map[string][2]Func{
		"u16": {MulWide[uint16, uint32, uint32], MadWide[uint16, uint32, uint32]},
		"s16": {MulWide[int16, int32, uint32], MadWide[int16, int32, uint32]},
		"u32": {MulWide[uint32, uint64, uint64], MadWide[uint32, uint64, uint64]},
		"s32": {MulWide[int32, int64, uint64], MadWide[int32, int64, uint64]},
	} {
		k := kinds[t]
		wide := kind{2 * k.bits, k.signed}
		product := func(a, b uint64) *big.Int { return new(big.Int).Mul(k.value(a), k.value(b)) }
		cs = append(cs,
			intCase{name: "mul.wide." + t, fn: fns[0], d: wide.slot(), a: 32, b: 32,
				want: func(a, b, _, _ uint64) uint64 { return wide.wrap(product(a, b)) }},
			intCase{name: "mad.wide." + t, fn: fns[1], d: wide.slot(), a: 32, b: 32, c: wide.slot(),
				want: func(a, b, c, _ uint64) uint64 {
					p := product(a, b)
					return wide.wrap(p.Add(p, wide.value(c)))
				}})
	}
	for t, fns := range map[string][4]Func{
		"u32": {Mul24Lo[uint32], Mul24Hi[uint32], Mad24Lo[uint32], Mad24Hi[uint32]},
		"s32": {Mul24Lo[int32], Mul24Hi[int32], Mad24Lo[int32], Mad24Hi[int32]},
	} {
		k := kind{24, t == "s32"}
		product := func(a, b uint64) *big.Int { return new(big.Int).Mul(k.value(a), k.value(b)) }
		for i, shift := range []uint{0, 16} {
			cs = append(cs,
				intCase{name: fmt.Sprint("mul24 >>", shift, t), fn: fns[i], d: 32, a: 32, b: 32,
					want: func(a, b, _, _ uint64) uint64 { return wrap(new(big.Int).Rsh(product(a, b), shift), 32) }},
				intCase{name: fmt.Sprint("mad24 >>", shift, t), fn: fns[2+i], d: 32, a: 32, b: 32, c: 32,
					want: func(a, b, c, _ uint64) uint64 {
						p := new(big.Int).Rsh(product(a, b), shift)
						return wrap(p.Add(p, new(big.Int).SetUint64(c)), 32)
					}})
		}
	}
	return cs
}

// clamp32 is v clamped to int32, as bits.
func clamp32(v *big.Int) uint64 {
	if v.Cmp(bi(1<<31-1)) > 0 {
		v = bi(1<<31 - 1)
	}
	if v.Cmp(bi(-1<<31)) < 0 {
		v = bi(-1 << 31)
	}
	return wrap(v, 32)
}

func clampCases() []intCase {
	s := kinds["s32"]
	hi := func(k kind, a, b uint64, shift uint) *big.Int {
		p := new(big.Int).Mul(k.value(a), k.value(b))
		return p.Rsh(p, shift)
	}
	return []intCase{
		{name: "add.sat", fn: AddSat, d: 32, a: 32, b: 32,
			want: func(a, b, _, _ uint64) uint64 { return clamp32(new(big.Int).Add(s.value(a), s.value(b))) }},
		{name: "sub.sat", fn: SubSat, d: 32, a: 32, b: 32,
			want: func(a, b, _, _ uint64) uint64 { return clamp32(new(big.Int).Sub(s.value(a), s.value(b))) }},
		{name: "mad.hi.sat", fn: MadHiSat, d: 32, a: 32, b: 32, c: 32,
			want: func(a, b, c, _ uint64) uint64 { h := hi(s, a, b, 32); return clamp32(h.Add(h, s.value(c))) }},
		{name: "mad24.hi.sat", fn: Mad24HiSat, d: 32, a: 32, b: 32, c: 32,
			want: func(a, b, c, _ uint64) uint64 {
				h := s.value(wrap(hi(kind{24, true}, a, b, 16), 32))
				return clamp32(h.Add(h, s.value(c)))
			}},
	}
}

var intEdges = []uint64{0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256, 0x7fff, 0x8000, 0x8001, 0xffff, 0x10000,
	0x7fffff, 0x800000, 0xffffff, 0x1000000, 0x7ffffffe, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff, 0x100000000,
	1<<63 - 1, 1 << 63, 1<<63 + 1, ^uint64(0) - 1, ^uint64(0)}

// operand returns a source value in the format of a slot of that width: sometimes an edge, sometimes small, mostly
// random.
func operand(r *rand.Rand, bits uint) uint64 {
	v := r.Uint64()
	switch r.IntN(4) {
	case 0, 1:
		v = intEdges[r.IntN(len(intEdges))]
	case 2:
		v &= 0x3f
	}
	if bits == 64 {
		return v
	}
	return uint64(uint32(v))
}

// Offsets of the test's registers in a file.
const (
	regD = ScratchBytes + iota*Slot64
	regA
	regB
	regC
	regE
	predD
	predD2
	predC
	predE
	fileBytes
)

func put(f *File, off uint32, bits uint, lane int, v uint64) {
	if bits == 64 {
		Reg[uint64](f, off)[lane] = v
	} else {
		Reg[uint32](f, off)[lane] = uint32(v)
	}
}

func get(f *File, off uint32, bits uint, lane int) uint64 {
	if bits == 64 {
		return Reg[uint64](f, off)[lane]
	}
	return uint64(Reg[uint32](f, off)[lane])
}

// narrowed reports whether a case's sources are 16-bit values in 32-bit slots.
func (c *intCase) narrowed() bool { return contains16(c.name) }

func contains16(s string) bool {
	for _, w := range []string{".u16", ".s16", ".16"} {
		if len(s) >= len(w) {
			for i := 0; i+len(w) <= len(s); i++ {
				if s[i:i+len(w)] == w {
					return true
				}
			}
		}
	}
	return false
}

func TestIntegersMatchBigIntegers(t *testing.T) {
	short.Alternates(t, 1, 3)
	for _, c := range intCases() {
		t.Run(c.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			f := NewFile(fileBytes)
			for _, m := range []Mask{AllLanes, 0x0000ffff, 0x80000001, 0x5a5a1234} {
				for range short.Of(200) {
					checkCase(t, r, f, &c, m)
				}
			}
		})
	}
}

func checkCase(t *testing.T, r *rand.Rand, f *File, c *intCase, m Mask) {
	t.Helper()
	in := &Op{Fn: c.fn, D: regD, A: regA, B: regB, C: regC, E: regE, Imm: c.imm}
	if c.a == c.d && r.IntN(4) == 0 {
		in.D = regA // a result may replace a source
	}
	var want [Width]uint64
	for lane := range Width {
		var src [4]uint64
		for i, w := range []uint{c.a, c.b, c.c, c.e} {
			if w != 0 {
				src[i] = operand(r, w)
				if c.narrowed() && (i == 0 || i == 1 && c.b == c.a && c.name[:2] != "sh") {
					src[i] &= 0xffff
				}
				put(f, regA+uint32(i)*Slot64, w, lane, src[i])
			}
		}
		want[lane] = c.want(src[0], src[1], src[2], src[3])
		if m>>lane&1 == 0 {
			if in.D == regD {
				put(f, regD, c.d, lane, uint64(lane)*0x01010101)
			}
			want[lane] = get(f, in.D, c.d, lane)
		}
	}
	before := *Reg[uint64](f, regB)
	c.fn(f, in, m)
	for lane := range Width {
		if got := get(f, in.D, c.d, lane); got != want[lane] {
			t.Fatalf("lane %d of %08x: got %#x, want %#x; b %#x", lane, uint32(m), got, want[lane], before[lane])
		}
	}
}

// TestMovVecMayReverseInPlace moves a vector onto itself in reverse order.
func TestMovVecMayReverseInPlace(t *testing.T) {
	f := NewFile(fileBytes)
	regs := []uint32{regA, regB, regC, regE}
	for k, off := range regs {
		for lane := range Width {
			Reg[uint64](f, off)[lane] = uint64(k)<<32 | uint64(lane)
		}
	}
	in := &Op{Vec: new([2 * MaxVec]uint32)}
	for k := range regs {
		in.Vec[k], in.Vec[len(regs)+k] = regs[k], regs[(k+1)%len(regs)]
	}
	const m Mask = 0xf0f0f0f0
	MovVec[uint64](len(regs))(f, in, m)
	for k, off := range regs {
		for lane := range Width {
			from := k
			if m>>lane&1 != 0 {
				from = (k + 1) % len(regs)
			}
			if got, want := Reg[uint64](f, off)[lane], uint64(from)<<32|uint64(lane); got != want {
				t.Errorf("element %d lane %d: got %#x, want %#x", k, lane, got, want)
			}
		}
	}
}

func TestWithinComparesAddressRange(t *testing.T) {
	f := NewFile(fileBytes)
	const first, count = 0x1000, 0x100
	for i, addr := range []uint64{0, first - 1, first, first + count - 1, first + count, 1<<27 - 1, 1 << 27, 1<<28 - 1, 1 << 28, 1 << 40, 1<<32 | first, ^uint64(0)} {
		inside := addr >= first && addr < first+count
		put(f, regA, 64, i, addr)
		in := &Op{D: predD, A: regA, Imm: first | count<<32}
		Within[uint64](f, in, AllLanes)
		if got := *Pred(f, predD)>>i&1 != 0; got != inside {
			t.Errorf("%#x within: %t", addr, got)
		}
		WithinGlobal[uint64](f, in, AllLanes)
		if got := *Pred(f, predD)>>i&1 != 0; got != (!inside && addr>>27 != 1) {
			t.Errorf("%#x in global memory: %t", addr, got)
		}
	}
	put(f, regB, 32, 3, first)
	Within[uint32](f, &Op{D: predD, A: regB, Imm: first | count<<32}, AllLanes)
	if got := *Pred(f, predD); got != 1<<3 {
		t.Errorf("32-bit addresses: %08x", uint32(got))
	}
}
