package debugger

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/debuginfo"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/interp"
)

// object is named memory: a buffer or a variable, as an array of elements.
type object struct {
	name   string
	space  string
	addr   uint64 // of the first element; for a local variable, in the lane's local memory
	elem   isa.Type
	size   uint64 // bytes
	scalar bool   // not an array: its name stands for its value, otherwise for its address
	fn     *isa.Func
}

// count returns the number of whole elements.
func (o *object) count() int64 { return int64(o.size) / int64(o.elem.Bytes()) }

// typeText returns "u32[8]", or "u32" for a scalar.
func (o *object) typeText() string {
	if o.scalar {
		return o.elem.String()
	}
	return fmt.Sprintf("%v[%d]", o.elem, o.count())
}

// as returns the object with elements of another type.
func (o object) as(t isa.Type) object {
	o.elem, o.scalar = t, o.scalar && t.Bytes() == o.elem.Bytes()
	return o
}

// findObjects collects the named memory of the current launch: variables of functions hide those of the module, which
// hide buffers.
func (d *Debugger) findObjects() {
	d.objects = nil
	l := d.launch()
	if vars, err := d.program.Machine.Variables(&interp.Launch{Kernel: l.Kernel, Shared: l.Shared, Precise: true}); err == nil {
		for _, v := range vars {
			d.addObject(&object{v.Name, v.Space.String(), v.Addr, elemOf(v.Type), uint64(v.Bytes), isScalar(v.Var), v.Func})
		}
	}
	if len(d.fns) > 0 {
		offsets, size := d.fns[0].ParamLayout()
		for i, p := range d.fns[0].Params {
			if p.Array && size <= int64(len(l.Params)) {
				d.addObject(&object{p.Shown(), "param", uint64(offsets[i]), elemOf(p.Type), uint64(p.Size()), false, nil})
			}
		}
	}
	for _, b := range d.program.Buffers {
		d.addObject(&object{b.Name, b.Space.String(), b.Base, elemOf(b.Elem), uint64(len(b.Data)), b.Scalar, nil})
	}
	// Debug information of clang has variables like threadIdx, of one byte, which no instruction uses.
	d.objects = slices.DeleteFunc(d.objects, func(o object) bool { return o.fn == nil && o.size == 1 && builtins[o.name] != "" })
}

//go:noinline
func (d *Debugger) addObject(o *object) { d.objects = append(d.objects, *o) }

// elemOf returns the type in which elements of type t are shown.
func elemOf(t isa.Type) isa.Type {
	if t = shownAs(t); t.Bytes() == 0 {
		return isa.U32
	}
	return t
}

func isScalar(v *isa.Var) bool { return !v.Array && v.Vec == 1 }

// sees reports whether an object is visible in the scope, and returns it with its address there.
func (s *scope) sees(o *object) (object, bool) {
	here := *o
	here.name = cxx.Variable(o.name) // in messages
	switch {
	case o.fn == nil:
	case s.frame == divergence.NoFrame || s.fn() != o.fn:
		return here, false
	}
	if o.space == "local" {
		here.addr += s.w.LocalAt(s.frame)
	}
	return here, true
}

// object returns the buffer or variable of that name. A parameter also has the name that PTX gives it.
func (s *scope) object(name string) (object, bool) {
	if len(s.d.fns) > 0 {
		if i := slices.IndexFunc(s.d.fns[0].Params, func(v *isa.Var) bool { return v.Name == name }); i >= 0 {
			name = s.d.fns[0].Params[i].Shown()
		}
	}
	for _, is := range [...]func(symbol string) bool{func(symbol string) bool { return symbol == name }, func(symbol string) bool { return cxx.Variable(symbol) == name }} {
		for i := range s.d.objects {
			if o := &s.d.objects[i]; is(o.name) {
				if here, ok := s.sees(o); ok {
					return here, true
				}
			}
		}
	}
	return object{}, false
}

// objectAt returns the object that contains an address of a space.
func (s *scope) objectAt(space string, addr uint64) (object, bool) {
	for i := range s.d.objects {
		if here, ok := s.sees(&s.d.objects[i]); ok && sameMemory(here.space, space) && addr >= here.addr && addr-here.addr < here.size {
			return here, true
		}
	}
	return object{}, false
}

