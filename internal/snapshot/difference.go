package snapshot

import (
	"encoding/binary"
	"reflect"
	"slices"
	"unsafe"
)

// difference is what some contents have in place of those of another copy, in words of 8 bytes.
type difference struct {
	base     *kept     // has no difference itself
	words    []uint64  // runs of words without pointers: offset in bytes << 32 | number, and then the words
	pointers []pointer // words that the garbage collector has to see
}

// pointer is a word of an object that is a pointer.
type pointer struct {
	off uint32 // in bytes
	to  unsafe.Pointer
}

const (
	wordBytes = 8
	// blockBytes is the size of the parts that are compared first.
	blockBytes = 64
	// leastDiffering is the size of contents, in bytes, from which on a difference can need less memory than a copy.
	leastDiffering = 256
	// differenceBytes is the memory for a difference in addition to its words.
	differenceBytes = int64(unsafe.Sizeof(difference{}))
	pointerBytes    = int64(unsafe.Sizeof(pointer{}))
)

func (d *difference) cost() int64 {
	return differenceBytes + wordBytes*int64(len(d.words)) + pointerBytes*int64(len(d.pointers))
}

// compare makes d the difference of contents of a type from those of d.base. It reports false if that needs more than
// half of their memory.
func (d *difference) compare(p *plan, contents []byte) bool {
	d.words, d.pointers = d.words[:0], d.pointers[:0]
	was, size := d.base.bytes, p.typ.Size()
	end, most, header := -1, len(contents)/2, 0 // offset of the end of the latest run, and the index of its first word
	for i := 0; i+wordBytes <= len(contents); i += wordBytes {
		for i%blockBytes == 0 && i+blockBytes <= len(contents) && string(contents[i:i+blockBytes]) == string(was[i:i+blockBytes]) {
			i += blockBytes
		}
		if i+wordBytes > len(contents) {
			break
		}
		word := binary.NativeEndian.Uint64(contents[i:])
		switch {
		case word == binary.NativeEndian.Uint64(was[i:]):
			continue
		case p.pointers && p.words[uintptr(i)%size/wordBytes]:
			d.pointers = append(d.pointers, pointer{uint32(i), *(*unsafe.Pointer)(unsafe.Pointer(&contents[i]))})
		case end == i:
			d.words[header]++
			d.words = append(d.words, word)
			end += wordBytes
		default:
			header, end = len(d.words), i+wordBytes
			d.words = append(d.words, uint64(i)<<32|1, word)
		}
		if len(d.words)*wordBytes+len(d.pointers)*int(pointerBytes) > most {
			return false
		}
	}
	if i := len(contents) - wordBytes; len(contents)%wordBytes != 0 && string(contents[i:]) != string(was[i:]) {
		d.words = append(d.words, uint64(i)<<32|1, binary.NativeEndian.Uint64(contents[i:]))
	}
	return true
}

func (d *difference) equals(o *difference) bool {
	return d.base == o.base && slices.Equal(d.words, o.words) && slices.Equal(d.pointers, o.pointers)
}

// clone returns a copy that needs no more memory than cost says.
func (d *difference) clone() *difference {
	c := &difference{base: d.base}
	if len(d.words) > 0 {
		c.words = append(make([]uint64, 0, len(d.words)), d.words...)
	}
	if len(d.pointers) > 0 {
		c.pointers = append(make([]pointer, 0, len(d.pointers)), d.pointers...)
	}
	return c
}

// restore writes the words of the difference into the contents of the base.
func (d *difference) restore(at unsafe.Pointer) {
	for i := 0; i < len(d.words); {
		to, n := unsafe.Add(at, d.words[i]>>32), int(uint32(d.words[i]))
		from := d.words[i+1:][:n]
		copy(unsafe.Slice((*byte)(to), wordBytes*n), unsafe.Slice((*byte)(unsafe.Pointer(&from[0])), wordBytes*n))
		i += 1 + n
	}
	for _, p := range d.pointers {
		*(*unsafe.Pointer)(unsafe.Add(at, p.off)) = p.to
	}
}

// pointerWords marks the words of an object of a type, from an offset on, that are pointers.
func pointerWords(marks []bool, t reflect.Type, off uintptr) {
	switch t.Kind() {
	case reflect.Interface:
		marks[off/wordBytes], marks[off/wordBytes+1] = true, true
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Func, reflect.Chan, reflect.String, reflect.UnsafePointer:
		marks[off/wordBytes] = true
	case reflect.Array:
		for i := range t.Len() {
			pointerWords(marks, t.Elem(), off+uintptr(i)*t.Elem().Size())
		}
	case reflect.Struct:
		for i := range t.NumField() {
			pointerWords(marks, t.Field(i).Type, off+t.Field(i).Offset)
		}
	}
}
