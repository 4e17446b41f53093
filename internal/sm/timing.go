package sm

import (
	"fmt"

	"github.com/simtrun/simtrun/internal/cost"
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/interp"
)

// Timing is how long a launch took, and what its warps did. It does not include what other launches did at the same
// time.
type Timing struct {
	Process   string
	Stream    string
	GPU       *gpu.Config
	Options   Options
	Resources interp.Resources // of the kernel
	Occupancy gpu.Occupancy
	// CTAsPerSM is how many CTAs of the launch an SM can hold, and Usable how many SMs its process may use at a time; 0
	// for all.
	CTAsPerSM, Usable int
	Cluster           int   // CTAs per cluster; 0 or 1 without clusters
	Start             int64 // start of the first CTA, counted as Options.Since
	Cycles            int64 // from Start until all CTAs have ended
	// the launch has not ended: everything here is up to the cycle up to which the SMs have run
	Partial bool
	Steps   uint64 // of schedulers: the host's work for this launch and those running at the same time
	Memory  Traffic
	SMs     []SMTiming
	Funcs   []FuncTiming
	// Assembled has the functions that are timed by a listing's machine code; none without Options.SASS.
	Assembled []*cost.Assembled
	// Assumed lists the instructions that the program has and whose times are assumed, as the preset says.
	Assumed []string

	undrained error // something that is still under way
}

// Next returns the time in cycles at which a launch that has waited for this one starts.
func (t *Timing) Next() int64 {
	return t.Start + t.Cycles + int64(t.GPU.CTAs.Launch)
}

// AtOnce returns how many CTAs of the launch the GPU holds at once.
func (t *Timing) AtOnce() int64 {
	if t.Usable > 0 { // without clusters
		return int64(t.Usable) * int64(t.CTAsPerSM)
	}
	return t.GPU.AtOnce(t.Cluster, t.CTAsPerSM)
}

// SMTiming is the timing of one SM.
type SMTiming struct {
	CTAs   int64 // that ran on it
	Active int64 // cycles in which a warp resided
	// From the start of the launch: when the first of its CTAs here started, and when the last
	// had ended; both 0 without CTAs.
	First, Last int64
	// MemoryPipe is the number of cycles in which the memory pipe, shared by L1 and shared memory, was busy: one for
	// each wavefront, and at least one for each request.
	MemoryPipe int64
	// TexturePipe is the number of cycles in which the texture pipe was busy.
	TexturePipe int64
	States      States
	L1          L1Traffic
	Schedulers  []SchedulerTiming
}

// SchedulerTiming is the timing of one warp scheduler.
type SchedulerTiming struct {
	WarpCycles int64                      // sum over the cycles of the number of resident warps
	Eligible   uint64                     // sum over the cycles of the number of warps that could issue
	Issued     uint64                     // machine instructions
	Classes    [isa.NumCostClasses]uint64 // issued machine instructions by class
	Tiles      uint64                     // wgmma columns in units of 8, without the first 8 of each instruction
	// TensorCycles are the cycles in which the SM's tensor cores compute products in tensor memory.
	TensorCycles uint64
	Paired       uint64 // issued in the same cycle as another instruction of the same warp
}

// Sum returns the sum over the SM's schedulers.
func (m *SMTiming) Sum() (sum SchedulerTiming) {
	for i := range m.Schedulers {
		sum.add(&m.Schedulers[i])
	}
	return sum
}

func (s *SchedulerTiming) add(other *SchedulerTiming) {
	s.WarpCycles += other.WarpCycles
	s.Eligible += other.Eligible
	s.Issued += other.Issued
	for class, n := range other.Classes {
		s.Classes[class] += n
	}
	s.Paired += other.Paired
	s.Tiles += other.Tiles
	s.TensorCycles += other.TensorCycles
}

// FuncTiming is the timing of warps at the instructions of a function.
type FuncTiming struct {
	Func   *isa.Func
	States []States // by PC, and for the end of the code
}

// States counts cycles of warps by State.
type States [NumStates]uint64

// Add adds the cycles of other.
func (s *States) Add(other *States) {
	for i, n := range other {
		s[i] += n
	}
}

// Total returns the sum of cycles in all states.
func (s *States) Total() (sum uint64) {
	for _, n := range s {
		sum += n
	}
	return sum
}

// Total returns the sum over the SMs, with one scheduler for all of them.
func (t *Timing) Total() (sum SMTiming) {
	sum.Schedulers = make([]SchedulerTiming, 1)
	for i := range t.SMs {
		m := &t.SMs[i]
		sum.CTAs += m.CTAs
		sum.Active += m.Active
		sum.MemoryPipe += m.MemoryPipe
		sum.TexturePipe += m.TexturePipe
		sum.Last = max(sum.Last, m.Last)
		sum.States.Add(&m.States)
		sum.L1.Add(&m.L1)
		did := m.Sum()
		sum.Schedulers[0].add(&did)
	}
	return sum
}

