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
	in := r.info.Data.Reader()
	for _, fn := range d.Funcs {
		e := r.info.Body(fn)
		if e == nil {
			continue
		}
		b := &body{function: r.function(e.Offset)}
		in.Seek(e.Offset)
		if _, err := in.Next(); err == nil {
			r.children(in, e, b, -1)
		}
		r.all.bodies[fn.Pos] = b
	}
	return r.all
}

// children reads the parameters, and the calls that were inlined, below an entry. caller is the number of the call in
// which they are; -1 for the function itself.
func (r *reader) children(in *dwarf.Reader, parent *dwarf.Entry, b *body, caller int) {
	if !parent.Children {
		return
	}
	for e, err := in.Next(); err == nil && e != nil && e.Tag != 0; e, err = in.Next() {
		switch {
		case e.Tag == dwarf.TagFormalParameter && caller < 0:
			b.params = append(b.params, r.param(e))
		case e.Tag == dwarf.TagInlinedSubroutine:
			r.children(in, e, b, r.call(e, b, caller))
			continue
		case e.Tag == dwarf.TagLexDwarfBlock:
			r.children(in, e, b, caller)
			continue
		}
		if e.Children {
			in.SkipChildren()
		}
	}
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

func (r *reader) param(e *dwarf.Entry) param {
	_, name := r.info.Attribute(e, dwarf.AttrName)
	p := param{}
	p.Name, _ = name.(string)
	_, typ := r.info.Attribute(e, dwarf.AttrType)
	at, _ := typ.(dwarf.Offset)
	p.Type = r.info.TypeAt(at).String()
	return p
}
