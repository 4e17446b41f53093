package interp

import (
	"bufio"
	"bytes"
	"fmt"

	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/program"
	"github.com/simtrun/simtrun/memory"
	"github.com/simtrun/simtrun/warp"
)

// Grid is a launch that a machine has accepted. Engines execute its CTAs in an order that the driver chooses.
type Grid struct {
	Launch    Launch
	Shape     warp.Shape
	Resources Resources     // of the kernel in this launch
	Occupancy gpu.Occupancy // of one SM
	// ActiveClusters is how many clusters are resident at once, at most; 0 without clusters.
	ActiveClusters int

	m         *Machine
	p         *program.Program
	params    memory.Region
	ctaBytes  int64         // host memory for a resident CTA
	beside    int64         // number of launches that are executed at the same time, including this one
	slots     int           // number of CTAs allocated
	stack     callStacks    // of engines that have no share of their own
	files     fileMemory    // memory for the kernel's registers
	prints    *bufio.Writer // to the machine's standard output; nil before the first printf
	touched   uint64        // changes from outside
	workspace *workspace    // nil if the kernel uses none
	// contention has the accesses that may conflict between warps of a CTA; nil if there are none, or before Contend.
	contention *program.Contention
	watched    *program.Contention // the instructions that selective observers watch; nil if there are none
	near       [][]int32           // by function and PC; see nearWatched
	late       bool                // observers may be notified late of some of what code executes
	computing  *computing          // of Compute; nil before Computes
	kept       *kept               // nil before Keep
}

