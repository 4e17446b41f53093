package flowgraph

import (
	"encoding/json"
	"fmt"
	"io"
)

// runSchema is the schema of the JSON objects that have counts.
const runSchema = "simtrun.run/v1"

// run is the part of a run's JSON object that is read.
type run struct {
	Schema   string
	Launches []struct {
		Kernel string
		Lines  []line
	}
}

// line is the counts of one instruction. Zero counts may be absent.
type line struct {
	Function    string
	PC          int
	Instruction string
	Metrics     struct {
		WarpInstructions  uint64 `json:"warp_instructions"`
		LaneInstructions  uint64 `json:"lane_instructions"`
		Branches          uint64 `json:"branches"`
		DivergentBranches uint64 `json:"divergent_branches"`
	}
}

// AddCounts adds the counts of a run, summed over its launches, to graphs. It reads the JSON object that simtrun run
// --json prints. An object without counts, or with those of other code, is an error.
func AddCounts(graphs []*Graph, r io.Reader) error {
	var counted run
	if err := json.NewDecoder(r).Decode(&counted); err != nil {
		return fmt.Errorf("counts are read from what simtrun run --json prints: %w", err)
	}
	if counted.Schema != runSchema {
		return fmt.Errorf("schema %q; counts are read from %s, which simtrun run --json prints", counted.Schema, runSchema)
	}
	byName := make(map[string]*Graph)
	for _, g := range graphs {
		byName[g.Func.Name] = g
	}
	lines := 0
	for i := range counted.Launches {
		for j := range counted.Launches[i].Lines {
			l := &counted.Launches[i].Lines[j]
			g := byName[l.Function]
			if err := g.check(l); err != nil {
				return err
			}
			g.add(l)
			lines++
		}
	}
	if lines == 0 {
		return fmt.Errorf("no instruction has counts: the run has no launch that ended well")
	}
	for _, g := range graphs {
		g.Counted = true
	}
	return nil
}

// check returns an error if the counts are not those of an instruction of g.
func (g *Graph) check(l *line) error {
	if g == nil {
		return fmt.Errorf("counts of another program: it has a function %s", l.Function)
	}
	if l.PC < 0 || l.PC >= len(g.Func.Code) {
		return fmt.Errorf("counts of another program: %s has no instruction @%d", l.Function, l.PC)
	}
	if text := g.Func.Text(l.PC); text != l.Instruction {
		return fmt.Errorf("counts of another program: %s@%d is %q here and %q there", l.Function, l.PC, text, l.Instruction)
	}
	return nil
}

// add adds the counts of one instruction to its block.
func (g *Graph) add(l *line) {
	b := &g.Blocks[g.blockOf(l.PC)]
	if l.PC == b.Start {
		b.Runs += l.Metrics.WarpInstructions
	}
	b.Issued += l.Metrics.WarpInstructions
	b.Lanes += l.Metrics.LaneInstructions
	for i := range b.Divergences {
		if p := &b.Divergences[i]; p.PC == l.PC {
			p.Runs += l.Metrics.Branches
			p.Diverged += l.Metrics.DivergentBranches
		}
	}
}
