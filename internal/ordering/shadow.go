package ordering

const (
	pageBytes = 4096
	wordBytes = 4
)

// Place is where an access is made: an instruction of a kernel, or a call of the host. It must be comparable.
type Place any

// access is an access of an operation. Accesses by one instruction of one launch are one.
type access struct {
	op     *Op
	place  Place
	writes bool
	strong bool // atomic, or of another kind that does not race with its like
}

// cell is the shadow of some bytes: the accesses, by their numbers, that have written them last and read them since.
// 0 is none. Several accesses have the number of their set, with the highest bit set.
type cell struct{ write, read uint32 }

const isSet = 1 << 31

// page is the shadow of pageBytes bytes, with 1 cell, a cell for each word, or a cell for each byte.
type page struct {
	cells  []cell
	guards []guarded
	whole  [1]cell // the memory of a single cell
}

func newPage() *page {
	p := new(page)
	p.cells = p.whole[:]
	return p
}

// Shadow is the shadow of memory, by address.
type Shadow struct {
	pages    map[uint64]*page
	accesses []access
	sets     [][]uint32
	grown    map[[2]uint32]uint32 // value of the accesses of a value and another one
	found    map[pair]*Conflict
	all      []*Conflict
	one      [1]uint32 // scratch of members
}

// Conflict is accesses that race: those of two places.
type Conflict struct {
	Earlier, Later Side
	Addr           uint64 // of the first bytes
	Bytes          uint64 // number of bytes, of all occurrences
}

// Side is one side of a conflict.
type Side struct {
	Op     *Op
	Place  Place
	Writes bool
}

// pair identifies conflicts.
type pair struct {
	earlier, later Place
	kinds          [2]bool
}

// mostAccesses is the number of accesses at which the shadow is forgotten.
const mostAccesses = 1 << 22

// NewShadow returns the shadow of memory that nothing has accessed.
func NewShadow() *Shadow {
	s := &Shadow{found: make(map[pair]*Conflict)}
	s.reset()
	return s
}

func (s *Shadow) reset() {
	guards := make(map[uint64]*page)
	for n, p := range s.pages {
		if len(p.guards) > 0 {
			guards[n] = newPage()
			guards[n].guards = p.guards
		}
	}
	s.pages, s.accesses, s.sets, s.grown = guards, make([]access, 1), nil, make(map[[2]uint32]uint32)
}

// New returns the number of an access, which stands for all accesses of an operation from a place.
func (s *Shadow) New(op *Op, place Place, writes, strong bool) uint32 {
	s.accesses = append(s.accesses, access{op, place, writes, strong})
	return uint32(len(s.accesses) - 1)
}

// Trim forgets all accesses if there are too many. Numbers of accesses are not valid afterwards.
func (s *Shadow) Trim() {
	if len(s.accesses)+len(s.sets) > mostAccesses {
		s.reset()
	}
}

// Conflicts returns the conflicts since the latest call.
func (s *Shadow) Conflicts() []*Conflict {
	all := s.all
	s.all = nil
	return all
}

// Forget forgets the accesses to n bytes from an address on, because they have been freed.
func (s *Shadow) Forget(addr, n uint64) {
	clear := func(number uint64) {
		from, to := max(addr, number*pageBytes), min(addr+n, (number+1)*pageBytes)
		s.each(from, to-from, true, func(c *cell, _, _ uint64) { *c = cell{} })
		s.compact(from, to-from)
	}
	first, end := addr/pageBytes, (addr+n+pageBytes-1)/pageBytes
	if end-first < uint64(len(s.pages)) {
		for number := first; number < end; number++ {
			if s.pages[number] != nil {
				clear(number)
			}
		}
		return
	}
	for number := range s.pages {
		if first <= number && number < end {
			clear(number)
		}
	}
}

// Access makes an access to n bytes from an address on.
func (s *Shadow) Access(number uint32, addr, n uint64) {
	a := &s.accesses[number]
	s.each(addr, n, a.writes, func(c *cell, at, size uint64) {
		if a.writes {
			s.write(c, number, a, at, size)
		} else {
			s.read(c, number, a, at, size)
		}
	})
}

// Look checks a read of n bytes from an address on by an operation that ends with it.
func (s *Shadow) Look(after Clock, what any, place Place, addr, n uint64) {
	a := &access{op: &Op{What: what, count: 1, After: after}, place: place}
	s.each(addr, n, false, func(c *cell, at, size uint64) {
		for _, w := range s.members(c.write) {
			s.check(w, a, at, size)
		}
	})
}