// typeAt returns the type of the memory at an address, if known; otherwise an unsigned word.
func (s *scope) typeAt(space string, addr uint64) isa.Type {
	if o, ok := s.objectAt(space, addr); ok && (addr-o.addr)%uint64(o.elem.Bytes()) == 0 {
		return o.elem
	}
	return isa.U32
}

// addressText returns an address as name+offset, or as a number.
func (s *scope) addressText(space string, addr uint64) string {
	if space == "local" || space == "shared" {
		if l, ok := s.variableAt(space, addr); ok {
			if n := addr - l.addr.bits[s.lead()]; n > 0 {
				return fmt.Sprintf("%s+%d", l.text, n)
			}
			return l.text
		}
	}
	o, ok := s.objectAt(space, addr)
	switch {
	case ok && addr == o.addr:
		return o.name
	case ok:
		return fmt.Sprintf("%s+%d", o.name, addr-o.addr)
	case sameMemory(space, "global"):
		return s.d.regionText(addr)
	}
	return fmt.Sprintf("%s+0x%x", space, addr)
}

// placeText names the memory at an address: "y[3]", or name+offset inside an element.
func (s *scope) placeText(space string, addr uint64) string {
	o, ok := s.objectAt(space, addr)
	switch {
	case !ok || (addr-o.addr)%uint64(o.elem.Bytes()) != 0:
		return s.addressText(space, addr)
	case o.scalar:
		return o.name
	}
	return fmt.Sprintf("%s[%d]", o.name, (addr-o.addr)/uint64(o.elem.Bytes()))
}

// mostNamed is the most ranges of elements that are named in a line.
const mostNamed = 8

// runsText names elements of the object by their ascending numbers: "y[3]", or "y[0:8] y[16:24]" for several.
func (o *object) runsText(numbers []uint64) string {
	var names []string
	for i, end := 0, 0; i < len(numbers); i = end {
		for end = i + 1; end < len(numbers) && numbers[end] == numbers[end-1]+1; end++ {
		}
		name := fmt.Sprintf("%s[%d]", o.name, numbers[i])
		if end > i+1 {
			name = fmt.Sprintf("%s[%d:%d]", o.name, numbers[i], numbers[end-1]+1)
		}
		names = append(names, name)
	}
	if n := len(names) - mostNamed; n > 0 {
		names = append(names[:mostNamed], fmt.Sprintf("and %d more", n))
	}
	return strings.Join(names, " ")
}

// place is memory that an expression names.
type place struct {
	space string
	addr  value // of the first element, in each lane
	elem  isa.Type
	count int64   // elements
	of    *object // nil if it has no name
	many  bool    // an array or a range, even of a single element
	// For an object of C++: its type, and the bits of a bit-field, which are 0 for others.
	cxx         *debuginfo.Type
	label       string // the expression
	bits, shift int64
}

// place returns the memory that e names; ok is false if e does not name memory.
func (s *scope) place(e expr) (p place, ok bool, err error) {
	if l, ok, err := s.lvalue(e); err != nil || ok && l.inMemory {
		if err != nil {
			return p, ok, err
		}
		return l.place(s), true, nil
	} else if ok {
		return p, false, nil
	}
	switch e := e.(type) {
	case *parenExpr:
		return s.place(e.x)
	case *nameExpr:
		o, ok := s.named(e)
		if !ok {
			break
		}
		return place{space: o.space, addr: uniform(isa.U64, o.addr), elem: o.elem, count: o.count(), of: &o, many: !o.scalar}, ok, nil
	case *memoryExpr:
		p, err = e.place(s)
		return p, err == nil, err
	case *indexExpr:
		return e.place(s)
	case *binaryExpr:
		if r := e.asRange(); r != nil {
			return s.place(r)
		}
	}
	return place{}, false, nil
}

