package check

// ByLane makes r check each access lane by lane, as it is defined.
func (r *Races) ByLane() { r.byLane, r.direct = true, true }

// LogAll makes r log the reads of all instructions, not only of loops, while it may.
func (r *Races) LogAll() {
	for _, s := range r.byIndex {
		s.repeated = true
	}
}
