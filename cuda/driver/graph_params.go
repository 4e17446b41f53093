package main

/*
#define SIMTRUN_CUDA_TYPES_ONLY
#include "../include/cuda.h"
#include <stdlib.h>
*/
import "C"

import (
	"slices"
	"unsafe"
)

// The actions of nodes, with parameters that can be queried.

// copyBoxes is a copy.
type copyBoxes struct{ c C.CUDA_MEMCPY3D }

func (a *copyBoxes) run() result { return copy3D(&a.c, callers{}) }

// setMemory is a memset.
type setMemory struct{ s C.CUDA_MEMSET_NODE_PARAMS }

func (a *setMemory) run() result {
	return memset(a.s.dst, a.s.pitch, a.s.value, uint64(a.s.elementSize), a.s.width, a.s.height)
}

// callHost is a call of a function of the program.
type callHost struct{ h C.CUDA_HOST_NODE_PARAMS }

func (a *callHost) run() result { return hostCall(a.h.fn, a.h.userData)() }

// recordEvent records an event, and waitEvent waits for one, which has been recorded by then.
type (
	recordEvent struct{ e *event }
	waitEvent   struct{ e *event }
)

func (a *recordEvent) run() result {
	a.e.last, a.e.capture, a.e.nodes = nil, nil, nil
	if o := dev.orders; o != nil && o.current != nil {
		a.e.before = o.current.After
	}
	return a.e.record()
}
func (a *waitEvent) run() result {
	if o := dev.orders; o != nil && o.current != nil {
		o.current.Join(a.e.before)
	}
	return success
}

// childGraph is a graph within a node.
type childGraph struct{ g *graph }

func (a *childGraph) run() result {
	e, r := instantiate(a.g)
	if r != success {
		return r
	}
	return e.run()
}

func childNode(h C.uintptr_t) func(*cudaContext) (action, result) {
	return func(*cudaContext) (action, result) {
		g := object[graph](h)
		if g == nil {
			return nil, errorInvalidValue
		}
		if _, ok := g.order(); !ok {
			return nil, errorInvalidValue
		}
		c, r := g.clone() // later changes of the graph have no effect
		if r != success {
			return nil, r
		}
		c.inner = true
		return &childGraph{c}, success
	}
}

// eventNode returns an action about an event.
func eventNode(h C.uintptr_t, make func(e *event) action) func(*cudaContext) (action, result) {
	return func(*cudaContext) (action, result) {
		e := object[event](h)
		if e == nil {
			return nil, errorInvalidValue
		}
		return make(e), success
	}
}

func recordNode(h C.uintptr_t) func(*cudaContext) (action, result) {
	return eventNode(h, func(e *event) action { return &recordEvent{e} })
}

func waitNode(h C.uintptr_t) func(*cudaContext) (action, result) {
	return eventNode(h, func(e *event) action { return &waitEvent{e} })
}

func memOpsNode(p *C.CUDA_BATCH_MEM_OP_NODE_PARAMS) func(*cudaContext) (action, result) {
	return func(*cudaContext) (action, result) {
		if p == nil {
			return nil, errorInvalidValue
		}
		m, r := newMemOps(p.count, p.paramArray, p.flags)
		return m, r
	}
}

// paramsOf runs f for a call that queries the action of a node, if its type is A. Captured nodes may have another
// type, without parameters.
func paramsOf[A action](current, h C.uintptr_t, kind C.int, wanted bool, f func(n *node, a A)) C.int {
	return withNode(current, h, wanted, func(n *node) result {
		if n.kind != kind {
			return errorInvalidValue
		}
		a, ok := n.do.(A)
		if !ok {
			dev.outlet.say("parameters of nodes that were captured are not supported yet, but those of kernels")
			return errorNotSupported
		}
		f(n, a)
		return success
	})
}

// list returns the parameters of a kernel to a program, as an array of pointers. The node owns the array until the
// next call.
func (l *launch) list(n *node) *unsafe.Pointer {
	const align = 16
	C.free(n.listed)
	pointers := uintptr(len(l.f.params))*unsafe.Sizeof(n.listed) + align
	n.listed = C.malloc(C.size_t(pointers) + C.size_t(len(l.params)) + align)
	block := unsafe.Add(n.listed, (uintptr(n.listed)+pointers+align-1)/align*align-uintptr(n.listed))
	copy(unsafe.Slice((*byte)(block), len(l.params)), l.params)
	places := unsafe.Slice((*unsafe.Pointer)(n.listed), len(l.f.params))
	for i := range places {
		places[i] = unsafe.Add(block, l.f.params[i].Offset)
	}
	return (*unsafe.Pointer)(n.listed)
}

