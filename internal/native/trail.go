package native

import (
	"slices"

	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/internal/program"
)

// TrailSite is an instruction of which code leaves a trail (see jit.TrailHead).
type TrailSite struct {
	PC     int
	Branch bool // else a load
	Affine bool // the entry has jit.TrailPlaces, else jit.TrailOffsets
	Hint   int  // PC of the hint that code uses
	Shared bool // code accesses the CTA's shared memory
	Disp   int  // distance of the first byte from that of the area
	Stride int  // bytes from lane to lane of a strip, if Affine
	Size   int  // bytes that a lane loads
}

// leaveTrail marks the steps of which code leaves a trail, and leaves those to the engine for which it cannot.
func (p *plan) leaveTrail(leave *program.Contention) {
	p.trails = false
	for pc, marked := range p.marked(leave, leave.Trail) {
		st := &p.steps[pc]
		switch {
		case !marked || st.kind == stepLeave:
		case p.x == nil && st.leavesTrail():
			st.trail, p.trails = true, true
		default:
			leaveStep(st)
		}
	}
}

// leavesTrail reports whether code can leave a trail of a step: it has no guard in a region, and the lanes share its
// memory.
func (st *step) leavesTrail() bool {
	return st.kind == stepJump || st.kind == stepLoad && !st.guarded && st.own == jit.NotOwn
}

// trailSite numbers an instruction of which code leaves a trail.
func (c *compiler) trailSite(s TrailSite) uint32 {
	c.out.trail = append(c.out.trail, s)
	return uint32(len(c.out.trail) - 1)
}

// trailRoom exits at the start of a region if the trail has no room for the region's loads.
func (c *compiler) trailRoom(r *region) {
	if slices.ContainsFunc(r.steps, leavesTrailNow) {
		c.e.TrailFull(r.fail)
	}
}

func leavesTrailNow(s regionStep) bool { return s.trail }

// trailRegion leaves a trail of the loads of a region, all of which will be made, including those with unused results.
func (c *compiler) trailRegion(r *region) {
	n := int32(0)
	for i := range r.steps {
		s := &r.steps[i]
		if !s.trail {
			continue
		}
		if n == 0 {
			c.e.BeginTrail()
		}
		site := TrailSite{PC: s.pc, Affine: s.affine, Hint: s.area.PC, Shared: s.area.Shared, Disp: int(s.access.Disp - s.area.Disp), Size: int(s.access.Size())}
		if s.affine {
			site.Stride = int(s.area.Stride)
		}
		n = c.e.TrailAccess(&s.area.Area, s.affine, c.masked, c.trailSite(site), n)
	}
	if n > 0 {
		mustFit(int(n), jit.TrailRoom, "bytes of a trail")
		c.e.EndTrail(n)
	}
}

// trailing leaves a trail of the branch at pc, of which lanes that diverge or exit there are no part: the engine
// executes it. It returns the label for these lanes, given that of the exit there, for which it keeps EAX.
func (c *compiler) trailing(pc int, exit jit.Label) jit.Label {
	if !c.steps[pc].trail {
		return exit
	}
	c.e.TrailBranch(c.masked, c.trailSite(TrailSite{PC: pc, Branch: true}), exit)
	return c.stub(func() {
		c.e.UntrailBranch()
		c.e.Jmp(exit)
	})
}
