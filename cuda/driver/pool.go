package main

/*
#define SIMTRUN_CUDA_TYPES_ONLY
#include "../include/cuda.h"
*/
import "C"

import "unsafe"

// pool is a memory pool. It keeps no freed memory.
type pool struct {
	h          handle
	limit      uint64 // bytes that can be allocated; 0 for unlimited
	shared     bool   // can be shared with other processes by file descriptors
	of         poolID // for another process's pool, which does not allocate; otherwise zero
	used, most uint64 // allocated bytes, and their peak
	values     map[C.int]uint64
}

// newPool returns a pool with CUDA's defaults: it reuses memory in every way that keeps the order of streams, and
// releases all free memory when it synchronises.
func newPool(limit uint64) *pool {
	p := &pool{limit: limit, values: map[C.int]uint64{C.CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES: 1, C.CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC: 1, C.CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES: 1}}
	p.h = dev.add(p)
	return p
}

// defaultPool returns the device's default pool.
func (d *device) defaultPool() *pool {
	if d.pool == 0 {
		d.pool = newPool(0).h
	}
	return d.objects[d.pool].(*pool)
}

// devicePool returns the pool from which the device's streams allocate.
func (d *device) devicePool() *pool {
	if p := object[pool](C.uintptr_t(d.chosenPool)); p != nil {
		return p
	}
	return d.defaultPool()
}

//export go_cuDeviceGetDefaultMemPool
func go_cuDeviceGetDefaultMemPool(_ C.uintptr_t, to *C.uintptr_t, d C.int) C.int {
	return ofDevice(d, to != nil, func() { *to = C.uintptr_t(dev.defaultPool().h) })
}

//export go_cuDeviceGetMemPool
func go_cuDeviceGetMemPool(current C.uintptr_t, to *C.uintptr_t, d C.int) C.int {
	return ofDevice(d, to != nil, func() { *to = C.uintptr_t(dev.devicePool().h) })
}

//export go_cuDeviceSetMemPool
func go_cuDeviceSetMemPool(_ C.uintptr_t, d C.int, h C.uintptr_t) C.int {
	return global(func() result {
		switch {
		case !isDevice(d):
			return errorInvalidDevice
		case object[pool](h) == nil || object[pool](h).of != poolID{}:
			return errorInvalidValue
		}
		dev.chosenPool = handle(h)
		return success
	})
}

//export go_cuMemPoolCreate
func go_cuMemPoolCreate(current C.uintptr_t, to *C.uintptr_t, props *C.CUmemPoolProps) C.int {
	return in(current, func(*cudaContext) result {
		if to == nil || props == nil {
			return errorInvalidValue
		}
		p := newPool(uint64(props.maxSize))
		p.shared = props.handleTypes&C.CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR != 0
		*to = C.uintptr_t(p.h)
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

//export go_cuMemPoolSetAttribute
func go_cuMemPoolSetAttribute(current, h C.uintptr_t, attribute C.int, value unsafe.Pointer) C.int {
	return withPool(current, h, func(p *pool) result {
		if value == nil {
			return errorInvalidValue
		}
		switch attribute {
		case C.CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES, C.CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, C.CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
			p.values[attribute] = uint64(*(*C.int)(value))
		case C.CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
			p.values[attribute] = *(*uint64)(value)
		case C.CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH, C.CU_MEMPOOL_ATTR_USED_MEM_HIGH: // the peaks can be set to 0
			if *(*uint64)(value) != 0 {
				return errorInvalidValue
			}
			p.most = p.used
		default:
			return errorInvalidValue
		}
		return success
	})
}

//export go_cuMemPoolGetAttribute
func go_cuMemPoolGetAttribute(current, h C.uintptr_t, attribute C.int, value unsafe.Pointer) C.int {
	return withPool(current, h, func(p *pool) result {
		if value == nil {
			return errorInvalidValue
		}
		switch attribute {
		case C.CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES, C.CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, C.CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
			*(*C.int)(value) = C.int(p.values[attribute])
		case C.CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
			*(*uint64)(value) = p.values[attribute]
		case C.CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, C.CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
			*(*uint64)(value) = p.used
		case C.CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH, C.CU_MEMPOOL_ATTR_USED_MEM_HIGH:
			*(*uint64)(value) = p.most
		default:
			return errorInvalidValue
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
	return withStream(current, h, addr != nil, func(s *stream) result { return s.allocFrom(dev.devicePool(), addr, n) })
}

// allocFrom allocates memory from a pool.
func (s *stream) allocFrom(p *pool, addr *C.ulonglong, n C.size_t) result {
	if s.capture != nil {
		return s.allocCaptured(addr, n)
	}
	size := uint64(n)
	if p.limit > 0 && (size > p.limit || p.used > p.limit-size) {
		return errorOutOfMemory
	}
	a, r := s.ctx.alloc(size, onDevice)
	if r == success {
		a.pool = p
		p.used += size
		p.most = max(p.most, p.used)
		*addr = C.ulonglong(a.base)
		dev.orders.allocated(s, a)
	}
	return r
}

// allocCaptured adds an allocation to the graph into which the stream is captured.
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
func go_cuMemAllocFromPoolAsync(current C.uintptr_t, addr *C.ulonglong, n C.size_t, from, h C.uintptr_t) C.int {
	return withStream(current, h, addr != nil, func(s *stream) result {
		p := object[pool](from)
		if p == nil || p.of != (poolID{}) {
			return errorInvalidValue
		}
		return s.allocFrom(p, addr, n)
	})
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
