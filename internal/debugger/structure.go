package debugger

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/debuginfo"
	"github.com/simtrun/simtrun/internal/lanes"
)

// mostLeaves limits the members and elements that print shows of a struct.
const mostLeaves = 64

// objectText returns an object of C++ with its type and value in all lanes. A struct, or an array of structs, has a
// line for each number in it, unless all lanes see the same one, or only one lane is shown.
func (d *Debugger) objectText(text string, l lvalue, format string, s *scope) (string, error) {
	t := l.typ.Bare()
	leaf := t
	for leaf.Kind == debuginfo.Array && leaf.To != nil {
		leaf = leaf.To.Bare()
	}
	switch {
	case isChars(t, format) && l.inMemory:
		return d.charsText(text, l, s)
	case t.Kind == debuginfo.Array && leaf.IsScalar() && l.inMemory && (t.To == nil || t.To.Bare() == leaf):
		p := l.place(s)
		return d.elementsText(text, &p, format, s)
	case t.Kind != debuginfo.Struct && t.Kind != debuginfo.Array:
		v, err := s.value(l)
		if err != nil {
			return "", err
		}
		return d.typedText(text, &v, format, s), nil
	case !l.hasParts():
		return "", errorf("%s is not in memory", text)
	}
	if l.isSame() || s.has().Count() == 1 {
		lane := s.lead()
		if one := s.has(); one.Count() == 1 {
			lane = firstLane(one)
		}
		return fmt.Sprintf("%s %s = %s", text, l.typ, d.braced(l, lane, format, s)), nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", text, l.typ)
	left := mostLeaves
	d.leaves(&b, "", l, format, s, &left)
	if left < 0 {
		fmt.Fprintf(&b, "\n  and %d more", -left)
	}
	return b.String(), nil
}

// isSame reports whether all lanes see the same object.
func (l *lvalue) isSame() bool { return l.addr.uniform && l.space != "local" }

// leaves writes a line for each number in an object.
func (d *Debugger) leaves(b *strings.Builder, path string, l lvalue, format string, s *scope, left *int) {
	t := l.typ.Bare()
	switch t.Kind {
	case debuginfo.Struct:
		for i := range t.Fields {
			f := &t.Fields[i]
			name := path + "." + f.Name
			if f.Base || f.Name == "" {
				name = path
			}
			d.leaves(b, name, s.scalarOf(l.part(f)), format, s, left)
		}
		return
	case debuginfo.Array:
		if isChars(t, format) && l.inMemory {
			if text, err := d.charsText(path, l, s); err == nil && *left > 0 {
				*left--
				b.WriteString("\n  " + strings.ReplaceAll(text, "\n", "\n  "))
			}
			return
		}
		for i := range max(t.Count, 0) {
			if elem, ok := l.element(i); ok {
				d.leaves(b, fmt.Sprintf("%s[%d]", path, i), elem, format, s, left)
			}
		}
		return
	}
	if *left--; *left < 0 {
		return
	}
	var text string
	if v, err := s.value(l); err == nil {
		text = d.typedText(path, &v, format, s)
	} else {
		text = path + " " + err.Error()
	}
	b.WriteString("\n  " + strings.ReplaceAll(text, "\n", "\n  "))
}

// element returns an element of an array.
func (l lvalue) element(i int64) (lvalue, bool) {
	elem := l.typ.Bare().To
	if elem == nil {
		return l, false
	}
	l.of, l.from, l.base = l.typ.Bare(), l.addr, l.text
	l.text = fmt.Sprintf("%s[%d]", l.text, i)
	l.typ = elem
	l.move(i * elem.Size)
	return l, true
}

// scalarOf returns the scalar that a member refers to if it is a reference, such as a variable that a lambda captures.
// A reference to something else is shown as a pointer. Other members are returned as they are.
func (s *scope) scalarOf(l lvalue) lvalue {
	t := l.typ.Bare()
	switch {
	case t.Kind != debuginfo.Reference || t.To == nil:
	case !t.To.IsScalar():
		l.typ = debuginfo.PointerTo(t.To)
	default:
		if to, err := s.referred(l); err == nil {
			return to
		}
	}
	return l
}

// mostInBraces limits the elements of an array in braces, as gdb does.
const mostInBraces = 32

// braced returns an object in a lane as gdb writes it: {a = 1, v = {2, 3}}.
func (d *Debugger) braced(l lvalue, lane int, format string, s *scope) string {
	t := l.typ.Bare()
	if isChars(t, format) && l.inMemory {
		return s.chars(&l, lane)
	}
	var parts []string
	switch t.Kind {
	case debuginfo.Struct:
		for i := range t.Fields {
			f := &t.Fields[i]
			text := d.braced(s.scalarOf(l.part(f)), lane, format, s)
			switch {
			case f.Base:
				text = "<" + f.Type.String() + "> = " + text
			case f.Name != "":
				text = f.Name + " = " + text
			}
			parts = append(parts, text)
		}
	case debuginfo.Array:
		for i := range min(max(t.Count, 0), mostInBraces) {
			if elem, ok := l.element(i); ok {
				parts = append(parts, d.braced(elem, lane, format, s))
			}
		}
		parts = repeated(parts)
		if t.Count > mostInBraces {
			parts = append(parts, "...")
		}
	default:
		v, err := s.value(l)
		if err != nil {
			return "<" + err.Error() + ">"
		}
		format = d.formatOf(&v, format, lanes.Mask(1)<<lane)
		shown := v.reformat(format)
		return d.text(&shown, format, lane)
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// leastRepeated is the smallest number of equal elements that are written as one, as gdb does.
const leastRepeated = 10

// repeated joins equal neighbours.
func repeated(parts []string) []string {
	var joined []string
	for i, end := 0, 0; i < len(parts); i = end {
		for end = i + 1; end < len(parts) && parts[end] == parts[i]; end++ {
		}
		if end-i < leastRepeated {
			joined = append(joined, parts[i:end]...)
			continue
		}
		joined = append(joined, fmt.Sprintf("%s <repeats %d times>", parts[i], end-i))
	}
	return joined
}

// cxxText returns the value of a C++ type in a lane; ok is false for numbers, which are written as those of PTX.
func (d *Debugger) cxxText(v *value, lane int) (text string, ok bool) {
	t := v.cxx.Bare()
	switch t.Kind {
	case debuginfo.Bool:
		return strconv.FormatBool(v.bits[lane] != 0), true
	case debuginfo.Char:
		n := v.signed(lane)
		return fmt.Sprintf("%d '%s'", n, escaped(byte(n))), true
	case debuginfo.Enum:
		return enumText(t, v.signed(lane))
	case debuginfo.MemberPointer:
		return d.memberPointerText(t, v.signed(lane))
	}
	if v.cxx.IsHandle() {
		text, ok = d.program.Machine.ImageText(v.bits[lane])
		return fmt.Sprintf("%d (%s)", v.bits[lane], text), ok
	}
	if t.IsNarrow() {
		return floatText(32, v.float(lane)), true
	}
	return "", false
}

// enumText returns a value of an enumeration: its name, or as gdb does those of its bits, if enumerators share none. ok
// is false if it has none.
func enumText(t *debuginfo.Type, n int64) (text string, ok bool) {
	var names []string
	used, left := int64(0), n
	for _, e := range t.Values {
		if e.Value == n {
			return e.Name, true
		}
		if e.Value < 0 || used&e.Value != 0 {
			return "", false
		}
		if used |= e.Value; e.Value != 0 && n&e.Value == e.Value {
			names, left = append(names, e.Name), left&^e.Value
		}
	}
	if left != 0 && len(names) > 0 {
		names = append(names, fmt.Sprintf("unknown: 0x%x", left))
	}
	return "(" + strings.Join(names, " | ") + ")", len(names) > 0
}

// isCounted reports whether values of C++ are numbers for which a formula of the lane can stand.
func (v *value) isCounted() bool {
	if v.cxx == nil {
		return true
	}
	switch v.cxx.Bare().Kind {
	case debuginfo.Bool, debuginfo.Char, debuginfo.Enum, debuginfo.MemberPointer:
		return false
	}
	return !v.cxx.IsNarrow() && !v.cxx.IsHandle()
}

// builtinText returns a variable such as threadIdx with its three parts, or what a .texref is bound to; ok is false for
// other expressions.
func (d *Debugger) builtinText(text string, e expr, format string, s *scope) (shown string, ok bool) {
	if handle, isImage := s.image(e); isImage {
		shown, ok = d.program.Machine.ImageText(handle)
		return text + " " + shown, ok
	}
	name, isName := e.(*nameExpr)
	if !isName || builtins[name.name] == "" || s.frame == divergence.NoFrame {
		return "", false
	}
	lines := []string{text}
	for _, axis := range []string{"x", "y", "z"} {
		lines = append(lines, "  "+strings.ReplaceAll(d.valueText("."+axis, &nameExpr{name.name + "." + axis}, format, s), "\n", "\n  "))
	}
	return strings.Join(lines, "\n"), true
}
