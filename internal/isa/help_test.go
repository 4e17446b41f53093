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
