package check_test

import (
	"bytes"
	"math/bits"
	"slices"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/interp"
)

// event is one action of a thread: an access, a fence, or one half of a barrier.
type event struct {
	thread int
	pc     int
	in     *isa.Instr
	kind   eventKind
	space  isa.Space
	cta    int64
	off    uint64
	size   uint64
	inst   int    // number of the warp instruction
	value  []byte // what a store writes
}

type eventKind uint8

const (
	access eventKind = iota
	fence
	arrive
	leave
)

// recorder is an observer that records events, in order, and the edges that barriers add. It has no clocks. In a warp
// it records only the lanes that the kernel lets access memory: the others only take part in barriers.
type recorder struct {
	fn      *isa.Func
	grid    isa.Dim
	warps   int
	events  []event
	edges   [][2]int
	waiting map[[2]int64][]int // events by CTA and barrier, of the threads that have arrived
	met     [][2]int           // edges of shfl.sync and similar instructions, which order execution but not memory
	inst    int
}

const threadsPerWarp = lanes.Width

func (r *recorder) threads(at *interp.Place, m lanes.Mask) (ids []int) {
	base := (int(r.grid.Number(at.CTA))*r.warps + at.Warp) * threadsPerWarp
	for m &= 1<<randomLanes - 1; m != 0; m &= m - 1 {
		ids = append(ids, base+bits.TrailingZeros32(uint32(m)))
	}
	return ids
}

func (r *recorder) add(e event) int {
	e.in = &r.fn.Code[e.pc]
	r.events = append(r.events, e)
	return len(r.events) - 1
}

func (r *recorder) Fenced(at *interp.Place, pc int, m lanes.Mask) {
	for _, t := range r.threads(at, m) {
		r.add(event{thread: t, pc: pc, kind: fence})
	}
}

func (r *recorder) Accessed(at *interp.Place, a *interp.Access) {
	r.inst++
	space, size := isa.Space(a.Space), int(a.Size)
	for _, t := range r.threads(at, a.Lanes) {
		cta := int64(-1)
		if space == isa.Shared {
			cta = r.grid.Number(at.CTA)
		}
		lane := t % threadsPerWarp
		e := event{thread: t, pc: a.PC, kind: access, space: space, cta: cta, off: a.At(lane), size: uint64(size), inst: r.inst}
		if r.fn.Code[a.PC].Spec.Kind == isa.Store {
			e.value = slices.Clone(a.Stored()[lane*size : (lane+1)*size])
		}
		r.add(e)
	}
}

func (r *recorder) Arrived(at *interp.Place, pc int, id int, m lanes.Mask) {
	key := [2]int64{r.grid.Number(at.CTA), int64(id)}
	for _, t := range r.threads(at, m) {
		r.waiting[key] = append(r.waiting[key], r.add(event{thread: t, pc: pc, kind: arrive}))
	}
}

func (r *recorder) Released(at *interp.Place, id int) {
	key := [2]int64{r.grid.Number(at.CTA), int64(id)}
	come := r.waiting[key]
	delete(r.waiting, key)
	for _, e := range come {
		if r.events[e].in.Mods[isa.BarOp] == isa.BarArrive {
			continue
		}
		left := r.add(event{thread: r.events[e].thread, pc: r.events[e].pc, kind: leave})
		for _, from := range come {
			r.edges = append(r.edges, [2]int{from, left})
		}
	}
}

func (r *recorder) Synced(at *interp.Place, m lanes.Mask) {
	r.edges = append(r.edges, r.meet(at, m)...)
}
func (r *recorder) Met(at *interp.Place, m lanes.Mask) { r.met = append(r.met, r.meet(at, m)...) }

// meet returns the edges between the lanes of m, which wait for each other.
func (r *recorder) meet(at *interp.Place, m lanes.Mask) (edges [][2]int) {
	var come []int
	for _, t := range r.threads(at, m) {
		come = append(come, r.add(event{thread: t, kind: arrive}))
	}
	for _, e := range come {
		left := r.add(event{thread: r.events[e].thread, kind: leave})
		for _, from := range come {
			edges = append(edges, [2]int{from, left})
		}
	}
	return edges
}

