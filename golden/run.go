package golden

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/launch"
	"github.com/simtrun/simtrun/profile"
	"github.com/simtrun/simtrun/report"
	"github.com/simtrun/simtrun/trace"
)

// execution is a case on one machine.
type execution struct {
	c      *Case
	mod    *isa.Module
	layers []*launch.Layer
	texts  *Texts
	run    Run
}

// execute runs the case on a machine. Its error is that of a context that ended.
func (c *Case) execute(ctx context.Context, mod *isa.Module, headers []*launch.Layer, on machine, counted bool, texts *Texts) (*execution, error) {
	e := &execution{c: c, mod: mod, texts: texts}
	flags, err := on.layer()
	if err == nil {
		e.layers = append(slices.Clone(headers), flags)
		e.run.Plan, err = launch.NewPlan(mod, e.layers...)
	}
	if err != nil {
		e.run.Err = err
		return e, nil
	}
	printed := e.run.Plan.Printed()
	e.run.Plan.Config.Stdout = printed
	e.run.Plan.Profile = e.run.Plan.Profile || counted
	e.run.Result, e.run.Err = e.run.Plan.Run(ctx)
	e.run.Printed = printed.String()
	return e, ctx.Err()
}

// text is what the execution gives for a topic.
func (e *execution) text(ctx context.Context, t topic) (string, error) {
	switch t.kind {
	case outputKind:
		return e.texts.Output(&e.run), nil
	case dumpKind:
		return e.texts.Quiet(&e.run), nil
	case errorsKind:
		return e.texts.Errors(&e.run), nil
	case countersKind:
		return e.counters(t.metrics), nil
	case reportKind:
		return e.page(t.page)
	}
	return e.trace(ctx, t.trace)
}

// counters are the metrics of the launches, a line each.
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

// launchHeading tells launches apart where there are several.
func (e *execution) launchHeading(i int) string {
	if len(e.run.Plan.Launches) == 1 {
		return ""
	}
	return fmt.Sprintf("launch %d: %s\n", i+1, e.run.Plan.Launches[i].Kernel)
}

// page is a page of the report.
func (e *execution) page(p report.Page) (string, error) {
	r := &report.Run{Source: e.c.sourceLine}
	if e.run.Result == nil {
		return "", nil
	}
	for _, l := range e.run.Result.Launches {
		if l.Profile != nil {
			r.Launches = append(r.Launches, report.Launch{Kernel: l.Kernel, Grid: l.Grid, Block: l.Block, Profile: l.Profile})
		}
	}
	var b strings.Builder
	err := p.Write(&b, r)
	return b.String(), err
}

// sourceLine is a line of a source, from 1, or "".
func (c *Case) sourceLine(file string, line int) string {
	for _, s := range c.sources {
		lines := strings.Split(string(s.text), "\n")
		if s.name == file && line >= 1 && line <= len(lines) && lines[line-1] != "" {
			return strings.TrimRight(lines[line-1], "\r")
		}
	}
	return ""
}

// trace is a trace of the launches: of a run anew, which does the same. Where
// that one failed, so does this.
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
		_, err = ready.Machine.Run(ctx, *l)
		if endErr := t.End(); endErr != nil {
			return "", endErr
		}
		if err != nil {
			break
		}
	}
	return b.String(), ctx.Err()
}
