package debugger

import (
	"errors"
	"fmt"
	"strings"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/debuginfo"
	"github.com/simtrun/simtrun/internal/isa"
)

// Item is a value in a lane, or in all lanes of a warp, with its parts as a tree.
type Item struct {
	Name, Type, Text string
	Expr             string // an expression of it; "" if there is none
	Lane             int    // that Text is of, or allLanes
	Memory           *Memory
	Count            int  // of parts
	Indexed          bool // the parts have numbers: elements or lanes
	Fixed            bool // it cannot be set
	part             func(i int) Item
}

// allLanes stands in Item.Lane for all lanes of the warp.
const allLanes = -1

// mostText limits the text of an item, in bytes.
const mostText = 400

// Parts returns n parts of an item, from first on. It is called in the same view as what has returned the item.
func (i *Item) Parts(first, n int) []Item {
	var parts []Item
	for k := max(first, 0); i.part != nil && k < min(first+n, i.Count); k++ {
		parts = append(parts, i.part(k))
	}
	return parts
}

// viewer makes items.
type viewer struct {
	d      *Debugger
	s      *scope
	lane   int // or allLanes
	format string
}

// of returns a viewer of a lane.
func (v *viewer) of(lane int) *viewer {
	with := *v
	with.lane = lane
	return &with
}

// lead returns the lane whose addresses are used.
func (v *viewer) lead() int {
	if v.lane == allLanes {
		return v.s.lead()
	}
	return v.lane
}

// remember sets where an item is.
func (v *viewer) remember(it *Item, space string, addr *value) {
	m := Memory{Space: space, Addr: addr.bits[v.lead()]}
	if addr.void>>v.lead()&1 != 0 || space == "param" {
		return
	}
	m.In, _ = v.d.Focus()
	m.In.Lane = v.lead()
	it.Memory = &m
}

// object makes the item of an object of C++.
func (v *viewer) object(name string, l lvalue) Item {
	t := l.typ.Bare()
	it := Item{Name: name, Type: l.typ.String(), Expr: l.text, Lane: v.lane}
	if l.inMemory {
		v.remember(&it, l.space, &l.addr)
	}
	if t.Kind != debuginfo.Struct && t.Kind != debuginfo.Array || !l.hasParts() {
		x, err := v.s.value(l)
		if err != nil {
			it.Text = "<" + err.Error() + ">"
			return it
		}
		v.show(&it, &x, func(lane int) Item { return v.of(lane).object(laneName(lane), l) })
		if to := t.To; t.Kind == debuginfo.Pointer && it.Count == 0 && to != nil && to.Bare().Size > 0 && x.bits[v.lead()] != 0 {
			v.pointee(&it, l.text)
		}
		return it
	}
	it.Text = v.d.braced(l, v.lead(), v.format, v.s)
	if v.lane == allLanes && !l.isSame() {
		it.Text = fmt.Sprintf("lane %d: %s", v.s.lead(), it.Text)
	}
	it.Text = cutText(it.Text)
	if t.Kind == debuginfo.Array {
		it.Indexed, it.Count = true, int(max(t.Count, 0))
		if t.To == nil {
			it.Count = 0
		}
		it.part = func(i int) Item {
			elem, _ := l.element(int64(i))
			return v.object(fmt.Sprintf("[%d]", i), elem)
		}
		return it
	}
	it.Count = len(t.Fields)
	it.part = func(i int) Item { return v.field(l, &t.Fields[i]) }
	return it
}

// field makes the item of a member, of a base class, or of a union without a name.
func (v *viewer) field(l lvalue, f *debuginfo.Field) Item {
	part := l.part(f)
	name := f.Name
	if f.Base || f.Name == "" {
		part.text, name = l.text, f.Type.String()
	}
	if to, err := v.s.referred(part); err == nil {
		part = to
	}
	return v.object(name, part)
}

// pointee makes what a pointer points to the only part of an item.
func (v *viewer) pointee(it *Item, text string) {
	it.Count = 1
	it.part = func(int) Item {
		e, err := parseExpr("*(" + text + ")")
		if err == nil {
			l, ok, lErr := v.s.lvalue(e)
			if err = lErr; ok && err == nil {
				l.text = "(*" + text + ")"
				return v.object("*"+text, l)
			}
		}
		return Item{Name: "*" + text, Text: fmt.Sprintf("<%v>", err), Lane: v.lane, Fixed: true}
	}
}

func laneName(lane int) string { return fmt.Sprintf("lane %d", lane) }

// show sets the text of an item to that of a value. If lanes differ and all are shown, its parts are those of the
// lanes, which ofLane makes.
func (v *viewer) show(it *Item, x *value, ofLane func(lane int) Item) {
	has := v.s.has()
	if v.lane != allLanes {
		format := v.d.formatOf(x, v.format, 1<<v.lane)
		shown := x.reformat(format)
		if it.Text = v.d.text(&shown, format, v.lane); has>>v.lane&1 == 0 && !x.uniform {
			it.Text = "-"
		}
		return
	}
	it.Text = cutText(v.d.oneLine(x, v.format, v.s))
	if x.uniform || has == 0 {
		return
	}
	var with []int
	for left := has; left != 0; left &= left - 1 {
		with = append(with, firstLane(left))
	}
	it.Count, it.Indexed = len(with), true
	it.part = func(i int) Item { return ofLane(with[i]) }
}

