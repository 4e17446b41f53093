package interp

import "github.com/simtrun/simtrun/internal/lanes"

// endWarp counts down the CTA's warps with live lanes.
func (e *Engine) endWarp() {
	if e.cta.Live--; e.cta.Live == 0 {
		e.endsLifetime()
	}
}

// exit ends the lanes of m at pc.
func (e *Engine) exit(pc int, m lanes.Mask) (Stop, error) {
	w := e.warp
	if e.cta.tensor != nil {
		if err := e.leaksTensor(pc, m); err != nil {
			return Ended, err
		}
	}
	if len(e.cta.warpgroups) > 0 && m == w.Live {
		if err := e.leaveGroup(pc, m); err != nil {
			return Ended, err
		}
	}
	if len(e.observers.exit) > 0 {
		e.notifyExited(pc, m)
	}
	w.Control.Exit(e.split.ID, m, pc+1)
	if w.Live = w.Control.Live(); w.Live == 0 {
		e.endWarp()
		if e.cta.pool != nil {
			e.setOwned(w.ID, 0)
			e.servePool()
		}
	}
	if err := e.stopWaiting(); err != nil {
		return Ended, err
	}
	if e.cta.Cluster.counted {
		e.leaveCluster(m)
	}
	return Ended, nil
}
