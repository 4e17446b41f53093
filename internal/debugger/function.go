package debugger

import (
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
)

// callExpr is a call of one of the functions of CUDA that expressions know.
type callExpr struct {
	name string
	args []expr
}

// chooseExpr is x ? y : z.
type chooseExpr struct{ x, y, z expr }

// conditional parses an expression that may choose between two values.
func (p *parser) conditional() (expr, error) {
	x, err := p.binary(1)
	if err != nil || p.token != "?" {
		return x, err
	}
	e := &chooseExpr{x: x}
	p.brackets++ // a colon after a name is that of the choice
	defer func() { p.brackets-- }()
	if e.y, err = p.conditionalAfter(); err != nil {
		return nil, err
	}
	if p.token != ":" {
		return nil, errorf("a : is missing after the ?")
	}
	e.z, err = p.conditionalAfter()
	return e, err
}

// conditionalAfter parses an expression after the current token.
func (p *parser) conditionalAfter() (expr, error) {
	if p.depth++; p.depth > maxNesting {
		return nil, errorf("the expression nests deeper than %d", maxNesting)
	}
	defer func() { p.depth-- }()
	if err := p.next(); err != nil {
		return nil, err
	}
	return p.conditional()
}

// callOf parses the arguments of a function; the current token is the bracket.
func (p *parser) callOf(name string) (expr, error) {
	e := &callExpr{name: name}
	p.brackets++
	defer func() { p.brackets-- }()
	for p.token != ")" {
		if strings.HasPrefix(strings.TrimLeft(p.text, " \t"), ")") && len(e.args) == 0 {
			if err := p.next(); err != nil {
				return nil, err
			}
			break
		}
		x, err := p.conditionalAfter()
		if err != nil {
			return nil, err
		}
		e.args = append(e.args, x)
		if p.token != "," && p.token != ")" {
			return nil, errorf("a ) is missing")
		}
	}
	return e, p.next()
}

// eval takes y in the lanes in which x is not 0, and z in the others.
func (e *chooseExpr) eval(s *scope) (value, error) {
	var v [3]value
	for i, x := range []expr{e.x, e.y, e.z} {
		var err error
		if v[i], err = x.eval(s); err != nil {
			return v[i], err
		}
	}
	x, y, z := &v[0], &v[1], &v[2]
	if numbers := !y.isPointer() && !z.isPointer(); numbers && (y.cxx != z.cxx || y.literal || y.typ != z.typ) {
		t := conversions[max(y.promoted(), z.promoted())]
		*y, *z = y.converted(t), z.converted(t)
	}
	out, holds := *z, x.holds()
	out.uniform = x.uniform && y.uniform && z.uniform
	out.literal = false
	out.void = x.void | y.void&holds | z.void&^holds
	for lane := range out.bits {
		if holds>>lane&1 != 0 {
			out.bits[lane] = y.bits[lane]
		}
	}
	return out, nil
}

// function is a function of CUDA whose result is the same bits on every host.
type function struct {
	args int
	// The types to which arguments are converted, and of the result; NoType is that of the usual conversions.
	arg, result isa.Type
	integers    func(x, y uint64) uint64
	signed      func(x, y int64) int64     // instead, for signed integers
	floats      func(x, y float64) float64 // instead, for numbers with a fraction
}

// functions are the functions of expressions, by name. Functions in fraction have a name with an f at the end for
// float, and without one take the type of the argument, as overloads of CUDA do.
var functions = map[string]function{
	"min": {2, isa.NoType, isa.NoType, func(x, y uint64) uint64 { return min(x, y) }, func(x, y int64) int64 { return min(x, y) }, lower},
	"max": {2, isa.NoType, isa.NoType, func(x, y uint64) uint64 { return max(x, y) }, func(x, y int64) int64 { return max(x, y) }, higher},
	"abs": {1, isa.NoType, isa.NoType, func(x, _ uint64) uint64 { return x }, func(x, _ int64) int64 { return max(x, -x) }, alone(math.Abs)},

	"__popc":   {1, isa.U32, isa.S32, func(x, _ uint64) uint64 { return uint64(bits.OnesCount64(x)) }, nil, nil},
	"__popcll": {1, isa.U64, isa.S32, func(x, _ uint64) uint64 { return uint64(bits.OnesCount64(x)) }, nil, nil},
	"__clz":    {1, isa.U32, isa.S32, func(x, _ uint64) uint64 { return uint64(bits.LeadingZeros32(uint32(x))) }, nil, nil},
	"__clzll":  {1, isa.U64, isa.S32, func(x, _ uint64) uint64 { return uint64(bits.LeadingZeros64(x)) }, nil, nil},
	"__ffs":    {1, isa.U32, isa.S32, firstBit, nil, nil},
	"__ffsll":  {1, isa.U64, isa.S32, firstBit, nil, nil},
	"__brev":   {1, isa.U32, isa.U32, func(x, _ uint64) uint64 { return uint64(bits.Reverse32(uint32(x))) }, nil, nil},
	"__brevll": {1, isa.U64, isa.U64, func(x, _ uint64) uint64 { return bits.Reverse64(x) }, nil, nil},
	"__umulhi": {2, isa.U32, isa.U32, func(x, y uint64) uint64 { return x * y >> 32 }, nil, nil},

	"__float_as_int":       {1, isa.F32, isa.S32, same, nil, nil},
	"__float_as_uint":      {1, isa.F32, isa.U32, same, nil, nil},
	"__int_as_float":       {1, isa.S32, isa.F32, same, nil, nil},
	"__uint_as_float":      {1, isa.U32, isa.F32, same, nil, nil},
	"__double_as_longlong": {1, isa.F64, isa.S64, same, nil, nil},
	"__longlong_as_double": {1, isa.S64, isa.F64, same, nil, nil},
}