// Prepare accepts a launch and executes nothing yet. It returns a *LaunchError for a launch that is not possible, and
// an *isa.Error for an instruction that is not supported.
func (m *Machine) Prepare(l Launch) (*Grid, error) {
	all, err := PrepareAll([]*Machine{m}, []Launch{l})
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// PrepareAll accepts launches that are executed concurrently, ls[i] on machine on[i]. Several launches may be on the
// same machine; the machines share a budget. The error is that of the first launch that is not possible.
func PrepareAll(on []*Machine, ls []Launch) ([]*Grid, error) {
	var all []*Grid
	for i, m := range on {
		g, err := m.prepare(ls[i])
		if err != nil {
			return nil, err
		}
		g.beside = int64(len(ls))
		g.stack.most /= g.beside
		all = append(all, g)
	}
	for _, m := range on {
		m.beginLaunch()
	}
	for i, m := range on {
		m.total.Add(ls[i].Grid.Count())
	}
	return all, nil
}

// beginLaunch forgets the latest launch on m.
func (m *Machine) beginLaunch() {
	m.giveLaunch()
	m.done.Store(0)
	m.total.Store(0)
}

func (m *Machine) prepare(l Launch) (*Grid, error) {
	p, err := m.program(l.Kernel, l.Precise || len(ObserversOf(l.Observers).Steppers) > 0)
	if err != nil {
		return nil, err
	}
	msg := refuse(p, &l, m.cfg.GPU)
	if msg == "" {
		msg = m.unbound(p)
	}
	if msg != "" {
		return nil, &LaunchError{l.Kernel, msg}
	}
	r := m.resources(p)
	usage := m.usage(&r, p, &l)
	r.Registers = usage.Registers // may be fewer than estimated, so that the launch fits
	occupancy := m.cfg.GPU.Occupancy(usage)
	if msg := refusal(&occupancy, &r); msg != "" {
		return nil, &LaunchError{l.Kernel, msg}
	}
	cluster := ClusterOf(p.Kernel().Src, l.Cluster)
	active := 0
	if size := int(cluster.Count()); size > 1 {
		if active = m.cfg.GPU.MaxActiveClusters(size, occupancy.CTAs); active == 0 {
			return nil, &LaunchError{l.Kernel, fmt.Sprintf("cluster %s: no GPC has room for %d blocks at once, of which an SM holds %d", cluster, size, occupancy.CTAs)}
		}
	}
	threads := int(l.Block.Count())
	g := &Grid{ActiveClusters: active, Resources: r, Occupancy: occupancy,
		Launch: l, m: m, p: p,
		params: memory.Region{Name: "the parameters", Space: isa.Param, Number: m.paramsNumber, Data: bytes.Clone(l.Params), ReadOnly: true},
		Shape: warp.Shape{Grid: l.Grid, Block: l.Block, Cluster: cluster,
			DynamicShared: uint32(l.Shared), TotalShared: uint32(p.SharedBytes(l.Shared)),
			WarpsPerCTA: (threads + lanes.Width - 1) / lanes.Width, ThreadsPerCTA: threads,
			LocalPerThread: int(p.Kernel().LocalBytes), SMs: m.cfg.GPU.SMs}}
	if l.Cooperative {
		if err := g.cooperate(); err != nil {
			return nil, err
		}
	}
	g.ctaBytes = ctaBytes(p, &g.Shape)
	g.files.spare = m.spare.registers()
	g.files.left = g.files.spare
	g.watch()
	g.stack.most = m.budget.Limit() / stackShare
	return g, nil
}

// Mark records the allocations of a launch so far.
type Mark struct {
	slots    int
	launched int64
}

// Mark returns the allocations of the launch so far.
func (g *Grid) Mark() Mark { return Mark{g.slots, g.m.launched} }

// Return forgets the CTAs and the engines allocated since a Mark, and sets the number of CTAs that have ended to
// done.
func (g *Grid) Return(to Mark, done int64) {
	g.slots = to.slots
	g.m.done.Store(done)
	g.m.budget.Give(g.m.launched - to.launched)
	g.m.launched = to.launched
}

// Close returns the host memory that the launch, and those concurrent with it, have taken.
func (g *Grid) Close() {
	g.m.giveLaunch()
	if g.workspace != nil {
		g.workspace.inUse = false
		g.workspace = nil
	}
}

// Machine returns the machine that has accepted the launch.
func (g *Grid) Machine() *Machine { return g.m }

// Program returns the lowered kernel.
func (g *Grid) Program() *program.Program { return g.p }

// Touched counts the changes from outside to memory or registers.
func (g *Grid) Touched() uint64 { return g.touched }

// residentShare is the divisor that gives the part of the budget which resident CTAs may take, without their calls.
// It limits the number of resident CTAs of kernels with very many registers or much local memory.
const residentShare = 4

// Capacity is the number of CTAs of a launch that can be resident at once.
type Capacity struct {
	CTAs int
	GPU  int // the number of resident CTAs with enough host memory
}

// Capacity returns how many CTAs of the launch can be resident: as many as the GPU holds, or fewer if the host's memory
// is too small for them. If it is too small for one CTA or cluster, and as many bytes again for calls, that is an
// error.
func (g *Grid) Capacity() (Capacity, error) {
	b := g.m.budget
	what, size, onGPU := "a resident block", int64(g.Shape.ClusterSize()), g.resident()
	if size > 1 {
		what = "the resident blocks of a cluster"
	}
	share, bytes := min(b.Limit()/residentShare, b.Left()/2), size*g.ctaBytes
	if share < bytes {
		return Capacity{}, &LaunchError{g.Launch.Kernel, (&memory.BudgetError{What: what, Bytes: bytes, Left: share, Limit: b.Limit()}).Error()}
	}
	return Capacity{CTAs: int(min(onGPU, share/bytes*size)), GPU: int(onGPU)}, nil
}

// CheckBudget returns the bytes of host memory that a number of resident CTAs take without their calls. It returns an
// error if the budget does not have them in addition to its other uses.
func (g *Grid) CheckBudget(ctas, others int64) (bytes int64, err error) {
	b := g.m.budget
	left := max(0, b.Left()-others)
	fit := left / g.ctaBytes
	if ctas <= fit {
		return ctas * g.ctaBytes, nil
	}
	if fit == 0 {
		return 0, &LaunchError{g.Launch.Kernel, fmt.Sprintf("--memory %d is too small: a resident block needs %d bytes of host memory, and %d are left [host-memory]", b.Limit(), g.ctaBytes, left)}
	}
	return 0, &LaunchError{g.Launch.Kernel, fmt.Sprintf("--memory %d is too small: %d blocks reside at once and need %d bytes of host memory each, which is enough for %d; without a clock (--functional) one is enough [host-memory]",
		b.Limit(), ctas, g.ctaBytes, fit)}
}

// OverBudget returns the error that the host's memory does not suffice for another resident CTA, for which the
// resident ones may wait.
func (g *Grid) OverBudget(resident int, waiting int64) error {
	b := g.m.budget
	return fmt.Errorf("%d blocks run and wait, perhaps for the %d that have not started: %w", resident, waiting,
		&memory.BudgetError{What: "another resident block", Bytes: g.ctaBytes, Left: b.Left(), Limit: b.Limit()})
}

// ctaBytes returns how much host memory a resident CTA takes, without its calls.
func ctaBytes(p *program.Program, s *warp.Shape) int64 {
	const beside = 4 << 10 // for the state of a warp, and of barriers
	k := p.Kernel()
	perWarp := int64(k.Layout.Bytes()) + (k.FrameBytes+int64(s.LocalPerThread))*lanes.Width + beside
	bytes := int64(s.TotalShared) + int64(s.WarpsPerCTA)*perWarp
	if p.Tensor {
		bytes += tensorBytes
	}
	return bytes
}
