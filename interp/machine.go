// Package interp is what a warp instruction does: its effect on registers, memory,
// control flow, barriers and calls. In which order warps execute is for a driver to
// say, such as package functional.
package interp

import (
	"encoding/binary"
	"io"
	"math"
	"math/bits"
	"sync/atomic"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/gpu"
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/lanes/jit"
	"github.com/simtrun/simtrun/memory"
	"github.com/simtrun/simtrun/program"
)

// Config is how a Machine runs kernels.
type Config struct {
	// GPU is what the machine is; nil means gpu.H100.
	GPU *gpu.Config
	// Registers is how many registers a thread of any kernel has; 0 means that they
	// are estimated (see Resources).
	Registers int
	// Carveout is how much of an SM's shared memory launches prefer, in percent; nil
	// means all of it.
	Carveout *int
	// Idealised has an SM give out registers and shared memory by the piece (see
	// gpu.Usage).
	Idealised bool
	// MaxSteps is the most warp instructions that one warp may execute before
	// the run counts as endless; 0 means 1e9.
	MaxSteps uint64
	// MaxLaunchSteps is the most warp instructions that all warps of a launch
	// together may execute without a CTA coming to its end, before the run counts
	// as endless; 0 means ten times MaxSteps, and 1e10 at least.
	MaxLaunchSteps uint64
	// Divergence is the way in which the lanes of a warp diverge and reconverge.
	Divergence divergence.Model
	// PathOrder is which side of a divergent branch runs first.
	PathOrder divergence.Order
	// Split, unless it is 0, is the seed of forced divergence: of places without a
	// branch at which lanes diverge, as independent threads may. It is for
	// divergence.IndependentThreads.
	Split uint64
	// NoLibdevice has a module that declares a function of libdevice and does not
	// define it be refused. Otherwise it is provided (package libdevice).
	NoLibdevice bool
	// Threads is how many threads of the host a launch may use, 1 if it
	// is less. What comes of the launch does not depend on it.
	Threads int
	// Compile is when functions are compiled to machine code. What comes of a launch does not depend
	// on it.
	Compile Compilation
	// Lanes is the level of the machine code, of those that the host can do (jit.Lacks); jit.None is jit.Chosen.
	Lanes jit.Level
	// Stdout takes what kernels print; nil throws it away.
	Stdout io.Writer
	// Budget counts the host's memory that the machine takes; nil is a budget of
	// its own, of memory.DefaultBudget.
	Budget *memory.Budget
}

const (
	defaultMaxSteps       = 1e9
	defaultMaxLaunchSteps = 1e10
)

// Machine is a GPU's memory with a module loaded into it. Machines share nothing. A
// machine runs one launch at a time.
type Machine struct {
	natives natives // functions as machine code

	cfg      Config
	mod      *program.Module
	global   *memory.Global
	vars     map[string]*memory.Region // module variables in .global and .const
	images   []Image                   // textures, samplers and surfaces, by number of their handles
	programs map[lowered]*program.Program
	heaps    map[uint64]*memory.Region // what malloc gave and free has not freed, by address
	heap     uint64                    // bytes of the heap that are in use
	freed    uint64                    // counts regions that were freed
	budget   *memory.Budget
	launched int64 // bytes of the budget that the latest launch has taken
	// paramsNumber is the number of the region of a launch's parameters, and
	// sharedNumbers are by slot those of the shared memory of resident CTAs.
	paramsNumber  int32
	sharedNumbers []int32

	done, total atomic.Int64 // CTAs of the latest launch
}

// Config is how the machine runs kernels, with the defaults filled in.
func (m *Machine) Config() *Config { return &m.cfg }

// Progress is how many CTAs of the launch that runs, or ran last, are done, and
// how many it has. Any goroutine may ask.
func (m *Machine) Progress() (done, total int64) { return m.done.Load(), m.total.Load() }

