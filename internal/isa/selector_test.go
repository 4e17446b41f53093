package isa

import (
	"testing"
)

// TestSelectorsAreParsedAndPrinted: valid selectors and their text.
func TestSelectorsAreParsedAndPrinted(t *testing.T) {
	for _, word := range []string{"b0", "b3", "h1", "h10", "h32", "b3210", "b7654", "b0077", "h7"} {
		s, ok := ParseSelector(word)
		if !ok || s.String() != "."+word || s.halves() != (word[0] == 'h') || s.count() != len(word)-1 || s.at(0) != int(word[len(word)-1]-'0') {
			t.Errorf("%s: %q %v, %d", word, s, ok, s.count())
		}
	}
	for _, word := range []string{"", "b", "b8", "x0", "b00000", "hx", "0"} {
		if s, ok := ParseSelector(word); ok {
			t.Errorf("%q is taken as %q", word, s)
		}
	}
}
