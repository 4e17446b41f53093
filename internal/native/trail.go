package native

import (
	"slices"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/internal/program"
)

// TrailEntry is the record that compiled code appends to its trail at once (see jit.TrailHead): a branch, or the
// accesses of a region.
type TrailEntry struct {
	Sites []TrailSite
	Bytes int
	// Words is the number of words of 64 bits before the columns, with the head.
	Words int
	Loads bool // all are loads
	// Shared says that all are accesses to the CTA's shared memory.
	Shared bool
}

// TrailSite is an instruction of an entry.
//
// The columns of an access that changes memory are, for each of its elements, what memory held before and what it
// holds afterwards, or for a store what the lane stores. Before these is the guard of a guarded access: words with
// equal bits.
type TrailSite struct {
	PC     int
	Kind   isa.Kind // Branch, Load, Store or Atomic
	Affine bool     // the entry has jit.TrailPlaces, else jit.TrailOffsets
	Places int      // where these are in the entry
	Hint   int      // PC of the hint that code uses
	Shared bool     // code accesses the CTA's shared memory
	Disp   int      // distance of the first byte from that of the area
	Stride int      // bytes from lane to lane of a subvector, if Affine
	Size   int      // bytes that a lane accesses
	// If the access changes memory:
	Elems   int  // elements that a lane accesses
	Guarded bool // there is a column with the guard
	Columns int  // where the columns are in the entry
}

// Element is the number of bytes of an element.
func (s *TrailSite) Element() int { return s.Size / s.Elems }

// Column is the number of bytes of a column with elements.
func (s *TrailSite) Column() int { return int(jit.TrailColumn(columnBits(s.Element()))) }

// columns is the number of bytes of all columns.
func (s *TrailSite) columns() int {
	n := 2 * s.Elems * s.Column()
	if s.Guarded {
		n += int(jit.TrailColumn(32))
	}
	return n
}

// columnBits is the width of values in a column of elements.
func columnBits(bytes int) uint8 { return uint8(max(32, 8*bytes)) }

// leaveTrail marks the steps for which code leaves a trail, and leaves the steps for which it cannot to the engine.
func (p *plan) leaveTrail(leave *program.Contention) {
	p.trails, p.trailsTurns = false, p.x == nil && leave.Trail(p.f) != nil
	for pc, marked := range p.marked(leave, leave.Trail) {
		st := &p.steps[pc]
		switch {
		case !marked || st.kind == stepLeave:
		case p.x == nil && p.leavesTrail(st):
			st.trail, p.trails = true, true
			st.anywhere, st.mixed = false, false
		default:
			leaveStep(st)
		}
	}
}

// mostTrailed is the largest number of bytes of a lane's access that changes memory, up to which code leaves a trail of
// it.
const mostTrailed = 16

// leavesTrail reports whether code can leave a trail of a step: the lanes share its memory, a load has no guard in a
// region, and what changes memory is as wide as its registers, as columns are. That of a barrier is the end of a turn.
func (p *plan) leavesTrail(st *step) bool {
	switch {
	case st.kind == stepJump, st.kind == stepBarrier:
		return true
	case !st.isAccess() || st.own != jit.NotOwn:
		return false
	case st.kind == stepLoad:
		return !st.guarded
	}
	for _, src := range st.src[1:st.nsrc] {
		if bits := p.s.all[src.slot].bits; bits != columnBits(int(st.elem.Bytes)) {
			return false
		}
	}
	return int(st.elem.Bytes)*st.elems <= mostTrailed
}

// trailEntry numbers an entry.
func (c *compiler) trailEntry(t TrailEntry) uint32 {
	c.out.trail = append(c.out.trail, t)
	for i := range t.Sites {
		c.out.trailsChanges = c.out.trailsChanges || t.Sites[i].Elems > 0
	}
	return uint32(len(c.out.trail) - 1)
}

// trailRoom exits at the start of a region if the trail has no room for the region's accesses.
func (c *compiler) trailRoom(r *region) {
	if slices.ContainsFunc(r.steps, leavesTrailNow) {
		c.e.TrailFull(r.fail)
	}
}

func leavesTrailNow(s regionStep) bool { return s.trail }

