package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// stream is standard output or standard error of the command. What is written
// to it may hold text of sources, headers, arrays and file names, which nobody
// has vouched for: control characters are escaped, but for those of paint. It
// keeps its first error, and can be shut.
type stream struct {
	to io.Writer

	mu    sync.Mutex
	rest  []byte // the beginning of a character or of paintMark, to be continued
	begun bool   // something has been written
	err   error
	shut  bool
}

// Write implements io.Writer.
func (s *stream) Write(text []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var fit []byte
	fit, s.rest = escape(append(s.rest, text...), false)
	if err := s.put(fit); err != nil {
		return 0, err
	}
	return len(text), nil
}

// raw is s for bytes that are to arrive as they are.
func (s *stream) raw() io.Writer { return rawStream{s} }

type rawStream struct{ s *stream }

func (r rawStream) Write(text []byte) (int, error) {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	if err := r.s.put(text); err != nil {
		return 0, err
	}
	return len(text), nil
}

// put writes; the caller holds mu.
func (s *stream) put(text []byte) error {
	if s.shut {
		return os.ErrClosed
	}
	if len(text) > 0 && s.err == nil {
		s.begun = true
		_, s.err = s.to.Write(text)
	}
	return s.err
}

// end writes what was to be continued, and returns the first error of the
// stream.
func (s *stream) end() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.shut {
		fit, _ := escape(s.rest, true)
		s.rest = nil
		s.put(fit)
	}
	return s.err
}

// close lets nothing more through. It reports whether nothing has come through so
// far; not if a write is under way, which may take for ever.
func (s *stream) close() (untouched bool) {
	if !s.mu.TryLock() {
		return false
	}
	defer s.mu.Unlock()
	s.shut = true
	return !s.begun
}

// fileOf is the file beneath w, or nil.
func fileOf(w io.Writer) *os.File {
	if s, ok := w.(*stream); ok {
		w = s.to
	}
	f, _ := w.(*os.File)
	return f
}

// escaped is a text of which no control character is left but newlines and tabs.
func escaped(text string) string {
	fit, _ := escape([]byte(text), true)
	return string(fit)
}

// escape is text with \x1b, or \u009b, in place of each control character but
// newline, tab and those of paint, and of each byte and character that does not
// show. What is the beginning of more, it leaves as rest, unless text is at its
// end. JSON has no such bytes, and reads \u as the character.
func escape(text []byte, atEnd bool) (fit, rest []byte) {
	fit = make([]byte, 0, len(text))
	for len(text) > 0 {
		c := text[0]
		switch {
		case c >= ' ' && c < 0x7f, c == '\n', c == '\t':
			fit = append(fit, c)
			text = text[1:]
			continue
		case c == paintMark[0]:
			n := commonPrefix(text, paintMark)
			switch {
			case n == len(paintMark):
				fit = append(fit, '\x1b')
				text = text[n:]
				continue
			case n == len(text) && !atEnd:
				return fit, text
			}
		}
		if !utf8.FullRune(text) && !atEnd {
			return fit, text
		}
		r, n := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && n == 1, r < ' ':
			fit = fmt.Appendf(fit, `\x%02x`, c)
		case unicode.IsGraphic(r):
			fit = append(fit, text[:n]...)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fit = fmt.Appendf(fit, `\u%04x\u%04x`, high, low)
		default:
			fit = fmt.Appendf(fit, `\u%04x`, r)
		}
		text = text[n:]
	}
	return fit, nil
}

// commonPrefix is how many bytes text and mark begin with in common.
func commonPrefix(text []byte, mark string) int {
	n := 0
	for n < len(text) && n < len(mark) && text[n] == mark[n] {
		n++
	}
	return n
}
