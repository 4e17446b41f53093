package main

import (
	"fmt"
	"regexp"
	"strings"
)

// width is the number of columns for lines that man does not fill: of 80, man leaves 2 free, and indents by 7.
const width = 71

// flagColumns matches a line about a flag: its names and value, and what it does.
var flagColumns = regexp.MustCompile(`^ {2,6}(-.*?\S) {2,}(\S.*)$`)

// isFlags reports whether a section of help describes flags, whatever its title.
func isFlags(body string) bool {
	first, _, _ := strings.Cut(strings.TrimLeft(body, "\n"), "\n")
	return flagColumns.MatchString(first)
}

// text returns text of a help page in the macros of man(7). Flags become tagged paragraphs, and lines that begin at the
// left paragraphs, which man fills. Other lines, such as tables and examples, stay lines, in the columns that man has.
func text(body string) string {
	var b strings.Builder
	begun := false
	for block := range strings.SplitSeq(strings.Trim(body, "\n"), "\n\n") {
		lines := strings.Split(strings.Trim(block, "\n"), "\n")
		var set string
		switch {
		case isFlags(block):
			for _, line := range lines {
				if m := flagColumns.FindStringSubmatch(line); m != nil {
					set += tagged(item{m[1], m[2]})
				}
			}
			b.WriteString(set)
			begun = true
			continue
		case isProse(lines):
			for _, line := range lines {
				set += escape(line) + "\n"
			}
		default:
			set = ".nf\n"
			for _, line := range fitted(lines) {
				set += escape(line) + "\n"
			}
			set += ".fi\n"
		}
		if begun {
			b.WriteString(".PP\n")
		}
		b.WriteString(set)
		begun = true
	}
	return b.String()
}

// isProse reports whether lines are a paragraph.
func isProse(lines []string) bool {
	for _, line := range lines {
		if strings.HasPrefix(line, " ") || strings.Contains(line, "  ") {
			return false
		}
	}
	return true
}

// fitted returns lines that have at most width columns. Lines that are longer continue in the next one: in the second
// column of a table, together with the rest of the cell, or else indented.
func fitted(lines []string) []string {
	column := secondColumn(lines)
	var fit []string
	for n := 0; n < len(lines); n++ {
		line := lines[n]
		left, cell := "", ""
		switch indent := len(line) - len(strings.TrimLeft(line, " ")); {
		case column > 0 && len(line) > column && strings.HasSuffix(line[:column], "  ") && indent < column:
			left, cell = line[:column], line[column:]
		case indent == column && column > 0:
			left, cell = line[:indent], line[indent:]
		default:
			fit = append(fit, wrapped(line, indent+4)...)
			continue
		}
		cells := []string{cell}
		for n+1 < len(lines) && column <= len(lines[n+1]) && strings.TrimLeft(lines[n+1][:column], " ") == "" && lines[n+1][column] != ' ' {
			n++
			cells = append(cells, lines[n][column:])
		}
		if longest(left, cells) > width {
			cells = []string{strings.Join(cells, " ")}
		}
		for _, c := range cells {
			fit = append(fit, wrapped(left+c, column)...)
			left = strings.Repeat(" ", column)
		}
	}
	return fit
}

var beyondASCII = regexp.MustCompile(`[^\x00-\x7f]`)

func longest(left string, cells []string) (most int) {
	for _, c := range cells {
		most = max(most, len([]rune(left+c)))
	}
	return most
}

// secondColumn returns the column at which most lines have text after two blanks or more, or 0 if there is none.
func secondColumn(lines []string) int {
	gap := regexp.MustCompile(`\S {2,}(\S)`)
	count := make(map[int]int)
	best := 0
	for _, line := range lines {
		if m := gap.FindStringSubmatchIndex(line); m != nil {
			count[m[2]]++
			if c := count[m[2]]; c > count[best] || c == count[best] && m[2] < best {
				best = m[2]
			}
		}
	}
	return best
}

// wrapped returns a line as lines that have at most width columns, broken at blanks; all but the first are indented.
func wrapped(line string, indent int) (lines []string) {
	for len([]rune(line)) > width {
		at := strings.LastIndexByte(string([]rune(line)[:width+1]), ' ')
		if strings.TrimSpace(line[:max(at, 0)]) == "" || at <= indent {
			break // a word that is too long
		}
		lines = append(lines, strings.TrimRight(line[:at], " "))
		line = strings.Repeat(" ", indent) + strings.TrimLeft(line[at:], " ")
	}
	return append(lines, line)
}

// tagged returns a paragraph with a tag: a flag or a command, and what it does.
func tagged(i item) string {
	return ".TP\n\\fB" + escape(i.name) + "\\fR\n" + escape(i.text) + "\n"
}

// escape returns text without meaning for roff: backslashes, hyphens that one may want to copy, characters outside of
// ASCII, and a first dot or apostrophe, which would begin a request.
func escape(text string) string {
	text = strings.NewReplacer(`\`, `\e`, `-`, `\-`).Replace(text)
	text = beyondASCII.ReplaceAllStringFunc(text, func(s string) string { return fmt.Sprintf(`\[u%04X]`, []rune(s)[0]) })
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}
