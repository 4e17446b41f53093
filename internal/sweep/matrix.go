// Package sweep runs one kernel at the points of a matrix: every combination of grids, blocks, GPUs and other
// settings of its launch and machine. Points run concurrently and are reported in order. A directory can keep the
// results, so that an interrupted sweep continues where it was, or several machines share a sweep.
package sweep

import (
	"fmt"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/internal/launch"
)

// Axis is a directive and its values.
type Axis struct {
	Directive string   // as in "block"
	Param     string   // for arg: the parameter's name or index
	Values    []string // as typed
}

// argDirective sets a parameter of the kernel.
const argDirective = "arg"

// Directives are the directives that can be an axis, in addition to arg.
var Directives = []string{"kernel", "grid", "block", "cluster", "shared", "regs", "carveout", "gpu", "divergence", "path-order", "sched", "cta-order", "cost"}

// ParseAxis parses the comma-separated values of a directive; those of arg follow NAME=. As in args= of a launch
// line, a list: has semicolons.
func ParseAxis(directive, text string) (Axis, error) {
	a := Axis{Directive: directive}
	values := text
	if directive == argDirective {
		var ok bool
		if a.Param, values, ok = strings.Cut(text, "="); !ok {
			return a, fmt.Errorf("--arg %s: expected NAME=A,B", text)
		}
	}
	a.Values = strings.Split(values, ",")
	for i, v := range a.Values {
		switch {
		case v == "":
			return a, fmt.Errorf("%s: a value is missing", a.flag(values))
		case i > 0 && isList(a.Values[i-1]) && !strings.Contains(v, ":"):
			return a, fmt.Errorf("%s: the values of a list: have semicolons between them here, as in list:u32:1;2", a.flag(values))
		case slices.Contains(a.Values[:i], v):
			return a, fmt.Errorf("%s: %s stands twice", a.flag(values), v)
		}
	}
	return a, nil
}

// isList reports whether a value has the form list:TYPE:V;V.
func isList(value string) bool { return strings.HasPrefix(value, "list:") }

// Name identifies the axis: "block", or "arg n".
func (a *Axis) Name() string {
	if a.Param == "" {
		return a.Directive
	}
	return a.Directive + " " + a.Param
}

// label returns a short name.
func (a *Axis) label() string {
	if a.Param == "" {
		return a.Directive
	}
	return a.Param
}

// text returns a value as Layer.Set takes it.
func (a *Axis) text(value string) string {
	if a.Param == "" {
		return value
	}
	return a.Param + "=" + value
}

// flag returns the flag with a value, or with several.
func (a *Axis) flag(value string) string { return "--" + a.Directive + " " + a.text(value) }

// Matrix is a list of axes; its points are all combinations of their values, the last axis varying fastest.
type Matrix []Axis

// maxPoints limits a matrix, so that a mistyped axis is an error.
const maxPoints = 1_000_000

// Check returns an error if two axes are the same, or if there are too many points.
func (m Matrix) Check() error {
	points := 1
	for i := range m {
		if slices.ContainsFunc(m[:i], func(a Axis) bool { return a.Name() == m[i].Name() }) {
			return fmt.Errorf("--%s is there twice", m[i].Name())
		}
		if points *= len(m[i].Values); points > maxPoints {
			return fmt.Errorf("more than %d points", maxPoints)
		}
	}
	return nil
}

// Len returns the number of points.
func (m Matrix) Len() int {
	n := 1
	for i := range m {
		n *= len(m[i].Values)
	}
	return n
}

// Values returns the values of point i, one for each axis.
func (m Matrix) Values(i int) []string {
	values := make([]string, len(m))
	for k := len(m) - 1; k >= 0; k-- {
		n := len(m[k].Values)
		values[k] = m[k].Values[i%n]
		i /= n
	}
	return values
}

// set sets the values of point i in a layer of flags.
func (m Matrix) set(l *launch.Layer, i int) error {
	for k, v := range m.Values(i) {
		a := &m[k]
		if err := l.Set(a.Directive, a.text(v), launch.Origin{Flag: a.flag(v)}); err != nil {
			return err
		}
	}
	return nil
}
