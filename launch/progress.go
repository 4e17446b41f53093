package launch

import "github.com/simtrun/simtrun/interp"

// Progress is how far a run has come.
type Progress struct {
	Kernel      string // of the launch under way; "" before the first
	Launch      int    // its number, from 1
	Launches    int    // of the plan
	Done, Total int64  // CTAs of that launch
}

// underway is the launch that runs.
type underway struct {
	machine *interp.Machine
	launch  int // index in Plan.Launches
}

// Progress is how far Run has come. Any goroutine may ask.
func (p *Plan) Progress() Progress {
	u := p.underway.Load()
	if u == nil {
		return Progress{Launches: len(p.Launches)}
	}
	done, total := u.machine.Progress()
	return Progress{Kernel: p.Launches[u.launch].Kernel, Launch: u.launch + 1, Launches: len(p.Launches), Done: done, Total: total}
}