// asRange returns y@4 as y[0:4], and y[2]@4 as y[2:2+4]; nil for other expressions.
func (e *binaryExpr) asRange() *indexExpr {
	if e.op != "@" {
		return nil
	}
	switch x := e.x.(type) {
	case *nameExpr:
		return &indexExpr{x: x, last: e.y, isRange: true}
	case *indexExpr:
		if !x.isRange {
			return &indexExpr{x.x, x.first, &binaryExpr{"+", x.first, e.y}, true}
		}
	}
	return nil
}

// named returns the object of a name, unless the name is a register's.
func (s *scope) named(e *nameExpr) (object, bool) {
	if _, isReg := s.reg(e.name); isReg {
		return object{}, false
	}
	return s.object(e.name)
}

// base returns the object to which an index applies: the one that e names, or the one that a parameter points to.
func (s *scope) base(e expr) (object, bool) {
	switch e := e.(type) {
	case *nameExpr:
		if o, ok := s.named(e); ok {
			return o, true
		}
		if _, isReg := s.reg(e.name); !isReg {
			return s.pointee(e.name)
		}
	case *memoryExpr:
		name, ok := e.addr.(*nameExpr)
		if !ok {
			break
		}
		o, ok := s.named(name)
		if e.typ != "" {
			o = o.as(shownAs(isa.TypeByName(e.typ)))
		}
		return o, ok && sameMemory(o.space, e.space)
	}
	return object{}, false
}

// pointee returns the memory that a parameter points to, up to the end of the buffer.
func (s *scope) pointee(param string) (object, bool) {
	v, ok := s.d.param(param)
	if !ok || v.typ != isa.U64 {
		return object{}, false
	}
	o, ok := s.objectAt("global", v.bits[0])
	if !ok {
		return o, false
	}
	o.size -= v.bits[0] - o.addr
	o.name, o.addr, o.scalar = param, v.bits[0], false
	return o, true
}

// place returns the memory at the address after "shared:".
func (e *memoryExpr) place(s *scope) (place, error) {
	addr, err := s.address(e.addr)
	if err != nil {
		return place{}, err
	}
	if addr.space != "" && !sameMemory(addr.space, e.space) {
		return place{}, errorf("that address is in %s memory, not %s", addr.space, e.space)
	}
	p := place{space: e.space, addr: addr, count: 1}
	if o, ok := s.objectAt(e.space, addr.bits[s.lead()]); ok {
		p.of = &o
	}
	if p.elem = shownAs(isa.TypeByName(e.typ)); e.typ == "" {
		p.elem = s.typeAt(e.space, addr.bits[s.lead()])
	}
	return p, nil
}

// lead returns the lane whose value is used for all.
//
//go:noinline
func (s *scope) lead() int { return s.d.focus.lane }

// place returns the elements that an index selects; ok is false if the index selects a lane.
func (e *indexExpr) place(s *scope) (p place, ok bool, err error) {
	o, ok := s.base(e.x)
	if !ok {
		return place{}, false, nil
	}
	p = place{space: o.space, elem: o.elem, count: 1, of: &o}
	first, err := e.number(s, e.first, 0)
	if err != nil {
		return p, true, err
	}
	if e.isRange {
		last, err := e.number(s, e.last, o.count())
		if err != nil {
			return p, true, err
		}
		from, to := first.signed(0), last.signed(0)
		if !first.uniform || !last.uniform || from < 0 || to <= from || to > o.count() {
			return p, true, errorf("%s has %s; expected a range %s[I:J], from I up to, but excluding, J", o.name, elementsThere(o.count()), o.name)
		}
		p.count, p.many = to-from, true
	}
	p.addr = first
	p.addr.typ, p.addr.literal = isa.U64, false
	for lane := range first.bits {
		i := first.signed(lane)
		if i < 0 || i >= o.count() {
			if first.uniform {
				return p, true, errorf("%s has %s, not %d", o.name, elementsThere(o.count()), i)
			}
			p.addr.void |= 1 << lane
		}
		p.addr.bits[lane] = o.addr + uint64(i)*uint64(o.elem.Bytes())
	}
	return p, true, nil
}

