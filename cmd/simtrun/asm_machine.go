package main

import (
	"io"

	"github.com/simtrun/simtrun/internal/cost"
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/launch"
)

// writeMachine prints the machine instructions that a clock charges for a kernel on an H100, for which package cost
// lowers PTX.
func writeMachine(w io.Writer, mod *isa.Module, name string) error {
	kernel, err := launch.Kernel(mod, name)
	if err != nil {
		return badValue("machine", name, err)
	}
	return written(io.WriteString(w, cost.Listing(kernel, latenciesOf(gpu.H100()))))
}

// latenciesOf returns the latencies of a GPU's classes of machine instructions.
func latenciesOf(on *gpu.Config) *cost.Latencies {
	var l cost.Latencies
	for class := range l {
		l[class] = on.Classes[class].Latency
	}
	return &l
}
