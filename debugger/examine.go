package debugger

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/simtrun/simtrun/isa"
)

// examine is what x shows: so many elements of a type.
type examine struct {
	count  int
	format string
	typ    isa.Type
}

// mostExamined bounds how many elements x shows.
const mostExamined = 4096

// parseExamine reads "4", "4x", "16uw": a count, a format, a size as gdb has it.
func parseExamine(text string) (examine, error) {
	x := examine{count: 1, typ: isa.U32}
	digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
	if digits > 0 {
		n, err := strconv.Atoi(text[:digits])
		if err != nil || n < 1 || n > mostExamined {
			return x, fmt.Errorf("x shows 1 to %d elements", mostExamined)
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
			return x, fmt.Errorf("no format or size /%c; there are x d u t f a c, and b h w g for 1, 2, 4 and 8 bytes", c)
		}
	}
	return x, nil
}

// examineCommand shows memory from an address on.
func (d *Debugger) examineCommand(c *call) error {
	x, err := parseExamine(c.format)
	if err != nil {
		return err
	}
	s, err := d.scopeHere()
	if err != nil {
		return err
	}
	space, text := "global", c.args
	if before, after, ok := strings.Cut(c.args, ":"); ok {
		word, typ, _ := strings.Cut(before, ".")
		if err := checkMemory(word, typ); err != nil {
			return err
		}
		space, text = word, after
		if typ != "" {
			x.typ = shownAs(isa.TypeByName(typ))
		}
	}
	if text == "" {
		return errors.New("x what? shared:ADDR, global:ADDR, local:ADDR, const:ADDR, param:ADDR or a buffer")
	}
	e, err := parseExpr(text)
	if err != nil {
		return err
	}
	addr, err := e.eval(s)
	if err != nil {
		return err
	}
	return d.examine(s, x, space, addr.bits[d.focus.lane])
}

// examine prints rows of elements, each behind the address of its first.
func (d *Debugger) examine(s *scope, x examine, space string, addr uint64) error {
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
			return fmt.Errorf("nothing is at %s 0x%x", space, at)
		}
		if i%perRow == 0 {
			if i > 0 {
				d.printf("\n")
			}
			d.printf("%s:", d.addressText(space, at))
		}
		shown.bits[0] = load(data)
		d.printf(" %s", d.text(&shown, x.format, 0))
	}
	d.printf("\n")
	return nil
}

func (d *Debugger) addressText(space string, addr uint64) string {
	if space == "global" || space == "const" {
		return d.regionText(addr)
	}
	return fmt.Sprintf("%s+0x%x", space, addr)
}
