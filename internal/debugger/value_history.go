package debugger

import (
	"strconv"
	"strings"
)

// mostValues limits the values that print keeps.
const mostValues = 1000

// keep appends what print showed to the history of values, which $, $$ and $N refer to. What does not fit in a word,
// such as a struct, takes a number in the history but has no value there.
func (d *Debugger) keep(s *scope, e expr) {
	v, err := e.eval(s)
	if name, isName := e.(*nameExpr); err != nil || isName && builtins[name.name] != "" {
		v = value{}
	}
	d.keepValue(v)
}

// keepValue is keep for a value; one of type 0 is none.
func (d *Debugger) keepValue(v value) {
	if len(d.values) >= mostValues {
		v = value{}
	}
	d.values = append(d.values, v)
}

// earlier returns a value of the history: $ is the last one, $$ the one before, $$N the Nth before the last, and $N the
// Nth that print showed. ok is false for other names.
func (d *Debugger) earlier(name string) (v value, ok bool, err error) {
	short, isHistory := strings.CutPrefix(name, "$")
	if !isHistory || strings.Trim(short, "$0123456789") != "" {
		return v, false, nil
	}
	last := len(d.values)
	at := last
	switch back, fromLast := strings.CutPrefix(short, "$"); {
	case fromLast && back == "":
		at = last - 1
	case fromLast:
		n, _ := strconv.Atoi(back)
		at = last - n
	case short != "":
		at, _ = strconv.Atoi(short)
	}
	if at < 1 || at > last {
		return v, true, errorf("no value %s; print has shown %s", name, plural(uint64(last), "value"))
	}
	if v = d.values[at-1]; v.typ == 0 {
		return v, true, errorf("%s was a struct or an array; print keeps numbers and pointers", name)
	}
	return v, true, nil
}
