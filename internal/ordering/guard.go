package ordering

import "slices"

// Guard is notified before operations access some bytes.
type Guard interface {
	// Passed: an operation is about to access the bytes. It may remove the guard.
	Passed()
}

// guarded is the bytes of a guard.
type guarded struct {
	guard    Guard
	from, to uint64
	writes   bool // only writes count
}

// Guard sets a guard on n bytes from an address on: for writes, or for all accesses.
func (s *Shadow) Guard(g Guard, addr, n uint64, writes bool) {
	for number := addr / pageBytes; number*pageBytes < addr+n; number++ {
		p := s.page(number)
		p.guards = append(p.guards, guarded{g, addr, addr + n, writes})
	}
}

// Unguard removes a guard of n bytes from an address on.
func (s *Shadow) Unguard(g Guard, addr, n uint64) {
	for number := addr / pageBytes; number*pageBytes < addr+n; number++ {
		if p := s.pages[number]; p != nil {
			p.guards = slices.DeleteFunc(p.guards, func(o guarded) bool { return o.guard == g })
		}
	}
}

// passGuards notifies the guards of some of the size bytes from an address on.
func (p *page) passGuards(addr, size uint64, writes bool) {
	if len(p.guards) == 0 {
		return
	}
	for _, g := range slices.Clone(p.guards) {
		if (writes || !g.writes) && g.from < addr+size && addr < g.to {
			g.guard.Passed()
		}
	}
}
