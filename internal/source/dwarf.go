package source

import (
	"debug/dwarf"
	"encoding/binary"
	"strconv"
	"strings"

	"github.com/simtrun/simtrun/internal/isa"
)

// A position in the code of a module is an address for package dwarf: the number of the function in the module, from 1,
// above the PC.
const pcBits = 32

// linkageName is the attribute of the mangled name in DWARF 2 and 3.
const linkageName = dwarf.Attr(0x2007)

// readDWARF returns the DWARF data of a module; nil if there is none, or if it is wrong.
func readDWARF(d *isa.Debug) *dwarf.Data {
	if d.Sections[".debug_info"] == "" || d.Sections[".debug_abbrev"] == "" {
		return nil
	}
	labels := make(map[string]uint64)
	for i, f := range d.Funcs {
		for _, l := range f.Labels {
			labels[l.Name] = uint64(i+1)<<pcBits + uint64(l.PC)
		}
	}
	bytes := func(name string) []byte { return sectionBytes(d.Sections[name], labels) }
	data, err := dwarf.New(bytes(".debug_abbrev"), nil, nil, bytes(".debug_info"), nil, nil, bytes(".debug_ranges"), bytes(".debug_str"))
	if err != nil {
		return nil
	}
	return data
}

// sectionBytes returns the bytes of a section: directives with numbers, labels, and names of sections, which stand for
// their starts.
func sectionBytes(text string, labels map[string]uint64) (out []byte) {
	size := 0
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "//")
		for word := range strings.FieldsFuncSeq(line, func(r rune) bool {
			return r == ',' || r == ' ' || r == '\t' || r == '\n' || r == '\r' || r == '{' || r == '}'
		}) {
			if n, ok := sizes[word]; ok {
				size = n
				continue
			}
			var b [8]byte
			binary.LittleEndian.PutUint64(b[:], valueOf(word, labels))
			out = append(out, b[:size]...)
		}
	}
	return out
}

var sizes = map[string]int{".b8": 1, ".b16": 2, ".b32": 4, ".b64": 8, ".u8": 1, ".u16": 2, ".u32": 4, ".u64": 8}

// valueOf returns the value of a word of a section: a number, a label, the start of a section, or a sum or difference
// of these.
func valueOf(word string, labels map[string]uint64) uint64 {
	if at := strings.LastIndexAny(word, "+-"); at > 0 {
		before, after := valueOf(word[:at], labels), valueOf(word[at+1:], labels)
		if word[at] == '-' {
			return before - after
		}
		return before + after
	}
	if n, err := strconv.ParseUint(word, 0, 64); err == nil {
		return n
	}
	if n, err := strconv.ParseInt(word, 0, 64); err == nil {
		return uint64(n)
	}
	return labels[word]
}

// reader builds the tables of a module from its DWARF.
type reader struct {
	data    *dwarf.Data
	debug   *isa.Debug
	entries map[dwarf.Offset]*dwarf.Entry
	callees map[dwarf.Offset]*function
	all     *tables
}

// read returns what the debug information of a module says.
func read(d *isa.Debug) *tables {
	r := &reader{data: readDWARF(d), debug: d, callees: make(map[dwarf.Offset]*function), all: &tables{bodies: make(map[isa.Pos]*body)}}
	if r.data == nil || !r.index() {
		return r.all
	}
	in := r.data.Reader()
	for e, err := in.Next(); e != nil && err == nil; e, err = in.Next() {
		if e.Tag != dwarf.TagSubprogram {
			continue
		}
		f := r.function(e.Offset)
		low, ok := e.Val(dwarf.AttrLowpc).(uint64)
		if n := int(low>>pcBits) - 1; ok && n >= 0 && n < len(d.Funcs) {
			b := &body{function: f}
			r.children(in, e, b, -1)
			r.all.bodies[d.Funcs[n].Pos] = b
		}
	}
	return r.all
}

