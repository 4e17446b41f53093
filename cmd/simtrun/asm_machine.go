package main

import (
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/simtrun/simtrun/internal/cost"
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/launch"
	"github.com/simtrun/simtrun/internal/sass"
)

// writeMachine prints the machine instructions that a clock charges for a kernel on an H100, for which package cost
// lowers PTX, or as a listing of machine code has them.
func writeMachine(w io.Writer, mod *isa.Module, name, listing string) error {
	kernel, err := launch.Kernel(mod, name)
	if err != nil {
		return badValue("machine", name, err)
	}
	if listing == "" {
		return written(io.WriteString(w, cost.Listing(kernel, latenciesOf(gpu.H100()))))
	}
	text, err := os.ReadFile(listing)
	if err != nil {
		return err
	}
	all, err := sass.Parse(string(text))
	if err != nil {
		return badValue("sass", listing, err)
	}
	code := sass.Find(all, kernel.Name)
	if code == nil {
		return badValue("sass", listing, fmt.Errorf("it has no code for %s", kernel.Name))
	}
	isGlobal := func(name string) bool {
		return slices.ContainsFunc(mod.Vars, func(v *isa.Var) bool { return v.Name == name && (v.Space == isa.Global || v.Space == isa.Const) })
	}
	return written(io.WriteString(w, cost.AssembledListing(kernel, latenciesOf(gpu.H100()), code, isGlobal)))
}

// latenciesOf returns the latencies of a GPU's classes of machine instructions.
func latenciesOf(on *gpu.Config) *cost.Latencies {
	var l cost.Latencies
	for class := range l {
		l[class] = on.Classes[class].Latency
	}
	return &l
}
