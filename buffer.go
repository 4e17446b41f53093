package simtrun

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/simtrun/simtrun/memory"
)

// Number is what elements of a buffer can be read as.
type Number interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64
}

// Buffer is a buffer in global memory, or a variable of the program in global or
// constant memory.
type Buffer struct {
	m *Memory
	r *memory.Region
}

// isIn is an error unless b is a buffer in m.
func (b *Buffer) isIn(m *Memory) error {
	switch {
	case b == nil:
		return errNil
	case b.m != m:
		return fmt.Errorf("buffer %s is in another memory", b.r.Name)
	case b.r.Freed():
		return fmt.Errorf("buffer %s was freed", b.r.Name)
	}
	return nil
}

var errNil = errors.New("the *Buffer is nil")

// Alloc is Alloc of the machine's memory.
func (m *Machine) Alloc(name string, size int64) (*Buffer, error) { return m.mem.Alloc(name, size) }

// AllocOf adds a buffer with the given values to a memory, or to that of a machine.
func AllocOf[T Number](m interface {
	Alloc(name string, size int64) (*Buffer, error)
}, name string, values []T) (*Buffer, error) {
	b, err := m.Alloc(name, int64(binary.Size(values)))
	if err != nil {
		return nil, err
	}
	return b, Write(b, values)
}

// Var is a variable of the program in global or constant memory, or nil.
func (m *Machine) Var(name string) *Buffer {
	if r := m.m.Var(name); r != nil {
		return &Buffer{m.mem, r}
	}
	return nil
}

// Name is what messages call the buffer.
func (b *Buffer) Name() string { return b.r.Name }

// Rename has messages call the buffer something else from now on.
func (b *Buffer) Rename(name string) { b.r.Name = name }

// Move has other bytes, as many, be the buffer's memory, and its content move there; the address stays. No launch may be under way.
func (b *Buffer) Move(to []byte) error {
	switch {
	case b.m.running != nil:
		return errRunning
	case len(to) != len(b.r.Data):
		return fmt.Errorf("%s has %d bytes, not %d", b.r.Name, len(b.r.Data), len(to))
	}
	copy(to, b.r.Data)
	b.r.Data = to
	return nil
}

// Addr is the address of the buffer's first byte, as kernels see it.
func (b *Buffer) Addr() uint64 { return b.r.Base }

// Bytes is the buffer's memory, little-endian.
func (b *Buffer) Bytes() []byte { return b.r.Data }

// Read is a copy of the buffer's elements. Bytes behind the last whole one are
// left out.
func Read[T Number](b *Buffer) []T {
	var one T
	values := make([]T, len(b.r.Data)/binary.Size(one))
	if err := binary.Read(bytes.NewReader(b.r.Data), binary.LittleEndian, values); err != nil {
		panic("simtrun bug: " + err.Error())
	}
	return values
}

// Write puts values at the start of the buffer. It is an error if they do not
// fit, or if the buffer is nil or was freed.
func Write[T Number](b *Buffer, values []T) error {
	if b == nil {
		return errNil
	}
	if err := b.isIn(b.m); err != nil {
		return err
	}
	if size := binary.Size(values); size > len(b.r.Data) {
		return fmt.Errorf("%s has %d bytes; the values take %d", b.r.Name, len(b.r.Data), size)
	}
	_, err := binary.Encode(b.r.Data, binary.LittleEndian, values)
	return err
}
