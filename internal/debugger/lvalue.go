package debugger

import (
	"errors"
	"fmt"
	"strings"

	"github.com/simtrun/simtrun/internal/debuginfo"
	"github.com/simtrun/simtrun/internal/isa"
)

// lvalue is an object of C++, which an expression names: a variable, a member or an element, in each lane.
type lvalue struct {
	typ  *debuginfo.Type
	text string // the expression
	// In memory: the space, and its address there in each lane.
	inMemory bool
	space    string
	addr     value
	// Otherwise the register or the constant that it is.
	reg         string
	low         int64 // the lowest bit of the register or the constant
	constant    uint64
	bits, shift int64           // of a bit-field; bits is 0 for others
	of          *debuginfo.Type // the array that it is an element of; nil for others
	from        value           // address of that array
	base        string          // name of that array
	// Of an object whose parts are in several places: these, and the byte of the whole object at which this one begins.
	pieces []piece
	at     int64
	held   *value // of a number that is in no place
}

// put sets where the object is in a lane.
func (l *lvalue) put(lane int, p *debuginfo.Place) {
	l.reg, l.constant = p.Register, p.Bits
	if l.pieces == nil && p.Pieces != nil {
		l.pieces = make([]piece, len(p.Pieces))
	}
	for i := range p.Pieces {
		l.pieces[i].size, l.pieces[i].known = p.Pieces[i].Size, p.Pieces[i].Known
		l.pieces[i].in.put(lane, &p.Pieces[i].Place)
	}
	if p.Register != "" || p.Constant || p.Pieces != nil {
		return
	}
	l.inMemory, l.space = true, spaceOf(p.Space)
	l.addr.typ, l.addr.bits[lane] = isa.U64, p.Addr
}

// same makes the place that of all lanes.
func (l *lvalue) same(p *debuginfo.Place) {
	if l.inMemory {
		l.addr = uniform(isa.U64, p.Addr)
	}
	for i := range p.Pieces {
		l.pieces[i].in.same(&p.Pieces[i].Place)
	}
}

// lvalue returns the object of C++ that e names; ok is false if e names none.
func (s *scope) lvalue(e expr) (l lvalue, ok bool, err error) {
	switch e := e.(type) {
	case *parenExpr:
		return s.lvalue(e.x)
	case *nameExpr:
		return s.namedObject(e.name)
	case *memberExpr:
		return s.memberOf(e)
	case *unaryExpr:
		if e.op == "*" {
			return s.pointedTo(e.x)
		}
	case *indexExpr:
		return s.elementOf(e)
	case *fetchExpr:
		return e.lvalue(s)
	case *binaryExpr:
		switch e.op {
		case "@":
			return s.several(e)
		case ".*", "->*":
			return s.memberAt(e)
		}
	}
	return l, false, nil
}

// namedObject returns the variable of a name, or the member of one: names may have points.
func (s *scope) namedObject(name string) (l lvalue, ok bool, err error) {
	words := strings.Split(name, ".")
	v := s.local(words[0])
	if v == nil {
		if l, ok, err = s.memberOfThis(words); ok {
			return l, ok, err
		}
		v = s.global(words[0])
	}
	if v == nil {
		if l, ok = s.dynamic(words[0]); !ok {
			return l, false, err
		}
	} else if l, err = s.located(v); err != nil {
		return l, true, err
	}
	if l, err = s.referred(l); err != nil {
		return l, true, err
	}
	l.text = words[0]
	for _, word := range words[1:] {
		if l, err = s.member(l, word); err != nil {
			return l, true, err
		}
	}
	return l, true, nil
}

// memberOfThis returns a member of the object that the method in focus was called for.
func (s *scope) memberOfThis(words []string) (l lvalue, ok bool, err error) {
	this := s.variable("this")
	if this == nil || words[0] == "" {
		return l, false, nil
	}
	if to := this.Type.Bare().To; to == nil || !hasField(to.Bare(), words[0]) {
		return l, false, nil
	}
	text := strings.Join(words, ".")
	l, ok, err = s.pointedTo(&nameExpr{"this"})
	if errors.Is(err, debuginfo.ErrOptimisedOut) {
		if in, found := s.captured(this.Type.Bare().To.Bare(), words[0]); found {
			l, ok, err, words = in, true, nil, words[1:]
		} else {
			err = fmt.Errorf("%s: %w", text, s.explained(debuginfo.ErrOptimisedOut))
		}
	}
	for _, word := range words {
		if err == nil {
			l, err = s.member(l, word)
		}
	}
	l.text = text
	return l, ok, err
}

