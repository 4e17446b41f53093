package interp

import (
	"fmt"

	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/program"
	"github.com/simtrun/simtrun/memory"
)

// Variables are the shared and local variables of a launch, those of its
// functions first. Errors are those of Run.
func (m *Machine) Variables(l *Launch) ([]program.Variable, error) {
	p, err := m.program(l.Kernel, l.Precise)
	if err != nil {
		return nil, err
	}
	return p.Variables(p.SharedBytes(l.Shared)), nil
}

// dynamicHint says how to give a launch dynamic shared memory.
const dynamicHint = "its size is the launch's: pass --shared BYTES, or <<<grid, block, BYTES>>> in a program"

// largestShared ends a message about too much static shared memory: it names the largest variable.
func largestShared(p *program.Program) string {
	var largest *program.Variable
	for _, v := range p.Variables(p.Static) {
		if v.Space == isa.Shared && !v.IsDynamic() && (largest == nil || v.Bytes > largest.Bytes) {
			largest = &v
		}
	}
	if largest == nil {
		return ""
	}
	return fmt.Sprintf("; the largest variable is %s at %s, %d bytes", largest.Name, largest.Pos, largest.Bytes)
}

// nearVariable returns the variable of shared or local memory that contains an address or is nearest to it, as a
// region; r, which stands for all of that memory, if there is none.
func (e *Engine) nearVariable(r *memory.Region, addr uint64) *memory.Region {
	near, distance := r, ^uint64(0)
	for _, v := range e.p.Variables(int64(len(r.Data))) {
		if v.Space != r.Space || v.Func != nil && v.Func != e.fn.Src {
			continue
		}
		base := v.Addr
		if v.Space == isa.Local {
			base += e.window.Local
		}
		end := base + uint64(v.Bytes)
		if end > uint64(len(r.Data)) {
			continue
		}
		away := uint64(0)
		switch {
		case addr < base:
			away = base - addr
		case addr >= end:
			away = addr - end
		}
		if away < distance {
			near, distance = &memory.Region{Name: cxx.Variable(v.Name), Space: v.Space, Base: base, Data: r.Data[base:end]}, away
			if v.IsDynamic() {
				near.Hint = dynamicHint
			}
		}
	}
	return near
}

// nameRegion replaces the region of a fault in shared or local memory by the variable that it is about.
func (e *Engine) nameRegion(fault *memory.AccessError) {
	if r := fault.Region; r != nil && (r == &e.cta.Shared || r == &e.laneLocal) {
		fault.Region = e.nearVariable(r, fault.Addr)
	}
}
