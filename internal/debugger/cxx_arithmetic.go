package debugger

import (
	"errors"
	"math"

	"github.com/simtrun/simtrun/internal/debuginfo"
	"github.com/simtrun/simtrun/internal/isa"
)

// The types of C++ to which operands are converted, by the type of PTX with their values.
var arithmetic = map[isa.Type]*debuginfo.Type{
	isa.S32: {Kind: debuginfo.Signed, Name: "int", Size: 4}, isa.U32: {Kind: debuginfo.Unsigned, Name: "unsigned int", Size: 4},
	isa.S64: {Kind: debuginfo.Signed, Name: "long", Size: 8}, isa.U64: {Kind: debuginfo.Unsigned, Name: "unsigned long", Size: 8},
	isa.F32: {Kind: debuginfo.Float, Name: "float", Size: 4}, isa.F64: {Kind: debuginfo.Float, Name: "double", Size: 8},
}

// order of the types in the usual arithmetic conversions: the later one is that of the result.
var conversions = []isa.Type{isa.S32, isa.U32, isa.S64, isa.U64, isa.F32, isa.F64}

// promoted returns the number in conversions of an operand's type after the integral promotions.
func (v *value) promoted() int {
	t := v.typ
	switch {
	case v.literal && t.IsInt():
		t = isa.S64
		if n := v.signed(0); math.MinInt32 <= n && n <= math.MaxInt32 {
			t = isa.S32
		}
	case t == isa.F16, t == isa.BF16, v.cxx.IsNarrow():
		t = isa.F32
	case t == isa.Pred, t.Bits() < 32:
		t = isa.S32
	}
	for i, known := range conversions {
		if t == known {
			return i
		}
	}
	return 3 // bits without a type
}

// converted returns the value as a type of conversions.
func (v *value) converted(t isa.Type) value {
	c := *v
	c.typ, c.cxx, c.literal = t, arithmetic[t], false
	for lane := range c.bits {
		c.bits[lane] = truncated(v.as(t, lane), t.Bits())
	}
	return c
}

// isPointer reports whether the value is a pointer of C++.
//
//go:noinline
func (v *value) isPointer() bool { return v.cxx != nil && v.cxx.Bare().Kind == debuginfo.Pointer }

// combinedAsCXX computes x op y as C++ does, with the types of its operands.
func combinedAsCXX(op string, x, y *value) (value, error) {
	if op == "@" {
		return value{}, errors.New("print, x and watch take several elements; an expression takes one")
	}
	if x.isPointer() || y.isPointer() {
		return pointerArithmetic(op, x, y)
	}
	t := conversions[max(x.promoted(), y.promoted())]
	if op == "<<" || op == ">>" {
		t = conversions[x.promoted()]
	}
	a, b := x.converted(t), y.converted(t)
	out := value{void: x.void | y.void, uniform: x.uniform && y.uniform}
	var err error
	if t == isa.F32 || t == isa.F64 {
		err = out.floats(op, &a, &b)
	} else {
		err = out.integers(op, &a, &b)
	}
	if err != nil || out.typ == isa.Pred {
		return out, err
	}
	return out.converted(t), nil
}

// pointerArithmetic computes x op y where one is a pointer.
func pointerArithmetic(op string, x, y *value) (value, error) {
	out := value{void: x.void | y.void, uniform: x.uniform && y.uniform}
	switch {
	case op == "-" && x.isPointer() && y.isPointer():
		if err := out.integers(op, x, y); err != nil {
			return out, err
		}
		for lane := range out.bits {
			out.bits[lane] = uint64(int64(out.bits[lane]) / elementSize(x))
		}
		out.typ = isa.S64
		out.cxx = arithmetic[isa.S64]
		return out, nil
	case op == "+" && !x.isPointer():
		x, y = y, x
		fallthrough
	case op == "+" && !y.isPointer(), op == "-" && !y.isPointer():
		if !y.typ.IsInt() {
			return out, errorf("%s of a pointer takes an integer", op)
		}
		p := *x
		p.void, p.uniform = out.void, out.uniform
		for lane := range p.bits {
			bytes := uint64(y.signed(lane) * elementSize(x))
			if op == "-" {
				bytes = -bytes
			}
			p.bits[lane] += bytes
		}
		return p, nil
	}
	if _, ok := compare(op, 0); !ok && op != "&&" && op != "||" {
		return out, errorf("%s does not take pointers", op)
	}
	err := out.integers(op, x, y)
	return out, err
}

// elementSize returns the bytes of what a pointer points to; 1 if they are not known.
func elementSize(p *value) int64 {
	if to := p.cxx.Bare().To; to != nil && to.Size > 0 {
		return to.Size
	}
	return 1
}

// cast converts a value to a type of C++.
func (v *value) cast(t *debuginfo.Type) (value, error) {
	typ, ok := scalarType(t)
	if !ok || !t.IsScalar() {
		return *v, errorf("nothing can be cast to %s", t)
	}
	c := *v
	c.typ, c.cxx, c.literal = typ, t, false
	kind := t.Bare().Kind
	if kind != debuginfo.Pointer {
		c.space = ""
	}
	for lane := range c.bits {
		switch {
		case kind == debuginfo.Bool:
			c.bits[lane] = uint64(v.holds() >> lane & 1)
		case t.IsNarrow():
			c.bits[lane] = t.Bare().Format.Bits(v.float(lane))
		case kind == debuginfo.Float && typ == isa.F16:
			c.bits[lane] = halfBits(v.float(lane))
		case kind == debuginfo.Float && typ == isa.BF16:
			c.bits[lane] = bfloatBits(v.float(lane))
		default:
			c.bits[lane] = truncated(v.as(typ, lane), typ.Bits())
		}
	}
	return c, nil
}
