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

// stream is standard output or standard error of the command. Text from sources, headers, arrays and file names is
// untrusted: all control characters are escaped, except those of paint. A stream keeps its first error, and can be
// closed.
type stream struct {
	to io.Writer

	mu    sync.Mutex
	rest  []byte // the beginning of a character or of paintMark
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

// raw returns s without escaping.
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

// end writes the incomplete rest, and returns the first error of the stream.
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

// close discards later writes. untouched is true if nothing has been written, and no write is under way (it may block
// for ever).
func (s *stream) close() (untouched bool) {
	if !s.mu.TryLock() {
		return false
	}
	defer s.mu.Unlock()
	s.shut = true
	return !s.begun
}

// fileOf returns the file that w writes to, or nil.
func fileOf(w io.Writer) *os.File {
	if s, ok := w.(*stream); ok {
		w = s.to
	}
	f, _ := w.(*os.File)
	return f
}

// unescaped returns where a program that is run by this one writes as if it wrote to w itself: the file, which may be a
// terminal, or else a writer that escapes nothing.
func unescaped(w io.Writer) io.Writer {
	if f := fileOf(w); f != nil {
		return f
	}
	if s, ok := w.(*stream); ok {
		return s.raw()
	}
	return w
}

// escaped returns a text without control characters other than newlines and tabs.
func escaped(text string) string {
	fit, _ := escape([]byte(text), true)
	return string(fit)
}

// escape replaces each control character other than newline, tab and those of paint, and each unprintable byte and
// character, by an escape such as \x1b or \u009b. Unless atEnd, it returns an incomplete sequence at the end as rest.
// JSON has no such bytes, and reads \u as the character.
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

// commonPrefix returns the length of the common prefix of text and mark.
func commonPrefix(text []byte, mark string) int {
	n := 0
	for n < len(text) && n < len(mark) && text[n] == mark[n] {
		n++
	}
	return n
}
