package main

/*
#define SIMTRUN_CUDA_TYPES_ONLY
#include "../include/cuda.h"

// hostBytes converts an address to a pointer.
static inline void *hostBytes(unsigned long long addr) { return (void *)(uintptr_t)addr; }
*/
import "C"

import (
	"fmt"
	"math"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/simtrun/simtrun"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/memory"
)

// allocation is memory that a program has allocated, or registered.
type allocation struct {
	ctx    *cudaContext
	kind   kind
	base   uint64 // address that the program uses
	size   uint64
	serial uint64
	flags  uint32 // for host memory
	buf    *simtrun.Buffer
	made   callers // the call that has allocated it; zero if calls do not note that
	label  string  // the program's name for it; "" if it has none
	pages  []byte  // mapped for it; nil for others
	shadow []byte  // mapped for the check of unwritten values; nil if nothing is
	pool   *pool   // to which it belongs; nil for none

	file   *os.File  // file of its pages, if other processes have a handle; otherwise nil
	key    ipcKey    // of the file, or of the other process's file
	of     ipcHandle // the handle of another process's memory, without offset and seal
	opened int       // how often the handle was opened
}

// kind is the kind of memory from the program's point of view.
type kind uint8

const (
	onDevice   kind = iota
	onHost          // page-locked host memory
	managed         // shared by host and device
	registered      // host memory of the program, page-locked by registration
	virtual         // mapped in a reserved range of addresses
	inArray         // texels of an array; the program does not know the address
	imported        // of another process
	kinds           // number of kinds
)

// totalMemory returns the size of device memory: that of the GPU, limited by the host memory for simtrun.
func (d *device) totalMemory() uint64 {
	return min(d.budget(), uint64(d.gpu.Memory.DRAMBytes))
}

// available returns the free bytes of device memory.
func (d *device) available() uint64 {
	all := d.totalMemory()
	return all - min(all, d.used[onDevice]+d.used[inArray]+d.used[managed])
}

// add records an allocation with its buffer. Destroying a context does not free an allocation without one (nil).
func (c *cudaContext) add(a *allocation, buf *simtrun.Buffer) {
	dev.serial++
	a.ctx, a.buf, a.serial, a.made = c, buf, dev.serial, callersNow()
	buf.Rename(a.name())
	dev.allocs[a.base] = a
	if c != nil {
		c.allocs[a] = true
	}
	dev.used[a.kind] += a.size
}

// name returns the allocation's name for messages.
func (a *allocation) name() string {
	return fmt.Sprintf("%s %d", [...]string{"allocation", "host memory", "managed memory", "registered memory", "virtual memory", "array", "memory of another process"}[a.kind], a.serial)
}

//export go_simtrunNameMemory
func go_simtrunNameMemory(current C.uintptr_t, addr C.ulonglong, name *C.char) C.int {
	return in(current, func(*cudaContext) result {
		a, m := dev.find(uint64(addr)), dev.inGraphs[uint64(addr)]
		if a == nil && m == nil || name == nil {
			return errorInvalidValue
		}
		label := C.GoString(name)
		if m != nil {
			m.label = label
		}
		if a != nil {
			a.setLabel(label)
		}
		return success
	})
}

// setLabel makes the program's name for the allocation a part of its name in reports.
func (a *allocation) setLabel(label string) {
	a.label = label
	a.buf.Rename(fmt.Sprintf("%s (%s)", a.name(), label))
}

// leastPages is the size from which device memory is mapped instead of allocated on Go's heap.
const leastPages = 64 << 10

// textureAlign is the alignment of textures in device memory, and of all allocated device memory.
const textureAlign = 512

// alloc allocates device memory.
func (c *cudaContext) alloc(size uint64, k kind) (*allocation, result) {
	if size == 0 {
		return nil, errorInvalidValue
	}
	if free := dev.available(); size > free {
		return nil, dev.misuse.because(errorOutOfMemory, "%s of the GPU's memory are free, not %s", memory.Bytes(free), memory.Bytes(size))
	}
	a := &allocation{kind: k, size: size}
	var bytes []byte
	if size < leastPages {
		bytes = make([]byte, size)
		fill(bytes, []byte{fresh})
	} else {
		var err error
		if a.pages, err = plain.pages(size); err != nil {
			return nil, errorOutOfMemory
		}
		bytes = a.pages
	}
	buf, err := dev.mem.AllocOn("allocation", bytes, textureAlign)
	if err != nil {
		a.unmap()
		return nil, errorOutOfMemory
	}
	a.base = buf.Addr()
	dev.highest = max(dev.highest, a.base+size)
	c.add(a, buf)
	if dev.opts.Init && k == onDevice {
		a.trackWrites()
	}
	return a, success
}

