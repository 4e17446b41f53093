package interp

import (
	"errors"
	"fmt"
	"strings"

	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/program"
)

// Launch is one launch of a kernel.
type Launch struct {
	Kernel string
	Grid   isa.Dim // in CTAs
	Block  isa.Dim // in threads
	// Cluster is the number of CTAs of a cluster in each dimension; zero means that of the kernel's .reqnctapercluster,
	// or no clusters.
	Cluster isa.Dim
	Shared  int64  // bytes of dynamic shared memory per CTA
	Params  []byte // the parameter block, in the format of isa.Func.ParamLayout
	// Cooperative makes all CTAs resident at once, so that they can wait for each other (cuLaunchCooperativeKernel).
	Cooperative bool
	// Observers are notified of the launch's events.
	Observers []Observer
	// Precise asks for registers that have their source-level values between any two instructions (see program.Env), so
	// that a Stepper can be added later. A launch with a Stepper among its observers is always precise. Optimised code
	// runs a little faster.
	Precise bool
	// HostWrites says that memory may be changed from outside while the launch runs. The launch then does not end when
	// no warp makes progress: drivers return an *Awaiting, and can continue.
	HostWrites bool
	// Order chooses, before each instruction, which thread executes it; nil leaves the order to the driver. Lanes that
	// run together (divergence.Split) count as one thread. An Order that is an AccessObserver observes the launch. Only
	// launches without a clock can have one.
	Order Order
}

// Order is an order of execution.
type Order interface {
	// Next returns the warp, by its index in all, and the lane that execute the next instruction. The lane must be able
	// to run. all are the warps of the resident CTAs; it is another slice only if those change. ErrLivelock says that no
	// thread will ever make progress, and every other error ends the launch.
	Next(all []Warp) (warp, lane int, err error)
}

// ErrLivelock is returned by an Order when every thread that can run repeats its state.
var ErrLivelock = errors.New("every thread that can run repeats its state")

// Stats counts the instructions that a launch has executed.
type Stats struct {
	WarpInstrs        uint64 // instructions executed by warps
	LaneInstrs        uint64 // sum over these of the active lanes, before guards
	DivergentBranches uint64 // branches at which lanes diverged
	Warnings          []Warning
	Undefined         Undefined
}

// Observe adds an observer.
func (l *Launch) Observe(o Observer) {
	l.Observers = append(l.Observers[:len(l.Observers):len(l.Observers)], o)
}

// program returns a lowered kernel.
func (m *Machine) program(kernel string, precise bool) (*program.Program, error) {
	fn := m.code.mod.Entry(kernel)
	if fn == nil || !fn.Defined {
		return nil, &LaunchError{kernel, "no such kernel; the module has " + m.kernelNames()}
	}
	key := lowered{fn, precise}
	if p := m.programs[key]; p != nil {
		return p, nil
	}
	p, err := m.code.program(key, m.address)
	if err != nil {
		return nil, err
	}
	m.programs[key] = p
	return p, nil
}

// Functions returns a kernel and the functions that it can reach, in the order of Place.Func. Errors are those of
// Prepare.
func (m *Machine) Functions(kernel string) ([]*isa.Func, error) {
	p, err := m.program(kernel, false)
	if err != nil {
		return nil, err
	}
	var fns []*isa.Func
	for _, f := range p.Funcs {
		fns = append(fns, f.Src)
	}
	return fns, nil
}

func (m *Machine) kernelNames() string {
	var names []string
	for _, f := range m.code.mod.Src.Entries() {
		names = append(names, f.Name)
	}
	if names == nil {
		return "none"
	}
	return strings.Join(names, ", ")
}

// ClusterOf returns the number of CTAs of a cluster in each dimension for a launch of fn that asks for asked; zero
// without clusters.
func ClusterOf(fn *isa.Func, asked isa.Dim) isa.Dim {
	if asked != (isa.Dim{}) {
		return asked
	}
	return fn.Cluster
}

