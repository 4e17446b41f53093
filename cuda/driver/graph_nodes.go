package main

/*
#define SIMTRUN_CUDA_TYPES_ONLY
#include "../include/cuda.h"
*/
import "C"

import "unsafe"

// The actions of nodes, and the calls that set and query them.

// addNode adds a node of a kind with the action that make returns.
func addNode(current C.uintptr_t, to *C.uintptr_t, h C.uintptr_t, deps *C.uintptr_t, n C.size_t, kind C.int, wanted bool, make func(c *cudaContext) (action, result)) C.int {
	return withGraph(current, h, to != nil && wanted, func(c *cudaContext, g *graph) result {
		behind, r := g.nodesAt(deps, n)
		if r != success {
			return r
		}
		do, r := make(c)
		if r != success {
			return r
		}
		*to = C.uintptr_t(g.add(kind, behind, do).h)
		return success
	})
}

// setNode replaces the action of a node of a kind: in an executable graph, if there is one, and otherwise in the
// node's own graph.
func setNode(current, exec C.uintptr_t, isExec bool, h C.uintptr_t, kind C.int, wanted bool, make func(c *cudaContext) (action, result)) C.int {
	return in(current, func(c *cudaContext) result {
		n := object[node](h)
		if isExec {
			e := object[execGraph](exec)
			if e == nil || n == nil {
				return errorInvalidValue
			}
			n = e.of[n]
		}
		if n == nil || n.kind != kind || !wanted {
			return errorInvalidValue
		}
		do, r := make(c)
		if r == success {
			n.do = do
		}
		return r
	})
}

// kernelNode launches a kernel with the parameters of a node.
func kernelNode(fn C.CUfunction, s shape, params, extra *unsafe.Pointer) func(*cudaContext) (action, result) {
	return func(*cudaContext) (action, result) {
		f := object[function](C.uintptr_t(uintptr(unsafe.Pointer(fn))))
		if f == nil {
			return nil, errorInvalidValue
		}
		l, r := newLaunch(f, s, params, extra)
		if r != success {
			return nil, r
		}
		return l, success
	}
}

func kernelNodeV1(p *C.CUDA_KERNEL_NODE_PARAMS_v1) func(*cudaContext) (action, result) {
	if p == nil {
		return nil
	}
	return kernelNode(p._func, shape{p.gridDimX, p.gridDimY, p.gridDimZ, p.blockDimX, p.blockDimY, p.blockDimZ, p.sharedMemBytes}, p.kernelParams, p.extra)
}

func kernelNodeV2(p *C.CUDA_KERNEL_NODE_PARAMS) func(*cudaContext) (action, result) {
	if p == nil {
		return nil
	}
	fn := p._func
	if fn == nil {
		fn = C.CUfunction(unsafe.Pointer(p.kern))
	}
	return kernelNode(fn, shape{p.gridDimX, p.gridDimY, p.gridDimZ, p.blockDimX, p.blockDimY, p.blockDimZ, p.sharedMemBytes}, p.kernelParams, p.extra)
}

func copyNode(p *C.CUDA_MEMCPY3D) func(*cudaContext) (action, result) {
	if p == nil {
		return nil
	}
	c := *p
	return func(*cudaContext) (action, result) { return &copyBoxes{c}, success }
}

func setMemoryNode(p *C.CUDA_MEMSET_NODE_PARAMS) func(*cudaContext) (action, result) {
	if p == nil || p.elementSize != 1 && p.elementSize != 2 && p.elementSize != 4 {
		return nil
	}
	s := *p
	return func(*cudaContext) (action, result) { return &setMemory{s}, success }
}

func hostNode(p *C.CUDA_HOST_NODE_PARAMS) func(*cudaContext) (action, result) {
	if p == nil || p.fn == nil {
		return nil
	}
	h := *p
	return func(*cudaContext) (action, result) { return &callHost{h}, success }
}

//export go_cuGraphAddKernelNode
func go_cuGraphAddKernelNode(current C.uintptr_t, to *C.uintptr_t, g C.uintptr_t, deps *C.uintptr_t, n C.size_t, p *C.CUDA_KERNEL_NODE_PARAMS_v1) C.int {
	return addNode(current, to, g, deps, n, C.CU_GRAPH_NODE_TYPE_KERNEL, p != nil, kernelNodeV1(p))
}

//export go_cuGraphAddKernelNode_v2
func go_cuGraphAddKernelNode_v2(current C.uintptr_t, to *C.uintptr_t, g C.uintptr_t, deps *C.uintptr_t, n C.size_t, p *C.CUDA_KERNEL_NODE_PARAMS) C.int {
	return addNode(current, to, g, deps, n, C.CU_GRAPH_NODE_TYPE_KERNEL, p != nil, kernelNodeV2(p))
}

//export go_cuGraphAddMemcpyNode
func go_cuGraphAddMemcpyNode(current C.uintptr_t, to *C.uintptr_t, g C.uintptr_t, deps *C.uintptr_t, n C.size_t, p *C.CUDA_MEMCPY3D, ctx C.uintptr_t) C.int {
	return addNode(current, to, g, deps, n, C.CU_GRAPH_NODE_TYPE_MEMCPY, p != nil, copyNode(p))
}

//export go_cuGraphAddMemsetNode
func go_cuGraphAddMemsetNode(current C.uintptr_t, to *C.uintptr_t, g C.uintptr_t, deps *C.uintptr_t, n C.size_t, p *C.CUDA_MEMSET_NODE_PARAMS, ctx C.uintptr_t) C.int {
	do := setMemoryNode(p)
	return addNode(current, to, g, deps, n, C.CU_GRAPH_NODE_TYPE_MEMSET, do != nil, do)
}

