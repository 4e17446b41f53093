package launch

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/profile"
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

// addMetric takes in an expectation on a counter, of which text is what follows
// the word metric.
func (l *Layer) addMetric(text string, at Origin) error {
	left, right, ok := strings.Cut(text, "==")
	if !ok {
		return fmt.Errorf("%q: it is written metric NAME == V, or metric NAME@LABEL == V", text)
	}
	m := metricLine{text: "metric " + text, at: at}
	name, label, labelled := strings.Cut(strings.TrimSpace(left), "@")
	m.label = label
	if labelled && label == "" {
		return fmt.Errorf("%q: a label stands after the @", text)
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
			return fmt.Errorf("%q: after == stands one number", text)
		}
		given = true
	}
	if !given {
		return fmt.Errorf("%q: after == stands one number", text)
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

// checkLabel is what is wrong with the label of m in a module, or nil.
func (m *metricLine) checkLabel(mod *isa.Module) error {
	if m.label == "" {
		return nil
	}
	var labels []string
	found := 0
	for _, f := range mod.Funcs {
		for _, l := range f.Labels {
			labels = append(labels, l.Name)
			if l.Name == m.label {
				found++
			}
		}
	}
	switch {
	case found == 1:
		return nil
	case found > 1:
		return fmt.Errorf("%d functions have a label %s", found, m.label)
	}
	return fmt.Errorf("no label %q%s", m.label, isa.DidYouMean(m.label, labels))
}

// check compares the metric over launches with what is expected.
func (m *metricLine) check(launches []Launched) *Failure {
	var sum profile.Counts
	for i := range launches {
		m.add(&sum, launches[i].Profile)
	}
	got, ok := m.metric.Of(&sum)
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

// add adds the counts of a launch to sum: all, or those of the instruction at m's
// label.
func (m *metricLine) add(sum *profile.Counts, p *profile.Profile) {
	if m.label == "" {
		sum.Add(&p.Total)
		return
	}
	for i := range p.Funcs {
		f := &p.Funcs[i]
		for _, l := range f.Labels {
			if l.Name == m.label && l.PC < len(f.Instrs) {
				sum.Add(&f.Instrs[l.PC])
			}
		}
	}
}

// number is v with all the digits that it takes.
func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
