package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/internal/sorted"
)

// Advice on where the time of a launch goes, which needs a clock: SMs without work, waits of warps, and busy units.

// Thresholds at which Nsight Compute reports a problem.
const (
	idleSlots     = 0.2 // of the issue slots
	stalledAtLine = 0.1 // of the cycles of warps, at a line
	stalledAtAll  = 0.3 // of the cycles of warps, in one state
	busyUnit      = 0.6 // utilisation of a pipe, or of a level of memory
)

// tail advises on SMs without blocks, and on a partial last wave.
func (a *adviser) tail() {
	t := a.Time
	o := &t.Occupancy
	idle := 1 - t.SMsBusy()
	one := Advice{Rule: "tail", Figure: 100 * t.SMsBusy(), Unit: "%"}
	with := t.SMsUsed()
	one.What = fmt.Sprintf("SMs are busy for %s of the time (%.2f waves)", percentOf(t.SMsBusy()), t.Waves.PerMultiprocessor)
	switch {
	case with < len(t.SMs):
		one.Rule, one.Figure, one.Unit = fewBlocks, float64(with), "SM"
		one.What = fmt.Sprintf("%d of %d SMs have a block", with, len(t.SMs))
		if with == 1 {
			one.What = fmt.Sprintf("1 of %d SMs has a block", len(t.SMs))
		}
		one.Change = fmt.Sprintf("%s that share the work: %d are one for each SM, %d fill the GPU", a.smaller("more blocks"), len(t.SMs), t.Waves.Blocks)
		// More blocks also give SMs more warps.
		idle = max(idle, min(1-t.SMsBusy()*share(o.Achieved, o.Theoretical), 1-a.units()[0].share))
	case t.Waves.PerMultiprocessor <= 1 || t.Waves.Efficiency > 1-leastShare:
		one.Change = "blocks of equal duration, each with a loop over more work"
	default:
		one.Change = "whole waves, smaller blocks, or blocks that loop over the work"
		idle = max(idle, 1-t.Waves.Efficiency)
	}
	a.gain(one, idle, false)
}

// smaller returns advice for more blocks, and for smaller ones if they have several warps.
func (a *adviser) smaller(more string) string {
	if a.threads() > lanes.Width {
		return "more and smaller blocks"
	}
	return more
}

// occupancy advises on warps that cannot be resident on an SM, or could be but are not.
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
		one.What = fmt.Sprintf("%.1f of %d warps reside on a busy SM", o.Achieved*float64(o.MaxWarps), o.ActiveWarps)
		if t.Waves.PerMultiprocessor < 1 {
			one.Change = fmt.Sprintf("%s that share the work: %d fill the GPU, not %d", a.smaller("more blocks"), t.Waves.Blocks, a.Blocks)
		}
		a.hide(one, 1-o.Achieved/o.Theoretical)
	}
}

// moreBlocks returns the changes that make room for another block on an SM.
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
		text += fmt.Sprintf(" let %s reside", Count(int64(next), "block"))
	}
	return text
}

// list joins words for a sentence: "a, b and c".
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

// remedies are changes that shorten the waits in a state. States without waits have none.
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
	sm.IMCMiss:          "fewer different constants, read earlier",
	sm.Sleeping:         "shorter sleeps",
	sm.Misc:             "other instructions",
}

// stalls advises on the waits of warps, at single lines or throughout the code.
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

