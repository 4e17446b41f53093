package debugger

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// expr is an expression over the registers and memory of a warp.
type expr interface {
	eval(*scope) (value, error)
}

// The kinds of expressions.
type (
	literalExpr struct{ v value }
	nameExpr    struct{ name string }
	unaryExpr   struct {
		op string
		x  expr
	}
	binaryExpr struct {
		op   string
		x, y expr
	}
	parenExpr struct{ x expr } // (x)
	// indexExpr is x[first], an element of a buffer or variable, or the value in a lane; or x[first:last], where both
	// are optional.
	indexExpr struct {
		x, first, last expr
		isRange        bool
	}
	overExpr struct { // any(x), all(x)
		name string
		x    expr
	}
	memoryExpr struct { // shared.u8:address; the address extends to the end of a sum
		space, typ string
		addr       expr
	}
)

// precedence of binary operators, as in C.
var precedence = map[string]int{
	"||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, "<=": 7, ">": 7, ">=": 7,
	"<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
}

// maxNesting limits the nesting of an expression.
const maxNesting = 100

// parser parses an expression.
type parser struct {
	text     string // the rest of the text
	token    string // current token; "" at the end
	depth    int
	brackets int // open brackets; in brackets a colon may separate two numbers
}

// parseExpr parses text as one expression.
func parseExpr(text string) (expr, error) {
	p := &parser{text: text}
	e, err := p.expression()
	if err == nil && p.token != "" {
		err = fmt.Errorf("%q does not go on the expression", p.token)
	}
	return e, err
}

// expression parses an expression, starting with the first token.
func (p *parser) expression() (expr, error) {
	if err := p.next(); err != nil {
		return nil, err
	}
	return p.binary(1)
}

// splitCondition splits text at " if ", and parses the condition.
func splitCondition(text string) (rest string, condition expr, err error) {
	rest, cond, ok := strings.Cut(" "+text+" ", " if ")
	if !ok {
		return strings.TrimSpace(rest), nil, nil
	}
	condition, err = parseExpr(strings.TrimSpace(cond))
	return strings.TrimSpace(rest), condition, err
}

const operatorSigns = "|&^=!<>+-*/%~()[]:"

// next reads a token. A % begins a register where an operand is expected, and is the operator elsewhere.
func (p *parser) next() error {
	operand := p.token == "" || strings.Contains("|| && | ^ & == != < <= > >= << >> + - * / % ! ~ ( [ : =", p.token)
	p.text = strings.TrimLeft(p.text, " \t")
	p.token = ""
	if p.text == "" {
		return nil
	}
	n := 0
	switch c := p.text[0]; {
	case isWordByte(c) || c == '%' && operand:
		for n = 1; n < len(p.text) && (isWordByte(p.text[n]) || p.text[n] == '.'); n++ {
		}
	case len(p.text) > 1 && precedence[p.text[:2]] > 0:
		n = 2
	case strings.IndexByte(operatorSigns, c) >= 0:
		n = 1
	default:
		why := ""
		if c == '"' || c == '\'' {
			why = ": expressions have no strings"
		}
		return fmt.Errorf("unexpected %q%s", p.text[:1], why)
	}
	p.token, p.text = p.text[:n], p.text[n:]
	return nil
}

func isWordByte(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$'
}

// binary parses operands joined by operators that bind at least as tightly as level.
func (p *parser) binary(level int) (expr, error) {
	x, err := p.unary()
	for err == nil && precedence[p.token] >= level {
		op := p.token
		if err = p.next(); err != nil {
			break
		}
		var y expr
		y, err = p.binary(precedence[op] + 1)
		x = &binaryExpr{op, x, y}
	}
	return x, err
}

func (p *parser) unary() (expr, error) {
	if p.depth++; p.depth > maxNesting {
		return nil, fmt.Errorf("the expression nests deeper than %d", maxNesting)
	}
	defer func() { p.depth-- }()
	switch op := p.token; op {
	case "-", "!", "~", "+", "&":
		if err := p.next(); err != nil {
			return nil, err
		}
		x, err := p.unary()
		return &unaryExpr{op, x}, err
	}
	x, err := p.primary()
	for err == nil && p.token == "[" {
		x, err = p.index(x)
	}
	return x, err
}

