package simtrun

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/launch"
	"github.com/simtrun/simtrun/internal/profile"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/interp"
)

// Launch describes one launch of a kernel.
type Launch struct {
	Kernel string
	Grid   Dim // in CTAs
	Block  Dim // in threads; zero means the kernel's .reqntid, or else 32
	// Cluster is the size of a cluster in CTAs. Each dimension must divide that of the grid. Zero means the kernel's
	// .reqnctapercluster, or else no clusters.
	Cluster Dim
	Shared  int64 // bytes of dynamic shared memory per CTA
	// Cooperative makes all CTAs resident at once, so that they can wait for each other, as grid.sync() of CUDA does.
	Cooperative bool
	// Args are the arguments in the order of the parameters: a *Buffer for an address, an *Image for the handle of a
	// texture, a number, or a []byte for an aggregate.
	Args []any
	// Params, unless it is nil, is the whole parameter block, and replaces Args. Kernel.Params gives the layout.
	Params []byte
	// Profile collects the launch's counters. It makes the launch slower.
	Profile bool
	// Races checks the launch for data races. It is slower than Profile.
	Races bool
	// Sync checks the launch for uses of undefined results of shuffles, for registers that wgmma and tcgen05.ld may
	// still access, and for missing fences of the async proxy. Its findings are Warnings.
	Sync bool
	// Init checks the launch for uses of unwritten registers and memory; see Buffer.TrackWrites. Its findings are
	// Warnings, except values in global memory: Buffer.HostRead finds those.
	Init bool
	// Attach, unless it is nil, is called before the launch begins. It may add observers.
	Attach func(*interp.Machine, *interp.Launch) error
	// Step is called before every instruction of every warp, unless it is nil. If it returns false, the launch ends
	// there.
	Step func(*Step) bool
	// HostWrites says that the host may write memory while the launch runs: adopted buffers at any time, other
	// buffers between two calls of Running.Continue. If no warp makes progress, the error is then an *Awaiting
	// instead of a *Hang.
	HostWrites bool
	// Session is for simtrun's debugger: it may take the launch over, as internal/launch.Observed.Session describes.
	Session func(*interp.Machine, *interp.Launch) (launch.Session, error)
}

// Result is the outcome of a launch.
type Result struct {
	// WarpInstrs counts instructions that warps executed. LaneInstrs counts the active lanes of each, before guards.
	WarpInstrs, LaneInstrs uint64
	DivergentBranches      uint64    // branches at which a warp diverged
	Timing                 *Timing   // nil without a clock, and if the launch failed
	Warnings               []Warning // faults of the program that did not make the launch fail
	Races                  []Race    // in the order of occurrence
	Stopped                bool      // Step ended it
	// Uncompiled lists functions that could not be compiled to the host's machine code and therefore ran many times
	// slower. It is empty with a clock.
	Uncompiled []Uncompiled
	// Undefined has a line for each way in which the launch got values that PTX leaves undefined: a shuffle from an
	// absent lane, an access to shared memory of a CTA that may have ended. It names the check that says where.
	Undefined []string

	profile *profile.Profile
}

// Uncompiled is a function that was executed often and could not be compiled.
type Uncompiled struct {
	Func   string
	Pos    Pos    // of the function
	Reason string // one line: what could not be compiled, and why
}

// Metric returns a counter of the launch, by a name that simtrun metrics lists. ok is false if there is no counter of
// that name, if it is a ratio of zero to zero, if Launch.Profile was not set, or if it needs a clock and there is
// none.
func (r *Result) Metric(name string) (value float64, ok bool) {
	if r.profile == nil {
		return 0, false
	}
	return metric(name, &r.profile.Total)
}

// MetricOfLine returns a counter for the instructions on one line of the source.
func (r *Result) MetricOfLine(name string, line int) (value float64, ok bool) {
	if r.profile == nil {
		return 0, false
	}
	var sum profile.Counts
	for i := range r.profile.Funcs {
		f := &r.profile.Funcs[i]
		for pc := range f.Code {
			if int(f.Code[pc].Pos.Line) == line {
				sum.Add(&f.Instrs[pc])
			}
		}
	}
	return metric(name, &sum)
}

func metric(name string, c *profile.Counts) (value float64, ok bool) {
	for _, m := range profile.Metrics() {
		if m.Name == name {
			return m.Of(c)
		}
	}
	return 0, false
}

