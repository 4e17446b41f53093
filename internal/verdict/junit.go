package verdict

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"

	"github.com/simtrun/simtrun/internal/cxx"
)

// Suite is a test suite of a JUnit report. It has no times, which would differ from run to run.
type Suite struct {
	Name  string
	Cases []Case
	// Judged says that a case fails if it has a finding that fails: such findings are then not tests of their own.
	Judged bool
}

// Case is a test of a suite.
type Case struct {
	Class, Name string
	Failure     string // "" if it passed; the first line is the summary
	Skipped     string // why it does not count; "" if it does
}

// JUnit returns a suite as JUnit XML, and a second one with the findings if there are any. It is not made by
// xml.Marshal, which would add 60 KB to the command.
func (v *Verdict) JUnit(suite Suite) []byte {
	suites := []Suite{suite}
	if findings := v.suite(&suite); len(findings.Cases) > 0 {
		suites = append(suites, findings)
	}
	tests, failures := 0, 0
	for i := range suites {
		tests += len(suites[i].Cases)
		failures += suites[i].count(Case.failed)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s<testsuites tests=\"%d\" failures=\"%d\">\n", xml.Header, tests, failures)
	for i := range suites {
		suites[i].write(&b)
	}
	b.WriteString("</testsuites>\n")
	return b.Bytes()
}

func (s *Suite) write(b *bytes.Buffer) {
	fmt.Fprintf(b, "  <testsuite name=%s tests=\"%d\" failures=\"%d\"", quoted(s.Name), len(s.Cases), s.count(Case.failed))
	if skipped := s.count(Case.skipped); skipped > 0 {
		fmt.Fprintf(b, " skipped=\"%d\"", skipped)
	}
	b.WriteString(">\n")
	for _, c := range s.Cases {
		fmt.Fprintf(b, "    <testcase classname=%s name=%s>", quoted(c.Class), quoted(c.Name))
		switch {
		case c.failed():
			message, _, _ := strings.Cut(strings.TrimSpace(c.Failure), "\n")
			fmt.Fprintf(b, "\n      <failure message=%s>%s</failure>\n    ", quoted(message), escaped(c.Failure))
		case c.skipped():
			fmt.Fprintf(b, "\n      <skipped message=%s></skipped>\n    ", quoted(c.Skipped))
		}
		b.WriteString("</testcase>\n")
	}
	b.WriteString("  </testsuite>\n")
}

func (c Case) failed() bool  { return c.Failure != "" }
func (c Case) skipped() bool { return c.Failure == "" && c.Skipped != "" }

// count returns the number of cases for which a condition holds.
func (s *Suite) count(holds func(Case) bool) (n int) {
	for _, c := range s.Cases {
		if holds(c) {
			n++
		}
	}
	return n
}

// quoted returns a text as the value of an attribute.
func quoted(text string) string { return `"` + escaped(text) + `"` }

func escaped(text string) string {
	var b bytes.Buffer
	xml.EscapeText(&b, []byte(text))
	return b.String()
}

// suite returns a test for each finding: one that has failed, unless it is judged elsewhere, or that is skipped. It is
// in the class of the tests of the run, so that viewers list the program once.
func (v *Verdict) suite(run *Suite) Suite {
	s, class := Suite{Name: "findings"}, "simtrun"
	if len(run.Cases) > 0 {
		class = run.Cases[0].Class
	}
	for _, f := range v.Findings {
		if run.Judged && v.fails(f) {
			continue
		}
		one := Case{Class: class, Name: f.name()}
		if f.Kernel != "" {
			one.Name += " in " + cxx.Short(f.Kernel)
		}
		switch {
		case v.fails(f):
			one.Failure = strings.Join(append([]string{f.At.String() + ": " + f.Severity.String() + ": " + f.Text(), f.At.Text}, f.related()...), "\n")
		case f.Suppressed != nil:
			one.Skipped = "suppressed: " + f.Suppressed.Reason
		case f.Known:
			one.Skipped = "in the baseline"
		default:
			one.Skipped = strings.Join(append([]string{f.Severity.String() + ": " + f.Text()}, f.related()...), "; ")
		}
		s.Cases = append(s.Cases, one)
	}
	return s
}

// related returns a text for each further place of a finding.
func (f *Finding) related() (lines []string) {
	for i := range f.Related {
		lines = append(lines, fmt.Sprintf("%s at %s", f.Related[i].Role, &f.Related[i]))
	}
	return lines
}
