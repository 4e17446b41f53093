package sweep

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/profile"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

// Status is the outcome of a point.
type Status string

const (
	OK      Status = "ok"
	Expect  Status = "expect"  // it ran, and expectations were not met
	Refused Status = "refused" // the kernel or the GPU does not support the launch
	Fault   Status = "fault"   // of the kernel
	Hang    Status = "hang"    // it cannot end, or exceeded its limit
	Failed  Status = "error"   // anything else
	Missing Status = "missing" // not run yet; only from Merge
)

// Result is the result of a point. docs/json.md describes each key.
type Result struct {
	Index    int      `json:"index"`
	Values   []string `json:"values"`
	Status   Status   `json:"status"`
	Error    string   `json:"error,omitempty"` // one line
	*Figures          // nil unless the launch completed
}

// Figures are the figures of a completed launch.
type Figures struct {
	Kernel       string    `json:"kernel"`                   // as in the source
	Mangled      string    `json:"kernel_mangled,omitempty"` // its name in PTX, if that is another
	GPU          string    `json:"gpu"`
	Divergence   string    `json:"divergence"`
	Policy       string    `json:"sched"`
	Order        string    `json:"cta_order"`
	Cost         string    `json:"cost"`
	Grid         [3]uint32 `json:"grid"`
	Block        [3]uint32 `json:"block"`
	Dynamic      int64     `json:"shared_dynamic"`
	Instrs       uint64    `json:"warp_instructions"`
	Cycles       int64     `json:"cycles"`
	Microseconds float64   `json:"time_us"`
	Waves        Waves     `json:"waves"`
	Occupancy    Occupancy `json:"occupancy"`
	Warps        float64   `json:"warps_active"`
	Issued       uint64    `json:"issued"`
	IPC          float64   `json:"ipc"`
	SlotsUsed    float64   `json:"slots_used"`
	Stall        string    `json:"main_stall"`
	StallShare   float64   `json:"main_stall_share"`
	L2Bytes      int64     `json:"l2_bytes"`
	DRAMBytes    int64     `json:"dram_bytes"`
}

// Waves describes the waves of the grid.
type Waves struct {
	PerMultiprocessor float64 `json:"per_multiprocessor"`
	Count             int64   `json:"count"`
	Last              float64 `json:"last"`
	Efficiency        float64 `json:"efficiency"`
}

// Occupancy is the occupancy of an SM: fractions are 0 to 1.
type Occupancy struct {
	CTAs        int      `json:"blocks_per_sm"`
	Warps       int      `json:"active_warps"`
	MaxWarps    int      `json:"max_warps"`
	Theoretical float64  `json:"theoretical"`
	Achieved    float64  `json:"achieved"`
	Limiters    []string `json:"limiters"`
}

// run runs the point, once. The error is that of ctx; other errors are in the result. Kernel output is discarded.
func (p *Point) run(ctx context.Context) (*Result, error) {
	p.plan.Config.Stdout = io.Discard
	defer func() { p.plan = nil }() // it holds the machine's memory
	res, err := p.plan.Run(ctx)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	r := &Result{Index: p.Index, Values: p.Values}
	switch {
	case err != nil:
		r.Status, r.Error = statusOf(err), firstLine(err)
		return r, nil
	case len(res.Failed) > 0:
		r.Status, r.Error = Expect, expectText(len(res.Failed), res.Passed)
	default:
		r.Status = OK
	}
	l := &res.Launches[0]
	timing := l.Timing
	t, options := profile.TimeOf(timing), &timing.Options
	waves := gpu.WavesOf(l.Grid.Count(), timing.AtOnce())
	f := &Figures{Kernel: cxx.Short(l.Kernel), Mangled: cxx.Mangled(l.Kernel), GPU: timing.GPU.Name, Divergence: p.plan.Config.Divergence.String(),
		Policy: options.Policy.String(), Order: options.Order.String(), Cost: options.Cost.String(),
		Grid: dims(l.Grid), Block: dims(l.Block), Dynamic: l.Shared, Instrs: l.Stats.WarpInstrs,
		Cycles: timing.Cycles, Microseconds: t.Microseconds,
		Waves: Waves{float64(l.Grid.Count()) / float64(waves.PerWave), waves.Count, waves.Last, waves.Efficiency},
		Occupancy: Occupancy{CTAs: timing.Occupancy.CTAs, Warps: timing.Occupancy.Warps, MaxWarps: timing.Occupancy.MaxWarps,
			Theoretical: timing.Occupancy.Fraction(), Achieved: t.Occupancy()},
		Warps: float64(t.States.Total()) / float64(t.ActiveCycles), Issued: t.Issued, IPC: t.IPC(), SlotsUsed: t.SlotsUsed(),
		DRAMBytes: t.Memory.Fetched + t.Memory.Written}
	for _, limiter := range timing.Occupancy.Limiters() {
		f.Occupancy.Limiters = append(f.Occupancy.Limiters, limiter.String())
	}
	for _, sectors := range t.Memory.Sectors {
		f.L2Bytes += sectors * memory.SectorBytes
	}
	stall, share := t.MainStall()
	f.Stall, f.StallShare = stall.String(), share
	r.Figures = f
	return r, nil
}

func statusOf(err error) Status {
	switch {
	case is[*interp.LaunchError](err):
		return Refused
	case is[*interp.Fault](err):
		return Fault
	case is[*interp.Hang](err):
		return Hang
	}
	return Failed
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

func dims(d isa.Dim) [3]uint32 { return [3]uint32{d.X, d.Y, d.Z} }

func expectText(failed, passed int) string {
	return fmt.Sprintf("%d of %d expectations failed", failed, failed+passed)
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// RunAll runs points, up to jobs concurrently, and calls done for each, in order. It skips points that dir has, and
// stores the other results there; dir may be nil. Errors are those of ctx and of writing to dir.
func RunAll(ctx context.Context, points []*Point, jobs int, dir *Dir, done func(r *Result)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	results := make([]chan ended, len(points))
	for i := range results {
		results[i] = make(chan ended, 1)
	}
	next := make(chan int)
	var workers sync.WaitGroup
	defer workers.Wait()
	for range min(jobs, len(points)) {
		workers.Go(func() {
			for i := range next {
				results[i] <- points[i].end(ctx, dir)
			}
		})
	}
	workers.Go(func() {
		defer close(next)
		for i := range points {
			next <- i
		}
	})
	var first error
	for i := range results {
		e := <-results[i]
		if e.bug != nil {
			cancel()
			panic(e.bug) // the caller recovers it
		}
		if e.err != nil && first == nil {
			first = e.err
			cancel() // ends the others soon
		}
		if first == nil {
			done(e.result)
		}
	}
	return first
}

// ended is the outcome of a point of RunAll.
type ended struct {
	result *Result
	err    error
	bug    any // value of a panic
}

func (p *Point) end(ctx context.Context, dir *Dir) (e ended) {
	defer func() { e.bug = recover() }()
	if e.result = dir.load(p); e.result != nil {
		return e
	}
	if e.result, e.err = p.run(ctx); e.err == nil {
		e.err = dir.save(ctx, p, e.result)
	}
	return e
}
