package sm

import (
	"fmt"
	"slices"
	"sync"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/cost"
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

// machine is the data that the SMs of a session share. It does not change while they run.
type machine struct {
	gpu     *gpu.Config
	plan    *gpu.Floorplan
	slots   int // per scheduler
	policy  Policy
	options Options
	pairs   *[isa.NumUnits][isa.NumUnits]bool // nil without dual issue
	syncOp  op                                // a BSYNC
	// ops with which lanes that an indirect branch or call sends to another place go there after others
	branchOps, callOps []op
	// guardDelay is added to the latency of a comparison if its predicate is used as a guard.
	guardDelay moment
	// memoryGap is how many cycles a warp's memory instructions are apart, at least.
	memoryGap int64
	epoch     int64 // cycles; see Session.runWindow
	epochEnd  int64 // cycle
	windowEnd int64 // cycle
	// roundTrip is how many cycles a system call takes: at least an access to memory.
	roundTrip int64
	launches  []*launch
}

func newMachine(on *gpu.Config, o Options) machine {
	m := machine{gpu: on, plan: on.Floorplan(), slots: on.Residency.Warps / on.Schedulers, policy: o.Policy, options: o}
	if o.Cost == cost.Lowered { // the assembler leaves them
		m.memoryGap = int64(on.LSU.Gap)
	}
	if late := on.Guard - on.Classes[isa.CostInteger].Latency; on.Guard > 0 && late > 0 {
		m.guardDelay = at(int64(late), 0)
	}
	return m
}

// makeOps makes the ops that stand for no instruction of a program.
func (m *machine) makeOps() {
	m.syncOp = newOp(m.gpu, cost.Slot{Class: isa.CostWarpSync})
	m.syncOp.holds = true
	for _, class := range []isa.CostClass{isa.CostLoadConstant, isa.CostIndirectBranch} {
		m.branchOps = append(m.branchOps, newOp(m.gpu, cost.Slot{Class: class}))
	}
	m.callOps = []op{newOp(m.gpu, cost.Slot{Class: isa.CostCall})}
	for _, ops := range [][]op{m.branchOps, m.callOps} {
		for i := range ops {
			ops[i].holds = true
		}
	}
}

// launch is a grid that is being executed.
type launch struct {
	index       int // in machine.launches
	process     string
	portion     *portion // of its process; nil for the whole GPU
	stream      string
	predecessor *launch // previous launch in its stream, which it waits for; nil if none
	successor   *launch // next launch in its stream, which waits for it
	ctaCount
	spare []*cta // CTAs that have ended, for reuse

	grid      *interp.Grid
	engines   []*interp.Engine  // by SM
	journals  []*memory.Journal // of the engines, by SM
	codes     []*code           // by number of the function
	assembled []*cost.Assembled // what machine code replaced; none without Options.SASS
	assumed   []string          // instructions whose times are assumed
	machineCode
	sites    int
	demand   demand // of a CTA
	most     int    // CTAs that an empty SM can take
	strict   bool
	maxSteps uint64
	// processLines is added to the lines of its process's global memory and constants, because processes use the same
	// addresses for different memory.
	processLines uint64
	// localLines is the first line of its local memory, counted from the constant localLines.
	localLines uint64
}

// machineCode is where the machine code of a launch lies, in lines of the instruction caches.
type machineCode struct {
	lines     int32
	firstLine int32 // to be added to the numbers of lines, which distinguishes launches of different kernels
}

// ctaCount counts the CTAs of a launch.
type ctaCount struct {
	next       int64 // number of the CTA that is handed out next
	total      int64 // CTAs
	unfinished int64 // CTAs that have not ended
	start      int64 // cycle in which its first CTA starts; -1 before one is handed out
	end        int64 // cycle in which the latest of its CTAs to end so far has ended
	filled     bool  // the GPU had no room for another one at some time
	reached    []int // by set of SMs (gpu.Floorplan.Group): how many have had a CTA
}

// worker is the state of a host thread that runs SMs. Counts of all workers are summed when the session ends.
type worker struct {
	*machine
	states      [][]States         // by launch and site
	observers   []interp.Observers // by launch; a worker's own
	effect      interp.Effect
	scoreboards scoreboardPool
	aheadEffect interp.Effect // of the latest instruction executed ahead
	loaded      interp.Loaded // of the latest instructions that were executed ahead by code
	event       Issue         // reused in each call
	steps       uint64        // of schedulers
	failed      bool          // an SM that it runs has an error
}

// newWorker makes a worker for the launches of a session.
func (m *machine) newWorker() *worker {
	w := &worker{machine: m}
	for _, l := range m.launches {
		w.states = append(w.states, make([]States, l.sites))
	}
	return w
}

// newLaunch adds a grid to execute after its predecessor in its stream has ended.
func (m *machine) newLaunch(g *interp.Grid, of *Launch) error {
	if err := untimed(g.Program(), m.gpu); err != nil {
		return err
	}
	if err := m.options.checkSASS(g.Launch.Kernel); err != nil {
		return err
	}
	cfg, total := g.Machine().Config(), g.Launch.Grid.Count()
	l := &launch{
		index: len(m.launches), process: of.Process, stream: of.Stream, ctaCount: ctaCount{total: total, unfinished: total, start: -1, reached: make([]int, m.plan.Groups)},
		grid: g, strict: cfg.Divergence == divergence.LowestPC, maxSteps: cfg.MaxSteps,
	}
	process := m.processOf(g)
	if process == MaxProcesses {
		return &interp.LaunchError{Kernel: g.Launch.Kernel, Msg: fmt.Sprintf("%d processes share the GPU already", MaxProcesses)}
	}
	l.processLines = uint64(process) * processLines
	l.codes, l.assembled, l.sites = codes(g.Program(), m.gpu, &m.options, cfg.Divergence == divergence.IndependentThreads)
	if g.Program().Tensor && m.gpu.TensorMemory.Assumed != 0 {
		l.assumed = []string{"tcgen05"}
	}
	l.lines = layOut(l.codes)
	g.Computes(computing(l.codes))
	l.demand = newDemand(g, m.gpu)
	for _, earlier := range m.launches {
		if earlier.grid.Machine() == g.Machine() && earlier.stream == l.stream {
			l.predecessor = earlier
		}
		l.localLines += uint64(m.gpu.SMs * m.gpu.Residency.Warps * earlier.grid.Shape.LocalPerThread * lanes.Width / lanesPerLine)
	}
	if l.predecessor != nil {
		l.predecessor.successor = l
	}
	m.launches = append(m.launches, l)
	return nil
}

// processOf returns the number of the process of a grid that is not a launch yet. Processes are numbered in the order
// of their first launches.
func (m *machine) processOf(g *interp.Grid) int {
	var processes []*interp.Machine
	for _, l := range m.launches {
		if !slices.Contains(processes, l.grid.Machine()) {
			processes = append(processes, l.grid.Machine())
		}
	}
	if i := slices.Index(processes, g.Machine()); i >= 0 {
		return i
	}
	return len(processes)
}

// workerPool is the set of host threads that run the SMs of a window. Each runs the same SMs every time, so that their
// registers stay in its core's caches: worker i modulo the number of workers runs SM i.
type workerPool struct {
	workers []*worker
	sms     []*multiprocessor // those that may have an event in the window
	groups  []together        // with clusters: worker i modulo the number of workers runs the SMs of GPC i
	end     int64             // of the window
	start   []chan struct{}
	done    sync.WaitGroup
}

// newWorkerPool makes a pool of this many workers, or of one if the observers of the launches cannot be summed. The
// first worker is for the caller's thread.
func (m *machine) newWorkerPool(sms []multiprocessor, threads int) *workerPool {
	c := &workerPool{workers: []*worker{m.newWorker()}}
	first := c.workers[0]
	for _, l := range m.launches {
		first.observers = append(first.observers, interp.ObserversOf(l.grid.Launch.Observers))
	}
	for len(c.workers) < threads {
		w := m.newWorker()
		for _, os := range first.observers {
			if another, ok := os.Another(); ok {
				w.observers = append(w.observers, another)
			}
		}
		if len(w.observers) < len(first.observers) {
			break
		}
		c.workers = append(c.workers, w)
	}
	for i := range sms {
		sms[i].worker = c.workers[i%len(c.workers)]
	}
	if slices.ContainsFunc(m.launches, func(l *launch) bool { return l.grid.Clustered() }) {
		c.groups = gpcs(sms, m.plan)
		for i, g := range c.groups {
			for _, sm := range g {
				sm.worker = c.workers[i%len(c.workers)]
			}
		}
	}
	return c
}

// sum adds what the observers of all workers have counted to those of the first.
func (c *workerPool) sum() {
	for _, w := range c.workers[1:] {
		for i, os := range c.workers[0].observers {
			os.Add(w.observers[i])
		}
	}
}

// begin starts the threads; stop ends them.
func (c *workerPool) begin() {
	for i := range c.workers[1:] {
		start := make(chan struct{}, 1)
		c.start = append(c.start, start)
		go func() {
			for range start {
				c.work(i + 1)
				c.done.Done()
			}
		}()
	}
}

func (c *workerPool) stop() {
	for _, start := range c.start {
		close(start)
	}
	c.start = nil
}

// few is the number of SMs with events, or of CTAs to start, up to which waking the threads is not worth it.
const few = 4

// startAll starts CTAs that have their places. Each worker starts those of its SMs, in their order. Now is a cycle up
// to which the SMs have run.
func (c *workerPool) startAll(ctas []*cta, now int64) {
	if len(c.workers) == 1 || len(ctas) <= few {
		for _, r := range ctas {
			r.sm.startCTA(r, now)
		}
		return
	}
	var all sync.WaitGroup
	for _, w := range c.workers {
		all.Go(func() {
			for _, r := range ctas {
				if r.sm.worker == w {
					r.sm.startCTA(r, now)
				}
			}
		})
	}
	all.Wait()
}

// run runs SMs up to, but not including, cycle end.
func (c *workerPool) run(sms []*multiprocessor, end int64) {
	c.sms, c.end = sms, end
	if !c.worthwhile() {
		for i := range c.workers {
			c.work(i)
		}
		return
	}
	c.done.Add(len(c.start))
	for _, start := range c.start {
		start <- struct{}{}
	}
	c.work(0)
	c.done.Wait()
}

// worthwhile reports whether more than a few SMs have events in the window.
func (c *workerPool) worthwhile() bool {
	busy := 0
	for i := 0; i < len(c.sms) && len(c.start) > 0; i++ {
		if c.sms[i].nextEvent() < c.end {
			if busy++; busy > few {
				return true
			}
		}
	}
	return false
}

// work runs the SMs of a worker.
func (c *workerPool) work(who int) {
	if c.groups != nil {
		for i := who; i < len(c.groups); i += len(c.workers) {
			c.groups[i].run(c.end)
		}
		return
	}
	for _, m := range c.sms {
		if m.worker == c.workers[who] && m.nextEvent() < c.end {
			m.run(c.end)
		}
	}
}
