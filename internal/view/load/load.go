// Package load makes programs for sessions of the explorer: from a plan of launches, or from PTX text alone, as a
// browser has it.
package load

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/simtrun/simtrun/internal/debugger"
	"github.com/simtrun/simtrun/internal/golden"
	"github.com/simtrun/simtrun/internal/launch"
	"github.com/simtrun/simtrun/internal/report"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/internal/view"
)

// WarpSteps is how many instructions a warp of a launch that is viewed may execute, unless the user says otherwise.
const WarpSteps = 10_000_000

// Ready adds to a program how it is executed: for the session, and with checks. The plan uses a clock; without timed,
// the program has none.
func Ready(ctx context.Context, p *view.Program, plan *launch.Plan, timed bool) {
	if !timed {
		plan.Clock = nil
	}
	p.Clock, plan.Clock = plan.Clock, nil
	p.Model = plan.Config.Divergence.String()
	if plan.Config.GPU != nil {
		p.GPU = plan.Config.GPU.Name
	}
	plan.Config.Stdout = io.Discard
	p.Prepare = func() (*debugger.Program, error) {
		ready, err := plan.Prepare(context.WithoutCancel(ctx)) // it is called for later messages, too
		if err != nil {
			return nil, err
		}
		return golden.DebugProgram(ready), nil
	}
	p.Check = func(ctx context.Context) ([]view.Finding, string, error) {
		plan.Races, plan.Sync, plan.Init = true, true, true
		printed := plan.Printed()
		plan.Config.Stdout = printed
		defer func() { plan.Config.Stdout = io.Discard }()
		res, err := plan.Run(ctx)
		found := findings(err, res)
		if err != nil && len(found) > 0 {
			err = nil // it is one of them
		}
		return found, cut(printed.String()), err
	}
	p.Measure = func(ctx context.Context, to sm.Recorder) (*report.Document, error) {
		plan.Races, plan.Sync, plan.Init, plan.Profile = false, false, false, true
		if p.Clock != nil {
			clock := *p.Clock
			clock.Recorder = to
			plan.Clock = &clock
		}
		defer func() { plan.Profile, plan.Clock = false, nil }()
		res, err := plan.Run(ctx)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return report.NewDocument(&report.Run{Plan: plan, Result: res, Err: err, Sources: p.Sources}, err, 0), nil
	}
}

// mostOutput is how much of what kernels print a page shows, in bytes.
const mostOutput = 64 << 10

func cut(text string) string {
	if len(text) > mostOutput {
		text = text[:mostOutput] + fmt.Sprintf("\n... and %d bytes more", len(text)-mostOutput)
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// Mistakes returns what an error says of a program that could not be planned: at least one finding.
func Mistakes(err error) []view.Finding {
	if all := findings(err, nil); len(all) > 0 {
		return all
	}
	return []view.Finding{{Rule: "error", Severity: "error", Message: err.Error(), Launch: -1, ID: -1, Step: -1, Warp: -1}}
}

// findings returns the findings of a run for the page.
func findings(err error, res *launch.Result) (all []view.Finding) {
	for _, f := range report.FindingsOf(err, res) {
		one := view.Finding{Rule: f.Rule, Severity: f.Severity, Message: f.Message, File: f.File, Line: f.Line, Column: f.Column, Instr: f.Instr, Fix: f.Fix, Launch: -1, ID: -1, Step: -1, Warp: -1}
		if f.Launch != nil {
			one.Launch = *f.Launch
		}
		if f.Who != nil {
			one.Block, one.ID = f.Block, f.Warp
			for _, lane := range f.Lanes {
				one.Lanes |= 1 << lane
			}
		}
		if f.Other != nil {
			one.Other = fmt.Sprintf("%s:%d", f.Other.File, f.Other.Line)
		}
		all = append(all, one)
	}
	return all
}
