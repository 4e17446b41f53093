package interp

import (
	"errors"
	"fmt"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/program"
	"github.com/simtrun/simtrun/memory"
)

// Memory is a GPU's memory: global and constant memory, the heap of malloc, and the textures, samplers and surfaces
// for which kernels have handles. Modules are loaded into it (Load), each a Machine; what one launch leaves there the
// next one finds, whichever module its kernel is of.
type Memory struct {
	global     *memory.Global
	images     []Image                   // by number of their handles
	removed    []int                     // numbers of handles that were taken away, in that order
	funcs      uint64                    // functions that have addresses, of all modules that were loaded
	heaps      map[uint64]*memory.Region // what malloc gave and free has not freed, by address
	heap       uint64                    // bytes of the heap that are in use
	most       uint64                    // bytes of the heap
	freed      uint64                    // counts regions that were freed
	budget     *memory.Budget
	workspaces []*workspace
	// launched is the bytes of the budget that the latest launch has taken.
	launched int64
	// paramsNumber is the number of the region of a launch's parameters, and
	// sharedNumbers are by slot those of the shared memory of resident CTAs.
	paramsNumber  int32
	sharedNumbers []int32
}

// NewMemory is empty memory whose addresses have 32 or 64 bits. What it takes of the host's memory, and what launches
// take beside it, is counted in b; nil is a budget of its own, of memory.DefaultBudget.
func NewMemory(addressBits int, b *memory.Budget) *Memory {
	if b == nil {
		b = memory.NewBudget(0)
	}
	m := &Memory{budget: b, global: memory.NewGlobal(addressBits, b), heaps: make(map[uint64]*memory.Region), most: heapBytes}
	m.paramsNumber = m.global.NewNumber()
	return m
}

// Alloc adds a zeroed buffer of size bytes to global memory, aligned to 256
// bytes, with a gap after it. The name is for messages.
func (m *Memory) Alloc(name string, size int64) (*memory.Region, error) {
	return m.global.Alloc(name, isa.Global, size)
}

// AllocAligned is Alloc of a buffer that is aligned to another power of two, from 256 on.
func (m *Memory) AllocAligned(name string, size int64, align uint64) (*memory.Region, error) {
	return m.global.AllocAligned(name, isa.Global, size, align)
}

// AllocOn is AllocAligned of a buffer whose bytes are the caller's.
func (m *Memory) AllocOn(name string, data []byte, align uint64) (*memory.Region, error) {
	return m.global.AllocOn(name, data, align)
}

// Adopt adds a buffer at an address of the caller's choice whose bytes are the caller's, as memory.Global.Adopt has it.
func (m *Memory) Adopt(name string, addr uint64, data []byte) (*memory.Region, error) {
	return m.global.Adopt(name, addr, data)
}

// AllocAt is Alloc at an address of the caller's choice, as memory.Global.AllocAt has it.
func (m *Memory) AllocAt(name string, addr uint64, size int64) (*memory.Region, error) {
	return m.global.AllocAt(name, isa.Global, addr, size)
}

// AllocHeap is AllocAt for what malloc has given and free can free.
func (m *Memory) AllocHeap(name string, addr uint64, size int64) (*memory.Region, error) {
	r, err := m.AllocAt(name, addr, size)
	if err == nil {
		m.heap += heapCost(uint64(size))
		m.heaps[addr] = r
	}
	return r, err
}

// SetHeap sets how many bytes malloc can give.
func (m *Memory) SetHeap(bytes uint64) { m.most = min(bytes, 1<<48) }

// SetHeapAt sets the lowest address that malloc may give.
func (m *Memory) SetHeapAt(addr uint64) { m.global.SetNext(addr) }

// Heap is the lowest address that malloc may give next, and how many bytes it can give in all.
func (m *Memory) Heap() (next, bytes uint64) { return m.global.Next(), m.most }

// IsHeap reports whether malloc gave a region.
func (m *Memory) IsHeap(r *memory.Region) bool { return m.heaps[r.Base] == r }

// Regions are the buffers and variables that there are, in the order of their addresses.
func (m *Memory) Regions() []*memory.Region { return m.global.Regions() }

// Free removes a buffer. Its addresses are not given out again.
func (m *Memory) Free(r *memory.Region) {
	m.global.Free(r)
	m.freed++
}

// Reuse has later regions take the numbers of those that were freed, as no launch is under way.
func (m *Memory) Reuse() { m.global.Reuse() }

// Region is the region of global or constant memory that an address is in, or
// nil.
func (m *Memory) Region(addr uint64) *memory.Region { return m.global.At(addr) }

// Backup is for putting back what global memory holds now, after threads have written it.
func (m *Memory) Backup() *memory.Backup { return memory.NewBackup(m.global) }

// takeForLaunch takes n bytes of the budget for the launch that runs.
func (m *Memory) takeForLaunch(what string, n int64) error {
	if err := m.budget.Take(what, n); err != nil {
		return err
	}
	m.launched += n
	return nil
}

// giveLaunch gives back what the latest launch has taken.
func (m *Memory) giveLaunch() {
	m.budget.Give(m.launched)
	m.launched = 0
}

// sharedNumber is the number of the shared memory of the CTA in a slot.
func (m *Memory) sharedNumber(slot int) int32 {
	for len(m.sharedNumbers) <= slot {
		m.sharedNumbers = append(m.sharedNumbers, m.global.NewNumber())
	}
	return m.sharedNumbers[slot]
}

// Functions, and textures with samplers and surfaces, have addresses in the same window, which holds no data:
// each identBytes, from identBase on.
const (
	identBase  = 5 << 24
	identBytes = 16
	idents     = (isa.ConstBase - identBase) / identBytes
)

var errIdents = errors.New("too many modules were loaded, or textures made")

// newFuncs gives addresses to n functions. It returns the number of the first.
func (m *Memory) newFuncs(n int) (first uint64, err error) {
	if first = m.funcs; uint64(n) > idents-first {
		return 0, fmt.Errorf("%w: addresses of functions end at 0x%x", errIdents, uint64(isa.ConstBase))
	}
	m.funcs += uint64(n)
	return first, nil
}

// placeFuncs gives addresses to the functions of a module, of which one may have been chosen. It returns the number of the first.
func (m *Memory) placeFuncs(mod *program.Module, chosen map[string]uint64) (first uint64, err error) {
	many := uint64(len(mod.Src.Funcs))
	for _, f := range mod.Src.Funcs {
		addr, ok := chosen[f.Name]
		if !ok {
			continue
		}
		number, ok := funcNumber(addr)
		in, _ := mod.FuncNumber(f.Name)
		if first = number - uint64(in); !ok || first < m.funcs || first > number || many > idents-first {
			return 0, fmt.Errorf("%s: 0x%x cannot be the address of a function here", f.Name, addr)
		}
		m.funcs = first
		break
	}
	return m.newFuncs(int(many))
}

func funcAddress(number uint64) uint64 { return identBase + identBytes*number }

// funcNumber is the number of the function that an address can be that of.
func funcNumber(addr uint64) (number uint64, ok bool) {
	return (addr - identBase) / identBytes, addr >= identBase && addr < isa.ConstBase && addr%identBytes == 0
}