// oneLine returns a value in all lanes in a line: "0-31: 4*lane", or a list.
func (d *Debugger) oneLine(x *value, format string, s *scope) string {
	has := s.has()
	if x.typ == isa.Pred && !x.uniform && format == "" {
		return d.maskText(x, has, s.active)
	}
	format = d.formatOf(x, format, has)
	shown := x.reformat(format)
	if all, ok := d.allText(&shown, format, has); ok && !x.uniform {
		return "all: " + all
	}
	text := d.grouped(x, format, has, s.active)
	if !strings.Contains(text, "\n") {
		return strings.TrimPrefix(text, "= ")
	}
	var list []string
	for left := has; left != 0; left &= left - 1 {
		list = append(list, d.text(&shown, format, firstLane(left)))
	}
	return "{" + strings.Join(repeated(list), ", ") + "}"
}

// cutText shortens a long text.
func cutText(text string) string {
	if len(text) <= mostText {
		return text
	}
	return strings.ToValidUTF8(text[:mostText], "") + "..."
}

// value makes the item of a value.
func (v *viewer) value(name, text string, x value) Item {
	shown := x.reformat(v.format)
	it := Item{Name: name, Type: shown.typ.String(), Expr: text, Lane: v.lane}
	if x.cxx != nil {
		it.Type = x.cxx.String()
	}
	v.show(&it, &x, func(lane int) Item { return v.of(lane).value(laneName(lane), text, x) })
	return it
}

// named makes the item of a buffer or a variable of PTX.
func (v *viewer) named(o object) Item {
	it := Item{Name: o.name, Type: o.typeText(), Expr: o.name, Lane: v.lane}
	addr := uniform(isa.U64, o.addr)
	element := func(i int64, name, text string) Item {
		at := addr
		for lane := range at.bits {
			at.bits[lane] += uint64(i) * uint64(o.elem.Bytes())
		}
		p := place{space: o.space, addr: at, elem: o.elem, count: 1, of: &o}
		x, err := v.s.load(&p)
		if err != nil {
			return Item{Name: name, Text: "<" + err.Error() + ">", Lane: v.lane, Fixed: true}
		}
		one := v.value(name, text, x)
		v.remember(&one, o.space, &at)
		return one
	}
	if o.scalar {
		return element(0, o.name, o.name)
	}
	v.remember(&it, o.space, &addr)
	it.Count, it.Indexed, it.Fixed = int(o.count()), true, true
	it.part = func(i int) Item {
		return element(int64(i), fmt.Sprintf("[%d]", i), fmt.Sprintf("%s[%d]", o.name, i))
	}
	var first []string
	for i := range min(it.Count, 8) {
		first = append(first, it.part(i).Text)
	}
	if it.Count > len(first) {
		first = append(first, "...")
	}
	it.Text = cutText("{" + strings.Join(first, ", ") + "}")
	return it
}

// evaluated makes the item of an expression.
func (v *viewer) evaluated(text string, e expr) (Item, error) {
	if name, ok := e.(*nameExpr); ok && builtins[name.name] != "" && v.s.frame != divergence.NoFrame {
		return v.builtin(name.name), nil
	}
	if l, ok, err := v.s.lvalue(e); err != nil {
		return Item{}, err
	} else if ok {
		l.text = text
		return v.object(text, l), nil
	}
	p, ok, err := v.s.place(e)
	if err != nil {
		return Item{}, err
	}
	if ok && p.many && p.of != nil {
		o := *p.of
		if index, of := e.(*indexExpr); !of || !index.isRange {
			o.name = text
			return v.named(o), nil
		}
		shown, err := v.d.elementsText(text, &p, v.format, v.s)
		if err != nil {
			return Item{}, err
		}
		_, elements, _ := cutFirst(shown, "] ")
		return Item{Name: text, Type: fmt.Sprintf("%v[%d]", p.elem, p.count), Text: strings.TrimPrefix(strings.Join(strings.Fields(elements), " "), "= "), Lane: v.lane, Fixed: true}, nil
	}
	x, err := e.eval(v.s)
	if err != nil {
		return Item{}, err
	}
	it := v.value(text, text, x)
	if ok {
		v.remember(&it, p.space, &p.addr)
	} else if x.space != "" {
		v.remember(&it, x.space, &x)
	}
	return it, nil
}

// builtin makes the item of a variable such as threadIdx, with its three parts.
func (v *viewer) builtin(name string) Item {
	it := Item{Name: name, Type: "dim3", Expr: name, Lane: v.lane, Count: 3, Fixed: true}
	var texts []string
	parts := make([]Item, 3)
	for i, axis := range []string{"x", "y", "z"} {
		part, err := v.evaluated(name+"."+axis, &nameExpr{name + "." + axis})
		if err != nil {
			part.Text = "<" + err.Error() + ">"
		}
		part.Name, part.Fixed = axis, true
		parts[i], texts = part, append(texts, part.Text)
	}
	it.Text = "(" + strings.Join(texts, ", ") + ")"
	it.part = func(i int) Item { return parts[i] }
	return it
}

// Evaluate returns the value of an expression in all lanes of the warp in focus.
func (d *Debugger) Evaluate(text string, hex bool) (Item, error) {
	if len(text) > mostBytes {
		return Item{}, errorf("the expression has %d bytes; one has at most %d", len(text), mostBytes)
	}
	e, err := parseExpr(text)
	if err != nil {
		return Item{}, err
	}
	s, err := d.scopeHere()
	if err != nil {
		return Item{}, err
	}
	return (&viewer{d, s, allLanes, formatWith(hex)}).evaluated(text, e)
}

func formatWith(hex bool) string {
	if hex {
		return "x"
	}
	return ""
}

// Assign sets a register, a variable or memory, as set does, in the active lanes, or in the lane of a view with Only.
func (d *Debugger) Assign(text, to string) error {
	if strings.TrimSpace(text) == "" || strings.ContainsAny(text+to, "\n") || len(text)+len(to) > mostBytes {
		return errors.New("there is nothing here that can be set")
	}
	return d.silently(func() error { return d.setCommand(&call{args: text + " = " + to}) })
}
