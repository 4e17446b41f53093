package html

import (
	"fmt"
	"strings"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"github.com/simtrun/simtrun/internal/report"
	"github.com/simtrun/simtrun/internal/report/chart"
)

// policy lets the page show only its own contents.
const policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"

func (v *view) node() g.Node {
	return h.Doctype(h.HTML(h.Lang("en"),
		h.Head(
			h.Meta(h.Charset("utf-8")),
			h.Meta(g.Attr("http-equiv", "Content-Security-Policy"), h.Content(policy)),
			h.Meta(h.Name("viewport"), h.Content("width=device-width, initial-scale=1")),
			h.Link(h.Rel("icon"), h.Href("data:,")),
			h.TitleEl(g.Text(v.Title+" – simtrun")),
			h.StyleEl(g.Raw(chart.Style+launchStyle+style)),
		),
		h.Body(
			v.header(),
			h.Main(
				v.findings(),
				v.leftOut(),
				g.Map(v.Launches, func(l launchView) g.Node { return l.node() }),
				v.overTime(),
				h.Section(h.ID("text"), h.H2(g.Text("As text")), h.Pre(h.TabIndex("0"), g.Text(v.Overview))),
			),
			h.Script(g.Raw(script)),
		),
	))
}

func (v *view) header() g.Node {
	clock := ""
	if v.Untimed != "" {
		clock = "; no clock: " + v.Untimed
	}
	link := func(href, text string) g.Node { return g.Group{h.A(h.Href(href), g.Text(text)), g.Text(" ")} }
	return h.Header(
		h.H1(g.Text(v.Title)),
		h.P(g.Textf("divergence %s%s; %s", v.Divergence, clock, report.Count(int64(len(v.Document.Launches)), "launch"))),
		g.If(v.Summary.Message != "", h.Pre(h.Class("bad"), h.TabIndex("0"), g.Text(v.Summary.Message))),
		h.Nav(h.Aria("label", "parts of the page"),
			g.Map(v.Launches, func(l launchView) g.Node { return link(fmt.Sprintf("#launch%d", l.ID), l.Kernel) }),
			g.If(len(v.Over) > 0, link("#time", "over time")),
			g.If(len(v.Findings) > 0, link("#findings", "findings")),
			h.A(h.Href("#text"), g.Text("as text")),
		),
	)
}

func (v *view) findings() g.Node {
	if len(v.Findings) == 0 {
		return nil
	}
	return h.Section(h.ID("findings"), h.H2(g.Text("Findings")), h.Ul(g.Map(v.Findings, findingItem)))
}

// findingItem is a finding in the words of the command: its line, the calls through which that was inlined, and the
// other lanes.
func findingItem(f report.Finding) g.Node {
	lines := f.Lines()
	return h.Li(
		h.Strong(h.Class("bad"), g.Text(f.Severity)), g.Textf(" %s [%s]", f.Message, f.Rule),
		g.If(f.File != "", g.Group{g.Text(" "), h.Code(g.Textf("%s:%d", f.File, f.Line))}),
		g.If(len(lines) > 0, h.Pre(g.Text(strings.Join(lines, "\n")))),
	)
}

func (v *view) overTime() g.Node {
	if len(v.Over) == 0 {
		return nil
	}
	return h.Section(h.ID("time"), h.H2(g.Text("Over time")), h.Div(h.Class("launch"), h.Div(h.Class("figures"), g.Map(v.Over, drawn))))
}

// caption is the heading of a figure, with a note in small letters if it is not empty.
func caption(name, note string) g.Node {
	return h.FigCaption(h.H3(g.Text(name), small(note)))
}

func small(note string) g.Node {
	return g.If(note != "", g.Group{g.Text(" "), h.Small(g.Text(note))})
}

// leftOut says how many launches only the text has.
func (v *view) leftOut() g.Node {
	switch v.Hidden {
	case 0:
		return g.Text("")
	case 1:
		return h.P(g.Text("The last launch is left out here; the text below has it."))
	}
	return h.P(g.Textf("The last %d launches are left out here; the text below has them.", v.Hidden))
}
