package debugger

import (
	"errors"
	"fmt"
	"strings"

	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/lanes"
)

// setCommand reads "EXPR = EXPR".
func (d *Debugger) setCommand(c *call) error {
	left, right, ok := cutAssignment(c.args)
	if !ok {
		return errors.New("it is written set EXPR = EXPR, as in set r5[7] = 1 or set shared:0x40 = 0")
	}
	if left == "mask" {
		return notYet("set mask")
	}
	s, err := d.scopeHere()
	if err != nil {
		return err
	}
	if d.session == nil || d.session.Done() {
		return errors.New("the launch has ended; nothing can be set")
	}
	to, err := parseExpr(left)
	if err != nil {
		return err
	}
	from, err := parseExpr(right)
	if err != nil {
		return err
	}
	v, err := from.eval(s)
	if err != nil {
		return err
	}
	return d.assign(s, to, &v)
}

// cutAssignment cuts at the first = that is no part of a comparison.
func cutAssignment(text string) (left, right string, ok bool) {
	for i := range len(text) {
		compares := i > 0 && strings.IndexByte("=<>!", text[i-1]) >= 0 || i+1 < len(text) && text[i+1] == '='
		if text[i] == '=' && !compares {
			return strings.TrimSpace(text[:i]), strings.TrimSpace(text[i+1:]), true
		}
	}
	return "", "", false
}

// assign writes a register or memory, for the active lanes or for the one that
// stands in brackets.
func (d *Debugger) assign(s *scope, to expr, v *value) error {
	m := s.active
	if indexed, ok := to.(*laneExpr); ok {
		lane, err := indexed.lane.eval(s)
		if err != nil {
			return err
		}
		if _, err := indexed.eval(s); err != nil {
			return err
		}
		to, m = indexed.x, 1<<lane.bits[0]
	}
	if m == 0 {
		return errors.New("no lane is active here")
	}
	switch e := to.(type) {
	case *nameExpr:
		id, ok := s.reg(e.name)
		if !ok {
			return fmt.Errorf("%s is no register; registers and memory can be set", e.name)
		}
		t := s.fn().Regs[id].Type
		for left := m; left != 0; left &= left - 1 {
			lane := firstLane(left)
			s.w.SetReg(s.frame, id, 1<<lane, v.as(t, lane))
		}
		d.printf("%s set in %s\n", s.fn().Regs[id].Name, lanesText(m))
		return nil
	case *memoryExpr:
		return d.assignMemory(s, e, m, v)
	}
	return errors.New("only registers and memory can be set")
}

func (d *Debugger) assignMemory(s *scope, e *memoryExpr, m lanes.Mask, v *value) error {
	addr, err := e.addr.eval(s)
	if err != nil {
		return err
	}
	t := e.elem()
	for left := m; left != 0; left &= left - 1 {
		lane := firstLane(left)
		data, ok := s.bytesAt(e.space, lane, addr.bits[lane], t.Bytes())
		if !ok || e.space == "param" {
			return fmt.Errorf("nothing that can be set is at %s 0x%x", e.space, addr.bits[lane])
		}
		store(data, v.as(t, lane))
	}
	d.printf("%s set\n", e.space)
	return nil
}

// as is the value in a lane as bits of type t: of the number where t is a
// floating-point type or the value an integer, else of the value as it is.
func (v *value) as(t isa.Type, lane int) uint64 {
	float := v.typ.Class() == isa.Float
	switch {
	case t == isa.Pred:
		return uint64(v.holds() >> lane & 1)
	case t == isa.F32 || t == isa.F64:
		return floatBits(t, v.float(lane))
	case float && t.IsInt():
		return uint64(int64(v.float(lane)))
	case float && t.Bits() == 32 && v.typ == isa.F64:
		return floatBits(isa.F32, v.float(lane))
	case float:
		return v.bits[lane]
	}
	return uint64(v.signed(lane))
}
