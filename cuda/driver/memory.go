package main

/*
#define SIMTRUN_CUDA_TYPES_ONLY
#include "../include/cuda.h"

// hostBytes is where an address of the host points to.
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
)

// allocation is memory that a program has allocated, or registered.
type allocation struct {
	ctx    *cudaContext
	kind   kind
	base   uint64 // what the program has
	size   uint64
	serial uint64
	flags  uint32 // of host memory
	buf    *simtrun.Buffer
	pages  []byte // that were mapped for it; nil for others
	pool   *pool  // from which it is; nil for none

	file   *os.File  // that its pages are of, as other processes have a handle; nil for others
	key    ipcKey    // of the file, or of that of the other process
	of     ipcHandle // the handle of another process's memory, without offset and seal
	opened int       // how often that handle was opened
}

// kind is what a program takes an allocation for.
type kind uint8

const (
	onDevice   kind = iota
	onHost          // page-locked memory of the host
	managed         // of both
	registered      // the program's own, page-locked
	virtual         // mapped in a range of addresses
	inArray         // the texels of an array, whose address the program does not have
	imported        // of another process
	kinds           // how many there are
)

// totalMemory is the bytes of the device's memory: what the GPU has, as far as the host has it for simtrun.
func (d *device) totalMemory() uint64 {
	return min(d.budget(), uint64(d.gpu.Memory.DRAMBytes))
}

// available is the bytes of device memory that are left.
func (d *device) available() uint64 {
	all := d.totalMemory()
	return all - min(all, d.used[onDevice]+d.used[inArray]+d.used[managed])
}

// add keeps an allocation that buf is. That of no context (nil) is not freed with one.
func (c *cudaContext) add(a *allocation, buf *simtrun.Buffer) {
	dev.serial++
	a.ctx, a.buf, a.serial = c, buf, dev.serial
	buf.Rename(a.name())
	dev.allocs[a.base] = a
	if c != nil {
		c.allocs[a] = true
	}
	dev.used[a.kind] += a.size
}

// name is what messages call the allocation.
func (a *allocation) name() string {
	return fmt.Sprintf("%s %d", [...]string{"allocation", "host memory", "managed memory", "registered memory", "virtual memory", "array", "memory of another process"}[a.kind], a.serial)
}

//export go_simtrunNameMemory
func go_simtrunNameMemory(current C.uintptr_t, addr C.ulonglong, name *C.char) C.int {
	return in(current, func(*cudaContext) result {
		a := dev.find(uint64(addr))
		if a == nil || name == nil {
			return errorInvalidValue
		}
		a.buf.Rename(fmt.Sprintf("%s (%s)", a.name(), C.GoString(name)))
		return success
	})
}

// leastPages is the size from which device memory is mapped and not of Go's heap.
const leastPages = 64 << 10

// textureAlign is what textures in device memory begin at a multiple of, as does all device memory that is allocated.
const textureAlign = 512

// alloc allocates device memory.
func (c *cudaContext) alloc(size uint64, k kind) (*allocation, result) {
	if size == 0 {
		return nil, errorInvalidValue
	}
	if size > dev.available() {
		return nil, errorOutOfMemory
	}
	a := &allocation{kind: k, size: size}
	var bytes []byte
	if size < leastPages {
		bytes = make([]byte, size)
		fill(bytes, []byte{fresh})
	} else {
		var err error
		if a.pages, err = freshPages(size); err != nil {
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
	return a, success
}

// allocPages allocates memory that host and kernels use by the same addresses.
func (c *cudaContext) allocPages(size uint64, k kind, flags uint32) (*allocation, result) {
	if size == 0 {
		return nil, errorInvalidValue
	}
	if size > dev.totalMemory() || dev.used[onHost]+dev.used[managed] > dev.totalMemory()-size {
		return nil, errorOutOfMemory
	}
	pages, err := freshPages(size)
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
	return a, success
}

// free gives the memory back.
func (a *allocation) free() {
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
}

// host reports whether the host has the memory at the same addresses.
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

// find is the allocation in which an address is, or nil: of a variable of a module, too.
func (d *device) find(addr uint64) *allocation {
	if b := d.mem.Find(addr); b != nil {
		return d.allocs[d.baseOf(b)]
	}
	return nil
}

// baseOf is where the allocation starts that a buffer is. That of registered memory starts at a multiple of what buffers do, and
// so may what is registered not.
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

// rangeOf is what a program takes for the memory that a buffer is: of registered memory, what was registered.
func (d *device) rangeOf(b *simtrun.Buffer) (base, size uint64) {
	if a := d.allocs[d.baseOf(b)]; a != nil {
		return a.base, a.size
	}
	return b.Addr(), uint64(len(b.Bytes()))
}

// Buffers of registered memory begin at a multiple of registerAlign, so that sectors are where they are, or of heapAlign where the
// program's heap has something else in between: blocks of less than a page, or what another buffer has.
const (
	registerAlign = 32
	heapAlign     = 16
	pageBytes     = 4096
)

// bytes is n bytes of the device's memory at an address.
func (d *device) bytes(addr, n uint64) ([]byte, result) {
	if n == 0 {
		return nil, success
	}
	b := d.mem.Find(addr)
	if b == nil {
		if name, ok := d.misuse.freed[addr]; ok {
			return nil, d.misuse.because(errorInvalidValue, "%s was freed", name)
		}
		return nil, d.misuse.because(errorInvalidValue, "nothing is allocated at 0x%x", addr)
	}
	all, offset := b.Bytes(), addr-b.Addr()
	if left := uint64(len(all)) - offset; n > left {
		return nil, d.misuse.because(errorInvalidValue, "%d bytes at byte %d of %s, which has only %d bytes", n, offset, b.Name(), len(all))
	}
	return all[offset:][:n], success
}

// hostBytes is n bytes of the program's own memory.
func hostBytes(p unsafe.Pointer, n uint64) ([]byte, result) {
	if n == 0 {
		return nil, success
	}
	if p == nil || n > math.MaxInt64 || uint64(uintptr(p))+n < n || dev.owns(uint64(uintptr(p))) {
		return nil, errorInvalidValue
	}
	return unsafe.Slice((*byte)(p), n), success
}

// owns reports whether an address is one of device memory, whether something is there or not.
func (d *device) owns(addr uint64) bool {
	return addr >= isa.GlobalBase && addr < d.highest || addr >= deviceBit
}

// anyBytes is n bytes at an address of the device or of the host.
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

// pitchAlign is what the pitch of a row is a multiple of.
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

// freeAt frees what cuMemAlloc or cuMemAllocManaged gave, or a pool of another process; 0 is nothing.
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

//export go_cuMemAllocHost_v2
func go_cuMemAllocHost_v2(current C.uintptr_t, p *unsafe.Pointer, n C.size_t) C.int {
	return go_cuMemHostAlloc(current, p, n, 0)
}

//export go_cuMemHostAlloc
func go_cuMemHostAlloc(current C.uintptr_t, p *unsafe.Pointer, n C.size_t, flags C.uint) C.int {
	return in(current, func(c *cudaContext) result {
		if p == nil || flags&^(C.CU_MEMHOSTALLOC_PORTABLE|C.CU_MEMHOSTALLOC_DEVICEMAP|C.CU_MEMHOSTALLOC_WRITECOMBINED) != 0 {
			return errorInvalidValue
		}
		a, r := c.allocPages(uint64(n), onHost, uint32(flags))
		if r == success {
			*p = unsafe.Pointer(unsafe.SliceData(a.pages))
		}
		return r
	})
}

//export go_cuMemFreeHost
func go_cuMemFreeHost(current C.uintptr_t, p unsafe.Pointer) C.int {
	return in(current, func(*cudaContext) result {
		if p == nil {
			return success
		}
		dev.settle()
		a := dev.allocs[uint64(uintptr(p))]
		if a == nil || a.kind != onHost {
			return dev.misuse.notFreed(uint64(uintptr(p)))
		}
		a.free()
		return success
	})
}

//export go_cuMemHostGetDevicePointer_v2
func go_cuMemHostGetDevicePointer_v2(current C.uintptr_t, addr *C.ulonglong, p unsafe.Pointer, flags C.uint) C.int {
	return in(current, func(*cudaContext) result {
		a := dev.find(uint64(uintptr(p)))
		if addr == nil || a == nil || !a.host() {
			return errorInvalidValue
		}
		*addr = C.ulonglong(uintptr(p))
		return success
	})
}

//export go_cuMemHostGetFlags
func go_cuMemHostGetFlags(current C.uintptr_t, flags *C.uint, p unsafe.Pointer) C.int {
	return in(current, func(*cudaContext) result {
		a := dev.find(uint64(uintptr(p)))
		if flags == nil || a == nil || a.kind != onHost && a.kind != registered {
			return errorInvalidValue
		}
		*flags = C.uint(a.flags) | C.CU_MEMHOSTALLOC_DEVICEMAP
		return success
	})
}

//export go_cuMemAllocManaged
func go_cuMemAllocManaged(current C.uintptr_t, addr *C.ulonglong, n C.size_t, flags C.uint) C.int {
	return in(current, func(c *cudaContext) result {
		if addr == nil || flags != C.CU_MEM_ATTACH_GLOBAL && flags != C.CU_MEM_ATTACH_HOST {
			return errorInvalidValue
		}
		a, r := c.allocPages(uint64(n), managed, 0)
		if r == success {
			*addr = C.ulonglong(a.base)
		}
		return r
	})
}

//export go_cuMemHostRegister_v2
func go_cuMemHostRegister_v2(current C.uintptr_t, p unsafe.Pointer, n C.size_t, flags C.uint) C.int {
	return in(current, func(c *cudaContext) result {
		if p == nil || n == 0 {
			return errorInvalidValue
		}
		base := uint64(uintptr(p))
		if dev.mem.Find(base) != nil {
			return errorHostMemoryAlreadyRegistered
		}
		before := base % registerAlign
		if n < pageBytes || dev.mem.Find(base-before) != nil {
			before = base % heapAlign
		}
		buf, err := dev.mem.Adopt("registered", base-before, unsafe.Slice((*byte)(unsafe.Add(p, -int(before))), uint64(n)+before))
		if err != nil {
			dev.outlet.say("%v", err)
			return errorHostMemoryAlreadyRegistered
		}
		c.add(&allocation{kind: registered, base: base, size: uint64(n), flags: uint32(flags)}, buf)
		return success
	})
}

//export go_cuMemHostUnregister
func go_cuMemHostUnregister(current C.uintptr_t, p unsafe.Pointer) C.int {
	return in(current, func(*cudaContext) result {
		dev.settle()
		a := dev.allocs[uint64(uintptr(p))]
		if a == nil || a.kind != registered {
			return errorHostMemoryNotRegistered
		}
		a.free()
		return success
	})
}

// pointerAttribute writes an attribute of an address to where a program wants it.
func (d *device) pointerAttribute(to unsafe.Pointer, attribute C.int, addr uint64) result {
	if to == nil {
		return errorInvalidValue
	}
	b := d.mem.Find(addr)
	if b == nil {
		return errorInvalidValue
	}
	a := d.allocs[d.baseOf(b)] // nil of a variable
	host := a != nil && a.host()
	switch attribute {
	case C.CU_POINTER_ATTRIBUTE_CONTEXT:
		*(*handle)(to) = a.context()
	case C.CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
		t := C.uint(C.CU_MEMORYTYPE_DEVICE)
		if a != nil && (a.kind == onHost || a.kind == registered) {
			t = C.CU_MEMORYTYPE_HOST
		}
		*(*C.uint)(to) = t
	case C.CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
		*(*uint64)(to) = addr
	case C.CU_POINTER_ATTRIBUTE_HOST_POINTER:
		if !host {
			return errorInvalidValue
		}
		*(*uint64)(to) = addr
	case C.CU_POINTER_ATTRIBUTE_BUFFER_ID:
		var id uint64
		if a != nil {
			id = a.serial
		}
		*(*uint64)(to) = id
	case C.CU_POINTER_ATTRIBUTE_IS_MANAGED:
		*(*C.uint)(to) = truth(a != nil && a.kind == managed)
	case C.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
		*(*C.int)(to) = 0
	case C.CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
		*(*uint64)(to), _ = d.rangeOf(b)
	case C.CU_POINTER_ATTRIBUTE_RANGE_SIZE:
		_, *(*uint64)(to) = d.rangeOf(b)
	case C.CU_POINTER_ATTRIBUTE_MAPPED:
		*(*C.uint)(to) = 1
	case C.CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, C.CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, C.CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
		*(*C.uint)(to) = 0
	case C.CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
		*(*C.uint)(to) = C.CU_MEM_ACCESS_FLAGS_PROT_READWRITE
	case C.CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
		*(*uint64)(to) = 0
		if m := d.mappingAt(addr); m != nil {
			*(*uint64)(to) = uint64(m.of.props.requestedHandleTypes)
		}
	case C.CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
		*(*uint64)(to) = uint64(a.poolHandle())
	default:
		return errorNotSupported
	}
	return success
}

// context is the context of an allocation, or 0: of a variable, which has none.
func (a *allocation) context() handle {
	if a == nil || a.ctx == nil {
		return 0
	}
	return a.ctx.h
}

// poolHandle is the pool of an allocation, or 0.
func (a *allocation) poolHandle() handle {
	if a == nil || a.pool == nil {
		return 0
	}
	return a.pool.h
}

func truth(b bool) C.uint {
	if b {
		return 1
	}
	return 0
}

//export go_cuPointerGetAttribute
func go_cuPointerGetAttribute(current C.uintptr_t, to unsafe.Pointer, attribute C.int, addr C.ulonglong) C.int {
	return in(current, func(*cudaContext) result { return dev.pointerAttribute(to, attribute, uint64(addr)) })
}

// What the driver does not know of is no error here: it writes zeros.
//
//export go_cuPointerGetAttributes
func go_cuPointerGetAttributes(current C.uintptr_t, n C.uint, attributes *C.int, to *unsafe.Pointer, addr C.ulonglong) C.int {
	return in(current, func(*cudaContext) result {
		if n == 0 || attributes == nil || to == nil {
			return errorInvalidValue
		}
		places := unsafe.Slice(to, n)
		for i, a := range unsafe.Slice(attributes, n) {
			if dev.pointerAttribute(places[i], a, uint64(addr)) != success && places[i] != nil {
				switch a {
				case C.CU_POINTER_ATTRIBUTE_CONTEXT, C.CU_POINTER_ATTRIBUTE_DEVICE_POINTER, C.CU_POINTER_ATTRIBUTE_HOST_POINTER, C.CU_POINTER_ATTRIBUTE_BUFFER_ID,
					C.CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, C.CU_POINTER_ATTRIBUTE_RANGE_SIZE, C.CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES, C.CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
					*(*uint64)(places[i]) = 0
				case C.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
					*(*C.int)(places[i]) = C.CU_DEVICE_INVALID
				default:
					*(*C.uint)(places[i]) = 0
				}
			}
		}
		return success
	})
}

//export go_cuPointerSetAttribute
func go_cuPointerSetAttribute(current C.uintptr_t, value unsafe.Pointer, attribute C.int, addr C.ulonglong) C.int {
	return in(current, func(*cudaContext) result {
		if value == nil || attribute != C.CU_POINTER_ATTRIBUTE_SYNC_MEMOPS || dev.mem.Find(uint64(addr)) == nil {
			return errorInvalidValue
		}
		return success
	})
}

// Hints on where managed memory is to be change nothing: it is in one place.
func (d *device) hint(addr, n uint64) result {
	if _, r := d.bytes(addr, n); r != success || n == 0 {
		return errorInvalidValue
	}
	return success
}

//export go_cuMemAdvise
func go_cuMemAdvise(current C.uintptr_t, addr C.ulonglong, n C.size_t, advice, d C.int) C.int {
	return in(current, func(*cudaContext) result { return dev.hint(uint64(addr), uint64(n)) })
}

//export go_cuMemAdvise_v2
func go_cuMemAdvise_v2(current C.uintptr_t, addr C.ulonglong, n C.size_t, advice C.int, location C.CUmemLocation) C.int {
	return in(current, func(*cudaContext) result { return dev.hint(uint64(addr), uint64(n)) })
}

//export go_cuMemPrefetchAsync
func go_cuMemPrefetchAsync(current C.uintptr_t, addr C.ulonglong, n C.size_t, d C.int, s C.uintptr_t) C.int {
	return onStream(current, s, C.CU_GRAPH_NODE_TYPE_EMPTY, func(*cudaContext) result { return dev.hint(uint64(addr), uint64(n)) })
}

//export go_cuMemPrefetchAsync_v2
func go_cuMemPrefetchAsync_v2(current C.uintptr_t, addr C.ulonglong, n C.size_t, location C.CUmemLocation, flags C.uint, s C.uintptr_t) C.int {
	return onStream(current, s, C.CU_GRAPH_NODE_TYPE_EMPTY, func(*cudaContext) result { return dev.hint(uint64(addr), uint64(n)) })
}
