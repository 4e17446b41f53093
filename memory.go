package simtrun

import (
	"fmt"

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
