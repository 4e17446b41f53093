package lanes

import (
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestCarryMatchesBigIntegers(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	f := NewFile(fileBytes)
	one := func(bits uint) *big.Int { return new(big.Int).Lsh(bi(1), bits) }
	for _, c := range []struct {
		name string
		fn   Func
		bits uint
		want func(a, b, c uint64, cf int64) *big.Int // with the carry above the width; negative: borrow
	}{
		{"add.32", AddC[uint32], 32, func(a, b, _ uint64, cf int64) *big.Int { return sum(a, b, cf) }},
		{"add.64", AddC[uint64], 64, func(a, b, _ uint64, cf int64) *big.Int { return sum(a, b, cf) }},
		{"sub.32", SubC[uint32], 32, func(a, b, _ uint64, cf int64) *big.Int { return difference(a, b, 1-cf) }},
		{"sub.64", SubC[uint64], 64, func(a, b, _ uint64, cf int64) *big.Int { return difference(a, b, 1-cf) }},
		{"sub.cc.32", SubCC[uint32], 32, func(a, b, _ uint64, _ int64) *big.Int { return difference(a, b, 0) }},
		{"sub.cc.64", SubCC[uint64], 64, func(a, b, _ uint64, _ int64) *big.Int { return difference(a, b, 0) }},
		{"mad.lo.u32", MadLoC[uint32, uint32], 32, func(a, b, c uint64, cf int64) *big.Int {
			return sum(kinds["u32"].wrap(new(big.Int).Mul(big64(a), big64(b))), c, cf)
		}},
		{"mad.hi.s32", MadHiC[int32, uint32], 32, func(a, b, c uint64, cf int64) *big.Int {
			k := kinds["s32"]
			p := new(big.Int).Mul(k.value(a), k.value(b))
			return sum(k.wrap(p.Rsh(p, 32)), c, cf)
		}},
		{"mad.hi.u64", MadHiC[uint64, uint64], 64, func(a, b, c uint64, cf int64) *big.Int {
			p := new(big.Int).Mul(big64(a), big64(b))
			return sum(kinds["u64"].wrap(p.Rsh(p, 64)), c, cf)
		}},
	} {
		for range 500 {
			in := &Op{D: regD, A: regA, B: regB, C: regC, E: predE, D2: predD2}
			m := Mask(r.Uint32())
			carry, old := Mask(r.Uint32()), Mask(r.Uint32())
			*Pred(f, predE), *Pred(f, predD2) = carry, old
			var want [Width]*big.Int
			for lane := range Width {
				a, b, x := operand(r, c.bits), operand(r, c.bits), operand(r, c.bits)
				put(f, regA, c.bits, lane, a)
				put(f, regB, c.bits, lane, b)
				put(f, regC, c.bits, lane, x)
				want[lane] = c.want(a, b, x, int64(carry>>lane&1))
			}
			c.fn(f, in, m)
			for lane := range Width {
				flag := *Pred(f, predD2) >> lane & 1
				if m>>lane&1 == 0 {
					if flag != old>>lane&1 {
						t.Fatalf("%s: carry of inactive lane %d changed", c.name, lane)
					}
					continue
				}
				over := want[lane].Cmp(one(c.bits)) >= 0
				if strings.HasPrefix(c.name, "sub") {
					over = want[lane].Sign() >= 0
				}
				if got := get(f, regD, c.bits, lane); got != wrap(want[lane], c.bits) || (flag != 0) != over {
					t.Fatalf("%s lane %d: got %#x carry %d, want %#x", c.name, lane, got, flag, want[lane])
				}
			}
		}
	}
}

func big64(x uint64) *big.Int { return new(big.Int).SetUint64(x) }

func sum(a, b uint64, cf int64) *big.Int {
	s := new(big.Int).Add(big64(a), big64(b))
	return s.Add(s, bi(cf))
}

func difference(a, b uint64, cf int64) *big.Int {
	s := new(big.Int).Sub(big64(a), big64(b))
	return s.Sub(s, bi(cf))
}
