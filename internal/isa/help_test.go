package isa

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/short"
)

// TestHelpNamesWhatTheFormHas: operands that the text of a row mentions are in its form. No placeholder has the name of
// the opcode, which would then seem to be written twice.
func TestHelpNamesWhatTheFormHas(t *testing.T) {
	short.Alternates(t, 0, 3)
	letter := regexp.MustCompile(`(?:^|[^\w.'%:-])([b-z])(?:[^\w'.:-]|[.,:]( |$)|$)`)
	for _, s := range Specs() {
		form := s.syntax(s.legal(nil))
		if strings.Contains(strings.TrimPrefix(form, s.Name)+".", "."+s.Name+".") || strings.Contains(form, "."+s.Name+"}") {
			t.Errorf("%s: a placeholder has the opcode's name: %s", s.Title(), form)
		}
		_, operands, _ := strings.Cut(form, "  ")
		for _, m := range letter.FindAllStringSubmatch(s.Doc, -1) {
			isFormal := slices.ContainsFunc(s.formals, func(p Formal) bool { return string(p.Name) == m[1] })
			if isFormal && !regexp.MustCompile(`\b`+m[1]+`\b`).MatchString(operands) {
				t.Errorf("%s: the text speaks of %s, which the form lacks: %s\n  %s", s.Title(), m[1], form, s.Doc)
			}
		}
	}
}

// TestOperandLettersAreExplained: the list of letters on the page, the text of a row, or the text of a row that it
// refers to explains each operand that has no placeholder of its own.
func TestOperandLettersAreExplained(t *testing.T) {
	var listed string
	for _, note := range operandNotes {
		listed += note.letters
	}
	letter := regexp.MustCompile(`\b[a-z]\b`)
	for _, s := range Specs() {
		for _, name := range letter.FindAllString(s.FormText(), -1) {
			if !strings.Contains(listed+"q", name) && !explainsLetter(s, name) {
				t.Errorf("%s: nothing explains operand %s\n  %s", s.Title(), name, s.Doc)
			}
		}
	}
}

// explainsLetter reports whether the text of a row, or of a row with the same opcode to which it refers, has a letter.
func explainsLetter(s *Spec, letter string) bool {
	isLetter := regexp.MustCompile(`(^|[ (])` + letter + `($|[ ,.:;)])`)
	return slices.ContainsFunc(Specs(), func(other *Spec) bool {
		isRelated := other == s || other.Name == s.Name && strings.Contains(s.Doc, other.Title())
		return isRelated && isLetter.MatchString(other.Doc)
	})
}
