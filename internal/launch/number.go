package launch

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// literal is a number as the user wrote it, converted to an element.
type literal struct {
	bits  uint64
	exact bool // written as a bit pattern, 0f… or 0d…
}

// isNumber reports whether text looks like a number rather than a name.
func isNumber(text string) bool {
	digits := strings.TrimLeft(text, "+-")
	switch {
	case digits == "":
		return false
	case digits == "nan" || digits == "inf":
		return true
	}
	return digits[0] >= '0' && digits[0] <= '9' || digits[0] == '.'
}

// parse converts a number. An unsigned type accepts negative numbers only if loose, because compilers declare int
// parameters of a kernel as .u32.
func (e Elem) parse(text string, loose bool) (literal, error) {
	if !isNumber(text) {
		return literal{}, fmt.Errorf("%q is not a number", text)
	}
	if bits, width, ok := parseBits(text); ok {
		return e.fromBits(text, bits, width)
	}
	if e.isFloat() {
		bits, err := e.parseFloat(text)
		return literal{bits: bits}, err
	}
	bits, err := e.parseInt(text, loose)
	return literal{bits: bits}, err
}

// parseBits parses 0f or 0d with the hexadecimal digits of a float32 or float64.
func parseBits(text string) (bits uint64, width int, ok bool) {
	switch {
	case len(text) == 10 && (text[:2] == "0f" || text[:2] == "0F"):
		width = 32
	case len(text) == 18 && (text[:2] == "0d" || text[:2] == "0D"):
		width = 64
	default:
		return 0, 0, false
	}
	bits, err := strconv.ParseUint(text[2:], 16, width)
	return bits, width, err == nil
}

// fromBits converts a bit pattern to an element: unchanged if the widths are equal, otherwise rounded from one
// floating-point type to the other.
func (e Elem) fromBits(text string, bits uint64, width int) (literal, error) {
	switch {
	case width == e.bits():
		return literal{bits, true}, nil
	case !e.isFloat():
		return literal{}, fmt.Errorf("%s is %d bits; %s has %d", text, width, e, e.bits())
	case width == 32:
		return literal{bits: e.round(F32.float(bits))}, nil
	}
	return literal{bits: e.round(F64.float(bits))}, nil
}

func (e Elem) parseInt(text string, loose bool) (uint64, error) {
	digits, negative := strings.TrimPrefix(text, "+"), false
	if d, ok := strings.CutPrefix(text, "-"); ok {
		digits, negative = d, true
	}
	base := 10
	if d, ok := strings.CutPrefix(strings.ToLower(digits), "0x"); ok {
		digits, base = d, 16
	}
	n, err := strconv.ParseUint(digits, base, 64)
	least, most := uint64(0), uint64(math.MaxUint64)>>(64-e.bits())
	if e.isSigned() {
		most >>= 1
	}
	if e.isSigned() || loose {
		least = 1 << (e.bits() - 1)
	}
	switch {
	case errors.Is(err, strconv.ErrSyntax):
		return 0, fmt.Errorf("%q is not an integer, which %s takes", text, e)
	case err != nil || negative && n > least || !negative && n > most:
		return 0, fmt.Errorf("%s is out of range for %s, which takes %s to %d", text, e, minusText(least), most)
	case negative:
		n = -n
	}
	return e.truncate(n), nil
}

func minusText(n uint64) string {
	if n == 0 {
		return "0"
	}
	return "-" + strconv.FormatUint(n, 10)
}

func (e Elem) parseFloat(text string) (uint64, error) {
	switch text {
	case "nan":
		return e.round(math.NaN()), nil
	case "inf", "+inf":
		return e.round(math.Inf(1)), nil
	case "-inf":
		return e.round(math.Inf(-1)), nil
	}
	if strings.ContainsAny(text, "xX_pP") {
		return 0, fmt.Errorf("%q is not a decimal number, which %s takes; 0f and 0d give a float's bits", text, e)
	}
	width := 64
	if e == F32 {
		width = 32
	}
	v, err := strconv.ParseFloat(text, width)
	if errors.Is(err, strconv.ErrSyntax) {
		return 0, fmt.Errorf("%q is not a number", text)
	}
	if e.Bytes() == 2 {
		v = roundToOdd(text, v)
	}
	bits := e.round(v)
	if err != nil || math.IsInf(e.float(bits), 0) {
		return 0, fmt.Errorf("%s is out of range for %s; inf is written inf", text, e)
	}
	return bits, nil
}

// roundToOdd turns v, the float64 nearest to the decimal number text, into the neighbour of that number with an odd
// last bit. Rounding the result to a narrower type then gives the same as rounding the decimal number directly.
func roundToOdd(text string, v float64) float64 {
	if v == 0 || math.IsInf(v, 0) || math.Float64bits(v)&1 != 0 {
		return v
	}
	exact, ok := new(big.Rat).SetString(text)
	if !ok {
		return v
	}
	switch exact.Cmp(new(big.Rat).SetFloat64(v)) {
	case -1:
		return math.Nextafter(v, math.Inf(-1))
	case 1:
		return math.Nextafter(v, math.Inf(1))
	}
	return v
}
