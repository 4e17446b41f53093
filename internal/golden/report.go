package golden

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/simtrun/simtrun/internal/report"
)

// Report prints the outcomes of cases, as text or JSON, one after the other. Its writer must keep write errors, as a
// bufio.Writer does.
type Report struct {
	Out     io.Writer
	Paint   report.Paint
	JSON    bool // one object per case, and nothing else
	Verbose bool // also print cases that pass

	outcomes []*Outcome
	failed   int
}

// Failed returns how many cases have failed.
func (r *Report) Failed() int { return r.failed }

// Add prints the outcome of a case; if it passed without warnings, only in verbose mode.
func (r *Report) Add(o *Outcome) {
	r.outcomes = append(r.outcomes, o)
	if !o.passed() {
		r.failed++
	}
	switch {
	case r.JSON:
		writeJSON(r.Out, o)
	case !o.passed():
		r.line(r.Paint.Red("FAIL"), o.Case)
		fmt.Fprint(r.Out, o.problemsText(), o.warningsText())
	case o.Updated:
		r.line("new ", o.Case)
		fmt.Fprint(r.Out, o.warningsText())
	case r.Verbose, len(o.Warnings) > 0:
		r.line(r.Paint.Green("ok")+"  ", o.Case+o.detailText())
		fmt.Fprint(r.Out, o.warningsText())
	}
}

// warningsText returns the warnings, indented.
func (o *Outcome) warningsText() (text string) {
	for _, w := range o.Warnings {
		text += "  " + strings.ReplaceAll(w, "\n", "\n  ") + "\n"
	}
	return text
}

func (r *Report) line(status, text string) { fmt.Fprintf(r.Out, "%s  %s\n", status, text) }

// detailText returns remarks on a case that passed.
func (o *Outcome) detailText() string {
	text := ""
	if len(o.Runs) > 1 {
		text = "  on " + strings.Join(o.Runs, ", ")
	}
	if !o.Pinned {
		text += "  no golden file"
	}
	return text
}

// problemsText returns the problems of a case, indented. It names the machines with a problem unless all possible
// ones have it.
func (o *Outcome) problemsText() string {
	var b strings.Builder
	for _, p := range o.Problems {
		text := p.Text
		if p.Section != "" {
			text = p.Section + ": " + text
		}
		if !p.All {
			text = "on " + strings.Join(p.Runs, ", ") + ": " + text
		}
		b.WriteString("  " + strings.ReplaceAll(text, "\n", "\n  ") + "\n")
	}
	return b.String()
}

// End prints the totals.
func (r *Report) End() {
	if r.JSON {
		return
	}
	updated, unpinned := 0, 0
	for _, o := range r.outcomes {
		if o.Updated {
			updated++
		}
		if !o.Pinned {
			unpinned++
		}
	}
	text := report.Count(int64(len(r.outcomes)), "case")
	if r.failed > 0 {
		text = fmt.Sprintf("%d of %s failed", r.failed, text)
	}
	if updated > 0 {
		text += fmt.Sprintf(", %d rewritten", updated)
	}
	if unpinned > 0 {
		text += fmt.Sprintf(", %d without golden file", unpinned)
	}
	if r.failed > 0 {
		r.line(r.Paint.Red("FAIL"), text)
	} else {
		r.line(r.Paint.Green("ok")+"  ", text)
	}
}

// caseJSON is the JSON object of a case. Its keys are part of the interface.
type caseJSON struct {
	Schema   string        `json:"schema"`
	Case     string        `json:"case"`
	Status   string        `json:"status"` // pass, fail or update
	Golden   bool          `json:"golden"` // the case has a golden file or sections
	Runs     []string      `json:"runs"`   // machines of the matrix; "" is the header's own
	Problems []problemJSON `json:"problems"`
	Warnings []string      `json:"warnings"`
}

type problemJSON struct {
	Runs    []string `json:"runs"`
	Section string   `json:"section"` // "" if it is about the run
	Text    string   `json:"text"`
}

// writeJSON writes the object of a case on one line. Encoding cannot fail; w keeps write errors.
func writeJSON(w io.Writer, o *Outcome) {
	object := caseJSON{Schema: "simtrun.test/v1", Case: o.Case, Status: "pass", Golden: o.Pinned, Runs: o.Runs, Problems: []problemJSON{}, Warnings: append([]string{}, o.Warnings...)}
	switch {
	case !o.passed():
		object.Status = "fail"
	case o.Updated:
		object.Status = "update"
	}
	for _, p := range o.Problems {
		object.Problems = append(object.Problems, problemJSON{p.Runs, p.Section, p.Text})
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.Encode(object)
}
