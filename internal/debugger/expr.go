package debugger

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/simtrun/simtrun/internal/isa"
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
	memberExpr struct { // x.name; x->name with arrow
		x     expr
		name  string
		arrow bool
	}
	sizeofExpr struct { // sizeof(typ) or sizeof(x)
		typ string
		x   expr // nil for a type
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
	"@":  11, // of gdb: x@N is N objects from x on
	".*": 12, "->*": 12,
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

var errChanges = errors.New("an expression changes nothing; set PLACE = EXPR does")

// parseExpr parses text as one expression.
func parseExpr(text string) (expr, error) {
	p := &parser{text: text}
	e, err := p.expression()
	if bare := strings.TrimRight(text, " "); err != nil && (strings.HasSuffix(bare, "++") || strings.HasSuffix(bare, "--")) {
		err = errChanges
	}
	if err == nil && p.token != "" {
		err = errorf("%q does not continue the expression", p.token)
		switch p.token {
		case "(":
			err = errors.New("expressions call no functions of the program; break FUNCTION stops in one")
		case "=":
			err = errors.New("an expression changes nothing; set PLACE = EXPR does, and == compares")
		}
	}
	return e, err
}

// expression parses an expression, starting with the first token.
func (p *parser) expression() (expr, error) {
	if err := p.next(); err != nil {
		return nil, err
	}
	return p.conditional()
}

// splitCondition splits text at " if ", and parses the condition.
func splitCondition(text string) (rest string, condition expr, err error) {
	rest, cond, ok := cutFirst(" "+text+" ", " if ")
	if !ok {
		return strings.TrimSpace(rest), nil, nil
	}
	condition, err = parseExpr(strings.TrimSpace(cond))
	return strings.TrimSpace(rest), condition, err
}

const operatorSigns = "|&^=!<>+-*/%~()[]:@?,"

// next reads a token. A % begins a register where an operand is expected, and is the operator elsewhere.
func (p *parser) next() error {
	operand := p.token == "" || strings.Contains("|| && | ^ & == != < <= > >= << >> + - * / % ! ~ ( [ : = @ ? , .* ->*", p.token)
	p.text = strings.TrimLeft(p.text, " \t")
	p.token = ""
	if p.text == "" {
		return nil
	}
	n := 0
	switch c := p.text[0]; {
	case strings.HasPrefix(p.text, "::") && operand && len(p.text) > 2 && isWordByte(p.text[2]): // a name outside all namespaces
		n = 2 + wordLength(p.text[2:])
	case isWordByte(c) || c == '%' && operand:
		n = wordLength(p.text)
	case c == '.' && operand && len(p.text) > 1 && p.text[1] >= '0' && p.text[1] <= '9':
		n = wordLength("0"+p.text) - 1
		p.token, p.text = "0"+p.text[:n], p.text[n:]
		return nil
	case strings.HasPrefix(p.text, "->*"):
		n = 3
	case strings.HasPrefix(p.text, "->"):
		n = 2
	case c == '{' && operand && strings.IndexByte(p.text, '}') > 0: // a type of gdb, as in {int}0x110000000
		n = 1 + strings.IndexByte(p.text, '}')
	case c == '.' && len(p.text) > 1 && isWordByte(p.text[1]): // after ] or )
		n = 1 + wordLength(p.text[1:])
	case c == '\'' && strings.IndexByte(p.text[1:], c) > 0:
		n = 2 + strings.IndexByte(p.text[1:], c)
	case len(p.text) > 1 && precedence[p.text[:2]] > 0:
		n = 2
	case strings.IndexByte(operatorSigns, c) >= 0:
		n = 1
	default:
		why := ""
		if c == '"' || c == '\'' {
			why = ": expressions have no strings"
		}
		return errorf("unexpected %q%s", p.text[:1], why)
	}
	p.token, p.text = p.text[:n], p.text[n:]
	return nil
}

// wordLength returns the length of the word, or register, that a text begins with. Names of C++ may have colons.
func wordLength(text string) int {
	n := 1
	for ; n < len(text); n++ {
		switch {
		case isWordByte(text[n]) || text[n] == '.' && (text[0] <= '9' || !strings.HasPrefix(text[n:], ".*")):
		case strings.HasPrefix(text[n:], "::") && n+2 < len(text) && isWordByte(text[n+2]):
			n++
		default:
			return n
		}
	}
	return n
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
		return nil, errorf("the expression nests deeper than %d", maxNesting)
	}
	defer func() { p.depth-- }()
	switch op := p.token; op {
	case "-", "!", "~", "+", "&", "*":
		if (op == "+" || op == "-") && strings.HasPrefix(p.text, op) {
			return nil, errChanges
		}
		if err := p.next(); err != nil {
			return nil, err
		}
		x, err := p.unary()
		return &unaryExpr{op, x}, err
	}
	return p.postfix()
}

