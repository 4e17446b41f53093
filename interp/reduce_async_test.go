package interp_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
)

// elementOf is a type of elements of reductions: its bytes, and for floats the bits of its fraction and the bias of
// its exponent.
type elementOf struct {
	bytes, fraction, bias int
	signed                bool
}

var elementsOf = map[string]elementOf{
	"u32": {bytes: 4}, "s32": {bytes: 4, signed: true}, "b32": {bytes: 4}, "u64": {bytes: 8}, "s64": {bytes: 8, signed: true}, "b64": {bytes: 8},
	"f16": {2, 10, 15, false}, "bf16": {2, 7, 127, false}, "f32": {4, 23, 127, false}, "f64": {8, 52, 1023, false},
}

// value returns the number of a float's bits, which must not be infinity or NaN.
func (e elementOf) value(bits uint64) *big.Float {
	width := uint(8 * e.bytes)
	fraction, exponent := bits&(1<<e.fraction-1), int(bits>>e.fraction&(1<<(width-1-uint(e.fraction))-1))
	if exponent > 0 {
		fraction |= 1 << e.fraction
	} else {
		exponent = 1
	}
	x := new(big.Float).SetPrec(3000).SetMantExp(new(big.Float).SetUint64(fraction), exponent-e.bias-e.fraction)
	if bits>>(width-1) != 0 {
		x.Neg(x)
	}
	return x
}

// rounded returns the bits of a number, rounded to nearest, ties to even. Subnormal numbers are kept.
func (e elementOf) rounded(x *big.Float) uint64 {
	width := uint(8 * e.bytes)
	sign := uint64(0)
	if x.Signbit() {
		sign = 1 << (width - 1)
		x = new(big.Float).Neg(x)
	}
	if x.Sign() == 0 {
		return sign
	}
	exponent := max(x.MantExp(nil)-1, 1-e.bias) // of the last place: that of subnormal numbers at least
	scaled := new(big.Float).SetPrec(3000).SetMantExp(x, e.fraction-exponent)
	whole, _ := scaled.Int(nil)
	rest := new(big.Float).Sub(scaled, new(big.Float).SetPrec(3000).SetInt(whole))
	if c := rest.Cmp(big.NewFloat(0.5)); c > 0 || c == 0 && whole.Bit(0) == 1 {
		whole.Add(whole, big.NewInt(1))
	}
	n := whole.Uint64() // with the hidden bit, unless it is subnormal; a carry goes into the exponent
	return sign | (uint64(exponent+e.bias-1)<<e.fraction + n)
}

// combined returns the new value of an element: old by op with b.
func (e elementOf) combined(op string, old, b uint64) uint64 {
	mask := uint64(1)<<(8*e.bytes-1)<<1 - 1
	less := func(x, y uint64) bool { return x < y }
	switch {
	case e.fraction > 0:
		less = func(x, y uint64) bool { return e.value(x).Cmp(e.value(y)) < 0 }
	case e.signed:
		shift := 64 - 8*e.bytes
		less = func(x, y uint64) bool { return int64(x<<shift) < int64(y<<shift) }
	}
	switch op {
	case "add", "add.noftz":
		if e.fraction > 0 {
			return e.rounded(new(big.Float).SetPrec(3000).Add(e.value(old), e.value(b)))
		}
		return (old + b) & mask
	case "min":
		if less(b, old) {
			return b
		}
		return old
	case "max":
		if less(old, b) {
			return b
		}
		return old
	case "inc":
		if old >= b {
			return 0
		}
		return old + 1
	case "dec":
		if old == 0 || old > b {
			return b
		}
		return old - 1
	case "and":
		return old & b
	case "or":
		return old | b
	case "xor":
		return old ^ b
	}
	panic(op)
}

// sample returns a random element: any bits; for floats finite nonzero ones, often small ones, as op needs.
func (e elementOf) sample(r *rand.Rand, op string) uint64 {
	width := uint(8 * e.bytes)
	bits := r.Uint64() >> (64 - width)
	switch {
	case e.fraction > 0:
		exponents := uint64(1)<<(width-1-uint(e.fraction)) - 1
		exponent := r.Uint64N(min(exponents, 6))
		if r.IntN(2) == 0 {
			exponent = uint64(e.bias) + r.Uint64N(5)
		}
		bits = bits&(1<<(width-1)|1<<e.fraction-1) | exponent<<e.fraction | 1
	case op == "inc" || op == "dec":
		bits = r.Uint64N(4)
	}
	return bits
}

