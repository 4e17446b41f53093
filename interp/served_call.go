package interp

import (
	"unsafe"

	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/libdevice"
	"github.com/simtrun/simtrun/internal/program"
)

// servedCall is the memory for a call of a libdevice function that is written in Go.
type servedCall struct {
	vectors libdevice.Vectors
	args    [4]valueMemory
	results [3]valueMemory
}

// valueMemory is memory for a value in each lane that is not in a register of its width.
type valueMemory struct {
	word [lanes.Width]uint32
	long [lanes.Width]uint64
}

// serve executes a call of a libdevice function that is written in Go.
func (e *Engine) serve(call *systemCall) {
	f, v, site := call.site.Served, &e.served.vectors, call.site
	v.Lanes = call.mask
	for i := range site.Args {
		memory := &e.served.args[i]
		var inPlace bool
		if v.Args[i], inPlace = call.vector(&site.Args[i], f.Params[i].IsLong(), memory); !inPlace {
			call.gather(i, f.Params[i].IsLong(), memory)
		}
	}
	for i := range site.Rets {
		v.Results[i], _ = call.vector(&site.Rets[i], f.Results[i].IsLong(), &e.served.results[i])
	}
	f.EvalLanes(v)
	for i := range site.Rets {
		memory := &e.served.results[i]
		if v.Results[i].Long == &memory.long {
			call.scatter(i, f.Results[i].IsLong(), memory)
		}
	}
}

// vector returns the values of 32 or 64 bits in a register of this width, in place, and else those in memory.
func (s *systemCall) vector(a *program.Location, long bool, memory *valueMemory) (v libdevice.Vector, inPlace bool) {
	switch {
	case !a.InReg || a.Pred || a.Wide != long:
		return libdevice.Vector{Word: &memory.word, Long: &memory.long}, false
	case long:
		return libdevice.Vector{Long: lanes.Reg[uint64](s.from.File, a.Slot)}, true
	}
	return libdevice.Vector{Word: lanes.Reg[uint32](s.from.File, a.Slot)}, true
}

// gather copies argument i to memory.
func (s *systemCall) gather(i int, long bool, memory *valueMemory) {
	switch a := &s.site.Args[i]; {
	case a.InReg || a.Size < 4 || long && a.Size < 8:
		for m := s.mask; m != 0; m &= m - 1 {
			lane := firstLane(m)
			memory.long[lane] = s.arg(i, lane)
			memory.word[lane] = uint32(memory.long[lane])
		}
	case long:
		gatherWords(s, a, &memory.long)
	default:
		gatherWords(s, a, &memory.word)
	}
}

// scatter copies result i from memory.
func (s *systemCall) scatter(i int, long bool, memory *valueMemory) {
	switch r := &s.site.Rets[i]; {
	case r.InReg || long && r.Size != 8 || !long && r.Size != 4:
		for m := s.mask; m != 0; m &= m - 1 {
			lane := firstLane(m)
			bits := uint64(memory.word[lane])
			if long {
				bits = memory.long[lane]
			}
			s.result(i, lane, bits)
		}
	case long:
		scatterWords(s, r, &memory.long)
	default:
		scatterWords(s, r, &memory.word)
	}
}

// gatherWords copies the words of a .param variable.
func gatherWords[T uint32 | uint64](s *systemCall, a *program.Location, to *[lanes.Width]T) {
	src, stride := wordsOf[T](s.from, a)
	for m := s.mask; m != 0; m &= m - 1 {
		lane := firstLane(m) % lanes.Width
		to[lane] = *(*T)(unsafe.Add(src, uintptr(lane)*stride))
	}
}

// scatterWords copies words to a .param variable.
func scatterWords[T uint32 | uint64](s *systemCall, a *program.Location, from *[lanes.Width]T) {
	dst, stride := wordsOf[T](s.from, a)
	for m := s.mask; m != 0; m &= m - 1 {
		lane := firstLane(m) % lanes.Width
		*(*T)(unsafe.Add(dst, uintptr(lane)*stride)) = from[lane]
	}
}
