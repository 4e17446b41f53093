package check

import (
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/interp"
)

// Most launches only read some of their regions of global memory. Reads of a region are therefore logged, and checked,
// in their order, before the first access of another kind. In most launches none comes. A loop reads at places that
// advance by the same distance in each iteration: its iterations are logged as one, with a count. To log a single read
// costs as much as to check it, so that only regions that a loop reads first are logged.

// readLog has the reads of regions that nothing but reads has accessed.
type readLog struct {
	parts  []logPart
	reads  []loggedRead
	states []loggedState
	// The present part, of the latest reads of a warp. While it repeats the latest part it has no reads of its own.
	warp    *warp
	present logPart // the count is not set
	repeats bool
	next    int // number of reads of the latest part that it has repeated
	regions int // number of regions of which reads are logged
}

// logPart is reads of a warp in one iteration of a loop, and how often the warp has repeated them.
type logPart struct {
	state     int32
	first     int32 // index of the first read; they end where those of the next part begin
	count     uint32
	iteration uint8 // of the first time
}

// loggedRead is a read by a warp instruction.
type loggedRead struct {
	site     uint32
	region   int32
	mask     lanes.Mask
	size     uint16
	stride   [2]bool // by half: the lanes read one after the other
	diverged bool
	off      [2]uint64 // of the first lane of each half
	step     [2]uint64 // bytes by which that advances with each repetition
}

// loggedState is the state, apart from the read itself, that the check of a read depends on. The states of a warp
// differ in epoch or whole.
type loggedState struct {
	cta     uint32
	whole   uint32 // see cta
	epoch   epoch
	warp    uint8
	clock   *vectorClock // nil for an empty one
	barrier *[]atBarrier // by warp, at the latest barrier of the CTA; nil before the first
}

// atBarrier is the part of a warp's state that a barrier sets.
type atBarrier struct {
	epoch epoch
	lanes lanes.Mask
}

// mostLogged is the largest number of reads that are logged: they take less than 16 MB.
const mostLogged = 1 << 17

// logsLoads logs the first of several loads, and returns how many of them.
func (r *Races) logsLoads(w *warp, at *interp.Place, l *interp.Loads) int {
	a, repeated := &r.loaded, r.repeatsLoads(w, at, l)
	for i := repeated; i < l.Len(); i++ {
		s := &r.sites[at.Func][l.PC(i)]
		if s.unlogged {
			return i
		}
		if l.Locate(i, a); isa.Space(a.Space) != isa.Global {
			return i
		}
		r.shadowOf(w.cta, a)
		if s.unlogged = !r.logs(w, s, a, l.Lanes, at.Split, i > 0); s.unlogged {
			return i
		}
	}
	return l.Len()
}

// repeatsLoads logs the first of several loads as logs does, if the latest part has them next, and returns how many of
// them. Most loads of a loop are such ones, and need not be located: of an iteration with them only a count is logged.
func (r *Races) repeatsLoads(w *warp, at *interp.Place, l *interp.Loads) (n int) {
	log := &r.log
	if log.warp != w || !log.repeats || w.logged < 0 || len(w.groups) != 1 || w.iterations.used || !log.inState(w) {
		return 0
	}
	p, reads := log.latest()
	if p.count == 1 || p.iteration+uint8(p.count) != w.iterations.all {
		return 0
	}
	sites, diverged := r.sites[at.Func], at.Split != w.live
	for n < l.Len() && log.next < len(reads) {
		read := &reads[log.next]
		off := [2]uint64{read.off[0] + uint64(p.count)*read.step[0], read.off[1] + uint64(p.count)*read.step[1]}
		if read.site != sites[l.PC(n)].index || read.mask != l.Lanes || read.diverged != diverged ||
			!l.IsAt(n, read.region, &off, read.stride) {
			break
		}
		log.next++
		n++
	}
	return n
}

