package interp

import (
	"fmt"

	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/program"
)

// Resources are the resources of an SM that a kernel needs, independent of its launch.
type Resources struct {
	Registers int // of a thread
	From      RegistersFrom
	Spilled   int   // estimated live registers of a thread in excess of Registers: an assembler keeps them in local memory
	Static    int64 // bytes of static shared memory
	Barriers  int   // named barriers
	Local     int64 // bytes of a thread's local memory, without those of functions that the kernel calls
}

// RegistersFrom is the source of the number of registers of a thread.
type RegistersFrom string

const (
	RegistersGiven    RegistersFrom = "given"    // by Config.Registers
	RegistersLiveness RegistersFrom = "liveness" // estimated from the registers that are live at once (program.Program)
	// From those, limited by a directive of the kernel:
	RegistersMaxNReg      RegistersFrom = ".maxnreg"
	RegistersMaxNTID      RegistersFrom = ".maxntid"
	RegistersReqNTID      RegistersFrom = ".reqntid"
	RegistersMinNCTAPerSM RegistersFrom = ".minnctapersm"
)

// Resources returns the resources that a kernel needs. Errors are those of Prepare.
func (m *Machine) Resources(kernel string) (Resources, error) {
	p, err := m.program(kernel, false)
	if err != nil {
		return Resources{}, err
	}
	return m.resources(p), nil
}

func (m *Machine) resources(p *program.Program) Resources {
	r := Resources{Registers: p.Registers, From: RegistersLiveness, Static: p.Static, Barriers: p.Barriers, Local: p.Kernel().LocalBytes}
	if m.cfg.Registers > 0 {
		r.Registers, r.From = m.cfg.Registers, RegistersGiven
	} else if most, by := RegisterCap(m.cfg.GPU, p.Kernel().Src); r.Registers > most || p.AdjustsRegisters && by != RegistersLiveness {
		r.Spilled = max(0, r.Registers-most)
		r.Registers, r.From = most, by // in kernels with setmaxnreg NVIDIA's assembler uses the limit
	}
	return r
}

// RegisterCap returns the most registers that a thread of a kernel may have on a GPU, and the kernel's directive that
// limits it: .maxnreg; or .maxntid or .reqntid, because the CTAs of .minnctapersm, at least one, must fit an SM with
// that many threads (__launch_bounds__ of CUDA). Without a directive it is the GPU's limit, and RegistersLiveness.
func RegisterCap(on *gpu.Config, fn *isa.Func) (most int, by RegistersFrom) {
	most, by = on.Residency.RegistersPerThread, RegistersLiveness
	threads, size := fn.MaxNTID, RegistersMaxNTID
	if fn.ReqNTID != (isa.Dim{}) {
		threads, size = fn.ReqNTID, RegistersReqNTID
	}
	if n := threads.Count(); n > 0 && n <= on.Limits.BlockThreads {
		if fn.MinCTAs > 1 {
			size = RegistersMinNCTAPerSM
		}
		if fits := on.MostRegisters(gpu.Usage{Threads: int(n)}, max(1, fn.MinCTAs)); fits > 0 && fits < most {
			most, by = fits, size
		}
	}
	const least = 24 // NVIDIA's assembler raises a lower .maxnreg to this
	if n := max(fn.MaxRegs, least); fn.MaxRegs > 0 && n <= most {
		most, by = n, RegistersMaxNReg
	}
	return most, by
}

// Usage returns the resources of an SM that a CTA of a launch uses, and the resources of
// the kernel. The launch's grid and parameters do not matter. Errors are those of Prepare
// for the kernel.
func (m *Machine) Usage(l Launch) (gpu.Usage, Resources, error) {
	p, err := m.program(l.Kernel, false)
	if err != nil {
		return gpu.Usage{}, Resources{}, err
	}
	r := m.resources(p)
	return m.usage(&r, p, &l), r, nil
}

// usage returns the resources of an SM that a CTA of a launch uses. A launch is assumed to opt in to its dynamic shared
// memory. A barrier number that the GPU does not have is a fault of the lanes that arrive at it.
func (m *Machine) usage(r *Resources, p *program.Program, l *Launch) gpu.Usage {
	dynamic := max(0, l.Shared)
	u := gpu.Usage{Threads: int(l.Block.Count()), Registers: r.Registers, Barriers: min(r.Barriers, m.cfg.GPU.Residency.Barriers),
		Static: p.SharedBytes(dynamic) - dynamic, Dynamic: dynamic, OptIn: m.cfg.GPU.Residency.SharedOptIn,
		Carveout: m.cfg.Carveout, Idealised: m.cfg.Idealised}
	if r.From == RegistersLiveness {
		u.Registers = m.cfg.GPU.FittingRegisters(u, u.Registers/overestimate)
	}
	return u
}

// overestimate is the part of the estimate, 1/overestimate, by which it may be too high (docs/occupancy.md). A launch
// that fits with that many fewer registers is not refused.
const overestimate = 3

// refusal names the resource of an SM that a CTA requests too much of, or returns "".
func refusal(o *gpu.Occupancy, r *Resources) string {
	if o.Refusal != "" && o.Limits[gpu.RegisterFile] == 0 && r.From != RegistersGiven {
		return fmt.Sprintf("%s (registers by %s)", o.Refusal, r.From)
	}
	return o.Refusal
}
