package explore

import "slices"

// request asks for an execution that continues at a node, that before transition depth, with one of several threads.
type request struct {
	depth   int
	threads []int32 // one of them is enough; the first is preferred
	all     bool    // each is needed
}

// analyse finds the clock of the latest transition, k, once its accesses are known, and the races in which it is the
// second transition.
func (r *run) analyse(k int) {
	st, t := &r.steps[k], &r.threads[r.running]
	deps := r.dependencies(st)
	if k >= len(r.prefix)-1 {
		r.sleep = slices.DeleteFunc(r.sleep, func(s sleeper) bool { return s.thread == st.thread || !independent(s.accesses, st.accesses) })
		for _, d := range deps {
			if !r.precedes(d, t.clock) && !r.intermediate(d, deps) {
				r.ask(d, k, deps)
			}
			r.mirror(d, k)
		}
	}
	for _, d := range deps {
		t.clock.join(r.steps[d].clock)
	}
	st.clock = append(clock(nil), t.clock...)
}

// dependencies returns the earlier transitions with conflicting accesses.
func (r *run) dependencies(st *step) (deps []int) {
	for i := range st.accesses {
		a := &st.accesses[i]
		for k := range r.words.word(a.at).done {
			d := &r.words[a.at].done[k]
			if !r.steps[d.step].erased && d.conflicts(a.mask, a.write, a.class) {
				deps = append(deps, d.step)
			}
		}
	}
	slices.Sort(deps)
	return slices.Compact(deps)
}

// precedes reports whether transition d is among those that a clock counts.
func (r *run) precedes(d int, c clock) bool { return c[r.steps[d].thread] >= r.steps[d].index }

// intermediate reports whether d happens before another one of the dependencies, so that the race with d is not
// immediate.
func (r *run) intermediate(d int, deps []int) bool {
	for _, o := range deps {
		if o > d && r.precedes(d, r.steps[o].clock) {
			return true
		}
	}
	return false
}

// ask requests an execution in which transition k comes before d, with which it races. The execution starts with a
// thread that has a transition after d which does not happen after d, nor after any other such transition.
func (r *run) ask(d, k int, deps []int) {
	at, p := &r.steps[d], r.running
	own := append(clock(nil), r.threads[p].clock...)
	for _, o := range deps {
		if o != d && !r.precedes(d, r.steps[o].clock) {
			own.join(r.steps[o].clock)
		}
	}
	type first struct {
		thread int32
		index  uint32
	}
	var firsts []first
	var initials []int32
	visit := func(l int, c clock) {
		u := r.steps[l].thread
		initial := true
		for _, f := range firsts {
			if f.thread == u {
				return
			}
			initial = initial && c[f.thread] < f.index
		}
		firsts = append(firsts, first{u, r.steps[l].index})
		if initial {
			initials = append(initials, u)
		}
	}
	for l := d + 1; l < k; l++ {
		if st := &r.steps[l]; !st.erased && !r.precedes(d, st.clock) {
			visit(l, st.clock)
		}
	}
	visit(k, own)
	q := request{depth: d}
	for _, u := range slices.Backward(initials) {
		if at.enabled.has(u) {
			q.threads = append(q.threads, u)
		}
	}
	switch {
	case at.polling.has(p): // it would poll in vain, as it did before
		if len(q.threads) == 0 {
			return
		}
	case slices.Contains(initials, p) && !at.enabled.has(p): // something else than transitions has enabled it
		q.threads = nil
	}
	if len(q.threads) == 0 {
		q.threads, q.all = at.enabled.list(), true
	}
	r.requests = append(r.requests, q)
}
