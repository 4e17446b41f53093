package view

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/internal/sorted"
)

const (
	mostStays  = 4096 // residences of blocks that an answer lists
	mostBins   = 1024 // of an answer
	mostCycles = 1024 // of a strip of schedulers
)

var errNoClock = errors.New("the launches have no clock: this view is for timed ones")

// gpu returns where and when the blocks of a launch resided, and in which states warps were.
func (s *Session) gpu(ctx context.Context, r *GPUOf) (*GPU, error) {
	switch {
	case s.program.Clock == nil:
		return nil, errNoClock
	case r.Bins < 1 || r.Bins > mostBins:
		return nil, fmt.Errorf("%d bins: an answer has 1 to %d", r.Bins, mostBins)
	}
	m, err := s.measure(ctx)
	if err != nil {
		return nil, err
	}
	l, err := m.launch(r.Launch)
	if err != nil {
		return nil, err
	}
	t := l.Time
	out := &GPU{Cycles: t.Cycles, SMs: []SMStays{}, Idle: len(t.SMs), Waves: t.Waves, Bin: max(1, (t.Cycles+int64(r.Bins)-1)/int64(r.Bins)), States: []StateBins{}, Cut: m.activity.cut()}
	listed := 0
	for id := range m.activity.sms {
		one := SMStays{SM: id, Stays: []Stay{}}
		var ends []int64 // of the latest stay, by row
		for _, at := range m.activity.sms[id].stays {
			if at.launch != r.Launch {
				continue
			}
			row := slices.IndexFunc(ends, func(end int64) bool { return end <= at.start })
			if row < 0 {
				row, ends = len(ends), append(ends, 0)
			}
			ends[row] = at.end
			one.Rows = len(ends)
			if listed++; listed > mostStays {
				out.More++
				continue
			}
			one.Stays = append(one.Stays, Stay{at.block, at.start - t.Start, at.end - t.Start, row})
		}
		if one.Rows > 0 {
			out.SMs = append(out.SMs, one)
			out.Idle--
		}
	}
	out.bins(m.activity, r.Launch, t.Start)
	return out, nil
}

// bins adds the cycles of warps by state and time.
func (g *GPU) bins(a *activity, launch int, start int64) {
	var all [sm.NumStates]*StateBins
	n := int((g.Cycles + g.Bin - 1) / g.Bin)
	for id := range a.sms {
		for i := range a.sms[id].spells {
			p := &a.sms[id].spells[i]
			if int(p.launch) != launch {
				continue
			}
			p.phases(func(state sm.State, first, end int64) {
				if all[state] == nil {
					all[state] = &StateBins{State: state.String(), Doc: state.Doc(), Bins: make([]int64, n)}
				}
				one := all[state]
				one.Cycles += end - first
				for at := max(first-start, 0); at < end-start && at < g.Cycles; {
					next := min(end-start, (at/g.Bin+1)*g.Bin, g.Cycles)
					one.Bins[at/g.Bin] += next - at
					at = next
				}
			})
		}
	}
	for _, one := range all {
		if one != nil {
			g.States = append(g.States, *one)
		}
	}
	sorted.Stable(g.States, func(a, b StateBins) int { return cmp.Compare(b.Cycles, a.Cycles) })
}

// letters of states in strips, by state.
const stateLetters = "Snwslmpgtbfrid.cz?"

// stateNames returns the meanings of the letters in strips.
func stateNames() []StateName {
	var all []StateName
	for state := sm.State(0); state < sm.NumStates; state++ {
		all = append(all, StateName{stateLetters[state : state+1], state.String(), state.Doc()})
	}
	return all
}

// schedulers returns the activity of the schedulers of a warp's SM in some cycles.
func (s *Session) schedulers(ctx context.Context, r *SchedulersOf) (*Schedulers, error) {
	switch {
	case s.program.Clock == nil:
		return nil, errNoClock
	case r.Count < 1 || r.Count > mostCycles || r.From < 0:
		return nil, fmt.Errorf("%d cycles from %d: an answer has 1 to %d, from 0", r.Count, r.From, mostCycles)
	}
	if err := s.record.has(r.Launch, r.Warp); err != nil {
		return nil, err
	}
	m, err := s.measure(ctx)
	if err != nil {
		return nil, err
	}
	l, err := m.launch(r.Launch)
	if err != nil {
		return nil, err
	}
	id, _ := m.activity.smOf(r.Launch, r.Warp/s.record.launches[r.Launch].PerBlock)
	out := &Schedulers{SM: id, From: min(r.From, l.Time.Cycles), States: stateNames(), Schedulers: []Strip{}, Cut: m.activity.cut()}
	if id < 0 {
		return out, nil
	}
	out.Count = min(r.Count, l.Time.Cycles-out.From)
	strips := make([]*strip, l.Time.Schedulers)
	for i := range strips {
		strips[i] = newStrip(int(out.Count))
	}
	from := l.Time.Start + out.From
	on := &m.activity.sms[id]
	for i := range on.spells {
		if p := &on.spells[i]; int(p.launch) == r.Launch {
			strips[p.scheduler].add(p, from)
		}
	}
	for _, one := range strips {
		out.Schedulers = append(out.Schedulers, one.end())
	}
	return out, nil
}

// strip is the activity of a scheduler in some cycles.
type strip struct {
	issued []int64        // warps, -1 for none
	slots  map[int][]byte // letters of states by slot
	warps  map[int][]SlotWarp
}

func newStrip(cycles int) *strip {
	s := &strip{issued: make([]int64, cycles), slots: make(map[int][]byte), warps: make(map[int][]SlotWarp)}
	for i := range s.issued {
		s.issued[i] = -1
	}
	return s
}

// add adds a spell; from is the first cycle of the strip.
func (s *strip) add(p *spell, from int64) {
	p.phases(func(state sm.State, first, end int64) {
		first, end = max(first-from, 0), min(end-from, int64(len(s.issued)))
		if first >= end {
			return
		}
		slot := int(p.slot)
		if s.slots[slot] == nil {
			s.slots[slot] = slices.Repeat([]byte{' '}, len(s.issued))
		}
		for at := first; at < end; at++ {
			s.slots[slot][at] = stateLetters[state]
		}
		if state == sm.Selected {
			s.issued[first] = p.warp
		}
		if all := s.warps[slot]; len(all) == 0 || all[len(all)-1].Warp != p.warp {
			s.warps[slot] = append(all, SlotWarp{p.warp, first})
		}
	})
}

// end sums the slots up. In a cycle without an issue the state of most warps says why.
func (s *strip) end() Strip {
	out := Strip{Issued: s.issued, Eligible: make([]int, len(s.issued)), Slots: []Slot{}}
	why := make([]byte, len(s.issued))
	for at := range s.issued {
		var count [sm.NumStates]int
		for _, states := range s.slots {
			if i := strings.IndexByte(stateLetters, states[at]); i >= 0 {
				count[i]++
			}
		}
		out.Eligible[at] = count[sm.Selected] + count[sm.NotSelected]
		why[at] = ' '
		if most := slices.Max(count[:]); s.issued[at] >= 0 {
			why[at] = stateLetters[sm.Selected]
		} else if most > 0 {
			why[at] = stateLetters[slices.Index(count[:], most)]
		}
	}
	out.Why = string(why)
	for slot, states := range s.slots {
		out.Slots = append(out.Slots, Slot{slot, string(states), s.warps[slot]})
	}
	sorted.By(out.Slots, func(a, b Slot) int { return cmp.Compare(a.Slot, b.Slot) })
	return out
}
