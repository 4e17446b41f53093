package isa

import (
	"strings"
	"unicode/utf8"
)

// maxReferenceLine is the maximum number of characters of a line of text in docs/isa.md, as in every page.
const maxReferenceLine = 120

// filled breaks text into lines. The first line begins with lead, and the others with spaces of the same width.
func filled(lead, text string) string {
	var b strings.Builder
	b.WriteString(lead)
	column := utf8.RuneCountInString(lead)
	indent := strings.Repeat(" ", column)
	empty := true // the line has only its lead or indent so far
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

// filledParagraphs is filled for text with a list, which has an item in each line that begins with "- ".
func filledParagraphs(text string) string {
	var b strings.Builder
	inList := false
	for line := range strings.SplitSeq(text, "\n") {
		item, isItem := strings.CutPrefix(line, "- ")
		switch {
		case isItem && !inList:
			b.WriteString("\n\n" + filled("- ", item))
		case isItem:
			b.WriteString("\n" + filled("- ", item))
		case inList:
			b.WriteString("\n\n" + filled("", line))
		default:
			b.WriteString(filled("", line))
		}
		inList = isItem
	}
	return b.String()
}

// unbroken splits text into words that must not be broken. An operator stays with the operand before it: at the start
// of a line Markdown would read it as the mark of a list.
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
