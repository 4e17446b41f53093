package main

/*
#define SIMTRUN_CUDA_TYPES_ONLY
#include "../include/cuda.h"

// pagesAt converts an address to a pointer.
static inline void *pagesAt(uintptr_t addr) { return (void *)addr; }
*/
import "C"

import (
	"bytes"
	"slices"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Virtual memory management: physical memory, ranges of addresses, and mappings. It uses the host's virtual memory:
// physical memory is a memory file, and a range is host pages into which files are mapped, so that several mappings
// of one file share their bytes.

// granularity is the alignment of sizes of physical memory and of mapping addresses, in bytes.
const granularity = 2 << 20

// physical is physical memory.
type physical struct {
	h        handle
	fd       int // the memory file
	size     uint64
	props    C.CUmemAllocationProp
	refs     int // references by the program
	mapped   int // number of mappings
	imported bool
}

// addressRange is a reserved range of addresses.
type addressRange struct {
	pages    []byte // of the host
	whole    []byte // the mapping that contains pages, larger for the alignment
	mappings []*mapping
	runs     []*allocation // accessible memory: adjacent mappings are one
}

// mapping is physical memory mapped at an offset of a range.
type mapping struct {
	at         uint64
	of         *physical
	accessible bool
}

func (m *mapping) end() uint64 { return m.at + m.of.size }

// deviceBit distinguishes addresses of ranges from those of the host's pages. No program has memory at such
// addresses, so a program that dereferences a device address crashes, as with a GPU.
const deviceBit = 1 << 47

func (r *addressRange) base() uint64 {
	return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(r.pages)))) | deviceBit
}

// rangeAt returns the range that contains size bytes at an address, and their offset; nil if there is none.
func (d *device) rangeAt(addr, size uint64) (r *addressRange, offset uint64) {
	for _, r := range d.ranges {
		if offset := addr - r.base(); addr >= r.base() && offset < uint64(len(r.pages)) && size <= uint64(len(r.pages))-offset {
			return r, offset
		}
	}
	return nil, 0
}

// mapHost maps pages of the host, at an address or, for 0, anywhere.
func mapHost(at, size uintptr, protection, flags int, fd int) (uintptr, error) {
	p, _, errno := syscall.Syscall6(syscall.SYS_MMAP, at, size, uintptr(protection), uintptr(flags), uintptr(fd), 0)
	if errno != 0 {
		return 0, errno
	}
	return p, nil
}

// freshBlock is the content of new physical memory.
var freshBlock = sync.OnceValue(func() []byte { return bytes.Repeat([]byte{fresh}, granularity) })

// isDeviceLocation reports whether a location is the device.
func isDeviceLocation(l C.CUmemLocation) bool {
	return l._type == C.CU_MEM_LOCATION_TYPE_DEVICE && isDevice(l.id)
}

// allocationProps returns an error if memory with such properties is not possible.
func allocationProps(p *C.CUmemAllocationProp) result {
	switch {
	case p == nil || p._type != C.CU_MEM_ALLOCATION_TYPE_PINNED:
		return errorInvalidValue
	case p.location._type != C.CU_MEM_LOCATION_TYPE_DEVICE:
		dev.outlet.say("virtual memory of the host is not supported yet")
		return errorNotSupported
	case !isDevice(p.location.id):
		return errorInvalidDevice
	case p.requestedHandleTypes&^C.CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR != 0:
		dev.outlet.say("memory is shared by file descriptors alone (CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)")
		return errorNotSupported
	}
	return success
}

//export go_cuMemGetAllocationGranularity
func go_cuMemGetAllocationGranularity(_ C.uintptr_t, size *C.size_t, p *C.CUmemAllocationProp, option C.int) C.int {
	return global(func() result {
		if size == nil || option < C.CU_MEM_ALLOC_GRANULARITY_MINIMUM || option > C.CU_MEM_ALLOC_GRANULARITY_RECOMMENDED {
			return errorInvalidValue
		}
		r := allocationProps(p)
		if r == success {
			*size = granularity
		}
		return r
	})
}

//export go_cuMemAddressReserve
func go_cuMemAddressReserve(_ C.uintptr_t, to *C.ulonglong, size, alignment C.size_t, wanted C.ulonglong, flags C.ulonglong) C.int {
	return global(func() result {
		align := max(uint64(alignment), granularity)
		if to == nil || size == 0 || size%granularity != 0 || alignment&(alignment-1) != 0 || align > 1<<40 || size > 1<<46 || flags != 0 {
			return errorInvalidValue
		}
		r := dev.reserve(uint64(size), align, uint64(wanted))
		if r == nil {
			return errorOutOfMemory
		}
		*to = C.ulonglong(r.base())
		return success
	})
}

