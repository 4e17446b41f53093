package profile

import (
	"cmp"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/sorted"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

// Accessed implements interp.AccessObserver. If the lanes of one instruction access two spaces, each gets a request;
// accesses to different regions of one space are one request, and their sectors add up. The shared memory of other
// CTAs is a separate space. Parameters are not counted, because hardware reads them as constant operands, and neither
// are the reads of shared memory by tensor cores.
func (c *Collector) Accessed(at *interp.Place, a *interp.Access) {
	acc, m, space, size := a.Access, a.Lanes, isa.Space(a.Space), int(a.Size)
	if space == isa.Param || a.Background {
		return
	}
	if _, other := a.Peer(); other {
		space = isa.SharedCluster
	}
	f := &c.funcs[at.Func]
	t := f.counts[a.PC].traffic(a.Kind, space)
	if c.requested>>space&1 == 0 {
		t.Requests++
		c.requested |= 1 << space
	}
	if !a.More {
		c.requested = 0
	}
	t.Lanes += uint64(m.Count())
	switch space {
	case isa.Global:
		sectors, lines := memory.Sectors(acc, m, size)
		ideal := memory.IdealSectors(m.Count(), size)
		t.addSectors(sectors, lines, ideal)
		c.buffers.add(acc.Region, sectors, ideal)
		t.L1Wavefronts += uint64(memory.Banks(acc, m, size).Wavefronts)
	case isa.Local:
		sectors, lines := memory.LocalSectors(acc, m, size)
		t.addSectors(sectors, lines, memory.IdealSectors(m.Count(), size))
		t.L1Wavefronts += uint64(lines)
	case isa.Shared, isa.SharedCluster:
		use := memory.Banks(acc, m, size)
		if t.Kind == isa.Load {
			use = memory.LoadBanks(acc, m, size)
		}
		if space == isa.Shared && len(c.arrays) > 0 {
			c.addToArray(acc.At(m.First()), use)
		}
		t.Wavefronts += uint64(use.Wavefronts)
		t.IdealWavefronts += uint64(use.Ideal)
		t.WorstConflict = max(t.WorstConflict, uint64(use.Degree))
	case isa.Const:
		t.Words += uint64(memory.DistinctWords(acc, m))
	}
	if t.Kind == isa.Atomic {
		most := uint64(memory.Contention(acc, m, size))
		t.Contention += most
		t.WorstContention = max(t.WorstContention, most)
	}
}

// traffic returns the counters of requests of that kind to that space.
func (c *Counts) traffic(kind isa.Kind, space isa.Space) *Traffic {
	for i := range c.Traffic {
		if c.Traffic[i].Space == space { // an instruction has one kind per space
			return &c.Traffic[i]
		}
	}
	c.Traffic = append(c.Traffic, Traffic{Kind: kind, Space: space})
	return &c.Traffic[len(c.Traffic)-1]
}

// addSectors adds the sectors of a request. Lanes that access the same bytes may need fewer sectors than contiguous
// lanes.
func (t *Traffic) addSectors(sectors, lines, sideBySide int) {
	t.Sectors += uint64(sectors)
	t.Lines += uint64(lines)
	t.IdealSectors += uint64(min(sectors, sideBySide))
}

// Profile returns the counts of a launch that has ended, even with an error.
func (c *Collector) Profile() *Profile {
	c.chargeAll()
	p := &Profile{Arrays: c.accessed(), Buffers: c.buffers.accessed()}
	p.Total.LostBlock = c.lost[noSite]
	for i := range c.funcs {
		f, end := c.funcs[i].summed(c.lost)
		p.Funcs = append(p.Funcs, f)
		p.Total.Add(&end)
		for pc := range p.Funcs[i].Instrs {
			p.Total.Add(&p.Funcs[i].Instrs[pc])
		}
	}
	return p
}

// chargeAll attributes the lost slots of the instructions that warps have executed since they were last charged.
func (c *Collector) chargeAll() {
	for _, cta := range c.warps {
		for i := range cta {
			cta[i].charge(c.lost)
		}
	}
}

// summed returns the complete counts of a function by PC, and those of the end of its code, for lanes that run into
// it. The end counts as an instruction.
func (f *funcCounts) summed(lost []uint64) (out Func, end Counts) {
	out = Func{Func: f.fn, Instrs: make([]Counts, len(f.counts))}
	var runs, active uint64
	for pc := range out.Instrs {
		runs += f.runs[pc]
		active += f.lanes[pc]
		n := &out.Instrs[pc]
		n.Add(&f.counts[pc])
		// they are in order of occurrence
		sorted.By(n.Traffic, func(s, t Traffic) int { return cmp.Compare(s.Space, t.Space) })
		n.Runs, n.Lanes = runs, active
		if exits(f.fn, pc) {
			n.LostExited = lost[f.site(pc)]
		} else {
			n.LostDiverged = lost[f.site(pc)]
		}
		if f.fn.Code[pc].Spec.Kind == isa.Branch {
			n.Branches = runs
		}
	}
	n := len(f.counts)
	end.Runs, end.Lanes, end.LostExited = runs+f.runs[n], active+f.lanes[n], lost[f.site(n)]
	return out, end
}
