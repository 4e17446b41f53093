package debugger

import (
	"cmp"
	"errors"
	"math"

	"github.com/simtrun/simtrun/internal/isa"
)

// integers computes x op y. Comparison, division and right shift are unsigned if one operand is a 64-bit unsigned
// number.
func (out *value) integers(op string, x, y *value) error {
	out.typ = isa.S64
	if x.typ == isa.U64 || y.typ == isa.U64 {
		out.typ = isa.U64
	}
	unsigned := out.typ == isa.U64
	for lane := range out.bits {
		a, b := x.signed(lane), y.signed(lane)
		order := cmp.Compare(a, b)
		if unsigned {
			order = cmp.Compare(uint64(a), uint64(b))
		}
		if holds, ok := compare(op, order); ok {
			out.typ, out.bits[lane] = isa.Pred, 0
			if holds {
				out.bits[lane] = 1
			}
			continue
		}
		if b == 0 && (op == "/" || op == "%") {
			if out.literal {
				return errors.New("division by zero")
			}
			out.void |= 1 << lane
			continue
		}
		out.bits[lane] = combine(op, a, b, unsigned)
	}
	return nil
}

// combine computes a op b; for a division b must not be 0.
func combine(op string, a, b int64, unsigned bool) uint64 {
	switch op {
	case "+":
		return uint64(a + b)
	case "-":
		return uint64(a - b)
	case "*":
		return uint64(a * b)
	case "&":
		return uint64(a & b)
	case "|":
		return uint64(a | b)
	case "^":
		return uint64(a ^ b)
	case "<<":
		return uint64(a) << uint64(b)
	case ">>":
		if unsigned {
			return uint64(a) >> uint64(b)
		}
		return uint64(a >> uint64(b))
	case "/":
		if unsigned {
			return uint64(a) / uint64(b)
		}
		return uint64(a / b)
	}
	if unsigned {
		return uint64(a) % uint64(b)
	}
	return uint64(a % b)
}

// floats computes x op y: in f32 if both operands are f32, or if one is and the other is a literal.
func (out *value) floats(op string, x, y *value) error {
	out.typ = isa.F64
	if (x.typ == isa.F32 || x.literal) && (y.typ == isa.F32 || y.literal) && !out.literal {
		out.typ = isa.F32
	}
	result := out.typ
	for lane := range out.bits {
		a, b := x.float(lane), y.float(lane)
		if holds, ok := compareFloats(op, a, b); ok {
			out.typ, out.bits[lane] = isa.Pred, 0
			if holds {
				out.bits[lane] = 1
			}
			continue
		}
		var r float64
		switch op {
		case "+":
			r = a + b
		case "-":
			r = a - b
		case "*":
			r = a * b
		case "/":
			r = a / b
		default:
			return errorf("%s takes integers", op)
		}
		out.bits[lane] = floatBits(result, r)
	}
	return nil
}

// compareFloats is compare for floating-point numbers: NaN is unequal to everything.
func compareFloats(op string, a, b float64) (holds, ok bool) {
	holds, ok = compare(op, cmp.Compare(a, b))
	if math.IsNaN(a) || math.IsNaN(b) {
		holds = op == "!="
	}
	return holds, ok
}
