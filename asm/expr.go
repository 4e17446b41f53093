package asm

import (
	"math"
	"strconv"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/simtrun/simtrun/internal/isa"
)

// warpSize is the value of WARP_SZ.
const warpSize = 32

// maxNesting is the maximum depth of brackets and of scopes, so that no source can exhaust the stack.
const maxNesting = 200

// constant is the value of a constant expression (PTX ISA 4.5). Integers are
// 64 bits wide, signed or not; floats are f64 except for 0f literals.
type constant struct {
	lit      isa.Lit
	unsigned bool // of an IntLit
	bits     uint64
}

func signed(v int64) constant { return constant{bits: uint64(v)} }

func truth(b bool) constant {
	if b {
		return signed(1)
	}
	return signed(0)
}

func float(f float64) constant { return constant{lit: isa.F64Lit, bits: math.Float64bits(f)} }

// float64 returns the value, of any type, as a double.
func (v constant) float64() float64 {
	switch {
	case v.lit == isa.F64Lit:
		return math.Float64frombits(v.bits)
	case v.lit == isa.F32Lit:
		return float64(math.Float32frombits(uint32(v.bits)))
	case v.unsigned:
		return float64(v.bits)
	}
	return float64(int64(v.bits))
}

// literal returns the value of a number token, or an error.
func literal(text string, t lexer.TokenType) (v constant, fault string) {
	digits, unsigned := strings.CutSuffix(text, "U")
	switch c := prefixByte(text); {
	case c == 'f' && len(text) != 10:
		return v, "0f takes 8 hexadecimal digits"
	case c == 'd' && len(text) != 18:
		return v, "0d takes 16 hexadecimal digits"
	case c == 'f':
		v.lit = isa.F32Lit
		v.bits, _ = strconv.ParseUint(text[2:], 16, 64)
		return v, ""
	case c == 'd':
		v.lit = isa.F64Lit
		v.bits, _ = strconv.ParseUint(text[2:], 16, 64)
		return v, ""
	case t == floatToken:
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return v, "which is out of the range of a double"
		}
		return float(f), ""
	case c == 'x':
		v.bits, fault = integer(digits[2:], 16)
	case c == 'b':
		v.bits, fault = integer(digits[2:], 2)
	case len(digits) > 1 && digits[0] == '0':
		v.bits, fault = integer(digits[1:], 8)
	default:
		v.bits, fault = integer(digits, 10)
	}
	v.unsigned = unsigned || v.bits > math.MaxInt64
	return v, fault
}

func integer(digits string, base int) (uint64, string) {
	v, err := strconv.ParseUint(digits, base, 64)
	switch {
	case err == nil:
		return v, ""
	case strings.Contains(err.Error(), "range"):
		return 0, "which does not fit in 64 bits"
	}
	return 0, "which is not a number of base " + strconv.Itoa(base)
}

// precedence returns the precedence of a binary operator, from 1 for the weakest; 0 for anything else.
func precedence(t *lexer.Token) int {
	if t.Type < 0 && t.Type != operatorToken {
		return 0
	}
	switch t.Value {
	case "||":
		return 1
	case "&&":
		return 2
	case "|":
		return 3
	case "^":
		return 4
	case "&":
		return 5
	case "==", "!=":
		return 6
	case "<", "<=", ">", ">=":
		return 7
	case "<<", ">>":
		return 8
	case "+", "-":
		return additive
	case "*", "/", "%":
		return additive + 1
	}
	return 0
}

const additive = 9

// constant reads a constant expression.
func (c *cursor) constant() (constant, *isa.Error) {
	cond, err := c.binary(1)
	if err != nil || !c.accept('?') {
		return cond, err
	}
	if cond.lit != isa.IntLit {
		return cond, isa.Errorf(c.pos(), "the condition of ?: is a float; it takes an integer")
	}
	if err := c.enter(); err != nil {
		return cond, err
	}
	defer c.leave()
	yes, err := c.constant()
	if err != nil {
		return cond, err
	}
	if err := c.expect(':', "the : of ?:"); err != nil {
		return cond, err
	}
	no, err := c.constant()
	if err != nil {
		return cond, err
	}
	yes, no = usual(yes, no)
	if cond.bits != 0 {
		return yes, nil
	}
	return no, nil
}

// binary reads operators of the given precedence and stronger ones.
func (c *cursor) binary(weakest int) (constant, *isa.Error) {
	left, err := c.unary()
	for err == nil {
		op := c.peek()
		p := precedence(op)
		if p == 0 || p < weakest {
			return left, nil
		}
		c.next()
		var right constant
		if right, err = c.binary(p + 1); err == nil {
			left, err = apply(op, left, right)
		}
	}
	return left, err
}

// unary reads a literal, a named constant, a parenthesis, or one of them after unary operators and casts.
func (c *cursor) unary() (constant, *isa.Error) {
	if err := c.enter(); err != nil {
		return constant{}, err
	}
	defer c.leave()
	t := c.peek()
	switch t.Type {
	case intToken, floatToken:
		c.next()
		v, _ := literal(t.Value, t.Type) // the lexer has checked it
		return v, nil
	case wordToken:
		if v, ok := c.named(t); ok {
			c.next()
			return v, nil
		}
	case '(':
		return c.parenthesis()
	case '+', '-', '!', '~':
		c.next()
		v, err := c.unary()
		if err != nil {
			return v, err
		}
		return negate(t, v)
	}
	if t.Type == '@' {
		return constant{}, isa.Errorf(position(t.Pos), "found @; a guard stands before the opcode, as in @%%p1 add.u32 %%r1, %%r2, 1")
	}
	return constant{}, c.unexpected("a constant")
}

