package debugger

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/internal/debuginfo"
	"github.com/simtrun/simtrun/internal/isa"
)

// fundamental has the types of C++ that need no declaration, by their sorted words without int where that may be left
// out.
var fundamental = map[string]*debuginfo.Type{
	"void": {Kind: debuginfo.Void, Name: "void"}, "bool": {Kind: debuginfo.Bool, Name: "bool", Size: 1},
	"char": {Kind: debuginfo.Char, Name: "char", Size: 1}, "char signed": {Kind: debuginfo.Char, Name: "signed char", Size: 1},
	"char unsigned": {Kind: debuginfo.Char, Name: "unsigned char", Size: 1},
	"short":         {Kind: debuginfo.Signed, Name: "short", Size: 2}, "short unsigned": {Kind: debuginfo.Unsigned, Name: "unsigned short", Size: 2},
	"": {Kind: debuginfo.Signed, Name: "int", Size: 4}, "unsigned": {Kind: debuginfo.Unsigned, Name: "unsigned int", Size: 4},
	"long": {Kind: debuginfo.Signed, Name: "long", Size: 8}, "long unsigned": {Kind: debuginfo.Unsigned, Name: "unsigned long", Size: 8},
	"long long": {Kind: debuginfo.Signed, Name: "long long", Size: 8}, "long long unsigned": {Kind: debuginfo.Unsigned, Name: "unsigned long long", Size: 8},
	"float": {Kind: debuginfo.Float, Name: "float", Size: 4}, "double": {Kind: debuginfo.Float, Name: "double", Size: 8},
	"size_t": {Kind: debuginfo.Unsigned, Name: "size_t", Size: 8},
	"int8_t": {Kind: debuginfo.Char, Name: "int8_t", Size: 1}, "uint8_t": {Kind: debuginfo.Unsigned, Name: "uint8_t", Size: 1},
	"int16_t": {Kind: debuginfo.Signed, Name: "int16_t", Size: 2}, "uint16_t": {Kind: debuginfo.Unsigned, Name: "uint16_t", Size: 2},
	"int32_t": {Kind: debuginfo.Signed, Name: "int32_t", Size: 4}, "uint32_t": {Kind: debuginfo.Unsigned, Name: "uint32_t", Size: 4},
	"int64_t": {Kind: debuginfo.Signed, Name: "int64_t", Size: 8}, "uint64_t": {Kind: debuginfo.Unsigned, Name: "uint64_t", Size: 8},
}

// typeWords are the words of fundamental types: they name nothing else.
var typeWords = strings.Fields("void bool char short int long float double signed unsigned const volatile struct class union enum size_t int8_t uint8_t int16_t uint16_t int32_t uint32_t int64_t uint64_t")

// ofPTX makes uint32 of u32 and int32 of s32.
var ofPTX = strings.NewReplacer("u", "uint", "s", "int")

// typeNamed returns the type that a text names.
func (s *scope) typeNamed(text string) (*debuginfo.Type, error) {
	m := typeForm.FindStringSubmatch(strings.ReplaceAll(text, "* *", "**"))
	if m == nil {
		return nil, errorf("%q is not a type", text)
	}
	words := slices.DeleteFunc(strings.Fields(m[1]), func(w string) bool { return w == "const" || w == "volatile" })
	var t *debuginfo.Type
	if i := s.info(); i != nil {
		t = i.TypeNamed(strings.Join(words, " "))
	}
	if t == nil {
		sorted := slices.DeleteFunc(slices.Sorted(slices.Values(words)), func(w string) bool { return w == "int" })
		if t = fundamental[strings.Join(sorted, " ")]; t == nil && len(words) == 1 {
			t = fundamental[ofPTX.Replace(words[0])+"_t"]
		}
		if t == nil || len(words) == 0 {
			return nil, errorf("no type %s", text)
		}
	}
	for range m[2] {
		t = debuginfo.PointerTo(t)
	}
	if m[3] != "" {
		n := int64(0)
		fmt.Sscanf(m[3], "[%d]", &n)
		t = debuginfo.ArrayOf(t, n)
	}
	return t, nil
}

// eval returns the size of a type, or of the type of an expression.
func (e *sizeofExpr) eval(s *scope) (value, error) {
	t, err := s.typeNamed(e.typ)
	if e.x != nil && (err != nil || s.variable(e.typ) != nil) {
		t, err = s.typeOf(e.x)
	}
	if err != nil {
		return value{}, err
	}
	v := uniform(isa.U64, uint64(t.Size))
	v.cxx = fundamental["size_t"]
	return v, nil
}

// typeOf returns the type of an expression of C++.
func (s *scope) typeOf(e expr) (*debuginfo.Type, error) {
	in := *s
	in.types = true
	s = &in
	l, ok, err := s.lvalue(e)
	switch {
	case ok && l.typ != nil && (err == nil || errors.Is(err, debuginfo.ErrOptimisedOut)):
		return l.typ, nil
	case err != nil:
		return nil, err
	}
	if p, inMemory, err := s.place(e); err == nil && inMemory && p.many {
		return &debuginfo.Type{Kind: debuginfo.Unsigned, Name: fmt.Sprintf("%s [%d], of PTX", p.elem, p.count)}, nil
	}
	v, err := e.eval(s)
	if err == nil && v.cxx == nil {
		return &debuginfo.Type{Kind: debuginfo.Unsigned, Name: v.typ.String() + ", of PTX", Size: int64(v.typ.Bytes())}, nil
	}
	return v.cxx, err
}

