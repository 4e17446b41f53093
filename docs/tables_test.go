package docs_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// lowerCaseNames are names that begin with a small letter in a heading of a table, too.
var lowerCaseNames = []string{"compute-sanitizer", "simtrun"}

// TestTablesOfPagesAreRendered: a table is separated from what precedes and follows it by empty lines, and each of its
// rows has a | at both ends and as many cells as the heading. A | within a cell is written \|, also in code.
func TestTablesOfPagesAreRendered(t *testing.T) {
	for _, page := range allPages(t) {
		for _, defect := range tableDefects(proseLines(readPage(t, page))) {
			t.Errorf("%s:%d: %s", page, defect.number, defect.text)
		}
	}
}

// TestHeadingsOfTablesNameColumns: each column of a table has a heading, which begins with a capital letter, a name in
// code or a sign.
func TestHeadingsOfTablesNameColumns(t *testing.T) {
	for _, page := range allPages(t) {
		lines := proseLines(readPage(t, page))
		for i, l := range lines {
			if !startsTable(lines, i) {
				continue
			}
			for _, heading := range cells(l.text) {
				first := strings.FieldsFunc(heading+" ", func(r rune) bool { return r == ' ' || r == ',' })
				if heading == "" || unicode.IsLower([]rune(heading)[0]) && !slices.Contains(lowerCaseNames, first[0]) {
					t.Errorf("%s:%d: column %q: a heading says what the column has, and begins with a capital letter", page, l.number, heading)
				}
			}
		}
	}
}

// tableDefects are the lines of a page that keep a table from being rendered, with the reason as text.
func tableDefects(lines []line) (defects []line) {
	add := func(l line, text string) { defects = append(defects, line{l.number, text}) }
	columns := 0 // of the table of the previous line, 0 outside of a table
	for i, l := range lines {
		adjacent := i > 0 && lines[i-1].number == l.number-1 && lines[i-1].text != ""
		isRow := strings.HasPrefix(l.text, "|")
		switch {
		case startsTable(lines, i):
			columns = len(cells(l.text))
			if adjacent {
				add(l, "a table without an empty line before it")
			}
		case columns > 0 && !isRow && l.text != "":
			if adjacent {
				add(l, "a table without an empty line after it")
			}
			columns = 0
		case l.text == "":
			columns = 0
		case isRow && columns == 0:
			add(l, "a row outside of a table")
		}
		if isRow && !strings.HasSuffix(l.text, "|") {
			add(l, "a row without | at its end")
		} else if n := len(cells(l.text)); isRow && columns > 0 && n != columns {
			add(l, "a row with more or fewer cells than the heading: write \\| for | in a cell")
		}
	}
	return defects
}

var tableRule = regexp.MustCompile(`^\|(?: ?:?-+:? ?\|)+$`)

// startsTable reports whether line i is the heading of a table.
func startsTable(lines []line, i int) bool {
	return strings.HasPrefix(lines[i].text, "|") && i+1 < len(lines) && tableRule.MatchString(lines[i+1].text)
}

// cells are the cells of a row of a table, without the spaces around them.
func cells(row string) []string {
	row = strings.ReplaceAll(row, `\|`, "\x00")
	all := strings.Split(strings.TrimSuffix(strings.TrimPrefix(row, "|"), "|"), "|")
	for i, cell := range all {
		all[i] = strings.TrimSpace(cell)
	}
	return all
}

func TestTableDefectsAreFound(t *testing.T) {
	const table = "| A | B |\n|---|--:|\n| `a` | 1 |\n"
	for page, want := range map[string]int{
		table:                                0,
		"text\n\n" + table + "\ntext\n":      0,
		table + "| `a \\| b` | 2 |\n":        0,
		"text\n" + table:                     1,
		table + "text\n":                     1,
		table + "| `a | b` | 2 |\n":          1,
		table + "| b | 2\n":                  1,
		table + "\n| b | 2 |\n":              1,
		table + "| b |\n":                    1,
		"```\n| a | b\n```\n":                0,
		table + "\n    | code | of a page\n": 0,
	} {
		if got := tableDefects(proseLines(page)); len(got) != want {
			t.Errorf("%q: %v, want %d", page, got, want)
		}
	}
}

// maxWithoutContents is the number of lines above which a page has a list of its contents.
const maxWithoutContents = 600

// contentsMissing are the long pages without such a list.
var contentsMissing = []string{"../docs/rules.md"}

// TestLongPagesListTheirContents: before its first section a long page links to its sections of the second level, in
// their order. In place of such a section it may link to all sections of the third level in it.
func TestLongPagesListTheirContents(t *testing.T) {
	link := regexp.MustCompile(`\]\(#([^)]+)\)`)
	for _, page := range allPages(t) {
		text := readPage(t, page)
		if strings.Count(text, "\n") <= maxWithoutContents || strings.HasSuffix(page, "CHANGELOG.md") || slices.Contains(contentsMissing, page) {
			continue
		}
		lines := proseLines(text)
		first := slices.IndexFunc(lines, func(l line) bool { return strings.HasPrefix(l.text, "## ") })
		var listed []string
		for _, l := range lines[:first] {
			for _, m := range link.FindAllStringSubmatch(l.text, -1) {
				listed = append(listed, m[1])
			}
		}
		if want := contents(lines[first:], listed); !slices.Equal(listed, want) {
			t.Errorf("%s: its contents are\n%s\nwant\n%s", page, strings.Join(listed, "\n"), strings.Join(want, "\n"))
		}
	}
}

// contents are the anchors that a page lists if it lists those: of a section that is not listed the ones within it.
func contents(lines []line, listed []string) (want []string) {
	whole := false // the section of the second level is listed
	for i, l := range lines {
		if text, ok := strings.CutPrefix(l.text, "## "); ok {
			end := slices.IndexFunc(lines[i+1:], func(l line) bool { return strings.HasPrefix(l.text, "##") })
			divided := end >= 0 && strings.HasPrefix(lines[i+1+end].text, "### ")
			if whole = !divided || slices.Contains(listed, anchor(text)); whole {
				want = append(want, anchor(text))
			}
		} else if text, ok := strings.CutPrefix(l.text, "### "); ok && !whole {
			want = append(want, anchor(text))
		}
	}
	return want
}

func TestContentsFollowHeadings(t *testing.T) {
	lines := proseLines("## A\n## B\n### b c\n### D\n## E\n")
	for _, c := range []struct{ listed, want string }{
		{"a b e", "a b e"},
		{"a b-c d e", "a b-c d e"},
		{"a b-c e", "a b-c d e"},
		{"", "a b-c d e"},
		{"e b a", "a b e"},
	} {
		if got := strings.Join(contents(lines, strings.Fields(c.listed)), " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.listed, got, c.want)
		}
	}
}
