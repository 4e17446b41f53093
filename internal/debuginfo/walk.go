package debuginfo

import (
	"bytes"
	"debug/dwarf"
)

// mark is an entry of .debug_info without its attributes: they are only decoded if they are asked for, because package
// dwarf takes most of the time that a module takes to load for them.
type mark struct {
	at       dwarf.Offset
	tag      dwarf.Tag // 0 ends a list of children
	children bool
	located  bool // it has a place or, of a function, code
}

// abbreviation is how entries with a number are encoded.
type abbreviation struct {
	mark
	attrs []attrForm
}

type attrForm struct {
	attr dwarf.Attr
	form uint64
}

// walk calls visit for every entry of .debug_info, in order. It returns false if the section is wrong, or of a version
// or form of DWARF that is not known.
func walk(info, abbrev []byte, visit func(mark)) bool {
	for at := 0; at < len(info); {
		r := reader{info[at:]}
		u := unit{info: info, base: at, refSize: 4, abbrev: abbrev}
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
	refSize      int // bytes of an offset
	known        map[uint64]*abbreviation
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

// abbreviations reads the table of a unit.
func (u *unit) abbreviations(r reader) bool {
	u.known = make(map[uint64]*abbreviation)
	for len(r.data) > 0 {
		number := r.uleb()
		if number == 0 {
			return true
		}
		a := &abbreviation{mark: mark{tag: dwarf.Tag(r.uleb()), children: r.fixed(1) != 0}}
		for len(r.data) > 0 {
			f := attrForm{dwarf.Attr(r.uleb()), r.uleb()}
			if f == (attrForm{}) {
				break
			}
			a.located = a.located || f.attr == dwarf.AttrLocation || f.attr == dwarf.AttrLowpc
			a.attrs = append(a.attrs, f)
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
		a := u.known[number]
		if a == nil {
			return false
		}
		for _, f := range a.attrs {
			if !u.skip(r, f.form) {
				return false
			}
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

// skip passes the value of an attribute.
func (u *unit) skip(r *reader, form uint64) bool {
	n := 0
	switch form {
	case formFlagPresent:
	case formData1, formFlag, formRef1:
		n = 1
	case formData2, formRef2:
		n = 2
	case formData4, formRef4:
		n = 4
	case formData8, formRef8, formRefSig8:
		n = 8
	case formAddr:
		n = u.addrSize
	case formStrp, formSecOffset:
		n = u.refSize
	case formRefAddr:
		if n = u.refSize; u.version == 2 {
			n = u.addrSize
		}
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
	case formIndirect:
		return u.skip(r, r.uleb())
	default:
		return false
	}
	if n > len(r.data) {
		return false
	}
	r.data = r.data[n:]
	return true
}
