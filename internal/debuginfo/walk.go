package debuginfo

import (
	"bytes"
	"debug/dwarf"
	"slices"
)

// mark is an entry of .debug_info without its attributes: they are only decoded if they are asked for, because package
// dwarf takes most of the time that a module takes to load for them.
type mark struct {
	at       dwarf.Offset
	tag      dwarf.Tag // 0 ends a list of children
	children bool
	located  bool // it has a place or, of a function, code
	form     *abbreviation
}

// abbreviation is how entries with a number are encoded.
type abbreviation struct {
	mark
	attrs []attrForm
	unit  *unit
	size  int // of the values of all attributes, in bytes; -1 if they have no fixed size
}

type attrForm struct {
	attr dwarf.Attr
	form uint64
}

// has reports whether entries have an attribute.
func (a *abbreviation) has(attr dwarf.Attr) bool {
	return slices.ContainsFunc(a.attrs, func(f attrForm) bool { return f.attr == attr })
}

// walk calls visit for every entry of .debug_info, in order. It returns false if the section is wrong, or of a version
// or form of DWARF that is not known.
func walk(info, abbrev []byte, visit func(mark)) bool {
	for at := 0; at < len(info); {
		r := reader{info[at:]}
		u := &unit{info: info, base: at, refSize: 4, abbrev: abbrev}
		length := r.fixed(4)
		if length == 1<<32-1 {
			length, u.refSize = r.fixed(8), 8
		}
		next := len(info) - len(r.data) + int(length)
		if length > uint64(len(r.data)) || !u.header(&r) {
			return false
		}
		r.data = info[len(info)-len(r.data) : next]
		u.end = next
		if !u.entries(&r, visit) {
			return false
		}
		at = next
	}
	return true
}

// unit is a unit of .debug_info.
type unit struct {
	info, abbrev []byte
	base, end    int // offsets in info
	version      uint64
	addrSize     int
	refSize      int             // bytes of an offset
	known        []*abbreviation // by number
}

// header reads what follows the length of a unit.
func (u *unit) header(r *reader) bool {
	if u.version = r.fixed(2); u.version < 2 || u.version > 4 {
		return false
	}
	table := r.fixed(u.refSize)
	u.addrSize = int(r.fixed(1))
	return table <= uint64(len(u.abbrev)) && u.abbreviations(reader{u.abbrev[table:]})
}

// mostAbbreviations bounds the numbers of abbreviations; compilers number them from 1 on.
const mostAbbreviations = 1 << 16

// abbreviations reads the table of a unit.
func (u *unit) abbreviations(r reader) bool {
	for len(r.data) > 0 {
		number := r.uleb()
		if number == 0 {
			return true
		}
		if number > mostAbbreviations {
			return false
		}
		a := &abbreviation{mark: mark{tag: dwarf.Tag(r.uleb()), children: r.fixed(1) != 0}, unit: u}
		a.form = a
		for len(r.data) > 0 {
			f := attrForm{dwarf.Attr(r.uleb()), r.uleb()}
			if f == (attrForm{}) {
				break
			}
			a.located = a.located || f.attr == dwarf.AttrLocation || f.attr == dwarf.AttrLowpc
			a.attrs = append(a.attrs, f)
			if n := u.sizeOf(f.form); n < 0 || a.size < 0 {
				a.size = -1
			} else {
				a.size += n
			}
		}
		for uint64(len(u.known)) <= number {
			u.known = append(u.known, nil)
		}
		u.known[number] = a
	}
	return true
}

func (u *unit) entries(r *reader, visit func(mark)) bool {
	for len(r.data) > 0 {
		at := dwarf.Offset(u.end - len(r.data))
		number := r.uleb()
		if number == 0 {
			visit(mark{at: at})
			continue
		}
		if number >= uint64(len(u.known)) || u.known[number] == nil {
			return false
		}
		a := u.known[number]
		if !a.skip(r, len(a.attrs)) {
			return false
		}
		m := a.mark
		m.at = at
		visit(m)
	}
	return true
}

// Forms of attributes.
const (
	formAddr        = 0x01
	formBlock2      = 0x03
	formBlock4      = 0x04
	formData2       = 0x05
	formData4       = 0x06
	formData8       = 0x07
	formString      = 0x08
	formBlock       = 0x09
	formBlock1      = 0x0a
	formData1       = 0x0b
	formFlag        = 0x0c
	formSdata       = 0x0d
	formStrp        = 0x0e
	formUdata       = 0x0f
	formRefAddr     = 0x10
	formRef1        = 0x11
	formRef2        = 0x12
	formRef4        = 0x13
	formRef8        = 0x14
	formRefUdata    = 0x15
	formIndirect    = 0x16
	formSecOffset   = 0x17
	formExprloc     = 0x18
	formFlagPresent = 0x19
	formRefSig8     = 0x20
)

// skip passes the values of the first n attributes of an entry.
func (a *abbreviation) skip(r *reader, n int) bool {
	if n == len(a.attrs) && a.size >= 0 {
		return r.skip(a.size)
	}
	for _, f := range a.attrs[:n] {
		if !a.unit.skip(r, f.form) {
			return false
		}
	}
	return true
}

// number returns an attribute of an entry that is a number, an address, or a reference to another entry of its unit;
// false if the entry has none, or has it in another form.
func (m mark) number(attr dwarf.Attr) (uint64, bool) {
	u := m.form.unit
	r := reader{u.info[m.at:u.end]}
	r.uleb()
	for k, f := range m.form.attrs {
		if f.attr != attr {
			continue
		}
		if !m.form.skip(&r, k) {
			return 0, false
		}
		switch size := u.sizeOf(f.form); f.form {
		case formAddr, formData1, formData2, formData4, formData8:
			return r.fixed(size), true
		case formUdata:
			return r.uleb(), true
		case formRef1, formRef2, formRef4, formRef8:
			return uint64(u.base) + r.fixed(size), true
		}
		return 0, false
	}
	return 0, false
}

// sizeOf returns the size in bytes of a value of a form; -1 if it has no fixed size.
func (u *unit) sizeOf(form uint64) int {
	switch form {
	case formFlagPresent:
		return 0
	case formData1, formFlag, formRef1:
		return 1
	case formData2, formRef2:
		return 2
	case formData4, formRef4:
		return 4
	case formData8, formRef8, formRefSig8:
		return 8
	case formAddr:
		return u.addrSize
	case formStrp, formSecOffset:
		return u.refSize
	case formRefAddr:
		if u.version == 2 {
			return u.addrSize
		}
		return u.refSize
	}
	return -1
}

// skip passes the value of an attribute.
func (u *unit) skip(r *reader, form uint64) bool {
	n := u.sizeOf(form)
	switch form {
	case formString:
		if n = bytes.IndexByte(r.data, 0) + 1; n == 0 {
			return false
		}
	case formBlock1:
		n = int(r.fixed(1))
	case formBlock2:
		n = int(r.fixed(2))
	case formBlock4:
		n = int(r.fixed(4))
	case formBlock, formExprloc:
		n = int(min(r.uleb(), 1<<31))
	case formSdata, formUdata, formRefUdata:
		r.uleb()
		n = 0
	case formIndirect:
		return u.skip(r, r.uleb())
	}
	return n >= 0 && r.skip(n)
}

// skip passes a number of bytes.
func (r *reader) skip(n int) bool {
	if n > len(r.data) {
		return false
	}
	r.data = r.data[n:]
	return true
}
