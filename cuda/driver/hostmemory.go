package main

/*
#define SIMTRUN_CUDA_TYPES_ONLY
#include "../include/cuda.h"
*/
import "C"

import (
	"unsafe"
)

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
		if b := dev.mem.Find(base); b != nil {
			return dev.misuse.because(errorHostMemoryAlreadyRegistered, "0x%x is in %s", base, b.Name())
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
		a := &allocation{kind: registered, base: base, size: uint64(n), flags: uint32(flags)}
		c.add(a, buf)
		a.seeHost(nil)
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
