package debugger

import (
	"errors"
	"strconv"
	"strings"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
)

// examine is the request of x: a number of elements of a type.
type examine struct {
	count  int
	format string
	typ    isa.Type
	before bool // the elements are before the address
}

// mostExamined limits the elements that x shows.
const mostExamined = 4096

// parse parses "4", "-4x", "16uw": a count, a format, and a size in gdb's notation. Missing parts keep their values. A
// negative count is one of elements before the address.
func (x *examine) parse(text string) error {
	text, x.before = strings.CutPrefix(text, "-")
	digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
	if digits > 0 {
		n, err := strconv.Atoi(text[:digits])
		if err != nil || n < 1 || n > mostExamined {
			return errorf("x shows 1 to %d elements", mostExamined)
		}
		x.count = n
	}
	for _, c := range text[digits:] {
		size := map[rune]isa.Type{'b': isa.U8, 'h': isa.U16, 'w': isa.U32, 'g': isa.U64}[c]
		switch {
		case size != isa.NoType:
			x.typ = size
		case strings.ContainsRune(formats, c):
			x.format = string(c)
		default:
			return errorf("no format or size /%c; there are x d u t f a c o z s, and b h w g for 1, 2, 4 and 8 bytes", c)
		}
	}
	return nil
}

// examineCommand shows memory at an address.
func (d *Debugger) examineCommand(c *call) error {
	if n, ok := instructionsFormat(c.format); ok {
		return d.examineInstructions(n, c.args)
	}
	if c.args == "" {
		return errors.New("x what? A buffer, y[3], y+12, shared:ADDR, global:ADDR, local:ADDR, const:ADDR or param:ADDR")
	}
	s, err := d.scopeHere()
	if err != nil {
		return err
	}
	e, err := parseExpr(c.args)
	if err != nil {
		return err
	}
	if v, err := e.eval(s); err == nil && v.isPointer() {
		e = &unaryExpr{"*", e} // its value is the address, as in gdb
	}
	p, err := s.placeAt(e)
	if err != nil {
		return err
	}
	x := examine{count: 1, typ: p.elem}
	if _, isRange := e.(*indexExpr); isRange {
		x.count = int(min(p.count, mostExamined))
	}
	if err := x.parse(c.format); err != nil {
		return err
	}
	at := p.addr.bits[s.lead()]
	switch {
	case x.format == "s" && x.before:
		return errors.New("strings are shown forwards; x/-16c shows the characters before")
	case x.format == "s":
		return d.examineStrings(s, x.count, p.space, at)
	case x.before:
		at -= uint64(x.count * x.typ.Bytes())
	}
	return d.examine(s, x, p.space, at)
}

// placeAt returns the memory that e names, or else the memory at the address e.
func (s *scope) placeAt(e expr) (place, error) {
	p, ok, err := s.place(e)
	if ok || err != nil {
		return p, err
	}
	addr, err := s.address(e)
	if err != nil {
		return p, err
	}
	return s.pointed(&addr), nil
}

// pointed returns the memory at an address.
func (s *scope) pointed(addr *value) place {
	p := place{space: addr.space, addr: *addr, count: 1}
	if p.space == "" {
		p.space = "global"
	}
	at := addr.bits[s.lead()]
	if o, ok := s.objectAt(p.space, at); ok {
		p.of = &o
	}
	p.elem = s.typeAt(p.space, at)
	return p
}

// examine prints rows of elements, each after the address of its first.
func (d *Debugger) examine(s *scope, x examine, space string, addr uint64) error {
	if s.frame == divergence.NoFrame && (space == "shared" || space == "local") {
		return errGone(space)
	}
	size, perRow := x.typ.Bytes(), 8
	v := value{typ: x.typ}
	shown := v.reformat(x.format)
	for i := 0; i < x.count; i++ {
		at := addr + uint64(i*size)
		data, ok := s.bytesAt(space, d.focus.lane, at, size)
		if !ok {
			if i%perRow != 0 {
				d.printf("\n")
			}
			return errorf("nothing is at %s 0x%x", space, at)
		}
		if i%perRow == 0 {
			if i > 0 {
				d.printf("\n")
			}
			d.printf("%s:", s.addressText(space, at))
		}
		shown.bits[0] = load(data)
		if i == x.count-1 {
			d.noteExamined(space, at, &shown)
		}
		d.printf(" %s", d.text(&shown, x.format, 0))
	}
	d.printf("\n")
	return nil
}