//export go_cuGraphKernelNodeGetParams
func go_cuGraphKernelNodeGetParams(current, h C.uintptr_t, p *C.CUDA_KERNEL_NODE_PARAMS_v1) C.int {
	var all C.CUDA_KERNEL_NODE_PARAMS
	r := go_cuGraphKernelNodeGetParams_v2(current, h, &all)
	switch {
	case r != C.int(success):
		return r
	case p == nil:
		return C.int(errorInvalidValue)
	}
	// the second version has additional members at its end
	*p = *(*C.CUDA_KERNEL_NODE_PARAMS_v1)(unsafe.Pointer(&all))
	return r
}

//export go_cuGraphKernelNodeGetParams_v2
func go_cuGraphKernelNodeGetParams_v2(current, h C.uintptr_t, p *C.CUDA_KERNEL_NODE_PARAMS) C.int {
	return paramsOf(current, h, C.CU_GRAPH_NODE_TYPE_KERNEL, p != nil, func(n *node, l *launch) {
		*p = C.CUDA_KERNEL_NODE_PARAMS{gridDimX: C.uint(l.grid.X), gridDimY: C.uint(l.grid.Y), gridDimZ: C.uint(l.grid.Z),
			blockDimX: C.uint(l.block.X), blockDimY: C.uint(l.block.Y), blockDimZ: C.uint(l.block.Z), sharedMemBytes: C.uint(l.shared), kernelParams: l.list(n)}
		*(*handle)(unsafe.Pointer(&p._func)), *(*handle)(unsafe.Pointer(&p.ctx)) = l.f.h, l.f.mod.ctx.h
	})
}

//export go_cuGraphMemcpyNodeGetParams
func go_cuGraphMemcpyNodeGetParams(current, h C.uintptr_t, p *C.CUDA_MEMCPY3D) C.int {
	return paramsOf(current, h, C.CU_GRAPH_NODE_TYPE_MEMCPY, p != nil, func(_ *node, a *copyBoxes) { *p = a.c })
}

//export go_cuGraphMemsetNodeGetParams
func go_cuGraphMemsetNodeGetParams(current, h C.uintptr_t, p *C.CUDA_MEMSET_NODE_PARAMS) C.int {
	return paramsOf(current, h, C.CU_GRAPH_NODE_TYPE_MEMSET, p != nil, func(_ *node, a *setMemory) { *p = a.s })
}

//export go_cuGraphHostNodeGetParams
func go_cuGraphHostNodeGetParams(current, h C.uintptr_t, p *C.CUDA_HOST_NODE_PARAMS) C.int {
	return paramsOf(current, h, C.CU_GRAPH_NODE_TYPE_HOST, p != nil, func(_ *node, a *callHost) { *p = a.h })
}

//export go_cuGraphChildGraphNodeGetGraph
func go_cuGraphChildGraphNodeGetGraph(current, h C.uintptr_t, to *C.uintptr_t) C.int {
	return paramsOf(current, h, C.CU_GRAPH_NODE_TYPE_GRAPH, to != nil, func(_ *node, a *childGraph) { *to = C.uintptr_t(a.g.h) })
}

//export go_cuGraphEventRecordNodeGetEvent
func go_cuGraphEventRecordNodeGetEvent(current, h C.uintptr_t, to *C.uintptr_t) C.int {
	return paramsOf(current, h, C.CU_GRAPH_NODE_TYPE_EVENT_RECORD, to != nil, func(_ *node, a *recordEvent) { *to = C.uintptr_t(a.e.h) })
}

//export go_cuGraphEventRecordNodeSetEvent
func go_cuGraphEventRecordNodeSetEvent(current, h, ev C.uintptr_t) C.int {
	return setNode(current, 0, false, h, C.CU_GRAPH_NODE_TYPE_EVENT_RECORD, true, recordNode(ev))
}

//export go_cuGraphEventWaitNodeGetEvent
func go_cuGraphEventWaitNodeGetEvent(current, h C.uintptr_t, to *C.uintptr_t) C.int {
	return paramsOf(current, h, C.CU_GRAPH_NODE_TYPE_WAIT_EVENT, to != nil, func(_ *node, a *waitEvent) { *to = C.uintptr_t(a.e.h) })
}

//export go_cuGraphEventWaitNodeSetEvent
func go_cuGraphEventWaitNodeSetEvent(current, h, ev C.uintptr_t) C.int {
	return setNode(current, 0, false, h, C.CU_GRAPH_NODE_TYPE_WAIT_EVENT, true, waitNode(ev))
}

//export go_cuGraphExecEventRecordNodeSetEvent
func go_cuGraphExecEventRecordNodeSetEvent(current, e, h, ev C.uintptr_t) C.int {
	return setNode(current, e, true, h, C.CU_GRAPH_NODE_TYPE_EVENT_RECORD, true, recordNode(ev))
}

