package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/lanes"
	"github.com/simtrun/simtrun/launch"
	"github.com/simtrun/simtrun/memory"
	"github.com/simtrun/simtrun/report"
)

// runReport is the JSON object of a run. Its keys are part of the interface.
type runReport struct {
	Schema     string         `json:"schema"`
	GPU        string         `json:"gpu"`
	Divergence string         `json:"divergence"`
	Launches   []launchReport `json:"launches"`
	Stdout     string         `json:"stdout"` // what kernels printed
	Dumps      []dumpReport   `json:"dumps"`
	Findings   []finding      `json:"findings"`
	Expects    expectReport   `json:"expects"`
	Summary    summary        `json:"summary"`

	printed *launch.Printed // what Stdout has; may be nil
	dumped  []launch.Dump   // what Dumps has
}

type launchReport struct {
	Kernel           string         `json:"kernel"`
	Grid             [3]uint32      `json:"grid"`
	Block            [3]uint32      `json:"block"`
	Shared           int64          `json:"shared"`
	Blocks           int64          `json:"blocks"`
	Warps            *big.Int       `json:"warps"`
	WarpInstructions uint64         `json:"warp_instructions"`
	LaneInstructions uint64         `json:"lane_instructions"`
	Metrics          report.Metrics `json:"metrics"`
	Lines            []report.Line  `json:"lines,omitempty"`
	HostCPUSeconds   *float64       `json:"host_cpu_seconds,omitempty"` // with --host-time
}

// dumpReport has integers with all their digits, and floating-point values as
// the shortest numbers that read back; those JSON has no number for are the
// strings nan, inf and -inf.
type dumpReport struct {
	Name   string            `json:"name"`
	Type   string            `json:"type"`
	Count  int64             `json:"count"`
	Values []json.RawMessage `json:"values"`
}

type finding struct {
	Rule     string `json:"rule"`
	Severity string `json:"severity"`
	Message  string `json:"message"`
	File     string `json:"file"`
	Line     int32  `json:"line"`
	Column   int32  `json:"column"`
	Instr    string `json:"instr,omitempty"`
	*who
	*access
	Waiters []waiter      `json:"waiters,omitempty"`
	Notes   []string      `json:"notes,omitempty"`
	Launch  *int          `json:"launch,omitempty"` // of launches, a race's
	Kernel  string        `json:"kernel,omitempty"`
	Value   string        `json:"value,omitempty"`
	Other   *other        `json:"other,omitempty"`
	Also    []pairOfLines `json:"also,omitempty"`
	Between string        `json:"between,omitempty"`
	Repeats *repeats      `json:"repeats,omitempty"`
	Fix     string        `json:"fix,omitempty"`
}

// repeats is how often a finding came.
type repeats struct {
	Instances int64 `json:"instances"`
	Warps     int64 `json:"warps"`  // in which any occurred
	Blocks    int64 `json:"blocks"` // likewise
}

// waiter is lanes that a hang or a warning is about, beside the first.
type waiter struct {
	Role string `json:"role"`
	who
	File    string `json:"file,omitempty"`
	Line    int32  `json:"line,omitempty"`
	Column  int32  `json:"column,omitempty"`
	Instr   string `json:"instr,omitempty"`
	For     string `json:"for,omitempty"`
	Barrier *int   `json:"barrier,omitempty"`
	Missing string `json:"missing,omitempty"` // a mask
}

// who is the lanes that a finding is about.
type who struct {
	Block [3]uint32 `json:"block"`
	Warp  int       `json:"warp"`
	Mask  string    `json:"mask"` // hexadecimal
	Lanes []int     `json:"lanes"`
}

// access is what they did to memory.
type access struct {
	Space   string `json:"space"`
	Buffer  string `json:"buffer,omitempty"`
	Offset  *int64 `json:"offset,omitempty"` // bytes from the start of the buffer
	Address uint64 `json:"address"`
	Size    int    `json:"size"`               // bytes of a lane
	Index   *int64 `json:"index,omitempty"`    // of the element, by the size of the access
	Count   *int64 `json:"elements,omitempty"` // that the buffer has
}

type expectReport struct {
	Passed   int             `json:"passed"`
	Failed   int             `json:"failed"`
	LeftOut  int             `json:"left_out"`
	Failures []failureReport `json:"failures"`
}

