package explore

import (
	"slices"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/splitmix"
	"github.com/simtrun/simtrun/interp"
)

// Threads are twins if they are at one place with the same state, and no instruction that they can still execute
// depends on which thread executes it. Whatever one of them can do from there, the other can do with the same effect on
// memory. So at each node only one of them is explored. The executions of the others mirror its executions, with the
// twins exchanged, and so do the races in these: see run.mirror.

// alike has the facts that decide where in a function threads can be twins.
type alike struct {
	anyone []bool        // by PC: whether no later instruction depends on the thread
	live   [][]isa.RegID // by PC: registers that are live there
}

// alikeOf finds these facts for a kernel.
func alikeOf(f *isa.Func, g *flow.Graph) *alike {
	blocks := g.Blocks()
	a := &alike{anyone: make([]bool, len(f.Code)+1), live: make([][]isa.RegID, len(f.Code)+1)}
	in := make([]map[isa.RegID]bool, len(blocks))
	depends := make([]bool, len(blocks))
	visit := func(b int) (changed bool) {
		live := make(map[isa.RegID]bool)
		depend := false
		for _, s := range blocks[b].Succ {
			depend = depend || depends[s]
			for r := range in[s] {
				live[r] = true
			}
		}
		for pc := blocks[b].End - 1; pc >= blocks[b].Start; pc-- {
			if pc < len(f.Code) {
				depend = depend || identifies(&f.Code[pc])
				flowBack(&f.Code[pc], live)
			}
			a.anyone[pc] = !depend
			a.live[pc] = sortedRegs(live)
		}
		changed = depend != depends[b] || len(live) != len(in[b])
		in[b], depends[b] = live, depend
		return changed
	}
	for again := true; again; {
		again = false
		for b := len(blocks) - 1; b >= 0; b-- {
			again = visit(b) || again
		}
	}
	return a
}

// flowBack turns the registers that are live after an instruction into those that are live before it.
func flowBack(in *isa.Instr, live map[isa.RegID]bool) {
	for ref := range in.Refs {
		if ref.Role.Writes() && ref.Sure {
			delete(live, ref.Reg)
		}
	}
	for ref := range in.Refs {
		if !ref.Role.Writes() {
			live[ref.Reg] = true
		}
	}
}

func sortedRegs(set map[isa.RegID]bool) []isa.RegID {
	var all []isa.RegID
	for r := range set {
		all = append(all, r)
	}
	slices.Sort(all)
	return all
}

// identifies reports whether the effect of an instruction may depend on the thread that executes it, other than by its
// registers.
func identifies(in *isa.Instr) bool {
	if in.Spec == nil || in.Call != nil {
		return true
	}
	for s := range in.Specials {
		switch s {
		case isa.NtidX, isa.NtidX + 1, isa.NtidX + 2, isa.NctaidX, isa.NctaidX + 1, isa.NctaidX + 2:
		default:
			return true
		}
	}
	switch in.Spec.Kind {
	case isa.Compute, isa.Nop, isa.Branch, isa.Exit, isa.Return, isa.Fence:
		return false
	case isa.Load:
		s := in.Mods.MemSpace()
		return s != isa.Global && s != isa.Const && s != isa.Param
	case isa.Store, isa.Atomic:
		return in.Mods.MemSpace() != isa.Global
	}
	return true
}

// kind returns a hash that twins, and only they, have in common; 0 for a thread without twins.
func (r *run) kind(t *thread) uint64 {
	if t.stops {
		return 0
	}
	if t.kindAt == t.count+1 {
		return t.kind
	}
	var s divergence.Split
	if !r.next(t, &s) {
		return 0
	}
	t.kind, t.kindAt = 0, t.count+1
	if s.Frame != divergence.Root {
		return 0
	}
	w := r.warps[t.warp]
	a := r.alikeOf(w)
	if s.PC < len(a.anyone) && a.anyone[s.PC] {
		t.kind = hash(splitmix.Mix(uint64(s.PC)), w.AppendLane(nil, s.Frame, a.live[s.PC], t.lane)) | 1
	}
	return t.kind
}

func (r *run) alikeOf(w interp.Warp) *alike {
	c := r.codeOf(w, divergence.Root)
	if c.alike == nil {
		c.alike = alikeOf(w.Func(divergence.Root), w.Frame(divergence.Root).Graph)
	}
	return c.alike
}

// kinds returns the kinds of the threads that can run, by thread; nil if no two of them are twins.
func (r *run) kinds(can bits) []uint64 {
	var all []uint64
	seen, twins := make(map[uint64]bool), false
	for i := range r.threads {
		if !can.has(int32(i)) {
			continue
		}
		if k := r.kind(&r.threads[i]); k != 0 {
			if all == nil {
				all = make([]uint64, len(r.threads))
			}
			all[i], twins, seen[k] = k, twins || seen[k], true
		}
	}
	if !twins {
		return nil
	}
	return all
}

// twins reports whether two threads are twins before a transition.
func (st *step) twins(a, b int32) bool {
	return st.kinds != nil && st.kinds[a] != 0 && st.kinds[a] == st.kinds[b]
}

// mirror requests, for the dependency of transition k on d, the executions that executions which mirror this one would
// request. An execution mirrors this one if, at a node after d, it chose a twin of the thread that was chosen here.
func (r *run) mirror(d, k int) {
	at := map[int32]int{r.running: k} // the transition from which on a thread could have taken part
	for j := k; j > d; j-- {
		st := &r.steps[j]
		if st.kinds == nil {
			continue
		}
		some := false
		for t := range at {
			some = some || t == st.thread || st.twins(t, st.thread)
		}
		for i := range r.threads {
			if t := int32(i); some && (t == st.thread || st.twins(t, st.thread)) {
				at[t] = j
			}
		}
	}
	for i := range r.threads {
		t := int32(i)
		j, ok := at[t]
		if !ok || t == r.running || t == r.steps[d].thread || r.known(d, t, j) || r.steps[d].polling.has(t) {
			continue
		}
		q := request{depth: d}
		if r.steps[d].enabled.has(t) {
			q.threads = []int32{t}
		} else {
			q.threads, q.all = r.steps[d].enabled.list(), true
		}
		r.requests = append(r.requests, q)
	}
}

// known reports whether transition d happens before the latest one of a thread before transition j.
func (r *run) known(d int, t int32, j int) bool {
	for _, k := range slices.Backward(r.threads[t].steps) {
		if k < j && !r.steps[k].erased {
			return r.precedes(d, r.steps[k].clock)
		}
	}
	return false
}
