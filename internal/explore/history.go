package explore

// place is a word of 4 bytes of a region of memory.
type place struct {
	region int32
	word   uint64
}

// access is the access of a transition to a word.
type access struct {
	at    place
	mask  uint8 // the bytes
	write bool  // it changes the bytes, or commutes with its like
	class class
}

// conflicts reports whether the order of two accesses matters.
func (a *access) conflicts(mask uint8, write bool, c class) bool {
	return a.mask&mask != 0 && (a.write || write) && (a.class == 0 || a.class != c)
}

// independent reports whether no two accesses conflict.
func independent(a, b []access) bool {
	for i := range a {
		for k := range b {
			if a[i].at == b[k].at && a[i].conflicts(b[k].mask, b[k].write, b[k].class) {
				return false
			}
		}
	}
	return true
}

// word is the history of a word.
type word struct {
	done    []done
	changed int     // the latest transition that changed it; -1 for none
	waiting []int32 // threads that poll it
}

// done is an access of a transition, by its index.
type done struct {
	step int
	access
}

// history has the accesses of an execution on which later ones may depend.
type history map[place]*word

func (h history) word(at place) *word {
	w := h[at]
	if w == nil {
		w = &word{changed: -1}
		h[at] = w
	}
	return w
}

// add adds an access of step. Accesses that every later conflicting access is ordered after anyway are dropped: those
// before a write that is of no class, and reads of the thread before another one that is final, which are those before
// step final.
func (w *word) add(step int, a *access, thread int32, steps []step, final int) {
	keep := w.done[:0]
	switch {
	case a.write && a.class == 0:
		for _, d := range w.done {
			if d.mask&^a.mask != 0 {
				keep = append(keep, d)
			}
		}
	case !a.write:
		last := -1
		for i := range w.done {
			if d := &w.done[i]; steps[d.step].thread == thread && !d.write && d.mask == a.mask && d.step < final {
				last = i
			}
		}
		for i, d := range w.done {
			if i >= last || steps[d.step].thread != thread || d.write || d.mask != a.mask {
				keep = append(keep, d)
			}
		}
	default:
		keep = w.done
	}
	w.done = append(keep, done{step, *a})
}
