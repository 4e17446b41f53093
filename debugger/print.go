package debugger

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/isa"
)

// display is an expression that is shown after every stop.
type display struct {
	id     int
	text   string
	format string
	e      expr
}

// valueText is an expression with its type and its value in all lanes.
func (d *Debugger) valueText(text string, e expr, format string, s *scope) string {
	v, err := e.eval(s)
	if err != nil {
		return fmt.Sprintf("%s: %v", text, err)
	}
	return d.typedText(text, &v, format, s)
}

// behind puts values that were folded behind a label, or in rows below it.
func behind(label, folded string) string {
	if strings.HasPrefix(folded, "\n") {
		return strings.TrimRight(label, " ") + folded
	}
	return label + " " + folded
}

func (d *Debugger) typedText(text string, v *value, format string, s *scope) string {
	folded := d.lanesFolded(v, format, s.has(), s.active)
	if v.literal || v.uniform && v.typ == isa.Pred {
		return text + " " + folded
	}
	shown := v.reformat(format)
	if v.uniform {
		return fmt.Sprintf("%s %s %s", text, shown.typ, folded)
	}
	return behind(fmt.Sprintf("%s %s  ", text, shown.typ), folded)
}

// parseShown reads what print and display take.
func parseShown(c *call) (expr, error) {
	if err := checkFormat(c.format); err != nil {
		return nil, err
	}
	if c.args == "" {
		return nil, errors.New("what expression? Such as r5, r5[7], any(r5 > 9), shared:0x40")
	}
	return parseExpr(c.args)
}

func (d *Debugger) printCommand(c *call) error {
	e, err := parseShown(c)
	if err != nil {
		return err
	}
	s, err := d.scopeHere()
	if err != nil {
		return err
	}
	v, err := e.eval(s)
	if err != nil {
		return err
	}
	d.printf("%s\n", d.typedText(c.args, &v, c.format, s))
	return nil
}

func (d *Debugger) displayCommand(c *call) error {
	if c.args == "" {
		d.showDisplays()
		return nil
	}
	e, err := parseShown(c)
	if err != nil {
		return err
	}
	if s, err := d.scopeHere(); err == nil {
		if _, err := e.eval(s); err != nil {
			return err
		}
	}
	d.shown++
	d.displays = append(d.displays, display{d.shown, c.args, c.format, e})
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
		return fmt.Errorf("no display %s", c.args)
	}
	d.displays = slices.Delete(d.displays, i, i+1)
	return nil
}

func (d *Debugger) showDisplays() {
	s, err := d.scopeHere()
	if err != nil {
		return
	}
	for _, shown := range d.displays {
		d.printf("%d: %s\n", shown.id, d.valueText(shown.text, shown.e, shown.format, s))
	}
}
