package debugger

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

// watchpoint is memory that stops the launch when accessed, or an expression that stops it when its value changes.
type watchpoint struct {
	reads, writes bool
	memory        bool // memory, not an expression
	space         string
	typed         string     // flags and expression
	at            warpAt     // for shared memory only the CTA counts, for global memory nothing
	lanes         lanes.Mask // lanes with the watched local memory
	addr          uint64
	size          uint64
	elem          isa.Type
	of            *object        // nil if it has no name
	region        *memory.Region // global memory, on the current machine

	value expr
	bound bool   // it depends on the warp, not on memory alone
	last  *value // value before the instruction
	frame divergence.FrameID
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
	offset [lanes.Width]uint64 // in data
	addr   [lanes.Width]uint64 // in the space
	old    []part
}

// watchCommand parses "[-r|-w|-rw] EXPR [if EXPR]".
func (d *Debugger) watchCommand(c *call) error {
	args, condition, err := splitCondition(c.args)
	if err != nil {
		return err
	}
	wp := &watchpoint{writes: true, typed: args}
	if strings.HasPrefix(args, "-") {
		flag, rest, _ := cutFirst(args, " ")
		if flag == "-l" || flag == "-location" { // always: what is watched is a place
			flag = "-w"
		}
		if flag != "-r" && flag != "-w" && flag != "-rw" {
			return errorf("no flag %s; there are -r, -w and -rw", flag)
		}
		wp.reads, wp.writes, args = strings.Contains(flag, "r"), strings.Contains(flag, "w"), strings.TrimSpace(rest)
	}
	if what, thread, ok := cutFirst(args, " thread "); ok {
		return errorf("a watchpoint is not one of a thread; watch %s if threadIdx.x == %s stops for one", what, strings.Trim(strings.Split(thread, ",")[0], "( )"))
	}
	if args == "" {
		return errors.New("watch what? A register, a buffer, y[3], y+12, shared:ADDR or global:ADDR")
	}
	s, err := d.scopeHere()
	if err != nil {
		return err
	}
	about, err := d.aim(wp, s, args)
	if err != nil {
		return err
	}
	if err := d.knowsNames(s, condition); err != nil {
		return err
	}
	_, condText, _ := cutFirst(" "+c.args, " if ")
	d.add(&point{what: "watch " + args + about, watch: wp, condition: condition, condText: strings.TrimSpace(condText)})
	return nil
}

// watchWith makes a watch command with a flag implied by its name, as in gdb.
//
//go:noinline
func watchWith(flag string) func(*Debugger, *call) error {
	return func(d *Debugger, c *call) error {
		with := *c
		with.args = flag + " " + c.args
		return d.watchCommand(&with)
	}
}

// aim resolves an expression to memory, or to a value that can change. It returns a note about it, or "".
func (d *Debugger) aim(wp *watchpoint, s *scope, text string) (about string, err error) {
	e, err := parseExpr(text)
	if err != nil {
		return "", err
	}
	p, inMemory, err := s.place(e)
	if err != nil {
		return "", err
	}
	if !inMemory {
		v, err := e.eval(s)
		if err != nil {
			return "", err
		}
		if v.space == "" {
			return d.aimAtValue(wp, s, e, text)
		}
		p = s.pointed(&v)
	}
	return d.aimAtMemory(wp, s, &p)
}

// aimAtValue watches a value, which must be one that can change.
func (d *Debugger) aimAtValue(wp *watchpoint, s *scope, e expr, text string) (about string, err error) {
	uses := usesOf(s, e)
	switch {
	case wp.reads:
		return "", errorf("%s is a value; -r is for memory", text)
	case !uses.registers && !uses.memory:
		return "", errorf("%s never changes: it has no register in it, and nothing in memory", text)
	case s.frame == divergence.NoFrame && (uses.registers || uses.inCTA):
		return "", errEnded
	}
	wp.value, wp.bound = e, uses.registers
	if s.frame != divergence.NoFrame {
		wp.at = placeOf(s.w)
	}
	switch {
	case wp.bound:
		return " in " + d.warpText(wp.at), nil
	case uses.inCTA:
		wp.space = "shared"
		return fmt.Sprintf(" in b%d", d.blockNumber(wp.at.cta)), nil
	}
	return "", nil
}

