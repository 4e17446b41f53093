package tui

import (
	"slices"
	"strings"

	"github.com/simtrun/simtrun/internal/sorted"
)

// Line is a line that is being typed, with those that were typed before. The zero value is ready.
type Line struct {
	text    []rune
	at      int // where the next character goes
	earlier []string
	shown   int // how many lines back the user has gone in earlier
}

// String returns the text.
func (l *Line) String() string { return string(l.text) }

// Set replaces the text, and puts the cursor behind it.
func (l *Line) Set(text string) {
	l.text = []rune(text)
	l.at = len(l.text)
}

// Recalls makes earlier lines those that Up recalls, the latest last.
func (l *Line) Recalls(earlier []string) { l.earlier = earlier }

// Take returns the text, remembers it, and begins another line.
func (l *Line) Take() string {
	text := l.String()
	if n := len(l.earlier); strings.TrimSpace(text) != "" && (n == 0 || l.earlier[n-1] != text) {
		l.earlier = append(l.earlier, text)
	}
	l.Set("")
	l.shown = 0
	return text
}

// Press edits the text. Keys that edit nothing have no effect.
func (l *Line) Press(k Key) {
	switch k {
	case Left:
		l.at = max(0, l.at-1)
	case Right:
		l.at = min(len(l.text), l.at+1)
	case Home:
		l.at = 0
	case End:
		l.at = len(l.text)
	case Backspace:
		l.remove(l.at-1, l.at)
	case Delete:
		l.remove(l.at, l.at+1)
	case KillLine:
		l.remove(0, l.at)
	case KillRest:
		l.remove(l.at, len(l.text))
	case KillWord:
		word := strings.TrimRight(string(l.text[:l.at]), " ")
		l.remove(len([]rune(word[:strings.LastIndexByte(word, ' ')+1])), l.at)
	case Cancel:
		l.Set("")
	case Up:
		l.recall(l.shown + 1)
	case Down:
		l.recall(l.shown - 1)
	default:
		if k >= ' ' {
			l.text = sorted.Insert(l.text, l.at, rune(k))
			l.at++
		}
	}
}

// remove removes characters from to to-1, if they exist.
func (l *Line) remove(from, to int) {
	if from >= 0 && to <= len(l.text) {
		l.text = slices.Delete(l.text, from, to)
		l.at = from
	}
}

// recall shows the line that was typed a number of lines ago; 0 is an empty one.
func (l *Line) recall(back int) {
	if back < 0 || back > len(l.earlier) {
		return
	}
	l.shown = back
	if back == 0 {
		l.Set("")
		return
	}
	l.Set(l.earlier[len(l.earlier)-back])
}
