package launch

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/profile"
)

// metricLine is metric NAME == V, or metric NAME@LABEL == V, with tolerances.
type metricLine struct {
	text   string
	metric profile.Metric
	label  string // of the instruction; "": of all
	want   float64
	within tolerance
	at     Origin
}

// addMetric parses an expectation on a counter; text is the text after the word metric.
func (l *Layer) addMetric(text string, at Origin) error {
	left, right, ok := strings.Cut(text, "==")
	if !ok {
		return fmt.Errorf("%q: expected metric NAME == V, or metric NAME@LABEL == V", text)
	}
	m := metricLine{text: "metric " + text, at: at}
	name, label, labelled := strings.Cut(strings.TrimSpace(left), "@")
	m.label = label
	if labelled && label == "" {
		return fmt.Errorf("%q: expected a label after the @", text)
	}
	var err error
	if m.metric, err = metricByName(name); err != nil {
		return err
	}
	given := false
	for word := range strings.FieldsSeq(right) {
		if key, option, isOption := strings.Cut(word, "="); isOption {
			if err := m.setOption(key, option); err != nil {
				return err
			}
			continue
		}
		if m.want, err = strconv.ParseFloat(word, 64); err != nil || given || math.IsNaN(m.want) {
			return fmt.Errorf("%q: expected one number after ==", text)
		}
		given = true
	}
	if !given {
		return fmt.Errorf("%q: expected one number after ==", text)
	}
	l.metrics = append(l.metrics, m)
	return nil
}

func metricByName(name string) (profile.Metric, error) {
	var names []string
	for _, m := range profile.Metrics() {
		if m.Name == name || m.NCU == name {
			return m, nil
		}
		names = append(names, m.Name)
	}
	return profile.Metric{}, fmt.Errorf("no metric %q%s", name, cmp.Or(isa.DidYouMean(name, names), "; simtrun metrics lists them"))
}

func (m *metricLine) setOption(key, text string) (err error) {
	switch key {
	case "abs":
		m.within.abs, err = parseTolerance(text)
	case "rel":
		m.within.rel, err = parseTolerance(text)
	default:
		err = fmt.Errorf("no option %q; there are abs= rel=", key)
	}
	return err
}

// checkLabels returns an error about the first label of l's metrics that a module lacks or has more than once.
func (l *Layer) checkLabels(mod *isa.Module) error {
	if len(l.metrics) == 0 {
		return nil
	}
	var labels []string
	found := make(map[string]int)
	for _, f := range mod.Funcs {
		for _, l := range f.Labels {
			labels = append(labels, l.Name)
			found[l.Name]++
		}
	}
	for i := range l.metrics {
		m := &l.metrics[i]
		switch n := found[m.label]; {
		case n == 1 || m.label == "":
		case n > 1:
			return m.at.errorf("%d functions have a label %s", n, m.label)
		default:
			return m.at.errorf("no label %q%s", m.label, isa.DidYouMean(m.label, labels))
		}
	}
	return nil
}

// check compares the metric with the expected value; the counts are those of sumCounts.
func (m *metricLine) check(counts map[string]*profile.Counts) *Failure {
	got, ok := m.metric.Of(counts[m.label])
	off := math.Abs(got - m.want)
	if ok && (got == m.want || off <= m.within.abs || off <= m.within.rel*math.Abs(m.want)) {
		return nil
	}
	f := &Failure{Expect: m.text, At: m.at, Compared: 1, Differ: 1, Got: "nothing", Want: number(m.want)}
	if ok {
		f.Got = number(got)
	}
	return f
}

// sumCounts returns the counts of launches that the metrics need: by label those of the instruction there, and under ""
// those of all instructions.
func sumCounts(metrics []metricLine, launches []Launched) map[string]*profile.Counts {
	total := new(profile.Counts)
	counts := map[string]*profile.Counts{"": total}
	for i := range metrics {
		if label := metrics[i].label; counts[label] == nil {
			counts[label] = new(profile.Counts)
		}
	}
	for i := range launches {
		p := launches[i].Profile
		total.Add(&p.Total)
		if len(counts) > 1 {
			addLabels(counts, p)
		}
	}
	return counts
}

// addLabels adds the counts of a launch at the labels that counts has.
func addLabels(counts map[string]*profile.Counts, p *profile.Profile) {
	for i := range p.Funcs {
		f := &p.Funcs[i]
		for _, l := range f.Labels {
			if sum := counts[l.Name]; sum != nil && l.PC < len(f.Instrs) {
				sum.Add(&f.Instrs[l.PC])
			}
		}
	}
}

// number formats v with all its digits.
func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
