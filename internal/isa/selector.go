package isa

import (
	"fmt"
	"strings"
)

// Selector selects bytes or halves of an operand of a video instruction, the highest first: .b2, .h10, .b7654. The
// zero value means none.
type Selector uint16

const (
	selectorHalves = 1 << 15
	selectorCount  = 12 // position of the number of digits; the digits are below, three bits each
)

// ParseSelector parses a selector without its dot.
func ParseSelector(word string) (s Selector, ok bool) {
	if len(word) < 2 || len(word) > 5 || word[0] != 'b' && word[0] != 'h' {
		return 0, false
	}
	if word[0] == 'h' {
		s = selectorHalves
	}
	n := len(word) - 1
	for i := range n {
		digit := word[n-i]
		if digit < '0' || digit > '7' {
			return 0, false
		}
		s |= Selector(digit-'0') << (3 * i)
	}
	return s | Selector(n)<<selectorCount, true
}

// halves reports whether s selects halves, not bytes.
func (s Selector) halves() bool { return s&selectorHalves != 0 }

// count returns how many bytes or halves s selects.
func (s Selector) count() int { return int(s >> selectorCount & 7) }

// at returns the number of byte or half i, counted from the lowest, which is written last.
func (s Selector) at(i int) int { return int(s >> (3 * i) & 7) }

// String returns the selector with its dot; "" for none.
func (s Selector) String() string {
	if s == 0 {
		return ""
	}
	b := []byte(".b")
	if s.halves() {
		b[1] = 'h'
	}
	for i := s.count() - 1; i >= 0; i-- {
		b = append(b, byte('0'+s.at(i)))
	}
	return string(b)
}

// mask returns the set of the bytes or halves that s selects; false if they are not in descending order.
func (s Selector) mask() (set uint8, ok bool) {
	for i := range s.count() {
		if i > 0 && s.at(i) <= s.at(i-1) {
			return 0, false
		}
		set |= 1 << s.at(i)
	}
	return set, true
}

// Selection is the set of selectors that an operand of a form accepts.
type Selection uint8

const (
	SelectNothing  Selection = iota
	SelectPart               // a byte or half of one operand
	SelectHalves             // two of the four halves of a and b
	SelectBytes              // four of the eight bytes of a and b
	SelectHalfMask           // some of the two halves of the result
	SelectByteMask           // some of the four bytes of the result
)

// selections are the names of selections in forms.
var selections = map[string]Selection{
	"part": SelectPart, "halves": SelectHalves, "bytes": SelectBytes, "halfmask": SelectHalfMask, "bytemask": SelectByteMask,
}

// takes reports whether the selection includes s.
func (k Selection) takes(s Selector) bool {
	elements := 4
	if s.halves() {
		elements = 2
	}
	within := func(n int) bool {
		for i := range s.count() {
			if s.at(i) >= n {
				return false
			}
		}
		return true
	}
	_, descending := s.mask()
	switch k {
	case SelectPart:
		return s.count() == 1 && within(elements)
	case SelectHalves:
		return s.halves() && s.count() == 2 && within(4)
	case SelectBytes:
		return !s.halves() && s.count() == 4
	case SelectHalfMask:
		return s.halves() && descending && within(2)
	case SelectByteMask:
		return !s.halves() && descending && within(4)
	}
	return false
}

// text describes the selectors in words.
func (k Selection) text() string {
	switch k {
	case SelectPart:
		return "one of .b0 .b1 .b2 .b3 .h0 .h1"
	case SelectHalves:
		return ".h and the numbers of two halves: 0 and 1 are those of a, 2 and 3 those of b"
	case SelectBytes:
		return ".b and the numbers of four bytes: 0 to 3 are those of a, 4 to 7 those of b"
	case SelectHalfMask:
		return "one of .h0 .h1 .h10"
	case SelectByteMask:
		return ".b and the numbers of bytes from 3 to 0, the higher first"
	}
	return "none"
}

// selectText returns an operand with the sign and the selector that it may have.
func (p *Formal) selectText() string {
	text := string(p.Name)
	if p.Negates {
		text = "{-}" + text
	}
	switch {
	case p.Select == SelectNothing:
	case p.Select >= SelectHalfMask:
		text += "{.mask}"
	default:
		text += "{.sel}"
	}
	return text
}

// checkSelector checks the selector and the sign of an operand.
func (in *Instr) checkSelector(p *Formal, a *Operand) string {
	switch {
	case a.Neg && !p.Negates:
		return fmt.Sprintf("operand %c takes no sign", p.Name)
	case a.Select != 0 && !p.Select.takes(a.Select):
		return fmt.Sprintf("operand %c cannot have %s; it takes %s", p.Name, a.Select, p.Select.text())
	}
	return ""
}

// parseSelection parses additions to an operand of a form: a Selection, and - if the operand can be negated. It
// returns false for anything else.
func parseSelection(what string, p *Formal) bool {
	name, negates := strings.CutSuffix(what, "-")
	if p.Select = selections[name]; p.Select == SelectNothing && name != "" {
		return false
	}
	p.Negates, p.Fixed = negates, U32
	return true
}

// Choice is the selectors and signs of the operands d, a, b and c of a video instruction.
type Choice struct {
	D, A, B          Selector
	NegA, NegB, NegC bool
}

// Choose sets the selector and sign of operand a, with formal p.
func (v *Variant) Choose(p *Formal, a *Operand) {
	switch p.Name {
	case 'd':
		v.Choice.D = a.Select
	case 'a':
		v.Choice.A, v.Choice.NegA = a.Select, a.Neg
	case 'b':
		v.Choice.B, v.Choice.NegB = a.Select, a.Neg
	case 'c':
		v.Choice.NegC = a.Neg
	}
}
