package check

// ByLane makes r check each access lane by lane, as it is defined.
func (r *Races) ByLane() { r.byLane, r.direct = true, true }
