package main

/*
#define SIMTRUN_CUDA_TYPES_ONLY
#include "../include/cuda.h"
*/
import "C"

import (
	"slices"
	"unsafe"
)

// graph is what is to be done, in an order that dependencies leave open.
type graph struct {
	h     handle
	nodes []*node // in the order in which they were added
}

// node is one thing to do.
type node struct {
	h    handle
	of   *graph
	kind C.int
	deps []*node
	run  func() result
}

func newGraph() *graph {
	g := new(graph)
	g.h = dev.add(g)
	return g
}

func (g *graph) add(kind C.int, deps []*node, run func() result) *node {
	n := &node{of: g, kind: kind, deps: slices.Clone(deps), run: run}
	n.h = dev.add(n)
	g.nodes = append(g.nodes, n)
	return n
}

// order is the nodes, each behind what it depends on, else in the order in which they were added. It is false if nodes depend on
// each other.
func (g *graph) order() (all []*node, ok bool) {
	placed := make(map[*node]bool)
	for len(all) < len(g.nodes) {
		before := len(all)
		for _, n := range g.nodes {
			if !placed[n] && !slices.ContainsFunc(n.deps, func(d *node) bool { return !placed[d] }) {
				placed[n], all = true, append(all, n)
			}
		}
		if len(all) == before {
			return nil, false
		}
	}
	return all, true
}

// runNodes does what nodes are for, until one fails.
func runNodes(nodes []*node) result {
	for _, n := range nodes {
		if r := n.run(); r != success {
			return r
		}
	}
	return success
}

// execGraph is a graph that can be launched: copies of its nodes, in order.
type execGraph struct {
	h     handle
	nodes []*node
	of    map[*node]*node // the copy of a node of the graph
}

// withGraph runs f for a call about a graph, which asks for something if wanted.
func withGraph(current, h C.uintptr_t, wanted bool, f func(c *cudaContext, g *graph) result) C.int {
	return in(current, func(c *cudaContext) result {
		g := object[graph](h)
		if g == nil || !wanted {
			return errorInvalidValue
		}
		return f(c, g)
	})
}

//export go_cuGraphCreate
func go_cuGraphCreate(current C.uintptr_t, to *C.uintptr_t, flags C.uint) C.int {
	return in(current, func(*cudaContext) result {
		if to == nil || flags != 0 {
			return errorInvalidValue
		}
		*to = C.uintptr_t(newGraph().h)
		return success
	})
}

//export go_cuGraphDestroy
func go_cuGraphDestroy(current, h C.uintptr_t) C.int {
	return withGraph(current, h, true, func(_ *cudaContext, g *graph) result {
		g.destroy()
		return success
	})
}

func (g *graph) destroy() {
	for _, n := range g.nodes {
		delete(dev.objects, n.h)
	}
	delete(dev.objects, g.h)
}

//export go_cuGraphClone
func go_cuGraphClone(current C.uintptr_t, to *C.uintptr_t, h C.uintptr_t) C.int {
	return withGraph(current, h, to != nil, func(_ *cudaContext, g *graph) result {
		clone, of := newGraph(), make(map[*node]*node)
		for _, n := range g.nodes {
			of[n] = clone.add(n.kind, nil, n.run)
		}
		for _, n := range g.nodes {
			for _, d := range n.deps {
				of[n].deps = append(of[n].deps, of[d])
			}
		}
		*to = C.uintptr_t(clone.h)
		return success
	})
}

// nodesAt are the nodes of g whose handles a program has in an array.
func (g *graph) nodesAt(handles *C.uintptr_t, n C.size_t) (all []*node, r result) {
	if n == 0 {
		return nil, success
	}
	if handles == nil {
		return nil, errorInvalidValue
	}
	for _, h := range unsafe.Slice(handles, n) {
		d := object[node](h)
		if d == nil || d.of != g {
			return nil, errorInvalidValue
		}
		all = append(all, d)
	}
	return all, success
}

// addNode adds a node of a kind, which does what make gives.
func addNode(current C.uintptr_t, to *C.uintptr_t, h C.uintptr_t, deps *C.uintptr_t, n C.size_t, kind C.int, wanted bool, make func(c *cudaContext) (func() result, result)) C.int {
	return withGraph(current, h, to != nil && wanted, func(c *cudaContext, g *graph) result {
		behind, r := g.nodesAt(deps, n)
		if r != success {
			return r
		}
		run, r := make(c)
		if r != success {
			return r
		}
		*to = C.uintptr_t(g.add(kind, behind, run).h)
		return success
	})
}

// setNode has a node of a kind do something else: in an executable graph, if there is one, else in its own.
func setNode(current, exec C.uintptr_t, isExec bool, h C.uintptr_t, kind C.int, wanted bool, make func(c *cudaContext) (func() result, result)) C.int {
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
		run, r := make(c)
		if r == success {
			n.run = run
		}
		return r
	})
}

