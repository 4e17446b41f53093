package golden

import (
	"encoding/xml"
	"strings"
)

// The elements of a JUnit report. It has no times, which would differ from run to run.
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

// JUnit returns the added cases as JUnit XML: a suite with a test for each.
func (r *Report) JUnit() []byte {
	suite := junitSuite{Name: "simtrun test", Tests: len(r.outcomes), Failures: r.failed}
	for _, o := range r.outcomes {
		one := junitCase{Class: "simtrun", Name: o.Case}
		if !o.Passed() {
			text := o.problemsText()
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