//export go_cuGraphExecEventWaitNodeSetEvent
func go_cuGraphExecEventWaitNodeSetEvent(current, e, h, ev C.uintptr_t) C.int {
	return setNode(current, e, true, h, C.CU_GRAPH_NODE_TYPE_WAIT_EVENT, true, waitNode(ev))
}

//export go_cuGraphAddBatchMemOpNode
func go_cuGraphAddBatchMemOpNode(current C.uintptr_t, to *C.uintptr_t, g C.uintptr_t, deps *C.uintptr_t, n C.size_t, p *C.CUDA_BATCH_MEM_OP_NODE_PARAMS) C.int {
	return addNode(current, to, g, deps, n, C.CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, true, memOpsNode(p))
}

//export go_cuGraphBatchMemOpNodeGetParams
func go_cuGraphBatchMemOpNodeGetParams(current, h C.uintptr_t, p *C.CUDA_BATCH_MEM_OP_NODE_PARAMS) C.int {
	return paramsOf(current, h, C.CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, p != nil, func(n *node, m *memOps) {
		size := C.size_t(len(m.params)) * C.size_t(unsafe.Sizeof(m.params[0]))
		n.listed = C.realloc(n.listed, size)
		copy(unsafe.Slice((*C.CUstreamBatchMemOpParams)(n.listed), len(m.params)), m.params)
		*p = C.CUDA_BATCH_MEM_OP_NODE_PARAMS{count: C.uint(len(m.params)), paramArray: (*C.CUstreamBatchMemOpParams)(n.listed), flags: m.flags}
	})
}

//export go_cuGraphBatchMemOpNodeSetParams
func go_cuGraphBatchMemOpNodeSetParams(current, h C.uintptr_t, p *C.CUDA_BATCH_MEM_OP_NODE_PARAMS) C.int {
	return setNode(current, 0, false, h, C.CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, true, memOpsNode(p))
}

//export go_cuGraphExecBatchMemOpNodeSetParams
func go_cuGraphExecBatchMemOpNodeSetParams(current, e, h C.uintptr_t, p *C.CUDA_BATCH_MEM_OP_NODE_PARAMS) C.int {
	return setNode(current, e, true, h, C.CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, true, memOpsNode(p))
}

// anyNode returns the action for the parameters of a node of any type: nil for unsupported types.
func anyNode(p *C.CUgraphNodeParams) func(*cudaContext) (action, result) {
	at := unsafe.Pointer(&p.anon0)
	switch p._type {
	case C.CU_GRAPH_NODE_TYPE_KERNEL:
		return kernelNodeV2((*C.CUDA_KERNEL_NODE_PARAMS)(at))
	case C.CU_GRAPH_NODE_TYPE_MEMCPY:
		return copyNode(&(*C.CUDA_MEMCPY_NODE_PARAMS)(at).copyParams)
	case C.CU_GRAPH_NODE_TYPE_MEMSET:
		return setMemoryNode((*C.CUDA_MEMSET_NODE_PARAMS)(at))
	case C.CU_GRAPH_NODE_TYPE_HOST:
		return hostNode((*C.CUDA_HOST_NODE_PARAMS)(at))
	case C.CU_GRAPH_NODE_TYPE_GRAPH:
		return childNode(*(*C.uintptr_t)(at))
	case C.CU_GRAPH_NODE_TYPE_EMPTY:
		return func(*cudaContext) (action, result) { return does(func() result { return success }), success }
	case C.CU_GRAPH_NODE_TYPE_WAIT_EVENT:
		return waitNode(*(*C.uintptr_t)(at))
	case C.CU_GRAPH_NODE_TYPE_EVENT_RECORD:
		return recordNode(*(*C.uintptr_t)(at))
	case C.CU_GRAPH_NODE_TYPE_MEM_ALLOC:
		return allocNode((*C.CUDA_MEM_ALLOC_NODE_PARAMS)(at))
	case C.CU_GRAPH_NODE_TYPE_MEM_FREE:
		return freeNode(*(*C.ulonglong)(at))
	case C.CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
		return memOpsNode((*C.CUDA_BATCH_MEM_OP_NODE_PARAMS)(at))
	case C.CU_GRAPH_NODE_TYPE_CONDITIONAL:
		return conditionalNode((*C.CUDA_CONDITIONAL_NODE_PARAMS)(at))
	}
	dev.outlet.say("nodes of type %d are not supported yet", p._type)
	return func(*cudaContext) (action, result) { return nil, errorNotSupported }
}

//export go_cuGraphAddNode
func go_cuGraphAddNode(current C.uintptr_t, to *C.uintptr_t, g C.uintptr_t, deps *C.uintptr_t, n C.size_t, p *C.CUgraphNodeParams) C.int {
	if p == nil {
		return C.int(errorInvalidValue)
	}
	do := anyNode(p)
	return addNode(current, to, g, deps, n, p._type, do != nil, do)
}