// scalarType returns the type of PTX with the values of a scalar.
func scalarType(t *debuginfo.Type) (isa.Type, bool) {
	t = t.Bare()
	var types map[int64]isa.Type
	switch {
	case t.Kind == debuginfo.MemberPointer:
		return isa.U64, true
	case t.Kind == debuginfo.Float && t.Format == debuginfo.BFloat:
		return isa.BF16, t.Size == 2
	case t.Kind == debuginfo.Float:
		types = map[int64]isa.Type{1: isa.U8, 2: isa.F16, 4: isa.F32, 8: isa.F64} // of one byte: its encoding
	case t.IsSigned():
		types = map[int64]isa.Type{1: isa.S8, 2: isa.S16, 4: isa.S32, 8: isa.S64}
	default:
		types = map[int64]isa.Type{1: isa.U8, 2: isa.U16, 4: isa.U32, 8: isa.U64}
	}
	typ, ok := types[t.Size]
	return typ, ok
}

// declaredType returns the type of a variable that is a reference, or of one such as threadIdx; nil for other
// expressions.
func (s *scope) declaredType(e expr) *debuginfo.Type {
	name, ok := e.(*nameExpr)
	if !ok {
		return nil
	}
	v := s.variable(name.name)
	switch {
	case v != nil && v.Type.Bare().Kind == debuginfo.Reference:
		return v.Type
	case v == nil && builtins[name.name] != "":
		return &debuginfo.Type{Kind: debuginfo.Const, To: vectorOf(map[bool]string{true: "uint3", false: "dim3"}[strings.HasSuffix(name.name, "Idx")], arithmetic[isa.U32], 3)}
	}
	return nil
}

// whatisCommand shows the type of an expression, ptypeCommand with the members of a struct.
func (d *Debugger) whatisCommand(c *call) error { return d.showType(c.args, (*debuginfo.Type).String) }

func (d *Debugger) ptypeCommand(c *call) error {
	switch c.format {
	case "":
		return d.showType(c.args, definition)
	case "o":
		return d.showType(c.args, layout)
	}
	return errorf("ptype takes /o, which shows offsets, not /%s", c.format)
}

// showType shows the type of an expression, or a type, as a function writes it.
func (d *Debugger) showType(text string, write func(*debuginfo.Type) string) error {
	if text == "" {
		return errors.New("the type of what expression?")
	}
	s, err := d.scopeHere()
	if err != nil {
		return err
	}
	t, typeErr := s.typeNamed(text)
	if word, _, _ := cutFirst(text, " "); typeErr != nil && slices.Contains([]string{"struct", "class", "union", "enum"}, word) {
		return typeErr
	}
	if name, ok := d.functionType(s, text); ok && typeErr != nil {
		d.printf("type = %s\n", name)
		return nil
	}
	if typeErr != nil || s.variable(text) != nil {
		e, err := parseExpr(text)
		if err != nil {
			return err
		}
		if t = s.declaredType(e); t == nil {
			if t, err = s.typeOf(e); err != nil {
				return err
			}
		}
	}
	d.printf("type = %s\n", write(t))
	return nil
}

// definition returns a type without typedefs, and with its members or enumerators.
func definition(t *debuginfo.Type) string {
	inner, named := innermost(t), t.Bare().String()
	switch {
	case len(inner.Fields) > 0 || inner.Kind == debuginfo.Struct:
		return strings.Replace(named, inner.String(), structText(inner, ""), 1)
	case inner.Kind == debuginfo.Enum:
		return strings.Replace(named, inner.String(), enumerated(inner), 1)
	}
	return named
}

// innermost returns the type without typedefs that a type refers to or consists of.
func innermost(t *debuginfo.Type) *debuginfo.Type {
	for t.To != nil && (t.Kind == debuginfo.Pointer || t.Kind == debuginfo.Array || t.Kind == debuginfo.Reference || t.Kind >= debuginfo.Typedef) {
		t = t.To
	}
	return t
}

// structText returns the definition of a struct, whose lines after the first begin with an indentation. Those of its
// members that have no name for their type are defined in it.
func structText(t *debuginfo.Type, indent string) string {
	var b strings.Builder
	var bases []string
	for _, f := range t.Fields {
		if f.Base {
			bases = append(bases, "public "+f.Type.String())
		}
	}
	word := t.Word
	b.WriteString(strings.TrimSpace(word + " " + t.Name))
	if len(bases) > 0 {
		b.WriteString(" : " + strings.Join(bases, ", "))
	}
	b.WriteString(" {\n")
	for _, f := range t.Fields {
		if f.Base {
			continue
		}
		text := f.Type.Declare(f.Name)
		leaf := f.Type
		for leaf.Kind == debuginfo.Array && leaf.To != nil {
			leaf = leaf.To
		}
		if leaf.Kind == debuginfo.Struct && leaf.Name == "" {
			text = strings.Replace(text, leaf.String(), structText(leaf, indent+"    "), 1)
		}
		fmt.Fprintf(&b, "%s    %s", indent, text)
		if f.Bits > 0 {
			fmt.Fprintf(&b, " : %d", f.Bits)
		}
		b.WriteString(";\n")
	}
	b.WriteString(indent + "}")
	return b.String()
}

// enumerated returns the definition of an enumeration.
func enumerated(t *debuginfo.Type) string {
	var names []string
	next := int64(0)
	for _, v := range t.Values {
		name := v.Name
		if v.Value != next {
			name += fmt.Sprintf(" = %d", v.Value)
		}
		next = v.Value + 1
		names = append(names, name)
	}
	head := strings.Join(strings.Fields("enum "+t.Word+" "+t.Name), " ")
	if t.To != nil && t.To.Bare().Name != "unsigned int" && t.To.Bare().Name != "int" {
		head += " : " + t.To.Bare().Name
	}
	return head + " {" + strings.Join(names, ", ") + "}"
}
