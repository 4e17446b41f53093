package program

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/simtrun/simtrun/internal/hazard"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
)

// Contention is the set of accesses that may conflict with other warps of the CTA between two barriers: they may
// access the same word, and one of the two is a store (see package hazard). It depends on a launch's block and
// pointers.
type Contention struct {
	at [][]bool // by number of function and PC; nil for functions without any
	// Repeats says that all of them access the same places of shared memory in every CTA that takes the same branches.
	Repeats bool
	// Timed says that the marked instructions are left for another reason: with a clock, code only computes and loads.
	Timed bool
	// Watched says that they are left because an observer watches them.
	Watched bool
	// trail marks instructions that code executes and leaves a trail of, because observers are notified of them later,
	// or because the clock needs their addresses; nil if there are none.
	trail [][]bool
}

// Leave returns a Contention of the instructions that are marked, by number of the function and PC, for code of a
// launch with a clock. Code leaves a trail of those of trail, which may be nil.
func Leave(at, trail [][]bool) *Contention { return &Contention{at: at, Timed: true, trail: trail} }

// LoadsPlainly reports whether the instruction at pc is a load without a guard, from memory that all lanes share, which
// orders nothing.
func (f *Func) LoadsPlainly(pc int) bool {
	op, in := &f.Ops[pc], &f.Info[pc]
	if isa.Kind(op.Kind) != isa.Load || op.Mem == nil || op.Guard != f.Layout.True || in.Polls || in.Acquires {
		return false
	}
	switch in.Space {
	case isa.Shared, isa.Global, isa.Const, isa.Generic:
		return in.Image == nil && in.Copy == nil && in.Mbarrier == nil && in.Tensor == nil && in.Answer == nil
	}
	return false
}

// YieldsInCode reports whether code executes the instruction at pc of f although it is marked, and exits right after
// it: an access of the launch's own schedule that needs no more of the engine than the switch to another warp. Only
// conflicts in shared memory are recorded.
func (c *Contention) YieldsInCode(f *Func, pc int) bool {
	return c != nil && !c.Timed && !c.Watched && c.trail == nil && f.accessesGlobalPlainly(pc)
}

// accessesGlobalPlainly reports whether the instruction at pc is a weak access to global memory without a guard.
func (f *Func) accessesGlobalPlainly(pc int) bool {
	op, in := &f.Ops[pc], &f.Info[pc]
	switch isa.Kind(op.Kind) {
	case isa.Load:
		return in.Space == isa.Global && f.LoadsPlainly(pc)
	case isa.Store:
		return op.Mem != nil && op.Guard == f.Layout.True && in.Space == isa.Global && !in.Strong &&
			in.Image == nil && in.Copy == nil && in.Mbarrier == nil && in.Tensor == nil && in.Answer == nil
	}
	return false
}

// IsWatched reports whether code leaves instructions that observers watch.
func (c *Contention) IsWatched() bool { return c != nil && c.Watched }

// Watch returns a Contention of the instructions that observers watch, by number of the function and PC. Those of trail
// may be executed before observers are notified of them, and the others not.
func Watch(at, trail [][]bool) *Contention { return &Contention{at: at, Watched: true, trail: trail} }

// And returns a Contention of the instructions that c or o marks, for the reason of c.
func (c *Contention) And(o *Contention) *Contention {
	all := &Contention{at: make([][]bool, len(c.at)), Watched: c.Watched, trail: c.trail}
	for i := range c.at {
		all.at[i] = slices.Clone(c.at[i])
		for pc, marked := range o.at[i] {
			all.at[i][pc] = all.at[i][pc] || marked
		}
	}
	return all
}

// Equal reports whether c marks the same instructions as o, for the same reason.
func (c *Contention) Equal(o *Contention) bool {
	return c.Repeats == o.Repeats && c.Timed == o.Timed && c.Watched == o.Watched && slices.EqualFunc(c.at, o.at, slices.Equal) && slices.EqualFunc(c.trail, o.trail, slices.Equal)
}

// IsTimed reports whether code only computes and loads, because the launch has a clock.
func (c *Contention) IsTimed() bool { return c != nil && c.Timed }

// Of reports, by PC, whether an instruction of f is such an access; nil if none is.
func (c *Contention) Of(f *Func) []bool {
	if c == nil {
		return nil
	}
	return c.at[f.Number]
}

// Trail reports, by PC, whether code leaves a trail of an instruction of f; nil if of none. Those that Of reports are
// left to the engine all the same.
func (c *Contention) Trail(f *Func) []bool {
	if c == nil || c.trail == nil {
		return nil
	}
	return c.trail[f.Number]
}