// Launch runs a kernel and waits for its end. The error is a *Fault for a bad access, a *Hang for a launch that never
// ends, and an *Interrupted if ctx ends it.
func (m *Machine) Launch(ctx context.Context, l Launch) (*Result, error) {
	r, err := m.Begin(l)
	if err != nil {
		return nil, err
	}
	err = r.Continue(ctx)
	return r.End(), err
}

// resultOf converts the result of an execution to the public type.
func resultOf(e *launch.Execution) *Result {
	s := &e.Stats
	r := &Result{WarpInstrs: s.WarpInstrs, LaneInstrs: s.LaneInstrs, DivergentBranches: s.DivergentBranches,
		Warnings: warnings(s.Warnings), Races: races(e.Races), Stopped: e.Halted, profile: e.Profile}
	if t := e.Timing; t != nil && !t.Partial {
		r.Timing = timingOf(t)
	}
	for i := range e.Uncompiled {
		if u := &e.Uncompiled[i]; !u.Observed {
			r.Uncompiled = append(r.Uncompiled, Uncompiled{u.Func, posOf(u.Pos), u.String()})
		}
	}
	r.Undefined = s.Undefined.Lines()
	return r
}

// blockOf returns the block size of a launch of fn; b is the size in the request.
func blockOf(fn *isa.Func, b Dim) isa.Dim {
	if b != (Dim{}) {
		return atLeastOne(b)
	}
	d, _ := launch.DefaultBlock(fn)
	return d
}

// ActiveLanes returns the mean number of active lanes (0 to 32) per executed instruction.
func (r *Result) ActiveLanes() float64 {
	if r.WarpInstrs == 0 {
		return 0
	}
	return float64(r.LaneInstrs) / float64(r.WarpInstrs)
}

// encodeArgs builds the parameter block.
func (m *Machine) encodeArgs(fn *isa.Func, args []any) ([]byte, error) {
	if len(args) != len(fn.Params) {
		return nil, fmt.Errorf("%s takes %d arguments, not %d", fn.Name, len(fn.Params), len(args))
	}
	offsets, size := fn.ParamLayout()
	block := make([]byte, size)
	for i, p := range fn.Params {
		to := block[offsets[i]:][:p.Size()]
		if raw, ok := args[i].([]byte); ok {
			if len(raw) != len(to) {
				return nil, fmt.Errorf("argument %s has %d bytes; the parameter takes %d", p.Name, len(raw), len(to))
			}
			copy(to, raw)
			continue
		}
		bits, err := m.argBits(p, args[i])
		if err != nil {
			return nil, fmt.Errorf("argument %s: %w", p.Name, err)
		}
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], bits)
		copy(to, word[:])
	}
	return block, nil
}

// argBits converts an argument to the type of its parameter.
func (m *Machine) argBits(p *isa.Var, arg any) (uint64, error) {
	width := p.Type.Bits()
	if p.Size() != int64(p.Type.Bytes()) {
		return 0, fmt.Errorf("an array takes its bytes, not %T", arg)
	}
	if i, ok := arg.(*Image); ok {
		switch {
		case i == nil || i.m != m.mem:
			return 0, errors.New("a texture, surface or sampler of another memory")
		case width != 64:
			return 0, fmt.Errorf("a handle does not go into %s", p.Type)
		}
		return i.handle, nil
	}
	if b, ok := arg.(*Buffer); ok {
		if err := b.isIn(m.mem); err != nil {
			return 0, err
		}
		if width < 64 && b.Addr()>>width != 0 {
			return 0, fmt.Errorf("an address does not fit in %s", p.Type)
		}
		return b.Addr(), nil
	}
	switch v := reflect.ValueOf(arg); {
	case v.CanFloat() && width == 32 && !p.Type.IsInt():
		return uint64(math.Float32bits(float32(v.Float()))), nil
	case v.CanFloat() && width == 64 && !p.Type.IsInt():
		return math.Float64bits(v.Float()), nil
	case v.CanInt() && p.Type.Class() != isa.Float:
		n := v.Int()
		if low := int64(-1) << (width - 1); n < low || width < 64 && n >= 1<<width {
			return 0, fmt.Errorf("%d does not fit in %s", n, p.Type)
		}
		return uint64(n), nil
	case v.CanUint() && p.Type.Class() != isa.Float:
		n := v.Uint()
		if width < 64 && n >= 1<<width {
			return 0, fmt.Errorf("%d does not fit in %s", n, p.Type)
		}
		return n, nil
	}
	return 0, fmt.Errorf("a %T does not go into %s", arg, p.Type)
}

