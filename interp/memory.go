package interp

import (
	"errors"
	"fmt"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/program"
	"github.com/simtrun/simtrun/memory"
)

// Memory is a GPU's memory: global and constant memory, the heap of malloc, and the textures, samplers and surfaces
// for which kernels have handles. Modules are loaded into it (Load), each as a Machine. Its contents stay from one
// launch to the next, even if the kernels belong to different modules.
type Memory struct {
	global     *memory.Global
	images     []Image                   // by number of their handles
	stamps     uint64                    // number of fills of images
	removed    []int                     // numbers of removed handles, in the order of removal
	funcs      uint64                    // number of functions with addresses, in all loaded modules
	heaps      map[uint64]*memory.Region // allocations of malloc that are not freed, by address
	heap       uint64                    // bytes of the heap that are in use
	most       uint64                    // bytes of the heap
	freed      uint64                    // counts regions and textures that have gone
	budget     *memory.Budget
	workspaces []*workspace
	// lastRegions has the regions that instructions accessed last, for the next launch of a program. It is empty after a
	// region was freed.
	lastRegions map[*program.Program]*lastRegions
	// kept has launches that have ended, for later ones like them; they take about keptBytes.
	kept      map[keptAs]*kept
	keptBytes int64
	// launched is the bytes of the budget that the latest launch has taken.
	launched int64
	// paramsNumber is the number of the region of a launch's parameters; sharedNumbers has by slot those of the shared
	// memory of resident CTAs.
	paramsNumber  int32
	sharedNumbers []int32
}

// NewMemory makes an empty memory with addresses of 32 or 64 bits. b counts the host memory that it takes, and that
// launches take in addition; nil means a new budget of memory.DefaultBudget.
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

// AllocAligned is Alloc for a buffer with another alignment, a power of two of at least 256.
func (m *Memory) AllocAligned(name string, size int64, align uint64) (*memory.Region, error) {
	return m.global.AllocAligned(name, isa.Global, size, align)
}

// AllocOn is AllocAligned for a buffer that uses the caller's bytes.
func (m *Memory) AllocOn(name string, data []byte, align uint64) (*memory.Region, error) {
	return m.global.AllocOn(name, data, align)
}

// Adopt adds a buffer of the caller's bytes at an address that the caller chooses; see memory.Global.Adopt.
func (m *Memory) Adopt(name string, addr uint64, data []byte) (*memory.Region, error) {
	return m.global.Adopt(name, addr, data)
}

// AllocAt is Alloc at an address that the caller chooses; see memory.Global.AllocAt.
func (m *Memory) AllocAt(name string, addr uint64, size int64) (*memory.Region, error) {
	return m.global.AllocAt(name, isa.Global, addr, size)
}

// AllocHeap is AllocAt for an allocation of malloc, which free can free.
func (m *Memory) AllocHeap(name string, addr uint64, size int64) (*memory.Region, error) {
	r, err := m.AllocAt(name, addr, size)
	if err == nil {
		m.heap += heapCost(uint64(size))
		m.heaps[addr] = r
	}
	return r, err
}

// SetHeap sets the size of the heap in bytes.
func (m *Memory) SetHeap(bytes uint64) { m.most = min(bytes, 1<<48) }

// SetHeapAt sets the lowest address that malloc may return.
func (m *Memory) SetHeapAt(addr uint64) { m.global.SetNext(addr) }

// Heap returns the lowest address that malloc may return next, and the size of the heap in bytes.
func (m *Memory) Heap() (next, bytes uint64) { return m.global.Next(), m.most }

// IsHeap reports whether a region is an allocation of malloc.
func (m *Memory) IsHeap(r *memory.Region) bool { return m.heaps[r.Base] == r }

// Regions returns all buffers and variables in the order of their addresses.
func (m *Memory) Regions() []*memory.Region { return m.global.Regions() }

// Free removes a buffer. Its addresses are not used again.
func (m *Memory) Free(r *memory.Region) {
	m.global.Free(r)
	clear(m.lastRegions)
	m.forget()
}

// forget makes engines forget regions and textures that instructions accessed last, because one of them has gone.
//
//go:noinline
func (m *Memory) forget() {
	m.freed++
	m.forgetKept()
}

// Reuse lets later regions take the numbers of freed ones. No launch may be running.
func (m *Memory) Reuse() { m.global.Reuse() }

// Region returns the region of global or constant memory that contains an address, or nil.
func (m *Memory) Region(addr uint64) *memory.Region { return m.global.At(addr) }

// Backup returns a Backup that restores the present contents of global memory after threads have written it.
func (m *Memory) Backup() *memory.Backup { return memory.NewBackup(m.global) }

// takeForLaunch takes n bytes of the budget for the running launch.
func (m *Memory) takeForLaunch(what string, n int64) error {
	if err := m.budget.Take(what, n); err != nil {
		return err
	}
	m.launched += n
	return nil
}

// giveLaunch returns the bytes that the latest launch has taken.
func (m *Memory) giveLaunch() {
	m.budget.Give(m.launched)
	m.launched = 0
}

// sharedNumber returns the region number of the shared memory of the CTA in a slot.
func (m *Memory) sharedNumber(slot int) int32 {
	for len(m.sharedNumbers) <= slot {
		m.sharedNumbers = append(m.sharedNumbers, m.global.NewNumber())
	}
	return m.sharedNumbers[slot]
}

// Functions, textures, samplers and surfaces have addresses in one window that holds no data: one every identBytes,
// from identBase on.
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

// placeFuncs gives addresses to the functions of a module; chosen may have the address of one. It returns the number
// of the
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

// funcNumber returns the number of the function that has an address, if one can.
func funcNumber(addr uint64) (number uint64, ok bool) {
	return (addr - identBase) / identBytes, addr >= identBase && addr < isa.ConstBase && addr%identBytes == 0
}
