package debugger

import (
	"errors"
	"fmt"
	"strings"

	"github.com/simtrun/simtrun/internal/debuginfo"
	"github.com/simtrun/simtrun/internal/source"
	"github.com/simtrun/simtrun/interp"
)

// infoLocals shows the variables of the source that are visible in the selected frame; in PTX without them, its
// registers.
func (d *Debugger) infoLocals(w interp.Warp, word string) error {
	s, err := d.scopeHere()
	if err != nil {
		return err
	}
	if !s.info().HasVariables() {
		return d.infoRegs(w, word)
	}
	return d.showVariables(s, word, false, "no local variables are visible here")
}

// infoArgs shows the parameters of the selected frame; in PTX without variables of the source those of the kernel.
func (d *Debugger) infoArgs(word string) error {
	if len(d.fns) == 0 {
		return errEnded
	}
	if s, err := d.scopeHere(); err == nil && s.info().HasVariables() && d.session != nil {
		return d.showVariables(s, word, true, "the function has no parameters")
	}
	if len(d.fns[0].Params) == 0 {
		d.printf("%s has no parameters\n", source.Name(d.fns[0].Name))
	}
	d.infoParams()
	return nil
}

// showVariables shows the parameters of a frame, or its other variables, each in a line. A variable that an inner one
// hides is left out.
func (d *Debugger) showVariables(s *scope, word string, params bool, none string) error {
	shown := make(map[string]bool)
	for _, v := range s.variables() {
		hidden := shown[v.Name]
		shown[v.Name] = true
		if v.Param != params || v.Name == "" || !strings.HasPrefix(v.Name, word) || hidden {
			continue
		}
		none = ""
		d.printf("%s\n", d.summary(s, v))
	}
	if none != "" && word != "" {
		none = errorf("no name begins with %s here", word).Error()
	}
	if none != "" {
		d.printf("%s\n", none)
	}
	return nil
}

// summary returns the value of a variable; that of a struct, or of an array of each lane, for the lane in focus.
func (d *Debugger) summary(s *scope, v *debuginfo.Variable) string {
	l, _, err := s.namedObject(v.Name)
	switch {
	case errors.Is(err, debuginfo.ErrOptimisedOut):
		return fmt.Sprintf("%s %s  optimised out", v.Name, v.Type)
	case errors.Is(err, errUnset):
		return fmt.Sprintf("%s %s  not set before the first line of the function", v.Name, v.Type)
	case err != nil:
		return fmt.Sprintf("%s %s  %v", v.Name, v.Type, err)
	}
	if t := l.typ.Bare(); (t.Kind == debuginfo.Struct || t.Kind == debuginfo.Array) && l.hasParts() {
		where := " ="
		if !l.isSame() {
			where = fmt.Sprintf("  lane %d:", s.lead())
		}
		return fmt.Sprintf("%s %s%s %s", v.Name, l.typ, where, d.braced(l, s.lead(), "", s))
	}
	text, err := d.objectText(v.Name, l, "", s)
	if err != nil {
		return fmt.Sprintf("%s %s  %v", v.Name, v.Type, err)
	}
	return text
}

// infoAddress shows where an object of the source is.
func (d *Debugger) infoAddress(text string) error {
	s, err := d.scopeHere()
	if err != nil {
		return err
	}
	e, err := parseExpr(text)
	if err != nil {
		return d.showFunction(text, err)
	}
	l, ok, err := s.lvalue(e)
	switch {
	case d.isFunction(text) && (err != nil || !ok):
		return d.showFunction(text, err)
	case err != nil:
		return err
	case !ok:
		p, inMemory, err := s.place(e)
		switch {
		case err == nil && !inMemory && d.inSource(text):
			return s.unknown(text)
		case err == nil && !inMemory:
			return errorf("%s is not a variable of the source; info mem shows where buffers are", text)
		case err != nil:
			return err
		}
		d.printf("%s is at %s 0x%x\n", text, p.space, p.addr.bits[s.lead()])
	case l.reg != "":
		d.printf("%s is in register %s\n", text, l.reg)
	case !l.inMemory:
		d.printf("%s is a constant\n", text)
	case l.isSame() || l.space == "local":
		d.printf("%s is at %s 0x%x, %s\n", text, l.space, l.addr.bits[s.lead()], plural(uint64(max(l.typ.Size, 0)), "byte"))
	default:
		d.printf("%s is at %s 0x%x in lane %d, %s\n", text, l.space, l.addr.bits[s.lead()], s.lead(), plural(uint64(max(l.typ.Size, 0)), "byte"))
	}
	return nil
}

// infoSymbol names what is at an address.
func (d *Debugger) infoSymbol(text string) error {
	if text == "$pc" || text == "*$pc" {
		at, err := d.here()
		if err != nil {
			return err
		}
		d.printf("%s, instruction @%d\n", source.Name(d.fns[at.fn].Name), at.pc)
		return nil
	}
	s, err := d.scopeHere()
	if err != nil {
		return err
	}
	e, err := parseExpr(text)
	if err != nil {
		return d.showFunction(text, err)
	}
	v, err := s.address(e)
	if err != nil {
		return d.showFunction(text, err)
	}
	if at, err := e.eval(s); err == nil && at.isPointer() { // as in gdb, the value of a pointer
		v = at
	}
	shown := d.pointerText(v.space, v.bits[s.lead()])
	if strings.HasPrefix(shown, "0x") {
		return errorf("no variable or buffer is at %s; functions have places, as info line shows", shown)
	}
	d.printf("%s\n", shown)
	return nil
}

// isFunction reports whether a text is the name of one function of the launch, as in sum<4>.
func (d *Debugger) isFunction(text string) bool { return d.function(text) >= 0 }

// showFunction shows where the function begins that a text names, which is not a variable. It returns failed if there
// is none.
func (d *Debugger) showFunction(text string, failed error) error {
	n := d.function(text)
	if n < 0 {
		here, err := d.here()
		if err != nil {
			return failed
		}
		if at, ok := d.named(text, here.fn); ok {
			d.printf("%s is a label at %s, instruction @%d of %s\n", text, d.lineText(at), at.pc, source.Name(d.fns[at.fn].Name))
			return nil
		}
		return failed
	}
	d.printf("%s is a function at %s\n", source.Name(d.fns[n].Name), d.lineText(codeAt{n, 0}))
	return nil
}