//export go_cuGraphAddHostNode
func go_cuGraphAddHostNode(current C.uintptr_t, to *C.uintptr_t, g C.uintptr_t, deps *C.uintptr_t, n C.size_t, p *C.CUDA_HOST_NODE_PARAMS) C.int {
	do := hostNode(p)
	return addNode(current, to, g, deps, n, C.CU_GRAPH_NODE_TYPE_HOST, do != nil, do)
}

//export go_cuGraphAddEmptyNode
func go_cuGraphAddEmptyNode(current C.uintptr_t, to *C.uintptr_t, g C.uintptr_t, deps *C.uintptr_t, n C.size_t) C.int {
	return addNode(current, to, g, deps, n, C.CU_GRAPH_NODE_TYPE_EMPTY, true, func(*cudaContext) (action, result) {
		return does(func() result { return success }), success
	})
}

//export go_cuGraphAddChildGraphNode
func go_cuGraphAddChildGraphNode(current C.uintptr_t, to *C.uintptr_t, g C.uintptr_t, deps *C.uintptr_t, n C.size_t, child C.uintptr_t) C.int {
	return addNode(current, to, g, deps, n, C.CU_GRAPH_NODE_TYPE_GRAPH, true, childNode(child))
}

//export go_cuGraphAddEventRecordNode
func go_cuGraphAddEventRecordNode(current C.uintptr_t, to *C.uintptr_t, g C.uintptr_t, deps *C.uintptr_t, n C.size_t, ev C.uintptr_t) C.int {
	return addNode(current, to, g, deps, n, C.CU_GRAPH_NODE_TYPE_EVENT_RECORD, true, recordNode(ev))
}

//export go_cuGraphAddEventWaitNode
func go_cuGraphAddEventWaitNode(current C.uintptr_t, to *C.uintptr_t, g C.uintptr_t, deps *C.uintptr_t, n C.size_t, ev C.uintptr_t) C.int {
	return addNode(current, to, g, deps, n, C.CU_GRAPH_NODE_TYPE_WAIT_EVENT, true, waitNode(ev))
}

//export go_cuGraphKernelNodeSetParams
func go_cuGraphKernelNodeSetParams(current, h C.uintptr_t, p *C.CUDA_KERNEL_NODE_PARAMS_v1) C.int {
	return setNode(current, 0, false, h, C.CU_GRAPH_NODE_TYPE_KERNEL, p != nil, kernelNodeV1(p))
}

//export go_cuGraphKernelNodeSetParams_v2
func go_cuGraphKernelNodeSetParams_v2(current, h C.uintptr_t, p *C.CUDA_KERNEL_NODE_PARAMS) C.int {
	return setNode(current, 0, false, h, C.CU_GRAPH_NODE_TYPE_KERNEL, p != nil, kernelNodeV2(p))
}

//export go_cuGraphMemcpyNodeSetParams
func go_cuGraphMemcpyNodeSetParams(current, h C.uintptr_t, p *C.CUDA_MEMCPY3D) C.int {
	return setNode(current, 0, false, h, C.CU_GRAPH_NODE_TYPE_MEMCPY, p != nil, copyNode(p))
}

//export go_cuGraphMemsetNodeSetParams
func go_cuGraphMemsetNodeSetParams(current, h C.uintptr_t, p *C.CUDA_MEMSET_NODE_PARAMS) C.int {
	do := setMemoryNode(p)
	return setNode(current, 0, false, h, C.CU_GRAPH_NODE_TYPE_MEMSET, do != nil, do)
}

//export go_cuGraphHostNodeSetParams
func go_cuGraphHostNodeSetParams(current, h C.uintptr_t, p *C.CUDA_HOST_NODE_PARAMS) C.int {
	do := hostNode(p)
	return setNode(current, 0, false, h, C.CU_GRAPH_NODE_TYPE_HOST, do != nil, do)
}

//export go_cuGraphExecKernelNodeSetParams
func go_cuGraphExecKernelNodeSetParams(current, e, h C.uintptr_t, p *C.CUDA_KERNEL_NODE_PARAMS_v1) C.int {
	return setNode(current, e, true, h, C.CU_GRAPH_NODE_TYPE_KERNEL, p != nil, kernelNodeV1(p))
}

//export go_cuGraphExecKernelNodeSetParams_v2
func go_cuGraphExecKernelNodeSetParams_v2(current, e, h C.uintptr_t, p *C.CUDA_KERNEL_NODE_PARAMS) C.int {
	return setNode(current, e, true, h, C.CU_GRAPH_NODE_TYPE_KERNEL, p != nil, kernelNodeV2(p))
}

//export go_cuGraphExecMemcpyNodeSetParams
func go_cuGraphExecMemcpyNodeSetParams(current, e, h C.uintptr_t, p *C.CUDA_MEMCPY3D, ctx C.uintptr_t) C.int {
	return setNode(current, e, true, h, C.CU_GRAPH_NODE_TYPE_MEMCPY, p != nil, copyNode(p))
}

//export go_cuGraphExecMemsetNodeSetParams
func go_cuGraphExecMemsetNodeSetParams(current, e, h C.uintptr_t, p *C.CUDA_MEMSET_NODE_PARAMS, ctx C.uintptr_t) C.int {
	do := setMemoryNode(p)
	return setNode(current, e, true, h, C.CU_GRAPH_NODE_TYPE_MEMSET, do != nil, do)
}

//export go_cuGraphExecHostNodeSetParams
func go_cuGraphExecHostNodeSetParams(current, e, h C.uintptr_t, p *C.CUDA_HOST_NODE_PARAMS) C.int {
	do := hostNode(p)
	return setNode(current, e, true, h, C.CU_GRAPH_NODE_TYPE_HOST, do != nil, do)
}
