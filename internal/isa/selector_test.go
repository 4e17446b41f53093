package isa_test

import (
	"testing"

	"github.com/simtrun/simtrun/internal/isa"
)

// TestSelectorsAreParsedAndPrinted: valid selectors and their text.
func TestSelectorsAreParsedAndPrinted(t *testing.T) {
	for _, word := range []string{"b0", "b3", "h1", "h10", "h32", "b3210", "b7654", "b0077", "h7"} {
		s, ok := isa.ParseSelector(word)
		if !ok || s.String() != "."+word || s.Halves() != (word[0] == 'h') || s.Len() != len(word)-1 || s.At(0) != int(word[len(word)-1]-'0') {
			t.Errorf("%s: %q %v, %d", word, s, ok, s.Len())
		}
	}
	for _, word := range []string{"", "b", "b8", "x0", "b00000", "hx", "0"} {
		if s, ok := isa.ParseSelector(word); ok {
			t.Errorf("%q is taken as %q", word, s)
		}
	}
}
