package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/simtrun/simtrun/cuda"
	"github.com/simtrun/simtrun/internal/check"
	"github.com/simtrun/simtrun/internal/hostlink"
	"github.com/simtrun/simtrun/internal/verdict"
)

// hostFindings returns findings as the driver library writes them in the form in which they are judged.
func hostFindings(all []cuda.Finding, kernel string) (found []verdict.Finding) {
	for _, f := range all {
		one := verdict.Finding{Rule: f.Rule, Severity: check.SeverityNamed(f.Severity), Message: f.Message, Kernel: kernel, Count: f.Count}
		one.At = placeOf(f.Place, f.Code)
		if f.Earlier != "" {
			other := placeOf(f.Earlier, f.EarlierCode)
			other.Role = f.EarlierDoes
			one.Other = []verdict.Place{other}
		}
		one.Related = placesOf(f.Others)
		found = append(found, one)
	}
	return found
}

func placesOf(all []cuda.Place) (places []verdict.Place) {
	for _, p := range all {
		at := placeOf(p.Place, p.Code)
		at.Role = p.Role
		places = append(places, at)
	}
	return places
}

// fatalFinding returns the finding about a kernel that failed.
func fatalFinding(l *cuda.Launched) verdict.Finding {
	first, rest, _ := strings.Cut(l.Error, "\n")
	f := verdict.Finding{Rule: cmp.Or(l.Rule, "error"), Severity: check.Error, Message: first, Kernel: l.Symbol(), Count: 1, Fatal: true, Hang: l.Hang, Related: placesOf(l.Others)}
	if parts := failure.FindStringSubmatch(first); parts != nil {
		code, _, _ := strings.Cut(strings.TrimSpace(rest), "\n")
		f.At, f.Message = placeOf(parts[1], code), strings.TrimSuffix(parts[2], " ["+l.Rule+"]")
	}
	return f
}

// failure matches the first line of an error with a place, and placePattern the place.
var (
	failure      = regexp.MustCompile(`^(.+?:\d+(?::\d+)?): error: (.*)$`)
	placePattern = regexp.MustCompile(`^(.*?):(\d+)(?::(\d+))?(?: .*)?$`)
)

// placeOf parses FILE:LINE:COLUMN.
func placeOf(text, code string) verdict.Place {
	parts := placePattern.FindStringSubmatch(text)
	if parts == nil {
		return verdict.Place{File: text, Text: code}
	}
	line, _ := strconv.Atoi(parts[2])
	column, _ := strconv.Atoi(parts[3])
	return verdict.Place{File: parts[1], Line: line, Column: column, Text: code}
}

// foundError is the error of a program with findings that fail.
type foundError struct{ text string }

func (e *foundError) Error() string { return e.text }

// foundIn returns the error about the findings of a program, by which simtrun ends with an exit status.
func foundIn(v *verdict.Verdict, status int) error {
	errs, warnings := 0, 0
	for _, f := range v.Findings {
		switch {
		case !f.Counts() && !f.Fatal:
		case f.Severity == check.Error:
			errs++
		case f.Severity == check.Warning:
			warnings++
		}
	}
	return &foundError{fmt.Sprintf("%s, %s: exit status %d", quantity(errs, "error", "errors"), quantity(warnings, "warning", "warnings"), status)}
}

// hostEnd is how a program has ended.
type hostEnd struct {
	name    string // of the program
	code    int    // its exit status, 128+N after signal N
	how     string // the same in words
	missing string // libraries that it lacks, in words; "" if it started
	late    bool   // --timeout stopped it
	broken  error  // of the connection to its debugger
	judged  error  // that --fail-on makes of its findings
}