// oracle decides which accesses of a recorded run race, by the definitions of the PTX ISA, section 8, with relations
// over all pairs of events.
type oracle struct {
	*recorder
	perCTA int      // threads per CTA
	before [][]bool // base causality order
	after  [][]bool // the order of execution: before, and waits that do not order memory
	seen   [][]bool // observation order: a write, and a read that observes it
}

func newOracle(r *recorder) *oracle {
	o := &oracle{recorder: r, perCTA: r.warps * threadsPerWarp}
	n := len(r.events)
	o.before, o.seen = square(n), square(n)
	last := make(map[int]int)
	for i, e := range r.events {
		if prev, ok := last[e.thread]; ok {
			o.before[prev][i] = true
		}
		last[e.thread] = i
	}
	for _, e := range r.edges {
		o.before[e[0]][e[1]] = true
	}
	o.observe()
	o.synchronise()
	o.orderFences()
	o.after = square(n)
	for i := range o.after {
		copy(o.after[i], o.before[i])
	}
	for _, e := range r.met {
		o.after[e[0]][e[1]] = true
	}
	closure(o.before)
	closure(o.after)
	return o
}

func square(n int) [][]bool {
	s := make([][]bool, n)
	for i := range s {
		s[i] = make([]bool, n)
	}
	return s
}

// closure makes a relation transitive (Warshall).
func closure(r [][]bool) {
	for k := range r {
		for i := range r {
			if r[i][k] {
				for j := range r {
					r[i][j] = r[i][j] || r[k][j]
				}
			}
		}
	}
}

func (e *event) reads() bool  { return e.kind == access && e.in.Spec.Kind != isa.Store }
func (e *event) writes() bool { return e.kind == access && e.in.Spec.Kind != isa.Load }
func (e *event) strong() bool {
	return e.kind == access && (e.in.Spec.Kind == isa.Atomic || e.in.Mods[isa.Sem] > isa.SemWeak)
}

// scopeCTA reports whether an access or fence has only scope cta.
func (e *event) scopeCTA() bool {
	return e.in.Mods[isa.Scope] == isa.ScopeCTA || e.in.Mods[isa.Level] == isa.LevelCTA
}

// include reports whether the scopes of two events include each other's threads.
func (o *oracle) include(a, b *event) bool {
	return a.thread/o.perCTA == b.thread/o.perCTA || !a.scopeCTA() && !b.scopeCTA()
}

func (o *oracle) overlap(a, b *event) bool {
	return a.kind == access && b.kind == access && a.space == b.space && a.cta == b.cta && a.off < b.off+b.size && b.off < a.off+a.size
}

func (o *oracle) morallyStrong(a, b *event) bool {
	return a.strong() && b.strong() && a.off == b.off && a.size == b.size && o.include(a, b)
}

// observe finds the values that each read observes, directly or through atomics.
func (o *oracle) observe() {
	for j := range o.events {
		r := &o.events[j]
		if !r.reads() {
			continue
		}
		for i := j - 1; i >= 0; i-- { // the latest write there
			w := &o.events[i]
			if !w.writes() || !o.overlap(w, r) {
				continue
			}
			if o.morallyStrong(w, r) {
				o.seen[i][j] = true
				if w.reads() { // atomics pass on the values that they read
					for k := range i {
						o.seen[k][j] = o.seen[k][j] || o.seen[k][i]
					}
				}
			}
			break
		}
	}
	for i := range o.seen {
		for j := range o.seen[i] {
			o.seen[i][j] = o.seen[i][j] && o.decides(&o.events[j])
		}
	}
}

// decides reports whether a thread's behaviour depends on the value read: the random kernels read such values into
// one register.
func (o *oracle) decides(e *event) bool {
	d := &e.in.Args[0]
	return d.Kind == isa.RegOperand && o.fn.Regs[d.Reg].Name == decidingReg
}

// synchronise adds the edges from release patterns to acquire patterns.
func (o *oracle) synchronise() {
	for w := range o.events {
		for r := range o.events {
			if !o.seen[w][r] {
				continue
			}
			for _, first := range o.releases(w) {
				for _, last := range o.acquires(r) {
					if o.include(&o.events[first], &o.events[last]) {
						o.before[first][last] = true
					}
				}
			}
		}
	}
}

