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
	// Divergence is ITS unless the GPU has no independent threads, if nothing is said.
	Divergence Model
	PathOrder  Order
	// Split, unless it is 0, is the seed of places at which lanes that have not
	// diverged run apart for a while, as independent threads may: what relies on
	// lanes in lock step then fails. It is for ITS.
	Split uint64
	// MaxSteps is the most warp instructions that one warp may execute before the
	// launch counts as endless; 0 means 1e9.
	MaxSteps uint64
	// MaxLaunchSteps is the most warp instructions that all warps together may
	// execute without a block coming to its end; 0 means ten times MaxSteps, and
	// 1e10 at least.
	MaxLaunchSteps uint64
	// NoLibdevice has NewMachine refuse a program that declares a function of NVIDIA's
	// libdevice, such as __nv_sinf, and does not define it. Otherwise simtrun has them.
	NoLibdevice bool
	// Memory is the most bytes of the host's memory that the machine, or all programs in a
	// memory, may take, for buffers and for what launches need beside them; 0 means 16 GiB. More is
	// an error of Alloc, NewMachine, Load or Launch.
	Memory int64
	// Threads is how many threads of the host a launch may use; 0 means
	// as many as runtime.GOMAXPROCS has. Results do not depend on it.
	Threads int
	// GPU is the machine: one of those that simtrun gpu --list has, or a TOML file;
	// "" means h100.
	GPU string
	// Clock, unless it is nil, says that launches are timed.
	Clock *Clock
	// Stdout takes what kernels print; nil throws it away.
	Stdout io.Writer
	// Foreign explains an address outside all buffers that a kernel accessed, and says what to do about it; "" if it
	// cannot. Its text goes into the message of the fault. Nil explains nothing.
	Foreign func(addr uint64) string
}

func errSplit(m Model) error {
	return fmt.Errorf("Options.Split is for divergence %s, not %s", ITS, m)
}

// config is what package interp takes of the options.
func (o *Options) config() (interp.Config, error) {
	c := interp.Config{GPU: gpu.H100(), Divergence: divergence.Model(o.Divergence), PathOrder: divergence.Order(o.PathOrder), Split: o.Split, MaxSteps: o.MaxSteps, MaxLaunchSteps: o.MaxLaunchSteps, NoLibdevice: o.NoLibdevice, Stdout: o.Stdout, Foreign: o.Foreign,
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

// Model is the way in which the lanes of a warp diverge and reconverge.
type Model uint8

// The models: independent thread scheduling, the reconvergence stack of GPUs
// before Volta, and lowest PC first.
const (
	ITS   = Model(divergence.IndependentThreads)
	Stack = Model(divergence.ReconvergenceStack)
	MinPC = Model(divergence.LowestPC)
)

// String is the model's name, as --divergence takes it.
func (m Model) String() string { return divergence.Model(m).String() }

// Order is which side of a divergent branch runs first.
type Order uint8

// The orders.
const (
	Taken       = Order(divergence.Taken)
	FallThrough = Order(divergence.FallThrough)
	Majority    = Order(divergence.Majority)
)

// String is the order's name, as --path-order takes it.
func (o Order) String() string { return divergence.Order(o).String() }

// Clock says that launches are timed, as by simtrun run, and how: a string is what the
// command's flag of the same name takes, and "" what the GPU has. What launches leave
// in memory is the same without.
type Clock struct {
	Sched     string // the policy of the warp schedulers: gty, gto, oldest, stalled, lrr, bank-aware, random:SEED
	CTAOrder  string // the SM that gets the next CTA: most-room, round-robin, linear
	Cost      string // what instructions cost: lowered, ptx
	DualIssue bool   // a warp may issue two instructions in a cycle
}

// options are how package sm takes c on a GPU.
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
	return o, nil
}

// directives are c as directives of a run.
func (c *Clock) directives() []directive {
	all := []directive{{"sched", "Clock.Sched", c.Sched}, {"cta-order", "Clock.CTAOrder", c.CTAOrder}, {"cost", "Clock.Cost", c.Cost}}
	if c.DualIssue {
		all = append(all, directive{"dual-issue", "Clock.DualIssue", "true"})
	}
	return all
}

// Errors of what needs a launch without a clock.
var (
	errClockSplit = errors.New("Options.Split is for machines without a clock")
	errClockRaces = errors.New("races are looked for without a clock")
	errClockStep  = errors.New("Launch.Step is for machines without a clock")
)
