package launch

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"

	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/memory"
	"github.com/simtrun/simtrun/sm"
)

// Result is what a run did and left behind.
type Result struct {
	Launches []Launched
	Buffers  []Buffer // and variables of the module, in order of allocation
	Dumps    []Dump
	Saves    []Save
	Passed   int // expectations
	Failed   []Failure
	LeftOut  int // expectations of a header on counters, as flags or a script gave other work
	NoClock  int // expectations on time, as launches had no clock
}

// Launched is a launch and what it counted. The last one of a run that failed
// counted what it did until then.
type Launched struct {
	*Launch
	Execution
}

// Dump is the elements of a buffer from its start.
type Dump struct {
	Name  string
	Elem  Elem
	Count int64
	data  []byte
}

// Bits is element i.
func (d *Dump) Bits(i int64) uint64 { return d.Elem.load(d.data[i*int64(d.Elem.Bytes()):]) }

// Save is a file that is to hold a buffer.
type Save struct {
	Name string // the buffer's
	Path string
	Data []byte // of the file: little-endian elements, in a .npy file after its header
}

// Run allocates the buffers of p on a new machine and runs its launches in
// order, then dumps and checks. A launch that fails ends it: the result then
// has the launches that began, the buffers, and nothing else. Errors are those of package
// interp, an *Error, or that of ctx, which is heeded all along.
func (p *Plan) Run(ctx context.Context) (*Result, error) {
	res := &Result{}
	r, err := p.prepare(ctx)
	if err != nil {
		return res, err
	}
	res.Buffers = r.buffers()
	observed := p.Observed.from(0)
	if observed.Clock != nil {
		observed.Clock.L2 = sm.NewL2(p.Config.GPU)
	}
	for first := 0; first < len(p.Launches); {
		beside := p.Launches[first:p.endOfBatch(first)]
		p.underway.Store(&underway{r.machine, first, len(beside) - 1})
		var launches []sm.Launch
		for i := range beside {
			launches = append(launches, sm.Launch{Launch: r.launch(&beside[i]), Stream: beside[i].Stream})
		}
		executions, err := observed.ExecuteAll(ctx, r.machine, launches)
		if notTaken(err) {
			return res, err
		}
		for i, e := range executions {
			if e.Began {
				res.Launches = append(res.Launches, Launched{&beside[i], e})
			}
			if e.Timing != nil {
				observed = observed.from(e.Timing.Next())
			}
		}
		if err != nil {
			return res, err
		}
		first += len(beside)
	}
	if err := r.collect(ctx, res); err != nil {
		return &Result{Launches: res.Launches, Buffers: res.Buffers}, err
	}
	return res, nil
}

// endOfBatch is behind the last launch that runs side by side with the first: all of them if
// they have a clock and are in several streams, or else that one.
func (p *Plan) endOfBatch(first int) int {
	several := slices.ContainsFunc(p.Launches, func(l Launch) bool { return l.Stream != p.Launches[0].Stream })
	if p.Clock != nil && several {
		return len(p.Launches)
	}
	return first + 1
}

// notTaken reports whether err says that a launch did not begin.
func notTaken(err error) bool {
	_, refused := errors.AsType[*interp.LaunchError](err)
	_, unsupported := errors.AsType[*isa.Error](err)
	return refused || unsupported
}

// runner is a plan under way.
type runner struct {
	plan    *Plan
	machine *interp.Machine
	regions map[string]*memory.Region // by the name of the object
}

// Prepared is a machine on which the launches of a plan can begin.
type Prepared struct {
	Machine  *interp.Machine
	Launches []interp.Launch
	Buffers  []Buffer // and variables of the module, in order of allocation

	runner *runner
}

// Buffer is a buffer, or a variable of the module in global or constant memory.
type Buffer struct {
	*memory.Region
	Elem   Elem
	Scalar bool // a variable declared without brackets
}

// Finish dumps and checks what the launches have left in memory, as Run does
// after them, but for expectations on counters: Unchecked is how many those are.
// The error is that of ctx.
func (r *Prepared) Finish(ctx context.Context) (res *Result, unchecked int, err error) {
	res = &Result{}
	err = r.runner.collectMemory(ctx, res)
	return res, len(r.runner.plan.metrics), err
}

