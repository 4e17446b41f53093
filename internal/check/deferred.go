package check

import (
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/interp"
)

// Between two barriers for all threads of a CTA, each word of its shared memory is usually accessed by only one thread,
// or only read. Such accesses happen after all before the first barrier and before all after the second one, so that
// they race with none. So they are only deferred: they are checked, in their order, before an access of another thread
// to a word that one of the two writes (see accessHistory), or anything else that orders accesses, and forgotten at
// such a barrier. The same holds for atomics of one class, as in histograms: they do not race with each other.

// deferred are the plain accesses, or the atomics of one class, of a CTA that are deferred.
type deferred struct {
	all []deferredAccess
	of  lanes.Access // with the CTA's shared memory
	// offsets are the offsets of accesses that are not strided, in their order.
	offsets [][lanes.Width]uint32
	// values are the values of plain stores, in their order: for each lane the value stored, and the old contents of
	// memory.
	values []byte
	// loads are accesses that are deferred together, and words is the memory of these.
	loads   []interp.Loads
	words   []uint64
	history accessHistory
	writes  bool // plain stores are among them
	tracked bool // all accesses are in history; they are if there are stores
	// stopped says that accesses are not deferred: a thread has written shared memory since the latest barrier for all
	// of them, other than by deferred atomics, or has not arrived there because it has exited.
	stopped bool
	// checked says that an access since that barrier has been checked: atomics, which write, are then not deferred.
	checked bool
}

// deferredAccess is an access by a warp instruction.
type deferredAccess struct {
	site        *site
	warp        *warp
	epoch       epoch
	mask, split lanes.Mask
	whole       uint32    // see cta
	off         [2]uint32 // of the first lane of each half, if strided
	size        uint16
	iteration   uint8
	marks       marks
	fn          uint16 // of loads
	loads       uint16 // for several loads, 1 + their index in deferred.loads; 0 for one access
	strided     bool
	stride      [2]bool // by half: the lanes read one after the other
}

// mostDeferred is the largest number of deferred accesses of a CTA: they take less than the second cache of the CPU.
const mostDeferred = 2048

// mayFollow reports whether an access by an instruction may be deferred after those that are.
func (d *deferred) mayFollow(s *site, r *Races) bool {
	if s.class&(writes|strong) != 0 && d.checked || s.class&strong != 0 && (r.lockstep || !s.calm) {
		return false
	}
	return len(d.all) == 0 || d.all[0].site.class == s.class || (d.all[0].site.class|s.class)&strong == 0
}

// defers reports whether the access to shared memory of its own CTA may be deferred, and defers it. Accesses to a part
// of a word are not, since they divide its shadow, for later accesses, too.
func (r *Races) defers(w *warp, s *site, at *interp.Place, a *interp.Access) bool {
	d := &w.cta.reads
	if r.direct || a.Size < wordBytes || d.stopped || s.into != nil || len(w.groups) != 1 || w.iterations.used || a.Background || len(d.all) == mostDeferred || !d.mayFollow(s, r) {
		return false
	}
	if len(d.all) == 0 {
		d.of.Mem, d.of.Base, d.of.Region, d.of.Space = a.Mem, a.Base, a.Region, a.Space
	}
	if len(d.all) == 0 && s.beforeStores {
		d.track(a.Access)
	}
	if s.class&strong == 0 && (d.tracked || s.class&writes != 0) && !r.touches(d, w, s, a) {
		return false
	}
	if s.class&(writes|strong) == writes {
		n := int(a.Size) * lanes.Width
		d.values = append(append(d.values, a.Stored()[:n]...), a.Held()[:n]...)
	}
	read := d.add(w, s, a.Lanes, at.Split)
	if read.size, read.strided = uint16(a.Size), a.Strided; a.Strided {
		read.off[0], read.off[1] = uint32(a.Off[0]), uint32(a.Off[lanes.Width/2])
		read.stride[0], read.stride[1] = a.Stride[0] != 0, a.Stride[1] != 0
		return true
	}
	d.offsets = append(d.offsets, [lanes.Width]uint32{})
	to := &d.offsets[len(d.offsets)-1]
	for i, off := range a.Off {
		to[i] = uint32(off)
	}
	return true
}

// add adds an access by lanes of a split to d, without its place.
func (d *deferred) add(w *warp, s *site, m, split lanes.Mask) *deferredAccess {
	d.all = append(d.all, deferredAccess{})
	read := &d.all[len(d.all)-1] // set by field: a copy waits for the stores of its parts
	read.site, read.warp, read.epoch, read.mask, read.split = s, w, w.epoch, m, split
	read.iteration, read.whole = w.iterations.all, w.cta.whole
	if split != w.live {
		read.marks = diverged
	}
	return read
}

// touches adds an access to history, and before the first store all earlier reads. It returns false if the access may
// race with one of them. Reads that stores follow will probably be followed by stores the next time.
func (r *Races) touches(d *deferred, w *warp, s *site, a *interp.Access) bool {
	if !d.tracked {
		d.track(a.Access)
		r.each(d, func(read *deferredAccess, _ *site) { d.history.access(&d.of, read.mask, read.warp.number, false) })
		if len(d.all) > 0 {
			d.all[0].site.beforeStores = true
		}
	}
	d.writes = d.writes || s.class&writes != 0
	return d.history.access(a.Access, a.Lanes, w.number, s.class&writes != 0)
}

