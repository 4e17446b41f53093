// Package interp is what a warp instruction does: kernels lowered to flat
// programs, the loop that steps warps through them, barriers, and launches of
// whole grids without a clock.
package interp

import (
	"encoding/binary"
	"fmt"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/memory"
)

// Config is how a Machine runs kernels.
type Config struct {
	// MaxSteps is the most warp instructions that one warp may execute before
	// the run counts as endless; 0 means 1e9.
	MaxSteps uint64
	// PathOrder is which side of a divergent branch runs first.
	PathOrder divergence.Order
}

const defaultMaxSteps = 1e9

// Machine is a GPU's memory with a module loaded into it. Machines share
// nothing; one of them runs one launch at a time.
type Machine struct {
	cfg      Config
	mod      *isa.Module
	global   *memory.Global
	vars     map[string]*memory.Region // module variables in .global and .const
	programs map[*isa.Func]*program
}

// New makes a machine with the variables of mod in its memory, initialised.
func New(mod *isa.Module, cfg Config) (*Machine, error) {
	if cfg.MaxSteps == 0 {
		cfg.MaxSteps = defaultMaxSteps
	}
	m := &Machine{cfg: cfg, mod: mod, global: memory.NewGlobal(),
		vars: make(map[string]*memory.Region), programs: make(map[*isa.Func]*program)}
	for _, v := range mod.Vars {
		if (v.Space != isa.Global && v.Space != isa.Const) || v.Linkage == isa.Extern {
			continue
		}
		r, err := m.global.Alloc(v.Name, v.Space, v.Size())
		if err != nil {
			return nil, isa.Errorf(v.Pos, "%v", err)
		}
		m.vars[v.Name] = r
	}
	for _, v := range mod.Vars {
		if r := m.vars[v.Name]; r != nil {
			if err := m.initialise(v, r); err != nil {
				return nil, err
			}
		}
	}
	return m, nil
}

// initialise writes v's initialiser into r; what it leaves out is zero.
func (m *Machine) initialise(v *isa.Var, r *memory.Region) error {
	size := v.Type.Bytes()
	for i, init := range v.Init {
		bits := init.Bits
		if init.Sym != "" {
			target := m.vars[init.Sym]
			if target == nil {
				return isa.Errorf(init.Pos, "the address of %s in an initialiser is not supported yet", init.Sym)
			}
			bits += target.Base
		}
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], bits)
		copy(r.Data[i*size:(i+1)*size], b[:])
	}
	return nil
}

// Alloc adds a zeroed buffer of size bytes to global memory, aligned to 256
// bytes, with a gap after it. The name is for messages.
func (m *Machine) Alloc(name string, size int64) (*memory.Region, error) {
	return m.global.Alloc(name, isa.Global, size)
}

// Var is the module variable of that name in .global or .const, or nil.
func (m *Machine) Var(name string) *memory.Region { return m.vars[name] }

// address is where a symbol that the kernel p uses lies in its own space.
func (m *Machine) address(p *program, name string) (uint64, error) {
	if a, ok := p.places[name]; ok {
		return a, nil
	}
	if r := m.vars[name]; r != nil {
		return r.Base, nil
	}
	return 0, fmt.Errorf("%s has no address yet: not supported", name)
}
