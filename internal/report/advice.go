package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/profile"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/internal/sm/cache"
	"github.com/simtrun/simtrun/internal/sorted"
)

// leastShare is the smallest gain that is reported, as a fraction of the launch.
const leastShare = 0.01

// adviser finds changes that could make a launch faster.
type adviser struct {
	*Launch
	on      *gpu.Config // nil without a clock
	control map[site]bool
	all     []Advice
}

// advise sets the launch's advice, in order of rank. The GPU is nil without a clock. control has the branches, and
// the instructions that compute their conditions.
func (l *Launch) advise(on *gpu.Config, control map[site]bool) {
	a := &adviser{Launch: l, on: on, control: control, all: []Advice{}}
	for _, in := range l.byLine(nil, nil) {
		a.divergence(in)
		for i := range in.Counts.Traffic {
			a.traffic(in, &in.Counts.Traffic[i])
		}
	}
	if n := l.Counts.LostBlock / lanes.Width; n > 0 {
		a.lanes(Advice{Rule: "block-size", What: fmt.Sprintf("blocks of %s leave lanes empty", Count(int64(l.threads()), "thread")), Change: fmt.Sprintf("multiples of %d threads", lanes.Width)}, n)
	}
	if l.Time != nil {
		a.tail()
		a.occupancy()
		a.stalls()
		a.busiest()
	}
	a.all = slices.DeleteFunc(a.all, func(a Advice) bool { return a.Share < leastShare })
	a.rank()
	l.Advice = a.all
}

// rank sorts advice by gain. If a launch leaves SMs without a block, advice on its grid comes last: a small launch is
// often a test of a kernel, and the author wants to improve its source. Advice on several lines is then weighed by its
// sum, because otherwise the stalls that these lines cause would precede it; and waits for instructions come next to
// last, as most are those of a first execution, which the source cannot shorten.
func (a *adviser) rank() {
	small := slices.ContainsFunc(a.all, func(one Advice) bool { return one.Rule == fewBlocks })
	together := make(map[string]float64)
	for _, one := range a.all {
		if small && one.Place.Line > 0 && !strings.HasPrefix(one.Rule, stallRule) {
			together[one.Rule] += one.Share
		}
	}
	weight := func(one *Advice) float64 { return max(one.Share, min(together[one.Rule], 1)) }
	last := func(one *Advice) int {
		switch {
		case one.Rule == fewBlocks:
			return 2
		case small && one.Rule == coldCode:
			return 1
		}
		return 0
	}
	sorted.Stable(a.all, func(a, b Advice) int {
		return cmp.Or(cmp.Compare(last(&a), last(&b)), cmp.Compare(weight(&b), weight(&a)), cmp.Compare(b.Share, a.Share))
	})
}

// Rules with special treatment in rank: SMs without a block, waits for instructions, and the prefix of the rules for
// warp states.
const (
	fewBlocks = "few-blocks"
	coldCode  = stallRule + "no_instruction"
	stallRule = "stall-"
)

// gain adds advice that can save a fraction of the launch's cycles. If its subject only delays the schedulers, the
// gain is at most the cycles in which they do not issue.
func (a *adviser) gain(one Advice, share float64, delays bool) {
	if delays {
		share = min(share, a.idleSlots())
	}
	share = min(share, 1)
	one.Share, one.Gain, one.GainUnit = share, share*float64(a.Time.Cycles), "cycle"
	a.all = append(a.all, one)
}

// count adds advice on counted events, such as sectors, that can avoid part of the whole. With a clock the gain is in
// cycles: the time spent on such events, a fraction spent of all, is taken to be proportional to their number.
func (a *adviser) count(one Advice, part, whole uint64, unit string, spent float64) {
	if part == 0 {
		return
	}
	one.Share = float64(part) / float64(whole)
	if a.Time != nil {
		a.gain(one, min(one.Share, spent), true)
		return
	}
	one.Gain, one.GainUnit = float64(part), unit
	a.all = append(a.all, one)
}

// hide adds advice on waits that other work could fill. The time of the busiest unit remains.
func (a *adviser) hide(one Advice, share float64) {
	a.gain(one, min(share, 1-a.units()[0].share), true)
}

// lanes adds advice that can save n warp instructions by filling empty lane slots. With a clock the gain is the
// larger of two shares: that of these instructions, and that of the cycles at instructions with empty lane slots, in
// proportion to the slots that are empty for this reason.
func (a *adviser) lanes(one Advice, n uint64) {
	one.Figure, one.Unit = float64(n), "instruction"
	one.What += fmt.Sprintf(", %d warp instructions", n)
	share := float64(n) / float64(a.Counts.Runs)
	if a.Time != nil {
		lost := (a.Counts.LostDiverged + a.Counts.LostExited + a.Counts.LostBlock) / lanes.Width
		a.gain(one, max(share, a.withEmptyLanes()*ratioOf(n, lost)), false)
		return
	}
	one.Share, one.Gain, one.GainUnit = share, float64(n), "instruction"
	a.all = append(a.all, one)
}

// withEmptyLanes returns the share of warp cycles lost to empty lanes: the cycles at each instruction times the share
// of its lanes that are empty.
func (a *adviser) withEmptyLanes() float64 {
	cycles := 0.0
	for _, in := range a.executed(nil, nil) {
		all := sm.States(in.Stalls)
		cycles += float64(all.Total()) * (1 - share(float64(in.Counts.Lanes), float64(in.Counts.Runs*lanes.Width)))
	}
	return share(cycles, float64(a.Time.WarpCycles))
}