// errorOf returns the error with which simtrun host ends after its program, or nil. The first cause decides: how the
// session or the program ended, and then what was found.
func (o *hostOptions) errorOf(e *hostEnd, t *hostTotal, v *verdict.Verdict) error {
	switch {
	case e.broken != nil:
		return &codedError{exitUsage, e.broken}
	case e.late:
		return &codedError{exitHang, fmt.Errorf("time limit: %s was not done after %v; --timeout sets the limit [%s]", e.name, time.Duration(o.timeout), ruleTimeout)}
	case t.code != exitOK && o.ci.errorExit != 0:
		return &codedError{o.ci.errorExit, foundIn(v, o.ci.errorExit)}
	case e.code != 0:
		return &codedError{e.code, fmt.Errorf("%s %s%s", e.name, e.how, e.missing)}
	case e.judged != nil:
		return e.judged
	case t.launchless() && t.launchRequired && t.code == exitOK:
		return &codedError{exitFindings, fmt.Errorf("%w, and --require-launch is set: exit status %d", errNoLaunch, exitFindings)}
	case t.code != exitOK:
		return &codedError{t.code, foundIn(v, t.code)}
	}
	return nil
}

// suite returns the test suite of a program for which simtrun host ends with err. A launch that a finding ended has
// failed; that the program then failed too has the same cause, and is not a second failure.
func (e *hostEnd) suite(t *hostTotal, v *verdict.Verdict, err error) verdict.Suite {
	s := suiteOf("simtrun host", e.name, err)
	run := &s.Cases[0]
	switch fatal := slices.IndexFunc(v.Findings, func(f *verdict.Finding) bool { return f.Fatal }); {
	case t.launchless():
		run.Skipped = errNoLaunch.Error()
	case fatal >= 0 && run.Failure != "" && e.code != 0 && !e.late && e.broken == nil:
		run.Failure, run.Skipped = "", fmt.Sprintf("%s %s, after %s", e.name, e.how, v.Findings[fatal].Rule)
	}
	return s
}

// lookedFor says for what faults a program was checked, and which ones other checks find. Calls of the driver that fail
// are listed without a check, too.
func lookedFor(s *hostlink.Settings) string {
	looked, other := []string{"memory accesses", "driver calls"}, []string(nil)
	for _, c := range []struct {
		on, untimed bool
		faults      string
	}{
		{s.Race, true, "races"}, {s.Init, true, "unwritten values"}, {s.Sync, true, "undefined shuffles"},
		{s.Leak, false, "leaks"}, {s.Stream, true, "races between launches"},
	} {
		switch {
		case c.on:
			looked = append(looked, c.faults)
		case !c.untimed || s.Machine.Clock == nil:
			other = append(other, c.faults)
		}
	}
	text := strings.Join(looked, ", ")
	switch {
	case len(other) == 0:
		return text
	case s.Machine.Clock != nil:
		return text + "; --check leak also looks for leaks"
	}
	return text + "; --check all also looks for " + strings.Join(other, ", ")
}

// looksFor reports whether the checks find faults of a rule.
func (o *hostOptions) looksFor(rule string) bool {
	switch rule {
	case cuda.RuleCall:
		return o.settings.API
	case cuda.RuleLeak:
		return o.settings.Leak
	case cuda.RuleStream, cuda.RuleHost:
		return o.settings.Stream
	}
	return (&checkList{Kinds: o.settings.Kinds}).looksFor(rule)
}

// judged takes over the judgement of the findings of launches.
func (t *hostTotal) judged(v *verdict.Verdict) {
	t.verdict = v
	for _, f := range v.Findings {
		if f.Counts() {
			total := t.found[f.Rule]
			t.found[f.Rule] = foundTotal{total.times + f.Count, total.places + 1}
		}
	}
	for _, f := range v.Failing() {
		code := exitFindings
		switch {
		case f.Hang:
			code = exitHang
		case f.Fatal:
			code = exitFault
		}
		t.code = worse(t.code, code)
	}
}

// suppressionFiles returns the absolute paths of files, as a list for an environment variable.
func suppressionFiles(files []string) string {
	var all []string
	for _, file := range files {
		if path, err := filepath.Abs(file); err == nil && !slices.Contains(all, path) {
			all = append(all, path)
		}
	}
	return strings.Join(all, string(os.PathListSeparator))
}