// allocPages allocates memory that has the same addresses for host and kernels.
func (c *cudaContext) allocPages(size uint64, k kind, flags uint32) (*allocation, result) {
	if size == 0 {
		return nil, errorInvalidValue
	}
	if size > dev.totalMemory() || dev.used[onHost]+dev.used[managed] > dev.totalMemory()-size {
		return nil, errorOutOfMemory
	}
	content := contentOf(k)
	pages, err := content.pages(size)
	if err != nil {
		return nil, errorOutOfMemory
	}
	base := uint64(uintptr(unsafe.Pointer(unsafe.SliceData(pages))))
	buf, err := dev.mem.Adopt("host", base, pages)
	if err != nil {
		dev.outlet.say("%v", err)
		unix.Munmap(pages)
		return nil, errorOutOfMemory
	}
	a := &allocation{kind: k, base: base, size: size, flags: flags, pages: pages}
	c.add(a, buf)
	a.seeHost(content)
	return a, success
}

// free frees the memory.
func (a *allocation) free() {
	a.reportResults()
	dev.orders.forget(a)
	if err := dev.mem.Free(a.buf); err != nil {
		panic(bug("freeing "+a.name(), err))
	}
	dev.misuse.wasFreed(a)
	delete(dev.allocs, a.base)
	dev.used[a.kind] -= a.size
	if a.pool != nil {
		a.pool.used -= a.size
	}
	if a.ctx != nil {
		delete(a.ctx.allocs, a)
	}
	a.unmap()
	if a.file != nil {
		a.file.Close()
	}
}

func (a *allocation) unmap() {
	if a.pages != nil {
		unix.Munmap(a.pages)
	}
	if a.shadow != nil {
		unix.Munmap(a.shadow)
	}
}

// host reports whether the host can access the memory at the same addresses.
func (a *allocation) host() bool {
	return a.kind == onHost || a.kind == managed || a.kind == registered
}

// fill repeats a pattern.
func fill(to, pattern []byte) {
	n := copy(to, pattern)
	for n > 0 && n < len(to) {
		n += copy(to[n:], to[:n])
	}
}

// find returns the allocation that contains an address, including variables of modules, or nil.
func (d *device) find(addr uint64) *allocation {
	if b := d.mem.Find(addr); b != nil {
		return d.allocs[d.baseOf(b)]
	}
	return nil
}

// baseOf returns the start of the allocation that a buffer belongs to. Registered memory may begin after the start of
// its buffer, which is aligned.
func (d *device) baseOf(b *simtrun.Buffer) uint64 {
	if _, known := d.allocs[b.Addr()]; known {
		return b.Addr()
	}
	for skip := uint64(1); skip < registerAlign; skip++ {
		if a := d.allocs[b.Addr()+skip]; a != nil && a.kind == registered {
			return a.base
		}
	}
	return b.Addr()
}

// named returns the name of a buffer with the call that made it, if that is known.
func (d *device) named(b *simtrun.Buffer) string {
	if a := d.allocs[d.baseOf(b)]; a != nil {
		return named(b.Name(), a.made)
	}
	return b.Name()
}

// farthest is the distance from an allocation, in bytes, up to which an address counts as near.
const farthest = 1 << 20

// nearest describes the allocation that is nearest to an address in none; "" if none is near.
func (d *device) nearest(addr uint64) (text string) {
	least := uint64(farthest)
	for _, a := range d.allocs {
		if past := addr - (a.base + a.size); past < least {
			least, text = past, fmt.Sprintf("%s past the end of %s", memory.Bytes(past), named(a.buf.Name(), a.made))
		}
		if before := a.base - addr; before < least {
			least, text = before, fmt.Sprintf("%s before %s", memory.Bytes(before), named(a.buf.Name(), a.made))
		}
	}
	return text
}

// rangeOf returns the memory of a buffer from the program's point of view: for registered memory, the registered
// range.
func (d *device) rangeOf(b *simtrun.Buffer) (base, size uint64) {
	if a := d.allocs[d.baseOf(b)]; a != nil {
		return a.base, a.size
	}
	return b.Addr(), uint64(len(b.Bytes()))
}

// Buffers of registered memory are aligned to registerAlign, so that sectors keep their positions. They are aligned
// to heapAlign where the program's heap has other data in between: blocks of less than a page, or another buffer.
const (
	registerAlign = 32
	heapAlign     = 16
	pageBytes     = 4096
)

