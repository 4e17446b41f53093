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

// Contention is the accesses at which warps of a CTA may meet between two barriers, in
// launches of a kernel that are alike (see package hazard).
type Contention struct {
	at [][]bool // by number of function and PC; nil for functions without any
	// Repeats says that all go to the same places of shared memory in every CTA that takes the same branches.
	Repeats bool
}

// Of is, by PC, whether an instruction of f is one of them; nil if none is.
func (c *Contention) Of(f *Func) []bool {
	if c == nil {
		return nil
	}
	return c.at[f.Number]
}

// contentions are those of one program.
type contentions struct {
	once     sync.Once
	hazards  []*hazard.Hazards // by function; nil for those without
	pointers []int64           // of all hazards
	any      bool

	mu    sync.Mutex
	known map[contentionKey]*Contention
}

// contentionKey is what of a launch decides where warps may meet.
type contentionKey struct {
	block isa.Dim
	equal string // by pointer, the first one that it equals
}

// Contention is where warps of a CTA may meet in a launch of the kernel with a block and
// a parameter block; nil if they do nowhere. Launches for which it is the same have the
// same one.
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

// findHazards looks at all functions of the program.
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

// find is the accesses of all functions that may meet; nil if there are none.
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

// equalities says which pointers are equal.
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

// pointerAt is a pointer in a parameter block; 0 if that is too short.
func pointerAt(params []byte, offset int64) uint64 {
	if offset+8 > int64(len(params)) {
		return 0
	}
	return binary.LittleEndian.Uint64(params[offset:])
}