// track begins the history, for accesses like a.
func (d *deferred) track(a *lanes.Access) {
	d.tracked = true
	d.history.begin(len(a.Mem))
}

// Loaded implements interp.LoadsObserver.
func (r *Races) Loaded(at *interp.Place, l *interp.Loads) (n int) {
	w := r.warp(at)
	if !l.Shared {
		return r.logsLoads(w, at, l)
	}
	if r.defersLoads(w, at, l) {
		n = l.Len()
	}
	return n
}

// defersLoads is defers for several loads.
func (r *Races) defersLoads(w *warp, at *interp.Place, l *interp.Loads) bool {
	sites, d := r.sites[at.Func], &w.cta.reads
	if r.direct || d.stopped || len(w.groups) != 1 || w.iterations.used || len(d.all) == mostDeferred || !r.loadsWords(sites, l) {
		return false
	}
	s := &sites[l.PC(0)]
	if !d.mayFollow(s, r) {
		return false
	}
	if len(d.all) == 0 {
		l.Locate(0, &d.of)
		w.cta.shared.of(d.of.Mem)
	}
	for i := 0; d.tracked && i < l.Len(); i++ {
		if l.Locate(i, &d.of); !d.history.access(&d.of, l.Lanes, w.number, false) {
			return false
		}
	}
	var kept interp.Loads
	kept, d.words = l.Copy(d.words)
	d.loads = append(d.loads, kept)
	read := d.add(w, s, l.Lanes, at.Split)
	read.fn, read.loads = uint16(at.Func), uint16(len(d.loads))
	return true
}

// loadsWords reports whether loads are plain ones of whole words.
func (r *Races) loadsWords(sites []site, l *interp.Loads) bool {
	if l.SameCode(&r.ofWords) {
		return true
	}
	for i := range l.Len() {
		if s := &sites[l.PC(i)]; s.class&(writes|strong) != 0 || s.into != nil || l.Size(i) < wordBytes {
			return false
		}
	}
	if len(r.sites) >= 1<<16 {
		return false
	}
	r.ofWords = *l
	return true
}

// each calls f for each deferred access of a CTA with its site, when d.of is that access.
func (r *Races) each(d *deferred, f func(read *deferredAccess, s *site)) {
	gathered := 0
	for i := range d.all {
		read := &d.all[i]
		if read.loads == 0 {
			gathered = d.locate(read, gathered)
			f(read, read.site)
			continue
		}
		l := &d.loads[read.loads-1]
		for k := range l.Len() {
			l.Locate(k, &d.of)
			f(read, &r.sites[read.fn][l.PC(k)])
		}
	}
}

// locate sets d.of to a deferred access, given how many of those before it are not strided, and returns that of the
// next one.
func (d *deferred) locate(read *deferredAccess, gathered int) (next int) {
	a := &d.of
	if a.Size, a.Strided = uint64(read.size), read.strided; !a.Strided {
		for lane, off := range d.offsets[gathered] {
			a.Off[lane] = uint64(off)
		}
		return gathered + 1
	}
	for half := range a.Stride {
		a.Off[half*lanes.Width/2], a.Stride[half] = uint64(read.off[half]), 0
		if read.stride[half] {
			a.Stride[half] = a.Size
		}
	}
	return gathered
}

// checkDeferred checks the deferred accesses of a CTA.
func (r *Races) checkDeferred(c *cta) {
	d := &c.reads
	if len(d.all) == 0 {
		return
	}
	v, a, values, whole := &r.visit, &d.of, d.values, c.whole
	r.each(d, func(read *deferredAccess, s *site) {
		w := read.warp
		epoch, iteration := w.epoch, w.iterations.all
		w.epoch, w.iterations.all, c.whole = read.epoch, read.iteration, read.whole
		v.begin(r, w, s, a, read.mask, read.split)
		v.now.marks = read.marks
		v.space, v.shadow, v.region, v.stored, v.held = isa.Shared, &c.shared, nil, nil, nil
		if s.class&(writes|strong) == writes {
			n := int(a.Size) * lanes.Width
			v.stored, v.held, values = values[:n], values[n:2*n], values[2*n:]
		}
		v.all()
		w.epoch, w.iterations.all = epoch, iteration
	})
	c.whole, v.held = whole, nil
	d.stopped = d.stopped || d.writes || d.all[0].site.class&writes != 0
	d.forget()
	d.checked = true
}

// begin forgets what is deferred, and defers again.
func (d *deferred) begin() {
	d.forget()
	d.stopped, d.checked = false, false
}

func (d *deferred) forget() {
	if d.tracked && !d.writes && len(d.all) > 0 {
		d.all[0].site.beforeStores = false
	}
	d.all, d.offsets, d.values, d.writes, d.tracked = d.all[:0], d.offsets[:0], d.values[:0], false, false
	d.loads, d.words = d.loads[:0], d.words[:0]
}

// atBarrier is called at a barrier. If all threads of the CTA have arrived there, it forgets the deferred accesses;
// otherwise it checks them.
func (r *Races) atBarrier(c *cta, completes bool) {
	if !completes {
		r.checkDeferred(c)
		return
	}
	if c.whole != 1<<len(c.warps)-1 {
		r.checkDeferred(c)
		c.reads.stopped = true
		return
	}
	c.reads.begin()
}
