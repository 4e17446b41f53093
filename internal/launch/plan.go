// Package launch plans and executes runs: it parses run headers, run scripts and the directives among the command's
// flags, binds arguments to the parameters of kernels, makes buffers, runs the launches in order, and dumps and
// checks the resulting memory.
//
// Directives are parsed into layers: the header's, the script's, the command line's. NewPlan combines them, with
// later layers overriding earlier ones, and checks everything that can be checked before anything runs.
package launch

import (
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

// Plan is one run: buffers, launches, dumps and expectations.
type Plan struct {
	Launches []Launch // at least one
	Config   interp.Config
	// Observed applies to every launch. Expectations on counters set Profile.
	Observed

	mod       *isa.Module
	processes []string  // at least one; "" is the process of launches without process=
	objects   []*object // of each process, in order of allocation
	byName    map[string]*object
	kernels   *kernelNames
	copies    map[string]int      // by requested name: how many alternatives freeName has used
	meanings  map[string]*meaning // by parameter name and number; nil until first needed
	bytes     int64               // of all buffers
	planned   int64               // bytes that planning itself has charged to the budget
	bound     []bound             // parameters of all launches, in order
	symbols   []image
	images    map[string]*imageLine
	imageList []imageLine // in order
	maps      map[string]*tensorMap
	dumps     []dump
	saves     []save
	expects   []expectation
	metrics   []metricLine
	leftOut   int
	clock     *sm.Options // for UseClock
	heap      setting[heap]

	underway atomic.Pointer[underway] // nil before Run
}

// BlockFrom says why a launch has its block size.
type BlockFrom uint8

const (
	BlockGiven   BlockFrom = iota // by a directive or flag
	BlockReqNTID                  // by the kernel's .reqntid
	BlockDefault                  // one warp, the default
)

// DefaultBlock returns the block size of a launch of fn without directives for it.
func DefaultBlock(fn *isa.Func) (isa.Dim, BlockFrom) {
	if fn.ReqNTID != (isa.Dim{}) {
		return fn.ReqNTID, BlockReqNTID
	}
	return isa.Dim{X: 32, Y: 1, Z: 1}, BlockDefault
}

// Launch is one kernel launch.
type Launch struct {
	Kernel      string
	Grid, Block isa.Dim
	BlockFrom   BlockFrom
	Cluster     isa.Dim // CTAs per cluster; zero without clusters
	Shared      int64   // bytes of dynamic shared memory
	Cooperative bool    // all blocks are resident at once, for grid.sync()
	// Process is the launch's process, which has its own memory, and Stream the stream in that process; "" if not
	// set. Launches in different processes or streams run concurrently if they have a clock.
	Process, Stream string
	// Percent is the percentage of the GPU's threads that the process may use at a time; 0 for all.
	Percent int

	at     Origin
	params image
}

// object is a buffer, or a variable of the module, that directives can name.
type object struct {
	name    string
	size    int64 // bytes
	elem    Elem
	content *content     // a buffer's
	symbol  *isa.Var     // nil for a buffer
	address *addressLine // required address; nil for any
	at      Origin
}

// count returns the number of whole elements of type e.
func (o *object) count(e Elem) int64 { return o.size / int64(e.Bytes()) }

// image is the bytes of a parameter block or a variable, with patches for the addresses of buffers, which are known
// only after allocation.
type image struct {
	object  *object // the variable; nil for a parameter block
	data    []byte
	patches []patch
	content *content // of a variable, replaces data
	at      Origin   // of a variable
}

// NewPlan combines the layers, with later ones overriding earlier ones, and resolves them against the module. It
// reads the files that they name. The error is an *Error.
func NewPlan(mod *isa.Module, layers ...*Layer) (*Plan, error) {
	p := &Plan{mod: mod, byName: make(map[string]*object), kernels: newKernelNames(mod), copies: make(map[string]int)}
	m, err := merge(layers)
	if err != nil {
		return nil, err
	}
	if p.Config, err = m.config(); err != nil {
		return nil, err
	}
	if p.clock, err = m.clock(p.Config.GPU); err != nil {
		return nil, err
	}
	if err := p.setProcesses(m.launches); err != nil {
		return nil, err
	}
	if err := p.addObjects(m.buffers); err != nil {
		return nil, err
	}
	if err := p.place(m.addresses); err != nil {
		return nil, err
	}
	p.heap = m.heap
	p.setImages(m.images)
	if err := p.setTensorMaps(m.tensorMaps); err != nil {
		return nil, err
	}
	for i := range m.launches {
		if err := p.addLaunch(&m.launches[i]); err != nil {
			return nil, err
		}
	}
	if err := p.addSymbols(m.symbols); err != nil {
		return nil, err
	}
	if err := p.addImages(); err != nil {
		return nil, err
	}
	err = p.addChecks(m)
	p.planned = p.Config.Budget.Taken()
	return p, err
}

// config returns the machine that a merged layer describes.
func (l *Layer) config() (interp.Config, error) {
	c := interp.Config{GPU: l.gpu.value, Registers: l.registers.value, Idealised: l.idealised.value, NoLibdevice: l.noLibdevice.value, FillShared: !l.zeroShared.value,
		MaxSteps: l.maxSteps.value, MaxLaunchSteps: l.maxLaunchSteps.value,
		Divergence: l.divergence.value, PathOrder: l.pathOrder.value, Split: l.split.value,
		Budget: memory.NewBudget(l.memory.value)}
	if l.carveout.given {
		c.Carveout = &l.carveout.value
	}
	if !l.gpu.given {
		c.GPU = gpu.H100()
	}
	if !l.divergence.given {
		model, err := divergence.ParseModel(c.GPU.Divergence)
		if err != nil {
			return c, l.gpu.at.wrap(err)
		}
		c.Divergence = model
	}
	if c.Split != 0 && c.Divergence != divergence.IndependentThreads {
		return c, l.split.at.errorf("split is for divergence %s, not %s", divergence.IndependentThreads, c.Divergence)
	}
	return c, nil
}

// Shapes returns the launches that the layers describe, without arguments, and their machine. A grid that no layer
// gives is zero. A nil module stands for an unknown kernel.
func Shapes(mod *isa.Module, layers ...*Layer) ([]Launch, interp.Config, error) {
	m, err := merge(layers)
	if err != nil {
		return nil, interp.Config{}, err
	}
	cfg, err := m.config()
	if err != nil {
		return nil, cfg, err
	}
	var shapes []Launch
	var kernels *kernelNames
	if mod != nil {
		kernels = newKernelNames(mod)
	}
	for i := range m.launches {
		f, fn := &m.launches[i], &isa.Func{}
		if mod != nil {
			if fn, err = kernels.of(f); err != nil {
				return nil, cfg, err
			}
		}
		shapes = append(shapes, f.shape(fn))
	}
	return shapes, cfg, nil
}

// shape returns a launch of fn without arguments.
func (f *form) shape(fn *isa.Func) Launch {
	l := Launch{Kernel: fn.Name, Grid: f.grid.value, Shared: f.shared.value, Cooperative: f.cooperative.value, Process: f.process.value, Stream: f.stream.value, Percent: f.percent.value, at: f.at}
	l.Cluster = interp.ClusterOf(fn, f.cluster.value)
	if l.Block, l.BlockFrom = DefaultBlock(fn); f.block.given {
		l.Block, l.BlockFrom = f.block.value, BlockGiven
	}
	return l
}

func (p *Plan) addObjects(buffers []buffer) error {
	for _, v := range p.mod.Vars {
		if isMemory(v) {
			p.addObject(&object{name: v.Name, size: v.Size(), elem: orU32(ElemOf(v.Type)), symbol: v})
		}
	}
	for _, b := range buffers {
		if o := p.object(b.name); o != nil {
			return b.at.errorf("%s is a variable of the module; set it with symbol, or name the buffer otherwise", b.name)
		}
		if _, err := p.addBuffer(b.name, b.content, b.at); err != nil {
			return err
		}
	}
	return nil
}

// isMemory reports whether directives can name the variable v.
func isMemory(v *isa.Var) bool {
	return (v.Space == isa.Global || v.Space == isa.Const) && v.Linkage != isa.Extern && !v.Type.IsOpaque()
}

// orU32 returns e, or u32 for memory without an element type.
func orU32(e Elem) Elem {
	if e == 0 {
		return U32
	}
	return e
}

func (p *Plan) addBuffer(name string, c *content, at Origin) (*object, error) {
	b := p.Config.Budget
	if err := c.measure(b); err != nil {
		return nil, at.wrap(err)
	}
	bytes := c.size() * int64(len(p.processes))
	if left := b.Left() - p.bytes; bytes > left {
		return nil, at.wrap(&memory.BudgetError{What: "buffer " + name, Bytes: bytes, Left: left, Limit: b.Limit()})
	}
	p.bytes += bytes
	o := &object{name: name, size: c.size(), elem: orU32(c.elem), content: c, at: at}
	p.addObject(o)
	return o, nil
}

// place records the required addresses of buffers, variables and functions.
func (p *Plan) place(lines []addressLine) error {
	p.Config.Addresses = make(map[string]uint64)
	isFunc := make(map[string]bool, len(p.mod.Funcs))
	for _, f := range p.mod.Funcs {
		isFunc[f.Name] = true
	}
	for _, line := range lines {
		o := p.object(line.name)
		switch {
		case o == nil && !isFunc[line.name]:
			_, err := p.named(line.name)
			return line.at.wrap(err)
		case o != nil && o.symbol == nil:
			o.address = &line
		case line.heap:
			return line.at.errorf("%s is not a buffer; only buffers can be on the heap", line.name)
		default:
			p.Config.Addresses[line.name] = line.addr
		}
	}
	return nil
}

// addObject adds o. A name that several objects share stands for the first.
func (p *Plan) addObject(o *object) {
	p.objects = append(p.objects, o)
	if p.byName[o.name] == nil {
		p.byName[o.name] = o
	}
}

// object returns the buffer or variable of that name, or nil.
func (p *Plan) object(name string) *object { return p.byName[name] }

// named is object, but returns an error that lists the existing names.
func (p *Plan) named(name string) (*object, error) {
	if o := p.object(name); o != nil {
		return o, nil
	}
	var names []string
	for _, o := range p.objects {
		names = append(names, o.name)
	}
	if found := cxx.Find(names, name); len(found) == 1 {
		return p.object(found[0]), nil
	} else if len(found) > 1 {
		return nil, fmt.Errorf("%d variables are called %s; write one of %s", len(found), name, strings.Join(found, ", "))
	}
	if _, ok := generators[name]; ok {
		return nil, fmt.Errorf("no buffer %s; a new one is written as in zeros:16:f32", name)
	}
	return nil, fmt.Errorf("no buffer %s; %s", name, isa.Instead(name, names))
}

func (p *Plan) addLaunch(f *form) error {
	fn, err := p.kernels.of(f)
	if err != nil {
		return err
	}
	l := f.shape(fn)
	if !f.grid.given {
		l.Grid = isa.Dim{X: 1, Y: 1, Z: 1}
	}
	if l.params, err = p.bind(fn, f, threadsOf(&l)); err != nil {
		return err
	}
	p.Launches = append(p.Launches, l)
	return nil
}

func (p *Plan) addSymbols(symbols []symbol) error {
	for _, s := range symbols {
		o := p.object(s.name)
		if o == nil || o.symbol == nil {
			return s.at.errorf("%s", p.noSymbol(s.name))
		}
		im, err := p.symbolImage(o, &s.value)
		if err != nil {
			return s.at.wrap(err)
		}
		im.at = s.at
		p.symbols = append(p.symbols, im)
	}
	return nil
}

func (p *Plan) noSymbol(name string) string {
	var names []string
	for _, o := range p.objects {
		if o.symbol != nil {
			names = append(names, o.name)
		}
	}
	return fmt.Sprintf("no .global or .const variable %s in the module; %s", name, isa.Instead(name, names))
}