// reserve reserves a range, at the wanted address if possible.
func (d *device) reserve(size, align, wanted uint64) *addressRange {
	const none, reserved = unix.PROT_NONE, unix.MAP_PRIVATE | unix.MAP_ANON | unix.MAP_NORESERVE
	var at, more uintptr
	err := error(unix.ENOMEM)
	if wanted&deviceBit != 0 && wanted%align == 0 {
		at, err = mapHost(uintptr(wanted&^deviceBit), uintptr(size), none, reserved|unix.MAP_FIXED_NOREPLACE, -1)
	}
	if err != nil {
		more = uintptr(align)
		if at, err = mapHost(0, uintptr(size)+more, none, reserved, -1); err != nil {
			return nil
		}
	}
	r := &addressRange{whole: unsafe.Slice((*byte)(C.pagesAt(C.uintptr_t(at))), uintptr(size)+more)}
	r.pages = r.whole[(uint64(at)+align-1)&^(align-1)-uint64(at):][:size]
	d.ranges = append(d.ranges, r)
	return r
}

//export go_cuMemAddressFree
func go_cuMemAddressFree(_ C.uintptr_t, addr C.ulonglong, size C.size_t) C.int {
	return global(func() result {
		r, offset := dev.rangeAt(uint64(addr), uint64(size))
		if r == nil || offset != 0 || uint64(size) != uint64(len(r.pages)) || len(r.mappings) > 0 {
			return errorInvalidValue
		}
		dev.ranges = slices.DeleteFunc(dev.ranges, func(o *addressRange) bool { return o == r })
		syscall.Syscall(syscall.SYS_MUNMAP, uintptr(unsafe.Pointer(unsafe.SliceData(r.whole))), uintptr(len(r.whole)), 0)
		return success
	})
}

//export go_cuMemCreate
func go_cuMemCreate(_ C.uintptr_t, to *C.ulonglong, size C.size_t, p *C.CUmemAllocationProp, flags C.ulonglong) C.int {
	return global(func() result {
		if to == nil || size == 0 || size%granularity != 0 || flags != 0 {
			return errorInvalidValue
		}
		if r := allocationProps(p); r != success {
			return r
		}
		if uint64(size) > dev.available() {
			return errorOutOfMemory
		}
		fd, err := unix.MemfdCreate("simtrun memory", unix.MFD_CLOEXEC)
		if err != nil {
			dev.outlet.say("%v", err)
			return errorOutOfMemory
		}
		for at := uint64(0); at < uint64(size); at += granularity {
			if _, err := unix.Pwrite(fd, freshBlock(), int64(at)); err != nil {
				unix.Close(fd)
				return errorOutOfMemory
			}
		}
		m := &physical{fd: fd, size: uint64(size), props: *p, refs: 1}
		// a program may request compression, and queries here whether it got it
		m.props.allocFlags.compressionType = C.CU_MEM_ALLOCATION_COMP_NONE
		dev.used[onDevice] += m.size
		m.h = dev.add(m)
		*to = C.ulonglong(m.h)
		return success
	})
}

// drop removes one reference or one mapping. The memory is freed with the last one.
func (m *physical) drop() {
	if m.refs == 0 {
		delete(dev.objects, m.h)
	}
	if m.refs == 0 && m.mapped == 0 {
		unix.Close(m.fd)
		if !m.imported { // imported memory counts for its exporter
			dev.used[onDevice] -= m.size
		}
	}
}

// withPhysical runs f for a call about physical memory.
func withPhysical(h C.ulonglong, wanted bool, f func(m *physical) result) C.int {
	return global(func() result {
		m := object[physical](C.uintptr_t(h))
		if m == nil || !wanted {
			return errorInvalidValue
		}
		return f(m)
	})
}

//export go_cuMemRelease
func go_cuMemRelease(_ C.uintptr_t, h C.ulonglong) C.int {
	return withPhysical(h, true, func(m *physical) result {
		m.refs--
		m.drop()
		return success
	})
}