// aimAtMemory watches memory, which must be accessible.
func (d *Debugger) aimAtMemory(wp *watchpoint, s *scope, p *place) (about string, err error) {
	lead := s.lead()
	wp.memory, wp.space, wp.elem, wp.of = true, p.space, p.elem, p.of
	wp.addr, wp.size = p.addr.bits[lead], uint64(p.count)*uint64(p.elem.Bytes())
	if s.frame != divergence.NoFrame {
		wp.at = placeOf(s.w)
	}
	own := s.frame == divergence.NoFrame && (p.space == "shared" || p.space == "local")
	_, there := s.bytesAt(p.space, lead, wp.addr, int(min(wp.size, mostWatched)))
	switch region := d.program.Machine.Region(wp.addr); {
	case p.space == "param":
		return "", errors.New("parameters never change; watch a buffer, a variable, shared:ADDR or global:ADDR")
	case own:
		return "", errGone(p.space)
	case wp.size == 0:
		return "", errorf("%s has no elements", p.of.name)
	case !there || p.addr.void>>lead&1 != 0:
		return "", errorf("nothing is at %s 0x%x", p.space, wp.addr)
	case wp.writes && region != nil && region.ReadOnly && sameMemory(p.space, "global"):
		return "", errorf("%s is constant memory, which kernels only read; watch -r stops at that", region.Shown())
	case p.space == "shared":
		return fmt.Sprintf(" in b%d", d.blockNumber(wp.at.cta)), nil
	case p.space == "local":
		wp.lanes = s.has()
		if indexed := s.only; indexed != 0 {
			wp.lanes = indexed
		}
		return fmt.Sprintf(" in %s %s", d.warpText(wp.at), lanesText(wp.lanes)), nil
	}
	return "", nil
}

// mostWatched limits the watched bytes; only global memory has more.
const mostWatched = 1 << 40

// uses are the kinds of state that an expression depends on.
type uses struct {
	registers bool // registers of a warp, or its local memory
	memory    bool
	inCTA     bool // shared memory
}

// usesOf returns the kinds of state that e reads and that may change.
func usesOf(s *scope, e expr) uses {
	var u uses
	walkExpr(e, func(e expr) bool {
		switch e := e.(type) {
		case *unaryExpr:
			return e.op != "&"
		case *memoryExpr:
			u.note(e.space)
		case *indexExpr:
			if o, ok := s.base(e.x); ok {
				u.note(o.space)
			}
		case *nameExpr:
			o, ok := s.named(e)
			special, isSpecial := isa.SpecialByName("%" + strings.Trim(e.name, "$%"))
			_, isReg := s.reg(e.name)
			switch {
			case ok && o.scalar:
				u.note(o.space)
			case isReg, !ok && isSpecial && special.IsClock():
				u.registers = true
			}
		}
		return true
	})
	return u
}

// note records the use of a space.
func (u *uses) note(space string) {
	switch space {
	case "shared":
		u.memory, u.inCTA = true, true
	case "local":
		u.memory, u.registers = true, true
	case "global":
		u.memory = true
	}
}

// locate finds watched memory on the machine, which a restart replaces.
func (wp *watchpoint) locate(d *Debugger) bool {
	if !sameMemory(wp.space, "global") {
		return true
	}
	wp.region = d.program.Machine.Region(wp.addr)
	return wp.region != nil
}

// prime records the watched value before the launch continues.
func (wp *watchpoint) prime(d *Debugger) {
	wp.last = nil
	s := d.nowhere()
	if w, err := d.find(wp.at); err == nil {
		if split, ok := running(w); ok {
			s = d.scopeAt(w, &split)
		} else if !wp.bound {
			s.w, s.frame = w, divergence.Root
		}
	}
	if v, err := wp.value.eval(s); err == nil {
		wp.last, wp.frame = &v, s.frame
	}
}

// isOf reports whether an access goes to the memory that contains the watched bytes.
func (wp *watchpoint) isOf(at *interp.Place, acc *interp.Access) bool {
	switch space := isa.Space(acc.Space); wp.space {
	case "shared":
		return space == isa.Shared && at.CTA == wp.at.cta
	case "local":
		return space == isa.Local && at.CTA == wp.at.cta && at.Warp == wp.at.id
	}
	return acc.Region == wp.region.Number
}

// touched reports whether an access goes to the watched bytes.
func (wp *watchpoint) touched(at *interp.Place, code codeAt, d *Debugger, acc *interp.Access) (touch, bool) {
	if !wp.isOf(at, acc) {
		return touch{}, false
	}
	t := touch{code: code, size: int(acc.Size), data: acc.Mem, reads: acc.Kind != isa.Store && wp.reads, writes: acc.Kind != isa.Load && wp.writes}
	if !t.reads && !t.writes {
		return t, false
	}
	m := acc.Lanes
	if wp.space == "local" {
		m &= wp.lanes
	}
	for lane := range lanes.Width {
		t.offset[lane] = acc.At(lane)
		t.addr[lane] = acc.Base + acc.At(lane) - uint64(lane)*acc.PerLane()
		if from := t.addr[lane]; m>>lane&1 != 0 && from < wp.addr+wp.size && wp.addr < from+acc.Size {
			t.mask |= 1 << lane
		}
	}
	if t.mask == 0 {
		return t, false
	}
	t.old = t.parts(wp)
	return t, true
}