func hasField(t *debuginfo.Type, name string) bool {
	_, found := fieldOf(t, name)
	return found
}

// fieldOf returns a member of a struct, of its bases, or of its unions without a name.
func fieldOf(t *debuginfo.Type, name string) (debuginfo.Field, bool) {
	for _, f := range t.Fields {
		if f.Name == name && !f.Base {
			return f, true
		}
		if f.Base || f.Name == "" {
			if in, ok := fieldOf(f.Type.Bare(), name); ok {
				in.Offset += f.Offset
				return in, true
			}
		}
	}
	return debuginfo.Field{}, false
}

// member returns a member of an object.
func (s *scope) member(l lvalue, name string) (lvalue, error) {
	t := l.typ.Bare()
	f, ok := fieldOf(t, name)
	switch {
	case t.Kind != debuginfo.Struct && len(t.Fields) == 0:
		return l, errorf("%s is %s, which has no members", l.text, l.typ)
	case !ok:
		var names []string
		for _, f := range t.Fields {
			names = append(names, f.Name)
		}
		return l, errorf("%s has no member %s; %s", l.typ, name, isa.Instead(name, names))
	case !l.hasParts():
		return l, errorf("%s is not in memory", l.text)
	}
	return s.referred(l.part(&f))
}

// part returns a member.
func (l lvalue) part(f *debuginfo.Field) lvalue {
	l.text += "." + f.Name
	l.typ, l.bits, l.shift, l.of = f.Type, f.Bits, f.Shift, nil
	l.move(f.Offset)
	return l
}

func (l *lvalue) move(bytes int64) {
	l.at += bytes
	if !l.inMemory {
		l.low += 8 * bytes
	}
	for lane := range l.addr.bits {
		l.addr.bits[lane] += uint64(bytes)
	}
}

// memberOf returns x.name or x->name.
func (s *scope) memberOf(e *memberExpr) (l lvalue, ok bool, err error) {
	if e.arrow {
		l, ok, err = s.pointedTo(e.x)
	} else {
		l, ok, err = s.lvalue(e.x)
	}
	if err != nil || !ok {
		return l, ok, err
	}
	l, err = s.member(l, e.name)
	return l, true, err
}

// referred returns the object that a reference refers to.
func (s *scope) referred(l lvalue) (lvalue, error) {
	if l.typ.Bare().Kind != debuginfo.Reference {
		return l, nil
	}
	v, err := s.value(l)
	if err != nil {
		return l, err
	}
	if at, same := s.agreed(&v); same && at == 0 {
		return l, errorf("%s is a reference that has not been set yet", l.text)
	}
	return s.objectAtPointer(&v, l.text), nil
}

// pointedTo returns the object that a pointer, or the first element of an array, points to.
func (s *scope) pointedTo(e expr) (l lvalue, ok bool, err error) {
	v, err := e.eval(s)
	if err != nil || v.cxx == nil {
		return l, false, err
	}
	if v.cxx.Bare().Kind != debuginfo.Pointer {
		return l, true, errorf("%s is not a pointer", v.cxx)
	}
	to := v.cxx.Bare().To
	if to == nil || to.Bare().Kind == debuginfo.Void || to.Bare().Kind == debuginfo.Function {
		return l, true, errorf("what %s points to has no value; cast it first, as in *(int *)p", v.cxx)
	}
	text := exprText(e)
	l = s.objectAtPointer(&v, "*"+text)
	if _, named := e.(*nameExpr); named {
		l.text = text
	}
	return l, true, nil
}

