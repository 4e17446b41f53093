package simtrun

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"runtime"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/cost"
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

// Options are how a machine runs kernels.
type Options struct {
	// Divergence is the model of divergence. The default is ITS, or the stack on a GPU without independent thread
	// scheduling.
	Divergence Model
	PathOrder  Order
	// Split, unless it is 0, is the seed for forced divergence: at random places, lanes that have not diverged
	// execute separately for a while, as independent threads may. This makes code that relies on lock step fail. It
	// needs ITS.
	Split uint64
	// MaxSteps is the most instructions that one warp may execute before the launch counts as endless; 0 means 1e9.
	MaxSteps uint64
	// MaxLaunchSteps is the most warp instructions that all warps together may execute without completing a block; 0
	// means ten times MaxSteps, and at least 1e10.
	MaxLaunchSteps uint64
	// NoLibdevice makes NewMachine refuse a program that declares a function of NVIDIA's libdevice, such as
	// __nv_sinf, without defining it. By default simtrun provides these functions.
	NoLibdevice bool
	// ZeroShared makes the shared memory of a block hold zeros when it starts. By default each byte is 0xab, as is
	// memory that cudaMalloc returns, so that programs that rely on zeros give wrong results, as they may on a GPU.
	ZeroShared bool
	// Memory is the limit in bytes of host memory for buffers and for the state of launches, of the machine or of all
	// programs in a memory; 0 means 16 GiB. Alloc, NewMachine, Load and Launch return an error if it is exceeded.
	Memory int64
	// Threads is how many host threads a launch may use; 0 means runtime.GOMAXPROCS. Results do not depend on it.
	Threads int
	// GPU is the simulated GPU: a name that simtrun gpu --list prints, or a TOML file; "" means h100.
	GPU string
	// Clock, unless it is nil, makes launches timed.
	Clock *Clock
	// Stdout receives the output of kernels; nil discards it.
	Stdout io.Writer
	// Foreign describes an address outside all buffers that a kernel accessed, and gives advice; "" if it cannot. The
	// fault's message includes the text. Foreign may be nil.
	Foreign func(addr uint64) string
}

func errSplit(m Model) error {
	return fmt.Errorf("Options.Split is for divergence %s, not %s", ITS, m)
}

// config converts the options to those of package interp.
func (o *Options) config() (interp.Config, error) {
	c := interp.Config{GPU: gpu.H100(), Divergence: divergence.Model(o.Divergence), PathOrder: divergence.Order(o.PathOrder), Split: o.Split, MaxSteps: o.MaxSteps, MaxLaunchSteps: o.MaxLaunchSteps, NoLibdevice: o.NoLibdevice, FillShared: !o.ZeroShared, Stdout: o.Stdout, Foreign: o.Foreign,
		Budget: memory.NewBudget(o.Memory), Threads: o.threads()}
	var err error
	if o.GPU != "" {
		if c.GPU, _, err = gpu.Open(o.GPU); err != nil {
			return c, err
		}
		if o.Divergence == ITS {
			c.Divergence, err = divergence.ParseModel(c.GPU.Divergence)
		}
	}
	switch {
	case err != nil:
		return c, err
	case o.Split != 0 && c.Divergence != divergence.IndependentThreads:
		return c, errSplit(Model(c.Divergence))
	case o.Split != 0 && o.Clock != nil:
		return c, errClockSplit
	}
	return c, nil
}

func (o *Options) threads() int {
	if o.Threads == 0 {
		return runtime.GOMAXPROCS(0)
	}
	return o.Threads
}

// Model is a model of how the lanes of a warp diverge and reconverge.
type Model uint8

// The models: independent thread scheduling, the reconvergence stack of GPUs before Volta, and lowest PC first.
const (
	ITS   = Model(divergence.IndependentThreads)
	Stack = Model(divergence.ReconvergenceStack)
	MinPC = Model(divergence.LowestPC)
)

// String returns the model's name, as --divergence takes it.
func (m Model) String() string { return divergence.Model(m).String() }

// Order says which side of a divergent branch executes first.
type Order uint8

// The orders.
const (
	Taken       = Order(divergence.Taken)
	FallThrough = Order(divergence.FallThrough)
	Majority    = Order(divergence.Majority)
)

// String returns the order's name, as --path-order takes it.
func (o Order) String() string { return divergence.Order(o).String() }

// Clock configures timed launches. A string takes the values of the command's flag of the same name; "" means the
// GPU's default. The clock does not change what launches leave in memory.
type Clock struct {
	Sched     string // policy of the warp schedulers: gty, gto, oldest, stalled, lrr, bank-aware, random:SEED
	CTAOrder  string // which SM gets the next CTA: most-room, round-robin, linear, by-gpc
	Cost      string // cost model of instructions: lowered, ptx
	DualIssue bool   // a warp may issue two instructions in a cycle
	ICache    string // instruction and constant caches at the start of a kernel's first launch: cold (the default), warm
}

// options converts c to the options of package sm for a GPU.
func (c *Clock) options(on *gpu.Config) (o sm.Options, err error) {
	o.DualIssue = c.DualIssue
	if o.Policy, err = sm.ParsePolicy(cmp.Or(c.Sched, on.Policy)); err != nil {
		return o, fmt.Errorf("Clock.Sched: %w", err)
	}
	if o.Order, err = sm.ParseOrder(cmp.Or(c.CTAOrder, on.CTAs.Order)); err != nil {
		return o, fmt.Errorf("Clock.CTAOrder: %w", err)
	}
	if o.Cost, err = cost.ParseMode(cmp.Or(c.Cost, cost.Lowered.String())); err != nil {
		return o, fmt.Errorf("Clock.Cost: %w", err)
	}
	if o.WarmCode, err = sm.ParseICache(cmp.Or(c.ICache, "cold")); err != nil {
		return o, fmt.Errorf("Clock.ICache: %w", err)
	}
	return o, nil
}

// directives returns c as directives of a run header.
func (c *Clock) directives() []directive {
	all := []directive{{"sched", "Clock.Sched", c.Sched}, {"cta-order", "Clock.CTAOrder", c.CTAOrder}, {"cost", "Clock.Cost", c.Cost}, {"icache", "Clock.ICache", c.ICache}}
	if c.DualIssue {
		all = append(all, directive{"dual-issue", "Clock.DualIssue", "true"})
	}
	return all
}

// Errors of features that need a launch without a clock.
var (
	errClockSplit = errors.New("Options.Split is for machines without a clock")
	errClockRaces = errors.New("races are looked for without a clock")
	errClockSync  = errors.New("Launch.Sync is for machines without a clock")
	errClockInit  = errors.New("unwritten values are looked for without a clock")
	errClockStep  = errors.New("Launch.Step is for machines without a clock")
)