// part is one of the elements that a lane's access consists of.
type part struct {
	v    value
	mask lanes.Mask // lanes whose element is watched
}

// parts returns the content of memory where lanes accessed it, as elements of the watched type, or as one number of
// the access's size.
func (t *touch) parts(wp *watchpoint) []part {
	size, typ := wp.elem.Bytes(), wp.elem
	if t.size%size != 0 || t.addr[firstLane(t.mask)]%uint64(size) != wp.addr%uint64(size) {
		size = min(t.size, 8)
		typ = map[int]isa.Type{1: isa.U8, 2: isa.U16, 4: isa.U32, 8: isa.U64}[size]
	}
	var all []part
	for at := 0; at < t.size; at += size {
		p := part{v: value{typ: typ}}
		for left := t.mask; left != 0; left &= left - 1 {
			lane := firstLane(left)
			if from := t.addr[lane] + uint64(at); from < wp.addr+wp.size && wp.addr < from+uint64(size) {
				p.mask |= 1 << lane
				p.v.bits[lane] = load(t.data[t.offset[lane]+uint64(at):][:size])
			}
		}
		if p.mask != 0 {
			all = append(all, p)
		}
	}
	return all
}

// report prints which lanes accessed watched memory, and the old and new content, if the point's condition is true.
func (t *touch) report(l *eventLog) bool {
	d, p := l.d, t.point
	m := t.mask
	if p.condition != nil {
		holds, err := p.matches(d.scopeAt(l.w, &l.split))
		if m &= holds; m == 0 && err == nil {
			return false
		}
	}
	switch {
	case !d.counts(p, l.at):
		return false
	case p.isSilent():
		return true
	}
	d.printf("%s  %s  %s  %s: %s\n", p.name(), strings.TrimPrefix(p.what, "watch "), d.warpText(l.at), d.lineText(t.code), d.codeText(t.code))
	verb := map[bool]string{true: "s", false: ""}[m.Count() == 1]
	where := t.elementsText(p.watch, m)
	now := t.parts(p.watch)
	if t.reads {
		d.printf("  %s read%s %s\n", lanesText(m), verb, where)
		for i := range t.old {
			if on := t.old[i].mask & m; on != 0 {
				d.printf("  %s\n", behind("value", d.grouped(&t.old[i].v, "", on, on)))
			}
		}
	}
	if t.writes {
		d.printf("  %s write%s %s\n", lanesText(m), verb, where)
		for i := range now {
			if on := now[i].mask & m; on != 0 {
				d.showChange(&t.old[i].v, &now[i].v, on)
			}
		}
	}
	return true
}

// elementsText names the watched elements that lanes of m accessed: "y[3]", or "y[0:8] y[16:24]" for several.
func (t *touch) elementsText(wp *watchpoint, m lanes.Mask) string {
	o := wp.of
	if o == nil {
		return fmt.Sprintf("%s 0x%x", wp.space, max(t.addr[firstLane(m)], wp.addr))
	}
	if o.scalar {
		return o.name
	}
	touched := make(map[uint64]bool)
	for left := m; left != 0; left &= left - 1 {
		from := t.addr[firstLane(left)]
		for at := max(from, wp.addr); at < min(from+uint64(t.size), wp.addr+wp.size); at++ {
			touched[(at-o.addr)/uint64(o.elem.Bytes())] = true
		}
	}
	return o.runsText(slices.Sorted(maps.Keys(touched)))
}

// report prints that a watched value has changed.
func (wp *watchpoint) report(p *point, l *eventLog) bool {
	here := placeOf(l.w)
	if wp.bound && (l.at != wp.at || here != wp.at) || wp.space == "shared" && (l.at.cta != wp.at.cta || here.cta != wp.at.cta) {
		return false
	}
	d, s := l.d, l.d.scopeAt(l.w, &l.split)
	now, err := wp.value.eval(s)
	if err != nil {
		return false
	}
	old, same := wp.last, !wp.bound || wp.frame == s.frame
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
	if !d.counts(p, l.at) {
		return false
	}
	who := ""
	if !wp.bound {
		who = d.warpText(l.at) + "  "
	}
	d.printf("%s  %s  %s%s: %s\n", p.name(), strings.TrimPrefix(p.what, "watch "), who, d.lineText(codeOf(l.w, &l.split)), d.codeText(codeOf(l.w, &l.split)))
	d.showChange(old, &now, changed)
	return true
}

// showChange prints the old and the new value in the lanes of m.
func (d *Debugger) showChange(old, now *value, m lanes.Mask) {
	d.printf("  %s\n", behind("old", d.grouped(old, "", m, m)))
	d.printf("  %s\n", behind("new", d.grouped(now, "", m, m)))
}