type failureReport struct {
	Expect     string           `json:"expect"`
	At         string           `json:"at"`
	Compared   int64            `json:"compared"`
	Differ     int64            `json:"differ"`
	Mismatches []mismatchReport `json:"mismatches"`
	Got        string           `json:"got,omitempty"` // of a metric
	Want       string           `json:"want,omitempty"`
}

type mismatchReport struct {
	Index int64  `json:"index"`
	Got   string `json:"got"`
	Want  string `json:"want"`
}

type summary struct {
	Exit     int    `json:"exit"`
	Errors   int    `json:"errors"`
	Warnings int    `json:"warnings"`
	Infos    int    `json:"infos,omitempty"`
	Message  string `json:"message"` // "" when all went well
}

// report is the JSON object of a run that ended with err, if res is not nil
// with that result.
func (o *runOptions) report(plan *launch.Plan, res *launch.Result, err error, code int, printed *launch.Printed) *runReport {
	r := &runReport{
		Schema: "simtrun.run/v1", GPU: "none", Divergence: modelOf(plan).String(), printed: printed,
		Launches: []launchReport{}, Findings: findings(err),
		Expects: expectReport{Failures: []failureReport{}}, Summary: summary{Exit: code},
	}
	if res != nil {
		r.add(res)
		for i := range r.Launches {
			if seconds := res.Launches[i].HostCPU.Seconds(); o.hostTime {
				r.Launches[i].HostCPUSeconds = &seconds
			}
		}
	}
	r.Summary.Errors = len(r.Findings)
	if res != nil {
		for i := range res.Launches {
			r.addWarnings(res.Launches[i].Stats.Warnings)
			r.addRaces(i, &res.Launches[i])
		}
	}
	if err != nil {
		r.Summary.Message = err.Error()
		if errors.Is(err, context.Canceled) && !hasPlace(err) {
			r.Summary.Message = "interrupted"
		}
	}
	return r
}

// reportOf is a launch as package report takes it.
func reportOf(l *launch.Launched) report.Launch {
	return report.Launch{Kernel: l.Kernel, Grid: l.Grid, Block: l.Block, Profile: l.Profile}
}

// modelOf is the divergence model of a plan, or the default one if there is no
// plan.
func modelOf(plan *launch.Plan) divergence.Model {
	if plan == nil {
		return 0
	}
	return plan.Config.Divergence
}

func (r *runReport) addWarnings(warnings []interp.Warning) {
	for _, w := range warnings {
		f := newFinding(w.Pos, w.Msg, string(w.Rule))
		f.Severity, f.Instr, f.Repeats, f.who = "warning", w.Text, &repeats{w.Count, w.Warps, w.Blocks}, whoOf(w.Where)
		f.Waiters = waitersOf(w.Involved)
		r.Findings = append(r.Findings, f)
		r.Summary.Warnings++
	}
}

func (r *runReport) add(res *launch.Result) {
	for i := range res.Launches {
		l := &res.Launches[i]
		r.Launches = append(r.Launches, launchReport{
			Kernel: l.Kernel, Grid: dimArray(l.Grid), Block: dimArray(l.Block), Shared: l.Shared,
			Blocks: l.Grid.Count(), Warps: isa.Warps(l.Grid, l.Block),
			WarpInstructions: l.Stats.WarpInstrs, LaneInstructions: l.Stats.LaneInstrs,
			Metrics: report.Metrics{},
		})
		if of := reportOf(l); l.Profile != nil {
			added := &r.Launches[len(r.Launches)-1]
			added.Metrics, added.Lines = report.LaunchMetrics(&of), report.Lines(&of)
		}
	}
	r.dumped = res.Dumps
	r.Expects.Passed, r.Expects.Failed, r.Expects.LeftOut = res.Passed, len(res.Failed), res.LeftOut
	for _, f := range res.Failed {
		r.Expects.Failures = append(r.Expects.Failures, failureObject(f))
	}
}

func dimArray(d isa.Dim) [3]uint32 { return [3]uint32{d.X, d.Y, d.Z} }

func failureObject(f launch.Failure) failureReport {
	r := failureReport{Expect: f.Expect, At: f.At.String(), Compared: f.Compared, Differ: f.Differ, Mismatches: []mismatchReport{}, Got: f.Got, Want: f.Want}
	for _, m := range f.Mismatches {
		r.Mismatches = append(r.Mismatches, mismatchReport{m.Index, m.Got, m.Want})
	}
	return r
}

