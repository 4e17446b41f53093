package simtrun

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

// Memory is the memory of a GPU. Every program that is loaded into it can use its buffers, and they outlive the
// programs. Program.NewMachine makes a memory for a single program.
//
//	mem, err := simtrun.NewMemory(simtrun.Options{})
//	x, err := mem.Alloc("x", 4*n)
//	fill, err := mem.Load(fillProgram)
//	sum, err := mem.Load(sumProgram)
//
// One launch runs at a time in a memory. A memory may be used by one goroutine at a time.
type Memory struct {
	cfg     interp.Config
	m       *interp.Memory
	clock   *sm.Options             // for the next launch; nil without a clock
	libs    bool                    // programs may declare functions of libdevice without defining them
	running *Running                // launch that has begun and not ended; otherwise nil
	buffers map[*memory.Region]bool // buffers that Free accepts
}

// NewMemory makes an empty memory with 64-bit addresses. The options apply to all programs loaded into it.
func NewMemory(o Options) (*Memory, error) { return o.memory(64) }

// memory makes an empty memory with 32-bit or 64-bit addresses.
func (o *Options) memory(addressBits int) (*Memory, error) {
	cfg, err := o.config()
	if err != nil {
		return nil, err
	}
	m := &Memory{cfg: cfg, m: interp.NewMemory(addressBits, cfg.Budget), libs: !o.NoLibdevice, buffers: make(map[*memory.Region]bool)}
	if o.Clock != nil {
		clock, err := o.Clock.options(cfg.GPU)
		if err != nil {
			return nil, err
		}
		clock.L2, clock.Instructions = sm.NewL2(cfg.GPU), sm.NewInstructionCaches(cfg.GPU)
		m.clock = &clock
	}
	return m, nil
}

// Load loads a program. Its variables, initialised, and its functions get their own addresses. A program is compiled
// once, however often it is loaded.
func (m *Memory) Load(p *Program) (*Machine, error) {
	code, err := p.prepared(m.libs)
	if err != nil {
		return nil, err
	}
	l, err := m.m.Load(code, m.cfg)
	if err != nil {
		return nil, err
	}
	return &Machine{mod: p.mod, sources: p.sources, m: l, mem: m}, nil
}

// Alloc adds a zeroed buffer of size bytes to global memory, aligned to 256
// bytes. The name is for messages.
func (m *Memory) Alloc(name string, size int64) (*Buffer, error) {
	return m.buffer(m.m.Alloc(name, size))
}

// AllocAligned is Alloc of a buffer that is aligned to another power of two, from 256 on.
func (m *Memory) AllocAligned(name string, size int64, align uint64) (*Buffer, error) {
	return m.buffer(m.m.AllocAligned(name, size, align))
}

// buffer wraps a new region as a buffer, unless err is set.
func (m *Memory) buffer(r *memory.Region, err error) (*Buffer, error) {
	if err != nil {
		return nil, err
	}
	m.buffers[r] = true
	return &Buffer{m, r}, nil
}

// AllocOn allocates like AllocAligned, with the caller's bytes as the memory.
func (m *Memory) AllocOn(name string, bytes []byte, align uint64) (*Buffer, error) {
	return m.buffer(m.m.AllocOn(name, bytes, align))
}

// Adopt makes the caller's bytes a buffer at an address that the caller chooses. To share pointers between host and
// kernels, pass the address of the bytes. Each side sees the writes of the other at once. The address must be a
// multiple of 16, either from 1<<28 on or between 1<<16 and 1<<24, and may not overlap another buffer. Page mapping
// and the cost of reads over a bus are not modelled.
func (m *Memory) Adopt(name string, addr uint64, bytes []byte) (*Buffer, error) {
	return m.buffer(m.m.Adopt(name, addr, bytes))
}

// SetHeap sets how many bytes kernels can have allocated with malloc at a time; the default is 8 MiB (CUDA C++
// Programming Guide, Dynamic Global Memory Allocation).
func (m *Memory) SetHeap(bytes uint64) { m.m.SetHeap(bytes) }

// Free removes a buffer that was allocated or adopted. It refuses variables, which belong to their program, and
// memory that kernels allocated. Addresses are not reused, so that a later access is a fault.
func (m *Memory) Free(b *Buffer) error {
	if err := b.isIn(m); err != nil {
		return err
	}
	if !m.buffers[b.r] {
		return fmt.Errorf("%s is not a buffer that Alloc or Adopt made", b.r.Name)
	}
	delete(m.buffers, b.r)
	m.m.Free(b.r)
	return nil
}

// Find returns the buffer or variable that contains an address, or nil.
func (m *Memory) Find(addr uint64) *Buffer {
	if r := m.m.Region(addr); r != nil {
		return &Buffer{m, r}
	}
	return nil
}

// TimeStamp returns the cycle at which the next launch starts, counted from the start of the first; 0 without a
// clock.
func (m *Memory) TimeStamp() int64 {
	if m.clock == nil {
		return 0
	}
	return m.clock.Since
}

// Machine is a program loaded into a GPU's memory.
type Machine struct {
	mod     *isa.Module
	sources []source
	m       *interp.Machine
	mem     *Memory
}

// Interp returns the machine in the form of package interp, for tools that look into its memory.
func (m *Machine) Interp() *interp.Machine { return m.m }

// Memory returns the memory into which the program is loaded.
func (m *Machine) Memory() *Memory { return m.mem }

// Unload frees the program's memory. The machine must not be used afterwards.
func (m *Machine) Unload() { m.m.Unload() }

// Number is an element type for reading and writing buffers.
type Number interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64
}

// Buffer is a buffer in global memory, or a variable of the program in global or
// constant memory.
type Buffer struct {
	m *Memory
	r *memory.Region
}

// isIn returns an error unless b is a buffer in m.
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

// Alloc allocates in the machine's memory, like Memory.Alloc.
func (m *Machine) Alloc(name string, size int64) (*Buffer, error) { return m.mem.Alloc(name, size) }

// AllocOf allocates a buffer with the given values in a memory, or in the memory of a machine.
func AllocOf[T Number](m interface {
	Alloc(name string, size int64) (*Buffer, error)
}, name string, values []T) (*Buffer, error) {
	b, err := m.Alloc(name, int64(binary.Size(values)))
	if err != nil {
		return nil, err
	}
	return b, Write(b, values)
}

// Var returns a variable of the program in global or constant memory, or nil.
func (m *Machine) Var(name string) *Buffer {
	if r := m.m.Var(name); r != nil {
		return &Buffer{m.mem, r}
	}
	return nil
}

// Name returns the buffer's name in messages.
func (b *Buffer) Name() string { return b.r.Name }

// Rename changes the buffer's name in messages.
func (b *Buffer) Rename(name string) { b.r.Name = name }

// Move copies the buffer's content to other bytes of the same length, and makes them the buffer's memory; the address
// stays the same. No launch may be under way.
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

// Addr returns the address of the buffer's first byte, as kernels see it.
func (b *Buffer) Addr() uint64 { return b.r.Base }

// Bytes returns the buffer's memory itself, little-endian.
func (b *Buffer) Bytes() []byte { return b.r.Data }

// Read returns a copy of the buffer's elements. It omits bytes after the last whole element.
func Read[T Number](b *Buffer) []T {
	var one T
	values := make([]T, len(b.r.Data)/binary.Size(one))
	if err := binary.Read(bytes.NewReader(b.r.Data), binary.LittleEndian, values); err != nil {
		panic("simtrun bug: " + err.Error())
	}
	return values
}

// Write copies values to the start of the buffer. It returns an error if they do not fit, or if the buffer is nil or
// was freed.
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