// orderFences adds edges between sequentially consistent fences that cannot have been in the other order, because a
// path leads from one to the other.
func (o *oracle) orderFences() {
	ways := square(len(o.events))
	for i := range ways {
		for j := range ways {
			ways[i][j] = o.before[i][j] || o.seen[i][j]
		}
	}
	closure(ways)
	for i := range ways {
		for j := range ways {
			o.before[i][j] = o.before[i][j] || ways[i][j] && o.isWideSC(i) && o.isWideSC(j)
		}
	}
}

func (o *oracle) isWideSC(i int) bool {
	e := &o.events[i]
	return e.kind == fence && !e.scopeCTA() && (e.in.Mods[isa.Level] != 0 || e.in.Mods[isa.Sem] == isa.SemSC)
}

func (o *oracle) sem(i int) isa.Mod { return o.events[i].in.Mods[isa.Sem] }

// releases returns the first operations of the release patterns that end in the strong write w.
func (o *oracle) releases(w int) (first []int) {
	end := &o.events[w]
	for i := range w + 1 {
		e := &o.events[i]
		if e.thread != end.thread {
			continue
		}
		releasing := e.kind == access && e.writes() && (o.sem(i) == isa.SemRelease || o.sem(i) == isa.SemAcqRel)
		if e.kind == fence || releasing && e.off == end.off && e.space == end.space && e.cta == end.cta && e.size == end.size {
			first = append(first, i)
		}
	}
	return first
}

// acquires returns the last operations of the acquire patterns that begin with the strong read r.
func (o *oracle) acquires(r int) (last []int) {
	begin := &o.events[r]
	for i := r; i < len(o.events); i++ {
		e := &o.events[i]
		if e.thread != begin.thread {
			continue
		}
		acquiring := e.kind == access && e.reads() && (o.sem(i) == isa.SemAcquire || o.sem(i) == isa.SemAcqRel)
		if e.kind == fence || acquiring && e.off == begin.off && e.space == begin.space && e.cta == begin.cta && e.size == begin.size {
			last = append(last, i)
		}
	}
	return last
}

// ordered reports whether event i precedes j in causality order: by base causality, or because an event ordered
// before j has observed i (PTX ISA 8.9.5).
func (o *oracle) ordered(i, j int) bool { return o.orderedBy(o.before, i, j) }

func (o *oracle) orderedBy(before [][]bool, i, j int) bool {
	if before[i][j] {
		return true
	}
	for z, saw := range o.seen[i] {
		if saw && before[z][j] {
			return true
		}
	}
	return false
}

// bare reports whether an access is strong but does not synchronise by itself. The kernels have no polling loops.
func (e *event) bare() bool {
	return e.kind == access && e.in.Spec.Kind != isa.Atomic && (e.in.Mods[isa.Sem] == isa.SemVolatile || e.in.Mods[isa.Sem] == isa.SemRelaxed)
}

// onlyLockstep reports whether only lock step orders two strong accesses of lanes of one warp.
func (o *oracle) onlyLockstep(i, j int) bool {
	a, b := &o.events[i], &o.events[j]
	return a.bare() && b.bare() && !o.orderedBy(o.after, i, j) && o.severity(a, b) == inLockstep
}

// races returns the worst race of each two instructions, by their PCs in ascending order.
func (o *oracle) races() map[[2]int]severity {
	worst := make(map[[2]int]severity)
	for j := range o.events {
		for i := range j {
			a, b := &o.events[i], &o.events[j]
			if a.thread == b.thread || !o.overlap(a, b) || !a.writes() && !b.writes() || o.ordered(i, j) || o.morallyStrong(a, b) && !o.onlyLockstep(i, j) {
				continue
			}
			key := [2]int{min(a.pc, b.pc), max(a.pc, b.pc)}
			worst[key] = max(worst[key], o.severity(a, b))
		}
	}
	return worst
}

// severity returns the severity of a race. The kernels have no divergent branches.
type severity int

const (
	writesSame severity = 1 + iota
	inLockstep
	inNoOrder
)

func (o *oracle) severity(a, b *event) severity {
	from, to := max(a.off, b.off), min(a.off+a.size, b.off+b.size)
	switch {
	case a.value != nil && b.value != nil && bytes.Equal(a.value[from-a.off:to-a.off], b.value[from-b.off:to-b.off]):
		return writesSame
	case a.inst != b.inst && a.thread/threadsPerWarp == b.thread/threadsPerWarp:
		return inLockstep
	}
	return inNoOrder
}