//export go_cuMemGetAllocationPropertiesFromHandle
func go_cuMemGetAllocationPropertiesFromHandle(_ C.uintptr_t, p *C.CUmemAllocationProp, h C.ulonglong) C.int {
	return withPhysical(h, p != nil, func(m *physical) result {
		*p = m.props
		return success
	})
}

//export go_cuMemExportToShareableHandle
func go_cuMemExportToShareableHandle(_ C.uintptr_t, to unsafe.Pointer, h C.ulonglong, kind C.int, flags C.ulonglong) C.int {
	return withPhysical(h, to != nil && flags == 0 && kind == C.CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, func(m *physical) result {
		if m.props.requestedHandleTypes&C.CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR == 0 {
			return errorInvalidValue
		}
		fd, err := unix.FcntlInt(uintptr(m.fd), unix.F_DUPFD_CLOEXEC, 0)
		if err != nil {
			return errorOperatingSystem
		}
		*(*C.int)(to) = C.int(fd)
		return success
	})
}

//export go_cuMemImportFromShareableHandle
func go_cuMemImportFromShareableHandle(_ C.uintptr_t, to *C.ulonglong, shared unsafe.Pointer, kind C.int) C.int {
	return global(func() result {
		if to == nil || kind != C.CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR {
			return errorInvalidValue
		}
		var about unix.Stat_t
		fd, err := unix.FcntlInt(uintptr(shared), unix.F_DUPFD_CLOEXEC, 0)
		if err != nil {
			return errorInvalidValue
		}
		if err = unix.Fstat(fd, &about); err != nil || about.Mode&unix.S_IFMT != unix.S_IFREG || about.Size == 0 || about.Size%granularity != 0 {
			unix.Close(fd)
			return errorInvalidValue
		}
		m := &physical{fd: fd, size: uint64(about.Size), refs: 1, imported: true}
		m.props._type, m.props.requestedHandleTypes, m.props.location._type = C.CU_MEM_ALLOCATION_TYPE_PINNED, C.CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, C.CU_MEM_LOCATION_TYPE_DEVICE
		m.h = dev.add(m)
		*to = C.ulonglong(m.h)
		return success
	})
}

