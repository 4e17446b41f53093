package source

import (
	"debug/dwarf"

	"github.com/simtrun/simtrun/internal/debuginfo"
	"github.com/simtrun/simtrun/internal/isa"
)

// reader builds the tables of a module from its DWARF.
type reader struct {
	info    *debuginfo.Info
	debug   *isa.Debug
	callees map[dwarf.Offset]*function
	all     *tables
}

// read returns what the debug information of a module says.
func read(d *isa.Debug) *tables {
	r := &reader{info: debuginfo.Read(d), debug: d, callees: make(map[dwarf.Offset]*function), all: &tables{bodies: make(map[isa.Pos]*body)}}
	if r.info == nil {
		return r.all
	}
	for e := range r.info.Functions {
		r.function(e.Offset)
	}
	for _, fn := range d.Funcs {
		if e := r.info.Body(fn); e != nil {
			b := &body{function: r.function(e.Offset)}
			r.calls(e, b, -1)
			r.all.bodies[fn.Pos] = b
		}
	}
	return r.all
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
	r.all.functions = append(r.all.functions, f)
	return f
}
