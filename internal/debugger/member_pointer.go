package debugger

import (
	"fmt"
	"strings"

	"github.com/simtrun/simtrun/internal/debuginfo"
)

// memberPointer returns the type and the value of &S::x, a pointer to a member of a class; nil for other operands of &.
func (s *scope) memberPointer(of expr) (t *debuginfo.Type, at int64) {
	name, isName := of.(*nameExpr)
	if !isName {
		return nil, 0
	}
	end := strings.LastIndex(name.name, "::")
	if end <= 0 || s.variable(name.name) != nil {
		return nil, 0
	}
	class, err := s.typeNamed(name.name[:end])
	if err != nil {
		return nil, 0
	}
	f, ok := fieldOf(class.Bare(), name.name[end+2:])
	if !ok || f.Bits != 0 {
		return nil, 0
	}
	return &debuginfo.Type{Kind: debuginfo.MemberPointer, Size: 8, To: f.Type, Of: class}, f.Offset
}

// memberPointerText returns a pointer to a member as it is written; ok is false if no member is there.
func (d *Debugger) memberPointerText(t *debuginfo.Type, at int64) (text string, ok bool) {
	function := t.To != nil && t.To.Bare().Kind == debuginfo.Function
	switch {
	case at == -1 && !function, at == 0 && function:
		return "nullptr", true
	case function && at&1 != 0: // the place in the table, plus 1
		return fmt.Sprintf("virtual function %d of %s", at/8, t.Of.Bare().Name), true
	case function:
		return d.functionAt(uint64(at)), true
	}
	class := t.Of.Bare()
	for _, f := range class.Fields {
		if !f.Base && f.Offset == at && f.Type.String() == t.To.String() {
			return "&" + class.Name + "::" + f.Name, true
		}
	}
	return "", false
}

// memberAt returns x.*p or x->*p, the member of an object that a pointer to a member names.
func (s *scope) memberAt(e *binaryExpr) (l lvalue, ok bool, err error) {
	if e.op == "->*" {
		l, ok, err = s.pointedTo(e.x)
	} else {
		l, ok, err = s.lvalue(e.x)
	}
	if err != nil || !ok {
		return l, ok, err
	}
	p, err := e.y.eval(s)
	if err == nil {
		err = s.followMember(&l, &p, e)
	}
	return l, true, err
}

// followMember makes an object the member that a pointer names.
func (s *scope) followMember(l *lvalue, p *value, e *binaryExpr) error {
	pointer := exprText(e.y)
	if p.cxx == nil || p.cxx.Bare().Kind != debuginfo.MemberPointer {
		return errorf("%s is not a pointer to a member, as &S::x is", pointer)
	}
	t := p.cxx.Bare()
	if t.To.Bare().Kind == debuginfo.Function {
		return errorf("%s points to a function: expressions call none", pointer)
	}
	base, ok := baseAt(l.typ.Bare(), t.Of.Bare())
	at, same := s.agreed(p)
	switch {
	case !ok:
		return errorf("%s is %s, and %s points to a member of %s", l.text, l.typ, pointer, t.Of)
	case same && int64(at) == -1:
		return errorf("%s is a null pointer", pointer)
	case !same && !l.inMemory:
		return errorf("%s differs between lanes, and %s is not in memory: print it for one lane", pointer, l.text)
	}
	l.text = exprText(e)
	l.typ, l.bits, l.of = t.To, 0, nil
	if same {
		base += int64(at)
	} else {
		for lane := range l.addr.bits {
			l.addr.bits[lane] += p.bits[lane]
		}
		l.addr.void, l.addr.uniform = l.addr.void|p.void, false
	}
	l.move(base)
	return nil
}

// valueOf returns the value of e, a member of x.
func (s *scope) valueOf(e, x expr) (value, error) {
	l, ok, err := s.lvalue(e)
	switch {
	case err != nil:
		return value{}, err
	case !ok:
		return value{}, errorf("%s is not a struct of C++", exprText(x))
	}
	return s.value(l)
}

// baseAt returns the offset of a base class in a class; 0 for the class itself.
func baseAt(class, base *debuginfo.Type) (offset int64, ok bool) {
	if class == base || class.Name != "" && class.Name == base.Name {
		return 0, true
	}
	for _, f := range class.Fields {
		if !f.Base {
			continue
		}
		if in, found := baseAt(f.Type.Bare(), base); found {
			return f.Offset + in, true
		}
	}
	return 0, false
}

// ofOperator returns the error for an operator with an operand that has an error. Operators of classes are not called.
func (s *scope) ofOperator(e *binaryExpr, err error) error {
	for _, x := range [...]expr{e.x, e.y} {
		t, failed := s.typeOf(x)
		if failed != nil || t == nil || t.Bare().Kind != debuginfo.Struct {
			continue
		}
		for i := range t.Bare().Fields {
			if name := t.Bare().Fields[i].Name; name != "" {
				text := exprText(x)
				return errorf("%s is %s: an expression calls no operator %s of a class; take members, as in %s.%s %s ...", text, t, e.op, text, name, e.op)
			}
		}
	}
	return err
}
