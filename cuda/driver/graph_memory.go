package main

/*
#define SIMTRUN_CUDA_TYPES_ONLY
#include "../include/cuda.h"
*/
import "C"

import "unsafe"

// graphMemory is memory allocated by a node: at the same address in each launch, in a context, until it is freed.
type graphMemory struct {
	ctx    *cudaContext
	addr   uint64
	params C.CUDA_MEM_ALLOC_NODE_PARAMS
	label  string // the program's name for it; "" if it has none
}

// newGraphMemory reserves an address for memory that is allocated later.
func (c *cudaContext) newGraphMemory(p C.CUDA_MEM_ALLOC_NODE_PARAMS) (*graphMemory, result) {
	a, r := c.alloc(uint64(p.bytesize), onDevice)
	if r != success {
		return nil, r
	}
	a.free()
	m := &graphMemory{ctx: c, addr: a.base, params: p}
	m.params.dptr, m.params.accessDescs, m.params.accessDescCount = C.CUdeviceptr(m.addr), nil, 0
	dev.inGraphs[m.addr] = m
	return m, success
}

// run allocates the memory, which must not be allocated already.
func (m *graphMemory) run() result {
	size := uint64(m.params.bytesize)
	switch {
	case dev.allocs[m.addr] != nil:
		dev.outlet.say("a graph allocates memory at %#x that an earlier launch allocated and that was never freed", m.addr)
		return errorInvalidValue
	case size > dev.available():
		return errorOutOfMemory
	}
	pages, err := plain.pages(size)
	if err != nil {
		return errorOutOfMemory
	}
	a := &allocation{kind: onDevice, base: m.addr, size: size, pages: pages}
	buf, err := dev.mem.Adopt("allocation", m.addr, pages)
	if err != nil {
		a.unmap()
		return errorOutOfMemory
	}
	m.ctx.add(a, buf)
	if m.label != "" {
		a.setLabel(m.label)
	}
	dev.orders.filled(a.base, a.size)
	if now := dev.graphBytes(); now > dev.mostInGraphs {
		dev.mostInGraphs = now
	}
	return success
}

// free frees the memory, if it is allocated.
func (m *graphMemory) free() {
	if a := dev.allocs[m.addr]; a != nil {
		a.free()
	}
}

// graphBytes returns the bytes that graphs have allocated.
func (d *device) graphBytes() (n uint64) {
	for addr := range d.inGraphs {
		if a := d.allocs[addr]; a != nil {
			n += a.size
		}
	}
	return n
}

// graphFree is the action of freeing memory.
type graphFree struct{ addr C.ulonglong }

func (a *graphFree) run() result { return dev.freeAt(uint64(a.addr)) }

// allocNode writes the address to the program's parameters.
func allocNode(p *C.CUDA_MEM_ALLOC_NODE_PARAMS) func(c *cudaContext) (action, result) {
	return func(c *cudaContext) (action, result) {
		if p == nil || p.bytesize == 0 {
			return nil, errorInvalidValue
		}
		if p.poolProps.location._type != C.CU_MEM_LOCATION_TYPE_DEVICE || !isDevice(p.poolProps.location.id) {
			return nil, errorInvalidValue
		}
		m, r := c.newGraphMemory(*p)
		if r != success {
			return nil, r
		}
		p.dptr = m.params.dptr
		return m, success
	}
}

func freeNode(addr C.ulonglong) func(c *cudaContext) (action, result) {
	return func(*cudaContext) (action, result) {
		if dev.inGraphs[uint64(addr)] == nil {
			return nil, errorInvalidValue
		}
		return &graphFree{addr}, success
	}
}

//export go_cuGraphAddMemAllocNode
func go_cuGraphAddMemAllocNode(current C.uintptr_t, to *C.uintptr_t, g C.uintptr_t, deps *C.uintptr_t, n C.size_t, p *C.CUDA_MEM_ALLOC_NODE_PARAMS) C.int {
	return addNode(current, to, g, deps, n, C.CU_GRAPH_NODE_TYPE_MEM_ALLOC, true, allocNode(p))
}

//export go_cuGraphMemAllocNodeGetParams
func go_cuGraphMemAllocNodeGetParams(current, h C.uintptr_t, p *C.CUDA_MEM_ALLOC_NODE_PARAMS) C.int {
	return paramsOf(current, h, C.CU_GRAPH_NODE_TYPE_MEM_ALLOC, p != nil, func(_ *node, m *graphMemory) { *p = m.params })
}

//export go_cuGraphAddMemFreeNode
func go_cuGraphAddMemFreeNode(current C.uintptr_t, to *C.uintptr_t, g C.uintptr_t, deps *C.uintptr_t, n C.size_t, addr C.ulonglong) C.int {
	return addNode(current, to, g, deps, n, C.CU_GRAPH_NODE_TYPE_MEM_FREE, true, freeNode(addr))
}

//export go_cuGraphMemFreeNodeGetParams
func go_cuGraphMemFreeNodeGetParams(current, h C.uintptr_t, addr *C.ulonglong) C.int {
	return paramsOf(current, h, C.CU_GRAPH_NODE_TYPE_MEM_FREE, addr != nil, func(_ *node, a *graphFree) { *addr = a.addr })
}

//export go_cuDeviceGraphMemTrim
func go_cuDeviceGraphMemTrim(_ C.uintptr_t, d C.int) C.int { return ofDevice(d, true, func() {}) }

//export go_cuDeviceGetGraphMemAttribute
func go_cuDeviceGetGraphMemAttribute(_ C.uintptr_t, d C.int, attribute C.int, value unsafe.Pointer) C.int {
	return ofDevice(d, value != nil && attribute >= 0 && attribute <= C.CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH, func() {
		n := dev.mostInGraphs
		if attribute == C.CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT || attribute == C.CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT {
			n = dev.graphBytes()
		}
		*(*uint64)(value) = n
	})
}

// Only the peak values can be set, and only to 0.
//
//export go_cuDeviceSetGraphMemAttribute
func go_cuDeviceSetGraphMemAttribute(_ C.uintptr_t, d C.int, attribute C.int, value unsafe.Pointer) C.int {
	high := attribute == C.CU_GRAPH_MEM_ATTR_USED_MEM_HIGH || attribute == C.CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH
	return ofDevice(d, high && value != nil && *(*uint64)(value) == 0, func() { dev.mostInGraphs = dev.graphBytes() })
}
