package launch

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

// Result is the outcome of a run.
type Result struct {
	Launches []Launched
	Buffers  []Buffer // including variables of the module, in order of allocation
	Dumps    []Dump
	Saves    []Save
	Passed   int // expectations
	Failed   []Failure
	LeftOut  int // expectations of a header on counters, dropped because flags or a script changed the work
	NoClock  int // expectations on time, dropped because launches had no clock
}

// Launched is a launch with its counters. If a run failed, its last launch counted up to the failure.
type Launched struct {
	*Launch
	Execution
}

// Dump holds the elements of a buffer from its start.
type Dump struct {
	Name  string
	Elem  Elem
	Count int64
	data  []byte
}

// Bits returns the bits of element i.
func (d *Dump) Bits(i int64) uint64 { return d.Elem.load(d.data[i*int64(d.Elem.Bytes()):]) }

// Data returns the bytes of the elements, little-endian.
func (d *Dump) Data() []byte { return d.data[:d.Count*int64(d.Elem.Bytes())] }

// NewDump returns the dump of a buffer from its bytes. The error says that there is no such type, or that there are
// too few bytes.
func NewDump(name, elem string, count int64, data []byte) (Dump, error) {
	e, err := elemByName(elem)
	if err != nil {
		return Dump{}, err
	}
	if size := count * int64(e.Bytes()); count < 0 || size != int64(len(data)) {
		return Dump{}, fmt.Errorf("%s has %d bytes for %d elements of %s", name, len(data), count, elem)
	}
	return Dump{name, e, count, data}, nil
}

// Save is a file to be written with the content of a buffer.
type Save struct {
	Name string // the buffer's
	Path string
	Data []byte // content of the file: little-endian elements, in a .npy file after its header
}

// Run allocates the buffers of p on a new machine and runs its launches in order, then dumps and checks. A launch
// that fails ends the run: the result then has only the buffers and the launches that began. Errors are those of
// package interp, an *Error, or that of ctx, which is checked throughout.
func (p *Plan) Run(ctx context.Context) (*Result, error) {
	res := &Result{}
	r, err := p.prepare(ctx)
	if err != nil {
		return res, err
	}
	res.Buffers = r.buffers()
	observed := p.Observed.from(0)
	if observed.Clock != nil {
		observed.Clock.L2, observed.Clock.Instructions = sm.NewL2(p.Config.GPU), sm.NewInstructionCaches(p.Config.GPU)
	}
	together := p.Clock != nil && p.severalStreams()
	for first := 0; first < len(p.Launches); {
		end := first + 1
		if together {
			end = len(p.Launches)
		}
		beside := p.Launches[first:end]
		launches := r.launches(beside)
		p.underway.Store(newUnderway(first, launches, observed.Clock))
		executions, err := observed.executeAll(ctx, launches)
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
		first = end
	}
	if err := r.collect(ctx, res); err != nil {
		return &Result{Launches: res.Launches, Buffers: res.Buffers}, err
	}
	return res, nil
}

// severalStreams reports whether the launches are in several streams or processes. Such launches run concurrently with
// a clock, and one after the other without one.
func (p *Plan) severalStreams() bool {
	return slices.ContainsFunc(p.Launches, func(l Launch) bool {
		return l.Stream != p.Launches[0].Stream || l.Process != p.Launches[0].Process
	})
}

// notTaken reports whether err says that a launch did not begin.
func notTaken(err error) bool {
	_, refused := errors.AsType[*interp.LaunchError](err)
	_, unsupported := errors.AsType[*isa.Error](err)
	return refused || unsupported
}

// runner is a plan being executed.
type runner struct {
	plan      *Plan
	processes []process
}

// launches returns launches of the plan, ready to begin.
func (r *runner) launches(of []Launch) []sm.Launch {
	var all []sm.Launch
	for i := range of {
		all = append(all, r.processes[slices.Index(r.plan.processes, of[i].Process)].launch(&of[i]))
	}
	return all
}

// Prepared is a machine on which the launches of a plan can begin.
type Prepared struct {
	Machine  *interp.Machine
	Launches []interp.Launch
	Buffers  []Buffer // including variables of the module, in order of allocation

	runner *runner
}