// kernelNode launches a kernel as parameters of a node have it.
func kernelNode(fn C.CUfunction, s shape, params, extra *unsafe.Pointer) func(*cudaContext) (func() result, result) {
	return func(*cudaContext) (func() result, result) {
		f := object[function](C.uintptr_t(uintptr(unsafe.Pointer(fn))))
		if f == nil {
			return nil, errorInvalidValue
		}
		l, r := newLaunch(f, s, params, extra)
		if r != success {
			return nil, r
		}
		return l.run, success
	}
}

func kernelNodeV1(p *C.CUDA_KERNEL_NODE_PARAMS_v1) func(*cudaContext) (func() result, result) {
	if p == nil {
		return nil
	}
	return kernelNode(p._func, shape{p.gridDimX, p.gridDimY, p.gridDimZ, p.blockDimX, p.blockDimY, p.blockDimZ, p.sharedMemBytes}, p.kernelParams, p.extra)
}

func kernelNodeV2(p *C.CUDA_KERNEL_NODE_PARAMS) func(*cudaContext) (func() result, result) {
	if p == nil {
		return nil
	}
	fn := p._func
	if fn == nil {
		fn = C.CUfunction(unsafe.Pointer(p.kern))
	}
	return kernelNode(fn, shape{p.gridDimX, p.gridDimY, p.gridDimZ, p.blockDimX, p.blockDimY, p.blockDimZ, p.sharedMemBytes}, p.kernelParams, p.extra)
}

func copyNode(p *C.CUDA_MEMCPY3D) func(*cudaContext) (func() result, result) {
	if p == nil {
		return nil
	}
	c := *p
	return func(*cudaContext) (func() result, result) { return func() result { return copy3D(&c) }, success }
}

func setMemoryNode(p *C.CUDA_MEMSET_NODE_PARAMS) func(*cudaContext) (func() result, result) {
	if p == nil || p.elementSize != 1 && p.elementSize != 2 && p.elementSize != 4 {
		return nil
	}
	s := *p
	return func(*cudaContext) (func() result, result) {
		return func() result { return memset(s.dst, s.pitch, s.value, uint64(s.elementSize), s.width, s.height) }, success
	}
}

func hostNode(p *C.CUDA_HOST_NODE_PARAMS) func(*cudaContext) (func() result, result) {
	if p == nil || p.fn == nil {
		return nil
	}
	run := hostCall(p.fn, p.userData)
	return func(*cudaContext) (func() result, result) { return run, success }
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
	return addNode(current, to, g, deps, n, C.CU_GRAPH_NODE_TYPE_EMPTY, true, func(*cudaContext) (func() result, result) {
		return func() result { return success }, success
	})
}

//export go_cuGraphAddChildGraphNode
func go_cuGraphAddChildGraphNode(current C.uintptr_t, to *C.uintptr_t, g C.uintptr_t, deps *C.uintptr_t, n C.size_t, child C.uintptr_t) C.int {
	return addNode(current, to, g, deps, n, C.CU_GRAPH_NODE_TYPE_GRAPH, true, func(*cudaContext) (func() result, result) {
		c := object[graph](child)
		if c == nil {
			return nil, errorInvalidValue
		}
		nodes, ok := c.order()
		if !ok {
			return nil, errorInvalidValue
		}
		copies := make([]*node, len(nodes)) // what happens to the graph later is not seen
		for i, n := range nodes {
			copies[i] = &node{run: n.run}
		}
		return func() result { return runNodes(copies) }, success
	})
}

//export go_cuGraphAddEventRecordNode
func go_cuGraphAddEventRecordNode(current C.uintptr_t, to *C.uintptr_t, g C.uintptr_t, deps *C.uintptr_t, n C.size_t, ev C.uintptr_t) C.int {
	return addNode(current, to, g, deps, n, C.CU_GRAPH_NODE_TYPE_EVENT_RECORD, true, func(*cudaContext) (func() result, result) {
		e := object[event](ev)
		if e == nil {
			return nil, errorInvalidValue
		}
		return e.record, success
	})
}

//export go_cuGraphAddEventWaitNode
func go_cuGraphAddEventWaitNode(current C.uintptr_t, to *C.uintptr_t, g C.uintptr_t, deps *C.uintptr_t, n C.size_t, ev C.uintptr_t) C.int {
	return addNode(current, to, g, deps, n, C.CU_GRAPH_NODE_TYPE_WAIT_EVENT, true, func(*cudaContext) (func() result, result) {
		if object[event](ev) == nil {
			return nil, errorInvalidValue
		}
		return func() result { return success }, success
	})
}

