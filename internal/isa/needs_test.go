package isa

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/short"
)

// TestEveryFormHasOneNeed: the first part of each row's needs is for all its forms, the others are for some, and what a
// form needs is a version of PTX with a target that has it.
func TestEveryFormHasOneNeed(t *testing.T) {
	short.Alternates(t, 1, 3)
	for _, s := range specs {
		if s.Needs == "" {
			t.Errorf("%s does not say which version of PTX and which targets have it", s.Title())
			continue
		}
		for i, r := range s.Needs.rules() {
			if (len(r.words) == 0) != (i == 0) {
				t.Errorf("%s: part %d of its needs, %q, has %d words", s.Title(), i+1, s.Needs, len(r.words))
			}
			for _, word := range r.words {
				for _, w := range word.any {
					if !s.takesWord(w) {
						t.Errorf("%s: no form has %q of the needs %q", s.Title(), w, s.Needs)
					}
				}
			}
		}
		if t.Failed() {
			continue
		}
		answers := make(map[string]bool)
		for in := range s.Forms() {
			n := NeedOf(in.Mnemonic())
			if answer := fmt.Sprint(n); !answers[answer] {
				answers[answer] = true
				if !n.exists() {
					t.Errorf("%s needs PTX %s, which has no target for it: %v", in.Mnemonic(), n.Version, n.Targets)
				}
			}
		}
	}
	for title := range operationNeeds {
		opcode, operation, _ := strings.Cut(title, ".")
		if !slices.Contains(ptxOperations[opcode], operation) || Lookup(title) != nil {
			t.Errorf("%s has a row, or PTX does not have it", title)
		}
	}
}

// takesWord reports whether a word may be in a mnemonic of the row: a modifier or type, or the beginning of one before
// a star. Words that are not supported yet count too.
func (s *Spec) takesWord(word string) bool {
	prefix, open := strings.CutSuffix(word, "*")
	is := func(w string) bool { return w == word || open && strings.HasPrefix(w, prefix) }
	for _, m := range s.mods {
		if m.isType && (laterTypes[word] || slices.ContainsFunc(typeNames(), is)) {
			return true
		}
		if !m.isType && (slices.ContainsFunc(groups[m.group].words, is) || slices.ContainsFunc(groups[m.group].later, is)) {
			return true
		}
	}
	return false
}

func typeNames() (names []string) {
	for t := Pred; t < NumTypes; t++ {
		names = append(names, t.String())
	}
	return names
}

// exists reports whether a target has the form in the version that introduced it. Versions after LatestVersion have
// targets that are not known here.
func (n *Need) exists() bool {
	if n.Version > LatestVersion {
		return true
	}
	for name, since := range introduced {
		if target, _ := ParseArch(name); since <= max(n.Version, 20) && n.allows(target) {
			return true
		}
	}
	return false
}
