package html

import (
	"fmt"
	"io"

	g "maragu.dev/gomponents"

	"github.com/simtrun/simtrun/internal/report"
	"github.com/simtrun/simtrun/internal/report/chart"
)

func (l *launchView) node() g.Node {
	return el("section", attr("id", fmt.Sprintf("launch%d", l.ID)),
		el("h2", g.If(l.Mangled != "", attr("title", l.Mangled)), words(l.Kernel), small(l.Size+" · "+l.File)),
		l.body(),
	)
}

// WriteLaunch draws what the page has of a launch below its heading, for the explorer, which has the
// same style sheet and script.
func WriteLaunch(w io.Writer, d *report.Document, n int) error {
	v := newLaunchView(d, &d.Launches[n], n, mostLines)
	return v.body().Render(w)
}

// body has the figures of the launch.
func (l *launchView) body() g.Node {
	left := ""
	if l.Hidden > 0 {
		left = fmt.Sprintf("%d lines with least are left out", l.Hidden)
	}
	return el("div", attr("class", "launch"),
		el("dl", attr("class", "cards"), g.Map(l.Cards, func(c chart.Card) g.Node {
			return el("div", el("dt", words(c.Name)), el("dd", words(c.Value)), el("dd", attr("class", "note"), words(c.Note)))
		})),
		l.advice(),
		l.figures(),
		l.arrays(),
		l.buffers(),
		el("h3", words("Source"), small(left)),
		el("div", attr("class", "frame"), attr("tabindex", "0"), attr("role", "region"), attr("aria-label", "source lines of "+l.Kernel), l.source()),
		l.metrics(),
	)
}

func (l *launchView) advice() g.Node {
	if len(l.Advice) == 0 {
		return nil
	}
	return g.Group{
		el("h3", words("Advice"), small("the most that each could gain; gains are not to be added up")),
		el("table", attr("class", "advice"),
			el("thead", el("tr", g.Map([]string{"up to", "what", "change", "where"}, func(name string) g.Node {
				return el("th", attr("scope", "col"), words(name))
			}))),
			el("tbody", g.Map(l.Advice, func(a adviceView) g.Node {
				place := words(a.Place)
				if a.Link != "" {
					place = el("a", attr("href", "#"+a.Link), place)
				}
				return el("tr", number(a.Share), el("td", words(a.What)), el("td", words(a.Change)), el("td", attr("class", "place"), place))
			})),
		),
	}
}

// figures shows where the time of the launch went; nothing without a clock.
func (l *launchView) figures() g.Node {
	if !l.Timed {
		return nil
	}
	return el("div", attr("class", "figures"), g.Map(l.Figures, drawn))
}

// drawn is a figure.
func drawn(f chart.Figure) g.Node {
	return el("figure", g.If(f.Wide, attr("class", "across")), caption(f.Name, f.Note), g.Map(f.SVG, func(m chart.Markup) g.Node { return m }), g.If(f.Text != "", el("p", words(f.Text))))
}

// column is an optional column of the table of source lines.
type column struct {
	name, doc string
	shown     bool
	cell      func(*lineView) g.Node
}

