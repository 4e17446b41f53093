package isa

import (
	"strings"
	"testing"
)

// TestNearestKeepsTheMeaning: a suggestion must not have a different meaning from the intended word.
func TestNearestKeepsTheMeaning(t *testing.T) {
	for _, c := range []struct {
		word, want string
		candidates []string
	}{
		{"GRID", "grid", []string{"grid", "block"}},
		{"l", "L", []string{"L", "M"}},
		{"l", "", []string{"m", "n"}},
		{"addd", "add", []string{"add", "addc"}},
		{"shx", "", []string{"shl", "shr"}},
		{"%r2", "", []string{"%r1", "%r3"}},
		{"u31", "", []string{"u32"}},
		{"lopo", "LOOP", []string{"LOOP", "EXIT"}},
		{"bolck", "block", []string{"grid", "block"}},
	} {
		if got := Nearest(c.word, c.candidates); got != c.want {
			t.Errorf("Nearest(%q, %q) is %q, want %q", c.word, c.candidates, got, c.want)
		}
	}
}

// TestSynonymsExist: the opcodes and modifiers of synonyms are in the table.
func TestSynonymsExist(t *testing.T) {
	for word, opcode := range opcodeSynonyms {
		if Lookup(word) != nil || opcodeAdvice[word] != "" {
			t.Errorf("%s needs no synonym", word)
		}
		base, suffixes, _ := strings.Cut(opcode, ".")
		if row, _ := rowOf(base, suffixes); row == nil {
			t.Errorf("%s stands for %s, which does not exist", word, opcode)
		}
	}
	for word, suffixes := range suffixSynonyms {
		for _, s := range suffixes {
			if !IsSuffix(s) {
				t.Errorf("%s stands for .%s, which does not exist", word, s)
			}
		}
	}
}