// stall advises on one state: at the lines where warps spend much time in it or, if there are none, at many lines.
// All lines of a state are one piece of advice.
func (a *adviser) stall(s sm.State) {
	of := func(in *Instruction) uint64 { return in.Stalls[s] }
	rows := a.byLine(func(in *Instruction) bool { return ratioOf(of(in), a.Time.WarpCycles) > stalledAtLine }, of)
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
			lines = append(lines, a.LineOf(in.Place))
			if in.WaitsFor != nil && (s == sm.LongScoreboard || s == sm.ShortScoreboard) {
				sources = append(sources, a.LineOf(*in.WaitsFor))
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
	if s != sm.AtBarrier { // other warps may wait at a barrier for these
		part += a.in(sm.AtBarrier)
	}
	if fewer := a.fewer(s); fewer > 0 {
		share := fewer + a.in(sm.AtBarrier)
		if s == sm.Drain || s == sm.LGThrottle {
			share = max(share, a.beyondOthers(share))
		}
		a.gain(one, share, false)
		return
	}
	if s == sm.LongScoreboard || s == sm.Wait || s == sm.AtBarrier {
		a.hide(one, part)
		return
	}
	a.gain(one, part, true)
}

// fewer returns, for a state with fewer instructions as its remedy, the share of warp cycles that those instructions
// take, including their stalls in other states. It is 0 for other states.
func (a *adviser) fewer(s sm.State) float64 {
	var beside []sm.State // states of other instructions that become shorter, too
	switch s {
	case sm.MathPipeThrottle:
	case sm.MIOThrottle:
		beside = []sm.State{sm.ShortScoreboard}
	case sm.LGThrottle:
		beside = []sm.State{sm.LongScoreboard, sm.Drain, sm.Membar}
	case sm.BranchResolving:
		return a.in(sm.BranchResolving) + ratioOf(a.loopControl(), a.Time.WarpCycles)
	case sm.Drain: // fewer stores at the end also shorten the waits of earlier ones
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

// beyondOthers returns the share of the launch's time that remains if a warp takes, in each wave, as long as warps take
// on average without a share of their cycles. While stores are throttled, a few warps can be the last to leave: then
// their time is a larger share of the launch's than of the cycles of all warps.
func (a *adviser) beyondOthers(share float64) float64 {
	warps, _ := a.Warps.Float64()
	life := (1 - share) * float64(a.Time.WarpCycles) / warps
	return 1 - life*float64(max(1, a.Time.Waves.Count))/float64(a.Time.Cycles)
}

// loopControl returns the warp cycles of branches: at the branches, at the instructions that compute their
// conditions, and one issue cycle for each one's counter.
func (a *adviser) loopControl() (cycles uint64) {
	for _, in := range a.executed(nil, nil) {
		if a.control[site{in.Symbol(), in.PC}] {
			cycles += in.Stalls[sm.Wait] + in.Stalls[sm.Selected]
		}
		if in.Counts.Branches > 0 {
			cycles += in.Stalls[sm.Selected]
		}
	}
	return cycles
}

// linesText returns lines for a sentence, without duplicates.
func (a *adviser) linesText(lines []string) string {
	sorted.By(lines, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	lines = slices.Compact(lines)
	if len(lines) == 1 {
		return "line " + lines[0]
	}
	return "lines " + list(lines)
}

// unit is the issue slots, a pipe or a level of memory: its utilisation, and a change that reduces it.
type unit struct {
	name   string
	share  float64
	change string
	kind   unitKind
	slots  float64 // for a pipe: the share of the issue slots that its instructions take
}

// units returns the issue slots, pipes and levels of memory, the busiest first.
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
	sorted.Stable(units, func(a, b unit) int { return cmp.Compare(b.share, a.share) })
	return units
}

// unitKind is the kind of a unit.
type unitKind uint8

const (
	issueSlots unitKind = iota
	arithmetic
	loadStore
	memoryLevel
)

// without returns the least utilisation of a unit if top were idle. A change that relieves a level of memory, or the
// pipe to memory, may relieve all of these, and instructions that a pipe does not receive take no issue slots.
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

// busiest advises on the unit that limits the launch, if its utilisation is high enough. The next busiest unit that
// the change does not relieve bounds the gain.
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
		one.What += fmt.Sprintf("; the next busiest is %s, %s", next.name, percentOf(next.share))
	}
	// The last SMs to finish may use it for more of the time than SMs do on average.
	a.gain(one, min(1, share(top.share, a.Time.SMsBusy()))-next.share, false)
}

// levelNames are the names of levels of memory for users.
var levelNames = map[string]string{"l1": "L1/shared pipe", "sm_to_l2": "SM to L2", "l2_to_sm": "L2 to SM", "l2": "L2", "dram_read": "DRAM read", "dram_write": "DRAM write", "dram": "DRAM"}
