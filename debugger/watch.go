package debugger

import (
	"errors"
	"fmt"
	"strings"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/lanes"
	"github.com/simtrun/simtrun/memory"
)

// watchpoint is memory whose accesses stop the launch, or an expression over the
// registers of a warp whose change does.
type watchpoint struct {
	reads, writes bool
	space         string
	cta           isa.Dim // whose shared memory it is
	addr          uint64
	size          uint64
	region        *memory.Region // nil: shared memory

	value expr // over registers
	text  string
	at    warpAt
	last  *value // before the instruction
	frame *divergence.Frame
}

// touch is an access to watched memory.
type touch struct {
	point  *point
	code   codeAt
	reads  bool
	writes bool
	mask   lanes.Mask
	size   int
	data   []byte
	offset [lanes.Width]uint64
	old    value
}

// watchCommand reads "[-r|-w|-rw] EXPR [if EXPR]".
func (d *Debugger) watchCommand(c *call) error {
	args, condition, err := splitCondition(c.args)
	if err != nil {
		return err
	}
	wp := &watchpoint{writes: true}
	if strings.HasPrefix(args, "-") {
		flag, rest, _ := strings.Cut(args, " ")
		if flag != "-r" && flag != "-w" && flag != "-rw" {
			return fmt.Errorf("no flag %s; there are -r, -w and -rw", flag)
		}
		wp.reads, wp.writes, args = strings.Contains(flag, "r"), strings.Contains(flag, "w"), strings.TrimSpace(rest)
	}
	if args == "" {
		return errors.New("watch what? A register, shared:ADDR, global:ADDR or a buffer")
	}
	if err := d.aim(wp, args); err != nil {
		return err
	}
	about := args
	if wp.value != nil {
		about += " in " + d.warpText(wp.at)
	}
	_, condText, _ := strings.Cut(" "+c.args, " if ")
	d.add(&point{what: "watch " + about, watch: wp, condition: condition, condText: strings.TrimSpace(condText)})
	return nil
}

// watchWith is a watch command whose flag is given by its name, as gdb has them.
func watchWith(flag string) func(*Debugger, *call) error {
	return func(d *Debugger, c *call) error {
		with := *c
		with.args = flag + " " + c.args
		return d.watchCommand(&with)
	}
}

// aim finds what an expression names: a buffer, memory, or values of the warp in
// focus.
func (d *Debugger) aim(wp *watchpoint, text string) error {
	s, err := d.scopeHere()
	if err != nil {
		return err
	}
	e, err := parseExpr(text)
	if err != nil {
		return err
	}
	if name, ok := e.(*nameExpr); ok {
		for _, r := range d.program.Buffers {
			if _, isReg := s.reg(name.name); r.Name == name.name && !isReg {
				wp.space, wp.addr, wp.size = "global", r.Base, uint64(len(r.Data))
				return nil
			}
		}
	}
	v, err := e.eval(s)
	if err != nil {
		return err
	}
	if mem, ok := e.(*memoryExpr); ok {
		addr, _ := mem.addr.eval(s) // it has been evaluated before
		wp.space, wp.cta, wp.addr, wp.size = mem.space, d.focus.cta, addr.bits[d.focus.lane], uint64(v.typ.Bytes())
		if wp.space == "local" || wp.space == "param" {
			return notYet("watch in " + wp.space + " memory")
		}
		return nil
	}
	if s.frame == nil {
		return errEnded
	}
	wp.value, wp.text, wp.at = e, text, placeOf(s.w)
	return nil
}

// locate finds watched memory on the machine, which a restart replaces.
func (wp *watchpoint) locate(d *Debugger) bool {
	if wp.space == "shared" {
		return true
	}
	wp.region = d.program.Machine.Region(wp.addr)
	return wp.region != nil
}

// prime notes what the watched value is before the launch goes on.
func (wp *watchpoint) prime(d *Debugger) {
	wp.last = nil
	w, err := d.find(wp.at)
	if err != nil {
		return
	}
	s, ok := running(w)
	if !ok {
		return
	}
	if v, err := wp.value.eval(d.scopeAt(w, &s)); err == nil {
		wp.last, wp.frame = &v, s.Frame
	}
}