// index parses the text in brackets after x: I, I:J, I:, :J or a colon alone.
func (p *parser) index(x expr) (e *indexExpr, err error) {
	e = &indexExpr{x: x}
	p.brackets++
	defer func() { p.brackets-- }()
	if err := p.next(); err != nil {
		return nil, err
	}
	if p.token != ":" {
		if e.first, err = p.binary(1); err != nil {
			return nil, err
		}
	}
	if p.token == ":" {
		e.isRange = true
		if err := p.next(); err != nil {
			return nil, err
		}
		if p.token != "]" {
			if e.last, err = p.binary(1); err != nil {
				return nil, err
			}
		}
	}
	if p.token != "]" {
		return nil, fmt.Errorf("a ] is missing")
	}
	return e, p.next()
}

// enclosed parses an expression after the current token, up to the closing token.
func (p *parser) enclosed(closing string) (expr, error) {
	if err := p.next(); err != nil {
		return nil, err
	}
	x, err := p.binary(1)
	if err != nil {
		return nil, err
	}
	if p.token != closing {
		return nil, fmt.Errorf("a %s is missing", closing)
	}
	return x, p.next()
}

func (p *parser) primary() (expr, error) {
	word := p.token
	switch {
	case word == "":
		return nil, fmt.Errorf("an operand is missing at the end")
	case word == "(":
		x, err := p.enclosed(")")
		return &parenExpr{x}, err
	case !isWordByte(word[0]) && word[0] != '%':
		return nil, fmt.Errorf("expected an operand, found %q", word)
	case word[0] >= '0' && word[0] <= '9':
		v, err := parseNumber(word)
		if err != nil {
			return nil, err
		}
		return &literalExpr{v}, p.next()
	}
	if err := p.next(); err != nil {
		return nil, err
	}
	switch {
	case p.token == ":" && (p.brackets == 0 || isSpace(word)):
		return p.memory(word)
	case p.token == "(" && (word == "any" || word == "all"):
		x, err := p.enclosed(")")
		return &overExpr{word, x}, err
	case p.token == "(":
		return nil, fmt.Errorf("no function %s; there are any(x) and all(x), over the active lanes", word)
	}
	return &nameExpr{word}, nil
}

// isSpace reports whether a word before a colon is a state space.
func isSpace(word string) bool {
	space, _, _ := strings.Cut(word, ".")
	return slices.Contains(spaceNames, space)
}

// memory parses the address after "shared:" or "shared.f32:", which is a sum.
func (p *parser) memory(word string) (expr, error) {
	space, typ, _ := strings.Cut(word, ".")
	if err := checkMemory(space, typ); err != nil {
		return nil, err
	}
	if err := p.next(); err != nil {
		return nil, err
	}
	addr, err := p.binary(precedence["+"])
	if err != nil {
		return nil, err
	}
	if indexed, ok := addr.(*indexExpr); ok { // indexes the memory, not its address
		indexed.x = &memoryExpr{space, typ, indexed.x}
		return indexed, nil
	}
	return &memoryExpr{space, typ, addr}, nil
}

// walkExpr calls visit for e and its subexpressions. It skips those of an expression for which visit returns false.
func walkExpr(e expr, visit func(expr) bool) {
	if e == nil || !visit(e) {
		return
	}
	switch e := e.(type) {
	case *unaryExpr:
		walkExpr(e.x, visit)
	case *binaryExpr:
		walkExpr(e.x, visit)
		walkExpr(e.y, visit)
	case *parenExpr:
		walkExpr(e.x, visit)
	case *indexExpr:
		walkExpr(e.x, visit)
		walkExpr(e.first, visit)
		walkExpr(e.last, visit)
	case *overExpr:
		walkExpr(e.x, visit)
	case *memoryExpr:
		walkExpr(e.addr, visit)
	}
}

// parseNumber parses 12, 0x1f, 1.5, or 0f3f800000 and 0d3ff0000000000000, the bits of floating-point numbers.
func parseNumber(word string) (value, error) {
	bad := fmt.Errorf("%q is not a number", word)
	for _, f := range floatForms {
		if hex, ok := strings.CutPrefix(strings.ToLower(word), f.prefix); ok {
			bits, err := strconv.ParseUint(hex, 16, f.typ.Bits())
			if err != nil || len(hex) != f.typ.Bits()/4 {
				return value{}, fmt.Errorf("%q: %s stands before %d hexadecimal digits", word, f.prefix, f.typ.Bits()/4)
			}
			return uniform(f.typ, bits), nil
		}
	}
	if n, err := strconv.ParseUint(word, 0, 64); err == nil {
		v := uniform(literalType(n), n)
		v.literal = true
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
