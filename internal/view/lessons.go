package view

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/simtrun/simtrun/internal/report"
	"github.com/simtrun/simtrun/internal/view/lesson"
)

// lessons lists the lessons that the session can open.
func (s *Session) lessons() *Lessons {
	out := &Lessons{Lessons: []Lesson{}}
	if s.cfg.Text == nil {
		return out
	}
	for _, l := range lesson.All() {
		one := Lesson{Name: l.Name, Title: l.Title, Text: l.Text, Views: l.Views, Warp: l.Warp, Find: l.Find, Timed: l.Timed, Goals: []string{rightResult, noFinding}}
		for _, g := range l.Goals {
			one.Goals = append(one.Goals, g.String())
		}
		out.Lessons = append(out.Lessons, one)
	}
	return out
}

// load loads a program: that of a lesson, if the request names one.
func (s *Session) load(ctx context.Context, o *Open) (*Program, error) {
	if o.Lesson == "" {
		return s.cfg.Load(ctx, *o)
	}
	l := lesson.Find(o.Lesson)
	if l == nil || s.cfg.Text == nil {
		return nil, fmt.Errorf("no lesson %q", o.Lesson)
	}
	o.Name, o.Expects = l.Name+".s", l.Expects
	if o.Text == nil {
		if o.Text = &l.Kernel; o.Solved {
			o.Text = &l.Solved
		}
	}
	if o.Settings == nil {
		o.Settings = &Settings{Timed: l.Timed}
	}
	return s.cfg.Text(ctx, *o)
}

// Texts of the goals that every lesson has.
const (
	rightResult = "the result is right"
	noFinding   = "no check finds an error"
)

// judge checks the goals of a lesson.
func (s *Session) judge(ctx context.Context, o *Open, out *Opened) {
	l := lesson.Find(o.Lesson)
	m, err := s.measure(ctx)
	if err != nil {
		out.Limited = err.Error()
		m = &measured{report: &report.Document{}}
	}
	e := &m.report.Expects
	right := Goal{Text: rightResult, Got: "yes", Met: err == nil && e.Failed == 0 && e.Passed >= len(l.Expects)}
	if len(e.Failures) > 0 {
		right.Got = e.Failures[0].Expect + " does not hold"
	} else if !right.Met {
		right.Got = "not known"
	}
	errors := 0
	for i := range out.Findings {
		if out.Findings[i].Severity == "error" {
			errors++
		}
	}
	out.Goals = append(out.Goals, right, Goal{noFinding, report.Count(int64(errors), "error"), errors == 0})
	for _, g := range l.Goals {
		out.Goals = append(out.Goals, m.check(g))
	}
}

// check checks a goal by the metrics of the first launch. A metric that is a ratio of zero to zero meets none.
func (m *measured) check(g lesson.Goal) Goal {
	out := Goal{Text: g.String(), Got: "not known"}
	if len(m.report.Launches) == 0 {
		return out
	}
	all := m.report.Launches[0].Metrics
	i := slices.IndexFunc(all, func(one report.Metric) bool { return one.Name == g.Metric })
	if i < 0 {
		return out
	}
	out.Got, out.Met = strconv.FormatFloat(all[i].Value, 'g', 6, 64), g.Met(all[i].Value)
	return out
}