// divergence advises on lanes that are idle while other lanes of their warp execute.
func (a *adviser) divergence(in *Instruction) {
	if n := in.Counts.LostDiverged / lanes.Width; n > 0 {
		a.lanes(Advice{Rule: "divergence", Place: in.Place, What: "lanes of a warp diverge", Change: "all lanes of a warp on one side"}, n)
	}
	if n := in.Counts.LostExited / lanes.Width; n > 0 {
		a.lanes(Advice{Rule: "early-exit", Place: in.Place, What: "lanes end before others of their warp", Change: "full warps"}, n)
	}
}

// traffic advises on requests that take more sectors or wavefronts than they need.
func (a *adviser) traffic(in *Instruction, t *profile.Traffic) {
	total := &a.Counts
	one := Advice{Place: in.Place}
	switch t.Space {
	case isa.Global, isa.Local:
		if in.has("wmma.") { // the program cannot choose the lanes
			return
		}
		one.Rule, one.Figure, one.Unit = "sectors", ratioOf(t.Sectors, t.Requests), "sector/request"
		one.What = fmt.Sprintf("%s sectors a request where %s would do, %d more of %s memory", over(t.Sectors, t.Requests), over(t.IdealSectors, t.Requests), t.Sectors-t.IdealSectors, t.Space)
		one.Change = "neighbouring lanes side by side"
		a.sectors(one, t)
	case isa.Shared, isa.SharedCluster:
		one.Rule, one.Figure, one.Unit = "bank-conflicts", ratioOf(t.Wavefronts, t.IdealWavefronts), "ratio"
		one.What = fmt.Sprintf("%s bank conflicts, %s", conflicts(t), Count(int64(t.Wavefronts-t.IdealWavefronts), "more wavefront"))
		one.Change = "pad or swizzle rows"
		a.wavefronts(one, in, t)
	case isa.Const:
		one.Rule, one.Figure, one.Unit = "constants", ratioOf(t.Words, t.Requests), "word/request"
		one.What = fmt.Sprintf("%s different constants at once, served in turn", over(t.Words, t.Requests))
		one.Change = "one address for all lanes, or another space"
		a.count(one, t.Words-t.Requests, total.Of(isa.Load, isa.Const).Words, "word", a.in(sm.IMCMiss, sm.MIOThrottle, sm.ShortScoreboard, sm.AtBarrier))
	}
	if t.Kind == isa.Atomic && t.Contention > t.Requests {
		one.Rule, one.Figure, one.Unit = "contention", ratioOf(t.Contention, t.Requests), "lane"
		one.What = fmt.Sprintf("%s lanes update one place, in turn", over(t.Contention, t.Requests))
		one.Change = "combine values in the warp first"
		if in.has("mbarrier.") {
			one.What = fmt.Sprintf("%s lanes arrive at one mbarrier, in turn", over(t.Contention, t.Requests))
			one.Change = "one lane arrives for its warp"
		}
		a.count(one, t.Contention-t.Requests, total.Of(isa.Atomic, t.Space).Contention, "update", max(a.onGlobal(), a.onShared()))
	}
}

func ratioOf(a, b uint64) float64 { return share(float64(a), float64(b)) }

// sumOf returns a sum over all kinds of requests.
func sumOf(c *profile.Counts, f func(t *profile.Traffic) uint64) (sum uint64) {
	for i := range c.Traffic {
		sum += f(&c.Traffic[i])
	}
	return sum
}

// onGlobal returns the share of the time that sectors of global and local memory may take: the larger of the waits
// for them and the utilisation of their units.
func (a *adviser) onGlobal() float64 {
	return max(a.in(sm.LongScoreboard, sm.LGThrottle, sm.Drain, sm.Membar, sm.AtBarrier), a.busy("l1", "sm_to_l2", "l2_to_sm", "l2", "dram"))
}

// onShared returns the share of the time that wavefronts of shared memory may take.
func (a *adviser) onShared() float64 {
	return max(a.in(sm.ShortScoreboard, sm.MIOThrottle, sm.LGThrottle, sm.AtBarrier), a.busy("l1"))
}

// sectorBytes is the size of a sector.
const sectorBytes = uint64(cache.SectorBytes)

func writeAllAdvice(w *sheet, d *Document) {
	eachProfile(w, d, func(l *Launch) { writeAdvice(w, l, len(l.Advice), 0) })
}

// writeAdvice writes at most most pieces of advice in at most mostLines lines (0 is unlimited), but at least two
// pieces.
func writeAdvice(w *sheet, l *Launch, most, mostLines int) {
	if len(l.Advice) == 0 {
		return
	}
	if w.columns <= 0 {
		w.columns = usualColumns
		defer func() { w.columns = 0 }()
	}
	bounds := "upper bounds; do not add them"
	if l.Time == nil {
		bounds = "upper bounds, counts not time"
	}
	fmt.Fprintf(w, "\nAdvice (%s)\n", bounds)
	lines := 3 // including the line that says how many more there are
	for i, a := range l.Advice {
		text := w.wrapped(fmt.Sprintf("  %d  ", i+1), a.sentence(l))
		if lines += len(text); i >= most || mostLines > 0 && i >= 2 && lines > mostLines {
			fmt.Fprintf(w, "  … %d more, --page advice\n", len(l.Advice)-i)
			return
		}
		for _, line := range text {
			w.WriteString(line + "\n")
		}
	}
}

// sentence returns a piece of advice in words.
func (a *Advice) sentence(l *Launch) string {
	where := ""
	if a.File != "" {
		where = a.short() + ": "
	}
	gain := percentOf(a.Share)
	if l.Time != nil {
		gain = fmt.Sprintf("%s, %s", Count(int64(math.Round(a.Gain)), "cycle"), gain)
	}
	return fmt.Sprintf("%s%s: %s (%s)", where, a.What, a.Change, gain)
}