// postfix parses an operand, and the indices and members after it.
func (p *parser) postfix() (expr, error) {
	x, err := p.primary()
	for err == nil {
		switch {
		case p.token == "[":
			x, err = p.index(x)
		case p.token == "->":
			if err = p.next(); err == nil && (p.token == "" || !isWordByte(p.token[0])) {
				return nil, errorf("the name of a member is missing after ->")
			}
			x, err = p.members(x, p.token, true)
		case strings.HasPrefix(p.token, ".") && p.token != ".*":
			x, err = p.members(x, p.token[1:], false)
		default:
			return x, nil
		}
	}
	return x, err
}

// members makes the expression for the members after x, whose names are joined by points.
func (p *parser) members(x expr, names string, arrow bool) (expr, error) {
	for name := range strings.SplitSeq(names, ".") {
		x, arrow = &memberExpr{x, name, arrow}, false
	}
	return x, p.next()
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
		if e.first, err = p.conditional(); err != nil {
			return nil, err
		}
	}
	if p.token == ":" {
		e.isRange = true
		if err := p.next(); err != nil {
			return nil, err
		}
		if p.token != "]" {
			if e.last, err = p.conditional(); err != nil {
				return nil, err
			}
		}
	}
	if p.token != "]" {
		return nil, errorf("a ] is missing")
	}
	return e, p.next()
}

// enclosed parses an expression after the current token, up to the closing token.
func (p *parser) enclosed(closing string) (expr, error) {
	if err := p.next(); err != nil {
		return nil, err
	}
	x, err := p.conditional()
	if err != nil {
		return nil, err
	}
	if p.token != closing {
		return nil, errorf("a %s is missing", closing)
	}
	return x, p.next()
}

func (p *parser) primary() (expr, error) {
	word := p.token
	switch {
	case word == "":
		return nil, errorf("an operand is missing at the end")
	case word == "(":
		if typ, ok := p.typeHere(); ok {
			return p.castAfter(typ)
		}
		x, err := p.enclosed(")")
		return &parenExpr{x}, err
	case word[0] == '\'':
		return p.character()
	case word[0] == '{':
		x, err := p.castAfter(word[1:len(word)-1] + " *")
		return &unaryExpr{"*", x}, err
	case !isWordByte(word[0]) && word[0] != '%' && !strings.HasPrefix(word, "::"):
		if word == "@" {
			return nil, errors.New("@ stands between a value and a count, as in x[0]@4; memory of a space is shared:(ADDR), global:(ADDR) or local:(ADDR)")
		}
		return nil, errorf("expected an operand, found %q", word)
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
	case p.isFetch(word):
		return p.fetchOf(word)
	case isNamedCast(word):
		return p.namedCast(word)
	case p.token == "(" && word == "sizeof":
		return p.sizeOf()
	case p.token == ":" && (p.brackets == 0 || isSpace(word)):
		return p.memory(word)
	case p.token == "(" && (word == "any" || word == "all"):
		x, err := p.enclosed(")")
		return &overExpr{word, x}, err
	case p.token == "(":
		return p.callOf(word)
	}
	return &nameExpr{word}, nil
}

