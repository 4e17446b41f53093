package asm

import (
	"maps"
	"math"
	"math/bits"
	"slices"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/simtrun/simtrun/internal/isa"
)

// maxInit is the maximum number of elements of an initialiser, including gaps.
const maxInit = 1 << 24

// initialiser is the source of a variable's value.
type initialiser struct {
	tokens []lexer.Token
	shape  shape
}

// filler assigns the elements of an initialiser. As in C, an inner brace list fills one inner array, and elements
// without braces fill inner arrays one after the other; missing elements are zero.
type filler struct {
	cursor         // over one element, from the token before it to the token after it
	items  *reader // of the brace list, for a list
	a      *assembler
	v      *isa.Var
	shape  shape
}

func (a *assembler) initialise(v *isa.Var, init *initialiser) {
	fl := &filler{cursor: cursor{tokens: init.tokens, constants: a.constants}, a: a, v: v, shape: init.shape}
	filled, err := fl.value()
	if err == nil && !fl.atEnd() {
		err = fl.unexpected("a comma or ;")
	}
	a.errs.add(err)
	if init.shape.unsized {
		row := fl.stride(0)
		v.Count = max((filled+row-1)/row, 1) * row / int64(v.Vec)
	}
}

// stride returns how many elements one item of a list at the given level has.
func (fl *filler) stride(level int) int64 {
	n := int64(1)
	for _, d := range fl.shape.dims[min(level+1, len(fl.shape.dims)):] {
		n *= d
	}
	return n
}

// value reads the whole initialiser and returns how many elements it fills.
func (fl *filler) value() (int64, *isa.Error) {
	list, several := fl.peek().Type == blockToken, len(fl.shape.dims) > 0
	switch {
	case list && several:
		fl.items = newReader(fl.next())
		whole := fl.cursor
		filled, err := fl.list(0)
		if err == nil {
			fl.cursor = whole
		}
		return filled, err
	case list:
		return 0, isa.Errorf(fl.pos(), "%s has one element; its initialiser stands without { }", fl.v.Name)
	case several:
		return 0, isa.Errorf(fl.pos(), "%s has several elements; its initialiser stands in { }", fl.v.Name)
	}
	return 1, fl.element()
}

// advance moves to the next item of a list, after the token before it, or to the token in its place.
func (fl *filler) advance() {
	fl.items.begin()
	fl.items.Next()
	for {
		switch fl.items.Peek().Type {
		case ',', '{', '}', lexer.EOF:
			fl.tokens, fl.at = fl.items.tokens, 1
			return
		case '(', '[':
			balanced(fl.items) // cannot fail: the grammar has checked it
		default:
			fl.items.Next()
		}
	}
}

// list reads a brace list that begins with the next element to be filled. It returns the end of its items, and leaves
// its closing brace to the caller.
func (fl *filler) list(level int) (int64, *isa.Error) {
	fl.advance()
	stride, filled, end := fl.stride(level), int64(len(fl.v.Init)), int64(maxInit)
	if level > 0 || !fl.shape.unsized {
		end = min(end, filled+stride*fl.shape.dims[level])
	}
	for fl.peek().Type != '}' {
		size, err := fl.item(level, filled, end)
		if err != nil {
			return 0, err
		}
		filled += size
		switch next := fl.peek().Type; {
		case fl.atEnd() && next == ',':
			fl.advance()
		case next != '}':
			return 0, fl.unexpected("a comma or }")
		}
	}
	return filled, nil
}

// item reads one item of a list that ends before element end: an element or an inner list. It returns how many
// elements the item fills.
func (fl *filler) item(level int, start, end int64) (int64, *isa.Error) {
	if start >= end {
		return 0, isa.Errorf(fl.pos(), "too many elements for %s", fl.v.Name)
	}
	for int64(len(fl.v.Init)) < start {
		fl.v.Init = append(fl.v.Init, isa.Init{}) // missing in an earlier inner list
	}
	if fl.peek().Type != '{' {
		return 1, fl.element()
	}
	stride := fl.stride(level)
	switch {
	case level+1 >= len(fl.shape.dims):
		return 0, isa.Errorf(fl.pos(), "{ } within { } for %s, which has no inner arrays", fl.v.Name)
	case start%stride != 0:
		return 0, isa.Errorf(fl.pos(), "{ } in the middle of an inner array of %s", fl.v.Name)
	}
	_, err := fl.list(level + 1)
	if err == nil {
		fl.advance()
	}
	return stride, err
}

