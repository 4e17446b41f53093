package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/simtrun/simtrun/internal/workloads"
)

// tool executes workloads, one at a time.
type tool interface {
	// name returns the name of the tool in reports, with the level of its compiled lanes.
	name() (tool, lanes string)
	// prepare prepares the tool to run a workload of a set.
	prepare(set *workloads.Set, w *workloads.Workload) error
	// run executes it with the initial contents of its buffers, and checks the result.
	run() (sample, error)
	close() error
}

// sample is the cost of one run.
type sample struct {
	CPU  time.Duration `json:"cpu_ns"` // of all threads of the process, around the kernel
	Wall time.Duration `json:"wall_ns"`
	// For simtrun only: the processor's clock at about that time, and the executed instructions.
	GHz        float64 `json:"ghz,omitempty"`
	WarpInstrs uint64  `json:"warp_instructions,omitempty"`
	LaneInstrs uint64  `json:"lane_instructions,omitempty"`
}

// measure runs each workload with all tools alternating, round by round, so that other load on the machine affects
// them equally.
func (o *options) measure(r *report, tools []tool) error {
	for _, set := range o.sets {
		for i := range set.Workloads {
			w := &set.Workloads[i]
			if len(o.only) > 0 && !slices.Contains(o.only, w.Name) {
				continue
			}
			samples, err := interleave(set, w, tools, o.rounds)
			if err != nil {
				return err
			}
			r.add(set.Name, w.Name, tools, samples)
		}
	}
	return nil
}

// interleave returns the samples of each tool, without the first run, in which a tool may compile the kernel and
// allocate memory.
func interleave(set *workloads.Set, w *workloads.Workload, tools []tool, rounds int) ([][]sample, error) {
	samples := make([][]sample, len(tools))
	for round := range 1 + rounds {
		for i, t := range tools {
			if round == 0 {
				if err := t.prepare(set, w); err != nil {
					return nil, described(t, w, err)
				}
			}
			s, err := t.run()
			if err != nil {
				return nil, described(t, w, err)
			}
			if round > 0 {
				samples[i] = append(samples[i], s)
			}
		}
	}
	return samples, nil
}

func described(t tool, w *workloads.Workload, err error) error {
	name, lanes := t.name()
	if lanes != "" {
		name += " with lanes " + lanes
	}
	return fmt.Errorf("%s: %s: %w", name, w.Name, err)
}

// checker compares results of one workload with the reference. It skips the comparison for a result equal to one that
// has passed.
type checker struct {
	reference func(out []byte) error
	known     []byte
}

func (c *checker) check(out []byte) error {
	if c.known != nil && string(out) == string(c.known) {
		return nil
	}
	if err := c.reference(out); err != nil {
		return fmt.Errorf("a wrong result: %w", err)
	}
	c.known = append(c.known[:0], out...)
	return nil
}
