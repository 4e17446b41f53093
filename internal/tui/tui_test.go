package tui

import (
	"slices"
	"strings"
	"testing"
)

func TestDecoderRecognisesKeys(t *testing.T) {
	for text, want := range map[string][]Key{
		"a\r":                    {'a', Enter},
		"é…":                     {'é', '…'},
		"\x1b[A\x1b[3~\x1bOH":    {Up, Delete, Home},
		"\x1b[1;5Cx\x1b[200~y":   {'x', 'y'},
		"\x1bzx":                 {'x'},
		"\xff\xc3(":              {},
		"\x03\x04\x17\x7f\x00ok": {Cancel, EndInput, KillWord, Backspace, 'o', 'k'},
	} {
		var d Decoder
		got := []Key{}
		for i := range len(text) {
			if k, ok := d.Feed(text[i]); ok {
				got = append(got, k)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func TestLineIsEditedByKeys(t *testing.T) {
	var l Line
	for _, c := range []struct {
		keys []Key
		want string
	}{
		{[]Key{'a', 'b', Left, 'c', End, 'd', Home, Delete, Right, Backspace, Backspace}, "bd"},
		{[]Key{'w', ' ', 'é', 'x', ' ', KillWord, KillWord, Backspace, Left, KillRest}, ""},
		{[]Key{End, 'y', KillLine, Backspace, Delete, Left, Down}, ""},
		{[]Key{Up}, "bd"},
		{[]Key{Up, Up}, "bd"},
		{[]Key{Up, Up, Down, Down, 'z', Cancel}, ""},
	} {
		for _, k := range c.keys {
			l.Press(k)
		}
		if got := l.Take(); got != c.want {
			t.Errorf("%v: %q, want %q", c.keys, got, c.want)
		}
	}
}

func TestClipPadsToWidth(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		want string
	}{
		{"ab", 4, "ab  "},
		{"abcde", 3, "abc"},
		{"a\tb", 10, "a       b "},
		{"a\tb", 4, "a   "},
		{"漢字", 3, "漢 "},
		{"e\u0301f", 2, "e\u0301f"},
		{"\x1b[2J\x1b[2mx\x1b[0my", 8, "·[2J\x1b[2mx\x1b[0my  "},
		{"\x1b[2mxyz", 2, "\x1b[2mxy"},
	} {
		if got := strings.ReplaceAll(clip(c.text, c.n), "\x1b[0m", ""); got != strings.ReplaceAll(c.want, "\x1b[0m", "") {
			t.Errorf("%q in %d: %q, want %q", c.text, c.n, got, c.want)
		}
	}
}

// TestScreenFitsAnySize draws screens of all sizes: rows are as wide as the screen, and there are never more than it
// has.
func TestScreenFitsAnySize(t *testing.T) {
	many := Pane{"some", strings.Split(strings.Repeat("a line\n", 50), "\n"), 40}
	for columns := 1; columns < 150; columns += 7 {
		for rows := 1; rows < 40; rows += 3 {
			s := Screen{Size{columns, rows}, many, many, many, many, "(simt) ", &Line{text: []rune("a long line of text")}}
			all := s.rows()
			if rows > 5 && len(all) != rows-1 {
				t.Fatalf("%dx%d: %d rows", columns, rows, len(all))
			}
			for _, row := range all {
				if n := len([]rune(row)); n != columns {
					t.Fatalf("%dx%d: a row of %d columns: %s", columns, rows, n, row)
				}
			}
			s.Line.Press(End)
			if text := s.Draw(); rows > 5 && strings.Count(text, "H") < rows {
				t.Fatalf("%dx%d: %q", columns, rows, text)
			}
		}
	}
}
