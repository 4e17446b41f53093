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

// Memory is a GPU with what is in its memory: buffers that every program loaded there can use, and that outlive them.
// Program.NewMachine makes one for one program alone.
//
//	mem, err := simtrun.NewMemory(simtrun.Options{})
//	x, err := mem.Alloc("x", 4*n)
//	fill, err := mem.Load(fillProgram)
//	sum, err := mem.Load(sumProgram)
//
// Of all programs in a memory one runs a launch at a time. A memory is for one goroutine at a time.
type Memory struct {
	cfg     interp.Config
	m       *interp.Memory
	clock   *sm.Options             // of the next launch; nil without a clock
	libs    bool                    // programs may declare functions of libdevice
	running *Running                // the launch that was begun and has not ended; else nil
	buffers map[*memory.Region]bool // that Free takes
}

// NewMemory is empty memory with addresses of 64 bits, and how programs loaded there run.
func NewMemory(o Options) (*Memory, error) { return o.memory(64) }

// memory is empty memory with addresses of 32 or 64 bits.
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
		clock.L2 = sm.NewL2(cfg.GPU)
		m.clock = &clock
	}
	return m, nil
}

// Load loads a program: its variables, initialised, get addresses of their own, as do its functions. A program that is
// loaded again, there or in another memory, is prepared for running only once.
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

// buffer is a region, new unless err, as a buffer.
func (m *Memory) buffer(r *memory.Region, err error) (*Buffer, error) {
	if err != nil {
		return nil, err
	}
	m.buffers[r] = true
	return &Buffer{m, r}, nil
}

// AllocOn is AllocAligned of a buffer whose bytes are the caller's.
func (m *Memory) AllocOn(name string, bytes []byte, align uint64) (*Buffer, error) {
	return m.buffer(m.m.AllocOn(name, bytes, align))
}

// Adopt makes the caller's bytes a buffer, at an address of the caller's choice: their own, if host and kernels are to
// use the same pointers. Writes of either are seen by the other at once. The address is a multiple of 16 from 1<<28 on, or between 1<<16
// and 1<<24, and no other buffer may be there. What a GPU does with memory that is mapped for it, and what reading over a bus costs, is not modelled.
func (m *Memory) Adopt(name string, addr uint64, bytes []byte) (*Buffer, error) {
	return m.buffer(m.m.Adopt(name, addr, bytes))
}

// SetHeap sets how many bytes kernels can have of malloc at a time, 8 MiB if nothing is said (CUDA C++ Programming Guide, Dynamic Global Memory Allocation).
func (m *Memory) SetHeap(bytes uint64) { m.m.SetHeap(bytes) }

// Free removes a buffer that was allocated or adopted; variables go with their program, and what kernels have allocated
// is theirs. The addresses are not given out again, so that to use them is a fault.
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

// Find is the buffer or variable that an address is in, or nil.
func (m *Memory) Find(addr uint64) *Buffer {
	if r := m.m.Region(addr); r != nil {
		return &Buffer{m, r}
	}
	return nil
}

// TimeStamp is the cycle at which the next launch starts, counted from the start of the first; 0 without a clock.
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

// Memory is where the program is loaded, for other programs and for what outlives this one.
func (m *Machine) Memory() *Memory { return m.mem }

// Unload frees what the program has in memory. The machine must not be used any more.
func (m *Machine) Unload() { m.m.Unload() }

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