// parenthesis reads (expression), or the cast (.s64) or (.u64) of the following operand.
func (c *cursor) parenthesis() (constant, *isa.Error) {
	c.next()
	cast := c.peek()
	if cast.Type != directiveToken {
		v, err := c.constant()
		if err == nil {
			err = c.expect(')', ")")
		}
		return v, err
	}
	if cast.Value != ".s64" && cast.Value != ".u64" {
		return constant{}, c.unexpected("a cast, .s64 or .u64")
	}
	c.next()
	if err := c.expect(')', ") after the cast"); err != nil {
		return constant{}, err
	}
	v, err := c.unary()
	if err == nil && v.lit != isa.IntLit {
		err = isa.Errorf(position(cast.Pos), "a float cannot be cast to %s", cast.Value)
	}
	v.unsigned = cast.Value == ".u64"
	return v, err
}

func negate(op *lexer.Token, v constant) (constant, *isa.Error) {
	if v.lit != isa.IntLit {
		switch op.Type {
		case '+':
			return v, nil
		case '-':
			sign := uint64(1) << 63
			if v.lit == isa.F32Lit {
				sign = 1 << 31
			}
			v.bits ^= sign
			return v, nil
		}
		return v, isa.Errorf(position(op.Pos), "%s takes an integer, not a float", op.Value)
	}
	switch op.Type {
	case '-':
		v.bits = -v.bits
	case '!':
		return truth(v.bits == 0), nil
	case '~':
		return constant{unsigned: true, bits: ^v.bits}, nil
	}
	return v, nil
}

// usual converts two operands to one type, by the rules of C's usual conversions.
func usual(a, b constant) (constant, constant) {
	if a.lit != isa.IntLit || b.lit != isa.IntLit {
		if a.lit == b.lit {
			return a, b
		}
		return float(a.float64()), float(b.float64())
	}
	u := a.unsigned || b.unsigned
	a.unsigned, b.unsigned = u, u
	return a, b
}

func apply(op *lexer.Token, a, b constant) (constant, *isa.Error) {
	if a.lit != isa.IntLit || b.lit != isa.IntLit {
		v, ok := applyFloat(op.Value, a.float64(), b.float64())
		if !ok {
			return v, isa.Errorf(position(op.Pos), "%s takes integers, not floats", op.Value)
		}
		return v, nil
	}
	if (op.Value == "/" || op.Value == "%") && b.bits == 0 {
		return a, isa.Errorf(position(op.Pos), "division by zero")
	}
	return applyInt(op.Value, a, b), nil
}

func applyFloat(op string, x, y float64) (v constant, ok bool) {
	switch op {
	case "+":
		return float(x + y), true
	case "-":
		return float(x - y), true
	case "*":
		return float(x * y), true
	case "/":
		return float(x / y), true
	case "==":
		return truth(x == y), true
	case "!=":
		return truth(x != y), true
	case "<":
		return truth(x < y), true
	case "<=":
		return truth(x <= y), true
	case ">":
		return truth(x > y), true
	case ">=":
		return truth(x >= y), true
	}
	return v, false
}

// applyInt differs from C where PTX does (4.5.4): % treats its operands as unsigned, and a shift count has 64 bits.
func applyInt(op string, a, b constant) constant {
	x, y := usual(a, b)
	v := constant{unsigned: x.unsigned}
	switch op {
	case "||":
		return truth(a.bits != 0 || b.bits != 0)
	case "&&":
		return truth(a.bits != 0 && b.bits != 0)
	case "==":
		return truth(x.bits == y.bits)
	case "!=":
		return truth(x.bits != y.bits)
	case "<":
		return truth(less(x, y))
	case "<=":
		return truth(!less(y, x))
	case ">":
		return truth(less(y, x))
	case ">=":
		return truth(!less(x, y))
	case "<<":
		return constant{unsigned: a.unsigned, bits: a.bits << b.bits}
	case ">>":
		return shiftRight(a, b.bits)
	case "+":
		v.bits = x.bits + y.bits
	case "-":
		v.bits = x.bits - y.bits
	case "*":
		v.bits = x.bits * y.bits
	case "/":
		v.bits = divide(x, y)
	case "%":
		v.bits = x.bits % y.bits
	case "|":
		v.bits = x.bits | y.bits
	case "^":
		v.bits = x.bits ^ y.bits
	case "&":
		v.bits = x.bits & y.bits
	}
	return v
}

func less(x, y constant) bool {
	if x.unsigned {
		return x.bits < y.bits
	}
	return int64(x.bits) < int64(y.bits)
}

func shiftRight(a constant, count uint64) constant {
	if a.unsigned {
		return constant{unsigned: true, bits: a.bits >> count}
	}
	return signed(int64(a.bits) >> count)
}

func divide(x, y constant) uint64 {
	if x.unsigned {
		return x.bits / y.bits
	}
	return uint64(int64(x.bits) / int64(y.bits))
}
