package debugger

import (
	"errors"
	"fmt"
	"strings"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
)

// setCommand makes a change, and records it.
func (d *Debugger) setCommand(c *call) error {
	if done, err := d.setting(c.args); done {
		return err
	}
	left, right, err := parseAssignment(c.args)
	if err != nil {
		return err
	}
	if s, err := d.scopeHere(); err == nil && d.isVariable(left, s) {
		return d.assignVariable(s, left, right)
	}
	in := d.scene()
	if err := d.change(c.args); err != nil {
		return err
	}
	d.edits++
	d.timeline.note(d, entry{kind: edit, from: d.step(), calls: 1, line: c.args, in: in, with: d.asides})
	return nil
}

// changeAgain makes a change of the history.
func (d *Debugger) changeAgain(e *entry) error {
	now := d.asides
	defer func() { d.asides = now }()
	d.asides = e.with
	d.setScene(e.in)
	return d.change(e.line)
}

// parseAssignment parses "[var] PLACE = EXPR".
func parseAssignment(args string) (left, right string, err error) {
	for _, word := range []string{"variable ", "var "} { // as in gdb
		if rest, ok := strings.CutPrefix(args, word); ok && !strings.HasPrefix(strings.TrimSpace(rest), "=") {
			args = rest
			break
		}
	}
	word, rest, _ := cutFirst(args, " ")
	if rest = strings.TrimSpace(rest); gdbSettings[word] && (rest == "" || strings.IndexByte("=+-*/%&|^<>[.", rest[0]) < 0) {
		return "", "", noSetting(word, rest)
	}
	left, right, ok := cutAssignment(args)
	if op := strings.TrimRight(left, "+-*/%&|^<>"); op != left && op != "" { // as in x += 1
		left, right = strings.TrimSpace(op), fmt.Sprintf("(%s) %s (%s)", op, left[len(op):], right)
	}
	if x, counts := strings.CutSuffix(args, "++"); counts && !ok {
		left, right, ok = x, x+" + 1", true
	} else if x, counts := strings.CutSuffix(args, "--"); counts && !ok {
		left, right, ok = x, x+" - 1", true
	}
	if !ok {
		return "", "", errors.New("expected set PLACE = EXPR, as in set r5[7] = 1, set y[3] = 2 or set shared:0x40 = 0; the only setting is listsize")
	}
	return left, right, nil
}

// change parses an assignment, and does it.
func (d *Debugger) change(args string) error {
	left, right, err := parseAssignment(args)
	switch {
	case err != nil:
		return err
	case left == "mask":
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

// cutAssignment splits at the first = that is not part of a comparison.
func cutAssignment(text string) (left, right string, ok bool) {
	for i := range len(text) {
		shifts := i > 1 && (text[i-2:i] == "<<" || text[i-2:i] == ">>")
		compares := i > 0 && strings.IndexByte("=<>!", text[i-1]) >= 0 && !shifts || i+1 < len(text) && text[i+1] == '='
		if text[i] == '=' && !compares {
			return strings.TrimSpace(text[:i]), strings.TrimSpace(text[i+1:]), true
		}
	}
	return "", "", false
}

// assign writes a register or memory, for the active lanes or for the lane in brackets.
func (d *Debugger) assign(s *scope, to expr, v *value) error {
	m := s.active
	p, inMemory, err := s.place(to)
	if err != nil {
		return err
	}
	if indexed, ok := to.(*indexExpr); ok && !inMemory {
		lane, err := indexed.laneOf(s)
		if err != nil {
			return err
		}
		if _, err := indexed.eval(s); err != nil {
			return err
		}
		to, m = indexed.x, 1<<lane
		if p, inMemory, err = s.place(to); err != nil {
			return err
		}
	}
	if inMemory && p.addr.uniform && p.space != "local" && v.uniform {
		m = 1 << s.lead() // the same for all lanes, active or not
	}
	switch name, isName := to.(*nameExpr); {
	case m == 0:
		return errors.New("no lane is active here")
	case inMemory:
		return d.assignMemory(s, &p, m, v)
	case !isName:
		return errors.New("only registers and memory can be set")
	default:
		return d.assignRegister(s, name.name, m, v)
	}
}

func (d *Debugger) assignRegister(s *scope, name string, m lanes.Mask, v *value) error {
	id, ok := s.reg(name)
	if !ok {
		if name == "$pc" {
			return errorf("$pc cannot be set: %s", noSteering)
		}
		if _, err := (&nameExpr{name}).eval(s); err != nil {
			return err
		}
		return errorf("%s is not a register; registers and memory can be set", name)
	}
	t := s.fn().Regs[id].Type
	if t == isa.B128 {
		return errorf("%s has 128 bits, which no value has; set the registers that are packed into it", name)
	}
	for left := m; left != 0; left &= left - 1 {
		lane := firstLane(left)
		s.w.SetReg(s.frame, id, 1<<lane, v.as(t, lane))
	}
	d.printf("%s set in %s\n", s.fn().Regs[id].Name, lanesText(m))
	return nil
}

func (d *Debugger) assignMemory(s *scope, p *place, m lanes.Mask, v *value) error {
	if p.many {
		return errorf("one element at a time can be set, as in set %s[0] = 1", p.of.name)
	}
	for left := m; left != 0; left &= left - 1 {
		lane := firstLane(left)
		data, ok := s.bytesAt(p.space, lane, p.addr.bits[lane], p.elem.Bytes())
		if !ok || p.space == "param" && p.cxx == nil || p.addr.void>>lane&1 != 0 {
			return errorf("nothing that can be set is at %s 0x%x", p.space, p.addr.bits[lane])
		}
		store(data, p.inserted(load(data), v.to(p, lane)))
	}
	s.w.Touched()
	d.printf("%s set\n", p.setText(s, m))
	return nil
}

// to converts the value in a lane to bits of the elements of p.
func (v *value) to(p *place, lane int) uint64 {
	if p.cxx != nil && p.leafType().IsNarrow() {
		return p.leafType().Bare().Format.Bits(v.float(lane))
	}
	return v.as(p.elem, lane)
}

// as converts the value in a lane to bits of type t: by its numeric value if t is a floating-point type or the value
// an integer, otherwise by its bits.
func (v *value) as(t isa.Type, lane int) uint64 {
	float := v.isFloat()
	switch {
	case t == isa.Pred:
		return uint64(v.holds() >> lane & 1)
	case t == isa.F32 || t == isa.F64:
		return floatBits(t, v.float(lane))
	case t == isa.BF16:
		return bfloatBits(v.float(lane))
	case t == isa.F16, float && t.Bits() == 16 && !t.IsInt():
		return halfBits(v.float(lane))
	case float && t.IsInt():
		return uint64(int64(v.float(lane)))
	case float && t.Bits() == 32 && v.typ == isa.F64:
		return floatBits(isa.F32, v.float(lane))
	case float:
		return v.bits[lane]
	}
	return uint64(v.signed(lane))
}

// inserted returns a number with the bits of a bit-field replaced; a number of another kind is replaced.
func (p *place) inserted(old, bits uint64) uint64 {
	if p.bits == 0 {
		return bits
	}
	mask := uint64(1<<p.bits-1) << p.shift
	return old&^mask | bits<<p.shift&mask
}