// columns returns the columns of the table of source lines that are shown, from left to right.
func (l *launchView) columns() (shown []column) {
	text := func(value func(*lineView) string) func(*lineView) g.Node {
		return func(line *lineView) g.Node { return number(value(line)) }
	}
	for _, c := range []column{
		{"line", "", true, func(line *lineView) g.Node {
			return el("td", attr("class", "from line"), attr("title", line.Line), words(line.Line))
		}},
		{"from", "the line of the compiled source that the instruction comes from", l.Has.From, func(line *lineView) g.Node {
			return el("td", attr("class", "from"), attr("title", line.FromFile), words(line.From))
		}},
		{"source", "", true, (*lineView).code},
		{"cycles", "cycles of warps that were to issue the line, of all", l.Timed, func(line *lineView) g.Node {
			return el("td", attr("class", "num"), attr("data-v", fmt.Sprint(line.Cycles)), attr("title", fmt.Sprintf("%d cycles of warps", line.Cycles)), words(line.Share))
		}},
		{"mostly", "the state in which warps spent most of these cycles", l.Timed && l.Has.Mostly, func(line *lineView) g.Node {
			return el("td", attr("class", "state"), g.If(line.MostlyDoc != "", attr("title", line.MostlyDoc)), words(line.Mostly))
		}},
		{"runs", "warp instructions executed", true, text(func(line *lineView) string { return fmt.Sprint(line.Runs) })},
		{"lanes", "active lanes of 32, the mean", true, func(line *lineView) g.Node {
			return el("td", attr("class", "lane"), attr("data-v", line.Average), line.laneBar(), words(" "+line.Average))
		}},
		{"conflict", "wavefronts of shared memory, of the fewest possible: 1 is free of bank conflicts", l.Has.Conflicts, text(func(line *lineView) string { return line.Conflicts })},
		{"sectors", "sectors of 32 bytes per request", l.Has.Sectors, text(func(line *lineView) string { return line.Sectors })},
		{"wavefronts", "wavefronts per request", l.Has.Wavefronts, text(func(line *lineView) string { return line.Wavefronts })},
		{"lost", "lane slots lost: lanes inactive in instructions that ran", l.Has.Lost, text(func(line *lineView) string { return fmt.Sprint(line.Lost) })},
		{"live", "32-bit registers live", l.Has.Live, text(func(line *lineView) string { return fmt.Sprint(line.Live) })},
	} {
		if c.shown {
			shown = append(shown, c)
		}
	}
	return shown
}

func (l *launchView) source() g.Node {
	columns := l.columns()
	heads := g.Map(columns, func(c column) g.Node {
		return el("th", attr("scope", "col"), g.If(c.doc != "", attr("title", c.doc)), el("button", words(c.name)))
	})
	rows := make(g.Group, len(l.Lines))
	for i := range l.Lines {
		line := &l.Lines[i]
		rows[i] = el("tr", attr("id", line.ID), g.Map(columns, func(c column) g.Node { return c.cell(line) }))
	}
	return el("table", attr("class", "source sortable"), el("thead", el("tr", heads)), el("tbody", rows))
}

// code is the cell with the text of a line, which opens to the PTX that was compiled from it.
func (l *lineView) code() g.Node {
	code := g.Node(el("code", words(l.Code), g.If(l.Comment != "", el("span", words(l.Comment)))))
	if l.PTX != "" {
		calls := g.Map(l.Chains, func(chain string) g.Node { return el("p", words("in "+chain)) })
		code = el("details", el("summary", code), calls, el("pre", words(l.PTX)))
	}
	return el("td", attr("class", "hot code"), attr("style", fmt.Sprintf("--heat:%d%%", l.Heat)), attr("data-v", l.Line),
		attr("title", fmt.Sprintf("%s: %s%s", l.Function, l.Code, l.Comment)), code)
}

func (l *launchView) metrics() g.Node {
	names := []string{"metric", "value", "unit", "Nsight Compute"}
	return el("details", el("summary", words("Metrics")),
		el("div", attr("class", "frame"), attr("tabindex", "0"), attr("role", "region"), attr("aria-label", "metrics of "+l.Kernel),
			el("table", attr("class", "plain sortable"),
				el("thead", el("tr", g.Map(names, func(name string) g.Node { return el("th", attr("scope", "col"), el("button", words(name))) }))),
				el("tbody", g.Map(l.Metrics, func(m report.Metric) g.Node {
					return el("tr", el("td", words(m.Name)), number(fmt.Sprint(m.Value)), el("td", words(m.Unit)), el("td", el("code", words(m.NCU))))
				})),
			)))
}

// number is a cell that is aligned to the right.
func number(text string) g.Node { return el("td", attr("class", "num"), words(text)) }
