// Package program lowers a kernel: it resolves everything that is known before a launch. That is the layout of its
// registers, a lanes.Op for each instruction, the values that its calls pass, its shared memory, and whether the
// order in which lanes run is observable.
package program

import (
	"sync"

	"github.com/simtrun/simtrun/internal/isa"
)

// Program is a lowered kernel: its own code and that of the functions that it can reach.
type Program struct {
	Funcs     []*Func // the kernel is the first
	Static    int64   // bytes of static shared memory
	Registers int     // estimated 32-bit registers of a thread that an assembler takes
	Barriers  int     // named barriers
	SeesLanes bool    // it has instructions with results that depend on which lanes run together
	MaxParams int64   // bytes of parameters that a kernel of its module may have
	Tensor    bool    // it has instructions on tensor memory
	// TakesLocal says that it has instructions with a generic address in local memory as their result.
	TakesLocal bool
	// AdjustsRegisters says that the program has setmaxnreg.
	AdjustsRegisters bool
	ctaGroup         isa.Mod // of instructions of tcgen05; 0 if none has one
	// Images are the instructions that name textures, samplers and surfaces of the module.
	Images []NamedImage
	Env    Env

	mod       *Module
	number    map[string]int   // by name of a function: its index in Funcs
	shared    map[string]int64 // by sharedName of a shared variable: its address
	dynamicAt int64            // address where dynamic shared memory starts

	expansions []*expansion // of functions that are being lowered
	bindings   isa.Bindings // while functions are being lowered

	findPolling sync.Once
	polling     Executing // instructions that poll

	contentions contentions
	waitsOnce   sync.Once
	waits       bool // see WaitsForOthers
}

// Env is the environment on which a program depends in addition to its module.
type Env struct {
	// Address returns the address of a variable of the module in global or constant memory, or of a function.
	Address func(name string) (addr uint64, ok bool)
	// Precise gives every register its own slot, which has the source-level value between any two instructions, so that
	// registers can be inspected and set from outside. Otherwise the code is optimised: copies are propagated and
	// registers allocated.
	Precise bool
}

// Lower resolves a kernel and the functions that it can call. It returns an *isa.Error with the position of an
// instruction that is not supported.
func (m *Module) Lower(kernel *isa.Func, env Env) (*Program, error) {
	p := &Program{Env: env, MaxParams: m.Src.MaxParams(), mod: m, number: make(map[string]int), shared: make(map[string]int64)}
	fns := m.reachable(kernel)
	p.placeShared(fns)
	align := m.localAlign(fns)
	for i, fn := range fns {
		p.number[fn.Name] = i
		p.Funcs = append(p.Funcs, p.newFunc(i, fn, align))
	}
	for _, f := range p.Funcs { // all of them, before the first call is lowered
		p.layOut(f)
	}
	for _, f := range p.Funcs {
		if err := p.lower(f); err != nil {
			return nil, err
		}
		p.Barriers = max(p.Barriers, barriersOf(f))
	}
	for _, x := range p.expansions {
		if err := x.lower(); err != nil {
			return nil, err
		}
	}
	p.expansions, p.bindings = nil, isa.Bindings{}
	p.Registers = p.estimateRegisters()
	return p, nil
}

// Kernel returns the code of the kernel itself.
func (p *Program) Kernel() *Func { return p.Funcs[0] }

// Number returns the index in Funcs of the function with a name.
func (p *Program) Number(name string) (n int, ok bool) {
	n, ok = p.number[name]
	return n, ok
}

// SharedBytes returns the size of a CTA's shared memory in a launch with dynamic bytes of dynamic shared memory.
func (p *Program) SharedBytes(dynamic int64) int64 {
	if dynamic == 0 {
		return p.Static
	}
	return p.dynamicAt + dynamic
}