// New makes a machine with the variables of mod in its memory, initialised.
func New(mod *isa.Module, cfg Config) (*Machine, error) {
	if cfg.GPU == nil {
		cfg.GPU = gpu.H100()
	}
	if cfg.MaxSteps == 0 {
		cfg.MaxSteps = defaultMaxSteps
	}
	if cfg.MaxLaunchSteps == 0 {
		cfg.MaxLaunchSteps = defaultMaxLaunchSteps
		if many := 10 * cfg.MaxSteps; many/10 == cfg.MaxSteps {
			cfg.MaxLaunchSteps = max(cfg.MaxLaunchSteps, many)
		} else {
			cfg.MaxLaunchSteps = math.MaxUint64
		}
	}
	if cfg.Budget == nil {
		cfg.Budget = memory.NewBudget(0)
	}
	indexed, err := program.NewModule(mod, !cfg.NoLibdevice)
	if err != nil {
		return nil, err
	}
	m := &Machine{cfg: cfg, mod: indexed, budget: cfg.Budget, global: memory.NewGlobal(mod.AddressSize, cfg.Budget),
		vars: make(map[string]*memory.Region), programs: make(map[lowered]*program.Program), heaps: make(map[uint64]*memory.Region)}
	m.paramsNumber = m.global.NewNumber()
	for _, v := range mod.Vars {
		if v.Type.IsOpaque() {
			m.images = append(m.images, declaredImage(v))
			continue
		}
		if (v.Space != isa.Global && v.Space != isa.Const) || v.Linkage == isa.Extern {
			continue
		}
		r, err := m.global.Alloc(v.Name, v.Space, v.Size())
		if err != nil {
			return nil, isa.Errorf(v.Pos, "%w", err)
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
		value := init.Bits
		if init.Sym != "" {
			addr, ok := m.variable(init.Sym)
			if !ok {
				addr, ok = m.mod.FuncAddress(init.Sym)
			}
			if !ok {
				return isa.Errorf(init.Pos, "%s has no address that an initialiser could hold", init.Sym)
			}
			value += addr
		}
		if init.Mask != 0 {
			value = value & init.Mask >> bits.TrailingZeros64(init.Mask)
		}
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], value)
		copy(r.Data[i*size:(i+1)*size], b[:])
	}
	return nil
}

// Alloc adds a zeroed buffer of size bytes to global memory, aligned to 256
// bytes, with a gap after it. The name is for messages.
func (m *Machine) Alloc(name string, size int64) (*memory.Region, error) {
	return m.global.Alloc(name, isa.Global, size)
}

// Backup is for putting back what global memory holds now, after threads have written it.
func (m *Machine) Backup() *memory.Backup { return memory.NewBackup(m.global) }

// takeForLaunch takes n bytes of the budget for the launch that runs.
func (m *Machine) takeForLaunch(what string, n int64) error {
	if err := m.budget.Take(what, n); err != nil {
		return err
	}
	m.launched += n
	return nil
}

// giveLaunch gives back what the latest launch has taken.
func (m *Machine) giveLaunch() {
	m.budget.Give(m.launched)
	m.launched = 0
}

// sharedNumber is the number of the shared memory of the CTA in a slot.
func (m *Machine) sharedNumber(slot int) int32 {
	for len(m.sharedNumbers) <= slot {
		m.sharedNumbers = append(m.sharedNumbers, m.global.NewNumber())
	}
	return m.sharedNumbers[slot]
}

// Var is the module variable of that name in .global or .const, or nil.
func (m *Machine) Var(name string) *memory.Region { return m.vars[name] }

// Region is the region of global or constant memory that an address is in, or
// nil.
func (m *Machine) Region(addr uint64) *memory.Region { return m.global.At(addr) }

// variable is the address of a module variable in global or constant memory.
func (m *Machine) variable(name string) (addr uint64, ok bool) {
	if r := m.vars[name]; r != nil {
		return r.Base, true
	}
	for i := range m.images {
		if m.images[i].variable && m.images[i].Name == name {
			return handleOf(i), true
		}
	}
	return 0, false
}
