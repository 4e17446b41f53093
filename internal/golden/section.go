package golden

import (
	"fmt"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/profile"
	"github.com/simtrun/simtrun/internal/report"
	"github.com/simtrun/simtrun/internal/trace"
)

// topic is the subject of a section, without the machine.
type topic struct {
	name    string // as in the section's name
	kind    string
	page    report.Page   // for a report
	metrics []string      // for counters; none means all
	trace   trace.Options // for a trace
	timed   bool          // for a session of the debugger
}

// Kinds of topics in addition to those of traces.
const (
	outputKind   = "output"   // standard output
	dumpKind     = "dump"     // standard output with --quiet
	errorsKind   = "stderr"   // standard error; the run may fail
	countersKind = "counters" // the metrics of the launches
	reportKind   = "report"   // a page of the report
)

func kindNames() []string {
	names := []string{outputKind, dumpKind, errorsKind, countersKind, reportKind, debugKind}
	for _, name := range trace.KindNames() {
		if kind, err := trace.ParseKind(name); err == nil && !kind.IsTimed() {
			names = append(names, name)
		}
	}
	return names
}

// parseSection parses the name of a section: the topic's kind, then words that narrow it, and the names of a GPU, a
// model and a path order that it covers.
func parseSection(name string) (topic, machine, error) {
	words := strings.Fields(name)
	t, m := topic{kind: words[0]}, machine{}
	if !slices.Contains(kindNames(), t.kind) {
		return t, m, isa.Unknown("section", t.kind, kindNames())
	}
	if kind, err := trace.ParseKind(t.kind); err == nil {
		t.trace.Kind = kind
	}
	if t.kind == reportKind {
		t.page = report.Pages()[0]
	}
	topicWords := words[:1:1]
	for _, word := range words[1:] {
		model, modelErr := divergence.ParseModel(word)
		order, orderErr := divergence.ParseOrder(word)
		switch {
		case m.gpu == "" && slices.Contains(gpu.Names(), word):
			m.gpu = word
		case modelErr == nil && m.model == nil:
			m.model = &model
		case orderErr == nil && m.order == nil:
			m.order = &order
		default:
			if err := t.limit(word); err != nil {
				return t, m, fmt.Errorf("section %q: %w", name, err)
			}
			topicWords = append(topicWords, word)
		}
	}
	t.name = strings.Join(topicWords, " ")
	return t, m, nil
}

// limit parses a word that narrows the topic.
func (t *topic) limit(word string) (err error) {
	switch t.kind {
	case outputKind, dumpKind, errorsKind:
		return fmt.Errorf("%q is not a GPU, a divergence model or a path order", word)
	case countersKind:
		if !slices.ContainsFunc(profile.Metrics(), func(m profile.Metric) bool { return m.Name == word }) {
			return fmt.Errorf("no metric %q; simtrun metrics lists them", word)
		}
		t.metrics = append(t.metrics, word)
		return nil
	case reportKind:
		t.page, err = report.ParsePage(word)
		return err
	case debugKind: // any other word is a name
		t.timed = t.timed || word == "timed"
		return nil
	}
	key, text, _ := strings.Cut(word, "=")
	switch key {
	case "block":
		t.trace.Blocks, err = trace.ParseFilter(text)
	case "warp":
		t.trace.Warps, err = trace.ParseFilter(text)
	case "line":
		t.trace.Lines, err = trace.ParseFilter(text)
	default:
		err = fmt.Errorf("no %q; a trace is limited by block=, warp= and line=, as in block=0 warp=0-3", word)
	}
	return err
}

// covers reports whether a section for m applies to one of the machines of a case.
func (m machine) covers(one machine) bool {
	return (m.gpu == "" || m.gpu == one.gpu) &&
		(m.model == nil || one.model != nil && *m.model == *one.model) &&
		(m.order == nil || one.order != nil && *m.order == *one.order)
}

// rank counts the parts of the machine that a section's name gives.
func (m machine) rank() int {
	rank := 0
	if m.gpu != "" {
		rank += 4
	}
	if m.model != nil {
		rank += 2
	}
	if m.order != nil {
		rank++
	}
	return rank
}
