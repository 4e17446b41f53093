package report

import (
	"cmp"
	"fmt"
	"io"

	"github.com/simtrun/simtrun/internal/check"
	"github.com/simtrun/simtrun/internal/launch"
	"github.com/simtrun/simtrun/internal/verdict"
	"github.com/simtrun/simtrun/interp"
)

// Judged is the decision about a finding.
type Judged struct {
	ID         string `json:"id"`                   // the same in every run
	Suppressed string `json:"suppressed,omitempty"` // why it is allowed
	Known      bool   `json:"known,omitempty"`      // the baseline has it
}

// allFindings returns the findings of a run: of its error, then of each launch its warnings and its races.
func allFindings(err error, res *launch.Result) []Finding {
	found := append([]Finding{}, findingsOf(err)...)
	if res == nil {
		return found
	}
	if n := len(res.Launches); n > 0 && (is[*interp.Fault](err) || is[*interp.Hang](err)) {
		found[0].Kernel = res.Launches[n-1].Kernel // that failed
	}
	for i := range res.Launches {
		found = append(found, warningsOf(&res.Launches[i], i)...)
		found = append(found, racesOf(&res.Launches[i], i)...)
	}
	return found
}

// FindingsOf returns the findings of a run, as JSON has them: of its error, then of each launch its warnings and its
// races.
func FindingsOf(err error, res *launch.Result) []Finding { return named(allFindings(err, res)) }

// Findings returns the findings of the run in the form in which they are judged.
func (r *Run) Findings() (all []verdict.Finding) {
	r.found = allFindings(r.Err, r.Result)
	fatal := len(findingsOf(r.Err))
	for i := range r.found {
		f := r.found[i].plain()
		f.Fatal = i < fatal
		all = append(all, f)
	}
	return all
}

// Judged keeps the verdict on the findings of the run.
func (r *Run) Judged(v *verdict.Verdict) {
	r.verdict = v
	if r.found == nil {
		r.found = allFindings(r.Err, r.Result)
	}
	for i := range r.found {
		plain := r.found[i].plain()
		r.found[i].Judged = judgedOf(v.Of(&plain))
	}
	for _, f := range v.Unused() {
		r.found = append(r.found, Finding{Rule: f.Rule, Severity: f.Severity.String(), Message: f.Message, File: f.At.File, Line: int32(f.At.Line), Column: int32(f.At.Column), Judged: judgedOf(f)})
	}
}

func judgedOf(f *verdict.Finding) *Judged {
	j := &Judged{ID: f.ID, Known: f.Known}
	if f.Suppressed != nil {
		j.Suppressed = f.Suppressed.Reason
	}
	return j
}

// plain returns the finding in the form in which it is judged.
func (f *Finding) plain() verdict.Finding {
	p := verdict.Finding{Rule: f.Rule, Severity: check.SeverityNamed(f.Severity), Message: f.Message, Kernel: f.Kernel, Count: 1}
	p.At = verdict.Place{File: f.File, Line: int(f.Line), Column: int(f.Column), Text: textOf(f.Compiled, f.Instr)}
	if o := f.Other; o != nil {
		p.Other = []verdict.Place{{File: o.File, Line: int(o.Line), Column: int(o.Column), Text: textOf(o.Compiled, o.Instr), Role: o.Does}}
	}
	p.Related = callsOf(f.Compiled)
	if f.Other != nil {
		p.Related = append(p.Related, callsOf(f.Other.Compiled)...)
	}
	for i := range f.Waiters {
		w := &f.Waiters[i]
		if w.File == "" {
			continue
		}
		p.Related = append(p.Related, verdict.Place{File: w.File, Line: int(w.Line), Column: int(w.Column), Text: textOf(w.Compiled, w.Instr), Role: w.Role})
		p.Related = append(p.Related, callsOf(w.Compiled)...)
	}
	if f.Repeats != nil {
		p.Count = f.Repeats.Instances
	}
	return p
}

// callsOf returns the calls through which code was inlined, in the words of source.Place.
func callsOf(c *Compiled) (calls []verdict.Place) {
	if c == nil {
		return nil
	}
	callee := cmp.Or(c.Function, "a function")
	for _, call := range c.Calls {
		role := callee + ", called"
		if call.Function != "" {
			role += " by " + call.Function
		}
		calls = append(calls, verdict.Place{File: call.File, Line: int(call.Line), Column: int(call.Column), Role: role})
		callee = cmp.Or(call.Function, "a function")
	}
	return calls
}

func textOf(c *Compiled, instr string) string {
	if c != nil && c.Code != "" {
		return c.Code
	}
	return instr
}

// Shown returns the result with only the findings that count; nil if there is no result.
func (r *Run) Shown() *launch.Result {
	if r.verdict == nil || r.Result == nil {
		return r.Result
	}
	res := *r.Result
	res.Launches = nil
	rest := r.found[len(findingsOf(r.Err)):]
	for _, l := range r.Result.Launches {
		n := len(l.Stats.Warnings)
		l.Stats.Warnings = counting(l.Stats.Warnings, rest[:n])
		l.Races = counting(l.Races, rest[n:n+len(l.Races)])
		rest = rest[n+len(l.Races):]
		res.Launches = append(res.Launches, l)
	}
	return &res
}

// counting returns the elements of a list whose findings count.
func counting[T any](all []T, found []Finding) (some []T) {
	for i := range all {
		if j := found[i].Judged; j.Suppressed == "" && !j.Known {
			some = append(some, all[i])
		}
	}
	return some
}

// WriteAllowed writes unused suppressions, and how many findings do not count.
func WriteAllowed(w io.Writer, v *verdict.Verdict, paint Paint) {
	for _, f := range v.Unused() {
		severity := "note:"
		if f.Severity == check.Warning {
			severity = "warning:"
		}
		fmt.Fprintf(w, "%s:%d:%d: %s %s [%s]\n", f.At.File, f.At.Line, f.At.Column, paint.Caution(severity), f.Message, f.Rule)
	}
	if suppressed, known := v.Allowed(); suppressed+known > 0 {
		fmt.Fprintf(w, "simtrun: %s suppressed, %d in the baseline\n", Count(int64(suppressed), "finding"), known)
	}
}
