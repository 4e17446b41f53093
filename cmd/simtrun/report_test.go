package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/simtrun/simtrun/report"
	"github.com/simtrun/simtrun/sm"
)

// reportedRuns are command lines whose reports are looked at.
var reportedRuns = map[string][]string{
	"streaming":      {"../../programs/vecadd.s", "--grid", "132x4"},
	"functional":     {"../../programs/vecadd.s", "--functional"},
	"races":          {"../../programs/warp_sum_racy.s", "--check", "race"},
	"shared":         {"../../programs/histogram.s"},
	"diverges":       {"../../programs/mandelbrot.s"},
	"barriers":       {"../../programs/matmul_tiled.s"},
	"flat memory":    {"../../programs/matmul_tiled.s", "--gpu", "minimal"},
	"another GPU":    {"../../programs/transpose.s", "--gpu", "v100"},
	"calls":          {"../../programs/recursion.s"},
	"a fault":        {"../../docs/rules/mem-oob.s"},
	"no kernel":      {"../../docs/json.md"},
	"several in one": {"../../programs/scan.s"},
}

// saved runs a command line and reads the report that it saves.
func saved(t *testing.T, args ...string) (*report.Document, []byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run.json")
	typed(t, append([]string{"run", "-o", path}, args...)...)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	d, err := report.ReadDocument(text)
	if err != nil {
		t.Fatal(err)
	}
	return d, text
}

// TestReportsHaveTheSchema validates reports of real runs against docs/report.schema.json.
func TestReportsHaveTheSchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile("../../docs/report.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	for name, args := range reportedRuns {
		d, text := saved(t, args...)
		var object any
		if err := json.Unmarshal(text, &object); err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(object); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if len(d.Launches) == 0 && len(d.Findings) == 0 {
			t.Errorf("%s: nothing was launched, and nothing found", name)
		}
	}
}

// TestReportsAddUp: what a report says in several places is the same: instructions sum to their
// launch, SMs to the GPU, states to the cycles of warps; and the JSON object of a run agrees.
func TestReportsAddUp(t *testing.T) {
	for name, args := range reportedRuns {
		t.Run(name, func(t *testing.T) {
			d, _ := saved(t, args...)
			var run struct {
				Launches []struct {
					Cycles  int64
					Metrics map[string]*float64
				}
			}
			if err := json.Unmarshal([]byte(typed(t, append([]string{"run", "--json"}, args...)...).stdout), &run); err != nil {
				t.Fatal(err)
			}
			if len(run.Launches) != len(d.Launches) {
				t.Fatalf("%d launches, %d in the report", len(run.Launches), len(d.Launches))
			}
			for i := range d.Launches {
				addUp(t, &d.Launches[i])
				metrics := make(map[string]*float64)
				for _, m := range d.Launches[i].Metrics {
					metrics[m.Name] = &m.Value
				}
				for metric, v := range run.Launches[i].Metrics {
					if diff := cmp.Diff(v, metrics[metric]); diff != "" {
						t.Errorf("%s (-run +report):\n%s", metric, diff)
					}
				}
			}
		})
	}
}

func addUp(t *testing.T, l *report.Launch) {
	t.Helper()
	var runs, lanes uint64
	var stalls sm.States
	for _, in := range l.Instructions {
		runs += in.Counts.Runs
		lanes += in.Counts.Lanes
		states := sm.States(in.Stalls)
		stalls.Add(&states)
	}
	// The end of the code counts as an instruction, but is none.
	if end := l.Counts.Runs - runs; end > 32*l.Warps.Uint64() || l.Counts.Lanes < lanes {
		t.Errorf("instructions ran %d times with %d lanes, in all %d and %d", runs, lanes, l.Counts.Runs, l.Counts.Lanes)
	}
	if l.Time == nil {
		return
	}
	var sms sm.States
	var issued, pipes uint64
	var blocks, active int64
	for _, m := range l.Time.SMs {
		states := sm.States(m.Stalls)
		sms.Add(&states)
		issued += m.Issued
		blocks += m.Blocks
		active += m.ActiveCycles
	}
	for _, p := range l.Time.Pipes {
		pipes += p.Instructions
	}
	all := sm.States(l.Time.Stalls)
	if all != sms || all.Total() != l.Time.WarpCycles || stalls.Total() > all.Total() {
		t.Errorf("states are %v, of SMs %v, of instructions %v, of warps %d", all, sms, stalls, l.Time.WarpCycles)
	}
	if issued != l.Time.Issued || pipes != issued || all[sm.Selected] != issued-l.Time.Paired {
		t.Errorf("%d instructions issued, by SMs %d, to pipes %d, in %d cycles", l.Time.Issued, issued, pipes, all[sm.Selected])
	}
	if blocks != l.Blocks || uint64(active) != l.Time.ActiveCycles {
		t.Errorf("SMs have %d blocks and %d active cycles, the launch %d and %d", blocks, active, l.Blocks, l.Time.ActiveCycles)
	}
}