// bytes returns n bytes of device memory at an address.
func (d *device) bytes(addr, n uint64) ([]byte, result) {
	if n == 0 {
		return nil, success
	}
	b := d.mem.Find(addr)
	if b == nil {
		return nil, d.misuse.because(errorInvalidValue, "%s", d.misuse.whatIsAt(addr))
	}
	all, offset := b.Bytes(), addr-b.Addr()
	if left := uint64(len(all)) - offset; n > left {
		return nil, d.misuse.because(errorInvalidValue, "%s at byte %d of %s, which has only %s", memory.Bytes(n), offset, d.named(b), memory.Bytes(uint64(len(all))))
	}
	return all[offset:][:n], success
}

// hostBytes returns n bytes of the program's memory.
func hostBytes(p unsafe.Pointer, n uint64) ([]byte, result) {
	if n == 0 {
		return nil, success
	}
	switch addr := uint64(uintptr(p)); {
	case p == nil:
		return nil, dev.misuse.because(errorInvalidValue, "the host's address is null")
	case dev.owns(addr):
		return nil, dev.misuse.because(errorInvalidValue, "0x%x is in the GPU's memory, and the call copies from or to the host's", addr)
	case n > math.MaxInt64 || addr+n < n:
		return nil, dev.misuse.because(errorInvalidValue, "%s", memory.Bytes(n))
	}
	return unsafe.Slice((*byte)(p), n), success
}

// owns reports whether an address is in the range of device memory, allocated or not.
func (d *device) owns(addr uint64) bool {
	return addr >= isa.GlobalBase && addr < d.highest || addr >= deviceBit
}

// anyBytes returns n bytes at an address of the device or of the host.
func (d *device) anyBytes(addr, n uint64) ([]byte, result) {
	if d.mem.Find(addr) != nil {
		return d.bytes(addr, n)
	}
	return hostBytes(C.hostBytes(C.ulonglong(addr)), n)
}

//export go_cuMemGetInfo_v2
func go_cuMemGetInfo_v2(current C.uintptr_t, available, total *C.size_t) C.int {
	return in(current, func(*cudaContext) result {
		set(total, C.size_t(dev.totalMemory()))
		set(available, C.size_t(dev.available()))
		return success
	})
}

//export go_cuMemAlloc_v2
func go_cuMemAlloc_v2(current C.uintptr_t, addr *C.ulonglong, n C.size_t) C.int {
	return in(current, func(c *cudaContext) result {
		if addr == nil {
			return errorInvalidValue
		}
		a, r := c.alloc(uint64(n), onDevice)
		if r == success {
			*addr = C.ulonglong(a.base)
		}
		return r
	})
}

// pitchAlign is the alignment of pitches in bytes.
const pitchAlign = 512

//export go_cuMemAllocPitch_v2
func go_cuMemAllocPitch_v2(current C.uintptr_t, addr *C.ulonglong, pitch *C.size_t, width, height C.size_t, element C.uint) C.int {
	return in(current, func(c *cudaContext) result {
		if addr == nil || pitch == nil || element != 4 && element != 8 && element != 16 || width > 1<<40 || height > 1<<40 {
			return errorInvalidValue
		}
		row := (uint64(width) + pitchAlign - 1) / pitchAlign * pitchAlign
		if row > 0 && uint64(height) > (1<<62)/row {
			return errorOutOfMemory
		}
		a, r := c.alloc(row*uint64(height), onDevice)
		if r == success {
			*addr, *pitch = C.ulonglong(a.base), C.size_t(row)
		}
		return r
	})
}

//export go_cuMemFree_v2
func go_cuMemFree_v2(current C.uintptr_t, addr C.ulonglong) C.int {
	return in(current, func(*cudaContext) result {
		dev.settle()
		return dev.freeAt(uint64(addr))
	})
}

// freeAt frees memory from cuMemAlloc or cuMemAllocManaged, or from another process's pool; 0 is a no-op.
func (d *device) freeAt(addr uint64) result {
	if addr == 0 {
		return success
	}
	switch a := d.allocs[addr]; {
	case a == nil:
		return d.misuse.notFreed(addr)
	case a.kind == onDevice || a.kind == managed:
		a.free()
	case a.kind == imported && a.of.kind == ipcPooled:
		a.close()
	default:
		return d.misuse.notFreed(addr)
	}
	return success
}

//export go_cuMemGetAddressRange_v2
func go_cuMemGetAddressRange_v2(current C.uintptr_t, base *C.ulonglong, n *C.size_t, addr C.ulonglong) C.int {
	return in(current, func(*cudaContext) result {
		b := dev.mem.Find(uint64(addr))
		if b == nil {
			return errorNotFound
		}
		from, size := dev.rangeOf(b)
		set(base, C.ulonglong(from))
		set(n, C.size_t(size))
		return success
	})
}
