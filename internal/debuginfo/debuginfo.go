// Package debuginfo reads the DWARF sections of PTX: which functions and variables the source has, which of the
// variables are visible at an instruction, their types, and where their values are.
//
// It reads what the NVPTX back end of clang writes, DWARF 2 to 4: variables in memory are symbols of PTX with an offset
// and an address class, and registers are numbers that hold the characters of their names.
package debuginfo

import (
	"debug/dwarf"
	"strconv"
	"sync"

	"github.com/simtrun/simtrun/internal/isa"
)

// Info is the debug information of a module.
type Info struct {
	Data    *dwarf.Data
	debug   *isa.Debug
	entries map[dwarf.Offset]*dwarf.Entry
	bodies  map[isa.Pos]dwarf.Offset // functions with code, by their position in the PTX
	funcs   []*dwarf.Entry           // all functions, with declarations and those without code, in their order
	global  []*Variable
	// hasVariables is false if only parameters without places are described.
	hasVariables bool
	symbols      []string
	loc          []byte // .debug_loc

	mu     sync.Mutex
	types  map[dwarf.Offset]*Type
	named  names
	scopes map[isa.Pos]*scope
}

// Of returns the debug information of the module that a function belongs to; nil if there is none, or if it is wrong.
func Of(fn *isa.Func) *Info {
	if fn.Debug == nil {
		return nil
	}
	return Read(fn.Debug)
}

// Read returns the debug information of a module; nil if there is none, or if it is wrong.
func Read(d *isa.Debug) *Info {
	return d.DWARF.Once(func() any { return read(d) }).(*Info)
}

func read(d *isa.Debug) *Info {
	if d.Sections[".debug_info"] == "" || d.Sections[".debug_abbrev"] == "" {
		return nil
	}
	a := newAssembler(d)
	bytes := func(name string) []byte { return a.bytes(d.Sections[name]) }
	data, err := dwarf.New(bytes(".debug_abbrev"), nil, nil, bytes(".debug_info"), nil, nil, bytes(".debug_ranges"), bytes(".debug_str"))
	if err != nil {
		return nil
	}
	i := &Info{Data: data, debug: d, loc: bytes(".debug_loc"), types: make(map[dwarf.Offset]*Type), scopes: make(map[isa.Pos]*scope)}
	i.symbols = a.symbols
	if !i.index() {
		return nil
	}
	return i
}

// index reads all entries, to which others refer. It returns false if the information is wrong.
func (i *Info) index() bool {
	i.entries, i.bodies = make(map[dwarf.Offset]*dwarf.Entry), make(map[isa.Pos]dwarf.Offset)
	var global []*dwarf.Entry
	local := 0 // depth below a function or type; 0 outside
	in := i.Data.Reader()
	for {
		e, err := in.Next()
		if err != nil {
			return false
		}
		if e == nil {
			break
		}
		i.entries[e.Offset] = e
		if e.Tag == dwarf.TagSubprogram {
			i.funcs = append(i.funcs, e)
			if n, ok := i.functionAt(e); ok {
				i.bodies[i.debug.Funcs[n].Pos] = e.Offset
			}
		}
		if e.Tag == dwarf.TagVariable || e.Tag == dwarf.TagFormalParameter && e.Val(dwarf.AttrLocation) != nil {
			i.hasVariables = true
		}
		switch outside := e.Tag == dwarf.TagCompileUnit || e.Tag == dwarf.TagNamespace; {
		case e.Tag == dwarf.TagVariable && local == 0:
			global = append(global, e)
		case e.Tag == 0:
			local = max(local-1, 0)
		case e.Children && (local > 0 || !outside):
			local++
		}
	}
	for _, e := range global {
		i.global = append(i.global, i.variable(e))
	}
	return true
}

// functionAt returns the number in the module of the function with the code of an entry.
func (i *Info) functionAt(e *dwarf.Entry) (int, bool) {
	low, ok := e.Val(dwarf.AttrLowpc).(uint64)
	n := int(low>>pcBits) - 1
	return n, ok && n >= 0 && n < len(i.debug.Funcs)
}

// Body returns the entry of a function with code; nil if there is none.
func (i *Info) Body(fn *isa.Func) *dwarf.Entry { return i.entries[i.bodies[fn.Pos]] }

// Entry returns the entry at an offset; nil if there is none.
func (i *Info) Entry(at dwarf.Offset) *dwarf.Entry { return i.entries[at] }

// Functions calls visit for all functions of the source.
func (i *Info) Functions(visit func(*dwarf.Entry) bool) {
	for _, e := range i.funcs {
		if !visit(e) {
			return
		}
	}
}

// PCs is a range of instructions of a function, without To.
type PCs struct{ From, To int }

// Ranges returns the instructions of an entry.
func (i *Info) Ranges(e *dwarf.Entry) (all []PCs) {
	ranges, err := i.Data.Ranges(e)
	if err != nil {
		return nil
	}
	for _, x := range ranges {
		all = append(all, PCs{int(x[0] & (1<<pcBits - 1)), int(x[1] & (1<<pcBits - 1))})
	}
	return all
}

// Attribute returns an attribute of an entry or of those that it completes, and the entry that has it.
func (i *Info) Attribute(e *dwarf.Entry, attr dwarf.Attr) (*dwarf.Entry, any) {
	for range 4 { // a definition, its abstract instance, its declaration
		if e == nil {
			break
		}
		if v := e.Val(attr); v != nil {
			return e, v
		}
		next, ok := e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset)
		if !ok {
			next, ok = e.Val(dwarf.AttrSpecification).(dwarf.Offset)
		}
		if !ok {
			break
		}
		e = i.entries[next]
	}
	return nil, nil
}

// text returns an attribute that is a text; "" if there is none.
func (i *Info) text(e *dwarf.Entry, attr dwarf.Attr) string {
	_, v := i.Attribute(e, attr)
	text, _ := v.(string)
	return text
}

// linkageName is the attribute of the mangled name in DWARF 2 and 3.
const linkageName = dwarf.Attr(0x2007)

// Symbol returns the mangled name of a function or variable, or its name if that is not mangled.
func (i *Info) Symbol(e *dwarf.Entry) string {
	for _, attr := range []dwarf.Attr{dwarf.AttrLinkageName, linkageName, dwarf.AttrName} {
		if name := i.text(e, attr); name != "" {
			return name
		}
	}
	return ""
}

// File returns the name of the file with the number in an attribute, which .file defines.
func (i *Info) File(e *dwarf.Entry, attr dwarf.Attr) string {
	n, _ := e.Val(attr).(int64)
	return i.debug.Files[strconv.FormatInt(n, 10)]
}

// Number returns an attribute that is a number; 0 if there is none.
func Number(e *dwarf.Entry, attr dwarf.Attr) int64 {
	n, _ := e.Val(attr).(int64)
	return n
}