// logs logs the read of global memory, by lanes of a split, if it may be checked later. Else it checks what is logged
// of its region. With inState, the state of the warp is that of the latest logged read of it.
func (r *Races) logs(w *warp, s *site, a *lanes.Access, m, split lanes.Mask, inState bool) bool {
	g := r.regions[a.Region]
	if g.checked {
		return false
	}
	l := &r.log
	if r.direct || !s.repeated && !g.logged || s.class&(writes|strong) != 0 || s.into != nil || !a.Strided ||
		len(w.groups) != 1 || w.iterations.used || len(l.reads) >= mostLogged {
		r.checkLogged(g)
		return false
	}
	if l.warp != w || w.logged < 0 || !inState && !l.inState(w) {
		l.begin(w)
	}
	l.add(w, &loggedRead{site: s.index, region: a.Region, mask: m, size: uint16(a.Size), diverged: split != w.live,
		stride: [2]bool{a.Stride[0] != 0, a.Stride[1] != 0}, off: [2]uint64{a.Off[0], a.Off[lanes.Width/2]}})
	if !g.logged {
		g.logged = true
		l.regions++
	}
	return true
}

// inState reports whether the state of a warp is still the latest one that was logged.
func (l *readLog) inState(w *warp) bool {
	w.cta.settle()
	s := &l.states[w.logged]
	if s.epoch != w.epoch || s.whole != w.cta.whole {
		return false
	}
	clock := &w.groups[0].clock
	return s.clock != nil && s.clock.same(clock) || s.clock == nil && clock.isEmpty()
}

// isEmpty reports whether v is the clock of a thread that starts.
func (v *vectorClock) isEmpty() bool {
	return len(v.cta) == 0 && v.grid == nil && v.scFences == nil && !v.started && v.relaxed == nil
}

// begin begins a part with the present state of a warp.
func (l *readLog) begin(w *warp) {
	l.endPart()
	w.cta.settle()
	s := loggedState{cta: uint32(w.cta.number), whole: w.cta.whole, epoch: w.epoch, warp: uint8(w.number)}
	if clock := &w.groups[0].clock; !clock.isEmpty() {
		s.clock = w.cta.loggedClock(clock)
	}
	if w.barrierEpoch > 0 {
		s.barrier = w.cta.loggedBarrier()
	}
	w.logged = int32(len(l.states))
	l.states = append(l.states, s)
	l.warp, l.repeats, l.present = w, false, logPart{state: w.logged, first: int32(len(l.reads))}
}

// loggedClock returns a clock of a warp that does not change, the same for equal ones that follow each other.
func (c *cta) loggedClock(v *vectorClock) *vectorClock {
	if c.clock == nil || !c.clock.same(v) {
		clock := *v
		c.clock = &clock
	}
	return c.clock
}

// loggedBarrier returns the state of the CTA's warps at the latest barrier; reads up to the next barrier share it.
func (c *cta) loggedBarrier() *[]atBarrier {
	if c.barrier == nil {
		all := make([]atBarrier, len(c.warps))
		for i, w := range c.warps {
			all[i] = atBarrier{w.barrierEpoch, w.barrierLanes}
		}
		c.barrier = &all
	}
	return c.barrier
}

// latest returns the latest part that has ended, and its reads, if they are the last ones of the log.
func (l *readLog) latest() (*logPart, []loggedRead) {
	p := &l.parts[len(l.parts)-1]
	return p, l.reads[p.first:]
}

// add adds a read of a warp to the present part.
func (l *readLog) add(w *warp, read *loggedRead) {
	if l.repeats {
		p, reads := l.latest()
		if l.next < len(reads) && p.iteration+uint8(p.count) == w.iterations.all && reads[l.next].repeats(read, p.count) {
			l.next++
			return
		}
		l.unfold()
	}
	if int(l.present.first) == len(l.reads) {
		l.present.iteration = w.iterations.all
	}
	l.reads = append(l.reads, *read)
}

// repeats reports whether another read is the repetition of r after count times, and sets the step if it is the first.
func (r *loggedRead) repeats(o *loggedRead, count uint32) bool {
	if r.site != o.site || r.region != o.region || r.mask != o.mask || r.size != o.size || r.stride != o.stride ||
		r.diverged != o.diverged {
		return false
	}
	if count == 1 {
		r.step = [2]uint64{o.off[0] - r.off[0], o.off[1] - r.off[1]}
		return true
	}
	n := uint64(count)
	return o.off[0] == r.off[0]+n*r.step[0] && o.off[1] == r.off[1]+n*r.step[1]
}

// unfold gives the present part reads of its own, as many as it has repeated.
func (l *readLog) unfold() {
	p, reads := l.latest()
	l.repeats, l.present.first, l.present.iteration = false, int32(len(l.reads)), p.iteration+uint8(p.count)
	for _, read := range reads[:l.next] {
		read.advance(p.count)
		l.reads = append(l.reads, read)
	}
}