// Check returns an error if an invariant of every launch is violated: each warp is in one state in every cycle, both
// per SM and per instruction; eligible warps are selected or not selected; a scheduler issues at most one instruction
// per cycle; each request to a cache is answered once, by it or by the next level; nothing is left under way. The
// last two apply only to launches that have ended.
func (t *Timing) Check() error {
	all := t.Total()
	one, states := all.Schedulers[0], t.States()
	switch {
	case states != all.States:
		return fmt.Errorf("states per instruction are %v, per SM %v", states, all.States)
	case states.Total() != uint64(one.WarpCycles):
		return fmt.Errorf("warps are in states for %d cycles, but reside for %d", states.Total(), one.WarpCycles)
	case states[Selected] != one.Issued-one.Paired:
		return fmt.Errorf("warps are selected in %d cycles, and issue %d instructions, %d of them paired", states[Selected], one.Issued, one.Paired)
	case states[Selected]+states[NotSelected] != one.Eligible:
		return fmt.Errorf("warps are selected or not in %d cycles, and eligible in %d", states[Selected]+states[NotSelected], one.Eligible)
	}
	for id := range t.SMs {
		m := &t.SMs[id]
		if m.First < 0 || m.Last > t.Cycles || m.Active > m.Last-m.First {
			return fmt.Errorf("SM %d is active in %d cycles from %d to %d, of %d", id, m.Active, m.First, m.Last, t.Cycles)
		}
		for i := range m.Schedulers {
			if c := &m.Schedulers[i]; c.Issued-c.Paired > uint64(m.Active) {
				return fmt.Errorf("scheduler %d of SM %d issues %d instructions in %d cycles", i, id, c.Issued, m.Active)
			}
		}
	}
	switch {
	case t.Partial:
		return nil
	case t.undrained != nil:
		return t.undrained
	}
	return t.conserved()
}

// States returns the sum over all instructions.
func (t *Timing) States() (sum States) {
	for i := range t.Funcs {
		for pc := range t.Funcs[i].States {
			sum.Add(&t.Funcs[i].States[pc])
		}
	}
	return sum
}

// Timing returns the timing of the first launch, or the only one, which must have ended.
func (s *Session) Timing() *Timing { return s.TimingOf(0) }

// Leaves returns the instructions of a launch that compiled code leaves to the Go loop in launches without a clock and
// without observers.
func (s *Session) Leaves(launch int) []interp.Left { return s.launches[launch].grid.Leaves() }

// TimingOf returns the timing of a launch that has begun. It is Partial if the launch has not ended.
func (s *Session) TimingOf(launch int) *Timing {
	l := s.launches[launch]
	t := &Timing{GPU: s.gpu, Options: s.options, Process: l.process, Stream: l.stream, Resources: l.grid.Resources, Occupancy: l.grid.Occupancy, CTAsPerSM: l.most, Cluster: l.grid.Shape.ClusterSize(),
		Start: s.options.Since + l.start, Cycles: l.end - l.start,
		Memory: s.traffic(l), Assembled: l.assembled, Assumed: l.assumed}
	t.Options.L2, t.Options.Instructions, t.Options.Recorder = nil, nil, nil // large, and by now used by another launch
	if l.portion != nil {
		t.Usable = l.portion.most
	}
	for _, w := range s.pool.workers {
		t.Steps += w.steps
	}
	if s.done && s.failed == nil {
		t.undrained = s.drained()
	}
	t.SMs = make([]SMTiming, 0, len(s.sms))
	for i := range s.sms {
		m := &s.sms[i]
		of := &m.of[launch]
		did := SMTiming{Schedulers: make([]SchedulerTiming, 0, len(m.schedulers)), CTAs: of.handed, Active: of.active, MemoryPipe: of.memoryPipe, TexturePipe: of.texturePipe, States: of.states, L1: of.traffic}
		if of.handed > 0 {
			did.First, did.Last = of.first-l.start, of.last-l.start
		}
		for j := range m.schedulers {
			c := m.schedulers[j].did[launch]
			for _, n := range c.Classes {
				c.Issued += n
			}
			did.Schedulers = append(did.Schedulers, c)
		}
		t.SMs = append(t.SMs, did)
	}
	for _, c := range l.codes {
		states := make([]States, len(c.instrs))
		for _, w := range s.pool.workers {
			for pc := range states {
				states[pc].Add(&w.states[launch][c.firstSite+pc])
			}
		}
		t.Funcs = append(t.Funcs, FuncTiming{c.fn.Src, states})
	}
	if l.unfinished > 0 {
		s.addResidents(t, l)
	}
	return t
}
