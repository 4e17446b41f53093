package html

import (
	"fmt"
	"io"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"github.com/simtrun/simtrun/internal/report"
	"github.com/simtrun/simtrun/internal/report/chart"
)

func (l *launchView) node() g.Node {
	return h.Section(h.ID(fmt.Sprintf("launch%d", l.ID)),
		h.H2(g.If(l.Mangled != "", h.Title(l.Mangled)), g.Text(l.Kernel), small(l.Size+" · "+l.File)),
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
	return h.Div(h.Class("launch"),
		h.Dl(h.Class("cards"), g.Map(l.Cards, func(c chart.Card) g.Node {
			return h.Div(h.Dt(g.Text(c.Name)), h.Dd(g.Text(c.Value)), h.Dd(h.Class("note"), g.Text(c.Note)))
		})),
		l.advice(),
		l.figures(),
		l.arrays(),
		l.buffers(),
		h.H3(g.Text("Source"), small(left)),
		h.Div(h.Class("frame"), h.TabIndex("0"), h.Role("region"), h.Aria("label", "source lines of "+l.Kernel), l.source()),
		l.metrics(),
	)
}

func (l *launchView) advice() g.Node {
	if len(l.Advice) == 0 {
		return nil
	}
	return g.Group{
		h.H3(g.Text("Advice"), small("the most that each could gain; gains are not to be added up")),
		h.Table(h.Class("advice"),
			h.THead(h.Tr(g.Map([]string{"up to", "what", "change", "where"}, func(name string) g.Node {
				return h.Th(h.Scope("col"), g.Text(name))
			}))),
			h.TBody(g.Map(l.Advice, func(a adviceView) g.Node {
				place := g.Text(a.Place)
				if a.Link != "" {
					place = h.A(h.Href("#"+a.Link), place)
				}
				return h.Tr(number(a.Share), h.Td(g.Text(a.What)), h.Td(g.Text(a.Change)), h.Td(h.Class("place"), place))
			})),
		),
	}
}

// figures shows where the time of the launch went; nothing without a clock.
func (l *launchView) figures() g.Node {
	if !l.Timed {
		return nil
	}
	return h.Div(h.Class("figures"), g.Map(l.Figures, drawn))
}

// drawn is a figure.
func drawn(f chart.Figure) g.Node {
	return h.Figure(g.If(f.Wide, h.Class("across")), caption(f.Name, f.Note), g.Map(f.SVG, func(m chart.Markup) g.Node { return m }), g.If(f.Text != "", h.P(g.Text(f.Text))))
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
			return h.Td(h.Class("from line"), h.Title(line.Line), g.Text(line.Line))
		}},
		{"from", "the line of the compiled source that the instruction comes from", l.Has.From, func(line *lineView) g.Node {
			return h.Td(h.Class("from"), h.Title(line.FromFile), g.Text(line.From))
		}},
		{"source", "", true, (*lineView).code},
		{"cycles", "cycles of warps that were to issue the line, of all", l.Timed, func(line *lineView) g.Node {
			return h.Td(h.Class("num"), h.Data("v", fmt.Sprint(line.Cycles)), h.Title(fmt.Sprintf("%d cycles of warps", line.Cycles)), g.Text(line.Share))
		}},
		{"mostly", "the state in which warps spent most of these cycles", l.Timed && l.Has.Mostly, func(line *lineView) g.Node {
			return h.Td(h.Class("state"), g.If(line.MostlyDoc != "", h.Title(line.MostlyDoc)), g.Text(line.Mostly))
		}},
		{"runs", "warp instructions executed", true, text(func(line *lineView) string { return fmt.Sprint(line.Runs) })},
		{"lanes", "active lanes of 32, the mean", true, func(line *lineView) g.Node {
			return h.Td(h.Class("lane"), h.Data("v", line.Average), line.laneBar(), g.Text(" "+line.Average))
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
		return h.Th(h.Scope("col"), g.If(c.doc != "", h.Title(c.doc)), h.Button(g.Text(c.name)))
	})
	rows := make(g.Group, len(l.Lines))
	for i := range l.Lines {
		line := &l.Lines[i]
		rows[i] = h.Tr(h.ID(line.ID), g.Map(columns, func(c column) g.Node { return c.cell(line) }))
	}
	return h.Table(h.Class("source sortable"), h.THead(h.Tr(heads)), h.TBody(rows))
}

// code is the cell with the text of a line, which opens to the PTX that was compiled from it.
func (l *lineView) code() g.Node {
	code := g.Node(h.Code(g.Text(l.Code), g.If(l.Comment != "", h.Span(g.Text(l.Comment)))))
	if l.PTX != "" {
		calls := g.Map(l.Chains, func(chain string) g.Node { return h.P(g.Text("in " + chain)) })
		code = h.Details(h.Summary(code), calls, h.Pre(g.Text(l.PTX)))
	}
	return h.Td(h.Class("hot code"), h.Style(fmt.Sprintf("--heat:%d%%", l.Heat)), h.Data("v", l.Line),
		h.Title(fmt.Sprintf("%s: %s%s", l.Function, l.Code, l.Comment)), code)
}

func (l *launchView) metrics() g.Node {
	names := []string{"metric", "value", "unit", "Nsight Compute"}
	return h.Details(h.Summary(g.Text("Metrics")),
		h.Div(h.Class("frame"), h.TabIndex("0"), h.Role("region"), h.Aria("label", "metrics of "+l.Kernel),
			h.Table(h.Class("plain sortable"),
				h.THead(h.Tr(g.Map(names, func(name string) g.Node { return h.Th(h.Scope("col"), h.Button(g.Text(name))) }))),
				h.TBody(g.Map(l.Metrics, func(m report.Metric) g.Node {
					return h.Tr(h.Td(g.Text(m.Name)), number(fmt.Sprint(m.Value)), h.Td(g.Text(m.Unit)), h.Td(h.Code(g.Text(m.NCU))))
				})),
			)))
}

// number is a cell that is aligned to the right.
func number(text string) g.Node { return h.Td(h.Class("num"), g.Text(text)) }
