package golden

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/launch"
	"github.com/simtrun/simtrun/internal/profile"
	"github.com/simtrun/simtrun/internal/report"
	"github.com/simtrun/simtrun/internal/trace"
)

// execution is the run of a case on one machine.
type execution struct {
	mod    *isa.Module
	layers []*launch.Layer
	run    report.Run
}

// execute runs the case on a machine. The error is that of ctx.
func (c *Case) execute(ctx context.Context, mod *isa.Module, headers []*launch.Layer, on machine, counted bool) (*execution, error) {
	e := &execution{mod: mod, run: report.Run{Sources: c.lines()}}
	flags, err := on.layer()
	if err == nil {
		e.layers = append(slices.Clone(headers), flags)
		e.run.Plan, err = launch.NewPlan(mod, e.layers...)
	}
	for _, l := range e.layers {
		if on := l.GPU(); on != nil && err == nil {
			err = asm.CheckGPU(mod, on.Name, on.Capability)
		}
	}
	if err != nil {
		e.run.Err = err
		return e, nil
	}
	e.run.Printed = e.run.Plan.Printed()
	e.run.Plan.Config.Stdout = e.run.Printed
	if c.Checks != nil {
		c.Checks(e.run.Plan)
	}
	e.run.Plan.Profile = e.run.Plan.Profile || counted
	e.run.Result, e.run.Err = e.run.Plan.Run(ctx)
	return e, ctx.Err()
}

// text returns the text of the execution for a topic.
func (e *execution) text(ctx context.Context, t topic) (string, error) {
	switch t.kind {
	case outputKind:
		return e.output(report.Style{}), nil
	case dumpKind:
		return e.output(report.Style{Quiet: true}), nil
	case errorsKind:
		return e.errors(), nil
	case countersKind:
		return e.counters(t.metrics), nil
	case reportKind:
		return e.page(t.page)
	}
	return e.trace(ctx, t.trace)
}

// output returns the standard output of simtrun run.
func (e *execution) output(style report.Style) string {
	var b strings.Builder
	e.run.Printed.WriteTo(&b)
	plain := e.run
	plain.Result = withoutRaces(e.run.Result)
	report.WriteText(&b, &plain, style)
	return b.String()
}

// withoutRaces returns a result without the race check's additions, which no golden file pins.
func withoutRaces(res *launch.Result) *launch.Result {
	if res == nil {
		return nil
	}
	plain := *res
	plain.Launches = slices.Clone(res.Launches)
	for i := range plain.Launches {
		plain.Launches[i].Races = nil
	}
	return &plain
}

// errors returns the standard error of simtrun run.
func (e *execution) errors() string {
	var b strings.Builder
	if e.run.Result != nil {
		report.WriteWarnings(&b, e.run.Result, "")
		report.WriteFailures(&b, e.run.Result, "")
	}
	if e.run.Err != nil {
		report.WriteError(&b, e.run.Err, "simtrun help run", "")
	}
	return b.String()
}

// counters returns the metrics of the launches, one per line.
func (e *execution) counters(names []string) string {
	var b strings.Builder
	if e.run.Result == nil {
		return ""
	}
	for i, l := range e.run.Result.Launches {
		b.WriteString(e.launchHeading(i))
		if l.Profile == nil {
			continue
		}
		for _, v := range profile.Values(&l.Profile.Total) {
			if len(names) == 0 || slices.Contains(names, v.Name) {
				fmt.Fprintf(&b, "%s %s\n", v.Name, strconv.FormatFloat(v.Number, 'f', -1, 64))
			}
		}
	}
	return b.String()
}

// launchHeading distinguishes launches, if there are several.
func (e *execution) launchHeading(i int) string {
	if len(e.run.Plan.Launches) == 1 {
		return ""
	}
	return fmt.Sprintf("launch %d: %s\n", i+1, cxx.Short(e.run.Plan.Launches[i].Kernel))
}

// page returns a page of the report.
func (e *execution) page(p report.Page) (string, error) {
	var b strings.Builder
	err := p.Write(&b, report.NewDocument(&e.run, nil, 0), 0)
	return b.String(), err
}

// lines returns the lines of the sources. Sources of an archive share its name; each has blank lines in place of the
// earlier ones, so they are merged.
func (c *Case) lines() report.Sources {
	all := make(report.Sources)
	for i := range c.sources {
		s := &c.sources[i]
		lines := report.Lines(s.text)
		copy(lines, all[s.name])
		all[s.name] = lines
	}
	return all
}

// trace returns a trace of the launches from a second run, which repeats the first one, including its failure.
func (e *execution) trace(ctx context.Context, o trace.Options) (string, error) {
	if e.run.Plan == nil {
		return "", nil
	}
	plan, err := launch.NewPlan(e.mod, e.layers...)
	if err != nil {
		return "", err
	}
	ready, err := plan.Prepare(ctx)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for i := range ready.Launches {
		l := &ready.Launches[i]
		b.WriteString(e.launchHeading(i))
		t, err := trace.Attach(ready.Machine, l, &b, o)
		if err != nil {
			return "", err
		}
		_, err = functional.Run(ctx, ready.Machine, *l)
		if endErr := t.End(); endErr != nil {
			return "", endErr
		}
		if err != nil {
			break
		}
	}
	return b.String(), ctx.Err()
}
