package debuginfo

import (
	"math"
	"strconv"
	"strings"
)

// narrow are the formats of at most 8 bits: bits of the exponent and of the fraction, and the bias. They have no
// infinity, except E5M2.
var narrow = [...]struct {
	name                     string
	exponent, fraction, bias int
}{
	E4M3: {"e4m3", 4, 3, 7}, E5M2: {"e5m2", 5, 2, 15}, E2M3: {"e2m3", 2, 3, 1}, E3M2: {"e3m2", 3, 2, 3},
	E2M1: {"e2m1", 2, 1, 1}, E8M0: {"e8m0", 8, 0, 127},
}

// IsNarrow reports whether values of a type are floating-point numbers of at most 8 bits.
func (t *Type) IsNarrow() bool { return t != nil && t.Bare().Format >= E4M3 }

// Number returns the number with an encoding in a narrow format.
func (f Format) Number(bits uint64) float64 {
	n := narrow[f]
	ones := 1<<(n.exponent+n.fraction) - 1
	magnitude := int(bits) & ones
	exponent, fraction := magnitude>>n.fraction, float64(magnitude&(1<<n.fraction-1))/float64(int(1)<<n.fraction)
	x := math.Ldexp(1+fraction, exponent-n.bias)
	switch {
	case f == E8M0:
		x = math.Ldexp(1, magnitude-n.bias)
	case exponent == 0:
		x = math.Ldexp(fraction, 1-n.bias)
	case f == E5M2 && magnitude == ones&^3:
		x = math.Inf(1)
	}
	if (f == E4M3 || f == E8M0) && magnitude == ones || f == E5M2 && magnitude > ones&^3 {
		return math.NaN()
	}
	if int(bits)&(ones+1) != 0 && f != E8M0 {
		x = -x
	}
	return x
}

// Bits returns the encoding of the finite number that is nearest to x, of two the even one, as the constructors of
// CUDA's types do.
func (f Format) Bits(x float64) uint64 {
	greatest := uint64(1)<<(narrow[f].exponent+narrow[f].fraction) - 1
	for n := f.Number(greatest); math.IsNaN(n) || math.IsInf(n, 0); n = f.Number(greatest) {
		greatest--
	}
	if math.IsNaN(x) {
		return 1<<(narrow[f].exponent+narrow[f].fraction) - 1
	}
	best, magnitude := uint64(0), min(math.Abs(x), f.Number(greatest))
	for bits := range greatest + 1 {
		off, least := math.Abs(f.Number(bits)-magnitude), math.Abs(f.Number(best)-magnitude)
		if off < least || off == least && bits&1 == 0 {
			best = bits
		}
	}
	if math.Signbit(x) && f != E8M0 {
		best |= 1 << (narrow[f].exponent + narrow[f].fraction)
	}
	return best
}

// asNarrow makes a class of CUDA's headers that holds one number of at most 8 bits a type of numbers, and gives one of
// two or four numbers members for them: __nv_fp8_e4m3, __nv_fp4x2_e2m1.
func (t *Type) asNarrow() {
	text, ok := strings.CutPrefix(t.Name, "__nv_fp")
	width, encoding, _ := strings.Cut(text, "_")
	width, count, _ := strings.Cut(width, "x")
	bits, _ := strconv.ParseInt(width, 10, 64)
	if !ok || t.Kind != Struct || len(t.Fields) != 1 || bits == 0 {
		return
	}
	for f := E4M3; f <= E8M0; f++ {
		if narrow[f].name != encoding {
			continue
		}
		if count == "" {
			t.Kind, t.Format = Float, f
			return
		}
		if bits == 6 {
			bits = 8 // a number of 6 bits is alone in its byte
		}
		number := &Type{Kind: Float, Name: "__nv_fp" + width + "_" + encoding, Size: 1, Format: f}
		var parts []Field
		for at, name := range "xyzw"[:min(count[0]-'0', 4)] {
			first := int64(at) * bits
			part := Field{Name: string(name), Type: number, Offset: first / 8}
			if bits == 4 {
				part.Bits, part.Shift = bits, first%8
			}
			parts = append(parts, part)
		}
		t.Fields = append(parts, t.Fields...)
	}
}
