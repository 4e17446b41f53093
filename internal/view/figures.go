package view

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/simtrun/simtrun/internal/report"
	"github.com/simtrun/simtrun/internal/report/html"
	"github.com/simtrun/simtrun/internal/sm"
)

// measured is a run with counters and, with a clock, what the SMs did in it.
type measured struct {
	report   *report.Document
	activity *activity
}

// measure executes the launches with counters, once for a program.
func (s *Session) measure(ctx context.Context) (*measured, error) {
	if s.measured != nil {
		return s.measured, nil
	}
	if s.program.Measure == nil {
		return nil, errors.New("this session has no counters")
	}
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	m := &measured{activity: &activity{limit: s.cfg.Steps}}
	var to sm.Recorder
	if s.program.Clock != nil {
		to = m.activity
	}
	var err error
	if m.report, err = s.program.Measure(ctx, to); err != nil {
		return nil, fmt.Errorf("the run with counters did not end: %w", err)
	}
	m.activity.end()
	s.measured = m
	return m, nil
}

// launch returns the figures of a launch.
func (m *measured) launch(n int) (*report.Launch, error) {
	if n < 0 || n >= len(m.report.Launches) {
		return nil, fmt.Errorf("no launch %d was measured; there are %d", n, len(m.report.Launches))
	}
	return &m.report.Launches[n], nil
}

// figures returns the figures of a launch: those of simtrun run --json.
func (s *Session) figures(ctx context.Context, r *FiguresOf) (*Figures, error) {
	m, err := s.measure(ctx)
	if err != nil {
		return nil, err
	}
	l, err := m.launch(r.Launch)
	if err != nil {
		return nil, err
	}
	out := &Figures{Metrics: []Figure{}}
	if l.Time != nil {
		if out.Time, err = json.Marshal(l.Time); err != nil {
			return nil, err
		}
	}
	for _, one := range l.Metrics {
		out.Metrics = append(out.Metrics, Figure{one.Name, one.Unit, one.Value})
	}
	var page strings.Builder
	if err := html.WriteLaunch(&page, m.report, r.Launch); err != nil {
		return nil, err
	}
	out.Page = page.String()
	return out, nil
}
