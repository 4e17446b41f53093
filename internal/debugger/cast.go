package debugger

import (
	"regexp"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/internal/debuginfo"
)

// castExpr is (typ)x, or (@space typ)x as in cuda-gdb, where x is an address in a state space.
type castExpr struct {
	space, typ string
	x          expr
}

// typeForm matches text that can be a type: words, and then asterisks.
var typeForm = regexp.MustCompile(`^\s*([A-Za-z_][\w:]*(?:<[\w:<>, ]*>)?(?:\s+[A-Za-z_][\w:]*(?:<[\w:<>, ]*>)?)*)\s*(\**)((?:\[\d+\])?)\s*$`)

// spaceForm matches a space before a type.
var spaceForm = regexp.MustCompile(`^\s*@(\w+)\s+`)

// spacesOfCUDA are the names that cuda-gdb has for state spaces; "" is that of generic addresses.
var spacesOfCUDA = map[string]string{
	"global": "global", "managed_global": "global", "shared": "shared", "local": "local", "parameter": "param", "param": "param", "constant": "const", "const": "const",
	"generic": "",
}

// cutSpace cuts a space off before a type. It returns "" for generic addresses, and if there is none.
func cutSpace(text string) (space, typ string, err error) {
	m := spaceForm.FindStringSubmatch(text)
	if m == nil {
		return "", text, nil
	}
	space, known := spacesOfCUDA[m[1]]
	if !known {
		return "", text, errorf("no space @%s; there are @global, @shared, @local, @parameter, @constant and @generic", m[1])
	}
	return space, text[len(m[0]):], nil
}

// isTypeText reports whether text in brackets is a type, from what it consists of and from what follows it.
func isTypeText(text, after string) bool {
	spaced := spaceForm.FindString(text)
	m := typeForm.FindStringSubmatch(strings.ReplaceAll(text[len(spaced):], "* *", "**"))
	if m == nil {
		return false
	}
	words := strings.Fields(m[1])
	if slices.ContainsFunc(words, func(w string) bool { return slices.Contains(typeWords, w) }) || strings.HasSuffix(m[1], ">") || m[2] != "" || spaced != "" {
		return true
	}
	after = strings.TrimLeft(after, " ")
	return len(words) == 1 && after != "" && (isWordByte(after[0]) || after[0] == '(')
}

// castAfter parses the operand of a cast to the type in a text.
func (p *parser) castAfter(text string) (expr, error) {
	space, typ, err := cutSpace(text)
	if err != nil {
		return nil, err
	}
	x, err := p.unaryAfter()
	return &castExpr{space, strings.TrimSpace(typ), x}, err
}

// isNamedCast reports whether a word begins a cast such as static_cast<int>(x).
func isNamedCast(word string) bool {
	return slices.Contains([]string{"static_cast", "reinterpret_cast", "const_cast"}, word)
}

// namedCast parses what follows static_cast; the current token is the <.
func (p *parser) namedCast(word string) (expr, error) {
	typ, rest, ok := cutFirst(p.text, ">(")
	if !ok || p.token != "<" || !typeForm.MatchString(typ) {
		return nil, errorf("expected %s<TYPE>(x)", word)
	}
	p.text, p.token = rest, "("
	x, err := p.enclosed(")")
	return &castExpr{typ: strings.TrimSpace(typ), x: x}, err
}

// eval converts a value.
func (e *castExpr) eval(s *scope) (value, error) {
	t, err := s.typeNamed(e.typ)
	if err != nil {
		return value{}, err
	}
	v, err := e.x.eval(s)
	if err != nil {
		return v, err
	}
	space, named := v.space, e.space
	if v, err = v.cast(t); err != nil || named == "" {
		return v, err
	}
	if t.Bare().Kind != debuginfo.Pointer {
		return v, errorf("@%s stands before the type of a pointer", named)
	}
	if in, at, ok := s.window(v.bits[s.lead()]); ok && space == "" {
		if v.uniform {
			v = uniform(v.typ, at)
			v.cxx = t
		} else {
			for lane, addr := range v.bits {
				_, v.bits[lane], _ = s.window(addr)
			}
		}
		space = in
	}
	if space != "" && !sameMemory(space, named) {
		return v, errorf("that address is in %s memory, not %s", space, named)
	}
	v.space = named
	return v, nil
}
