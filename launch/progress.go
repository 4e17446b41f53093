package launch

import "github.com/simtrun/simtrun/interp"

// Progress is how far a run has come.
type Progress struct {
	Kernel      string // of the launch under way; "" before the first
	Launch      int    // its number, from 1
	Beside      int    // how many of those behind it run side by side with it
	Launches    int    // of the plan
	Done, Total int64  // CTAs of those
}

// underway is the launch that runs.
type underway struct {
	machine *interp.Machine
	launch  int // index in Plan.Launches
	beside  int // launches behind it that run side by side with it
}

// Progress is how far Run has come. Any goroutine may ask.
func (p *Plan) Progress() Progress {
	u := p.underway.Load()
	if u == nil {
		return Progress{Launches: len(p.Launches)}
	}
	done, total := u.machine.Progress()
	return Progress{Kernel: p.Launches[u.launch].Kernel, Launch: u.launch + 1, Beside: u.beside, Launches: len(p.Launches), Done: done, Total: total}
}