// touched reports whether an access goes to the watched bytes.
func (wp *watchpoint) touched(at *interp.Place, code codeAt, d *Debugger, space isa.Space, size int, m lanes.Mask, acc *lanes.Access) (touch, bool) {
	base := uint64(0)
	switch {
	case wp.space == "shared":
		if space != isa.Shared || at.CTA != wp.cta {
			return touch{}, false
		}
	case space == isa.Shared || space == isa.Local || space == isa.Param || len(acc.Mem) == 0 || &acc.Mem[0] != &wp.region.Data[0]:
		return touch{}, false
	default:
		base = wp.region.Base
	}
	kind := d.fns[code.fn].Code[code.pc].Spec.Kind
	t := touch{code: code, size: min(size, 8), data: acc.Mem, reads: kind != isa.Store && wp.reads, writes: kind != isa.Load && wp.writes}
	if !t.reads && !t.writes {
		return t, false
	}
	for lane := range lanes.Width {
		t.offset[lane] = acc.At(lane)
		if from := base + acc.At(lane); m>>lane&1 != 0 && from < wp.addr+wp.size && wp.addr < from+uint64(size) {
			t.mask |= 1 << lane
		}
	}
	t.old = t.values()
	return t, t.mask != 0
}

// values is what is in memory where the lanes went.
func (t *touch) values() value {
	v := value{typ: map[int]isa.Type{1: isa.U8, 2: isa.U16, 4: isa.U32, 8: isa.U64}[t.size]}
	for lane := range v.bits {
		if t.mask>>lane&1 != 0 {
			v.bits[lane] = load(t.data[t.offset[lane]:][:t.size])
		}
	}
	return v
}

// report says who accessed watched memory, and what was and is there, if the
// point's condition holds.
func (t *touch) report(l *eventLog) bool {
	d, p := l.d, t.point
	m := t.mask
	if p.condition != nil {
		holds, err := p.matches(d.scopeAt(l.w, &l.split))
		if m &= holds; m == 0 && err == nil {
			return false
		}
	}
	if !p.hit(l.at) {
		return false
	}
	d.printf("%s  %s  %s  %s: %s\n", p.name(), strings.TrimPrefix(p.what, "watch "), d.warpText(l.at), d.lineText(t.code), d.codeText(t.code))
	now := t.values()
	if t.reads {
		d.printf("  %s\n", behind(lanesText(m)+" read  ", d.lanesFolded(&t.old, "", m, m)))
	}
	if t.writes {
		d.printf("  %s write\n", lanesText(m))
		d.showChange(&t.old, &now, m)
	}
	return true
}

// report says that a watched value has changed.
func (wp *watchpoint) report(p *point, l *eventLog) bool {
	if l.at != wp.at || placeOf(l.w) != wp.at {
		return false
	}
	d, s := l.d, l.d.scopeAt(l.w, &l.split)
	now, err := wp.value.eval(s)
	if err != nil {
		return false
	}
	old, same := wp.last, wp.frame == s.frame
	wp.last, wp.frame = &now, s.frame
	if old == nil || !same {
		return false
	}
	changed := lanes.Mask(0)
	for lane := range now.bits {
		if now.bits[lane] != old.bits[lane] {
			changed |= 1 << lane
		}
	}
	if changed &= s.has(); changed == 0 {
		return false
	}
	if m, err := p.matches(s); err == nil && m == 0 {
		return false
	}
	if !p.hit(l.at) {
		return false
	}
	d.printf("%s  %s  %s: %s\n", p.name(), strings.TrimPrefix(p.what, "watch "), d.lineText(codeOf(&l.split)), d.codeText(codeOf(&l.split)))
	d.showChange(old, &now, changed)
	return true
}

// showChange prints what was and is in the lanes of m.
func (d *Debugger) showChange(old, now *value, m lanes.Mask) {
	d.printf("  %s\n", behind("old", d.lanesFolded(old, "", m, m)))
	d.printf("  %s\n", behind("new", d.lanesFolded(now, "", m, m)))
}
