package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"

	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/lanes"
	"github.com/simtrun/simtrun/launch"
	"github.com/simtrun/simtrun/memory"
)

// runReport is the JSON object of a run. Its keys are part of the interface.
type runReport struct {
	Schema     string         `json:"schema"`
	GPU        string         `json:"gpu"`
	Divergence string         `json:"divergence"`
	Launches   []launchReport `json:"launches"`
	Dumps      []dumpReport   `json:"dumps"`
	Findings   []finding      `json:"findings"`
	Expects    expectReport   `json:"expects"`
	Summary    summary        `json:"summary"`
}

type launchReport struct {
	Kernel           string             `json:"kernel"`
	Grid             [3]uint32          `json:"grid"`
	Block            [3]uint32          `json:"block"`
	Shared           int64              `json:"shared"`
	Blocks           int64              `json:"blocks"`
	Warps            int64              `json:"warps"`
	WarpInstructions uint64             `json:"warp_instructions"`
	LaneInstructions uint64             `json:"lane_instructions"`
	Metrics          map[string]float64 `json:"metrics"`
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
	Col      int32  `json:"col"`
	Instr    string `json:"instr,omitempty"`
	*who
	*access
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
	Address uint64 `json:"address"`
	Size    int    `json:"size"` // bytes of a lane
}

type expectReport struct {
	Passed   int             `json:"passed"`
	Failed   int             `json:"failed"`
	Failures []failureReport `json:"failures"`
}

type failureReport struct {
	Expect     string           `json:"expect"`
	At         string           `json:"at"`
	Compared   int64            `json:"compared"`
	Differ     int64            `json:"differ"`
	Mismatches []mismatchReport `json:"mismatches"`
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
	Message  string `json:"message"` // "" when all went well
}

// writeJSON prints the object. Its error, if any, is w's, which keeps it.
func writeJSON(w io.Writer, res *launch.Result, err error, code int) {
	r := runReport{
		Schema: "simtrun.run/v1", GPU: "none", Divergence: divergenceModel,
		Launches: []launchReport{}, Dumps: []dumpReport{}, Findings: findings(err),
		Expects: expectReport{Failures: []failureReport{}}, Summary: summary{Exit: code},
	}
	if res != nil {
		r.add(res)
	}
	r.Summary.Errors = len(r.Findings)
	if err != nil {
		r.Summary.Message = err.Error()
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(&r); err != nil && !writes(err) {
		panic("simtrun bug: " + err.Error())
	}
}

// writes reports whether err came from writing rather than from encoding.
func writes(err error) bool {
	return !is[*json.UnsupportedValueError](err) && !is[*json.UnsupportedTypeError](err) && !is[*json.MarshalerError](err)
}

func (r *runReport) add(res *launch.Result) {
	for i := range res.Launches {
		l := &res.Launches[i]
		r.Launches = append(r.Launches, launchReport{
			Kernel: l.Kernel, Grid: dimArray(l.Grid), Block: dimArray(l.Block), Shared: l.Shared,
			Blocks: l.Grid.Count(), Warps: l.Grid.Count() * ctaWarps(l.Block),
			WarpInstructions: l.Stats.WarpInstrs, LaneInstructions: l.Stats.LaneInstrs,
			Metrics: map[string]float64{
				"lanes_active":       lanesActive(l),
				"divergent_branches": float64(l.Stats.DivergentBranches),
			},
		})
	}
	for i := range res.Dumps {
		r.Dumps = append(r.Dumps, dumpObject(&res.Dumps[i]))
	}
	r.Expects.Passed, r.Expects.Failed = res.Passed, len(res.Failed)
	for _, f := range res.Failed {
		r.Expects.Failures = append(r.Expects.Failures, failureObject(f))
	}
}

func dimArray(d isa.Dim) [3]uint32 { return [3]uint32{d.X, d.Y, d.Z} }

func dumpObject(d *launch.Dump) dumpReport {
	r := dumpReport{Name: d.Name, Type: d.Elem.String(), Count: d.Count, Values: make([]json.RawMessage, d.Count)}
	for i := range d.Count {
		text := d.Elem.Text(d.Bits(i))
		if c := text[len(text)-1]; c < '0' || c > '9' {
			text = `"` + text + `"`
		}
		r.Values[i] = json.RawMessage(text)
	}
	return r
}

func failureObject(f launch.Failure) failureReport {
	r := failureReport{Expect: f.Expect, At: f.At.String(), Compared: f.Compared, Differ: f.Differ}
	for _, m := range f.Mismatches {
		r.Mismatches = append(r.Mismatches, mismatchReport{m.Index, m.Got, m.Want})
	}
	return r
}

// findings is what err says of the kernel: one finding, or none if it is about
// something else.
func findings(err error) []finding {
	if f, ok := errors.AsType[*interp.Fault](err); ok {
		return []finding{faultFinding(f)}
	}
	if h, ok := errors.AsType[*interp.Hang](err); ok {
		return []finding{newFinding(h.Pos, h.Msg)}
	}
	return []finding{}
}

func faultFinding(f *interp.Fault) finding {
	found := newFinding(f.Pos, f.Err.Error())
	found.Instr = f.Text
	found.who = &who{Block: dimArray(f.Where.CTA), Warp: f.Where.Warp, Mask: fmt.Sprintf("%08x", uint32(f.Where.Lanes))}
	for lane := range lanes.Width {
		if f.Where.Lanes>>lane&1 != 0 {
			found.Lanes = append(found.Lanes, lane)
		}
	}
	if a, ok := errors.AsType[*memory.AccessError](f.Err); ok {
		found.access = &access{Space: a.Space.String(), Address: a.Addr, Size: a.Size}
	}
	return found
}

// newFinding makes a finding of a message, which names its rule in brackets.
func newFinding(pos isa.Pos, msg string) finding {
	rule := ""
	if m := rulePattern.FindStringSubmatch(msg); m != nil {
		rule = m[1]
	}
	return finding{Rule: rule, Severity: "error", Message: msg, File: pos.File, Line: pos.Line, Col: pos.Col}
}

var rulePattern = regexp.MustCompile(`\[([a-z]+(?:-[a-z]+)+)\]`)
