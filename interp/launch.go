package interp

import (
	"context"
	"fmt"
	"strings"

	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/lanes"
	"github.com/simtrun/simtrun/warp"
)

// Launch is one launch of a kernel.
type Launch struct {
	Kernel string
	Grid   isa.Dim // in CTAs
	Block  isa.Dim // in threads
	Shared int64   // bytes of dynamic shared memory per CTA
	Params []byte  // the parameter block, as isa.Func.ParamLayout has it
	// Observer is told what the launch does, unless it is nil.
	Observer Observer
	// Values says that the Observer is to be told what stores write.
	Values bool
	// Stepper is asked before every instruction of a warp, unless it is nil.
	Stepper Stepper
	// Inspected says that the session may be given a Stepper later on. A launch
	// that is not to be looked into runs a little faster.
	Inspected bool
}

// Stats is what a launch came to.
type Stats struct {
	// WarpInstrs counts instructions executed by warps, LaneInstrs the active
	// lanes over them, before guards.
	WarpInstrs, LaneInstrs uint64
	DivergentBranches      uint64 // branches at which a warp parted
	Warnings               []Warning
}

// Limits of a launch (CUDA C++ Programming Guide, technical specifications per
// compute capability; the same from 5.0 to 10.0 but for shared memory, which is
// compute capability 9.0's).
const (
	maxBlockThreads = 1024
	maxBlockXY      = 1024
	maxBlockZ       = 64
	maxGridX        = 1<<31 - 1
	maxGridYZ       = 65535
	maxShared       = 227 << 10 // bytes per CTA
	maxStatic       = 48 << 10  // bytes of it that may be static
)

// What resides at once on an H100: its SMs, and each one's CTAs, warps and
// shared memory, of which every CTA takes 1 KB for the system (hardware limits
// of compute capability 9.0, CUDA C++ Programming Guide; 132 SMs: H100 SXM5).
const (
	numSMs       = 132
	smCTAs       = 32
	smWarps      = 64
	smShared     = 228 << 10
	systemShared = 1 << 10
)

// residentShare is the part of the budget that resident CTAs may take, without
// their calls: one in so many. Kernels with very many registers, or with much
// local memory, have fewer residents for it.
const residentShare = 4

// Run launches a kernel and waits for its end. A launch that cannot be taken is
// a *LaunchError, an instruction that is not supported yet an *isa.Error, a bad
// access a *Fault, a run that does not end a *Hang, and one that ctx ends an
// *Interrupted.
func (m *Machine) Run(ctx context.Context, l Launch) (Stats, error) {
	s, err := m.Begin(l)
	if err != nil {
		return Stats{}, err
	}
	err = s.Continue(ctx)
	return s.Stats(), err
}

// lowered names a program: a kernel, and whether it is to be inspected.
type lowered struct {
	kernel    *isa.Func
	inspected bool
}

// program is the kernel of that name, lowered.
func (m *Machine) program(kernel string, inspected bool) (*program, error) {
	fn := m.mod.Entry(kernel)
	if fn == nil || !fn.Defined {
		return nil, &LaunchError{kernel, "no such kernel; the module has " + m.kernelNames()}
	}
	key := lowered{fn, inspected}
	if p := m.programs[key]; p != nil {
		return p, nil
	}
	p, err := m.lower(fn, inspected)
	if err != nil {
		return nil, err
	}
	m.programs[key] = p
	return p, nil
}

func (m *Machine) kernelNames() string {
	var names []string
	for _, f := range m.mod.Entries() {
		names = append(names, f.Name)
	}
	if names == nil {
		return "none"
	}
	return strings.Join(names, ", ")
}

// refuse is why p cannot be launched like this, or "".
func (p *program) refuse(l *Launch) string {
	g, b, fn, params := l.Grid, l.Block, p.kernel().fn, p.kernel().paramBytes
	threads := b.Count()
	shared := p.sharedBytes(l)
	switch {
	case g.Count() == 0 || b.Count() == 0:
		return "a grid and a block have at least 1 in every dimension"
	case g.X > maxGridX || g.Y > maxGridYZ || g.Z > maxGridYZ:
		return fmt.Sprintf("grid %s: at most %dx%dx%d", dims(g), maxGridX, maxGridYZ, maxGridYZ)
	case threads > maxBlockThreads:
		return fmt.Sprintf("block %s: %d threads, at most %d", dims(b), threads, maxBlockThreads)
	case b.X > maxBlockXY || b.Y > maxBlockXY || b.Z > maxBlockZ:
		return fmt.Sprintf("block %s: at most %dx%dx%d", dims(b), maxBlockXY, maxBlockXY, maxBlockZ)
	case fn.ReqNTID != (isa.Dim{}) && fn.ReqNTID != b:
		return fmt.Sprintf("block %s: .reqntid asks for %s", dims(b), dims(fn.ReqNTID))
	case fn.MaxNTID != (isa.Dim{}) && threads > fn.MaxNTID.Count():
		return fmt.Sprintf("block %s: %d threads, .maxntid allows %d", dims(b), threads, fn.MaxNTID.Count())
	case params > p.maxParams:
		return fmt.Sprintf("%d bytes of parameters, at most %d (32764 from PTX 8.1 and sm_70 on)", params, p.maxParams)
	case int64(len(l.Params)) != params:
		return fmt.Sprintf("%d bytes of parameters; the kernel takes %d", len(l.Params), params)
	case l.Shared < 0:
		return "a negative size of shared memory"
	case p.static > maxStatic:
		return fmt.Sprintf("%d bytes of static shared memory, at most %d", p.static, maxStatic)
	case p.kernel().frameBytes > maxLocal:
		return fmt.Sprintf("%d bytes of .param variables per thread, at most %d", p.kernel().frameBytes, maxLocal)
	case p.kernel().localBytes > maxLocal:
		return fmt.Sprintf("%d bytes of local memory per thread, at most %d", p.kernel().localBytes, maxLocal)
	case shared > maxShared:
		return fmt.Sprintf("%d bytes of shared memory per block, at most %d", shared, maxShared)
	}
	return ""
}

func dims(d isa.Dim) string { return fmt.Sprintf("%dx%dx%d", d.X, d.Y, d.Z) }

// sharedBytes is the shared memory of one CTA.
func (p *program) sharedBytes(l *Launch) int64 {
	if l.Shared == 0 {
		return p.static
	}
	return p.dynamicAt + l.Shared
}

// residents is how many CTAs are on the GPU at once.
func residents(s *warp.Shape) int {
	return numSMs * min(smCTAs, smWarps/s.WarpsPerCTA, smShared/(int(s.TotalShared)+systemShared))
}

// ctaBytes is what the host keeps for a resident CTA, without its calls.
func (p *program) ctaBytes(s *warp.Shape) int64 {
	const beside = 4 << 10 // the state of a warp, and its part in barriers
	k := p.kernel()
	perWarp := int64(k.layout.Bytes()) + (k.frameBytes+int64(s.LocalPerThread))*lanes.Width + beside
	return int64(s.TotalShared) + int64(s.WarpsPerCTA)*perWarp
}
