package debugger

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/debuginfo"
	"github.com/simtrun/simtrun/internal/lanes"
)

// mostChars limits the characters of a string that are shown, as gdb does.
const mostChars = 200

// isChars reports whether values of a type are shown as a string: arrays of char and, if the format asks for it, of
// other types of one byte.
func isChars(t *debuginfo.Type, format string) bool {
	t = t.Bare()
	if t.Kind != debuginfo.Array || t.To == nil || t.Count < 1 || format != "" && format != "s" {
		return false
	}
	elem := t.To.Bare()
	return elem.Size == 1 && (elem.Kind == debuginfo.Char && elem.Name == "char" || elem.IsScalar() && format == "s")
}

// charsText returns an array of characters as a string, for each group of lanes that has another.
func (d *Debugger) charsText(text string, l lvalue, s *scope) (string, error) {
	if s.frame == divergence.NoFrame && (l.space == "shared" || l.space == "local") {
		return "", errGone(l.space)
	}
	has := s.has()
	if l.isSame() || has.Count() == 1 {
		lane := s.lead()
		if !l.isSame() {
			lane = firstLane(has)
		}
		return fmt.Sprintf("%s %s = %s", text, l.typ, s.chars(&l, lane)), nil
	}
	var shown []string
	who := make(map[string]lanes.Mask)
	for left := has; left != 0; left &= left - 1 {
		lane := firstLane(left)
		one := s.chars(&l, lane)
		if who[one] == 0 {
			shown = append(shown, one)
		}
		who[one] |= 1 << lane
	}
	if len(shown) == 1 {
		return fmt.Sprintf("%s %s   all: %s", text, l.typ, shown[0]), nil
	}
	for i, one := range shown {
		shown[i] = fmt.Sprintf("%s: %s", rangesText(who[one]), one)
	}
	return fmt.Sprintf("%s %s\n  %s", text, l.typ, strings.Join(shown, "\n  ")), nil
}

// chars returns an array of characters in a lane as a string.
func (s *scope) chars(l *lvalue, lane int) string {
	count := l.typ.Bare().Count
	data, ok := s.bytesAt(l.space, lane, l.addr.bits[lane], int(min(count, mostChars)))
	if !ok || l.addr.void>>lane&1 != 0 {
		return "-"
	}
	text := quoted(strings.TrimRight(string(data), "\x00"))
	if count > mostChars {
		text += "..."
	}
	return text
}

// quoted returns bytes as a string of C.
func quoted(text string) string {
	var b strings.Builder
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"':
			b.WriteString(`\"`)
		case c == '\'':
			b.WriteByte(c)
		default:
			b.WriteString(escaped(c))
		}
	}
	return `"` + b.String() + `"`
}

// escaped returns a character between quotes of C, as gdb writes it.
func escaped(c byte) string {
	if c == '\'' {
		return `\'`
	}
	if text := strings.Trim(strconv.QuoteRuneToASCII(rune(c)), "'"); len(text) <= 2 && c < 0x7f {
		return text
	}
	return fmt.Sprintf(`\%03o`, c)
}

// pointedString returns the string that a pointer to char in a lane points to, with a space before it; "" for other
// pointers, and where nothing is.
func (s *scope) pointedString(v *value, space string, addr uint64, lane int) string {
	to := v.cxx.Bare().To
	if to == nil || to.Bare().Kind != debuginfo.Char || to.Bare().Name != "char" || s.frame == divergence.NoFrame && space != "global" {
		return ""
	}
	text, ended, ok := s.stringAt(space, lane, addr)
	switch {
	case !ok:
		return ""
	case !ended:
		return " " + quoted(text) + "..."
	}
	return " " + quoted(text)
}

// stringAt returns the characters before the byte 0 from an address on. Ended is false if they are too many, ok if
// nothing is at the address.
func (s *scope) stringAt(space string, lane int, addr uint64) (text string, ended, ok bool) {
	var chars []byte
	for len(chars) < mostChars {
		data, there := s.bytesAt(space, lane, addr+uint64(len(chars)), 1)
		if !there {
			return string(chars), true, len(chars) > 0
		}
		if data[0] == 0 {
			return string(chars), true, true
		}
		chars = append(chars, data[0])
	}
	return string(chars), false, true
}

// examineStrings shows strings in memory, each up to the byte 0 at its end.
func (d *Debugger) examineStrings(s *scope, count int, space string, addr uint64) error {
	if s.frame == divergence.NoFrame && (space == "shared" || space == "local") {
		return errGone(space)
	}
	for range count {
		text, ended, ok := s.stringAt(space, d.focus.lane, addr)
		if !ok {
			return errorf("nothing is at %s 0x%x", space, addr)
		}
		d.printf("%s: %s\n", s.addressText(space, addr), quoted(text))
		if addr += uint64(len(text)); ended {
			addr++
		}
	}
	return nil
}
