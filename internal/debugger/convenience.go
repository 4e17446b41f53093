package debugger

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/simtrun/simtrun/internal/isa"
)

// asides are the values that expressions may refer to and that are not part of the launch. Changes of the launch keep
// the asides that they were made with, so that they do the same when they are executed again.
type asides struct {
	values    []value          // that print has shown
	variables map[string]value // of the debugger, by their names with the $; never written, but replaced
}

// isVariable reports whether a text is the name of a variable of the debugger, which need not exist yet.
func (d *Debugger) isVariable(text string, s *scope) bool {
	if _, exists := d.variables[text]; exists {
		return true
	}
	if !mayBeVariable(text) || variablesInstead[text] != "" {
		return false
	}
	_, err := (&nameExpr{text}).eval(s)
	return err != nil
}

// mayBeVariable reports whether a text looks like the name of a variable of the debugger.
func mayBeVariable(text string) bool {
	return len(text) > 1 && text[0] == '$' && isLetter(text[1]) && wordLength(text[1:]) == len(text)-1 && !strings.ContainsAny(text, ".:")
}

func isLetter(c byte) bool { return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// setVariable gives a variable of the debugger a value, in each lane.
func (d *Debugger) setVariable(name string, v value) {
	d.variables = maps.Clone(d.variables)
	if d.variables == nil {
		d.variables = make(map[string]value)
	}
	d.variables[name] = v
}

// assignVariable evaluates the right side of an assignment for a variable of the debugger.
func (d *Debugger) assignVariable(s *scope, name, right string) error {
	e, err := parseExpr(right)
	if err != nil {
		return err
	}
	v, err := e.eval(s)
	if err == nil {
		d.setVariable(name, v)
		d.printf("%s set, a variable of the debugger\n", name)
	}
	return err
}

// assigned carries out the assignment to a variable of the debugger that a text may be, and returns what is left to
// print, as gdb does with print $i = 3.
func (d *Debugger) assigned(text string) (string, error) {
	left, right, ok := cutAssignment(text)
	s, err := d.scopeHere()
	if !ok || err != nil || !d.isVariable(left, s) {
		return text, nil
	}
	return left, d.silently(func() error { return d.assignVariable(s, left, right) })
}

// variable returns a variable of the debugger, or one that tells what it has done.
func (d *Debugger) variable(name string) (value, bool) {
	if name == "$bpnum" && d.made > 0 {
		return uniform(isa.S32, uint64(d.made)), true
	}
	v, ok := d.variables[name]
	return v, ok
}

// noteExamined gives $_ the address that x has shown last, and $__ what is there.
func (d *Debugger) noteExamined(space string, at uint64, v *value) {
	addr := uniform(isa.U64, at)
	addr.space = space
	d.setVariable("$_", addr)
	d.setVariable("$__", uniform(v.typ, v.bits[0]))
}

// showCommand shows what gdb's show does, as far as there is something.
func (d *Debugger) showCommand(c *call) error {
	if word, name, _ := cutFirst(c.args, " "); word == "user" {
		return d.showUser(strings.TrimSpace(name))
	}
	s, err := d.scopeHere()
	if err != nil {
		return err
	}
	switch c.args {
	case "listsize":
		d.printf("list shows %d lines\n", d.listSize())
		return nil
	case "convenience", "conv":
		for _, name := range slices.Sorted(maps.Keys(d.variables)) {
			v := d.variables[name]
			d.printf("%s\n", d.typedText(name, &v, "", s))
		}
		if len(d.variables) == 0 {
			d.printf("no variables of the debugger; set $i = 3 makes one\n")
		}
		return nil
	case "values":
		for i := max(0, len(d.values)-10); i < len(d.values); i++ {
			name := "$" + strconv.Itoa(i+1)
			d.printf("%s\n", d.valueText(name, &nameExpr{name}, "", s))
		}
		return nil
	}
	return errors.New("show convenience lists the variables of the debugger, show values what was printed, show user what define has defined; info shows what there is")
}
