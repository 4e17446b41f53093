package source

import (
	"debug/dwarf"
	"slices"

	"github.com/simtrun/simtrun/internal/debuginfo"
	"github.com/simtrun/simtrun/internal/isa"
)

// reader builds the tables of a module from its DWARF.
type reader struct {
	info    *debuginfo.Info
	callees map[dwarf.Offset]*function
}

// newTables returns the tables of a module, which are empty.
func newTables(d *isa.Debug) *tables {
	t := &tables{bodies: make(map[isa.Pos]*body)}
	if info := debuginfo.Read(d); info != nil {
		t.reader = &reader{info: info, callees: make(map[dwarf.Offset]*function)}
	}
	return t
}

// body returns the debug information of a function in the PTX; nil if it has no DWARF.
func (t *tables) body(fn *isa.Func) *body {
	if t.reader == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	b, known := t.bodies[fn.Pos]
	if known {
		return b
	}
	if e := t.reader.info.Body(fn); e != nil {
		b = &body{}
		t.reader.calls(e, b, -1)
		if len(b.calls) > 0 && t.begins == nil {
			t.begins = t.reader.begins()
		}
	}
	t.bodies[fn.Pos] = b
	return b
}

// begins returns the lines at which functions of the source begin, by file, ascending.
func (r *reader) begins() map[string][]int32 {
	all := make(map[string][]int32)
	r.info.Begins(func(file string, line int32) { all[file] = append(all[file], line) })
	for _, lines := range all {
		slices.Sort(lines)
	}
	return all
}

// calls reads the calls that were inlined below an entry. caller is the number of the call in which they are; -1 for
// the function itself.
func (r *reader) calls(parent *dwarf.Entry, b *body, caller int) {
	r.info.Below(parent, func(e *dwarf.Entry) {
		inner := caller
		if e.Tag == dwarf.TagInlinedSubroutine {
			inner = r.call(e, b, caller)
		}
		r.calls(e, b, inner)
	}, dwarf.TagInlinedSubroutine, dwarf.TagLexDwarfBlock)
}

// call adds an inlined call to a body, and returns its number.
func (r *reader) call(e *dwarf.Entry, b *body, caller int) int {
	c := call{caller: caller, at: isa.Pos{File: r.info.File(e, dwarf.AttrCallFile), Line: int32(debuginfo.Number(e, dwarf.AttrCallLine)), Col: int32(debuginfo.Number(e, dwarf.AttrCallColumn))}}
	if origin, ok := e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset); ok {
		c.callee = r.function(origin)
	}
	c.ranges = r.info.Ranges(e)
	b.calls = append(b.calls, c)
	return len(b.calls) - 1
}

// function returns the function that an entry defines or declares.
func (r *reader) function(at dwarf.Offset) *function {
	e := r.info.Entry(at)
	for e != nil {
		origin, ok := e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset)
		if !ok {
			break
		}
		at, e = origin, r.info.Entry(origin)
	}
	if f := r.callees[at]; f != nil || e == nil {
		return f
	}
	f := &function{symbol: r.info.Symbol(e)}
	if from, line := r.info.Attribute(e, dwarf.AttrDeclLine); from != nil {
		n, _ := line.(int64)
		f.line = int32(n)
	}
	if from, _ := r.info.Attribute(e, dwarf.AttrDeclFile); from != nil {
		f.file = r.info.File(from, dwarf.AttrDeclFile)
	}
	r.callees[at] = f
	return f
}
