package interp

import (
	"sort"

	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/native"
	"github.com/simtrun/simtrun/internal/program"
)

// partsKey is a function for which native.PartsOf is known.
type partsKey struct {
	f     *program.Func
	shape native.Shape
}

// partsOf returns native.PartsOf, which it finds once.
func (n *natives) partsOf(f *program.Func, shape native.Shape) []native.Part {
	n.mu.Lock()
	defer n.mu.Unlock()
	key := partsKey{f, shape}
	parts, known := n.parts[key]
	if !known {
		if parts = native.PartsOf(f, shape); n.cut > 0 {
			parts = cutEvery(n.cut, len(f.Ops))
		}
		if n.parts == nil {
			n.parts = make(map[partsKey][]native.Part)
		}
		n.parts[key] = parts
	}
	return parts
}

// cutEvery returns parts of n instructions of a function with end instructions.
func cutEvery(n, end int) (parts []native.Part) {
	for first := 0; first < end; first += n {
		parts = append(parts, native.Part{First: first, End: min(first+n, end)})
	}
	return parts
}

// elsewhere notes that execNative has reached another part of the function.
const elsewhere = lanes.Why(0xff)

// yielded notes that code has executed an access that may conflict with another warp's.
const yielded = lanes.Why(0xfe)

// execParts is exec for a function that is compiled in parts. Each has its own heat.
func (e *Engine) execParts(parts []compiledFunc) lanes.Why {
	p := &e.path
	for p.PC != p.Stop {
		n := &parts[sort.Search(len(parts), func(i int) bool { return p.PC < parts[i].part.End })]
		if n.Func == nil && !n.tried && (n.heat >= n.ask && e.isWorthCode(n) || e.madeElsewhere(n)) {
			e.compile(n)
		}
		if n.Func != nil {
			if why := e.execNative(n); why != elsewhere {
				return why
			}
			continue
		}
		before := p.Steps + uint64(p.PC-p.First)
		why, done := e.execLanes(n.part.End)
		n.heat += p.Steps + uint64(p.PC-p.First) - before
		if done {
			return why
		}
	}
	return lanes.AtStop
}
