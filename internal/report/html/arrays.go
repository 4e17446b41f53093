package html

import (
	"fmt"

	g "maragu.dev/gomponents"
)

// mostRows limits the rows of arrays and of buffers.
const mostRows = 50

// arrays has the bank conflicts of each array in shared memory.
func (l *launchView) arrays() g.Node {
	if len(l.Arrays) == 0 {
		return nil
	}
	rows := make(g.Group, 0, len(l.Arrays))
	for _, a := range l.Arrays[:min(len(l.Arrays), mostRows)] {
		rows = append(rows, el("tr", el("td", words(a.Name)), number(fmt.Sprint(a.Requests)), number(fmt.Sprint(a.Wavefronts)), number(fmt.Sprint(a.IdealWavefronts)),
			number(fmt.Sprint(a.WorstConflict))))
	}
	return namedTable("Shared arrays", "bank conflicts of each", len(l.Arrays)-len(rows), []string{"array", "requests", "wavefronts", "without conflicts", "worst conflict"}, rows)
}

// buffers has the sectors of each buffer in global memory.
func (l *launchView) buffers() g.Node {
	if len(l.Buffers) == 0 {
		return nil
	}
	shown, left := l.BySectors(mostRows)
	rows := make(g.Group, 0, len(shown))
	for _, b := range shown {
		rows = append(rows, el("tr", el("td", words(b.Name)), number(fmt.Sprint(b.Requests)), number(fmt.Sprint(b.Sectors)), number(fmt.Sprint(b.IdealSectors)),
			number(fmt.Sprintf("%.1f", float64(b.Sectors)/float64(b.Requests)))))
	}
	return namedTable("Buffers", "sectors of 32 bytes of each", left, []string{"buffer", "requests", "sectors", "ideal sectors", "sectors per request"}, rows)
}

// namedTable is a table that opens, with a heading and how many rows are left out.
func namedTable(name, note string, left int, columns []string, rows g.Group) g.Node {
	if left > 0 {
		note += fmt.Sprintf("; %d more are left out", left)
	}
	return el("details", el("summary", words(name), words(": "+note)),
		el("div", attr("class", "frame"), attr("tabindex", "0"), attr("role", "region"), attr("aria-label", name),
			el("table", attr("class", "plain sortable"),
				el("thead", el("tr", g.Map(columns, func(name string) g.Node { return el("th", attr("scope", "col"), el("button", words(name))) }))),
				el("tbody", rows))))
}