// trailRegion leaves a trail of the accesses of a region, all of which will be made, including those with unused
// results. Its subvectors fill in the columns.
func (c *compiler) trailRegion(r *region) {
	if !slices.ContainsFunc(r.steps, leavesTrailNow) {
		return
	}
	entry := c.trailedBy(r)
	c.e.BeginTrail(c.masked, c.trailEntry(entry))
	areas := int32(jit.TrailHeadBytes)
	for i := range r.steps {
		if s := &r.steps[i]; s.trail && s.places == areas { // the first access to its area
			areas = c.e.TrailArea(&s.area.Area, s.affine, areas)
		}
	}
	mustFit(entry.Bytes, jit.TrailRoom, "bytes of a trail")
	c.e.EndTrail(int32(entry.Bytes))
	r.trailed = int32(entry.Bytes)
}

// trailedBy returns the entry of a region, and sets where the places and columns of its steps are.
func (c *compiler) trailedBy(r *region) TrailEntry {
	at, entry := int32(jit.TrailHeadBytes), TrailEntry{Loads: true, Shared: true}
	for i := range r.steps {
		s := &r.steps[i]
		if !s.trail {
			continue
		}
		sharesArea := func(o regionStep) bool { return o.trail && o.area == s.area }
		if first := slices.IndexFunc(r.steps[:i], sharesArea); first >= 0 {
			s.places = r.steps[first].places
			continue
		}
		s.places = at
		if at += int32(jit.TrailOffsetsBytes); s.affine {
			at += int32(jit.TrailPlacesBytes - jit.TrailOffsetsBytes)
		}
	}
	entry.Words = int(at) / 8
	for i := range r.steps {
		s := &r.steps[i]
		if !s.trail {
			continue
		}
		site := TrailSite{PC: s.pc, Kind: isa.Kind(s.op.Kind), Affine: s.affine, Places: int(s.places), Hint: s.area.PC, Shared: s.area.Shared, Disp: int(s.access.Disp - s.area.Disp), Size: int(s.access.Size())}
		if s.affine {
			site.Stride = int(s.area.Stride)
		}
		if s.kind != stepLoad {
			site.Elems, site.Guarded, site.Columns, s.columns = s.elems, s.guarded, int(at), at
			at += int32(site.columns())
		}
		entry.Sites, entry.Loads, entry.Shared = append(entry.Sites, site), entry.Loads && s.kind == stepLoad, entry.Shared && site.Shared
	}
	entry.Bytes = int(at)
	return entry
}

// trailBefore fills in the columns of a step that changes memory, except those of what memory holds afterwards.
func (c *compiler) trailBefore(r *region, s *regionStep) {
	at, column := s.columns-r.trailed, jit.TrailColumn(columnBits(int(s.elem.Bytes)))
	if s.guarded {
		c.e.TrailValues(*c.executing(s), at)
		c.g.release()
		at += jit.TrailColumn(32)
	}
	for k := range s.elems {
		c.trailMemory(s, k, at+2*int32(k)*column)
		c.g.release()
		if s.kind == stepStore {
			c.e.TrailValues(c.g.use(c, s.src[1+k]), at+(2*int32(k)+1)*column)
			c.g.release()
		}
	}
}

// trailAfter fills in the column of what memory holds after an atomic.
func (c *compiler) trailAfter(r *region, s *regionStep) {
	at := s.columns - r.trailed + jit.TrailColumn(columnBits(int(s.elem.Bytes)))
	if s.guarded {
		at += jit.TrailColumn(32)
	}
	c.trailMemory(s, 0, at)
}

// trailMemory fills in a column with what memory holds at element k of a step's access.
func (c *compiler) trailMemory(s *regionStep, k int, at int32) {
	v := c.g.temp(columnBits(int(s.elem.Bytes)))
	if s.affine {
		c.e.LoadElement(v, &s.access, k)
	} else {
		c.e.Gather(v, &s.access, k)
	}
	c.e.TrailValues(v, at)
}

// trailing leaves a trail of the branch at pc, of which lanes that diverge or exit there are no part: the engine
// executes it. It returns the label for these lanes, given that of the exit there, for which it keeps EAX.
func (c *compiler) trailing(pc int, exit jit.Label) jit.Label {
	if !c.steps[pc].trail {
		return exit
	}
	entry := TrailEntry{Sites: []TrailSite{{PC: pc, Kind: isa.Branch}}, Bytes: jit.TrailHeadBytes}
	c.e.TrailBranch(c.masked, c.trailEntry(entry), exit)
	return c.stub(func() {
		c.e.UntrailBranch()
		c.e.Jmp(exit)
	})
}
