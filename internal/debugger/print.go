package debugger

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/simtrun/simtrun/internal/debuginfo"
	"github.com/simtrun/simtrun/internal/isa"
)

// display is an expression that is shown after every stop.
type display struct {
	id     int
	text   string
	format string
	e      expr

	disabled bool
}

// valueText returns an expression with its type and its value in all lanes, or the reason why it has none.
func (d *Debugger) valueText(text string, e expr, format string, s *scope) string {
	shown, err := d.shownText(text, e, format, s)
	if err != nil {
		return fmt.Sprintf("%s: %v", text, err)
	}
	return shown
}

// shownText returns an expression with its type and its value in all lanes, or with its elements if it is an array.
func (d *Debugger) shownText(text string, e expr, format string, s *scope) (string, error) {
	if shown, ok := d.builtinText(text, e, format, s); ok {
		return shown, nil
	}
	if l, ok, err := s.lvalue(e); err != nil {
		return "", err
	} else if ok {
		shown, err := d.objectText(text, l, format, s)
		if err == debuginfo.ErrOptimisedOut { // a part of an object
			err = errorf("%s: %w", text, s.explained(err))
		}
		return shown, err
	}
	p, ok, err := s.place(e)
	if err != nil {
		return "", err
	}
	if ok && p.many {
		return d.elementsText(text, &p, format, s)
	}
	v, err := e.eval(s)
	if err != nil {
		return "", err
	}
	return d.typedText(text, &v, format, s), nil
}

const (
	// mostElements limits the elements of an array that print shows.
	mostElements = 64
	// inLine is the most elements that fit the line of the name; more are shown in rows.
	inLine = 16
)

// elementsText returns an array with its elements. For local memory, which differs per lane, every element has a
// line.
func (d *Debugger) elementsText(text string, p *place, format string, s *scope) (string, error) {
	var b strings.Builder
	typ := p.elem.String()
	if p.cxx != nil && p.leafType() != nil {
		typ = p.leafType().String()
	}
	fmt.Fprintf(&b, "%s %s[%d]", text, typ, p.count)
	first := int64(p.addr.bits[s.lead()]-p.of.addr) / int64(p.elem.Bytes())
	cells, width := make([]string, 0, mostElements), 0
	for i := range min(p.count, mostElements) {
		one := *p
		for lane := range one.addr.bits {
			one.addr.bits[lane] += uint64(i) * uint64(p.elem.Bytes())
		}
		v, err := s.load(&one)
		if err != nil {
			return "", err
		}
		form := format
		if v.isPointer() {
			form = d.formatOf(&v, format, s.has())
		}
		if !v.uniform {
			fmt.Fprintf(&b, "\n  %s", behind(fmt.Sprintf("[%d]", first+i), d.grouped(&v, form, s.has(), s.active)))
			continue
		}
		shown := v.reformat(form)
		cells = append(cells, d.text(&shown, form, 0))
		width = max(width, len(cells[i]))
	}
	switch {
	case p.count == 0:
		b.WriteString("  no elements")
	case len(cells) > 0 && p.count <= inLine:
		b.WriteString(" = " + strings.Join(cells, " "))
	default:
		for i := 0; i < len(cells); i += perRow {
			fmt.Fprintf(&b, "\n  %3d:", first+int64(i))
			for _, cell := range cells[i:min(i+perRow, len(cells))] {
				fmt.Fprintf(&b, " %*s", width, cell)
			}
		}
	}
	if more := p.count - mostElements; more > 0 {
		fmt.Fprintf(&b, "\n  and %d more, from %s[%d] on", more, p.of.name, first+mostElements)
	}
	return b.String(), nil
}

// behind appends the values of lanes to a label, or puts them in rows below it.
func behind(label, values string) string {
	if strings.HasPrefix(values, "\n") {
		return strings.TrimRight(label, " ") + values
	}
	return label + " " + values
}

func (d *Debugger) typedText(text string, v *value, format string, s *scope) string {
	if v.typ == isa.Pred && !v.uniform && format == "" {
		return fmt.Sprintf("%s pred   %s", text, d.maskText(v, s.has(), s.active))
	}
	asked := format
	format = d.formatOf(v, format, s.has())
	values := d.grouped(v, format, s.has(), s.active)
	if v.uniform && format != asked {
		values = withNumber(values, v)
	}
	if v.literal || v.uniform && v.typ == isa.Pred {
		return text + " " + values
	}
	shown := v.reformat(format)
	if all, ok := d.allText(&shown, format, s.has()); ok && !v.uniform {
		values = "all: " + all
	}
	typ := shown.typ.String()
	switch {
	case v.cxx != nil:
		typ = v.cxx.String()
	case v.high != nil && !v.uniform:
		typ = isa.B128.String()
	}
	if v.uniform {
		return fmt.Sprintf("%s %s %s", text, typ, values)
	}
	return behind(fmt.Sprintf("%s %s  ", text, typ), values)
}

