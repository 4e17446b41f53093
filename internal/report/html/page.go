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
	return h.Doctype(el("html", attr("lang", "en"),
		el("head",
			el("meta", attr("charset", "utf-8")),
			el("meta", attr("http-equiv", "Content-Security-Policy"), attr("content", policy)),
			el("meta", attr("name", "viewport"), attr("content", "width=device-width, initial-scale=1")),
			el("link", attr("rel", "icon"), attr("href", "data:,")),
			el("title", words(v.Title+" – simtrun")),
			el("style", g.Raw(chart.Style+launchStyle+style)),
		),
		el("body",
			v.header(),
			el("main",
				v.findings(),
				v.leftOut(),
				g.Map(v.Launches, func(l launchView) g.Node { return l.node() }),
				v.overTime(),
				el("section", attr("id", "text"), el("h2", words("As text")), el("pre", attr("tabindex", "0"), words(v.Overview))),
			),
			el("script", g.Raw(script)),
		),
	))
}

func (v *view) header() g.Node {
	clock := ""
	if v.Untimed != "" {
		clock = "; no clock: " + v.Untimed
	}
	link := func(href, text string) g.Node { return g.Group{el("a", attr("href", href), words(text)), words(" ")} }
	return el("header",
		el("h1", words(v.Title)),
		el("p", g.Textf("divergence %s%s; %s", v.Divergence, clock, report.Count(int64(len(v.Document.Launches)), "launch"))),
		g.If(v.Summary.Message != "", el("pre", attr("class", "bad"), attr("tabindex", "0"), words(v.Summary.Message))),
		el("nav", attr("aria-label", "parts of the page"),
			g.Map(v.Launches, func(l launchView) g.Node { return link(fmt.Sprintf("#launch%d", l.ID), l.Kernel) }),
			g.If(len(v.Over) > 0, link("#time", "over time")),
			g.If(len(v.Findings) > 0, link("#findings", "findings")),
			el("a", attr("href", "#text"), words("as text")),
		),
	)
}

func (v *view) findings() g.Node {
	if len(v.Findings) == 0 {
		return nil
	}
	return el("section", attr("id", "findings"), el("h2", words("Findings")), el("ul", g.Map(v.Findings, findingItem)))
}

// findingItem is a finding in the words of the command: its line, the calls through which that was inlined, and the
// other lanes.
func findingItem(f report.Finding) g.Node {
	lines := f.Lines()
	return el("li",
		el("strong", attr("class", "bad"), words(f.Severity)), g.Textf(" %s [%s]", f.Message, f.Rule),
		g.If(f.File != "", g.Group{words(" "), el("code", g.Textf("%s:%d", f.File, f.Line))}),
		g.If(len(lines) > 0, el("pre", words(strings.Join(lines, "\n")))),
	)
}

func (v *view) overTime() g.Node {
	if len(v.Over) == 0 {
		return nil
	}
	return el("section", attr("id", "time"), el("h2", words("Over time")), el("div", attr("class", "launch"), el("div", attr("class", "figures"), g.Map(v.Over, drawn))))
}

// caption is the heading of a figure, with a note in small letters if it is not empty.
func caption(name, note string) g.Node {
	return el("figcaption", el("h3", words(name), small(note)))
}

func small(note string) g.Node {
	return g.If(note != "", g.Group{words(" "), el("small", words(note))})
}

// leftOut says how many launches only the text has.
func (v *view) leftOut() g.Node {
	switch v.Hidden {
	case 0:
		return words("")
	case 1:
		return el("p", words("The last launch is left out here; the text below has it."))
	}
	return el("p", g.Textf("The last %d launches are left out here; the text below has them.", v.Hidden))
}