// typeHere skips a type in brackets, of which the current token is the first, and returns it; ok is false if something
// else is in them.
func (p *parser) typeHere() (typ string, ok bool) {
	end := strings.IndexByte(p.text, ')')
	if end < 0 || !isTypeText(p.text[:end], p.text[end+1:]) {
		return "", false
	}
	typ, p.text = strings.TrimSpace(p.text[:end]), p.text[end+1:]
	p.token = "("
	return typ, true
}

// sizeOf parses what stands in brackets after sizeof: a type or an expression.
func (p *parser) sizeOf() (expr, error) {
	e := &sizeofExpr{}
	if end := strings.IndexByte(p.text, ')'); end >= 0 && typeForm.MatchString(p.text[:end]) {
		e.typ = strings.TrimSpace(p.text[:end])
		if isTypeText(e.typ, "") {
			p.text = p.text[end+1:]
			return e, p.next()
		}
	}
	var err error
	e.x, err = p.enclosed(")")
	return e, err
}

// unaryAfter parses the operand after the current token.
func (p *parser) unaryAfter() (expr, error) {
	if err := p.next(); err != nil {
		return nil, err
	}
	return p.unary()
}

// character parses a character of C++, or a name in quotes.
func (p *parser) character() (expr, error) {
	if quoted := strings.Trim(p.token, "'"); len(quoted) > 1 && (isWordByte(quoted[0]) || quoted[0] == ':') {
		return &nameExpr{quoted}, p.next() // as gdb takes it
	}
	text, err := strconv.Unquote(p.token)
	if err != nil || len(text) != 1 {
		return nil, errorf("%s is not a character", p.token)
	}
	v := uniform(isa.S8, uint64(text[0]))
	v.cxx = fundamental["char"]
	return &literalExpr{v}, p.next()
}

// isSpace reports whether a word before a colon is a state space.
func isSpace(word string) bool {
	space, _, _ := cutFirst(word, ".")
	return slices.Contains(spaceNames, space)
}

// memory parses the address after "shared:" or "shared.f32:", which is a sum.
func (p *parser) memory(word string) (expr, error) {
	space, typ, _ := cutFirst(word, ".")
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
	case *memberExpr:
		walkExpr(e.x, visit)
	case *castExpr:
		walkExpr(e.x, visit)
	case *memoryExpr:
		walkExpr(e.addr, visit)
	case *callExpr:
		for _, x := range e.args {
			walkExpr(x, visit)
		}
	case *fetchExpr:
		for _, x := range e.args {
			walkExpr(x, visit)
		}
	case *chooseExpr:
		walkExpr(e.x, visit)
		walkExpr(e.y, visit)
		walkExpr(e.z, visit)
	}
}

// exprText returns an expression as text, for the names of elements.
func exprText(e expr) string {
	switch e := e.(type) {
	case nil:
		return ""
	case *nameExpr:
		return e.name
	case *literalExpr:
		if e.v.typ.IsInt() {
			return strconv.FormatInt(e.v.signed(0), 10)
		}
	case *parenExpr:
		return "(" + exprText(e.x) + ")"
	case *unaryExpr:
		return e.op + exprText(e.x)
	case *binaryExpr:
		if e.op == ".*" || e.op == "->*" {
			return exprText(e.x) + e.op + exprText(e.y)
		}
		return exprText(e.x) + " " + e.op + " " + exprText(e.y)
	case *indexExpr:
		return exprText(e.x) + "[" + exprText(e.first) + "]"
	case *fetchExpr:
		var args []string
		for _, x := range e.args {
			args = append(args, exprText(x))
		}
		name := e.name
		if e.typ != "" {
			name += "<" + e.typ + ">"
		}
		return name + "(" + strings.Join(args, ", ") + ")"
	case *memberExpr:
		if e.arrow {
			return exprText(e.x) + "->" + e.name
		}
		return exprText(e.x) + "." + e.name
	case *castExpr:
		if e.space != "" {
			return "(@" + e.space + " " + e.typ + ")" + exprText(e.x)
		}
		return "(" + e.typ + ")" + exprText(e.x)
	}
	return "..."
}
