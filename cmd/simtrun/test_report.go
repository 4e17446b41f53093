package main

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/simtrun/simtrun/golden"
)

// testReport shows how cases went.
type testReport struct {
	o        *testOptions
	out      io.Writer
	paint    paint
	outcomes []*golden.Outcome
	failed   int
}

// add shows how a case went: if it passed, only when that is asked for.
func (r *testReport) add(c *golden.Outcome) {
	r.outcomes = append(r.outcomes, c)
	if !c.Passed() {
		r.failed++
	}
	switch {
	case r.o.json:
		r.writeJSON(c)
	case !c.Passed():
		r.line(r.paint.red("FAIL"), c.Case)
		fmt.Fprint(r.out, problemsText(c))
	case c.Updated:
		r.line("new ", c.Case)
	case r.o.verbose:
		r.line(r.paint.green("ok")+"  ", c.Case+detailText(c))
	}
}

func (r *testReport) line(status, text string) { fmt.Fprintf(r.out, "%s  %s\n", status, text) }

// detailText says what is not plain about a case that passed.
func detailText(c *golden.Outcome) string {
	text := ""
	if len(c.Runs) > 1 {
		text = "  on " + strings.Join(c.Runs, ", ")
	}
	if !c.Pinned {
		text += "  no golden file"
	}
	return text
}

// problemsText is the problems of a case, indented. It names the machines that
// have a problem if not all do that might.
func problemsText(c *golden.Outcome) string {
	var b strings.Builder
	for _, p := range c.Problems {
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

// summary ends the report of all cases.
func (r *testReport) summary() {
	if r.o.json {
		return
	}
	updated, unpinned := 0, 0
	for _, c := range r.outcomes {
		if c.Updated {
			updated++
		}
		if !c.Pinned {
			unpinned++
		}
	}
	text := count(int64(len(r.outcomes)), "case")
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
		r.line(r.paint.red("FAIL"), text)
	} else {
		r.line(r.paint.green("ok")+"  ", text)
	}
}

// caseReport is the JSON object of a case. Its keys are part of the interface.
type caseReport struct {
	Schema   string          `json:"schema"`
	Case     string          `json:"case"`
	Status   string          `json:"status"` // pass, fail or update
	Golden   bool            `json:"golden"` // something is pinned
	Runs     []string        `json:"runs"`   // machines of the matrix; "" is the header's own
	Problems []problemReport `json:"problems"`
}

type problemReport struct {
	Runs    []string `json:"runs"`
	Section string   `json:"section"` // "" if it is about the run
	Text    string   `json:"text"`
}

func (r *testReport) writeJSON(c *golden.Outcome) {
	report := caseReport{Schema: "simtrun.test/v1", Case: c.Case, Status: "pass", Golden: c.Pinned, Runs: c.Runs, Problems: []problemReport{}}
	switch {
	case !c.Passed():
		report.Status = "fail"
	case c.Updated:
		report.Status = "update"
	}
	for _, p := range c.Problems {
		report.Problems = append(report.Problems, problemReport{p.Runs, p.Section, p.Text})
	}
	enc := json.NewEncoder(r.out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(report); err != nil && !writes(err) {
		panic("simtrun bug: " + err.Error())
	}
}

// The elements of a JUnit report. It has no times, which would differ from run
// to run.
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Failure *junitFailure `xml:"failure,omitempty"`
	}
	junitFailure struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// junit is all outcomes as JUnit XML: a suite with a test for each case.
func (r *testReport) junit() []byte {
	suite := junitSuite{Name: "simtrun test", Tests: len(r.outcomes), Failures: r.failed}
	for _, c := range r.outcomes {
		one := junitCase{Class: "simtrun", Name: c.Case}
		if !c.Passed() {
			text := problemsText(c)
			message, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
			one.Failure = &junitFailure{message, text}
		}
		suite.Cases = append(suite.Cases, one)
	}
	all := junitSuites{Tests: suite.Tests, Failures: suite.Failures, Suites: []junitSuite{suite}}
	text, err := xml.MarshalIndent(all, "", "  ")
	if err != nil {
		panic("simtrun bug: " + err.Error())
	}
	return append([]byte(xml.Header), append(text, '\n')...)
}