// objectAtPointer returns the object at a pointer's address.
func (s *scope) objectAtPointer(v *value, text string) lvalue {
	l := lvalue{typ: v.cxx.Bare().To, text: text, inMemory: true, space: v.space, addr: *v}
	if l.space == "" {
		l.space = "global" // where generic addresses are read
	}
	l.addr.typ, l.addr.cxx, l.addr.space, l.addr.literal = isa.U64, nil, "", false
	if v.space == "" {
		l.leaveWindow(s)
	}
	if at, same := s.agreed(&l.addr); same && l.space != "local" {
		l.addr = uniform(isa.U64, at)
	}
	return l
}

// leaveWindow replaces generic addresses that are in the window of one space in all lanes by those of the space.
func (l *lvalue) leaveWindow(s *scope) {
	in, has := "", s.has()
	for left := has; left != 0; left &= left - 1 {
		space, _, ok := s.window(l.addr.bits[firstLane(left)])
		if !ok || in != "" && space != in {
			return
		}
		in = space
	}
	if in == "" {
		return
	}
	l.space = in
	for lane, addr := range l.addr.bits {
		if _, at, ok := s.window(addr); ok {
			l.addr.bits[lane] = at
		} else {
			l.addr.void |= 1 << lane
		}
	}
}

// agreed returns the value that all lanes in the scope have.
func (s *scope) agreed(v *value) (bits uint64, ok bool) {
	has := s.has()
	if v.uniform || has == 0 {
		return v.bits[0], v.uniform
	}
	bits = v.bits[firstLane(has)]
	for left := has; left != 0; left &= left - 1 {
		if lane := firstLane(left); v.bits[lane] != bits || v.void>>lane&1 != 0 {
			return 0, false
		}
	}
	return bits, true
}

// elementOf returns x[i], or several elements as an array.
func (s *scope) elementOf(e *indexExpr) (l lvalue, ok bool, err error) {
	base, ok, err := s.arrayOf(e.x)
	if err != nil || !ok {
		return l, ok, err
	}
	elem := base.typ.Bare().To
	if elem == nil || elem.Size == 0 {
		return l, true, errorf("the size of what %s points to is not known", base.text)
	}
	first, err := e.number(s, e.first, 0)
	if err != nil {
		return l, true, err
	}
	l = base
	l.typ, l.of, l.from, l.base = elem, base.typ.Bare(), base.addr, base.text
	l.text = fmt.Sprintf("%s[%s]", base.text, exprText(e.first))
	if l.pieces != nil && !first.uniform {
		return l, true, debuginfo.ErrOptimisedOut
	}
	l.at += first.signed(0) * elem.Size
	for lane := range l.addr.bits {
		l.addr.bits[lane] += uint64(first.signed(lane) * elem.Size)
	}
	l.addr.void |= first.void
	l.addr.uniform = l.addr.uniform && first.uniform
	if !e.isRange {
		l, err = s.referred(l)
		return l, true, err
	}
	last, err := e.number(s, e.last, base.typ.Bare().Count)
	if err != nil {
		return l, true, err
	}
	n := last.signed(0) - first.signed(0)
	if !first.uniform || !last.uniform || n <= 0 || n > mostAtOnce {
		return l, true, errorf("expected a range %s[I:J], from I up to, but excluding, J", base.text)
	}
	l.typ = debuginfo.ArrayOf(elem, n)
	return l, true, nil
}

// mostAtOnce limits the elements of a range.
const mostAtOnce = 1 << 20

// arrayOf returns the array that an index applies to: an array, or the elements that a pointer points to.
func (s *scope) arrayOf(e expr) (l lvalue, ok bool, err error) {
	if l, ok, err = s.lvalue(e); err != nil {
		return l, ok, err
	}
	if ok {
		switch l.typ.Bare().Kind {
		case debuginfo.Array:
			return l, true, nil
		case debuginfo.Pointer:
		default:
			return l, false, nil // of a number it is the value in a lane
		}
	}
	v, err := e.eval(s)
	if err != nil || v.cxx == nil || v.cxx.Bare().Kind != debuginfo.Pointer {
		return l, false, nil
	}
	l = s.objectAtPointer(&v, exprText(e))
	l.typ = debuginfo.ArrayOf(l.typ, -1)
	return l, true, nil
}