// put appends an element.
func (e elementOf) put(to []byte, bits uint64) []byte {
	return append(to, binary.LittleEndian.AppendUint64(nil, bits)[:e.bytes]...)
}

// reducedForms are the operations that PTX has on elements of global memory, and those of them that it has on shared
// memory (PTX ISA, cp.reduce.async.bulk).
var reducedForms = []struct {
	ops    string
	global string
	shared string
}{
	{"add", "u32 s32 u64 f32 f64", "u32 s32 u64"},
	{"add.noftz", "f16 bf16 f32", ""},
	{"min max", "u32 s32 u64 s64 f16 bf16", "u32 s32"},
	{"inc dec", "u32", "u32"},
	{"and or xor", "b32 b64", "b32"},
}

// decimals returns the words of memory as decimal numbers.
func decimals(b []byte) (all []string) {
	for ; len(b) > 0; b = b[4:] {
		all = append(all, fmt.Sprint(binary.LittleEndian.Uint32(b)))
	}
	return all
}

// TestAsyncReductionsMatchMathBig compares each operation on each type with results of math/big: 96 bytes of shared
// memory reduce global memory, or shared memory of the next block.
func TestAsyncReductionsMatchMathBig(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const bytes = 96
	for _, f := range reducedForms {
		for op := range strings.FieldsSeq(f.ops) {
			for typ := range strings.FieldsSeq(f.global) {
				for _, inShared := range []bool{false, true} {
					if inShared && !strings.Contains(" "+f.shared+" ", " "+typ+" ") {
						continue
					}
					e := elementsOf[typ]
					var old, by, want []byte
					for len(old) < bytes {
						x, y := e.sample(r, op), e.sample(r, op)
						old, by, want = e.put(old, x), e.put(by, y), e.put(want, e.combined(op, x, y))
					}
					checkReduction(t, op+"."+typ, inShared, old, by, want)
				}
			}
		}
	}
}

func checkReduction(t *testing.T, op string, inShared bool, old, by, want []byte) {
	t.Helper()
	reduction := "cp.reduce.async.bulk.global.shared::cta.bulk_group." + op + " [%rd2], [by], 96;\n\tcp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group 0;"
	size, source, otherwise := 1, "ld.volatile.global.u32 %r9, [%rd3];", "GO"
	if inShared {
		size, source, otherwise = 2, "ld.shared.u32 %r9, [%r10];", "WAIT"
		reduction = "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes." + op + " [%r6], [by], 96, [%r7];"
	}
	src := kerneltest.Source(t, "testdata/kernels/reduce_async.txt", "check reduction", "$decimals2", strings.Join(decimals(by), ", "), "$reduction", reduction, "$otherwise", otherwise, "$decimals", strings.Join(decimals(old), ", "), "$source", source, "$size", fmt.Sprint(size))
	expected := make([]uint32, 24*size)
	for i := range expected {
		expected[i] = binary.LittleEndian.Uint32(want[4*(i%24):])
	}
	for _, driver := range []func(*interp.Machine, interp.Launch) (interp.Stats, error){nil, withClock} {
		out, _, err := kerneltest.Kernel{Source: src, Grid: kerneltest.Dim(uint32(size), 1), Words: []int{24 * size}, Driver: driver}.Run(t)
		if err != nil {
			t.Fatalf("%s, shared %v, clock %v: %v", op, inShared, driver != nil, err)
		}
		if diff := cmp.Diff(expected, out[0]); diff != "" {
			t.Errorf("%s, shared %v, clock %v (-want +got):\n%s", op, inShared, driver != nil, diff)
		}
	}
}

// TestRoundingReferenceIsRight checks the reference itself against known values.
func TestRoundingReferenceIsRight(t *testing.T) {
	for _, x := range []float64{1, 1.5, -3.25, 1e-310, 5e-324, 1e300, 65504, 6e-8} {
		if got := elementsOf["f64"].rounded(elementsOf["f64"].value(math.Float64bits(x))); got != math.Float64bits(x) {
			t.Errorf("%v is %x", x, got)
		}
		if got := elementsOf["f32"].rounded(new(big.Float).SetFloat64(x)); math.Abs(x) < 1e38 && got != uint64(math.Float32bits(float32(x))) {
			t.Errorf("%v as .f32 is %x", x, got)
		}
	}
}
