package main

import (
	"cmp"
	"fmt"
	"io"

	"github.com/simtrun/simtrun/cuda"
	"github.com/simtrun/simtrun/internal/check"
	"github.com/simtrun/simtrun/internal/verdict"
)

// noted returns the findings about calls of the driver, and about memory that was never freed, as far as the checks
// look for them.
func (o *hostOptions) noted(t *hostTotal) (all []verdict.Finding) {
	for i := range t.calls {
		c := t.calls[i].Call
		rule := cmp.Or(c.Rule, cuda.RuleCall)
		if o.settings.API || o.settings.Leak && rule == cuda.RuleFree {
			all = append(all, verdict.Finding{Rule: rule, Severity: check.Error, Message: callText(c), At: placeOf(c.Place, c.Code), Count: c.Count})
		}
	}
	for i := range t.leaks {
		l := &t.leaks[i]
		all = append(all, verdict.Finding{Rule: cuda.RuleLeak, Severity: check.Error, Message: l.Text(), At: placeOf(l.Place, l.Code), Count: max(l.Count, 1)})
	}
	return all
}

// callText says how a call failed, and why.
func callText(c *cuda.Call) string {
	text := c.Name + " returned " + c.Error
	if c.Why != "" {
		text += ": " + c.Why
	}
	return text
}

// mostNotes is the largest number of failed calls, and of allocations never freed, that are listed.
const mostNotes = 20

// writeNotes lists calls that failed, and memory that was never freed, unless a suppression allows that. It reports
// whether there was any.
func (t *hostTotal) writeNotes(w io.Writer) (some bool) {
	listed := 0
	for i := range t.calls {
		c := t.calls[i].Call
		if t.allowed(cmp.Or(c.Rule, cuda.RuleCall), c.Place, c.Code) {
			continue
		}
		if listed++; listed > mostNotes {
			continue
		}
		text := fmt.Sprintf("%s returned %s %s", c.Name, c.Error, quantity(int(c.Count), "time", "times"))
		if c.Place != "" {
			text += " at " + noteAt(c.Place, c.Code)
		}
		if c.Why != "" {
			text += ": " + c.Why
		}
		fmt.Fprintf(w, "  failed %s\n", text)
	}
	if listed > mostNotes {
		fmt.Fprintf(w, "  and %d more that failed\n", listed-mostNotes)
	}
	return t.writeLeaks(w) || listed > 0
}

func (t *hostTotal) writeLeaks(w io.Writer) (some bool) {
	var bytes uint64
	places, count := 0, 0
	for i := range t.leaks {
		l := &t.leaks[i]
		if t.allowed(cuda.RuleLeak, l.Place, l.Code) {
			continue
		}
		bytes, count = bytes+l.Bytes, count+int(max(l.Count, 1))
		if places++; places > mostNotes {
			continue
		}
		text := l.Name + ", " + quantity(int(l.Bytes), "byte", "bytes")
		if l.Count > 1 {
			text = fmt.Sprintf("%d allocations, %s", l.Count, quantity(int(l.Bytes), "byte", "bytes"))
		}
		if l.Place != "" {
			text += ", of " + noteAt(l.Place, l.Code)
		}
		fmt.Fprintf(w, "  leaked %s\n", text)
	}
	if places > 1 {
		fmt.Fprintf(w, "  %s, %s together, were never freed\n", quantity(count, "allocation", "allocations"), quantity(int(bytes), "byte", "bytes"))
	}
	return count > 0
}

// noteAt returns FILE:LINE, or without debug information the function and the offset of the call.
func noteAt(place, code string) string {
	if at := placeOf(place, code); at.Line == 0 && code != "" {
		return code
	}
	return place
}

// allowed reports whether a suppression or the baseline allows a finding about a call.
func (t *hostTotal) allowed(rule, place, code string) bool {
	if t.verdict == nil {
		return false
	}
	f := t.verdict.Of(&verdict.Finding{Rule: rule, At: placeOf(place, code)})
	return f != nil && !f.Counts()
}