// parseShown parses the arguments of print and display.
func parseShown(c *call) (expr, error) {
	if err := checkFormat(c.format); err != nil {
		return nil, err
	}
	c.args = withoutOptions(c.args)
	if c.args == "" {
		return nil, errors.New("what expression? Such as r5, r5[7], y[3], any(r5 > 9), shared:0x40")
	}
	return parseExpr(c.args)
}

// printOption matches an option of gdb's print, such as "-elements 4".
var printOption = regexp.MustCompile(`^-[a-z][a-z-]*(?: (?:on|off|\d+|unlimited))?$`)

// withoutOptions removes the options of gdb before --: what is shown does not depend on them.
func withoutOptions(text string) string {
	options, rest, ok := cutFirst(text, "-- ")
	if options = strings.TrimSpace(options); !ok {
		return text
	}
	for option := range strings.SplitSeq(strings.ReplaceAll(options, " -", "\n-"), "\n") {
		if !printOption.MatchString(strings.TrimSpace(option)) {
			return text
		}
	}
	return strings.TrimSpace(rest)
}

func (d *Debugger) printCommand(c *call) error {
	var err error
	if c.args, err = d.assigned(c.args); err != nil {
		return err
	}
	e, err := parseShown(c)
	if err != nil {
		return d.showFunction(c.args, err)
	}
	s, err := d.scopeHere()
	if err != nil {
		return err
	}
	text, err := d.shownText(c.args, e, c.format, s)
	if err != nil {
		return d.showFunction(c.args, err)
	}
	d.printf("%s\n", text)
	d.keep(s, e)
	return nil
}

func (d *Debugger) displayCommand(c *call) error {
	if c.args == "" {
		d.showDisplays()
		return nil
	}
	if _, ok := instructionsFormat(c.format); ok {
		return d.displayInstructions(c)
	}
	e, err := parseShown(c)
	if err != nil {
		return err
	}
	if s, err := d.scopeHere(); err == nil {
		if _, err := d.shownText(c.args, e, c.format, s); err != nil {
			return err
		}
	}
	d.shown++
	d.displays = append(d.displays, display{id: d.shown, text: c.args, format: c.format, e: e})
	d.showDisplays()
	return nil
}

// displayInstructions is display/4i.
func (d *Debugger) displayInstructions(c *call) error {
	if _, err := d.parsePlace(c.args); err != nil {
		return err
	}
	d.shown++
	d.displays = append(d.displays, display{id: d.shown, text: c.args, format: c.format})
	d.showDisplays()
	return nil
}

func (d *Debugger) undisplayCommand(c *call) error {
	if c.args == "" {
		d.displays = nil
		return nil
	}
	i := slices.IndexFunc(d.displays, func(s display) bool { return fmt.Sprint(s.id) == c.args })
	if i < 0 {
		return errorf("no display %s", c.args)
	}
	d.displays = slices.Delete(d.displays, i, i+1)
	return nil
}

// ableDisplays disables or enables a display, or all.
func (d *Debugger) ableDisplays(number string, disabled bool) error {
	found := number == ""
	for i := range d.displays {
		if s := &d.displays[i]; number == "" || number == strconv.Itoa(s.id) {
			s.disabled, found = disabled, true
		}
	}
	if !found {
		return errorf("no display %s; info display lists them", number)
	}
	return nil
}

func (d *Debugger) showDisplays() {
	s, err := d.scopeHere()
	if err != nil {
		return
	}
	for _, shown := range d.displays {
		if shown.disabled {
			continue
		}
		if n, ok := instructionsFormat(shown.format); ok {
			d.printf("%d: x/%s %s\n", shown.id, shown.format, shown.text)
			if err := d.examineInstructions(n, shown.text); err != nil {
				d.printf("%v\n", err)
			}
			continue
		}
		d.printf("%d: %s\n", shown.id, d.valueText(shown.text, shown.e, shown.format, s))
	}
}
