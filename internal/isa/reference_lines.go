package isa

import (
	"strings"
	"unicode/utf8"
)

// maxReferenceLine is how many characters a line of text in docs/isa.md has at most, as in every page.
const maxReferenceLine = 120

// filled breaks text into lines. The first begins with lead, and the others with as many spaces.
func filled(lead, text string) string {
	var b strings.Builder
	b.WriteString(lead)
	column := utf8.RuneCountInString(lead)
	indent := strings.Repeat(" ", column)
	empty := true // nothing is in the line yet but what it begins with
	for _, word := range unbroken(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case empty:
		case column+1+n > maxReferenceLine:
			b.WriteString("\n" + indent)
			column = len(indent)
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += n
		empty = false
	}
	return b.String()
}

// unbroken are the words of text. An operator is in one word with the operand before it: Markdown would take it for
// the mark of a list if a line began with it.
func unbroken(text string) []string {
	var words []string
	for word := range strings.FieldsSeq(text) {
		if len(words) > 0 && strings.Contains("-+*#>", word) {
			words[len(words)-1] += " " + word
			continue
		}
		words = append(words, word)
	}
	return words
}
