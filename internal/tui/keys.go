package tui

import (
	"strings"
	"unicode/utf8"
)

// Key is a key of the keyboard: a character that is printed, or one of the constants.
type Key rune

// Keys that print nothing.
const (
	Enter Key = -1 - iota
	Tab
	Backspace
	Delete
	Left
	Right
	Up
	Down
	Home
	End
	PageUp
	PageDown
	Cancel   // Ctrl-C
	EndInput // Ctrl-D
	Redraw   // Ctrl-L
	KillLine // Ctrl-U: everything before the cursor
	KillRest // Ctrl-K: everything after it
	KillWord // Ctrl-W: the word before it
)

// control has the keys of single control characters.
func control(b byte) (Key, bool) {
	const characters = "\r\n\t\x7f\x08\x01\x02\x03\x04\x05\x06\x0b\x0c\x0e\x10\x15\x17"
	keys := [...]Key{Enter, Enter, Tab, Backspace, Backspace, Home, Left, Cancel, EndInput, End, Right, KillRest, Redraw, Down, Up, KillLine, KillWord}
	if i := strings.IndexByte(characters, b); i >= 0 {
		return keys[i], true
	}
	return 0, false
}

// sequence returns the key of an escape sequence, without the escape character and its "[" or "O"; 0 for other ones.
func sequence(text string) Key {
	switch text {
	case "A":
		return Up
	case "B":
		return Down
	case "C":
		return Right
	case "D":
		return Left
	case "H", "1~", "7~":
		return Home
	case "F", "4~", "8~":
		return End
	case "3~":
		return Delete
	case "5~":
		return PageUp
	case "6~":
		return PageDown
	}
	return 0
}

// Decoder finds keys in the bytes that a terminal sends. The zero value is ready.
type Decoder struct{ pending []byte }

// Feed takes the next byte; ok says that it completes a key.
func (d *Decoder) Feed(b byte) (key Key, ok bool) {
	if len(d.pending) == 0 {
		if key, ok := control(b); ok {
			return key, true
		}
		if b >= ' ' && b < utf8.RuneSelf {
			return Key(b), true
		}
		if b < ' ' && b != '\x1b' {
			return 0, false
		}
	}
	d.pending = append(d.pending, b)
	if d.pending[0] == '\x1b' {
		return d.escape(b)
	}
	if r, n := utf8.DecodeRune(d.pending); r != utf8.RuneError || n != 1 {
		d.pending = d.pending[:0]
		return Key(r), true
	}
	if utf8.FullRune(d.pending) {
		d.pending = d.pending[:0] // not UTF-8
	}
	return 0, false
}

// escape takes a byte of an escape sequence: "\x1b[", parameters, and a final letter or tilde; or "\x1bO" and a letter.
func (d *Decoder) escape(b byte) (key Key, ok bool) {
	switch n := len(d.pending); {
	case n == 1, n == 2 && (b == '[' || b == 'O'):
		return 0, false
	case n > 2 && b >= ' ' && b < '@' && n < 16:
		return 0, false
	case n > 2:
		key = sequence(string(d.pending[2:]))
	}
	d.pending = d.pending[:0]
	return key, key != 0
}