// A node that depends only on the start of another may begin later, after its end.
//
//export go_cuGraphAddNode_v2
func go_cuGraphAddNode_v2(current C.uintptr_t, to *C.uintptr_t, g C.uintptr_t, deps *C.uintptr_t, edges *C.CUgraphEdgeData, n C.size_t, p *C.CUgraphNodeParams) C.int {
	return go_cuGraphAddNode(current, to, g, deps, n, p)
}

//export go_cuGraphNodeSetParams
func go_cuGraphNodeSetParams(current, h C.uintptr_t, p *C.CUgraphNodeParams) C.int {
	return setAny(current, 0, false, h, p)
}

//export go_cuGraphExecNodeSetParams
func go_cuGraphExecNodeSetParams(current, exec, h C.uintptr_t, p *C.CUgraphNodeParams) C.int {
	if p != nil && p._type == C.CU_GRAPH_NODE_TYPE_GRAPH {
		return go_cuGraphExecChildGraphNodeSetParams(current, exec, h, *(*C.uintptr_t)(unsafe.Pointer(&p.anon0)))
	}
	return setAny(current, exec, true, h, p)
}

// setAny replaces the action of a node by another one of its type. Nodes that allocate memory, child graphs and
// conditional nodes cannot be changed.
func setAny(current, exec C.uintptr_t, isExec bool, h C.uintptr_t, p *C.CUgraphNodeParams) C.int {
	fixed := []C.CUgraphNodeType{C.CU_GRAPH_NODE_TYPE_GRAPH, C.CU_GRAPH_NODE_TYPE_MEM_ALLOC, C.CU_GRAPH_NODE_TYPE_MEM_FREE, C.CU_GRAPH_NODE_TYPE_CONDITIONAL}
	if p == nil || slices.Contains(fixed, p._type) {
		return C.int(errorInvalidValue)
	}
	do := anyNode(p)
	return setNode(current, exec, isExec, h, p._type, do != nil, do)
}

// attributeBytes is the size of a launch attribute's value, and lastAttribute the highest number of an attribute.
const (
	attributeBytes = 64
	lastAttribute  = 16
)

// attributeValue is the value of an attribute.
type attributeValue [attributeBytes]byte

// attributeAt returns the value of an attribute in the program's memory. In programs of CUDA 11, the structure has
// room for the attributes of that version only.
func attributeAt(attribute C.int, value unsafe.Pointer) []byte {
	n := attributeBytes
	switch attribute {
	case C.CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
		n = 32
	case C.CU_LAUNCH_ATTRIBUTE_COOPERATIVE, C.CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, C.CU_LAUNCH_ATTRIBUTE_PRIORITY:
		n = 4
	}
	return unsafe.Slice((*byte)(value), n)
}

// readAttribute copies the value of an attribute.
func readAttribute(attribute C.int, value unsafe.Pointer) (v attributeValue) {
	copy(v[:], attributeAt(attribute, value))
	return v
}

// withKernelNode runs f for a call about an attribute of a kernel node.
func withKernelNode(current, h C.uintptr_t, attribute C.int, wanted bool, f func(n *node, l *launch)) C.int {
	return paramsOf(current, h, C.CU_GRAPH_NODE_TYPE_KERNEL, wanted && attribute >= 1 && attribute <= lastAttribute, f)
}

//export go_cuGraphKernelNodeGetAttribute
func go_cuGraphKernelNodeGetAttribute(current, h C.uintptr_t, attribute C.int, value unsafe.Pointer) C.int {
	return withKernelNode(current, h, attribute, value != nil, func(_ *node, l *launch) {
		v := l.attribute(attribute)
		copy(attributeAt(attribute, value), v[:])
	})
}

//export go_cuGraphKernelNodeSetAttribute
func go_cuGraphKernelNodeSetAttribute(current, h C.uintptr_t, attribute C.int, value unsafe.Pointer) C.int {
	return withKernelNode(current, h, attribute, value != nil, func(n *node, l *launch) {
		changed := *l // executable graphs keep the previous value
		changed.attributes = make(map[C.int]attributeValue)
		for a, v := range l.attributes {
			changed.attributes[a] = v
		}
		changed.setAttribute(attribute, readAttribute(attribute, value))
		n.do = &changed
	})
}

//export go_cuGraphKernelNodeCopyAttributes
func go_cuGraphKernelNodeCopyAttributes(current, to, from C.uintptr_t) C.int {
	return withKernelNode(current, to, 1, true, func(n *node, l *launch) {
		source := object[node](from)
		if source == nil {
			return
		}
		if s, ok := source.do.(*launch); ok {
			changed := *l
			changed.attributes, changed.cluster, changed.cooperative = s.attributes, s.cluster, s.cooperative
			n.do = &changed
		}
	})
}
