package main

/*
#define SIMTRUN_CUDA_TYPES_ONLY
#include "../include/cuda.h"
*/
import "C"

import "unsafe"

// pool is a pool of memory, which keeps nothing: what is freed is gone at once.
type pool struct {
	h      handle
	values map[C.int]uint64
}

func newPool() *pool {
	p := &pool{values: make(map[C.int]uint64)}
	p.h = dev.add(p)
	return p
}

// devicePool is the pool from which the device's streams allocate.
func (d *device) devicePool() handle {
	if d.pool == 0 {
		d.pool = newPool().h
	}
	return d.pool
}

//export go_cuDeviceGetDefaultMemPool
func go_cuDeviceGetDefaultMemPool(_ C.uintptr_t, to *C.uintptr_t, d C.int) C.int {
	return ofDevice(d, to != nil, func() { *to = C.uintptr_t(dev.devicePool()) })
}

//export go_cuDeviceGetMemPool
func go_cuDeviceGetMemPool(current C.uintptr_t, to *C.uintptr_t, d C.int) C.int {
	return go_cuDeviceGetDefaultMemPool(current, to, d)
}

//export go_cuDeviceSetMemPool
func go_cuDeviceSetMemPool(_ C.uintptr_t, d C.int, h C.uintptr_t) C.int {
	return global(func() result {
		switch {
		case !isDevice(d):
			return errorInvalidDevice
		case object[pool](h) == nil:
			return errorInvalidValue
		}
		return success
	})
}

//export go_cuMemPoolCreate
func go_cuMemPoolCreate(current C.uintptr_t, to *C.uintptr_t, props *C.CUmemPoolProps) C.int {
	return in(current, func(*cudaContext) result {
		if to == nil || props == nil {
			return errorInvalidValue
		}
		*to = C.uintptr_t(newPool().h)
		return success
	})
}

// withPool runs f for a call about a pool.
func withPool(current, h C.uintptr_t, f func(p *pool) result) C.int {
	return in(current, func(*cudaContext) result {
		p := object[pool](h)
		if p == nil {
			return errorInvalidValue
		}
		return f(p)
	})
}

//export go_cuMemPoolDestroy
func go_cuMemPoolDestroy(current, h C.uintptr_t) C.int {
	return withPool(current, h, func(p *pool) result {
		if p.h == dev.pool {
			return errorInvalidValue
		}
		delete(dev.objects, p.h)
		return success
	})
}

//export go_cuMemPoolTrimTo
func go_cuMemPoolTrimTo(current, h C.uintptr_t, keep C.size_t) C.int {
	return withPool(current, h, func(*pool) result { return success })
}

// Attributes 1 to 3 are ints, 4 to 8 numbers of bytes.
const (
	lastIntAttribute  = 3
	lastPoolAttribute = 8
)

//export go_cuMemPoolSetAttribute
func go_cuMemPoolSetAttribute(current, h C.uintptr_t, attribute C.int, value unsafe.Pointer) C.int {
	return withPool(current, h, func(p *pool) result {
		switch {
		case value == nil || attribute < 1 || attribute > lastPoolAttribute:
			return errorInvalidValue
		case attribute <= lastIntAttribute:
			p.values[attribute] = uint64(*(*C.int)(value))
		default:
			p.values[attribute] = *(*uint64)(value)
		}
		return success
	})
}

//export go_cuMemPoolGetAttribute
func go_cuMemPoolGetAttribute(current, h C.uintptr_t, attribute C.int, value unsafe.Pointer) C.int {
	return withPool(current, h, func(p *pool) result {
		switch {
		case value == nil || attribute < 1 || attribute > lastPoolAttribute:
			return errorInvalidValue
		case attribute <= lastIntAttribute:
			*(*C.int)(value) = C.int(p.values[attribute])
		default:
			*(*uint64)(value) = p.values[attribute]
		}
		return success
	})
}

//export go_cuMemPoolSetAccess
func go_cuMemPoolSetAccess(current, h C.uintptr_t, access unsafe.Pointer, n C.size_t) C.int {
	return withPool(current, h, func(*pool) result { return success })
}

//export go_cuMemPoolGetAccess
func go_cuMemPoolGetAccess(current C.uintptr_t, flags *C.int, h C.uintptr_t, location *C.CUmemLocation) C.int {
	return withPool(current, h, func(*pool) result {
		if flags == nil || location == nil || !isDeviceLocation(*location) {
			return errorInvalidValue
		}
		*flags = C.CU_MEM_ACCESS_FLAGS_PROT_READWRITE
		return success
	})
}

//export go_cuMemAllocAsync
func go_cuMemAllocAsync(current C.uintptr_t, addr *C.ulonglong, n C.size_t, h C.uintptr_t) C.int {
	return withStream(current, h, addr != nil, func(s *stream) result {
		if s.capture != nil {
			return s.allocCaptured(addr, n)
		}
		a, r := s.ctx.alloc(uint64(n), onDevice)
		if r == success {
			*addr = C.ulonglong(a.base)
		}
		return r
	})
}

// allocCaptured allocates memory when the graph is launched into which the stream is captured.
func (s *stream) allocCaptured(addr *C.ulonglong, n C.size_t) result {
	p := C.CUDA_MEM_ALLOC_NODE_PARAMS{bytesize: n}
	p.poolProps.allocType, p.poolProps.location._type = C.CU_MEM_ALLOCATION_TYPE_PINNED, C.CU_MEM_LOCATION_TYPE_DEVICE
	m, r := s.ctx.newGraphMemory(p)
	if r == success {
		*addr = C.ulonglong(m.addr)
		r = s.do(C.CU_GRAPH_NODE_TYPE_MEM_ALLOC, m)
	}
	return r
}

//export go_cuMemAllocFromPoolAsync
func go_cuMemAllocFromPoolAsync(current C.uintptr_t, addr *C.ulonglong, n C.size_t, p, h C.uintptr_t) C.int {
	return go_cuMemAllocAsync(current, addr, n, h)
}

//export go_cuMemFreeAsync
func go_cuMemFreeAsync(current C.uintptr_t, addr C.ulonglong, h C.uintptr_t) C.int {
	return withStream(current, h, addr != 0, func(s *stream) result {
		return s.do(C.CU_GRAPH_NODE_TYPE_MEM_FREE, &graphFree{addr})
	})
}

//export go_cuProfilerStart
func go_cuProfilerStart(current C.uintptr_t) C.int { return in(current, nothing) }

//export go_cuProfilerStop
func go_cuProfilerStop(current C.uintptr_t) C.int { return in(current, nothing) }

//export go_cuProfilerInitialize
func go_cuProfilerInitialize(current C.uintptr_t, config, output *C.char, mode C.int) C.int {
	return C.int(errorProfilerDisabled)
}
