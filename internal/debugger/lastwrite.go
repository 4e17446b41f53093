package debugger

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/interp"
)

// lastWrite finds the latest instruction that has written what an expression names, and says what it wrote. The
// launches stay where they are.
func (d *Debugger) lastWrite(c *call) error {
	if c.args == "" {
		return errors.New("last-write of what? A register, a variable, a buffer, y[3], y+12, shared:ADDR or global:ADDR")
	}
	s, err := d.searchWrite(c)
	if err != nil {
		return err
	}
	view, now := d.scene(), d.now()
	defer func() { d.setScene(view) }()
	found, _, err := s.run()
	if away := d.goTo(now); away != nil {
		return away
	}
	switch {
	case errors.Is(err, errNothing):
		d.printf("nothing has written %s\n", c.args)
		return nil
	case err != nil:
		return err
	}
	d.printf("%s\n", strings.TrimSuffix(strings.Replace(found.text, "watch", d.momentText(found.moment), 1), "\n"))
	return nil
}

// searchWrite makes a search for the latest write of an expression.
func (d *Debugger) searchWrite(c *call) (*search, error) {
	in, err := d.scopeHere()
	if err != nil {
		return nil, err
	}
	e, err := parseExpr(c.args)
	if err != nil {
		return nil, err
	}
	if name, ok := e.(*nameExpr); ok && in.frame != divergence.NoFrame {
		_, inMemory, err := in.place(e)
		if id, isReg := in.reg(name.name); err == nil && !inMemory && isReg {
			if d.timed != nil {
				return nil, errors.New("with a clock, last-write is for memory; without one, it is for registers, too")
			}
			return d.searchRegister(c, in, id), nil
		}
	}
	wp := &watchpoint{writes: true}
	about, err := d.aim(wp, in, c.args)
	if err != nil {
		return nil, err
	}
	s := d.newSearch(c.ctx, 1, func(interp.Warp, *divergence.Split) bool { return false })
	d.searchFor(s, new(bytes.Buffer), []*point{{what: "watch " + c.args + about, watch: wp}})
	return s, nil
}

// searchRegister makes a search for the latest instruction that has written a register of an activation of the warp in
// focus, in the lanes of the scope.
func (d *Debugger) searchRegister(c *call, in *scope, id isa.RegID) *search {
	at, frame, serial := placeOf(in.w), in.frame, in.w.Frame(in.frame).Serial
	wanted := in.w.Control().Live()
	if d.only != 0 {
		wanted = d.only
	}
	var mask lanes.Mask
	var code codeAt
	var old value
	s := d.ofFocus(c, 1, func(w interp.Warp, split *divergence.Split) bool {
		mask = 0
		if split.Frame == frame && w.Frame(frame).Serial == serial && writes(&w.Func(frame).Code[split.PC], id) {
			mask, code = w.Active(split)&wanted, codeOf(w, split)
			old = value{typ: shownAs(w.Func(frame).Regs[id].Type), bits: w.Reg(frame, id)}
		}
		return false
	})
	s.hook.after = func() {
		w := d.log.w
		if mask == 0 || d.log.at != at || int(frame) >= w.Control().Frames().Len() {
			return
		}
		now := old
		now.bits = w.Reg(frame, id)
		s.mask = mask
		s.find(fmt.Sprintf("watch  %s  %s: %s\n  %s write%s %s\n  %s\n  %s", d.warpText(d.log.at), d.lineText(code), d.codeText(code),
			lanesText(mask), map[bool]string{true: "s", false: ""}[mask.Count() == 1], in.fn().Regs[id].Name,
			behind("old", d.grouped(&old, "", mask, mask)), behind("new", d.grouped(&now, "", mask, mask))), nil)
	}
	return s
}

// forwards are the commands that rev turns around, by name.
var forwards = map[string]string{"step": "reverse-step", "stepi": "reverse-stepi", "next": "reverse-next", "nexti": "reverse-nexti", "lstep": "reverse-lstep",
	"finish": "reverse-finish", "reconv": "reverse-reconv", "continue": "reverse-continue"}

// revCommand executes the reverse of a command, as in Delve.
func (d *Debugger) revCommand(c *call) error {
	word, rest, _ := cutFirst(c.args, " ")
	if word == "" {
		return errors.New("rev what? step, stepi, next, nexti, lstep, finish, reconv or continue")
	}
	of, err := d.lookUp(word)
	if err != nil {
		return err
	}
	back := forwards[of.name]
	if back == "" {
		return errorf("%s has no reverse; there are step, stepi, next, nexti, lstep, finish, reconv and continue", of.name)
	}
	return d.dispatch(c.ctx, strings.TrimSpace(back+" "+rest))
}