// contentions caches the Contentions of one program.
type contentions struct {
	once     sync.Once
	hazards  []*hazard.Hazards // by function; nil for functions without any
	pointers []int64           // of all hazards
	any      bool

	mu    sync.Mutex
	known map[contentionKey]*Contention
}

// contentionKey has the properties of a launch on which its Contention depends.
type contentionKey struct {
	block isa.Dim
	equal string // for each pointer, the first pointer with the same value
}

// Contention returns the accesses that may conflict between warps of a CTA, in a launch of the kernel with a block and
// a parameter block; nil if there are none. Launches with equal Contentions share one pointer.
func (p *Program) Contention(block isa.Dim, params []byte) *Contention {
	c := &p.contentions
	c.once.Do(p.findHazards)
	if !c.any || block.Count() <= lanes.Width {
		return nil
	}
	key := contentionKey{block, equalities(c.pointers, params)}
	c.mu.Lock()
	defer c.mu.Unlock()
	found, known := c.known[key]
	if !known {
		found = c.find(block, params, p.Funcs)
		for _, other := range c.known {
			if found != nil && other != nil && slices.EqualFunc(found.at, other.at, slices.Equal) {
				found = other
			}
		}
		c.known[key] = found
	}
	return found
}

// findHazards analyses all functions of the program.
func (p *Program) findHazards() {
	c := &p.contentions
	c.known = make(map[contentionKey]*Contention)
	syncs := p.Executing(func(f *Func, pc int) bool { return f.Info[pc].synchronises(isa.Kind(f.Ops[pc].Kind)) })
	for _, f := range p.Funcs {
		h := hazard.Find(f.Src, f.Graph, func(pc int) bool {
			return f.Info[pc].synchronises(isa.Kind(f.Ops[pc].Kind)) || syncs.ByCall(f.Info[pc].Call)
		})
		if c.hazards = append(c.hazards, h); h != nil {
			c.any = true
			c.pointers = append(c.pointers, h.Pointers...)
		}
	}
	slices.Sort(c.pointers)
	c.pointers = slices.Compact(c.pointers)
}

// synchronises reports whether an instruction waits for other warps of the CTA.
func (in *Info) synchronises(kind isa.Kind) bool {
	switch kind {
	case isa.Barrier:
		return in.BarOp != isa.BarArrive
	case isa.ClusterBarrier:
		return in.BarOp == isa.BarWait
	case isa.Load:
		return in.Mbarrier != nil
	}
	return false
}

// WaitsForOthers reports whether a thread of the kernel may wait for threads of other CTAs in other ways than at a
// barrier of the cluster: at an mbarrier, or by the value of a strong load or of an atomic.
func (p *Program) WaitsForOthers() bool {
	p.waitsOnce.Do(func() {
		for _, f := range p.Funcs {
			for pc := range f.Ops {
				in := &f.Info[pc]
				p.waits = p.waits || in.Mbarrier != nil || in.Polls && writesRegister(&f.Src.Code[pc])
			}
		}
	})
	return p.waits
}

// writesRegister reports whether an instruction has a result in a register.
func writesRegister(in *isa.Instr) bool {
	for ref := range in.Refs {
		if ref.Role.Writes() {
			return true
		}
	}
	return false
}

// find returns the accesses of all functions that may conflict; nil if there are none.
func (c *contentions) find(block isa.Dim, params []byte, funcs []*Func) *Contention {
	found := &Contention{at: make([][]bool, len(funcs)), Repeats: true}
	equal := func(p, q int64) bool { return pointerAt(params, p) == pointerAt(params, q) }
	any := false
	for i, h := range c.hazards {
		mark := make([]bool, len(funcs[i].Ops))
		if h == nil {
			continue
		}
		if meet, repeats := h.In(block, equal, mark); meet {
			found.at[i], any = mark, true
			found.Repeats = found.Repeats && repeats
		}
	}
	if !any {
		return nil
	}
	return found
}

// equalities returns contentionKey.equal for the pointers in params.
func equalities(pointers []int64, params []byte) string {
	if len(pointers) == 0 {
		return ""
	}
	var s strings.Builder
	for i, p := range pointers {
		first := slices.IndexFunc(pointers[:i], func(q int64) bool { return pointerAt(params, p) == pointerAt(params, q) })
		if first >= 0 {
			fmt.Fprintf(&s, "%d=%d ", i, first)
		}
	}
	return s.String()
}

// pointerAt returns the pointer at an offset in a parameter block; 0 if the block is too short.
func pointerAt(params []byte, offset int64) uint64 {
	if offset+8 > int64(len(params)) {
		return 0
	}
	return binary.LittleEndian.Uint64(params[offset:])
}