// Prepare allocates the buffers of p on a new machine, and leaves the launches
// to the caller. Errors are those of Run.
func (p *Plan) Prepare(ctx context.Context) (*Prepared, error) {
	r, err := p.prepare(ctx)
	if err != nil {
		return nil, err
	}
	ready := &Prepared{Machine: r.machine, runner: r}
	for i := range p.Launches {
		ready.Launches = append(ready.Launches, r.launch(&p.Launches[i]))
	}
	ready.Buffers = r.buffers()
	return ready, nil
}

// buffers are what directives can name.
func (r *runner) buffers() []Buffer {
	var all []Buffer
	for _, o := range r.plan.objects {
		scalar := o.symbol != nil && !o.symbol.Array && o.symbol.Vec == 1
		all = append(all, Buffer{r.regions[o.name], o.elem, scalar})
	}
	return all
}

// prepare makes the machine. That of an earlier run of the plan is done with.
func (p *Plan) prepare(ctx context.Context) (*runner, error) {
	b := p.Config.Budget
	b.Give(b.Taken() - p.planned)
	m, err := interp.New(p.mod, p.Config)
	if err != nil {
		return nil, err
	}
	r := &runner{plan: p, machine: m, regions: make(map[string]*memory.Region)}
	return r, r.allocate(ctx)
}

// launch is l with the addresses of the buffers in its parameters.
func (r *runner) launch(l *Launch) interp.Launch {
	return interp.Launch{Kernel: l.Kernel, Grid: l.Grid, Block: l.Block, Shared: l.Shared, Params: r.patched(&l.params)}
}

// allocate allocates and fills the buffers and overwrites the variables.
func (r *runner) allocate(ctx context.Context) error {
	for _, o := range r.plan.objects {
		if o.symbol != nil {
			r.regions[o.name] = r.machine.Var(o.name)
			continue
		}
		region, err := r.machine.Alloc(o.name, o.size)
		if err != nil {
			return o.at.wrap(err)
		}
		if err := o.content.fill(ctx, region.Data); err != nil {
			return o.at.placed(ctx, err)
		}
		r.regions[o.name] = region
	}
	for i := range r.plan.symbols {
		im := &r.plan.symbols[i]
		to := r.regions[im.object.name].Data
		if im.content == nil {
			copy(to, r.patched(im))
		} else if err := im.content.fill(ctx, to); err != nil {
			return im.at.placed(ctx, err)
		}
	}
	return nil
}

// patched is the bytes of im with the addresses of buffers written in.
func (r *runner) patched(im *image) []byte {
	data := append([]byte(nil), im.data...)
	for _, at := range im.patches {
		address := r.regions[at.target.name].Base + at.target.offset
		if at.width == 4 {
			binary.LittleEndian.PutUint32(data[at.at:], uint32(address))
		} else {
			binary.LittleEndian.PutUint64(data[at.at:], address)
		}
	}
	return data
}

// collect fills in what a run is for, once its launches are over. Its error is
// that of ctx.
func (r *runner) collect(ctx context.Context, res *Result) error {
	if r.plan.Profile {
		for i := range r.plan.metrics {
			m := &r.plan.metrics[i]
			if m.metric.Clock && r.plan.Clock == nil {
				res.NoClock++
				continue
			}
			res.count(m.check(res.Launches))
		}
	}
	return r.collectMemory(ctx, res)
}

// collectMemory is collect for what asks for nothing but memory.
func (r *runner) collectMemory(ctx context.Context, res *Result) error {
	for _, d := range r.plan.dumps {
		res.Dumps = append(res.Dumps, Dump{d.object.name, d.elem, d.count, r.regions[d.object.name].Data})
	}
	for _, s := range r.plan.saves {
		data := r.regions[s.object.name].Data
		if s.isNpy() { // a copy of the buffer
			if err := r.plan.Config.Budget.Take(s.path, int64(len(data))); err != nil {
				return err
			}
		}
		res.Saves = append(res.Saves, Save{s.object.name, s.path, s.encode(data)})
	}
	res.LeftOut = r.plan.leftOut
	for i := range r.plan.expects {
		e := &r.plan.expects[i]
		failure, err := e.check(ctx, r.regions[e.object.name].Data)
		if err != nil {
			return e.at.placed(ctx, err)
		}
		res.count(failure)
	}
	return nil
}

// count counts an expectation, which failed unless f is nil.
func (res *Result) count(f *Failure) {
	if f == nil {
		res.Passed++
		return
	}
	res.Failed = append(res.Failed, *f)
}