// dependencies runs f for each edge that a program has in two arrays.
func dependencies(current, h C.uintptr_t, from, to *C.uintptr_t, n C.size_t, f func(from, to *node)) C.int {
	return withGraph(current, h, true, func(_ *cudaContext, g *graph) result {
		a, r := g.nodesAt(from, n)
		if r != success {
			return r
		}
		b, r := g.nodesAt(to, n)
		if r != success {
			return r
		}
		for i := range a {
			f(a[i], b[i])
		}
		return success
	})
}

//export go_cuGraphAddDependencies
func go_cuGraphAddDependencies(current, h C.uintptr_t, from, to *C.uintptr_t, n C.size_t) C.int {
	return dependencies(current, h, from, to, n, func(a, b *node) { b.deps = append(b.deps, a) })
}

//export go_cuGraphRemoveDependencies
func go_cuGraphRemoveDependencies(current, h C.uintptr_t, from, to *C.uintptr_t, n C.size_t) C.int {
	return dependencies(current, h, from, to, n, func(a, b *node) {
		b.deps = slices.DeleteFunc(b.deps, func(d *node) bool { return d == a })
	})
}

// listNodes writes the handles of nodes, as many as there is room for, and how many these are; without room, how many there are.
func listNodes(nodes []*node, to *C.uintptr_t, n *C.size_t) result {
	if n == nil {
		return errorInvalidValue
	}
	if to != nil {
		places := unsafe.Slice(to, *n)
		clear(places)
		nodes = nodes[:min(len(places), len(nodes))]
		for i, n := range nodes {
			places[i] = C.uintptr_t(n.h)
		}
	}
	*n = C.size_t(len(nodes))
	return success
}

//export go_cuGraphGetNodes
func go_cuGraphGetNodes(current, h C.uintptr_t, to *C.uintptr_t, n *C.size_t) C.int {
	return withGraph(current, h, true, func(_ *cudaContext, g *graph) result { return listNodes(g.nodes, to, n) })
}

//export go_cuGraphGetRootNodes
func go_cuGraphGetRootNodes(current, h C.uintptr_t, to *C.uintptr_t, n *C.size_t) C.int {
	return withGraph(current, h, true, func(_ *cudaContext, g *graph) result {
		return listNodes(slices.DeleteFunc(slices.Clone(g.nodes), func(n *node) bool { return len(n.deps) > 0 }), to, n)
	})
}

//export go_cuGraphGetEdges
func go_cuGraphGetEdges(current, h C.uintptr_t, from, to *C.uintptr_t, n *C.size_t) C.int {
	return withGraph(current, h, n != nil, func(_ *cudaContext, g *graph) result {
		var a, b []*node
		for _, node := range g.nodes {
			for _, d := range node.deps {
				a, b = append(a, d), append(b, node)
			}
		}
		room := *n
		if r := listNodes(a, from, n); r != success {
			return r
		}
		*n = room
		return listNodes(b, to, n)
	})
}

// withNode runs f for a call about a node, which asks for something if wanted.
func withNode(current, h C.uintptr_t, wanted bool, f func(n *node) result) C.int {
	return in(current, func(*cudaContext) result {
		n := object[node](h)
		if n == nil || !wanted {
			return errorInvalidValue
		}
		return f(n)
	})
}

//export go_cuGraphNodeGetType
func go_cuGraphNodeGetType(current, h C.uintptr_t, kind *C.int) C.int {
	return withNode(current, h, kind != nil, func(n *node) result {
		*kind = n.kind
		return success
	})
}

//export go_cuGraphNodeGetDependencies
func go_cuGraphNodeGetDependencies(current, h C.uintptr_t, to *C.uintptr_t, n *C.size_t) C.int {
	return withNode(current, h, true, func(node *node) result { return listNodes(node.deps, to, n) })
}

//export go_cuGraphNodeGetDependentNodes
func go_cuGraphNodeGetDependentNodes(current, h C.uintptr_t, to *C.uintptr_t, n *C.size_t) C.int {
	return withNode(current, h, true, func(of *node) result {
		return listNodes(slices.DeleteFunc(slices.Clone(of.of.nodes), func(n *node) bool { return !slices.Contains(n.deps, of) }), to, n)
	})
}

