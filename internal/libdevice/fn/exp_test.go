package fn

import (
	"math"
	"math/big"
	"testing"
)

// TestExponentialsHave100Bits compares expReduced and expNear with their series in math/big.
func TestExponentialsHave100Bits(t *testing.T) {
	const bits = 1600
	number := func(x float64) *big.Float { return new(big.Float).SetPrec(bits).SetFloat64(x) }
	series := func(x *big.Float) *big.Float { // e^x - 1 by that of x/2^40, squared 40 times
		y := new(big.Float).SetPrec(bits).SetMantExp(x, -40)
		sum, term := number(0), number(1)
		for n := 1; n < 14; n++ {
			term = number(0).Quo(number(0).Mul(term, y), number(float64(n)))
			sum.Add(sum, term)
		}
		for range 40 {
			sum.Mul(sum, number(0).Add(sum, number(2)))
		}
		return sum
	}
	for _, x := range arguments(2000, 740, math.Ln2/128) {
		sum := dd{x, x * 0x1.7p-54}
		s, k := expReduced(sum)
		want := number(0).SetMantExp(number(0).Add(series(number(0).Add(number(sum.hi), number(sum.lo))), number(1)), -k)
		got := number(0).Add(number(0).Add(number(1), number(s.hi)), number(s.lo))
		if e, _ := number(0).Quo(number(0).Sub(got, want), want).Float64(); math.Abs(e) > 0x1p-93 {
			t.Fatalf("e^%x: error 2^%.1f", x, math.Log2(math.Abs(e)))
		}
		r := x / 740 * math.Ln2 / 128
		want = series(number(r))
		p := expNear(dd{hi: r})
		if e, _ := number(0).Quo(number(0).Sub(number(0).Add(number(p.hi), number(p.lo)), want), want).Float64(); math.Abs(e) > 0x1p-99 {
			t.Fatalf("e^%x - 1: error 2^%.1f", r, math.Log2(math.Abs(e)))
		}
	}
}
