package interp

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/bits"
	"sync/atomic"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/internal/program"
	"github.com/simtrun/simtrun/memory"
)

// Config says how a Machine runs kernels.
type Config struct {
	// GPU is the modelled GPU; nil means gpu.H100.
	GPU *gpu.Config
	// Registers is the number of registers of a thread of any kernel; 0 means an estimate for each (see Resources).
	Registers int
	// Carveout is how much of an SM's shared memory launches prefer, in percent; nil means all of it.
	Carveout *int
	// Idealised ignores allocation granularity for the registers and shared memory of an SM (see gpu.Usage).
	Idealised bool
	// MaxSteps is the most warp instructions that one warp may execute before
	// the run counts as endless; 0 means 1e9.
	MaxSteps uint64
	// MaxLaunchSteps is the most warp instructions that all warps of a launch together may execute without completing a
	// CTA, before the run counts as endless; 0 means ten times MaxSteps, and at least 1e10.
	MaxLaunchSteps uint64
	// Divergence is the way in which the lanes of a warp diverge and reconverge.
	Divergence divergence.Model
	// PathOrder is which side of a divergent branch runs first.
	PathOrder divergence.Order
	// Split, unless it is 0, is the seed of forced divergence: lanes diverge at places without a branch, as independent
	// threads may. It requires divergence.IndependentThreads.
	Split uint64
	// Addresses has the addresses of variables of the module by name: multiples of 16 in the memory of the variable's
	// state space. Variables without an entry are placed in free memory. The address of one function determines those of
	// all.
	Addresses map[string]uint64
	// NoLibdevice makes New refuse a module that declares a function of libdevice and does not define it. Otherwise the
	// function is provided (package libdevice).
	NoLibdevice bool
	// FillShared says that each byte of shared memory is memory.Unwritten at the start of a CTA. Otherwise it is 0.
	FillShared bool
	// Threads is how many threads of the host a launch may use; less than 1 means 1. Results do not depend on it.
	Threads int
	// Compile says when functions are compiled to machine code. Results do not depend on it.
	Compile Compilation
	// Lanes is the level of the machine code, one that the host supports (jit.Lacks) unless Evaluate is set; jit.None
	// means jit.Chosen or, if the host has no level, AVX-512 to evaluate.
	Lanes jit.Level
	// Verify makes launches compare all code with lane functions each time that it is entered: an Engine panics with a
	// *Miscompiled at the first difference. Functions are compiled before their first instruction, and a launch uses one
	// thread. It is also set if SIMTRUN_LANES says so (jit.Verifies).
	Verify bool
	// Evaluate, unless it is nil, returns for each engine an executor of machine code that replaces the host's CPU, at
	// any level: a model of the CPU, in tests (package evaluate).
	Evaluate func() Evaluator
	// BeforeCode, unless it is nil, is called each time before the host's CPU enters machine code: for tests.
	BeforeCode func(e *Engine, entry uintptr)
	// Stdout receives the output of kernels; nil discards it.
	Stdout io.Writer
	// Foreign explains an address outside all regions, and gives advice; "" if it cannot. Nil explains nothing.
	Foreign func(addr uint64) string
	// Budget counts the host memory that the machine takes; nil means a new one of memory.DefaultBudget.
	Budget *memory.Budget
}

const (
	defaultMaxSteps       = 1e9
	defaultMaxLaunchSteps = 1e10
)

// Machine is a module loaded into a Memory, with the configuration of its kernels. Machines with different Memories
// share no visible state; of those that share a Memory, only one may run a launch at a time.
type Machine struct {
	*Memory
	cfg  Config
	code *Code
	vars map[string]*memory.Region // module variables in .global and .const
	// numbers of the handles of textures, samplers and surfaces that are variables of the module
	declared  []int
	firstFunc uint64 // added to the number of a function in its module to get its number in the memory
	programs  map[lowered]*program.Program
	executed  map[*isa.Func]uint64 // by kernel: warp instructions of a warp in the latest launch
	spare     spare

	done, total atomic.Int64 // CTAs of the latest launch
}

// Config returns how the machine runs kernels, with defaults filled in.
func (m *Machine) Config() *Config { return &m.cfg }

// Progress returns how many CTAs of the present or latest launch are done, and how many it has. Any goroutine may
// call it.
func (m *Machine) Progress() (done, total int64) { return m.done.Load(), m.total.Load() }

// New makes a machine with a new memory that has the initialised variables of mod.
func New(mod *isa.Module, cfg Config) (*Machine, error) {
	code, err := NewCode(mod, !cfg.NoLibdevice)
	if err != nil {
		return nil, err
	}
	return NewMemory(mod.AddressSize, cfg.Budget).Load(code, cfg)
}

