// Package simtrun runs PTX kernels on a simulated SIMT machine: warps of 32
// lanes with active masks and reconvergence, barriers and shared memory, without
// a GPU.
//
// A Program is loaded from PTX text. A Machine is a GPU's memory with the program
// in it: buffers are allocated there, kernels launched, and results read back.
// While a kernel runs, a function can look at the lanes of every instruction.
//
//	p, err := simtrun.LoadFiles("kernel.ptx")
//	m, err := p.NewMachine(simtrun.Options{})
//	out, err := m.Alloc("out", 4*n)
//	res, err := m.Launch(ctx, simtrun.Launch{
//		Kernel: "k", Grid: simtrun.Dim{X: 4}, Block: simtrun.Dim{X: 128}, Args: []any{out, n},
//	})
//	values := simtrun.Read[float32](out)
//
// The same program, input and options give the same results, on every machine.
package simtrun

import (
	"io"
	"os"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/lanes"
)

// Dim is an extent in up to three dimensions; here 0 counts as 1.
type Dim = isa.Dim

// Mask is a set of lanes of a warp: bit i is lane i.
type Mask = lanes.Mask

// Width is the number of lanes of a warp.
const Width = lanes.Width

// Model is the way in which the lanes of a warp part and meet.
type Model = divergence.Model

// The models: independent thread scheduling, the reconvergence stack of GPUs
// before Volta, and lowest PC first.
const (
	ITS   = divergence.IndependentThreads
	Stack = divergence.ReconvergenceStack
	MinPC = divergence.LowestPC
)

// Order is which side of a divergent branch runs first.
type Order = divergence.Order

// The orders.
const (
	Taken       = divergence.Taken
	FallThrough = divergence.FallThrough
	Majority    = divergence.Majority
)

// Options are how a machine runs kernels.
type Options struct {
	Divergence Model
	PathOrder  Order
	// MaxSteps is the most warp instructions that one warp may execute before the
	// launch counts as endless; 0 means 1e9.
	MaxSteps uint64
	// Stdout takes what kernels print; nil throws it away.
	Stdout io.Writer
}

// Program is assembled and linked source.
type Program struct {
	mod *isa.Module
}

// Load assembles source text. The name is for messages. Its error has up to ten
// messages of the form "file:line:col: what".
func Load(name string, src []byte) (*Program, error) {
	mod, err := asm.Parse(name, src)
	if err != nil {
		return nil, err
	}
	return &Program{mod}, nil
}

// LoadFiles assembles files and links them.
func LoadFiles(names ...string) (*Program, error) {
	var mods []*isa.Module
	for _, name := range names {
		src, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		mod, err := asm.Parse(name, src)
		if err != nil {
			return nil, err
		}
		mods = append(mods, mod)
	}
	if len(mods) == 1 {
		return &Program{mods[0]}, nil
	}
	mod, err := asm.Link(mods...)
	if err != nil {
		return nil, err
	}
	return &Program{mod}, nil
}

// Kernels are the names of the kernels, in the order of the source.
func (p *Program) Kernels() []string {
	var names []string
	for _, f := range p.mod.Entries() {
		names = append(names, f.Name)
	}
	return names
}

// PTX is the program in canonical form, which NVIDIA's assembler takes.
func (p *Program) PTX() string { return asm.Format(p.mod) }

// NewMachine is a machine with the program's variables in its memory. Machines
// share nothing; one of them runs one launch at a time.
func (p *Program) NewMachine(o Options) (*Machine, error) {
	m, err := interp.New(p.mod, interp.Config{Divergence: o.Divergence, PathOrder: o.PathOrder, MaxSteps: o.MaxSteps, Stdout: o.Stdout})
	if err != nil {
		return nil, err
	}
	return &Machine{p.mod, m}, nil
}

// Machine is a GPU's memory with a program loaded into it.
type Machine struct {
	mod *isa.Module
	m   *interp.Machine
}
