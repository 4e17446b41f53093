package verdict

import (
	"cmp"
	"encoding/xml"
	"strings"

	"github.com/simtrun/simtrun/internal/cxx"
)

// Suite is a test suite of a JUnit report. It has no times, which would differ from run to run.
type Suite struct {
	Name  string
	Cases []Case
}

// Case is a test of a suite.
type Case struct {
	Class, Name string
	Failure     string // "" if it passed; the first line is the summary
	Skipped     string // why it does not count; "" if it does
}

// The elements of a JUnit report.
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
		Skipped  int         `xml:"skipped,attr,omitempty"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Failure *junitFailure `xml:"failure,omitempty"`
		Skipped *junitSkipped `xml:"skipped,omitempty"`
	}
	junitFailure struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
	junitSkipped struct {
		Message string `xml:"message,attr"`
	}
)

// JUnit returns a suite as JUnit XML, and a second one with the findings if there are any.
func (v *Verdict) JUnit(suite Suite) []byte {
	var all junitSuites
	for _, s := range []Suite{suite, v.suite()} {
		if len(s.Cases) == 0 && s.Name == findingsSuite {
			continue
		}
		suite := junitSuite{Name: s.Name, Tests: len(s.Cases)}
		for i := range s.Cases {
			one := caseOf(&s.Cases[i])
			if one.Failure != nil {
				suite.Failures++
			}
			if one.Skipped != nil {
				suite.Skipped++
			}
			suite.Cases = append(suite.Cases, one)
		}
		all.Suites = append(all.Suites, suite)
		all.Tests += suite.Tests
		all.Failures += suite.Failures
	}
	text, err := xml.MarshalIndent(all, "", "  ")
	if err != nil {
		panic("simtrun bug: " + err.Error())
	}
	return append([]byte(xml.Header), append(text, '\n')...)
}

func caseOf(c *Case) junitCase {
	one := junitCase{Class: c.Class, Name: c.Name}
	switch {
	case c.Failure != "":
		message, _, _ := strings.Cut(strings.TrimSpace(c.Failure), "\n")
		one.Failure = &junitFailure{message, c.Failure}
	case c.Skipped != "":
		one.Skipped = &junitSkipped{c.Skipped}
	}
	return one
}

const findingsSuite = "findings"

// suite returns a test for each finding: one that has failed, or that is skipped.
func (v *Verdict) suite() Suite {
	s := Suite{Name: findingsSuite}
	for _, f := range v.Findings {
		one := Case{Class: cmp.Or(cxx.Short(f.Kernel), f.At.File, f.Rule), Name: f.name()}
		switch {
		case v.fails(f):
			one.Failure = f.At.String() + ": " + f.Severity.String() + ": " + f.Text() + "\n" + f.At.Text
		case f.Suppressed != nil:
			one.Skipped = "suppressed: " + f.Suppressed.Reason
		case f.Known:
			one.Skipped = "in the baseline"
		default:
			one.Skipped = f.Severity.String() + ": " + f.Text()
		}
		s.Cases = append(s.Cases, one)
	}
	return s
}
