// Package program is what a kernel is once everything about it that is known
// before a launch has been resolved: where its registers lie, a lanes.Op for each
// instruction, what its calls pass, its shared memory, and whether the order in
// which lanes run can be seen.
package program

import (
	"sync"

	"github.com/simtrun/simtrun/internal/isa"
)

// Program is a kernel with everything resolved: its own code and that of the
// functions that it can reach.
type Program struct {
	Funcs     []*Func // the kernel is the first
	Static    int64   // bytes of static shared memory
	Registers int     // 32-bit registers of a thread that an assembler may take, estimated
	Barriers  int     // named barriers
	SeesLanes bool    // it has instructions whose result depends on which lanes run together
	MaxParams int64   // bytes of parameters that a kernel of its module may have
	Tensor    bool    // it has instructions that work on tensor memory
	// AdjustsRegisters says that the program has setmaxnreg.
	AdjustsRegisters bool
	ctaGroup         isa.Mod // their .cta_group, 0 if none has one
	// Images are the instructions that name textures, samplers and surfaces of the module.
	Images []NamedImage
	Env    Env

	mod       *Module
	number    map[string]int   // by name of a function: its index in Funcs
	shared    map[string]int64 // by sharedName of a shared variable: its address
	dynamicAt int64            // address where dynamic shared memory starts

	findPolling sync.Once
	polling     Executing // instructions that poll

	contentions contentions
}

// Env is what a program depends on beside its module.
type Env struct {
	// Address is the address of a variable of the module in global or constant
	// memory, or of a function.
	Address func(name string) (addr uint64, ok bool)
	// Precise keeps every register in a slot of its own, which holds what the
	// source says between any two instructions: for registers that are looked at,
	// and set, from outside. Otherwise the code is optimised: copies are
	// propagated and registers allocated.
	Precise bool
}

// Lower resolves a kernel and what it can call. An instruction that cannot be
// run yet is an *isa.Error with its position.
func (m *Module) Lower(kernel *isa.Func, env Env) (*Program, error) {
	p := &Program{Env: env, MaxParams: m.Src.MaxParams(), mod: m, number: make(map[string]int), shared: make(map[string]int64)}
	fns := m.reachable(kernel)
	p.placeShared(fns)
	align := m.localAlign(fns)
	for i, fn := range fns {
		p.number[fn.Name] = i
		p.Funcs = append(p.Funcs, p.newFunc(i, fn, align))
	}
	for _, f := range p.Funcs { // of all, before the first call is lowered
		p.layOut(f)
	}
	for _, f := range p.Funcs {
		if err := p.lower(f); err != nil {
			return nil, err
		}
		p.Barriers = max(p.Barriers, barriersOf(f))
	}
	p.Registers = p.estimateRegisters()
	return p, nil
}

// Kernel is the code of the kernel itself.
func (p *Program) Kernel() *Func { return p.Funcs[0] }

// Number is the index in Funcs of the function of that name.
func (p *Program) Number(name string) (n int, ok bool) {
	n, ok = p.number[name]
	return n, ok
}

// SharedBytes is the shared memory of a CTA that is launched with so many bytes
// of dynamic shared memory.
func (p *Program) SharedBytes(dynamic int64) int64 {
	if dynamic == 0 {
		return p.Static
	}
	return p.dynamicAt + dynamic
}
