package report

import (
	"bufio"
	"bytes"
	"strings"
	"unicode/utf8"
)

// sheet is the text of a page. It shortens lines that exceed its width, and marks them with ….
type sheet struct {
	w       *bufio.Writer
	columns int    // 0: unlimited
	line    []byte // the incomplete line
	lines   int    // lines written
}

// Write implements io.Writer. It never fails; flush returns the error of the underlying writer.
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

// WriteString implements io.StringWriter.
func (s *sheet) WriteString(text string) (int, error) { return s.Write([]byte(text)) }

func (s *sheet) flush() error {
	s.w.Write(s.line)
	return s.w.Flush()
}

const (
	usualInstr = 34 // columns for an instruction if the width is unlimited
	leastInstr = 10
	mostInstr  = 48
)

// instrColumn returns the columns for an instruction in a table with others columns for the rest.
func (s *sheet) instrColumn(others int) int {
	if s.columns <= 0 {
		return usualInstr
	}
	return min(max(s.columns-others, leastInstr), mostInstr)
}

// sentence writes text after front, wrapped.
func (s *sheet) sentence(front, text string) {
	for _, line := range s.wrapped(front, text) {
		s.WriteString(line + "\n")
	}
}

// wrapped returns the lines of a sentence.
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

// wordsOf splits a sentence where a line may be broken: not between a number and its %.
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
