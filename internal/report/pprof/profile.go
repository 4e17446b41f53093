package pprof

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
)

// The types below are those messages of profile.proto that a profile of a report has
// (https://github.com/google/pprof/blob/main/proto/profile.proto). The numbers in encode are its field numbers. Tests
// read profiles with pprof's own package, which would take 180 kB of the command.

type profile struct {
	sampleTypes   []valueType
	defaultType   string
	samples       []*sample
	mappings      []*mapping
	locations     []*location
	functions     []*function
	durationNanos int64
}

type valueType struct{ name, unit string }

// sample has values by sample type, for a stack of locations, the innermost one first.
type sample struct {
	stack  []*location
	values []int64
	kernel string // a label; empty if there is none
	launch int64  // a label if there is a kernel
}

// location is one instruction. Its lines are those of inlined calls, the innermost one first.
type location struct {
	id      uint64
	mapping *mapping
	address uint64
	lines   []line
}

type line struct {
	function     *function
	line, column int64
}

type function struct {
	id                     uint64
	name, systemName, file string
}

// mapping is a file, complete, so that pprof does not look for symbols.
type mapping struct {
	id   uint64
	file string
}

// message is an encoded message of protocol buffers (https://protobuf.dev/programming-guides/encoding/).
type message []byte

// Wire types.
const (
	varint   = 0
	lenBytes = 2
)

// number appends a field with a number; 0, the default, takes no space.
func (m *message) number(field int, v uint64) {
	if v != 0 {
		*m = binary.AppendUvarint(binary.AppendUvarint(*m, uint64(field<<3|varint)), v)
	}
}

// bytes appends a field with bytes: a text, a message or packed numbers.
func (m *message) bytes(field int, b []byte) {
	*m = binary.AppendUvarint(binary.AppendUvarint(*m, uint64(field<<3|lenBytes)), uint64(len(b)))
	*m = append(*m, b...)
}

// encoder encodes a profile with a table of texts, in which "" comes first.
type encoder struct {
	texts []string
	index map[string]uint64
}

// text returns the index of a text in the table.
func (e *encoder) text(s string) uint64 {
	n, ok := e.index[s]
	if !ok {
		n = uint64(len(e.texts))
		e.index[s], e.texts = n, append(e.texts, s)
	}
	return n
}

// encode returns the profile, compressed.
func (p *profile) encode() ([]byte, error) {
	e := &encoder{index: make(map[string]uint64)}
	e.text("")
	var m message
	for _, v := range p.sampleTypes {
		var t message
		t.number(1, e.text(v.name))
		t.number(2, e.text(v.unit))
		m.bytes(1, t)
	}
	for _, s := range p.samples {
		m.bytes(2, e.sample(s))
	}
	for _, f := range p.mappings {
		var t message
		t.number(1, f.id)
		t.number(5, e.text(f.file))
		for field := 7; field <= 10; field++ { // it has functions, files, lines and inlined calls
			t.number(field, 1)
		}
		m.bytes(3, t)
	}
	for _, l := range p.locations {
		m.bytes(4, e.location(l))
	}
	for _, f := range p.functions {
		var t message
		t.number(1, f.id)
		t.number(2, e.text(f.name))
		t.number(3, e.text(f.systemName))
		t.number(4, e.text(f.file))
		m.bytes(5, t)
	}
	defaultType := e.text(p.defaultType)
	for _, s := range e.texts {
		m.bytes(6, []byte(s))
	}
	m.number(10, uint64(p.durationNanos))
	m.number(14, defaultType)
	return compressed(m)
}

func (e *encoder) sample(s *sample) (m message) {
	var ids, values []byte
	for _, l := range s.stack {
		ids = binary.AppendUvarint(ids, l.id)
	}
	for _, v := range s.values {
		values = binary.AppendUvarint(values, uint64(v))
	}
	m.bytes(1, ids)
	m.bytes(2, values)
	if s.kernel != "" {
		var text, number message
		text.number(1, e.text("kernel"))
		text.number(2, e.text(s.kernel))
		m.bytes(3, text)
		number.number(1, e.text("launch"))
		number.number(3, uint64(s.launch))
		m.bytes(3, number)
	}
	return m
}

func (e *encoder) location(l *location) (m message) {
	m.number(1, l.id)
	m.number(2, l.mapping.id)
	m.number(3, l.address)
	for _, x := range l.lines {
		var t message
		t.number(1, x.function.id)
		t.number(2, uint64(x.line))
		t.number(3, uint64(x.column))
		m.bytes(4, t)
	}
	return m
}

func compressed(m message) ([]byte, error) {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	if _, err := z.Write(m); err != nil {
		return nil, err
	}
	err := z.Close()
	return out.Bytes(), err
}
