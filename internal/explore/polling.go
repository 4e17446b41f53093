package explore

import (
	"bytes"
	"slices"

	"github.com/simtrun/simtrun/internal/isa"
)

// patience is the number of arrivals of a thread at loop heads without a change of memory after which others run first:
// it may count its tries.
const patience = 64

// markKey is the head of a loop in an activation.
type markKey struct {
	serial uint64
	pc     int
}

// mark is the state of a thread at its latest arrival at the head of a loop.
type mark struct {
	state   []byte
	changes int
	first   int // the first transition, of any thread, that is not before the arrival
	clock   clock
}

// pollsInVain handles the arrival of the running thread at the head of a loop, where registers regs are live. It
// reports whether the thread waits from now on.
func (r *run) pollsInVain(regs []isa.RegID) bool {
	t := &r.threads[r.running]
	t.retreats++
	w := r.warps[t.warp]
	key := markKey{w.Frame(r.place.Frame).Serial, r.place.PC}
	m, state := t.marks[key], w.AppendLane(nil, r.place.Frame, regs, t.lane)
	if m != nil && m.changes == t.changes && bytes.Equal(m.state, state) {
		return r.erase(t, m)
	}
	if m == nil {
		m = &mark{}
		t.marks[key] = m
	}
	m.state, m.changes, m.clock, m.first = state, t.changes, append(m.clock[:0], t.clock...), len(r.steps)
	return false
}

// erase forgets the transitions of a thread since a mark, an iteration that has polled in vain. It reports whether the
// thread waits: no word that it has read was changed since.
func (r *run) erase(t *thread, m *mark) bool {
	var fresh []int
	waits := true
	for _, k := range slices.Backward(t.steps) {
		if k < m.first {
			break
		}
		if st := &r.steps[k]; !st.erased {
			st.erased = true
			fresh = append(fresh, k)
			for i := range st.accesses {
				waits = waits && r.words.word(st.accesses[i].at).changed <= k
			}
		}
	}
	copy(t.clock, m.clock)
	t.clock[r.running] = t.index
	if !waits {
		return false
	}
	for _, k := range fresh {
		r.vainFrom = k
		for i := range r.steps[k].accesses {
			w := r.words.word(r.steps[k].accesses[i].at)
			w.waiting = append(w.waiting, r.running)
		}
	}
	t.polls = true
	return true
}

// vain reports whether the execution has, since its branch, only executed an iteration that has polled in vain, and
// instructions of the thread before it that access no shared memory.
func (r *run) vain() bool {
	branch := len(r.prefix) - 1
	if r.random != nil || branch < 0 || len(r.steps) <= branch || r.vainFrom < branch || !r.threads[r.running].polls {
		return false
	}
	for k := branch; k < len(r.steps); k++ {
		if st := &r.steps[k]; st.thread != r.running || k < r.vainFrom && len(st.accesses) > 0 {
			return false
		}
	}
	return true
}

// final returns the first transition of a thread that may still be erased.
func (r *run) final(t int32) int {
	first := len(r.steps)
	for _, m := range r.threads[t].marks {
		if m.changes == r.threads[t].changes {
			first = min(first, m.first)
		}
	}
	return first
}
