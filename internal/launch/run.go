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

// Data is the bytes of the elements, little-endian.
func (d *Dump) Data() []byte { return d.data[:d.Count*int64(d.Elem.Bytes())] }

// NewDump is the dump of a buffer of which the bytes are known. Its error says that there is no
// such type, or that the bytes are too few.
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

// runner is a plan under way.
type runner struct {
	plan      *Plan
	processes []process
}

// launches are launches of the plan, ready to begin.
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
	Buffers  []Buffer // and variables of the module, in order of allocation

	runner *runner
}

// Buffer is a buffer, or a variable of the module in global or constant memory.
type Buffer struct {
	*memory.Region
	Name   string // with that of its process, if there are several
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
// to the caller. Errors are those of Run; launches of several processes, which have a machine each, are one, too.
func (p *Plan) Prepare(ctx context.Context) (*Prepared, error) {
	for i := range p.Launches {
		if l := &p.Launches[i]; l.Process != p.Launches[0].Process {
			return nil, l.at.errorf("launches of several processes have a memory each; they can be run, and here all must be of one")
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

// buffers are what directives can name.
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

// prepare makes the machines. Those of an earlier run of the plan are done with.
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

// collect fills in what a run is for, once its launches are over. Its error is
// that of ctx.
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

// collectMemory is collect for what asks for nothing but memory.
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

// count counts an expectation, which failed unless f is nil.
func (res *Result) count(f *Failure) {
	if f == nil {
		res.Passed++
		return
	}
	res.Failed = append(res.Failed, *f)
}

// data is the bytes of a process's buffer or variable.
func (r *runner) data(process int, o *object) []byte {
	return r.processes[process].regions[o.name].Data
}
