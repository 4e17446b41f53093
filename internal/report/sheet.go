package report

import (
	"bufio"
	"bytes"
	"strings"
	"unicode/utf8"
)

// sheet is what a page is written on. Its lines keep to a width: what is longer is
// cut, with … for the rest.
type sheet struct {
	w       *bufio.Writer
	columns int    // 0 for any
	line    []byte // the one that is not finished
	lines   int    // written
}

// Write implements io.Writer. It has no errors; flush returns that of what is
// below.
func (s *sheet) Write(p []byte) (int, error) {
	s.lines += bytes.Count(p, []byte("\n"))
	if s.columns <= 0 {
		s.w.Write(p)
		return len(p), nil
	}
	n := len(p)
	for len(p) > 0 {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			s.line = append(s.line, p...)
			break
		}
		s.w.WriteString(cut(strings.TrimRight(string(append(s.line, p[:i]...)), " "), s.columns))
		s.w.WriteByte('\n')
		s.line, p = s.line[:0], p[i+1:]
	}
	return n, nil
}

// WriteString implements io.StringWriter, as Write does.
func (s *sheet) WriteString(text string) (int, error) { return s.Write([]byte(text)) }

func (s *sheet) flush() error {
	s.w.Write(s.line)
	return s.w.Flush()
}

const (
	usualInstr = 34 // columns for an instruction where the width does not say
	leastInstr = 10
	mostInstr  = 48
)

// instrColumn is the columns for an instruction in a table whose other columns
// take up so many.
func (s *sheet) instrColumn(others int) int {
	if s.columns <= 0 {
		return usualInstr
	}
	return min(max(s.columns-others, leastInstr), mostInstr)
}

// sentence writes text behind what stands in front of its first line, in as many
// lines as it takes.
func (s *sheet) sentence(front, text string) {
	for _, line := range s.wrapped(front, text) {
		s.WriteString(line + "\n")
	}
}

// wrapped is the lines of a sentence.
func (s *sheet) wrapped(front, text string) (lines []string) {
	line := front
	width := utf8.RuneCountInString(front)
	for i, word := range wordsOf(text) {
		switch {
		case i == 0:
		case s.columns > 0 && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > s.columns:
			lines = append(lines, line)
			line = strings.Repeat(" ", width)
		default:
			line += " "
		}
		line += word
	}
	return append(lines, line)
}

// wordsOf are the words of a sentence between which a line may end: not between a number and its %.
func wordsOf(text string) (words []string) {
	for word := range strings.SplitSeq(text, " ") {
		if n := len(words); n > 0 && strings.HasPrefix(word, "%") {
			words[n-1] += " " + word
			continue
		}
		words = append(words, word)
	}
	return words
}