//export go_cuGraphDestroyNode
func go_cuGraphDestroyNode(current, h C.uintptr_t) C.int {
	return withNode(current, h, true, func(gone *node) result {
		isGone := func(n *node) bool { return n == gone }
		gone.of.nodes = slices.DeleteFunc(gone.of.nodes, isGone)
		for _, n := range gone.of.nodes {
			n.deps = slices.DeleteFunc(n.deps, isGone)
		}
		delete(dev.objects, gone.h)
		return success
	})
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

// instantiate makes an executable graph.
func instantiate(g *graph) (*execGraph, result) {
	nodes, ok := g.order()
	if !ok {
		return nil, errorInvalidValue
	}
	e := &execGraph{of: make(map[*node]*node)}
	for _, n := range nodes {
		e.of[n] = &node{kind: n.kind, run: n.run}
		e.nodes = append(e.nodes, e.of[n])
		for _, d := range n.deps {
			e.of[n].deps = append(e.of[n].deps, e.of[d])
		}
	}
	return e, success
}

// dependsOn is the places of the nodes on which each node depends.
func (e *execGraph) dependsOn() [][]int {
	all := make([][]int, len(e.nodes))
	for i, n := range e.nodes {
		for _, d := range n.deps {
			all[i] = append(all[i], slices.Index(e.nodes, d))
		}
		slices.Sort(all[i])
		all[i] = slices.Compact(all[i])
	}
	return all
}

func instantiateTo(current C.uintptr_t, to *C.uintptr_t, h C.uintptr_t) C.int {
	return withGraph(current, h, to != nil, func(_ *cudaContext, g *graph) result {
		e, r := instantiate(g)
		if r == success {
			e.h = dev.add(e)
			*to = C.uintptr_t(e.h)
		}
		return r
	})
}

//export go_cuGraphInstantiate_v2
func go_cuGraphInstantiate_v2(current C.uintptr_t, to *C.uintptr_t, h C.uintptr_t, errorNode *C.uintptr_t, log *C.char, n C.size_t) C.int {
	set(errorNode, 0)
	return instantiateTo(current, to, h)
}

//export go_cuGraphInstantiateWithFlags
func go_cuGraphInstantiateWithFlags(current C.uintptr_t, to *C.uintptr_t, h C.uintptr_t, flags C.ulonglong) C.int {
	return instantiateTo(current, to, h)
}

// Results of updates (CUgraphExecUpdateResult).
const (
	updateSuccess         = 0
	updateError           = 1
	updateTopologyChanged = 2
	updateNodeTypeChanged = 3
)

// update has an executable graph do what another graph does, which has the same nodes with the same dependencies.
func update(current, exec, h C.uintptr_t) (r C.int, why C.int) {
	why = updateError
	r = withGraph(current, h, true, func(_ *cudaContext, g *graph) result {
		e := object[execGraph](exec)
		if e == nil {
			return errorInvalidValue
		}
		fresh, r := instantiate(g)
		if r != success {
			return r
		}
		if !slices.EqualFunc(e.dependsOn(), fresh.dependsOn(), slices.Equal) {
			why = updateTopologyChanged
			return errorGraphExecUpdateFailure
		}
		if !slices.EqualFunc(e.nodes, fresh.nodes, func(a, b *node) bool { return a.kind == b.kind }) {
			why = updateNodeTypeChanged
			return errorGraphExecUpdateFailure
		}
		for i := range e.nodes {
			e.nodes[i].run = fresh.nodes[i].run
		}
		why = updateSuccess
		return success
	})
	return r, why
}

//export go_cuGraphExecUpdate
func go_cuGraphExecUpdate(current, exec, h C.uintptr_t, errorNode *C.uintptr_t, to *C.int) C.int {
	r, why := update(current, exec, h)
	set(errorNode, 0)
	set(to, why)
	return r
}

//export go_cuGraphExecUpdate_v2
func go_cuGraphExecUpdate_v2(current, exec, h C.uintptr_t, info unsafe.Pointer) C.int {
	r, why := update(current, exec, h)
	if info != nil { // result, and two nodes
		*(*C.int)(info) = why
		*(*[2]uintptr)(unsafe.Add(info, 8)) = [2]uintptr{}
	}
	return r
}

//export go_cuGraphUpload
func go_cuGraphUpload(current, exec, stream C.uintptr_t) C.int {
	return in(current, func(*cudaContext) result {
		if object[execGraph](exec) == nil {
			return errorInvalidValue
		}
		return success
	})
}

//export go_cuGraphLaunch
func go_cuGraphLaunch(current, exec, h C.uintptr_t) C.int {
	return withStream(current, h, true, func(s *stream) result {
		e := object[execGraph](exec)
		if e == nil {
			return errorInvalidValue
		}
		nodes := e.nodes
		return s.do(C.CU_GRAPH_NODE_TYPE_GRAPH, func() result { return runNodes(nodes) })
	})
}

//export go_cuGraphExecDestroy
func go_cuGraphExecDestroy(current, exec C.uintptr_t) C.int {
	return in(current, func(*cudaContext) result {
		if object[execGraph](exec) == nil {
			return errorInvalidValue
		}
		delete(dev.objects, handle(exec))
		return success
	})
}
