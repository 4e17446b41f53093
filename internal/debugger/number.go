package debugger

import (
	"math"
	"strconv"
	"strings"

	"github.com/simtrun/simtrun/internal/isa"
)

// parseNumber parses 12, 0x1f, 1.5, or 0f3f800000 and 0d3ff0000000000000, the bits of floating-point numbers.
func parseNumber(word string) (value, error) {
	bad := errorf("%q is not a number", word)
	for _, f := range floatForms {
		if hex, ok := strings.CutPrefix(strings.ToLower(word), f.prefix); ok {
			bits, err := strconv.ParseUint(hex, 16, f.typ.Bits())
			if err != nil || len(hex) != f.typ.Bits()/4 {
				return value{}, errorf("%q: %s stands before %d hexadecimal digits", word, f.prefix, f.typ.Bits()/4)
			}
			return uniform(f.typ, bits), nil
		}
	}
	if n, err := strconv.ParseUint(word, 0, 64); err == nil {
		v := uniform(literalType(n), n)
		v.literal = true
		return v, nil
	}
	if v, ok := suffixed(word); ok {
		return v, nil
	}
	x, err := strconv.ParseFloat(word, 64)
	if err != nil || math.IsInf(x, 0) || strings.ContainsAny(word, "xX_pP") {
		return value{}, bad
	}
	v := uniform(floatForms[1].typ, math.Float64bits(x))
	v.literal = true
	return v, nil
}

// suffixed parses a number with a suffix of C++: 2.5f, 1u, 7LL.
func suffixed(word string) (value, bool) {
	lower := strings.ToLower(word)
	if digits, ok := strings.CutSuffix(lower, "f"); ok && strings.ContainsAny(digits, ".e") && !strings.HasPrefix(lower, "0x") {
		x, err := strconv.ParseFloat(digits, 32)
		v := uniform(isa.F32, floatBits(isa.F32, x))
		v.cxx = arithmetic[isa.F32]
		return v, err == nil
	}
	digits := strings.TrimRight(lower, "ul")
	n, err := strconv.ParseUint(digits, 0, 64)
	t, known := map[string]isa.Type{"u": isa.U32, "l": isa.S64, "ll": isa.S64, "ul": isa.U64, "ull": isa.U64}[lower[len(digits):]]
	if err != nil || !known {
		return value{}, false
	}
	v := uniform(t, truncated(n, t.Bits()))
	v.cxx = arithmetic[t]
	return v, true
}

// constant returns the value for which a word of C++ stands.
func constant(word string) (value, bool) {
	switch word {
	case "true":
		return boolean(1), true
	case "false":
		return boolean(0), true
	case "nullptr", "NULL":
		return literal(0), true
	}
	return value{}, false
}

func boolean(bits uint64) value {
	v := uniform(isa.U8, bits)
	v.cxx = fundamental["bool"]
	return v
}

// literal returns a number as if it were typed.
func literal(n uint64) value {
	v := uniform(literalType(n), n)
	v.literal = true
	return v
}

// enumerator returns the value of a name of an enumeration.
func (s *scope) enumerator(name string) (value, bool) {
	info := s.info()
	if info == nil {
		return value{}, false
	}
	n, t, ok := info.Enumerator(name[strings.LastIndex(name, ":")+1:])
	if !ok {
		return value{}, false
	}
	v := uniform(isa.S32, uint64(n))
	v.cxx = t
	return v, true
}