// Rules of findings that are about the command or the text.
const (
	ruleAssembly  = "asm-error"
	ruleDirective = "directive-error"
	ruleTimeout   = "sync-timeout"
)

// findings is what err says of the kernel and the files it is in; none if it
// is about something else.
func findings(err error) []finding {
	if f, ok := errors.AsType[*interp.Fault](err); ok {
		return []finding{faultFinding(f)}
	}
	if h, ok := errors.AsType[*interp.Hang](err); ok {
		found := newFinding(h.Pos, h.Msg, string(h.Rule))
		found.who, found.Instr, found.Waiters, found.Notes, found.Fix = whoOf(h.Where), cmp.Or(h.Text, h.Next), waitersOf(h.Involved), h.Notes, h.Fix
		return []finding{found}
	}
	if is[*memory.BudgetError](err) {
		return []finding{memoryFinding(err)}
	}
	if list, ok := errors.AsType[asm.Errors](err); ok {
		return assemblyFindings(list.List)
	}
	if e, ok := errors.AsType[*isa.Error](err); ok {
		return assemblyFindings([]*isa.Error{e})
	}
	if e, ok := errors.AsType[*launch.Error](err); ok && e.At.Pos.IsValid() {
		return []finding{newFinding(e.At.Pos, e.Msg, ruleDirective)}
	}
	return []finding{}
}

// memoryFinding is a variable or buffer for which there is not enough of the
// host's memory, or what a launch needs.
func memoryFinding(err error) finding {
	var pos isa.Pos
	if e, ok := errors.AsType[*isa.Error](err); ok {
		pos = e.Pos
	}
	if e, ok := errors.AsType[*launch.Error](err); ok {
		pos = e.At.Pos
	}
	return newFinding(pos, err.Error(), string(interp.RuleHostMemory))
}

func assemblyFindings(list []*isa.Error) []finding {
	var found []finding
	for _, e := range list {
		found = append(found, newFinding(e.Pos, e.Msg, ruleAssembly))
	}
	return found
}

func faultFinding(f *interp.Fault) finding {
	found := newFinding(f.Pos, f.Err.Error(), string(f.Rule))
	found.Instr = f.Text
	found.who = whoOf(f.Where)
	if a, ok := errors.AsType[*memory.AccessError](f.Err); ok {
		found.access = accessOf(a)
	}
	return found
}

// accessOf is an access that could not be made.
func accessOf(a *memory.AccessError) *access {
	out := &access{Space: a.Space.String(), Address: a.Addr, Size: a.Size}
	if r := a.Region; r != nil {
		offset := int64(a.Addr - r.Base)
		out.Buffer, out.Offset = r.Name, &offset
	}
	if index, count, ok := a.Index(); ok {
		i, n := int64(index), int64(count)
		out.Index, out.Count = &i, &n
	}
	return out
}

// waitersOf are those that have a role beside the lanes that a finding is about.
func waitersOf(all []interp.Involved) []waiter {
	var out []waiter
	for i := range all {
		p := &all[i]
		if p.Role == interp.Affects {
			continue
		}
		w := waiter{Role: string(p.Role), who: *whoOf(p.Where), File: p.Pos.File, Line: p.Pos.Line, Column: p.Pos.Col, Instr: p.Text, For: p.For}
		if p.Barrier >= 0 {
			w.Barrier = &p.Barrier
		}
		if p.Missing != 0 {
			w.Missing = fmt.Sprintf("%08x", uint32(p.Missing))
		}
		out = append(out, w)
	}
	return out
}

// whoOf is the lanes of a place, or nil if it has none.
func whoOf(at interp.Where) *who {
	if at.Lanes == 0 {
		return nil
	}
	w := &who{Block: dimArray(at.CTA), Warp: at.Warp, Mask: fmt.Sprintf("%08x", uint32(at.Lanes))}
	for lane := range lanes.Width {
		if at.Lanes>>lane&1 != 0 {
			w.Lanes = append(w.Lanes, lane)
		}
	}
	return w
}

// newFinding is an error of the given rule.
func newFinding(pos isa.Pos, msg, rule string) finding {
	return finding{Rule: rule, Severity: "error", Message: msg, File: pos.File, Line: pos.Line, Column: pos.Col}
}