// each calls f for the cells of n bytes from an address on, with the address and size of each, after the guards.
func (s *Shadow) each(addr, n uint64, writes bool, f func(c *cell, addr, size uint64)) {
	for n > 0 {
		off := addr % pageBytes
		size := min(n, pageBytes-off)
		p := s.page(addr / pageBytes)
		p.passGuards(addr, size, writes)
		p.refine(off, size)
		unit := uint64(pageBytes / len(p.cells))
		for i := off / unit; i*unit < off+size; i++ {
			f(&p.cells[i], addr-off+i*unit, unit)
		}
		addr += size
		n -= size
	}
}

func (s *Shadow) page(number uint64) *page {
	p := s.pages[number]
	if p == nil {
		p = newPage()
		s.pages[number] = p
	}
	return p
}

// refine gives the page cells so small that some are just the bytes.
func (p *page) refine(off, size uint64) {
	cells := 1
	switch {
	case (off|size)%wordBytes != 0:
		cells = pageBytes
	case size < pageBytes:
		cells = pageBytes / wordBytes
	}
	if cells <= len(p.cells) {
		return
	}
	old, each := p.cells, cells/len(p.cells)
	p.cells = make([]cell, cells)
	for i := range p.cells {
		p.cells[i] = old[i/each]
	}
}

// compact makes the pages of n bytes from an address on small again if all of their cells are equal.
func (s *Shadow) compact(addr, n uint64) {
	for number := addr / pageBytes; number*pageBytes < addr+n; number++ {
		p := s.pages[number]
		if p == nil || len(p.cells) == 1 {
			continue
		}
		equal := true
		for i := range p.cells {
			if p.cells[i] != p.cells[0] {
				equal = false
				break
			}
		}
		if equal {
			p.whole[0] = p.cells[0]
			p.cells = p.whole[:]
		}
	}
}

func (s *Shadow) write(c *cell, number uint32, a *access, addr, size uint64) {
	if c.write == number && c.read == 0 {
		return
	}
	for _, w := range s.members(c.write) {
		s.check(w, a, addr, size)
	}
	for _, r := range s.members(c.read) {
		s.check(r, a, addr, size)
	}
	*c = cell{write: s.with(c.write, number, a)}
}

func (s *Shadow) read(c *cell, number uint32, a *access, addr, size uint64) {
	if c.read == number {
		return
	}
	for _, w := range s.members(c.write) {
		s.check(w, a, addr, size)
	}
	c.read = s.with(c.read, number, a)
}

// with returns the value of the accesses of another one and of a, which has a number. A write that is not strong
// replaces all others: an access that is not ordered after them races with it, too.
func (s *Shadow) with(value, number uint32, a *access) uint32 {
	if value == 0 || a.writes && !a.strong {
		return number
	}
	key := [2]uint32{value, number}
	set, known := s.grown[key]
	if !known {
		set = s.add(value, number, a)
		s.grown[key] = set
	}
	return set
}

// members returns the accesses of a value of a cell, until the next call.
func (s *Shadow) members(v uint32) []uint32 {
	switch {
	case v == 0:
		return nil
	case v&isSet != 0:
		return s.sets[v&^isSet]
	}
	s.one[0] = v
	return s.one[:]
}

// add returns a new value of the accesses of another one and of a. It omits accesses that come before a: any access
// that races with one of them and not with a would have to come before a.
func (s *Shadow) add(value, number uint32, a *access) uint32 {
	var all []uint32
	for _, r := range s.members(value) {
		if b := &s.accesses[r]; b.op == a.op && b.strong == a.strong {
			return value
		} else if !b.op.IsBefore(a.op.After) || b.strong != a.strong {
			all = append(all, r)
		}
	}
	if all == nil {
		return number
	}
	s.sets = append(s.sets, append(all, number))
	return uint32(len(s.sets)-1) | isSet
}

// check records a conflict if an earlier access races with a.
func (s *Shadow) check(earlier uint32, a *access, addr, size uint64) {
	b := &s.accesses[earlier]
	if earlier == 0 || b.op == a.op || b.strong && a.strong || b.op.IsBefore(a.op.After) || a.op.count == 0 {
		return
	}
	key := pair{b.place, a.place, [2]bool{b.writes, a.writes}}
	c := s.found[key]
	if c == nil {
		c = &Conflict{Earlier: Side{b.op, b.place, b.writes}, Later: Side{a.op, a.place, a.writes}, Addr: addr}
		s.found[key] = c
		s.all = append(s.all, c)
	}
	c.Bytes += size
}