// fractions are functions of numbers with a fraction that round in one way only.
var fractions = map[string]func(x, y float64) float64{
	"sqrt": alone(math.Sqrt), "fabs": alone(math.Abs), "floor": alone(math.Floor), "ceil": alone(math.Ceil), "trunc": alone(math.Trunc),
	"round": alone(math.Round), "rint": alone(math.RoundToEven),
}

// fractionPairs are the functions of two floating-point numbers.
var fractionPairs = map[string]func(x, y float64) float64{"fmin": lower, "fmax": higher, "copysign": math.Copysign}

func same(x, _ uint64) uint64 { return x }

func alone(f func(float64) float64) func(x, _ float64) float64 {
	return func(x, _ float64) float64 { return f(x) }
}

func firstBit(x, _ uint64) uint64 {
	if x == 0 {
		return 0
	}
	return uint64(bits.TrailingZeros64(x) + 1)
}

// lower and higher are fmin and fmax of C: of a number and NaN they return the number.
func lower(x, y float64) float64 {
	if math.IsNaN(x) || y < x {
		return y
	}
	return x
}

func higher(x, y float64) float64 {
	if math.IsNaN(x) || y > x {
		return y
	}
	return x
}

// functionNamed returns the function of a name.
func functionNamed(name string) (f function, ok bool) {
	name = strings.TrimPrefix(name, "::")
	name = strings.TrimPrefix(name, "std::")
	if f, ok = functions[name]; ok {
		return f, true
	}
	short, single := strings.CutSuffix(name, "f")
	for args, of := range map[int]map[string]func(x, y float64) float64{1: fractions, 2: fractionPairs} {
		if g := of[name]; g != nil {
			return function{args: args, floats: g}, true
		}
		if g := of[short]; g != nil && single {
			return function{args: args, arg: isa.F32, floats: g}, true
		}
	}
	return f, false
}

// functionNames returns the names of all functions, sorted.
func functionNames() (names []string) {
	for name := range functions {
		names = append(names, name)
	}
	for _, of := range []map[string]func(x, y float64) float64{fractions, fractionPairs} {
		for name := range of {
			names = append(names, name, name+"f")
		}
	}
	slices.Sort(names)
	return names
}

// eval calls the function in every lane.
func (e *callExpr) eval(s *scope) (value, error) {
	f, ok := functionNamed(e.name)
	if !ok {
		return value{}, s.d.noFunction(e.name)
	}
	if len(e.args) != f.args {
		return value{}, errorf("%s takes %s, not %d", e.name, plural(uint64(f.args), "argument"), len(e.args))
	}
	args := make([]value, 2)
	for i, x := range e.args {
		var err error
		if args[i], err = x.eval(s); err != nil {
			return args[i], err
		}
	}
	if f.args == 1 {
		args[1] = args[0]
	}
	t := f.arg
	if t == isa.NoType {
		t = conversions[max(args[0].promoted(), args[1].promoted())]
		if f.integers == nil && t != isa.F32 || args[0].literal && args[0].typ == isa.F64 {
			t = isa.F64
		}
	}
	return f.call(args[0].converted(t), args[1].converted(t)), nil
}

// call calls the function with values of one type of conversions.
func (f *function) call(x, y value) value {
	result := f.result
	if result == isa.NoType {
		result = x.typ
	}
	out := uniform(result, 0)
	out.cxx, out.uniform, out.void = arithmetic[result], x.uniform && y.uniform, x.void|y.void
	for lane := range lanes.Width {
		switch {
		case f.floats != nil && x.typ.Class() == isa.Float:
			out.bits[lane] = floatBits(result, f.floats(x.float(lane), y.float(lane)))
		case f.signed != nil && x.typ.Class() == isa.Signed:
			out.bits[lane] = truncated(uint64(f.signed(x.signed(lane), y.signed(lane))), result.Bits())
		default:
			out.bits[lane] = truncated(f.integers(x.bits[lane], y.bits[lane]), result.Bits())
		}
	}
	return out
}

// noFunction returns the error for a function that expressions cannot call.
func (d *Debugger) noFunction(name string) error {
	known := append(functionNames(), "any", "all")
	if len(d.functions(name)) > 0 {
		return errorf("%s is a function of the program, which expressions cannot call; break %s stops in it", name, name)
	}
	if near := isa.DidYouMean(name, known); near != "" {
		return errorf("no function %s%s", name, near)
	}
	if strings.Contains(name, ".") {
		return errorf("%s is a function of the program, which expressions cannot call; its members can be printed", name)
	}
	return errorf("no function %s in expressions; there are any(x) and all(x), over the active lanes, min, max, abs, sqrt, floor, ceil, round, __popc, __clz, __ffs and others", name)
}