// several returns x@n, n objects from x on.
func (s *scope) several(e *binaryExpr) (l lvalue, ok bool, err error) {
	if l, ok, err = s.lvalue(e.x); err != nil || !ok {
		return l, ok, err
	}
	n, err := e.y.eval(s)
	if err != nil {
		return l, true, err
	}
	if count := n.signed(0); !n.uniform || !n.typ.IsInt() || count < 1 || count > mostAtOnce || !l.inMemory {
		return l, true, errors.New("expected x@N: N objects in memory from x on")
	}
	l.base, l.from = l.text, l.addr
	l.typ = debuginfo.ArrayOf(l.typ, n.signed(0))
	l.of = l.typ
	return l, true, nil
}

// value returns the value of an object: a number, or the address of an array.
func (s *scope) value(l lvalue) (value, error) {
	t := l.typ.Bare()
	if l.pieces != nil && (t.IsScalar() || t.Kind == debuginfo.Reference) {
		var err error
		if l, err = l.inPiece(); err != nil {
			return value{}, err
		}
	}
	switch {
	case t.Kind == debuginfo.Array && l.inMemory:
		v := l.addr
		v.typ, v.space, v.cxx = isa.U64, l.space, debuginfo.PointerTo(t.To)
		if _, _, generic := s.window(v.bits[s.lead()]); generic && l.space == "global" {
			v.space = ""
		}
		return v, nil
	case !t.IsScalar() && t.Kind != debuginfo.Reference:
		return value{}, errorf("%s is %s: name a member, or print it as it is", l.text, l.typ)
	}
	typ, ok := scalarType(t)
	if !ok {
		return value{}, errorf("%s is %s, which has %s", l.text, l.typ, plural(uint64(t.Size), "byte"))
	}
	if l.inMemory {
		p := l.place(s)
		return s.load(&p)
	}
	v := uniform(typ, l.constant)
	if l.held != nil {
		v = *l.held
	} else if l.reg != "" {
		id, known := regIn(s.fn(), l.reg)
		if !known {
			return v, errorf("%s is in a register %s that is not there", l.text, l.reg)
		}
		v = value{typ: typ, bits: s.w.Reg(s.frame, id)}
	}
	field := place{elem: typ, bits: l.bits, shift: l.shift}
	for lane := range v.bits {
		v.bits[lane] = field.field(truncated(v.bits[lane]>>l.low, typ.Bits()))
	}
	v.cxx = l.typ
	return v, nil
}

// truncated returns the low bits of a number.
//
//go:noinline
func truncated(n uint64, bits int) uint64 {
	if bits >= 64 {
		return n
	}
	return n & (1<<bits - 1)
}

// place returns the memory of an object. One that is not a scalar is an array of numbers.
func (l *lvalue) place(s *scope) place {
	leaf := l.typ.Bare()
	for leaf.Kind == debuginfo.Array && leaf.To != nil {
		leaf = leaf.To.Bare()
	}
	elem, ok := scalarType(leaf)
	if !ok || leaf.Kind == debuginfo.Struct {
		elem = isa.U32
		if l.typ.Size%4 != 0 {
			elem = isa.U8
		}
	}
	p := place{space: l.space, addr: l.addr, elem: elem, count: 1, cxx: l.typ, label: l.text, bits: l.bits, shift: l.shift}
	if !l.typ.IsScalar() && l.typ.Bare().Kind != debuginfo.Reference {
		p.count, p.many = max(l.typ.Size, 0)/int64(elem.Bytes()), true
	}
	p.of = l.named(s, elem, &p)
	return p
}

// named returns the object as memory with a name, so that messages can name its elements.
func (l *lvalue) named(s *scope, elem isa.Type, p *place) *object {
	o := &object{name: l.text, space: l.space, addr: l.addr.bits[s.lead()], elem: elem, size: uint64(p.count) * uint64(elem.Bytes()), scalar: !p.many}
	if l.of == nil || l.of.To == nil || !l.of.To.IsScalar() {
		return o
	}
	o.name, o.addr, o.scalar, o.size = l.base, l.from.bits[s.lead()], false, uint64(max(l.of.Size, 0))
	if l.of.Count < 0 {
		if in, ok := s.objectAt(l.space, o.addr); ok {
			o.size = in.size - (o.addr - in.addr)
		}
	}
	return o
}
