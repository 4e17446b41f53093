package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/simtrun/simtrun"
	"github.com/simtrun/simtrun/cuda"
	"github.com/simtrun/simtrun/internal/verdict"
)

// line returns the fields that lines on a launch have in every state.
func (l *launch) line() cuda.Launched {
	return cuda.Launched{Kernel: l.f.name, Mangled: l.f.mangled, Grid: [3]uint32{l.grid.X, l.grid.Y, l.grid.Z}, Block: [3]uint32{l.block.X, l.block.Y, l.block.Z}, Shared: l.shared}
}

// begun reports to simtrun host that a launch begins or still runs, because a process that is killed cannot report it
// later.
func (o *outlet) begun(l *launch, state cuda.State, p simtrun.Progress, took time.Duration) {
	if !o.summary.enabled() || state == cuda.Begun && o.summary.sumBegun(l) {
		return
	}
	line := l.line()
	line.State, line.Process, line.Seconds = state, os.Getpid(), took.Seconds()
	line.Done, line.Total = p.Done, p.Total
	o.summary.write(&line)
}

// launched reports a launch that has ended.
func (o *outlet) launched(l *launch, r *simtrun.Result, err error, took time.Duration) {
	plain := err == nil && len(r.Warnings) == 0 && len(r.Races) == 0 && len(r.Uncompiled) == 0 && len(r.Undefined) == 0
	summed := plain && o.summary.enabled() && o.summary.sumEnded(l, r, took)
	if !o.report.enabled() && (summed || !o.summary.enabled()) {
		return
	}
	line := l.line()
	line.Seconds, line.WarpInstrs, line.LaneInstrs, line.Divergent = took.Seconds(), r.WarpInstrs, r.LaneInstrs, r.DivergentBranches
	if r.Timing != nil {
		line.Cycles, line.Microseconds = r.Timing.Cycles, r.Timing.Microseconds
	}
	line.Warnings = findingsOf(r.Warnings)
	line.Undefined = r.Undefined
	for i := range r.Uncompiled {
		line.Uncompiled = append(line.Uncompiled, r.Uncompiled[i].Reason)
	}
	for i := range r.Races {
		f := &r.Races[i]
		line.Races = append(line.Races, cuda.Finding{Rule: f.Rule, Severity: f.Severity, Message: f.Message(), Place: f.Later.Place(), Code: f.Later.Text(), Earlier: f.Earlier.Place(), EarlierCode: f.Earlier.Text(), EarlierDoes: doing(&f.Earlier), Space: f.Space, Buffer: f.Buffer, Offset: f.Offset, Count: f.Instances, Others: append(callsOf(&f.Later.Code), callsOf(&f.Earlier.Code)...)})
	}
	if err != nil {
		line.Error, line.Rule, line.Hang, line.Others = err.Error(), ruleOf(err), isHang(err), placesOf(err)
	}
	if o.summary.enabled() && !summed {
		line.Process = os.Getpid()
		if isInterrupted(err) {
			line.State = cuda.Interrupted
		}
		o.summary.write(&line)
		line.Process, line.State = 0, cuda.Ended
	}
	if o.report.enabled() {
		line.Metrics = measured(r)
		o.report.write(&line)
	}
}

// measured returns the metrics that lines of the report have; nil if none were asked for.
func measured(r *simtrun.Result) map[string]float64 {
	if len(dev.opts.Metrics) == 0 {
		return nil
	}
	all := make(map[string]float64)
	for _, name := range dev.opts.Metrics {
		if v, ok := r.Metric(name); ok {
			all[name] = v
		}
	}
	return all
}

// findingsOf returns warnings as lines of a report have them.
func findingsOf(warnings []simtrun.Warning) (all []cuda.Finding) {
	for i := range warnings {
		w := &warnings[i]
		all = append(all, cuda.Finding{Rule: w.Rule, Severity: w.Severity, Place: w.Place(), Code: w.Text(), Message: w.Message, Count: w.Count, Others: append(callsOf(&w.Code), others(w.Others)...)})
	}
	return all
}

// placesOf returns the places that an error of a launch names in addition to its own.
func placesOf(err error) []cuda.Place {
	if f, ok := errors.AsType[*simtrun.Fault](err); ok {
		return callsOf(&f.Code)
	}
	if h, ok := errors.AsType[*simtrun.Hang](err); ok {
		return append(callsOf(&h.Code), others(h.Others)...)
	}
	return nil
}

