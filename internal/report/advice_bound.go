package report

import (
	"slices"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/profile"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/internal/sm/cache"
)

// Bounds of gains. A launch ends when its last SM ends: shorter waits gain what they take on that SM, or on average if
// other SMs can take its blocks. So figures of an SM count, and not only means over SMs, many of which are idle in a
// small launch.

// last returns the SM that finishes last.
func (a *adviser) last() *SM {
	last := &a.Time.SMs[0]
	for i := range a.Time.SMs {
		if m := &a.Time.SMs[i]; m.LastCycle > last.LastCycle {
			last = m
		}
	}
	return last
}

// in returns the share of the warp cycles that warps spend in some states, on all SMs or on the one that finishes last,
// whichever is larger; 0 without a clock.
func (a *adviser) in(states ...sm.State) float64 {
	if a.Time == nil {
		return 0
	}
	last, all, there := a.last(), uint64(0), uint64(0)
	for _, s := range states {
		all += a.Time.Stalls[s]
		there += last.Stalls[s]
	}
	return max(ratioOf(all, a.Time.WarpCycles), ratioOf(there, uint64(last.WarpCycles)))
}

// idleSlots returns the share of the time in which schedulers do not issue, on all SMs or on the one that finishes
// last, whichever is larger.
func (a *adviser) idleSlots() float64 {
	last := a.last()
	slots := uint64(last.ActiveCycles) * uint64(a.Time.Schedulers)
	return 1 - min(a.Time.SlotsUsed(), ratioOf(last.Issued, slots))
}

// busy returns the utilisation of the busiest of some memory levels, 0 to 1, of those of an SM on the busiest SM; 0
// without a clock.
func (a *adviser) busy(levels ...string) (most float64) {
	if a.Time == nil {
		return 0
	}
	pipe, pipes := a.busiestPipe()
	for i := range a.Time.Levels {
		l := &a.Time.Levels[i]
		if !slices.Contains(levels, l.Name) {
			continue
		}
		of := l.OfPeak
		if ofSM[l.Name] {
			of *= share(pipe*float64(len(a.Time.SMs)), pipes)
		}
		most = max(most, min(of, 1))
	}
	return most
}

// ofSM has the levels of memory that each SM has its own of.
var ofSM = map[string]bool{"l1": true, "sm_to_l2": true, "l2_to_sm": true}

// busiestPipe returns the cycles in which the busiest SM's pipe of L1 and shared memory is busy, and the sum over SMs.
func (a *adviser) busiestPipe() (most, all float64) {
	for i := range a.Time.SMs {
		cycles := float64(a.Time.SMs[i].MemoryPipe)
		most, all = max(most, cycles), all+cycles
	}
	return most, all
}

// latencyPerWavefront is by how many cycles a wavefront delays the result of its request. It keeps the pipe busy for
// half of that ("shared_per_wavefront" of the presets).
const latencyPerWavefront = 2

// wavefronts adds advice that avoids the excess wavefronts of an instruction. A wavefront delays its own warp by
// latencyPerWavefront, and other warps by its cycle of the pipe. The last warp to be served waits longer than warps do
// on average: for all others, so by at most the pipe's time, and for one more request.
func (a *adviser) wavefronts(one Advice, in *Instruction, t *profile.Traffic) {
	part := t.Wavefronts - t.IdealWavefronts
	shared := sumOf(&a.Counts, func(u *profile.Traffic) uint64 { return u.Wavefronts })
	if a.Time == nil || part == 0 {
		a.count(one, part, shared, "wavefront", 0)
		return
	}
	most, all := a.busiestPipe()
	excess := all * ratioOf(part, shared+sumOf(&a.Counts, func(u *profile.Traffic) uint64 { return u.L1Wavefronts }))
	if in.Counts.Runs < uint64(a.Blocks) {
		excess = min(excess, most) // they may all be of one SM
	} else {
		excess *= share(most, all)
	}
	cycles, request := float64(a.Time.Cycles), ratioOf(part, t.Requests)
	waits := a.in(sm.ShortScoreboard, sm.MIOThrottle, sm.LGThrottle, sm.Drain, sm.AtBarrier)
	a.gain(one, min(latencyPerWavefront*excess, max(waits*cycles, excess)+latencyPerWavefront*request)/cycles, true)
}

// sectors adds advice that avoids excess sectors, or the lines that they are on if these are a larger share. The last
// warp to be served waits for one more request than warps do on average.
func (a *adviser) sectors(one Advice, t *profile.Traffic) {
	part, whole := t.Sectors-t.IdealSectors, sumOf(&a.Counts, func(u *profile.Traffic) uint64 { return u.Sectors })
	if a.Time == nil || part == 0 {
		a.count(one, part, whole, "sector", 0)
		return
	}
	least := t.IdealSectors / (cache.LineBytes / cache.SectorBytes)
	lines := ratioOf(t.Lines-min(t.Lines, least), sumOf(&a.Counts, func(u *profile.Traffic) uint64 { return u.Lines }))
	last := latencyPerWavefront * ratioOf(part, t.Requests) / float64(a.Time.Cycles)
	spent := a.onGlobal()
	if t.Kind != isa.Load { // nothing waits for stores but the end of the warp
		spent = max(spent, a.beyondOthers(spent))
	}
	a.gain(one, min(max(ratioOf(part, whole), lines), spent+last), true)
}
