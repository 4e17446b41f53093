package debuginfo

import (
	"debug/dwarf"
	"slices"

	"github.com/simtrun/simtrun/internal/isa"
)

// Frame is a function that an instruction belongs to: that of the PTX, or one that was inlined into it.
type Frame struct {
	Symbol string // of the function
	// Vars are the variables that are visible, those of inner blocks first.
	Vars []*Variable
}

// scope is a function, a call that was inlined, or a block.
type scope struct {
	symbol string // of a function or a call; "" for a block
	pcs    []PCs  // nil for a function: all
	vars   []*Variable
	inner  []*scope
}

// Frames returns the functions that an instruction belongs to, innermost first.
func (i *Info) Frames(fn *isa.Func, pc int) []Frame {
	i.mu.Lock()
	defer i.mu.Unlock()
	s := i.scopeOf(fn)
	if s == nil {
		return nil
	}
	frames := []Frame{{Symbol: s.symbol, Vars: s.vars}}
	for in := s.at(pc); in != nil; in = in.at(pc) {
		if in.symbol != "" {
			frames = append(frames, Frame{Symbol: in.symbol})
		}
		f := &frames[len(frames)-1]
		f.Vars = slices.Concat(in.vars, f.Vars)
	}
	slices.Reverse(frames)
	return frames
}

// at returns the scope inside this one that has an instruction: the smallest, because clang gives a call all
// instructions between its first and its last.
func (s *scope) at(pc int) (best *scope) {
	size := 0
	for _, in := range s.inner {
		for _, r := range in.pcs {
			if n := r.To - r.From; r.From <= pc && pc < r.To && (best == nil || n < size) {
				best, size = in, n
			}
		}
	}
	return best
}

// scopeOf returns the scope of a function; nil if it has no debug information.
func (i *Info) scopeOf(fn *isa.Func) *scope {
	if s, known := i.scopes[fn.Pos]; known {
		return s
	}
	var s *scope
	if e := i.Body(fn); e != nil {
		s = i.scope(e, i.Symbol(e))
	}
	i.scopes[fn.Pos] = s
	return s
}

// scope reads the variables and the scopes of an entry.
func (i *Info) scope(e *dwarf.Entry, symbol string) *scope {
	s := &scope{symbol: symbol, pcs: i.Ranges(e)}
	i.Below(e, func(c *dwarf.Entry) {
		switch c.Tag {
		case dwarf.TagVariable, dwarf.TagFormalParameter:
			s.vars = append(s.vars, i.variable(c))
		case dwarf.TagInlinedSubroutine:
			s.inner = append(s.inner, i.scope(c, i.Symbol(c)))
		case dwarf.TagLexDwarfBlock:
			s.inner = append(s.inner, i.scope(c, ""))
		}
	}, dwarf.TagVariable, dwarf.TagFormalParameter, dwarf.TagInlinedSubroutine, dwarf.TagLexDwarfBlock)
	if symbol != "" {
		s.vars = append(s.vars, i.placeless(e)...)
	}
	return s
}

// placeless returns the parameters of a function that its code has no entry for, because they have no place there, such
// as this of a lambda that was inlined.
func (i *Info) placeless(e *dwarf.Entry) (all []*Variable) {
	of, ok := e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset)
	if !ok || i.Entry(of) == nil {
		return nil
	}
	var has []dwarf.Offset
	i.Below(e, func(c *dwarf.Entry) {
		at, _ := c.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset)
		has = append(has, at)
	}, dwarf.TagFormalParameter)
	i.Below(i.Entry(of), func(c *dwarf.Entry) {
		if !slices.Contains(has, c.Offset) {
			all = append(all, i.variable(c))
		}
	}, dwarf.TagFormalParameter)
	return all
}

// Parameters returns the parameters of a function; nil if it has no debug information.
func (i *Info) Parameters(fn *isa.Func) (all []*Variable) {
	if i == nil {
		return nil
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if e := i.Body(fn); e != nil {
		i.Below(e, func(c *dwarf.Entry) { all = append(all, i.variable(c)) }, dwarf.TagFormalParameter)
	}
	return all
}

// TemplateType returns the type that a parameter of a function's template stands for; nil if there is none.
func (i *Info) TemplateType(fn *isa.Func, name string) (t *Type) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if e := i.Body(fn); e != nil {
		i.Below(e, func(c *dwarf.Entry) {
			if i.text(c, dwarf.AttrName) == name {
				t = i.typeOf(c)
			}
		}, dwarf.TagTemplateTypeParameter)
	}
	return t
}

// Result returns the type of what a function returns; nil for void, or if it has no debug information.
func (i *Info) Result(fn *isa.Func) *Type {
	if i == nil {
		return nil
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	e := i.Body(fn)
	if _, v := i.Attribute(e, dwarf.AttrType); v == nil {
		return nil
	}
	return i.typeOf(e)
}

// Globals returns the variables that are not in a function, and members of classes that are constants.
func (i *Info) Globals() []*Variable {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.global != nil {
		return i.global
	}
	i.global = []*Variable{}
	local := 0 // depth below a function or type; 0 outside
	for _, m := range i.marks {
		switch outside := m.tag == dwarf.TagCompileUnit || m.tag == dwarf.TagNamespace; {
		case m.tag == dwarf.TagVariable && local == 0 || m.tag == dwarf.TagMember && m.form.has(dwarf.AttrConstValue):
			e := i.Entry(m.at)
			v := i.variable(e)
			v.Global = i.qualifiedOf(e)
			i.global = append(i.global, v)
		case m.tag == 0:
			local = max(local-1, 0)
		case m.children && (local > 0 || !outside):
			local++
		}
	}
	return i.global
}

// HasVariables reports whether the sources' variables are described, and not only the parameters of kernels, which
// simtrun cc always describes.
func (i *Info) HasVariables() bool { return i != nil && i.hasVariables }

// Variable is a variable or parameter of the source.
type Variable struct {
	Name   string
	Global string // of a variable outside functions: the name with namespaces and classes
	Symbol string // in PTX, of a variable that is not local
	Type   *Type
	Param  bool
	Line   int64 // of its declaration

	constant any // of DW_AT_const_value
	location []byte
	list     int64 // offset of its location list; -1 if it has none
	space    Space
}

// variable reads a variable or parameter.
func (i *Info) variable(e *dwarf.Entry) *Variable {
	v := &Variable{Name: i.text(e, dwarf.AttrName), Symbol: i.Symbol(e), Param: e.Tag == dwarf.TagFormalParameter, list: -1, space: InGeneric}
	v.Type = i.typeOf(e)
	if from, _ := i.Attribute(e, dwarf.AttrDeclLine); from != nil {
		v.Line = Number(from, dwarf.AttrDeclLine)
	}
	_, v.constant = i.Attribute(e, dwarf.AttrConstValue)
	if class, ok := e.Val(dwarf.AttrAddrClass).(int64); ok {
		v.space = Space(class)
	}
	switch at := e.Val(dwarf.AttrLocation).(type) {
	case []byte:
		v.location = at
	case int64:
		v.list = at
	}
	return v
}
