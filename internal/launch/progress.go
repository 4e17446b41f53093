package launch

import (
	"slices"

	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/interp"
)

// Progress describes how far a run is: its current launch, and the CTAs that are done.
type Progress struct {
	Kernel      string // of the launch under way; "" before the first
	Launch      int    // number of the launch, from 1
	Beside      int    // how many of the following launches run concurrently with it
	Launches    int    // of the plan
	Done, Total int64  // CTAs of those launches
	// Cycles and Instructions are the cycles simulated and the warp instructions executed so far; 0 without
	// a clock.
	Cycles, Instructions int64
}

// underway is the launch that is being executed.
type underway struct {
	machines []*interp.Machine // of this launch and the concurrent ones, each once
	launch   int               // index in Plan.Launches
	beside   int               // number of following launches that run concurrently with it
	timed    *sm.Progress      // nil without a clock
}

// newUnderway returns the state for concurrent launches; first is the index of the first.
func newUnderway(first int, launches []sm.Launch, clock *sm.Options) *underway {
	u := &underway{launch: first, beside: len(launches) - 1}
	if clock != nil {
		u.timed = new(sm.Progress)
		clock.Progress = u.timed
	}
	for i := range launches {
		if m := launches[i].Machine; !slices.Contains(u.machines, m) {
			u.machines = append(u.machines, m)
		}
	}
	return u
}

// Progress returns how far Run has come. Any goroutine may call it.
func (p *Plan) Progress() Progress {
	u := p.underway.Load()
	if u == nil {
		return Progress{Launches: len(p.Launches)}
	}
	at := Progress{Kernel: p.Launches[u.launch].Kernel, Launch: u.launch + 1, Beside: u.beside, Launches: len(p.Launches)}
	for _, m := range u.machines {
		done, total := m.Progress()
		at.Done += done
		at.Total += total
	}
	if u.timed != nil {
		at.Cycles, at.Instructions = u.timed.Cycles(), u.timed.Instructions()
	}
	return at
}
