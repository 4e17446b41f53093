package check

import (
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/interp"
)

// Between two barriers for all threads of a CTA, each word of its shared memory is usually accessed by only one thread,
// or only read. Such accesses happen after all before the first barrier and before all after the second one, so that
// they race with none. So they are only deferred: they are checked, in their order, before an access of another thread
// to a word that one of the two writes (see touched), or anything else that orders accesses, and forgotten at such a
// barrier. The same holds for atomics of one class, as in histograms: they do not race with each other.

// deferred are the plain accesses, or the atomics of one class, of a CTA that are deferred.
type deferred struct {
	all []deferredAccess
	of  lanes.Access // with the CTA's shared memory
	// offsets are those of accesses that are not strided, in their order.
	offsets [][lanes.Width]uint32
	// values are those of plain stores, in their order: by lane what they write, and what memory held before.
	values  []byte
	touched touched
	writes  bool // plain stores are among them; then all accesses are in touched
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
	if s.class&strong == 0 && (d.writes || s.class&writes != 0) && !d.touches(w, s, a) {
		return false
	}
	if s.class&(writes|strong) == writes {
		n := int(a.Size) * lanes.Width
		d.values = append(append(d.values, a.Stored()[:n]...), a.Held()[:n]...)
	}
	d.all = append(d.all, deferredAccess{})
	read := &d.all[len(d.all)-1]
	read.site, read.warp, read.epoch, read.mask, read.split = s, w, w.epoch, a.Lanes, at.Split
	read.size, read.iteration, read.strided, read.whole, read.marks = uint16(a.Size), w.iterations.all, a.Strided, w.cta.whole, 0
	if at.Split != w.live {
		read.marks = diverged
	}
	if a.Strided {
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

// touches adds an access to touched, and before the first store all earlier reads. It returns false if the access may
// race with one of them.
func (d *deferred) touches(w *warp, s *site, a *interp.Access) bool {
	if !d.writes {
		d.writes = true
		d.touched.begin(len(a.Mem))
		gathered := 0
		for i := range d.all {
			read := &d.all[i]
			gathered = d.locate(read, gathered)
			d.touched.access(&d.of, read.mask, read.warp.number, false)
		}
	}
	return d.touched.access(a.Access, a.Lanes, w.number, s.class&writes != 0)
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
	v, a, gathered, values, whole := &r.visit, &d.of, 0, d.values, c.whole
	for i := range d.all {
		read := &d.all[i]
		gathered = d.locate(read, gathered)
		w := read.warp
		epoch, iteration := w.epoch, w.iterations.all
		w.epoch, w.iterations.all, c.whole = read.epoch, read.iteration, read.whole
		v.begin(r, w, read.site, a, read.mask, read.split)
		v.now.marks = read.marks
		v.space, v.shadow, v.region, v.stored, v.held = isa.Shared, &c.shared, nil, nil, nil
		if read.site.class&(writes|strong) == writes {
			n := int(a.Size) * lanes.Width
			v.stored, v.held, values = values[:n], values[n:2*n], values[2*n:]
		}
		v.all()
		w.epoch, w.iterations.all = epoch, iteration
	}
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
	d.all, d.offsets, d.values, d.writes = d.all[:0], d.offsets[:0], d.values[:0], false
}

// atBarrier forgets the deferred accesses of a CTA at a barrier that completes all of its threads, none of which has
// exited, and checks them at another.
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
