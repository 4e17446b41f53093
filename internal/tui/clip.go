package tui

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// attribute is an escape sequence that changes how characters look.
var attribute = regexp.MustCompile(`^\x1b\[[0-9;]*m`)

const (
	plain    = "\x1b[0m"
	tabStops = 8
)

// width returns how many columns a terminal uses for a character.
func width(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul), r >= 0xff01 && r <= 0xff60, r >= 0x1f300 && r <= 0x1faff:
		return 2
	}
	return 1
}

// columns returns how many columns a terminal uses for a text without control characters.
func columns(text string) (n int) {
	for _, r := range text {
		n += width(r)
	}
	return n
}

// clip makes a text as wide as n columns: it cuts it off, or fills it with blanks. Attributes stay; other control
// characters, which could move the cursor, become dots.
func clip(text string, n int) string {
	var b strings.Builder
	used, painted := 0, false
	for text != "" {
		if sgr := attribute.FindString(text); sgr != "" {
			b.WriteString(sgr)
			text, painted = text[len(sgr):], true
			continue
		}
		r, size := utf8.DecodeRuneInString(text)
		text = text[size:]
		shown, w := string(r), width(r)
		switch {
		case r == '\t':
			w = min(tabStops-used%tabStops, n-used)
			shown = strings.Repeat(" ", w)
		case unicode.IsControl(r):
			shown = "·"
		}
		if used+w > n {
			break
		}
		b.WriteString(shown)
		used += w
	}
	if painted {
		b.WriteString(plain)
	}
	return b.String() + strings.Repeat(" ", max(0, n-used))
}
