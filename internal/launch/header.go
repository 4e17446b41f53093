package launch

import (
	"regexp"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/internal/isa"
)

// headerMark begins a directive in a source file.
const headerMark = "//sim:"

// byteOrderMark is written at the start of files by some editors; columns do not count it.
const byteOrderMark = "\ufeff"

// ParseHeader parses the directives in the comments of a source file. name is the file's name in messages. The header
// may read files only below folder; with the folder "", it may read none. The error is an *Error at the first invalid
// directive. The layer's Warnings include comments that look like directives and are not.
func ParseHeader(name, folder string, src []byte) (*Layer, error) {
	l := &Layer{source: header, folder: folder}
	for line, at := range commentedLines("/", name, src) {
		text, ok := strings.CutPrefix(line, headerMark)
		if !ok {
			l.warnOfNearMiss(line, at)
			continue
		}
		if strings.HasPrefix(line, allowMark) {
			continue
		}
		at = at.right(len(headerMark))
		if text == "" || text[0] == ' ' || text[0] == '\t' {
			return nil, at.errorf("no directive after //sim:; it follows without a blank, as in //sim:grid 4")
		}
		if err := l.setLine(beforeComment(text, "//", "/*"), at); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// HeaderLines returns the directive lines of a source, unchanged.
func HeaderLines(src []byte) []string {
	var all []string
	for line := range commentedLines("/", "", src) {
		if strings.HasPrefix(line, headerMark) {
			all = append(all, line)
		}
	}
	return all
}

// beforeComment returns text up to a mark that begins a comment. The mark must follow a blank, because names may
// contain it.
func beforeComment(text string, marks ...string) string {
	for _, mark := range marks {
		for _, blank := range []string{" ", "\t"} {
			text, _, _ = strings.Cut(text, blank+mark)
		}
	}
	return strings.TrimRight(text, " \t")
}

var nearMiss = regexp.MustCompile(`^(?i:simtrun|sims|simt|sim)[ \t]*(:?)[ \t]*([A-Za-z-]+)`)

// warnOfNearMiss warns of a comment that was probably meant as a directive: with a blank before the colon or the
// name, in capitals, in /* */ or after other text. A comment inside a comment is not a near miss: its author disabled
// it.
func (l *Layer) warnOfNearMiss(line string, at Origin) {
	i := commentIn(line)
	if i < 0 || strings.HasPrefix(line[i:], allowMark) {
		return
	}
	found := nearMiss.FindStringSubmatch(strings.TrimLeft(line[i+len("//"):], " \t"))
	if found == nil {
		return
	}
	colon, apart := found[1] != "", strings.ContainsAny(line[i+len("//"):][:1], " \t")
	known := directiveNames(script)
	name := strings.ToLower(found[2])
	switch {
	case !colon && apart: // "// sim kernel of …" is prose
		return
	case slices.Contains(known, name):
	case !colon:
		return
	default:
		if name = isa.Nearest(name, known); name == "" {
			return
		}
	}
	l.Warnings = append(l.Warnings, at.right(i).errorf("this is a comment, not a directive; a directive begins its line, as in %s%s …", headerMark, name))
}

// commentIn returns the index of the first comment in a line, or -1.
func commentIn(line string) int {
	if strings.IndexByte(line, '/') < 0 { // as in nearly all lines of PTX
		return -1
	}
	for i := 0; i < len(line); i++ {
		switch rest := line[i:]; {
		case strings.HasPrefix(rest, "//"), strings.HasPrefix(rest, "/*"):
			return i
		case rest[0] == '"':
			end := strings.IndexByte(rest[1:], '"')
			if end < 0 {
				return -1
			}
			i += end + 1
		}
	}
	return -1
}

// commentedLines returns the lines of a source that contain a mark and do not start within a /* */ comment, without
// surrounding blanks. Few of the tens of thousands of lines that a compiler writes contain "/"; the mark "" is in all.
func commentedLines(mark, name string, src []byte) func(yield func(string, Origin) bool) {
	return func(yield func(string, Origin) bool) {
		inComment := false
		for line, at := range linesWith(mark, name, src) {
			if !inComment && !yield(line, at) {
				return
			}
			inComment = endsInComment(line, inComment)
		}
	}
}

// endsInComment reports whether a /* */ comment is open at the end of line,
// given whether one is at its start.
func endsInComment(line string, open bool) bool {
	if strings.IndexByte(line, '/') < 0 {
		return open
	}
	for i := 0; i < len(line); i++ {
		switch rest := line[i:]; {
		case open && strings.HasPrefix(rest, "*/"):
			open = false
			i++
		case open:
		case strings.HasPrefix(rest, "//"):
			return false
		case strings.HasPrefix(rest, "/*"):
			open = true
			i++
		case rest[0] == '"':
			end := strings.IndexByte(rest[1:], '"')
			if end < 0 {
				return false
			}
			i += end + 1
		}
	}
	return open
}

// linesWith returns the lines of src that contain a mark, or all lines if it is "", without surrounding blanks.
func linesWith(mark, name string, src []byte) func(yield func(string, Origin) bool) {
	return func(yield func(string, Origin) bool) {
		at := Origin{Pos: isa.Pos{File: name, Line: 1, Col: 1}}
		for text := strings.TrimPrefix(string(src), byteOrderMark); text != ""; at.Pos.Line++ {
			n := strings.Index(text, mark)
			if n < 0 {
				return
			}
			start := strings.LastIndexByte(text[:n], '\n') + 1
			at.Pos.Line += int32(strings.Count(text[:start], "\n"))
			line, rest, _ := strings.Cut(text[start:], "\n")
			trimmed := strings.TrimLeft(line, " \t")
			if !yield(strings.TrimRight(trimmed, " \t\r"), at.right(len(line)-len(trimmed))) {
				return
			}
			text = rest
		}
	}
}

// setLine parses one line: a directive's name and its text.
func (l *Layer) setLine(line string, at Origin) error {
	name, text, textAt := cutName(line, at)
	if !slices.Contains(directiveNames(script), name) {
		return l.unknown(name, directiveNames(l.source), at)
	}
	return l.Set(name, text, textAt)
}

// ParseScript parses a run script. It has one directive per line, # comments, also after a directive, and lines that
// set one of the given long flags of the command, such as "kernel saxpy" or "json". The error is an *Error at the
// first invalid line.
func ParseScript(name string, src []byte, flags []string) (*Layer, error) {
	l := &Layer{source: script}
	for line, at := range linesWith("", name, src) {
		if line == "" || line[0] == '#' {
			continue
		}
		line = beforeComment(line, "#")
		word, text, _ := cutName(line, at)
		switch {
		case slices.Contains(directiveNames(script), word):
			if err := l.setLine(line, at); err != nil {
				return nil, err
			}
		case slices.Contains(flags, word):
			if text == "" {
				text = "true"
			}
			l.Flags = append(l.Flags, Flag{Name: word, Value: text, At: at})
		default:
			return nil, l.unknown(word, slices.Concat(directiveNames(script), flags), at)
		}
	}
	return l, nil
}

// cutName splits a line into its first word and the rest, which begins at textAt.
func cutName(line string, at Origin) (name, text string, textAt Origin) {
	i := strings.IndexAny(line, " \t")
	if i < 0 {
		return line, "", at
	}
	text = strings.TrimLeft(line[i:], " \t")
	return line[:i], text, at.right(len(line) - len(text))
}
