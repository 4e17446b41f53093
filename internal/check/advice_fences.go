package check

import (
	"fmt"

	"github.com/simtrun/simtrun/internal/isa"
)

// handover is a signal between threads that accesses are done: a strong write after the first access and a strong read
// before the second one, which threads decide by. Both are PCs of one function.
type handover struct {
	write, read int
	lock        bool // the read takes a lock that the write releases, and both accesses are in between
}

// handover finds the nearest such write and read of a race of weak accesses.
func (c *race) handover() (h handover, ok bool) {
	if (c.first.class|c.second.class)&strong != 0 {
		return h, false
	}
	return c.nearestHandover()
}

// nearestHandover is handover for accesses of any kind. Lanes in lock step do not signal each other.
func (c *race) nearestHandover() (h handover, ok bool) {
	if c.worst == lockstep || c.first.fn != c.second.fn {
		return h, false
	}
	h = handover{-1, -1, false}
	for pc := c.first.pc + 1; pc < len(c.first.fn.Code) && h.write < 0; pc++ {
		if pc != c.second.pc && c.site(pc).class&(strong|writes) == strong|writes {
			h.write = pc
		}
	}
	for pc := c.second.pc - 1; pc >= 0 && h.read < 0; pc-- {
		if pc != c.first.pc && c.site(pc).decides {
			h.read = pc
		}
	}
	if h.write < 0 || h.read < 0 || h.read+1 == len(c.first.fn.Code) {
		return h, false
	}
	if take, give := c.site(h.read), c.site(h.write); take.exchanges() && h.read < c.first.pc && h.write > c.second.pc {
		at := &give.in().Args[0]
		if give.class&reads != 0 {
			at = &give.in().Args[1]
		}
		h.lock = sameAddress(at, &take.in().Args[1])
	}
	return h, true
}

// signals reports whether a strong access may itself be one to a flag, a lock or a counter: not a volatile or relaxed
// load or store outside of a polling loop, with which programs also access the data.
func (c *race) signals(s *site) bool {
	kind := s.in().Spec.Kind
	return s.class&strong != 0 && (s.class&bare == 0 || kind != isa.Load && kind != isa.Store || c.r.polls(s))
}

// fenceStrongData is addFences for data that one side accesses strongly. Strong accesses on both sides would be no
// race, and the program would still lack the fence.
func (c *race) fenceStrongData() *Advice {
	if !c.blocks || (c.first.class|c.second.class)&strong == 0 || c.signals(c.first) || c.signals(c.second) {
		return nil
	}
	h, ok := c.nearestHandover()
	if !ok {
		return nil
	}
	if a := c.fences(h); a != nil && a.Kind == AddFences {
		return a
	}
	return nil
}

// site returns the site at a PC of the function of the first access.
func (c *race) site(pc int) *site { return c.r.byIndex[int(c.first.index)-c.first.pc+pc] }

// fenceLock is addFences for accesses between a lock and its release.
func (c *race) fenceLock() *Advice {
	if h, ok := c.handover(); !ok || !h.lock || c.sameInstr {
		return nil
	}
	return c.addFences()
}

// addFences is for two accesses that a flag, a lock or a counter should order. It returns a fence before the nearest
// strong write after the first access, and one after the nearest strong read before the second access that threads
// decide by, unless it is there.
func (c *race) addFences() *Advice {
	h, ok := c.handover()
	if !ok {
		return nil
	}
	return c.fences(h)
}

// fences is addFences for a write and a read.
func (c *race) fences(h handover) *Advice {
	fn := c.first.fn
	a := &Advice{Kind: AddFences}
	from, to := c.first.pc, c.second.pc
	if h.lock {
		from, to = max(from, to), min(from, to)
	}
	releases := c.site(h.write).releases || c.hasFence(from, h.write, func(s *site) bool { return s.releases })
	acquires := c.site(h.read).acquires || c.hasFence(h.read, to, func(s *site) bool { return s.acquires })
	const fence = "membar.gl;"
	if !releases {
		a.Edits = append(a.Edits, Edit{fn, h.write, false, fence})
	}
	if !acquires {
		a.Edits = append(a.Edits, Edit{fn, h.read + 1, false, fence})
	}
	if len(a.Edits) == 0 {
		return c.barrierBeside(h.write, h.read)
	}
	tells, knows := "tells others", "finds out"
	if h.lock {
		tells, knows = "releases the lock", "takes it"
		if releases {
			knows = "takes the lock"
		}
	}
	before := fmt.Sprintf("before %s, which %s", c.lineOf(fn, h.write), tells)
	after := fmt.Sprintf("after %s, which %s", c.lineOf(fn, h.read), knows)
	a.text = c.words().fence + " "
	switch {
	case releases:
		a.text += after + ": there is one only on the other side, and both need one"
	case acquires:
		a.text += before + ": there is one only on the other side, and both need one"
	default:
		a.text += before + ", and " + after + ": both sides need one"
	}
	return a
}

// hasFence reports whether every path from one PC to another passes a fence of a scope beyond the CTA, one for which a
// property holds.
func (c *race) hasFence(from, to int, is func(*site) bool) bool {
	code := c.r.code(c.first.fn)
	for pc := from + 1; pc < to; pc++ {
		s := c.site(pc)
		in := s.in()
		if is(s) && s.class&(wide|reads|writes) == wide && in.Guard == isa.NoReg && (pc == from+1 || code.big && pc == to-1 || !code.big && code.separates(pc, from, to)) {
			return true
		}
	}
	return false
}
