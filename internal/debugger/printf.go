package debugger

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
)

// formatted is a format of C's printf with its values.
type formatted struct {
	typed  string   // format and values, as typed
	pieces []string // of the format: text, each followed by a conversion except the last
	verbs  []string // conversions
	values []operand
}

// operand is a value of printf: an expression, or a string.
type operand struct {
	name string
	e    expr // nil for a string
	text string
}

var conversion = regexp.MustCompile(`%[-+ #0]*[0-9]*(\.[0-9]+)?(hh|h|ll|l|z|j|t|L)?[diouxXcsfFeEgGp%]`)

// parseFormatted parses "FORMAT", EXPR, ….
func parseFormatted(text string) (*formatted, error) {
	f := &formatted{typed: text}
	quoted, err := strconv.QuotedPrefix(text)
	if err != nil || text[0] != '"' {
		return nil, errors.New(`expected a format and its values, as in printf "%d\n", x`)
	}
	format, err := strconv.Unquote(quoted)
	if err != nil {
		return nil, errorf("%s: not a string of C", quoted)
	}
	at := 0
	for _, found := range conversion.FindAllStringIndex(format, -1) {
		verb := format[found[0]:found[1]]
		f.pieces, at = append(f.pieces, format[at:found[0]]), found[1]
		f.verbs = append(f.verbs, verb)
	}
	f.pieces = append(f.pieces, format[at:])
	for _, piece := range f.pieces {
		if i := strings.IndexByte(piece, '%'); i >= 0 {
			return nil, errorf("%q is not a conversion; there are %%d %%u %%x %%o %%c %%s %%f %%e %%g %%p", piece[i:min(i+3, len(piece))])
		}
	}
	if err := f.parseValues(strings.TrimSpace(text[len(quoted):])); err != nil {
		return nil, err
	}
	wanted := 0
	for _, verb := range f.verbs {
		if !strings.HasSuffix(verb, "%") {
			wanted++
		}
	}
	if wanted != len(f.values) {
		return nil, errorf("the format takes %s, not %d", plural(uint64(wanted), "value"), len(f.values))
	}
	return f, nil
}

// parseValues parses what follows a format.
func (f *formatted) parseValues(rest string) error {
	for rest != "" {
		next, ok := strings.CutPrefix(rest, ",")
		if !ok {
			return errorf("a comma is missing before %s", rest)
		}
		next = strings.TrimSpace(next)
		n := operandLength(next)
		o := operand{name: strings.TrimSpace(next[:n])}
		rest = next[n:]
		if strings.HasPrefix(o.name, `"`) {
			text, err := strconv.Unquote(o.name)
			if err != nil {
				return errorf("%s: not a string of C", o.name)
			}
			o.text = text
		} else {
			e, err := parseExpr(o.name)
			if err != nil {
				return err
			}
			o.e = e
		}
		f.values = append(f.values, o)
	}
	return nil
}

// operandLength returns the length of the text before the next comma that is not in brackets or in quotes.
func operandLength(text string) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '(' || c == '[':
			depth++
		case c == ')' || c == ']':
			depth--
		case c == ',' && depth <= 0:
			return i
		case c == '"' || c == '\'':
			if end := strings.IndexByte(text[i+1:], c); end >= 0 {
				i += 1 + end
			}
		}
	}
	return len(text)
}

// text formats the values of a lane.
func (f *formatted) text(s *scope, lane int) (string, error) {
	var b strings.Builder
	at := 0
	for i, verb := range f.verbs {
		b.WriteString(f.pieces[i])
		if strings.HasSuffix(verb, "%") {
			b.WriteByte('%')
			continue
		}
		shown, err := f.values[at].format(s, verb, lane)
		if err != nil {
			return "", err
		}
		b.WriteString(shown)
		at++
	}
	b.WriteString(f.pieces[len(f.pieces)-1])
	return b.String(), nil
}

// format formats the value of a lane by a conversion of C.
func (o *operand) format(s *scope, verb string, lane int) (string, error) {
	flags, kind := strings.TrimRight(verb[:len(verb)-1], "hlzjtL"), verb[len(verb)-1]
	long := strings.ContainsAny(verb, "lzjt")
	if o.e == nil {
		if kind != 's' {
			return "", errorf("%s is a string; %%s prints it", o.name)
		}
		return fmt.Sprintf(flags+"s", o.text), nil
	}
	v, err := o.e.eval(s)
	switch {
	case err != nil:
		return "", err
	case v.void>>lane&1 != 0:
		return "", errorf("%s has no value in lane %d", o.name, lane)
	}
	whole := v.as(isa.S64, lane)
	switch kind {
	case 'd', 'i':
		if !long {
			whole = uint64(int32(whole))
		}
		return fmt.Sprintf(flags+"d", int64(whole)), nil
	case 'u', 'o', 'x', 'X':
		if !long {
			whole = uint64(uint32(whole))
		}
		return fmt.Sprintf(flags+strings.Replace(string(kind), "u", "d", 1), whole), nil
	case 'p':
		return fmt.Sprintf(flags+"s", fmt.Sprintf("0x%x", whole)), nil
	case 'c':
		return fmt.Sprintf(flags+"s", string([]byte{byte(whole)})), nil
	case 's':
		space := cmp.Or(v.space, "global")
		text, _, ok := s.stringAt(space, lane, v.bits[lane])
		if !ok {
			return "", errorf("no string is at %s 0x%x", space, v.bits[lane])
		}
		return fmt.Sprintf(flags+"s", text), nil
	}
	return fmt.Sprintf(flags+string(kind), v.float(lane)), nil
}

// printfCommand prints values of the lane in focus.
func (d *Debugger) printfCommand(c *call) error {
	f, err := parseFormatted(c.args)
	if err != nil {
		return err
	}
	s, err := d.scopeHere()
	if err != nil {
		return err
	}
	text, err := f.text(s, d.focus.lane)
	if err == nil {
		d.printf("%s", text)
	}
	return err
}

// dprintfCommand parses "LOC,"FORMAT",EXPR…": a point at a place that prints, and does not stop.
func (d *Debugger) dprintfCommand(c *call) error {
	place, rest, ok := cutFirst(c.args, ",")
	if !ok {
		return errors.New(`expected dprintf LOC,"FORMAT",EXPR,...; trace LOC EXPR, ... prints values in all lanes`)
	}
	f, err := parseFormatted(strings.TrimSpace(rest))
	if err != nil {
		return err
	}
	p, err := d.placePoint("dprintf", strings.TrimSpace(place))
	if err != nil {
		return err
	}
	for _, o := range f.values {
		if o.e != nil {
			if err := d.tryIn(codeAt{d.function(p.fn), p.pc}, o.e); err != nil {
				return err
			}
		}
	}
	p.trace, p.formatted = true, f
	d.add(p)
	return nil
}

// printed returns what a dprintf prints: the values in the first of the lanes that are there.
func (f *formatted) printed(s *scope, m lanes.Mask) string {
	text, err := f.text(s, firstLane(m))
	if err != nil {
		return fmt.Sprintf("dprintf %s: %v\n", f.typed, err)
	}
	return text
}