// others returns where other threads are.
func others(all []simtrun.Other) (places []cuda.Place) {
	for i := range all {
		o := &all[i]
		places = append(places, cuda.Place{Place: o.Place(), Code: o.Text(), Role: o.Role})
		places = append(places, callsOf(&o.Code)...)
	}
	return places
}

// callsOf returns the calls through which code was inlined.
func callsOf(c *simtrun.Code) (places []cuda.Place) {
	for _, call := range c.Calls {
		if at := strings.LastIndex(call, " at "); at > 0 {
			places = append(places, cuda.Place{Place: call[at+len(" at "):], Role: call[:at]})
		}
	}
	return places
}

// ruleOf returns the rule that a failed launch has broken.
func ruleOf(err error) string {
	if f, ok := errors.AsType[*simtrun.Fault](err); ok {
		return f.Rule
	}
	if _, ok := errors.AsType[*timeLimit](err); ok {
		return ruleTimeout
	}
	if h, ok := errors.AsType[*simtrun.Hang](err); ok {
		return h.Rule
	}
	return ""
}

// isHang reports whether a launch failed because it could not end, or not within a limit.
func isHang(err error) bool {
	_, hang := errors.AsType[*simtrun.Hang](err)
	_, late := errors.AsType[*timeLimit](err)
	return hang || late
}

// doing describes an access of a race.
func doing(a *simtrun.RaceAccess) string {
	if a.Writes {
		return "write"
	}
	return "read"
}

// failed says why a launch has failed, and the explanation of it. On standard error the explanation is enough if the
// debugger, which writes there, too, has shown the reason.
func (o *outlet) failed(err error, explanation string, shown bool) {
	switch {
	case !shown || o.log != os.Stderr:
		o.say("%s%s", err, explanation)
	case explanation != "":
		o.say("%s", strings.TrimSpace(explanation))
	}
}

// allows reports whether a suppression allows a finding: in a file of SIMTRUN_SUPPRESSIONS, or in the source.
func (o *outlet) allows(rule, kernel string, at ...*simtrun.Code) bool {
	f := verdict.Finding{Rule: rule, Kernel: kernel}
	for _, c := range at {
		pos := c.Pos
		if c.Source != (simtrun.Pos{}) {
			pos = c.Source
		}
		f.Other = append(f.Other, verdict.Place{File: pos.File, Line: pos.Line})
	}
	return o.allowsFinding(&f)
}

// allowsAt reports whether a suppression allows a finding about a call of the driver.
func (o *outlet) allowsAt(rule string, at *site) bool {
	f := verdict.Finding{Rule: rule, At: verdict.Place{File: at.file, Line: at.line, Text: at.code}}
	return o.allowsFinding(&f)
}

func (o *outlet) allowsFinding(f *verdict.Finding) bool {
	if err := o.allowed.ReadSources([]verdict.Finding{*f}); err != nil && !o.refused {
		o.refused = true
		o.say("%v", err)
	}
	return o.allowed.Allows(f)
}

// found prints the warnings and races of a kernel's launch, each when it first occurs.
func (o *outlet) found(kernel string, r *simtrun.Result) {
	races, warnings := len(o.findings.Races()), len(o.findings.Warnings())
	o.findings.Add(r)
	for _, w := range o.findings.Warnings()[warnings:] {
		if o.allows(w.Rule, kernel, &w.Code) {
			continue
		}
		text := fmt.Sprintf("%s: %s: %s [%s]\n  %s%s\n  who     %s", w.Place(), w.Severity, w.Message, w.Rule, w.Text(), calls(&w.Code), w.Threads)
		for _, line := range w.Details {
			if !strings.HasPrefix(line, "who ") {
				text += "\n  " + line
			}
		}
		o.say("%s", text)
	}
	for _, f := range o.findings.Races()[races:] {
		if o.allows(f.Rule, kernel, &f.Later.Code, &f.Earlier.Code) {
			continue
		}
		o.say("%s: %s: %s", f.Later.Place(), f.Severity, f.Text())
	}
}

// calls returns a line for each call through which code was inlined, each after a line break.
func calls(c *simtrun.Code) string {
	var b strings.Builder
	for _, call := range c.Calls {
		b.WriteString("\n  in      " + call)
	}
	return b.String()
}
