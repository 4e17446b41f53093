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
)

// leastShare is what a saving must come to at the least to be worth a line.
const leastShare = 0.01

// From these on Nsight Compute points something out.
const (
	idleSlots     = 0.2 // of the issue slots
	stalledAtLine = 0.1 // of the cycles of warps, at a line
	stalledAtAll  = 0.3 // of the cycles of warps, in one state
	busyUnit      = 0.6 // of what a pipe, or a level of memory, can do
)

// adviser finds what a launch could gain.
type adviser struct {
	*Launch
	on      *gpu.Config // nil without a clock
	control map[site]bool
	all     []Advice
}

// advise ranks all that the launch could gain. The GPU is nil without a clock; control is the branches, and what decides on them.
func (l *Launch) advise(on *gpu.Config, control map[site]bool) {
	a := &adviser{Launch: l, on: on, control: control, all: []Advice{}}
	for _, in := range l.executed(nil, nil) {
		a.divergence(in)
		for i := range in.Counts.Traffic {
			a.traffic(in, &in.Counts.Traffic[i])
		}
	}
	if n := l.Counts.LostBlock / lanes.Width; n > 0 {
		a.lanes(Advice{Rule: "block-size", What: fmt.Sprintf("blocks of %d threads leave lanes empty", l.threads()), Change: fmt.Sprintf("multiples of %d threads", lanes.Width)}, n)
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

// rank puts the advice with the largest gain first. If a launch leaves SMs without a block, advice on its grid comes
// last: a small launch is often a test of a kernel, and the author wants to improve its source. Pieces of advice on
// several lines then count together, or the stalls that the lines cause would come before them.
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
		if one.Rule == fewBlocks {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(a.all, func(a, b Advice) int {
		return cmp.Or(cmp.Compare(last(&a), last(&b)), cmp.Compare(weight(&b), weight(&a)), cmp.Compare(b.Share, a.Share))
	})
}

// Rules that rank treats specially: that of SMs without a block, and the prefix of those of warp states.
const (
	fewBlocks = "few-blocks"
	stallRule = "stall-"
)

// gain adds a piece of advice that can gain a share of the launch's cycles, but no more than those
// in which schedulers do not issue if what it is about only delays them.
func (a *adviser) gain(one Advice, share float64, delays bool) {
	if delays {
		share = min(share, 1-a.Time.SlotsUsed())
	}
	share = min(share, 1)
	one.Share, one.Gain, one.GainUnit = share, share*float64(a.Time.Cycles), "cycle"
	a.all = append(a.all, one)
}

// count adds a piece of advice on what is counted, of which it can gain a part of the whole. With a
// clock it is cycles: those of the part, if all the time of the share that is spent on such things
// goes with their number.
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

// hide adds a piece of advice on waits that something else could fill: what is busiest takes its time
// all the same.
func (a *adviser) hide(one Advice, share float64) {
	a.gain(one, min(share, 1-a.units()[0].share), true)
}

// lanes adds a piece of advice that can do without n warp instructions, as so many lane slots are empty. With a clock
// it is those instructions' share, or that of the cycles at instructions with empty lane slots, as far as
// their slots are empty for this reason.
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

// withEmptyLanes is the share of the cycles of warps that they spend at instructions, times the lanes that these leave empty.
func (a *adviser) withEmptyLanes() float64 {
	cycles := 0.0
	for _, in := range a.executed(nil, nil) {
		all := sm.States(in.Stalls)
		cycles += float64(all.Total()) * (1 - share(float64(in.Counts.Lanes), float64(in.Counts.Runs*lanes.Width)))
	}
	return share(cycles, float64(a.Time.WarpCycles))
}

// divergence is on lanes that other lanes of their warp leave idle.
func (a *adviser) divergence(in *Instruction) {
	if n := in.Counts.LostDiverged / lanes.Width; n > 0 {
		a.lanes(Advice{Rule: "divergence", Place: in.Place, What: "lanes of a warp diverge", Change: "all lanes of a warp on one side"}, n)
	}
	if n := in.Counts.LostExited / lanes.Width; n > 0 {
		a.lanes(Advice{Rule: "early-exit", Place: in.Place, What: "lanes end before others of their warp", Change: "full warps"}, n)
	}
}

// traffic is on requests that ask for more than they need.
func (a *adviser) traffic(in *Instruction, t *profile.Traffic) {
	total := &a.Counts
	one := Advice{Place: in.Place}
	switch t.Space {
	case isa.Global, isa.Local:
		if strings.Contains(in.Text, "wmma.") { // which lane goes where is not the program's choice
			return
		}
		one.Rule, one.Figure, one.Unit = "sectors", ratioOf(t.Sectors, t.Requests), "sector/request"
		one.What = fmt.Sprintf("%s sectors a request where %s would do, %d more of %s memory", over(t.Sectors, t.Requests), over(t.IdealSectors, t.Requests), t.Sectors-t.IdealSectors, t.Space)
		one.Change = "neighbouring lanes side by side"
		a.count(one, t.Sectors-t.IdealSectors, sumOf(total, func(u *profile.Traffic) uint64 { return u.Sectors }), "sector", a.onGlobal())
	case isa.Shared, isa.SharedCluster:
		one.Rule, one.Figure, one.Unit = "bank-conflicts", ratioOf(t.Wavefronts, t.IdealWavefronts), "ratio"
		one.What = fmt.Sprintf("%s bank conflicts, %d more wavefronts", conflicts(t), t.Wavefronts-t.IdealWavefronts)
		one.Change = "pad or swizzle rows"
		a.count(one, t.Wavefronts-t.IdealWavefronts, sumOf(total, func(u *profile.Traffic) uint64 { return u.Wavefronts }), "wavefront", a.onShared())
	case isa.Const:
		one.Rule, one.Figure, one.Unit = "constants", ratioOf(t.Words, t.Requests), "word/request"
		one.What = fmt.Sprintf("%s different constants at once, served in turn", over(t.Words, t.Requests))
		one.Change = "one address for all lanes, or another space"
		a.count(one, t.Words-t.Requests, total.Of(isa.Load, isa.Const).Words, "word", a.in(sm.IMCMiss, sm.MIOThrottle, sm.ShortScoreboard))
	}
	if t.Kind == isa.Atomic && t.Contention > t.Requests {
		one.Rule, one.Figure, one.Unit = "contention", ratioOf(t.Contention, t.Requests), "lane"
		one.What = fmt.Sprintf("%s lanes update one place, in turn", over(t.Contention, t.Requests))
		one.Change = "combine values in the warp first"
		if strings.Contains(in.Text, "mbarrier.") {
			one.What = fmt.Sprintf("%s lanes arrive at one mbarrier, in turn", over(t.Contention, t.Requests))
			one.Change = "one lane arrives for its warp"
		}
		a.count(one, t.Contention-t.Requests, total.Of(isa.Atomic, t.Space).Contention, "update", max(a.onGlobal(), a.onShared()))
	}
}

func ratioOf(a, b uint64) float64 { return share(float64(a), float64(b)) }

// sumOf is a sum over the requests.
func sumOf(c *profile.Counts, f func(t *profile.Traffic) uint64) (sum uint64) {
	for i := range c.Traffic {
		sum += f(&c.Traffic[i])
	}
	return sum
}

// in is the share of the cycles of warps that they spend in some states; 0 without a clock.
func (a *adviser) in(states ...sm.State) float64 {
	if a.Time == nil {
		return 0
	}
	cycles := uint64(0)
	for _, s := range states {
		cycles += a.Time.Stalls[s]
	}
	return ratioOf(cycles, a.Time.WarpCycles)
}

// busy is the largest share of what some levels of memory can do; 0 without a clock.
func (a *adviser) busy(levels ...string) (most float64) {
	if a.Time == nil {
		return 0
	}
	for i := range a.Time.Levels {
		if l := &a.Time.Levels[i]; slices.Contains(levels, l.Name) {
			most = max(most, l.OfPeak)
		}
	}
	return most
}

// onGlobal is the share of the time that may go with the sectors of global and local memory: the
// larger of what warps wait for them and of how busy what serves them is.
func (a *adviser) onGlobal() float64 {
	return max(a.in(sm.LongScoreboard, sm.LGThrottle, sm.Drain, sm.Membar), a.busy("l1", "sm_to_l2", "l2_to_sm", "l2", "dram"))
}

// onShared is the share of the time that may go with wavefronts of shared memory.
func (a *adviser) onShared() float64 {
	return max(a.in(sm.ShortScoreboard, sm.MIOThrottle, sm.LGThrottle), a.busy("l1"))
}

// tail is on SMs that have nothing to do, or less than they could: a last wave that is not full.
func (a *adviser) tail() {
	t := a.Time
	o := &t.Occupancy
	idle := 1 - t.SMsBusy()
	one := Advice{Rule: "tail", Figure: 100 * t.SMsBusy(), Unit: "%"}
	with := t.SMsUsed()
	one.What = fmt.Sprintf("SMs are busy in %s of the time (%.2f waves)", percentOf(t.SMsBusy()), t.Waves.PerMultiprocessor)
	switch {
	case with < len(t.SMs):
		one.Rule, one.Figure, one.Unit = fewBlocks, float64(with), "SM"
		one.What = fmt.Sprintf("%d of %d SMs have a block", with, len(t.SMs))
		one.Change = fmt.Sprintf("%s that share the work: %d are one for each SM, %d fill the GPU", a.smaller("more blocks"), len(t.SMs), t.Waves.Blocks)
		// More blocks give SMs more warps, too.
		idle = max(idle, min(1-t.SMsBusy()*share(o.Achieved, o.Theoretical), 1-a.units()[0].share))
	case t.Waves.PerMultiprocessor <= 1 || t.Waves.Efficiency > 1-leastShare:
		one.Change = "blocks of even length, that loop over more work"
	default:
		one.Change = "whole waves, smaller blocks, or blocks that loop over the work"
		idle = max(idle, 1-t.Waves.Efficiency)
	}
	a.gain(one, idle, false)
}

// smaller is a change to more blocks, and smaller ones if they have several warps.
func (a *adviser) smaller(more string) string {
	if a.threads() > lanes.Width {
		return "more and smaller blocks"
	}
	return more
}

// occupancy is on warps that cannot reside, or do not.
func (a *adviser) occupancy() {
	t := a.Time
	o := &t.Occupancy
	if 1-t.SlotsUsed() < idleSlots {
		return
	}
	if o.Theoretical < 1-leastShare && t.Waves.PerMultiprocessor > 1 {
		one := Advice{Rule: "occupancy", Figure: 100 * o.Theoretical, Unit: "%", Change: a.moreBlocks()}
		one.What = fmt.Sprintf("%d of %d warps can reside on an SM (%s), limited by %s", o.ActiveWarps, o.MaxWarps, percentOf(o.Theoretical), list(o.Limiters))
		a.hide(one, 1-o.Theoretical)
	}
	if o.Achieved < o.Theoretical-stalledAtLine && t.SMsUsed() == len(t.SMs) {
		one := Advice{Rule: "residency", Figure: 100 * o.Achieved, Unit: "%", Change: "blocks that end together, or smaller ones"}
		if a.threads() <= lanes.Width {
			one.Change = "blocks that end together"
		}
		one.What = fmt.Sprintf("%.1f warps reside on an SM that is busy, %d can", o.Achieved*float64(o.MaxWarps), o.ActiveWarps)
		if t.Waves.PerMultiprocessor < 1 {
			one.Change = fmt.Sprintf("%s that share the work: %d fill the GPU, not %d", a.smaller("more blocks"), t.Waves.Blocks, a.Blocks)
		}
		a.hide(one, 1-o.Achieved/o.Theoretical)
	}
}

// moreBlocks is what would let another block reside on an SM.
func (a *adviser) moreBlocks() string {
	o, r := &a.Time.Occupancy, &a.Time.Resources
	u := gpu.Usage{Threads: int(a.threads()), Registers: r.Registers, Static: r.SharedStatic, Dynamic: a.Shared, Barriers: r.Barriers, OptIn: a.on.Residency.SharedOptIn}
	next := o.BlocksPerSM + 1
	var changes []string
	for _, limiter := range o.Limiters {
		switch limiter {
		case gpu.RegisterFile.String():
			if n := a.on.MostRegisters(u, next); n > 0 {
				changes = append(changes, fmt.Sprintf("%d registers, not %d,", n, r.Registers))
			}
		case gpu.SharedMemory.String():
			if n := a.on.AvailableDynamic(u, next); n >= 0 {
				changes = append(changes, fmt.Sprintf("%d shared bytes, not %d,", n+r.SharedStatic, a.Shared+r.SharedStatic))
			} else {
				changes = append(changes, fmt.Sprintf("less than %d shared bytes", a.Shared+r.SharedStatic))
			}
		case gpu.CTASlots.String():
			changes = append(changes, "larger blocks")
		case gpu.WarpSlots.String():
			changes = append(changes, "blocks of a size that divides the slots for warps")
		default:
			changes = append(changes, "fewer "+limiter)
		}
	}
	if len(changes) == 0 {
		return "smaller blocks"
	}
	text := list(changes)
	if slices.ContainsFunc(o.Limiters, func(l string) bool { return l == gpu.RegisterFile.String() || l == gpu.SharedMemory.String() }) {
		text += fmt.Sprintf(" let %d blocks reside", next)
	}
	return text
}

// list is words in a sentence.
func list(words []string) string {
	text := ""
	for i, w := range words {
		switch {
		case i == 0:
		case i == len(words)-1:
			text += " and "
		default:
			text += ", "
		}
		text += w
	}
	return text
}

// remedies are what shortens the waits in a state; a state without one is none that waits.
var remedies = [sm.NumStates]string{
	sm.Wait:             "independent instructions in between: unroll, or more warps",
	sm.ShortScoreboard:  "independent instructions in between; fewer wavefronts",
	sm.LongScoreboard:   "load earlier, more loads at once, or more warps",
	sm.MathPipeThrottle: "fewer instructions of this pipe, or some on another",
	sm.MIOThrottle:      "fewer and wider accesses to shared memory, fewer special functions at once",
	sm.LGThrottle:       "fewer and wider accesses: vectors",
	sm.TexThrottle:      "fewer accesses to textures at once",
	sm.AtBarrier:        "even work between the warps of a block, smaller blocks, or fewer barriers",
	sm.Membar:           "fewer fences, or of a narrower scope",
	sm.BranchResolving:  "fewer branches: unroll, or predicates",
	sm.NoInstruction:    "shorter code, fewer jumps",
	sm.DispatchStall:    "other instructions in between",
	sm.Drain:            "fewer or wider stores at the end",
	sm.IMCMiss:          "constants that are read before, and fewer of them",
	sm.Sleeping:         "shorter sleeps",
	sm.Misc:             "other instructions",
}

// stalls is on what warps wait for: at lines, or all over the code.
func (a *adviser) stalls() {
	t := a.Time
	if 1-t.SlotsUsed() < idleSlots {
		return
	}
	for s := range sm.NumStates {
		if remedies[s] != "" {
			a.stall(s)
		}
	}
}

// stall is on one state: at the lines where warps spend much in it, or else at many. What several
// lines have in common is one piece of advice.
func (a *adviser) stall(s sm.State) {
	of := func(in *Instruction) uint64 { return in.Stalls[s] }
	rows := a.executed(func(in *Instruction) bool { return ratioOf(of(in), a.Time.WarpCycles) > stalledAtLine }, of)
	one := Advice{Rule: stallRule + s.String(), Unit: "cycle", Change: remedies[s]}
	cycles, at := uint64(0), ", at many lines"
	if len(rows) == 0 {
		if cycles = a.Time.Stalls[s]; ratioOf(cycles, a.Time.WarpCycles) <= stalledAtAll {
			return
		}
	} else {
		var lines, sources []string
		for _, in := range rows {
			cycles += of(in)
			lines = append(lines, a.lineOf(in.Place))
			if in.WaitsFor != nil && (s == sm.LongScoreboard || s == sm.ShortScoreboard) {
				sources = append(sources, a.lineOf(*in.WaitsFor))
			}
		}
		one.Place, at = rows[0].Place, ""
		if len(rows) > 1 {
			at = ", at " + a.linesText(lines)
		}
		if len(sources) > 0 {
			at += ", for " + a.linesText(sources)
		}
	}
	part := ratioOf(cycles, a.Time.WarpCycles)
	one.Figure, one.What = float64(cycles), fmt.Sprintf("%s of warp cycles in %s%s", percentOf(part), s, at)
	if s != sm.AtBarrier { // where others may wait for these
		part += a.in(sm.AtBarrier)
	}
	if fewer := a.fewer(s); fewer > 0 {
		a.gain(one, fewer+a.in(sm.AtBarrier), false)
		return
	}
	if s == sm.LongScoreboard || s == sm.Wait || s == sm.AtBarrier {
		a.hide(one, part)
		return
	}
	a.gain(one, part, true)
}

// fewer is, of a state whose remedy is fewer instructions, the share of the cycles of warps that may go with those
// instructions, wherever warps are in it: not the stalls alone. It is 0 of other states.
func (a *adviser) fewer(s sm.State) float64 {
	var beside []sm.State // what becomes shorter elsewhere
	switch s {
	case sm.MathPipeThrottle:
	case sm.MIOThrottle:
		beside = []sm.State{sm.ShortScoreboard}
	case sm.LGThrottle:
		beside = []sm.State{sm.LongScoreboard, sm.Drain, sm.Membar}
	case sm.BranchResolving:
		return a.in(sm.BranchResolving) + ratioOf(a.loopControl(), a.Time.WarpCycles)
	case sm.Drain: // other stores are before those of the end
		return a.in(sm.Drain, sm.LGThrottle, sm.Membar)
	default:
		return 0
	}
	cycles := uint64(0)
	for _, in := range a.executed(func(in *Instruction) bool { return in.Stalls[s] > 0 }, nil) {
		cycles += in.cycles()
		for _, other := range beside {
			cycles -= in.Stalls[other]
		}
	}
	return ratioOf(cycles, a.Time.WarpCycles) + a.in(beside...)
}

// loopControl is the cycles of warps that go with branches: at them, at what decides on them, and to issue a
// counter for each.
func (a *adviser) loopControl() (cycles uint64) {
	for _, in := range a.executed(nil, nil) {
		if a.control[site{in.Function, in.PC}] {
			cycles += in.Stalls[sm.Wait] + in.Stalls[sm.Selected]
		}
		if in.Counts.Branches > 0 {
			cycles += in.Stalls[sm.Selected]
		}
	}
	return cycles
}

// linesText is lines in a sentence, each once.
func (a *adviser) linesText(lines []string) string {
	slices.SortFunc(lines, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	lines = slices.Compact(lines)
	if len(lines) == 1 {
		return "line " + lines[0]
	}
	return "lines " + list(lines)
}

// unit is something that can be busy, and what makes it less so.
type unit struct {
	name   string
	share  float64
	change string
	kind   unitKind
	slots  float64 // of a pipe: the share of the issue slots that its instructions take
}

// units are the issue slots, pipes and levels of memory, the busiest first.
func (a *adviser) units() []unit {
	units := []unit{{"issue slots", a.Time.SlotsUsed() * a.Time.SMsBusy(), "fewer instructions", issueSlots, 0}}
	for _, p := range a.Time.Pipes {
		one := unit{p.Name + " pipe", p.OfPeak, "fewer instructions of this pipe, or some on another", arithmetic, share(float64(p.Instructions), a.Time.smCycles()*float64(a.Time.Schedulers))}
		if p.Name == isa.LSU.String() {
			one.kind = loadStore
		}
		units = append(units, one)
	}
	for _, l := range a.Time.Levels {
		change := "fewer bytes through it: reuse, narrower types"
		if l.Name == "l1" {
			change = "fewer wavefronts: no conflicts, full sectors, wider accesses"
		}
		units = append(units, unit{levelNames[l.Name], l.OfPeak, change, memoryLevel, 0})
	}
	slices.SortStableFunc(units, func(a, b unit) int { return cmp.Compare(b.share, a.share) })
	return units
}

// unitKind is what a unit is for.
type unitKind uint8

const (
	issueSlots unitKind = iota
	arithmetic
	loadStore
	memoryLevel
)

// without is how busy a unit stays, at the least, if nothing went to another one: of levels of memory and the pipe to them
// what relieves one may relieve all, and whatever does not go to a pipe takes no issue slot.
func (u *unit) without(top *unit, all []unit) float64 {
	toMemory := func(kind unitKind) bool { return kind == loadStore || kind == memoryLevel }
	relieved := func(v *unit) bool {
		return v.name == top.name || toMemory(v.kind) && toMemory(top.kind) || top.kind == issueSlots && v.kind != memoryLevel
	}
	if relieved(u) {
		return 0
	}
	left := u.share
	for i := range all {
		if u.kind == issueSlots && relieved(&all[i]) {
			left -= all[i].slots
		}
	}
	return max(0, left)
}

// busiest is on what limits the launch, if something is busy: a pipe or a level of memory. Without
// it the next busiest would that the same change does not relieve.
func (a *adviser) busiest() {
	units := a.units()
	top := units[0]
	if top.share <= busyUnit {
		return
	}
	var next unit
	for i := range units[1:] {
		u := units[1+i]
		if u.share = u.without(&top, units); u.share > next.share {
			next = u
		}
	}
	one := Advice{Rule: "busy", Figure: 100 * top.share, Unit: "%", Change: top.change}
	one.What = fmt.Sprintf("%s at %s of the peak", top.name, percentOf(top.share))
	if next.share > 0 {
		one.What += fmt.Sprintf("; without it %s at %s", next.name, percentOf(next.share))
	}
	a.gain(one, top.share-next.share, false)
}

// sectorBytes is the bytes of a sector.
const sectorBytes = uint64(cache.SectorBytes)

// levelNames are those of levels for people.
var levelNames = map[string]string{"l1": "L1/shared pipe", "sm_to_l2": "SM to L2", "l2_to_sm": "L2 to SM", "l2": "L2", "dram_read": "DRAM read", "dram_write": "DRAM write", "dram": "DRAM"}

func writeAllAdvice(w *sheet, d *Document) {
	eachProfile(w, d, func(l *Launch) { writeAdvice(w, l, len(l.Advice), 0) })
}

// writeAdvice writes so many pieces of advice at the most, in so many lines at the most, but not less
// than two; 0 lines are any.
func writeAdvice(w *sheet, l *Launch, most, mostLines int) {
	if len(l.Advice) == 0 {
		return
	}
	if w.columns <= 0 {
		w.columns = usualColumns
		defer func() { w.columns = 0 }()
	}
	bounds := "upper bounds, not to be added up"
	if l.Time == nil {
		bounds = "upper bounds, counts not time"
	}
	fmt.Fprintf(w, "\nAdvice (%s)\n", bounds)
	lines := 3 // with that on how many more there are
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

// sentence is a piece of advice in words.
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
