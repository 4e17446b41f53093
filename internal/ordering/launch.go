package ordering

import (
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/source"
	"github.com/simtrun/simtrun/interp"
)

// Launch observes the accesses of a launch to global memory. It implements interp.AccessObserver.
type Launch struct {
	shadow *Shadow
	op     *Op
	fns    []*isa.Func
	sites  [][][3]uint32   // numbers of accesses, by function, PC, and kind: load, store, atomic
	first  map[line]int    // PC of the first access of a line in a compiled source
	pages  map[uint64]bool // that were accessed
	over   bool
}

// Instruction is the Place of an access of a kernel. Instructions of one kind that are shown as the same place of a
// source, as in a loop that was unrolled, are one: that of the first access.
type Instruction struct {
	Func *isa.Func
	PC   int
}

// line is a place in a source that was compiled, and the kind of an access there.
type line struct {
	fn, kind int
	place    string
}

// Attach observes a launch, as an operation.
func (s *Shadow) Attach(op *Op, m *interp.Machine, l *interp.Launch) (*Launch, error) {
	fns, err := m.Functions(l.Kernel)
	if err != nil {
		return nil, err
	}
	s.Trim()
	o := &Launch{shadow: s, op: op, fns: fns, first: make(map[line]int), pages: make(map[uint64]bool)}
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
		*n = o.shadow.New(o.op, o.instruction(fn, a.PC, kind), a.Kind != isa.Load, strong)
	}
	return *n
}

// instruction returns the Place of an access.
func (o *Launch) instruction(fn, pc, kind int) Instruction {
	if at := source.At(o.fns[fn], pc); at.IsCompiled() {
		key := line{fn, kind, at.Short()}
		if first, known := o.first[key]; known {
			pc = first
		} else {
			o.first[key] = pc
		}
	}
	return Instruction{o.fns[fn], pc}
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