// refuseCluster returns the reason why a GPU cannot launch fn with clusters like these, or "".
func refuseCluster(fn *isa.Func, l *Launch, on *gpu.Config) string {
	c, g := ClusterOf(fn, l.Cluster), l.Grid
	size := c.Count()
	switch {
	case c == (isa.Dim{}) && fn.ExplicitCluster:
		return "the kernel is .explicitcluster, and nothing says how many blocks a cluster has, as --cluster 2 does"
	case c == (isa.Dim{}):
		return ""
	case size == 0:
		return "a cluster has at least 1 in every dimension"
	case fn.Cluster != (isa.Dim{}) && c != fn.Cluster:
		return fmt.Sprintf("cluster %s: .reqnctapercluster asks for %s", c, fn.Cluster)
	case size > 1 && on.Cluster.Size == 1:
		return fmt.Sprintf("cluster %s: GPU %s has no clusters; those from compute capability 9.0 on have", c, on.Name)
	case fn.MaxClusterRank > 0 && size > int64(fn.MaxClusterRank):
		return fmt.Sprintf("cluster %s: %d blocks, .maxclusterrank allows %d", c, size, fn.MaxClusterRank)
	case size > int64(on.Cluster.Size):
		return fmt.Sprintf("cluster %s: %d blocks, at most %d", c, size, on.Cluster.Size)
	case g.X%c.X != 0 || g.Y%c.Y != 0 || g.Z%c.Z != 0:
		return fmt.Sprintf("grid %s is not a multiple of cluster %s in every dimension", g, c)
	}
	return ""
}

// refuse returns the reason why a GPU cannot launch p like this, or "".
func refuse(p *program.Program, l *Launch, on *gpu.Config) string {
	maxGrid, maxBlock := on.Limits.Grid, on.Limits.Block
	g, b, fn, params := l.Grid, l.Block, p.Kernel().Src, p.Kernel().ParamBytes
	threads := b.Count()
	switch {
	case g.Count() == 0 || b.Count() == 0:
		return "a grid and a block have at least 1 in every dimension"
	case g.X > maxGrid.X || g.Y > maxGrid.Y || g.Z > maxGrid.Z:
		return fmt.Sprintf("grid %s: at most %s", g, maxGrid)
	case threads > on.Limits.BlockThreads:
		return fmt.Sprintf("block %s: %d threads, at most %d", b, threads, on.Limits.BlockThreads)
	case b.X > maxBlock.X || b.Y > maxBlock.Y || b.Z > maxBlock.Z:
		return fmt.Sprintf("block %s: at most %s", b, maxBlock)
	case fn.ReqNTID != (isa.Dim{}) && fn.ReqNTID != b:
		return fmt.Sprintf("block %s: .reqntid asks for %s", b, fn.ReqNTID)
	case fn.MaxNTID != (isa.Dim{}) && threads > fn.MaxNTID.Count():
		return fmt.Sprintf("block %s: %d threads, .maxntid allows %d", b, threads, fn.MaxNTID.Count())
	case params > p.MaxParams:
		return fmt.Sprintf("%d bytes of parameters, at most %d (32764 from PTX 8.1 and sm_70 on)", params, p.MaxParams)
	case int64(len(l.Params)) != params:
		return fmt.Sprintf("%d bytes of parameters; the kernel takes %d", len(l.Params), params)
	case l.Shared < 0:
		return "a negative size of shared memory"
	case p.Static > on.Residency.SharedPerCTA:
		return fmt.Sprintf("%d bytes of static shared memory, at most %d%s", p.Static, on.Residency.SharedPerCTA, largestShared(p))
	case p.Kernel().FrameBytes > on.Limits.Local:
		return fmt.Sprintf("%d bytes of .param variables per thread, at most %d", p.Kernel().FrameBytes, on.Limits.Local)
	case p.Kernel().LocalBytes > on.Limits.Local:
		return fmt.Sprintf("%d bytes of local memory per thread, at most %d", p.Kernel().LocalBytes, on.Limits.Local)
	}
	return refuseCluster(fn, l, on)
}