//export go_cuMemMap
func go_cuMemMap(_ C.uintptr_t, addr C.ulonglong, size, offset C.size_t, h C.ulonglong, flags C.ulonglong) C.int {
	return withPhysical(h, offset == 0 && flags == 0, func(m *physical) result {
		r, at := dev.rangeAt(uint64(addr), uint64(size))
		if r == nil || uint64(size) != m.size || at%granularity != 0 {
			return errorInvalidValue
		}
		i := slices.IndexFunc(r.mappings, func(o *mapping) bool { return o.end() > at })
		if i < 0 {
			i = len(r.mappings)
		} else if r.mappings[i].at < at+m.size {
			return errorInvalidValue
		}
		if _, err := mapHost(r.host(at), uintptr(m.size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_FIXED, m.fd); err != nil {
			return errorOutOfMemory
		}
		m.mapped++
		r.mappings = slices.Insert(r.mappings, i, &mapping{at: at, of: m})
		return success
	})
}

func (r *addressRange) host(offset uint64) uintptr {
	return uintptr(unsafe.Pointer(unsafe.SliceData(r.pages))) + uintptr(offset)
}

// mapped returns the mappings that form size bytes of the range from an offset on; none if these are not whole
// mappings.
func (r *addressRange) mapped(offset, size uint64) (all []*mapping) {
	at := offset
	for _, m := range r.mappings {
		if m.at == at && m.end() <= offset+size {
			all, at = append(all, m), m.end()
		}
	}
	if at != offset+size {
		return nil
	}
	return all
}

// withMapped runs f for a call about whole mappings.
func withMapped(current C.uintptr_t, addr C.ulonglong, size C.size_t, f func(r *addressRange, all []*mapping) result) C.int {
	return global(func() result {
		r, offset := dev.rangeAt(uint64(addr), uint64(size))
		if r == nil {
			return errorInvalidValue
		}
		all := r.mapped(offset, uint64(size))
		if all == nil {
			return errorInvalidValue
		}
		return f(r, all)
	})
}

//export go_cuMemUnmap
func go_cuMemUnmap(current C.uintptr_t, addr C.ulonglong, size C.size_t) C.int {
	return withMapped(current, addr, size, func(r *addressRange, all []*mapping) result {
		r.mappings = slices.DeleteFunc(r.mappings, func(m *mapping) bool { return slices.Contains(all, m) })
		res := r.update()
		for _, m := range all {
			mapHost(r.host(m.at), uintptr(m.of.size), unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE|unix.MAP_FIXED, -1)
			m.of.mapped--
			m.of.drop()
		}
		return res
	})
}

//export go_cuMemSetAccess
func go_cuMemSetAccess(current C.uintptr_t, addr C.ulonglong, size C.size_t, access *C.CUmemAccessDesc, n C.size_t) C.int {
	if access == nil || n == 0 || n > 1<<20 {
		return C.int(errorInvalidValue)
	}
	return withMapped(current, addr, size, func(r *addressRange, all []*mapping) result {
		for _, a := range unsafe.Slice(access, n) {
			switch {
			case a.location._type != C.CU_MEM_LOCATION_TYPE_DEVICE:
				dev.outlet.say("access of the host to virtual memory is not supported yet")
				return errorNotSupported
			case !isDevice(a.location.id):
				return errorInvalidDevice
			case a.flags == C.CU_MEM_ACCESS_FLAGS_PROT_READ:
				dev.outlet.say("virtual memory that can only be read is not supported yet")
				return errorNotSupported
			case a.flags != C.CU_MEM_ACCESS_FLAGS_PROT_NONE && a.flags != C.CU_MEM_ACCESS_FLAGS_PROT_READWRITE:
				return errorInvalidValue
			}
			for _, m := range all {
				m.accessible = a.flags == C.CU_MEM_ACCESS_FLAGS_PROT_READWRITE
			}
		}
		return r.update()
	})
}

//export go_cuMemGetAccess
func go_cuMemGetAccess(_ C.uintptr_t, flags *C.ulonglong, location *C.CUmemLocation, addr C.ulonglong) C.int {
	return global(func() result {
		m := dev.mappingAt(uint64(addr))
		if flags == nil || location == nil || m == nil || !isDeviceLocation(*location) {
			return errorInvalidValue
		}
		*flags = C.CU_MEM_ACCESS_FLAGS_PROT_NONE
		if m.accessible {
			*flags = C.CU_MEM_ACCESS_FLAGS_PROT_READWRITE
		}
		return success
	})
}

// mappingAt returns the mapping that contains an address, or nil.
func (d *device) mappingAt(addr uint64) *mapping {
	r, at := d.rangeAt(addr, 1)
	if r == nil {
		return nil
	}
	if i := slices.IndexFunc(r.mappings, func(m *mapping) bool { return m.at <= at && at < m.end() }); i >= 0 {
		return r.mappings[i]
	}
	return nil
}

//export go_cuMemRetainAllocationHandle
func go_cuMemRetainAllocationHandle(_ C.uintptr_t, to *C.ulonglong, addr unsafe.Pointer) C.int {
	return global(func() result {
		m := dev.mappingAt(uint64(uintptr(addr)))
		if to == nil || m == nil {
			return errorInvalidValue
		}
		if m.of.refs++; m.of.refs == 1 { // the program had released it
			dev.objects[m.of.h] = m.of
		}
		*to = C.ulonglong(m.of.h)
		return success
	})
}

// update makes changes of access visible to kernels and calls: each gapless run of mappings is a buffer. Unchanged
// runs keep their buffers.
func (r *addressRange) update() result {
	type span struct{ from, to uint64 }
	var want []span
	for _, m := range r.mappings {
		switch last := len(want) - 1; {
		case !m.accessible:
		case last >= 0 && want[last].to == m.at:
			want[last].to = m.end()
		default:
			want = append(want, span{m.at, m.end()})
		}
	}
	same := func(a *allocation, s span) bool { return a.base == r.base()+s.from && a.size == s.to-s.from }
	r.runs = slices.DeleteFunc(r.runs, func(a *allocation) bool {
		if slices.ContainsFunc(want, func(s span) bool { return same(a, s) }) {
			return false
		}
		a.free()
		return true
	})
	for _, s := range want {
		if slices.ContainsFunc(r.runs, func(a *allocation) bool { return same(a, s) }) {
			continue
		}
		a := &allocation{kind: virtual, base: r.base() + s.from, size: s.to - s.from}
		buf, err := dev.mem.Adopt("virtual memory", a.base, r.pages[s.from:s.to])
		if err != nil {
			dev.outlet.say("%v", err)
			return errorOutOfMemory
		}
		(*cudaContext)(nil).add(a, buf)
		r.runs = append(r.runs, a)
	}
	return success
}
