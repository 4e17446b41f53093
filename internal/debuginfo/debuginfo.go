// Package debuginfo reads the DWARF sections of PTX: which functions and variables the source has, which of the
// variables are visible at an instruction, their types, and where their values are.
//
// It reads what the NVPTX back end of clang writes, DWARF 2 to 4: variables in memory are symbols of PTX with an offset
// and an address class, and registers are numbers that hold the characters of their names.
package debuginfo

import (
	"cmp"
	"debug/dwarf"
	"slices"
	"strconv"
	"sync"

	"github.com/simtrun/simtrun/internal/isa"
)

// Info is the debug information of a module. Its entries are decoded when they are asked for.
type Info struct {
	data   *dwarf.Data
	debug  *isa.Debug
	marks  []mark                   // of all entries, in their order
	bodies map[isa.Pos]dwarf.Offset // functions with code, by their position in the PTX
	// hasVariables is false if only parameters without places are described.
	hasVariables bool
	symbols      []string
	loc          []byte // .debug_loc

	mu     sync.Mutex
	types  map[dwarf.Offset]*Type
	named  names
	scopes map[isa.Pos]*scope
	around []int32     // by mark, of outsides; nil before they are asked for
	global []*Variable // nil before they are asked for

	decoding sync.Mutex
	entries  map[dwarf.Offset]*dwarf.Entry // that were decoded
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

// leastEntry is an estimate of the bytes of a short entry.
const leastEntry = 8

func read(d *isa.Debug) *Info {
	if d.Sections[".debug_info"] == "" || d.Sections[".debug_abbrev"] == "" {
		return nil
	}
	a := newAssembler(d)
	bytes := func(name string) []byte { return a.bytes(d.Sections[name]) }
	loc, ranges, str := bytes(".debug_loc"), bytes(".debug_ranges"), bytes(".debug_str") // with labels for the others
	abbrev, info := bytes(".debug_abbrev"), bytes(".debug_info")
	data, err := dwarf.New(abbrev, nil, nil, info, nil, nil, ranges, str)
	if err != nil {
		return nil
	}
	i := &Info{data: data, debug: d, loc: loc, types: make(map[dwarf.Offset]*Type), scopes: make(map[isa.Pos]*scope),
		bodies: make(map[isa.Pos]dwarf.Offset), entries: make(map[dwarf.Offset]*dwarf.Entry)}
	i.symbols = a.symbols
	i.marks = make([]mark, 0, len(info)/leastEntry)
	if !walk(info, abbrev, i.note) {
		return nil
	}
	return i
}

// note keeps the mark of an entry.
func (i *Info) note(m mark) {
	i.marks = append(i.marks, m)
	switch m.tag {
	case dwarf.TagSubprogram:
		if low, ok := m.number(dwarf.AttrLowpc); ok {
			if n := int(low>>pcBits) - 1; n >= 0 && n < len(i.debug.Funcs) {
				i.bodies[i.debug.Funcs[n].Pos] = m.at
			}
		}
	case dwarf.TagVariable:
		i.hasVariables = true
	case dwarf.TagFormalParameter:
		i.hasVariables = i.hasVariables || m.located
	}
}

// Body returns the entry of a function with code; nil if there is none.
func (i *Info) Body(fn *isa.Func) *dwarf.Entry {
	at, known := i.bodies[fn.Pos]
	if !known {
		return nil
	}
	return i.Entry(at)
}

// Entry returns the entry at an offset; nil if there is none.
func (i *Info) Entry(at dwarf.Offset) *dwarf.Entry {
	i.decoding.Lock()
	defer i.decoding.Unlock()
	if e, known := i.entries[at]; known {
		return e
	}
	in := i.data.Reader()
	in.Seek(at)
	e, err := in.Next()
	if err != nil {
		e = nil
	}
	i.entries[at] = e
	return e
}

// Begins calls visit with the file and the line at which each function of the source begins that is declared or
// defined, also without code.
func (i *Info) Begins(visit func(file string, line int32)) {
	files := make(map[uint64]string)
	for _, m := range i.marks {
		if m.tag != dwarf.TagSubprogram {
			continue
		}
		line, declared := m.number(dwarf.AttrDeclLine)
		if !declared {
			continue // the entry that it completes has one
		}
		file, ok := m.number(dwarf.AttrDeclFile)
		if !ok {
			from, _ := i.Attribute(i.Entry(m.at), dwarf.AttrDeclFile)
			if from == nil {
				continue
			}
			file = uint64(Number(from, dwarf.AttrDeclFile))
		}
		name, known := files[file]
		if !known {
			name = i.debug.Files[strconv.FormatUint(file, 10)]
			files[file] = name
		}
		visit(name, int32(line))
	}
}

// Below calls visit for the entries directly below one, of any of the tags.
func (i *Info) Below(e *dwarf.Entry, visit func(*dwarf.Entry), tags ...dwarf.Tag) {
	at, found := slices.BinarySearchFunc(i.marks, e.Offset, func(m mark, at dwarf.Offset) int { return cmp.Compare(m.at, at) })
	if !found || !i.marks[at].children {
		return
	}
	depth := 1
	for _, m := range i.marks[at+1:] {
		if depth == 1 && slices.Contains(tags, m.tag) {
			visit(i.Entry(m.at))
		}
		switch {
		case m.tag == 0:
			depth--
		case m.children:
			depth++
		}
		if depth == 0 {
			return
		}
	}
}

// PCs is a range of instructions of a function, without To.
type PCs struct{ From, To int }

// Ranges returns the instructions of an entry.
func (i *Info) Ranges(e *dwarf.Entry) (all []PCs) {
	ranges, err := i.data.Ranges(e)
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
		e = i.Entry(next)
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