// Buffer is a buffer, or a variable of the module in global or constant memory.
type Buffer struct {
	*memory.Region
	Name   string // with the process's name, if there are several
	Elem   Elem
	Scalar bool // a variable that is not an array
}

// Finish dumps and checks memory after the launches, as Run does, without the expectations on counters; unchecked is
// their number. The error is that of ctx.
func (r *Prepared) Finish(ctx context.Context) (res *Result, unchecked int, err error) {
	res = &Result{}
	err = r.runner.collectMemory(ctx, res)
	return res, len(r.runner.plan.metrics), err
}

// Prepare allocates the buffers of p on a new machine, and leaves the launches to the caller. Errors are those of
// Run. Launches of several processes are an error, because each would need its own machine.
func (p *Plan) Prepare(ctx context.Context) (*Prepared, error) {
	for i := range p.Launches {
		if l := &p.Launches[i]; l.Process != p.Launches[0].Process {
			return nil, l.at.errorf("launches of several processes, each with its own memory, can only be run; here all launches must be of one process")
		}
	}
	r, err := p.prepare(ctx)
	if err != nil {
		return nil, err
	}
	ready := &Prepared{Machine: r.processes[0].machine, runner: r}
	for _, l := range r.launches(p.Launches) {
		ready.Launches = append(ready.Launches, l.Launch)
	}
	ready.Buffers = r.buffers()
	return ready, nil
}

// buffers returns the buffers and variables that directives can name.
func (r *runner) buffers() []Buffer {
	var all []Buffer
	for i := range r.processes {
		for _, o := range r.plan.objects {
			scalar := o.symbol != nil && !o.symbol.Array && o.symbol.Vec == 1
			all = append(all, Buffer{r.processes[i].regions[o.name], r.plan.qualified(i, o.name), o.elem, scalar})
		}
	}
	return all
}

// prepare makes the machines. It releases those of an earlier run of the plan.
func (p *Plan) prepare(ctx context.Context) (*runner, error) {
	b := p.Config.Budget
	b.Give(b.Taken() - p.planned)
	r := &runner{plan: p}
	for i := range p.processes {
		m, err := interp.New(p.mod, p.Config)
		if err != nil {
			return nil, err
		}
		r.processes = append(r.processes, process{plan: p, number: i, machine: m, regions: make(map[string]*memory.Region)})
		if err := r.processes[i].allocate(ctx); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// collect dumps, saves and checks once the launches are over. The error is that of ctx.
func (r *runner) collect(ctx context.Context, res *Result) error {
	if r.plan.Profile {
		counts := sumCounts(r.plan.metrics, res.Launches)
		for i := range r.plan.metrics {
			m := &r.plan.metrics[i]
			if m.metric.Clock && r.plan.Clock == nil {
				res.NoClock++
				continue
			}
			res.count(m.check(counts))
		}
	}
	return r.collectMemory(ctx, res)
}

// collectMemory is collect for requests that need only memory.
func (r *runner) collectMemory(ctx context.Context, res *Result) error {
	for _, d := range r.plan.dumps {
		res.Dumps = append(res.Dumps, Dump{r.plan.qualified(d.process, d.object.name), d.elem, d.count, r.data(d.process, d.object)})
	}
	for _, s := range r.plan.saves {
		data := r.data(s.process, s.object)
		if s.isNpy() { // a copy of the buffer
			if err := r.plan.Config.Budget.Take(s.path, int64(len(data))); err != nil {
				return err
			}
		}
		res.Saves = append(res.Saves, Save{r.plan.qualified(s.process, s.object.name), s.path, s.encode(data)})
	}
	res.LeftOut = r.plan.leftOut
	for i := range r.plan.expects {
		e := &r.plan.expects[i]
		failure, err := e.check(ctx, r.data(e.process, e.object))
		if err != nil {
			return e.at.placed(ctx, err)
		}
		res.count(failure)
	}
	return nil
}

// count counts an expectation, as failed unless f is nil.
func (res *Result) count(f *Failure) {
	if f == nil {
		res.Passed++
		return
	}
	res.Failed = append(res.Failed, *f)
}

// data returns the bytes of a process's buffer or variable.
func (r *runner) data(process int, o *object) []byte {
	return r.processes[process].regions[o.name].Data
}