// number evaluates one side of an index.
func (e *indexExpr) number(s *scope, x expr, missing int64) (value, error) {
	if x == nil {
		return uniform(isa.S64, uint64(missing)), nil
	}
	v, err := x.eval(s)
	if err == nil && !v.typ.IsInt() {
		err = errorf("what stands in [ ] is a number of an element")
	}
	return v, err
}

func elementsThere(n int64) string {
	switch n {
	case 0:
		return "no elements"
	case 1:
		return "element 0"
	}
	return fmt.Sprintf("elements 0 to %d", n-1)
}

// address evaluates e as an address: that of an object or an element, a sum with such an address, or any computed
// value. Parentheses force the value: global:(p[1]) is the memory that p[1] points to.
func (s *scope) address(e expr) (value, error) {
	var v value
	var err error
	switch e := e.(type) {
	case *binaryExpr:
		if e.op != "+" && e.op != "-" {
			v, err = e.eval(s)
			break
		}
		var x, y value
		if x, err = s.address(e.x); err != nil {
			return x, err
		}
		if y, err = s.address(e.y); err != nil {
			return y, err
		}
		v, err = combined(e.op, &x, &y)
	case *nameExpr, *indexExpr, *memberExpr:
		p, ok, placeErr := s.place(e)
		switch {
		case placeErr != nil:
			return v, placeErr
		case ok:
			v = p.addr
			v.space = p.space
		default:
			v, err = e.eval(s)
		}
	default:
		v, err = e.eval(s)
	}
	if err == nil && !v.typ.IsInt() {
		err = errorf("an address is an integer, not %v", v.typ)
	}
	return v, err
}

// setText names the memory to which lanes of m are about to store.
func (p *place) setText(s *scope, m lanes.Mask) string {
	text := s.placeText(p.space, p.addr.bits[firstLane(m)])
	if p.cxx != nil && p.of != nil && (p.of.scalar || p.addr.uniform) {
		text = p.label
	}
	if p.space == "local" {
		return text + " in " + lanesText(m)
	}
	if p.addr.uniform || p.of == nil {
		return text
	}
	numbers := make(map[uint64]bool)
	for left := m; left != 0; left &= left - 1 {
		if in := p.addr.bits[firstLane(left)] - p.of.addr; in < p.of.size {
			numbers[in/uint64(p.of.elem.Bytes())] = true
		}
	}
	return p.of.runsText(slices.Sorted(maps.Keys(numbers)))
}

// errGone returns the error for memory that ended with its launch.
func errGone(space string) error {
	return errorf("%s memory has gone with the warps of the launch; restart starts over", space)
}

// leafType returns the type in C++ of an element.
func (p *place) leafType() *debuginfo.Type {
	t := p.cxx
	for t.Bare().Kind == debuginfo.Array && t.Bare().To != nil {
		t = t.Bare().To
	}
	if t.Bare().Kind == debuginfo.Struct {
		return nil // its bytes
	}
	return t
}

// field returns the bits of a bit-field from the number that has them; a number of another kind as it is.
func (p *place) field(n uint64) uint64 {
	if p.bits == 0 {
		return n
	}
	n = truncated(n>>p.shift, int(p.bits))
	if spare := 64 - p.bits; p.elem.Class() == isa.Signed {
		return truncated(uint64(int64(n<<spare)>>spare), p.elem.Bits())
	}
	return n
}

// load reads one element in each lane.
func (s *scope) load(p *place) (value, error) {
	v := value{typ: p.elem, void: p.addr.void, uniform: p.addr.uniform && p.space != "local"}
	if p.cxx != nil {
		v.cxx = p.leafType()
	}
	if s.frame == divergence.NoFrame && (p.space == "shared" || p.space == "local") {
		return v, errGone(p.space)
	}
	for lane := range v.bits {
		if data, ok := s.bytesAt(p.space, lane, p.addr.bits[lane], v.typ.Bytes()); ok && v.void>>lane&1 == 0 {
			v.bits[lane] = p.field(load(data))
		} else {
			v.void |= 1 << lane
		}
	}
	if v.void>>s.lead()&1 != 0 && (v.uniform || v.void&s.has() == s.has()) {
		return v, errorf("nothing is at %s 0x%x", p.space, p.addr.bits[s.lead()])
	}
	return v, nil
}
