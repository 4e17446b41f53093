package interp

// TogetherObserver is a LateObserver that may be notified at once of a barrier at which all warps of a CTA arrive one
// after the other, if no other observer is notified of barriers. It is then notified later than of accesses that warps
// have made while others waited.
type TogetherObserver interface {
	LateObserver
	// ArrivedTogether is called once in place of Arrived for each warp, and of Released, if all live lanes of the warps
	// have arrived. If it returns false, it has done nothing, and Arrived and Released are called.
	ArrivedTogether(at *Place, id, warps int) bool
}

// findTogether sets os.together.
func (os *Observers) findTogether() {
	os.together = nil
	if len(os.arrival) != 1 || len(os.release) != 1 {
		return
	}
	for _, o := range os.arrival {
		os.together, _ = o.(TogetherObserver)
	}
}

// followArrival notifies observers of the arrival at a barrier, by the instruction at pc, at the end of a turn, and
// after the last turn of a round of the release of the barrier.
func (e *Engine) followArrival(f *following, turn, pc, id int) {
	if id != f.barrier {
		e.followArrivals(f, turn)
	}
	f.arrived, f.barrier = append(f.arrived, pc), id
	o := e.observers.together
	if o == nil {
		e.followArrivals(f, turn+1)
	}
	if f.turn != 0 {
		return
	}
	if n := len(f.arrived); n > 0 && o.ArrivedTogether(e.placeOf(e.cta), id, n) {
		f.arrived = f.arrived[:0]
		return
	}
	e.followArrivals(f, turn+1)
	e.notifyReleased(id)
}

// followArrivals notifies observers of arrivals that they have not been notified of, those before a turn.
func (e *Engine) followArrivals(f *following, turn int) {
	if len(f.arrived) == 0 {
		return
	}
	at := e.at
	for i, pc := range f.arrived {
		t := &e.native.turned[turn-len(f.arrived)+i]
		e.at.Warp, e.at.Split = t.Warp.ID, t.Split.Mask
		e.notifyArrived(pc, f.barrier, e.at.Split)
	}
	f.arrived = f.arrived[:0]
	e.at = at
}
