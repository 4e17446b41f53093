package golden

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/simtrun/simtrun/internal/lanes"
)

const (
	// mostShown is the most lines of a difference that are shown.
	mostShown = 20
	// mostCells limits the table of a line-by-line comparison; in longer differences all lines count as changed.
	mostCells = 1 << 22
)

// diff returns the lines that differ between two texts. Lines of want are numbered as in the golden file, where want
// begins at line first. For trace lines about the same instruction, it says which lanes differ.
func diff(want, got string, first int) string {
	w, g := splitLines(want), splitLines(got)
	same := 0
	for same < min(len(w), len(g)) && w[same] == g[same] {
		same++
	}
	tail := 0
	for tail < min(len(w), len(g))-same && w[len(w)-1-tail] == g[len(g)-1-tail] {
		tail++
	}
	d := &differ{line: first + same}
	d.compare(w[same:len(w)-tail], g[same:len(g)-tail])
	d.flush()
	if hidden := d.changed - mostShown; hidden > 0 {
		d.b.WriteString(fmt.Sprintf("  … %d more lines differ\n", hidden))
	}
	return strings.TrimSuffix(d.b.String(), "\n")
}

func splitLines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// differ collects differences.
type differ struct {
	b          strings.Builder
	line       int // number of the next line in the golden file
	minus      []string
	plus       []string
	minusFirst int // line number of the first of minus
	changed    int
}

// compare walks along a longest common subsequence of the lines.
func (d *differ) compare(w, g []string) {
	if len(w)*len(g) > mostCells {
		for _, l := range w {
			d.remove(l)
		}
		d.plus = append(d.plus, g...)
		return
	}
	common := commonLengths(w, g)
	i, j := 0, 0
	for i < len(w) || j < len(g) {
		switch {
		case i < len(w) && j < len(g) && w[i] == g[j]:
			d.flush()
			i, j, d.line = i+1, j+1, d.line+1
		case j == len(g) || i < len(w) && common[i+1][j] >= common[i][j+1]:
			d.remove(w[i])
			i++
		default:
			d.plus = append(d.plus, g[j])
			j++
		}
	}
}

// commonLengths returns, for each i and j, the length of the longest common subsequence of w[i:] and g[j:].
func commonLengths(w, g []string) [][]int {
	table := make([][]int, len(w)+1)
	for i := range table {
		table[i] = make([]int, len(g)+1)
	}
	for i := len(w) - 1; i >= 0; i-- {
		for j := len(g) - 1; j >= 0; j-- {
			if w[i] == g[j] {
				table[i][j] = table[i+1][j+1] + 1
			} else {
				table[i][j] = max(table[i+1][j], table[i][j+1])
			}
		}
	}
	return table
}

func (d *differ) remove(line string) {
	if len(d.minus) == 0 {
		d.minusFirst = d.line
	}
	d.minus = append(d.minus, line)
	d.line++
}

// flush writes the lines that were removed and added at one place.
func (d *differ) flush() {
	for i := range max(len(d.minus), len(d.plus)) {
		note := ""
		if i < len(d.minus) && i < len(d.plus) {
			note = lanesDiffer(d.minus[i], d.plus[i])
		}
		if i < len(d.minus) {
			d.show(fmt.Sprintf("  %4d - %s\n", d.minusFirst+i, d.minus[i]))
		}
		if i < len(d.plus) {
			d.show(fmt.Sprintf("       + %s\n", d.plus[i]))
		}
		if note != "" && d.changed <= mostShown {
			d.b.WriteString("         " + note + "\n")
		}
	}
	d.minus, d.plus = d.minus[:0], d.plus[:0]
}

func (d *differ) show(line string) {
	if d.changed++; d.changed <= mostShown {
		d.b.WriteString(line)
	}
}

var maskPattern = regexp.MustCompile(`\b[0-9a-f]{8}\b`)

// lanesDiffer says which lanes two lines of a trace disagree about, if both are about the same event of the same warp
// and source line.
func lanesDiffer(a, b string) string {
	x, y := strings.Fields(a), strings.Fields(b)
	if len(x) < 4 || len(y) < 4 || x[0] != y[0] || x[1] != y[1] || x[2] != y[2] {
		return ""
	}
	p, q := maskPattern.FindAllString(a, -1), maskPattern.FindAllString(b, -1)
	m := lanes.Mask(0)
	for i := range min(len(p), len(q)) {
		m |= mask(p[i]) ^ mask(q[i])
	}
	if m == 0 {
		return ""
	}
	if m.Count() == 1 {
		return fmt.Sprintf("%s %s: lane %s differs", x[0], x[2], m.Ranges())
	}
	return fmt.Sprintf("%s %s: lanes %s differ", x[0], x[2], m.Ranges())
}

func mask(text string) lanes.Mask {
	v, _ := strconv.ParseUint(text, 16, 32) // the pattern matches only hexadecimal digits
	return lanes.Mask(v)
}
