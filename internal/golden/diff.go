package golden

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/simtrun/simtrun/internal/lanes"
)

// mostShown is the most lines of a difference that are shown.
const mostShown = 20

// diff returns the lines that differ between two texts. Lines of want are numbered as in the golden file, where want
// begins at line first. For trace lines about the same instruction, it says which lanes differ.
func diff(want, got string, first int) string {
	d := &differ{}
	for _, e := range udiff.Lines(want, got) {
		d.change(first+strings.Count(want[:e.Start], "\n"), splitLines(want[e.Start:e.End]), splitLines(e.New))
	}
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
	b       strings.Builder
	changed int // lines
}

// change writes the lines that were removed and added at one place, where line is the number of the first.
func (d *differ) change(line int, minus, plus []string) {
	for i := range max(len(minus), len(plus)) {
		note := ""
		if i < len(minus) && i < len(plus) {
			note = lanesDiffer(minus[i], plus[i])
		}
		if i < len(minus) {
			d.show(fmt.Sprintf("  %4d - %s\n", line+i, minus[i]))
		}
		if i < len(plus) {
			d.show(fmt.Sprintf("       + %s\n", plus[i]))
		}
		if note != "" && d.changed <= mostShown {
			d.b.WriteString("         " + note + "\n")
		}
	}
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
