// Package verdict decides the effect of findings: which are allowed by a suppression, which are known from a baseline,
// and whether the others make a run fail. It writes findings in the forms that CI systems read: SARIF, JUnit and
// annotations of GitHub.
package verdict

import (
	"cmp"
	"slices"

	"github.com/simtrun/simtrun/internal/check"
	"github.com/simtrun/simtrun/internal/sorted"
)

// Finding is a fault of the program, as users and CI systems see it.
type Finding struct {
	Rule     string
	Severity check.Severity
	Message  string
	Kernel   string // "" if it is not about a launch
	At       Place
	Other    []Place // the other accesses of a race
	Related  []Place // where other threads are, and the calls through which code was inlined; no part of its identity
	Count    int64   // occurrences, at least 1
	Hang     bool    // the launch could not end, or not within a limit
	Fatal    bool    // it ended the launch, or nothing was launched: it can be neither suppressed nor known

	// Judge sets the fields below.
	ID         string       // the same in every run
	Suppressed *Suppression // that allows it; nil if none does
	Known      bool         // the baseline has it
}

// Counts reports whether the finding is neither suppressed nor known.
func (f *Finding) Counts() bool { return f.Suppressed == nil && !f.Known }

// Place is a place in a source file.
type Place struct {
	File         string
	Line, Column int
	Text         string // of the line of the source, or the instruction; "" if it is not known
	Role         string // role of the instruction there, such as "write"; "" at the place of the finding itself
}

// key is the identity of a finding within one run.
type key struct {
	rule, kernel string
	at, other    position
}

type position struct {
	file         string
	line, column int
	text         string // of the place, if the line is not known
}

func (f *Finding) key() key {
	k := key{rule: f.Rule, kernel: f.Kernel, at: f.At.position()}
	if len(f.Other) > 0 {
		k.other = f.Other[0].position()
	}
	return k
}

func (p *Place) position() position {
	at := position{file: p.File, line: p.Line, column: p.Column}
	if p.Line == 0 {
		at.text = p.Text
	}
	return at
}

func (p position) compare(q position) int {
	return cmp.Or(cmp.Compare(p.file, q.file), cmp.Compare(p.line, q.line), cmp.Compare(p.column, q.column), cmp.Compare(p.text, q.text))
}

// compare orders findings by place.
func (f *Finding) compare(g *Finding) int {
	a, b := f.key(), g.key()
	return cmp.Or(a.at.compare(b.at), cmp.Compare(a.rule, b.rule), cmp.Compare(a.kernel, b.kernel), a.other.compare(b.other))
}

// distinct returns the places with one for each role: both sides of a race may be in code that was inlined alike.
func distinct(places []Place) (all []Place) {
	for _, p := range places {
		if !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	return all
}

// Policy says which findings are allowed, and which make a run fail.
type Policy struct {
	FailOn       Level
	Suppressions *Suppressions   // nil for none
	Known        map[string]bool // IDs of the findings of the baseline
	// Looked reports whether the run looked for findings of a rule: suppressions of other rules are not unused.
	Looked func(rule string) bool
}

// Verdict is the judgement of the findings of one command. Findings are by place, each once: occurrences in several
// launches are added up.
type Verdict struct {
	Findings []*Finding
	index    map[key]*Finding
	failOn   Level
}

// Judge judges findings.
func (p *Policy) Judge(all []Finding) *Verdict {
	v := &Verdict{index: make(map[key]*Finding), failOn: p.FailOn}
	for i := range all {
		v.add(all[i])
	}
	v.number()
	for _, f := range v.Findings {
		if f.Fatal {
			p.Suppressions.refuse(f)
			continue
		}
		f.Suppressed, f.Known = p.Suppressions.match(f), p.Known[f.ID]
	}
	return v
}

// JudgeAll judges all findings of a command. Suppressions that are unused now become findings, too.
func (p *Policy) JudgeAll(all []Finding) *Verdict {
	v := p.Judge(all)
	for _, s := range p.Suppressions.unused(p.Looked) {
		v.add(s.unusedFinding())
	}
	v.number()
	return v
}

// number sorts the findings and gives them their IDs.
func (v *Verdict) number() {
	sorted.Stable(v.Findings, (*Finding).compare)
	identify(v.Findings)
}

func (v *Verdict) add(f Finding) {
	k := f.key()
	if known := v.index[k]; known != nil {
		known.Count += max(f.Count, 1)
		known.Fatal = known.Fatal || f.Fatal
		return
	}
	f.Count = max(f.Count, 1)
	f.Related = distinct(f.Related)
	v.index[k] = &f
	v.Findings = append(v.Findings, &f)
}

// Of returns a finding that was judged: that with the rule, kernel and places of f.
func (v *Verdict) Of(f *Finding) *Finding { return v.index[f.key()] }

// Unused returns the findings about unused suppressions.
func (v *Verdict) Unused() (all []*Finding) {
	for _, f := range v.Findings {
		if f.Rule == RuleUnused {
			all = append(all, f)
		}
	}
	return all
}

// Passing returns the findings that count and do not make a run fail.
func (v *Verdict) Passing() (all []*Finding) {
	for _, f := range v.Findings {
		if f.Counts() && !v.fails(f) {
			all = append(all, f)
		}
	}
	return all
}

// Failing returns the findings that make a run fail.
func (v *Verdict) Failing() (all []*Finding) {
	for _, f := range v.Findings {
		if v.fails(f) {
			all = append(all, f)
		}
	}
	return all
}

// Fails reports whether a finding that counts is of the severity at which a run fails.
func (v *Verdict) Fails() bool { return slices.ContainsFunc(v.Findings, v.fails) }

// FailsOn reports whether a run fails if a finding of a severity counts. Without a verdict that is an error.
func (v *Verdict) FailsOn(s check.Severity) bool {
	if v == nil {
		return OnError.includes(s)
	}
	return v.failOn.includes(s)
}

func (v *Verdict) fails(f *Finding) bool {
	return f.Fatal || f.Counts() && v.failOn.includes(f.Severity)
}

// Allowed returns the numbers of suppressed and of known findings.
func (v *Verdict) Allowed() (suppressed, known int) {
	for _, f := range v.Findings {
		switch {
		case f.Suppressed != nil:
			suppressed++
		case f.Known:
			known++
		}
	}
	return suppressed, known
}