// element reads a constant, an address: sym, sym+off, generic(sym)+off, or a byte of one:
// 0xff00(sym+off).
func (fl *filler) element() *isa.Error {
	pos := fl.pos()
	t := fl.peek()
	if t.Type == intToken && fl.peekAfter().Type == '(' {
		in, err := fl.addressByte()
		in.Pos = pos
		fl.v.Init = append(fl.v.Init, in)
		return err
	}
	if fl.isName(t) {
		in, err := fl.address()
		in.Pos = pos
		fl.v.Init = append(fl.v.Init, in)
		return err
	}
	v, err := fl.constant()
	if err != nil {
		return err
	}
	bits, fault := initBits(v, fl.v.Type)
	if fault != "" {
		return isa.Errorf(pos, "%s: %s", fl.v.Name, fault)
	}
	fl.v.Init = append(fl.v.Init, isa.Init{Bits: bits, Hex: isHex(t) && fl.isBehind(t), Cut: v.lit == isa.IntLit && !fl.v.Type.Holds(v.bits), Pos: pos})
	return nil
}

// addressByte reads a byte of an address, which a mask selects (PTX ISA 5.4.4).
func (fl *filler) addressByte() (in isa.Init, err *isa.Error) {
	t := fl.peek()
	mask, err := fl.unary()
	if err != nil {
		return in, err
	}
	if low := bits.TrailingZeros64(mask.bits); mask.bits>>low != 0xff || low%8 != 0 {
		return in, isa.Errorf(position(t.Pos), "the mask of an address is 0xff, 0xff00 and so on: eight bits of it")
	}
	if fl.v.Type.Class() == isa.Float {
		return in, isa.Errorf(position(t.Pos), "a byte of an address does not fit .%s", fl.v.Type)
	}
	fl.next() // the opening parenthesis
	if t := fl.peek(); t.Type != wordToken {
		return in, isa.Errorf(position(t.Pos), "found %s; expected a variable in the parentheses of a mask", describe(t))
	}
	if in, err = fl.symbol(); err == nil {
		err = fl.expect(')', ")")
	}
	in.Mask = mask.bits
	return in, err
}

func (fl *filler) address() (in isa.Init, err *isa.Error) {
	pos := fl.pos()
	in, err = fl.symbol()
	if typ := fl.v.Type; err == nil && (typ.Bits() < 32 || typ.Class() == isa.Float) {
		err = isa.Errorf(pos, "the address of %s does not fit .%s; take .u64", in.Sym, typ)
	}
	return in, err
}

// symbol reads sym, sym+off or generic(sym)+off.
func (fl *filler) symbol() (in isa.Init, err *isa.Error) {
	t := fl.next()
	if t.Value == "generic" && fl.accept('(') {
		in.Generic = true
		t = fl.next()
		if t.Type != wordToken {
			return in, isa.Errorf(position(t.Pos), "found %s; expected a variable in generic( )", describe(t))
		}
		if err := fl.expect(')', ")"); err != nil {
			return in, err
		}
	}
	in.Sym = t.Value
	switch e := fl.a.symbols[t.Value]; {
	case e == nil:
		return in, fl.a.undeclaredSymbol(t)
	case e.kind == constantEntity:
		return in, isa.Errorf(position(t.Pos), "%s is a constant, which has no address", t.Value)
	}
	in.Bits, err = fl.offset()
	return in, err
}

// undeclaredSymbol suggests a name of the module in place of an unknown one.
func (a *assembler) undeclaredSymbol(t *lexer.Token) *isa.Error {
	names := slices.Sorted(maps.Keys(a.symbols))
	return isa.Errorf(position(t.Pos), "%s is not declared%s", t.Value, isa.DidYouMean(t.Value, names))
}

// initBits returns v as the bits of an element of the given type.
func initBits(v constant, t isa.Type) (bits uint64, fault string) {
	width := min(t.Bits(), 64)
	switch {
	case v.lit == isa.IntLit && t.Class() == isa.Float && v.bits != 0:
		return 0, "an integer; ." + t.String() + " takes a constant like 1.0 or 0f3F800000"
	case v.lit == isa.IntLit:
		return v.bits & (^uint64(0) >> (64 - width)), ""
	case v.lit == isa.F32Lit && width == 32, v.lit == isa.F64Lit && width == 64:
		return v.bits, "" // unconverted, so that a NaN keeps its payload
	case t == isa.F32:
		return uint64(math.Float32bits(float32(v.float64()))), ""
	case t == isa.F64:
		return math.Float64bits(v.float64()), ""
	}
	return 0, "a float; ." + t.String() + " takes an integer"
}