// Load makes a machine of a module in m, and places the module's initialised variables there. All modules in m must
// have addresses of the same width. Config.Budget is not used: m has one.
func (m *Memory) Load(code *Code, cfg Config) (*Machine, error) {
	src := code.mod.Src
	if bits := m.global.AddressBits(); src.AddressSize != bits {
		return nil, fmt.Errorf("a module with addresses of %d bits does not fit memory with addresses of %d bits", src.AddressSize, bits)
	}
	first, err := m.placeFuncs(code.mod, cfg.Addresses)
	if err != nil {
		return nil, err
	}
	cfg.setDefaults()
	l := &Machine{Memory: m, cfg: cfg, code: code, firstFunc: first, vars: make(map[string]*memory.Region), programs: make(map[lowered]*program.Program), executed: make(map[*isa.Func]uint64)}
	if err := l.makeVariables(); err != nil {
		l.Unload()
		return nil, err
	}
	return l, nil
}

// setDefaults fills in defaults.
func (cfg *Config) setDefaults() {
	if cfg.GPU == nil {
		cfg.GPU = gpu.H100()
	}
	if cfg.Verify = cfg.Verify || jit.Verifies(); cfg.Verify {
		cfg.Threads = 1
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
}

// makeVariables makes the variables of the module, and initialises them.
func (m *Machine) makeVariables() error {
	vars := m.code.mod.Src.Vars
	for _, v := range vars {
		if v.Type.IsOpaque() {
			if err := m.declareImage(v); err != nil {
				return isa.Errorf(v.Pos, "%w", err)
			}
			continue
		}
		if (v.Space != isa.Global && v.Space != isa.Const) || v.Linkage == isa.Extern {
			continue
		}
		var r *memory.Region
		var err error
		if addr, ok := m.cfg.Addresses[v.Name]; ok {
			r, err = m.global.AllocAt(v.Name, v.Space, addr, v.Size())
		} else {
			r, err = m.global.Alloc(v.Name, v.Space, v.Size())
		}
		if err != nil {
			return isa.Errorf(v.Pos, "%w", err)
		}
		m.vars[v.Name] = r
	}
	for _, v := range vars {
		if r := m.vars[v.Name]; r != nil {
			if err := m.initialise(v, r); err != nil {
				return err
			}
		}
	}
	return nil
}

// Unload frees the memory of the machine's module. The machine must not be used afterwards.
func (m *Machine) Unload() {
	for _, r := range m.vars {
		m.Free(r)
	}
	for _, n := range m.declared {
		m.removeImage(n)
	}
	m.vars, m.declared = nil, nil
	m.dropKept()
}

// initialise writes v's initialiser into r; the rest of r stays zero.
func (m *Machine) initialise(v *isa.Var, r *memory.Region) error {
	size := v.Type.Bytes()
	for i, init := range v.Init {
		value := init.Bits
		if init.Sym != "" {
			addr, ok := m.address(init.Sym)
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

// Var is the module variable of that name in .global or .const, or nil.
func (m *Machine) Var(name string) *memory.Region { return m.vars[name] }

// address returns the address of a module variable in global or constant memory, the handle of a texture, or the
// address of a function.
func (m *Machine) address(name string) (addr uint64, ok bool) {
	if r := m.vars[name]; r != nil {
		return r.Base, true
	}
	if n, declared := m.declaredAs(name); declared {
		return handleOf(n), true
	}
	if n, ok := m.code.mod.FuncNumber(name); ok {
		return funcAddress(m.firstFunc + uint64(n)), true
	}
	return 0, false
}

// Code returns the module's code, with the programs lowered and compiled from it.
func (m *Machine) Code() *Code { return m.code }

// Addresses returns the addresses of the module's variables and functions for Config.Addresses: a machine with these
// has all of them at the same addresses.
func (m *Machine) Addresses() map[string]uint64 {
	all := make(map[string]uint64)
	for name, r := range m.vars {
		all[name] = r.Base
	}
	if funcs := m.code.mod.Src.Funcs; len(funcs) > 0 {
		all[funcs[0].Name], _ = m.address(funcs[0].Name)
	}
	return all
}

// FuncAt returns the module's function at an address, or nil.
func (m *Machine) FuncAt(addr uint64) *isa.Func {
	n, ok := funcNumber(addr)
	if funcs := m.code.mod.Src.Funcs; ok && n >= m.firstFunc && n-m.firstFunc < uint64(len(funcs)) {
		return funcs[n-m.firstFunc]
	}
	return nil
}