// advance makes r its repetition after count times.
func (r *loggedRead) advance(count uint32) {
	for half := range r.off {
		r.off[half] += uint64(count) * r.step[half]
	}
}

// endIteration ends the present part if it is of a warp, which has executed the end of a loop. The next one may repeat
// it.
func (l *readLog) endIteration(w *warp) {
	if l.warp != w {
		return
	}
	if l.repeats {
		if p, reads := l.latest(); l.next == len(reads) {
			p.count++
			l.next = 0
			return
		}
		if l.next == 0 {
			return
		}
		l.unfold()
	}
	l.repeats, l.next = l.addPart(), 0
}

// addPart adds the present part to the log, unless it is empty.
func (l *readLog) addPart() bool {
	if int(l.present.first) == len(l.reads) {
		return false
	}
	l.present.count = 1
	l.parts = append(l.parts, l.present)
	l.present.first = int32(len(l.reads))
	return true
}

// endPart ends the present part.
func (l *readLog) endPart() {
	if l.repeats && l.next > 0 {
		l.unfold()
	}
	if !l.repeats && l.warp != nil {
		l.addPart()
	}
	l.warp, l.repeats = nil, false
}

// checkLogged checks the logged reads of a region, and all later accesses to it are checked at once.
func (r *Races) checkLogged(g *region) {
	g.checked = true
	if !g.logged {
		return
	}
	l := &r.log
	l.endPart()
	past := &pastWarp{}
	past.acc.Region, past.acc.Space, past.acc.Strided = g.of.Number, uint8(isa.Global), true
	for i := range l.parts {
		p, end := &l.parts[i], len(l.reads)
		if i+1 < len(l.parts) {
			end = int(l.parts[i+1].first)
		}
		r.checkPart(past, g, p, l.reads[p.first:end])
	}
	if l.regions--; l.regions == 0 {
		l.parts, l.reads, l.states = l.parts[:0], l.reads[:0], l.states[:0]
	}
}

// checkPart checks the reads of a region in a part of the log.
func (r *Races) checkPart(past *pastWarp, g *region, p *logPart, reads []loggedRead) {
	v := &r.visit
	began := false
	for n := range p.count {
		for i := range reads {
			read := reads[i]
			if read.region != g.of.Number {
				continue
			}
			if !began {
				past.become(&r.log.states[p.state])
				began = true
			}
			read.advance(n)
			past.warp.iterations.all = p.iteration + uint8(n)
			a := &past.acc
			a.Size = uint64(read.size)
			for half := range a.Stride {
				a.Off[half*lanes.Width/2], a.Stride[half] = read.off[half], 0
				if read.stride[half] {
					a.Stride[half] = a.Size
				}
			}
			v.begin(r, past.warp, r.byIndex[read.site], a, read.mask, past.warp.live)
			if read.diverged {
				v.now.marks = diverged
			}
			v.space, v.shadow, v.region, v.stored = isa.Global, &g.shadow, g.of, nil
			v.all()
		}
		if !began {
			return
		}
	}
}

// pastWarp is a warp as it was when it executed logged reads, with what their check asks of it.
type pastWarp struct {
	warp *warp
	cta  cta
	acc  lanes.Access
}

// become makes p the warp of a logged state.
func (p *pastWarp) become(s *loggedState) {
	p.cta.number, p.cta.whole = int64(s.cta), s.whole
	for len(p.cta.warps) < lanes.Width {
		p.cta.warps = append(p.cta.warps, &warp{cta: &p.cta, number: len(p.cta.warps), live: lanes.AllLanes})
	}
	for i, w := range p.cta.warps {
		if w.barrierEpoch, w.barrierLanes = 0, 0; s.barrier != nil && i < len(*s.barrier) {
			w.barrierEpoch, w.barrierLanes = (*s.barrier)[i].epoch, (*s.barrier)[i].lanes
		}
	}
	p.warp = p.cta.warps[s.warp]
	g := group{lanes: lanes.AllLanes}
	if s.clock != nil {
		g.clock = *s.clock
	}
	p.warp.epoch, p.warp.groups = s.epoch, append(p.warp.groups[:0], g)
}