// Running is a launch under way. It only advances during Continue. Use it for a long launch when the goroutine has
// other work: give each Continue a context with a deadline, until one returns without an *Interrupted. The result
// does not depend on the slices. No other launch can begin in the same memory before End.
type Running struct {
	m   *Machine
	r   *launch.Running
	err error // of the most recent Continue
	res *Result
}

// Begin prepares a launch; nothing is executed yet. Its errors say why the kernel cannot be launched, and include
// those of Machine.Kernel.
func (m *Machine) Begin(l Launch) (*Running, error) {
	if m.mem.running != nil {
		return nil, errRunning
	}
	to, err := m.launchOf(&l)
	if err != nil {
		return nil, err
	}
	switch {
	case m.mem.clock != nil && l.Races:
		return nil, errClockRaces
	case m.mem.clock != nil && l.Sync:
		return nil, errClockSync
	case m.mem.clock != nil && l.Init:
		return nil, errClockInit
	case m.mem.clock != nil && l.Step != nil:
		return nil, errClockStep
	}
	m.mem.m.Reuse()
	observed := launch.Observed{Profile: l.Profile, Races: l.Races, Sync: l.Sync, Init: l.Init, HostReads: true, Clock: m.mem.clock, Session: l.Session}
	if l.Attach != nil {
		observed.Attach = func(m *interp.Machine, to *interp.Launch) (func() error, error) {
			return func() error { return nil }, l.Attach(m, to)
		}
	}
	r, err := observed.Begin([]sm.Launch{{Launch: to, Machine: m.m}})
	if err != nil {
		return nil, err
	}
	m.mem.running = &Running{m: m, r: r}
	return m.mem.running, nil
}

var errRunning = errors.New("a launch is under way in this memory")

// launchOf converts a launch to the type of package interp.
func (m *Machine) launchOf(l *Launch) (to interp.Launch, err error) {
	fn := m.mod.Entry(l.Kernel)
	if fn == nil {
		return to, fmt.Errorf("no kernel %q", l.Kernel)
	}
	to = interp.Launch{Kernel: l.Kernel, Grid: atLeastOne(l.Grid), Block: blockOf(fn, l.Block), Shared: l.Shared, Params: l.Params, Cooperative: l.Cooperative, HostWrites: l.HostWrites}
	if l.Params == nil {
		to.Params, err = m.encodeArgs(fn, l.Args)
	}
	if l.Cluster != (Dim{}) {
		to.Cluster = atLeastOne(l.Cluster)
	}
	if l.Step != nil {
		to.Observe(&stepper{step: l.Step})
	}
	return to, err
}

// Continue runs the launch until it ends (the error is nil), until Launch.Step stops it, or until ctx ends. In the
// last case the error is an *Interrupted, and the launch can continue, as it can after an *Awaiting. Other errors are
// those of Launch.
func (r *Running) Continue(ctx context.Context) error {
	if r.res != nil {
		return errors.New("the launch is over")
	}
	r.err = r.r.Continue(ctx)
	return public(r.err)
}

// Progress counts the CTAs of a launch: completed, and in total.
type Progress struct {
	Done, Total int64 // CTAs
}

// String returns a text such as "17 of 528 blocks done".
func (p Progress) String() string {
	if p.Total == 1 {
		return fmt.Sprintf("%d of 1 block done", p.Done)
	}
	return fmt.Sprintf("%d of %d blocks done", p.Done, p.Total)
}

// Progress returns the number of completed CTAs. Any goroutine may call it.
func (r *Running) Progress() (p Progress) {
	p.Done, p.Total = r.m.m.Progress()
	return p
}

// End ends the launch, even if it has not completed, and returns its result.
func (r *Running) End() *Result {
	if r.res != nil {
		return r.res
	}
	all, _ := r.r.End(r.err)
	e := &all[0]
	mem := r.m.mem
	mem.running = nil
	if e.Timing != nil && !e.Timing.Partial {
		mem.clock.Since = e.Timing.Next()
	}
	r.res = resultOf(e)
	return r.res
}
