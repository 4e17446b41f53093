package fn

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestScaledSumsAreRoundedOnce: scale returns the float64 nearest to the scaled sum, as math/big computes it, for
// normal and subnormal results, and around the smallest normal ones.
func TestScaledSumsAreRoundedOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 200_000 {
		hi := math.Float64frombits(r.Uint64()&(1<<52-1) | 1023<<52)
		switch r.IntN(4) {
		case 0:
			hi = 1
		case 1:
			hi = math.Float64frombits(math.Float64bits(hi) &^ (1<<uint(r.IntN(52)) - 1))
		}
		lo := (r.Float64() - 0.5) * 0x1p-52
		if r.IntN(4) == 0 {
			lo *= math.Exp2(-50 * r.Float64())
		}
		a := fastSum(hi, lo)
		if r.IntN(2) == 0 {
			a = a.neg()
		}
		e := -1015 - r.IntN(70)
		exact := new(big.Float).SetPrec(2000).Add(big.NewFloat(a.hi).SetPrec(2000), big.NewFloat(a.lo))
		want, _ := exact.SetMantExp(exact, e).Float64()
		if got := a.scale(e); got != want || math.Signbit(got) != math.Signbit(want) {
			t.Fatalf("%x + %x times 2^%d: got %x, want %x", a.hi, a.lo, e, got, want)
		}
	}
}
