package ordering

import (
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/interp"
)

// Launch observes the accesses of a launch to global memory. It implements interp.AccessObserver.
type Launch struct {
	shadow *Shadow
	op     *Op
	fns    []*isa.Func
	sites  [][][3]uint32   // numbers of accesses, by function, PC, and kind: load, store, atomic
	pages  map[uint64]bool // that were accessed
	over   bool
}

// Instruction is the Place of an access of a kernel.
type Instruction struct {
	Func *isa.Func
	PC   int
}

// Attach observes a launch, as an operation.
func (s *Shadow) Attach(op *Op, m *interp.Machine, l *interp.Launch) (*Launch, error) {
	fns, err := m.Functions(l.Kernel)
	if err != nil {
		return nil, err
	}
	s.Trim()
	o := &Launch{shadow: s, op: op, fns: fns, pages: make(map[uint64]bool)}
	for _, fn := range fns {
		o.sites = append(o.sites, make([][3]uint32, len(fn.Code)))
	}
	l.Observe(o)
	return o, nil
}

// Accessed implements interp.AccessObserver.
func (o *Launch) Accessed(at *interp.Place, a *interp.Access) {
	if isa.Space(a.Space) != isa.Global || o.over {
		return
	}
	number := o.number(at.Func, a)
	size := a.Size
	for m := a.Lanes; m != 0; {
		lane := m.First()
		from := a.Base + a.At(lane)
		end := from + size
		m &= m - 1
		for m != 0 { // lanes that access the following places
			next := m.First()
			if a.Base+a.At(next) != end {
				break
			}
			end += size
			m &= m - 1
		}
		o.pages[from/pageBytes] = true
		o.shadow.Access(number, from, end-from)
	}
}

// number returns the number of an access.
func (o *Launch) number(fn int, a *interp.Access) uint32 {
	kind := 0
	switch a.Kind {
	case isa.Store:
		kind = 1
	case isa.Atomic:
		kind = 2
	}
	n := &o.sites[fn][a.PC][kind]
	if *n == 0 {
		in := &o.fns[fn].Code[a.PC]
		strong := a.Kind == isa.Atomic || in.Spec != nil && in.Mods[isa.Sem] > isa.SemWeak
		*n = o.shadow.New(o.op, Instruction{o.fns[fn], a.PC}, a.Kind != isa.Load, strong)
	}
	return *n
}

// Leave ends the observation before the launch ends: its accesses race with nothing.
func (o *Launch) Leave() {
	o.over = true
	o.op.uncheck()
}

// End ends the observation of a launch.
func (o *Launch) End() {
	o.over = true
	for number := range o.pages {
		o.shadow.compact(number*pageBytes, pageBytes)
	}
}