// index reads all entries, to which others refer. It returns false if the information is wrong.
func (r *reader) index() bool {
	r.entries = make(map[dwarf.Offset]*dwarf.Entry)
	in := r.data.Reader()
	for {
		e, err := in.Next()
		if err != nil {
			return false
		}
		if e == nil {
			return true
		}
		r.entries[e.Offset] = e
	}
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
	c := call{caller: caller, at: isa.Pos{File: r.file(e, dwarf.AttrCallFile), Line: r.number(e, dwarf.AttrCallLine), Col: r.number(e, dwarf.AttrCallColumn)}}
	if origin, ok := e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset); ok {
		c.callee = r.function(origin)
	}
	ranges, err := r.data.Ranges(e)
	if err == nil {
		for _, x := range ranges {
			c.ranges = append(c.ranges, pcRange{int(x[0] & (1<<pcBits - 1)), int(x[1] & (1<<pcBits - 1))})
		}
	}
	b.calls = append(b.calls, c)
	return len(b.calls) - 1
}

func (r *reader) number(e *dwarf.Entry, attr dwarf.Attr) int32 {
	n, _ := e.Val(attr).(int64)
	return int32(n)
}

// file returns the name of the file with the number in an attribute, which .file defines.
func (r *reader) file(e *dwarf.Entry, attr dwarf.Attr) string {
	n, _ := e.Val(attr).(int64)
	return r.debug.Files[strconv.FormatInt(n, 10)]
}

// attribute returns an attribute of an entry or of those that it completes.
func (r *reader) attribute(e *dwarf.Entry, attr dwarf.Attr) (*dwarf.Entry, any) {
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
		e = r.entries[next]
	}
	return nil, nil
}

// function returns the function that an entry defines or declares.
func (r *reader) function(at dwarf.Offset) *function {
	e := r.entries[at]
	for e != nil {
		origin, ok := e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset)
		if !ok {
			break
		}
		at, e = origin, r.entries[origin]
	}
	if f := r.callees[at]; f != nil || e == nil {
		return f
	}
	f := new(function)
	for _, attr := range []dwarf.Attr{dwarf.AttrLinkageName, linkageName, dwarf.AttrName} {
		if _, name := r.attribute(e, attr); name != nil && f.symbol == "" {
			f.symbol, _ = name.(string)
		}
	}
	if from, line := r.attribute(e, dwarf.AttrDeclLine); from != nil {
		n, _ := line.(int64)
		f.line = int32(n)
	}
	if from, _ := r.attribute(e, dwarf.AttrDeclFile); from != nil {
		f.file = r.file(from, dwarf.AttrDeclFile)
	}
	r.callees[at] = f
	r.all.functions = append(r.all.functions, f)
	return f
}

func (r *reader) param(e *dwarf.Entry) param {
	_, name := r.attribute(e, dwarf.AttrName)
	p := param{}
	p.Name, _ = name.(string)
	_, typ := r.attribute(e, dwarf.AttrType)
	at, _ := typ.(dwarf.Offset)
	p.Type = r.typeText(at, 0)
	return p
}

// deepestType is the largest number of pointers, qualifiers and the like in a type that is written.
const deepestType = 20

// typeText returns a type as in the source, such as "const float *".
func (r *reader) typeText(at dwarf.Offset, depth int) string {
	e := r.entries[at]
	if e == nil || at == 0 || depth > deepestType {
		return "void"
	}
	next, _ := e.Val(dwarf.AttrType).(dwarf.Offset)
	inner := func() string { return r.typeText(next, depth+1) }
	switch e.Tag {
	case dwarf.TagPointerType:
		return pointerTo(inner(), "*")
	case dwarf.TagReferenceType:
		return pointerTo(inner(), "&")
	case dwarf.TagRvalueReferenceType:
		return pointerTo(inner(), "&&")
	case dwarf.TagConstType:
		return qualified("const", inner())
	case dwarf.TagVolatileType:
		return qualified("volatile", inner())
	case dwarf.TagRestrictType:
		return inner() + " __restrict__"
	case dwarf.TagSubroutineType:
		return "function"
	}
	name, _ := e.Val(dwarf.AttrName).(string)
	if name == "" {
		return "struct"
	}
	return name
}

func pointerTo(to, mark string) string {
	if strings.HasSuffix(to, "*") {
		return to + mark
	}
	return to + " " + mark
}

// qualified writes a qualifier before a type, but after a pointer.
func qualified(word, typ string) string {
	if strings.HasSuffix(typ, "*") {
		return typ + " " + word
	}
	return word + " " + typ
}
