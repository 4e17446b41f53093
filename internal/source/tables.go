package source

import (
	"slices"
	"sync"

	"github.com/simtrun/simtrun/internal/debuginfo"
	"github.com/simtrun/simtrun/internal/isa"
)

// tables has the debug information of a module, by function. It is decoded when it is first needed.
type tables struct {
	places sync.Map // of placeKey to Place
	texts  texts    // of the sources

	mu     sync.Mutex
	reader *reader            // nil without DWARF
	bodies map[isa.Pos]*body  // by the position of the function in the PTX; nil for those without DWARF
	begins map[string][]int32 // lines at which functions begin, by file, ascending; nil before it is asked for
}

// function is a function of the source.
type function struct {
	symbol string // mangled
	file   string // of its declaration
	line   int32
}

// body is a function in the PTX.
type body struct {
	calls []call // that were inlined; callers before what they call

	once  sync.Once
	owner []int32 // by PC: number of the innermost call whose callee the instruction is in; -1 for none
}

// call is a call that was inlined.
type call struct {
	callee *function
	at     isa.Pos // of the call
	caller int     // number of the call in whose callee it is; -1 for the function of the body
	ranges []debuginfo.PCs
}

func tablesOf(debug *isa.Debug) *tables {
	return debug.Lines.Once(func() any { return newTables(debug) }).(*tables)
}

// NameParams gives the parameters of a module's kernels their names and types in the source, where these are known.
// They are found when they are asked for.
func NameParams(mod *isa.Module) {
	for _, fn := range mod.Entries() {
		fn.NameParams(func() []isa.Named { return paramsOf(fn) })
	}
}

// paramsOf returns the names and types in the source of a kernel's parameters.
func paramsOf(fn *isa.Func) []isa.Named {
	named := make([]isa.Named, len(fn.Params))
	nameByMangling(fn, named)
	if fn.Debug == nil {
		return named
	}
	params := debuginfo.Of(fn).Parameters(fn)
	if len(params) != len(fn.Params) {
		return named
	}
	known := make(map[string]bool)
	for i, p := range params {
		if p.Name != "" && !known[p.Name] {
			known[p.Name] = true
			named[i] = isa.Named{Name: p.Name, Type: p.Type.String()}
		}
	}
	return named
}

// frames returns the frames of an instruction with a line; nil if it is not in code that was inlined.
func (t *tables) frames(fn *isa.Func, pc int) []Frame {
	b := t.body(fn)
	if b == nil || len(b.calls) == 0 {
		return nil
	}
	b.once.Do(func() { b.owner = t.owners(fn, b) })
	best := int(b.owner[pc])
	if best < 0 {
		return nil
	}
	frames := []Frame{{short(fn.Code[pc].Loc), nameOf(b.calls[best].callee)}}
	for i := best; i >= 0; i = b.calls[i].caller {
		outer := Name(fn.Name)
		if c := b.calls[i].caller; c >= 0 {
			outer = nameOf(b.calls[c].callee)
		}
		frames = append(frames, Frame{short(b.calls[i].at), outer})
	}
	return frames
}

// owners returns the owner of each instruction of a body.
func (t *tables) owners(fn *isa.Func, b *body) []int32 {
	type place struct {
		callee *function
		file   string
		line   int32
	}
	contains := make(map[place]bool)
	owner := make([]int32, len(fn.Code))
	for pc := range owner {
		owner[pc] = -1
	}
	for i := range b.calls {
		c := &b.calls[i]
		for _, r := range c.ranges {
			for pc := max(r.From, 0); pc < min(r.To, len(fn.Code)); pc++ {
				loc := fn.Code[pc].Loc
				key := place{c.callee, loc.File, loc.Line}
				in, known := contains[key]
				if !known {
					in = t.contains(c.callee, loc)
					contains[key] = in
				}
				best := int(owner[pc])
				if in && (best < 0 || b.isWithin(i, best) || r.To-r.From < b.calls[best].sizeAt(pc)) {
					owner[pc] = int32(i)
				}
			}
		}
	}
	return owner
}

func nameOf(f *function) string {
	if f == nil {
		return ""
	}
	return Name(f.symbol)
}

// isWithin reports whether call i is in the callee of call outer, or in a callee of that.
func (b *body) isWithin(i, outer int) bool {
	for ; i >= 0; i = b.calls[i].caller {
		if i == outer {
			return true
		}
	}
	return false
}

// sizeAt returns the size of the range with a PC; 0 if it is in none.
func (c *call) sizeAt(pc int) int {
	for _, r := range c.ranges {
		if r.From <= pc && pc < r.To {
			return r.To - r.From
		}
	}
	return 0
}

// contains reports whether a position is in a function, as far as that is known: clang gives a call the whole range
// from its first to its last instruction, and other code may be in between. Functions end where the next one in the
// file begins.
func (t *tables) contains(f *function, pos isa.Pos) bool {
	if f == nil || f.file != pos.File || f.line > pos.Line {
		return false
	}
	lines := t.begins[pos.File]
	next, _ := slices.BinarySearch(lines, f.line+1)
	return next == len(lines) || lines[next] > pos.Line
}
