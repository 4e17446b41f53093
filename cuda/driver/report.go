package main

import (
	"fmt"
	"time"

	"github.com/simtrun/simtrun"
	"github.com/simtrun/simtrun/profile"
)

// launchReport is a line of SIMTRUN_REPORT.
type launchReport struct {
	Kernel       string             `json:"kernel"`
	Grid         [3]uint32          `json:"grid"`
	Block        [3]uint32          `json:"block"`
	Shared       int64              `json:"shared"`  // bytes, dynamic
	Seconds      float64            `json:"seconds"` // of the host
	WarpInstrs   uint64             `json:"warp_instructions"`
	LaneInstrs   uint64             `json:"lane_instructions"`
	Divergent    uint64             `json:"divergent_branches"`
	Cycles       int64              `json:"cycles,omitempty"`
	Microseconds float64            `json:"microseconds,omitempty"` // of the GPU
	Metrics      map[string]float64 `json:"metrics"`
	Races        []raceReport       `json:"races,omitempty"`
	Error        string             `json:"error,omitempty"`
}

type raceReport struct {
	Rule      string `json:"rule"`
	Later     string `json:"later"`
	Earlier   string `json:"earlier"`
	Space     string `json:"space"`
	Buffer    string `json:"buffer,omitempty"`
	Offset    uint64 `json:"offset"`
	Instances int64  `json:"instances"`
}

// launched reports a launch.
func (o *outlet) launched(l *launch, r *simtrun.Result, err error, took time.Duration) {
	if o.report == nil {
		return
	}
	line := launchReport{Kernel: l.f.k.Name(), Grid: [3]uint32{l.grid.X, l.grid.Y, l.grid.Z}, Block: [3]uint32{l.block.X, l.block.Y, l.block.Z}, Shared: l.shared,
		Seconds: took.Seconds(), WarpInstrs: r.WarpInstrs, LaneInstrs: r.LaneInstrs, Divergent: r.DivergentBranches, Metrics: make(map[string]float64)}
	if r.Timing != nil {
		line.Cycles, line.Microseconds = r.Timing.Cycles, r.Timing.Microseconds
	}
	for _, m := range profile.Metrics() {
		if v, ok := r.Metric(m.Name); ok {
			line.Metrics[m.Name] = v
		}
	}
	for i := range r.Races {
		f := &r.Races[i]
		line.Races = append(line.Races, raceReport{f.Rule, f.Later.Pos.String(), f.Earlier.Pos.String(), f.Space, f.Buffer, f.Offset, f.Instances})
	}
	if err != nil {
		line.Error = err.Error()
	}
	if err := o.report.Encode(&line); err != nil {
		o.say("SIMTRUN_REPORT: %v", err)
		o.report = nil
	}
}

// found says what a launch got away with, and which races it has, each where it comes up first.
func (o *outlet) found(r *simtrun.Result) {
	races, warnings := len(o.findings.Races()), len(o.findings.Warnings())
	o.findings.Add(r)
	for _, w := range o.findings.Warnings()[warnings:] {
		o.say("%s: warning: %s [%s]\n  %s\n  who     %s", w.Pos, w.Message, w.Rule, w.Instr, w.Threads)
	}
	for _, f := range o.findings.Races()[races:] {
		where := f.Space
		if f.Buffer != "" {
			where = f.Buffer
		}
		o.say("%s: %s: race [%s] %s+0x%x..0x%x\n  %s\n  %s\n  between %s\n  fix     %s", f.Later.Pos, f.Severity, f.Rule, where, f.Offset, f.Offset+uint64(f.Bytes)-1,
			side("earlier", &f.Earlier), side("later", &f.Later), f.Between, f.Fix)
	}
}

func side(name string, a *simtrun.RaceAccess) string {
	return fmt.Sprintf("%-7s %s  %s  %s", name, a.Pos, a.Instr, a.Threads)
}
