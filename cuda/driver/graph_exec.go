package main

/*
#define SIMTRUN_CUDA_TYPES_ONLY
#include "../include/cuda.h"
*/
import "C"

import (
	"slices"
	"unsafe"

	"github.com/simtrun/simtrun/internal/ordering"
)

// execGraph is an executable graph: copies of a graph's nodes, in topological order. As an action it is an executable
// child graph.
type execGraph struct {
	h     handle
	nodes []*node
	of    map[*node]*node // maps a node of the graph to its copy
	flags C.ulonglong
	holds holdings

	conditions []*condition

	lines map[*node]ordering.Timeline // of the nodes; nil unless the order is checked
	done  ordering.Clock              // the work that precedes the end of the latest execution
}

// run executes the nodes until one fails.
func (e *execGraph) run() result {
	if e.flags&C.CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH != 0 {
		for _, n := range e.nodes {
			if m, ok := n.do.(*graphMemory); ok {
				m.free()
			}
		}
	}
	for _, c := range e.conditions {
		if r := c.begin(); r != success {
			return r
		}
	}
	g := dev.orders.beginGraph(e)
	defer g.end()
	for _, n := range e.nodes {
		if n.off && g == nil {
			continue
		}
		if r := g.node(n, n.do.run); r != success {
			return r
		}
	}
	return success
}

// instantiate makes an executable graph, including child graphs and those of conditional nodes.
func instantiate(g *graph) (*execGraph, result) {
	nodes, ok := g.order()
	if !ok {
		return nil, errorInvalidValue
	}
	e := &execGraph{of: make(map[*node]*node), conditions: g.conditions}
	for _, n := range nodes {
		do := n.do
		switch c := do.(type) {
		case *childGraph:
			child, r := instantiate(c.g)
			if r != success {
				return nil, r
			}
			do = child
		case *conditional:
			choice, r := c.executable()
			if r != success {
				return nil, r
			}
			do = choice
		}
		e.of[n] = &node{kind: n.kind, do: do}
		e.nodes = append(e.nodes, e.of[n])
		for _, d := range n.deps {
			e.of[n].deps = append(e.of[n].deps, e.of[d])
		}
	}
	return e, success
}

// dependsOn returns, for each node, the indexes of the nodes on which it depends.
func (e *execGraph) dependsOn() [][]int {
	place := make(map[*node]int)
	for i, n := range e.nodes {
		place[n] = i
	}
	all := make([][]int, len(e.nodes))
	for i, n := range e.nodes {
		for _, d := range n.deps {
			all[i] = append(all[i], place[d])
		}
		slices.Sort(all[i])
		all[i] = slices.Compact(all[i])
	}
	return all
}

// instantiateTo makes an executable graph and writes its handle.
func instantiateTo(current C.uintptr_t, to *C.uintptr_t, h C.uintptr_t, flags C.ulonglong) C.int {
	return withGraph(current, h, to != nil, func(_ *cudaContext, g *graph) result {
		const known = C.CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH | C.CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD | C.CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH | C.CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY
		switch {
		case flags&^known != 0:
			return errorInvalidValue
		case flags&C.CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH != 0:
			dev.outlet.say("graphs that kernels launch are not supported yet")
			return errorNotSupported
		}
		e, r := instantiate(g)
		if r == success {
			e.flags, e.holds = flags, g.retained()
			e.h = dev.add(e)
			*to = C.uintptr_t(e.h)
		}
		return r
	})
}

//export go_cuGraphInstantiate_v2
func go_cuGraphInstantiate_v2(current C.uintptr_t, to *C.uintptr_t, h C.uintptr_t, errorNode *C.uintptr_t, log *C.char, n C.size_t) C.int {
	set(errorNode, 0)
	return instantiateTo(current, to, h, 0)
}

//export go_cuGraphInstantiateWithFlags
func go_cuGraphInstantiateWithFlags(current C.uintptr_t, to *C.uintptr_t, h C.uintptr_t, flags C.ulonglong) C.int {
	return instantiateTo(current, to, h, flags)
}

// Results of updates (CUgraphExecUpdateResult).
const (
	updateSuccess         = 0
	updateError           = 1
	updateTopologyChanged = 2
	updateNodeTypeChanged = 3
)

// differs says why e cannot be updated to another graph.
func (e *execGraph) differs(o *execGraph) C.int {
	if !slices.EqualFunc(e.dependsOn(), o.dependsOn(), slices.Equal) {
		return updateTopologyChanged
	}
	for i, n := range e.nodes {
		if n.kind != o.nodes[i].kind {
			return updateNodeTypeChanged
		}
		if a, ok := n.do.(*conditional); ok {
			if why := a.differs(o.nodes[i].do.(*conditional)); why != updateSuccess {
				return why
			}
		}
		a, isChild := n.do.(*execGraph)
		b, _ := o.nodes[i].do.(*execGraph)
		if isChild && b != nil {
			if why := a.differs(b); why != updateSuccess {
				return why
			}
		}
	}
	return updateSuccess
}

// become updates e to another graph that does not differ.
func (e *execGraph) become(o *execGraph) {
	for i, n := range e.nodes {
		n.do = o.nodes[i].do
	}
}

// update updates an executable graph to another graph with the same nodes and dependencies.
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
		if why = e.differs(fresh); why != updateSuccess {
			return errorGraphExecUpdateFailure
		}
		e.become(fresh)
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
		if s.capture == nil {
			e.awaitEvents(s)
		}
		return s.do(C.CU_GRAPH_NODE_TYPE_GRAPH, e)
	})
}

// awaitEvents makes a stream wait for all pending records of events for which nodes of the graph wait, because nodes
// cannot wait individually.
func (e *execGraph) awaitEvents(s *stream) {
	for _, n := range e.nodes {
		switch do := n.do.(type) {
		case *waitEvent:
			if !n.off && !do.e.last.over() {
				s.await(do.e)
			}
		case *execGraph:
			do.awaitEvents(s)
		}
	}
}

//export go_cuGraphExecDestroy
func go_cuGraphExecDestroy(current, exec C.uintptr_t) C.int {
	return in(current, func(*cudaContext) result {
		e := object[execGraph](exec)
		if e == nil {
			return errorInvalidValue
		}
		delete(dev.objects, e.h)
		e.holds.release()
		return success
	})
}

// withExec runs f for a call about an executable graph. wanted reports whether the result pointer is not NULL.
func withExec(current, h C.uintptr_t, wanted bool, f func(c *cudaContext, e *execGraph) result) C.int {
	return in(current, func(c *cudaContext) result {
		e := object[execGraph](h)
		if e == nil || !wanted {
			return errorInvalidValue
		}
		return f(c, e)
	})
}

//export go_cuGraphInstantiateWithParams
func go_cuGraphInstantiateWithParams(current C.uintptr_t, to *C.uintptr_t, h C.uintptr_t, p *C.CUDA_GRAPH_INSTANTIATE_PARAMS) C.int {
	if p == nil {
		return C.int(errorInvalidValue)
	}
	r := instantiateTo(current, to, h, C.ulonglong(p.flags))
	p.hErrNode_out, p.result_out = nil, C.CUDA_GRAPH_INSTANTIATE_SUCCESS
	if r != C.int(success) {
		p.result_out = C.CUDA_GRAPH_INSTANTIATE_ERROR
	}
	return r
}

//export go_cuGraphExecGetFlags
func go_cuGraphExecGetFlags(current, exec C.uintptr_t, flags *C.ulonglong) C.int {
	return withExec(current, exec, flags != nil, func(_ *cudaContext, e *execGraph) result {
		*flags = e.flags
		return success
	})
}

// withSwitch runs f for a call that disables, enables or queries a node of an executable graph. Only nodes of
// kernels, copies and memsets can be disabled.
func withSwitch(current, exec, h C.uintptr_t, wanted bool, f func(n *node)) C.int {
	return withExec(current, exec, wanted, func(_ *cudaContext, e *execGraph) result {
		n := e.of[object[node](h)]
		if n == nil || n.kind != C.CU_GRAPH_NODE_TYPE_KERNEL && n.kind != C.CU_GRAPH_NODE_TYPE_MEMCPY && n.kind != C.CU_GRAPH_NODE_TYPE_MEMSET {
			return errorInvalidValue
		}
		f(n)
		return success
	})
}

//export go_cuGraphNodeSetEnabled
func go_cuGraphNodeSetEnabled(current, exec, h C.uintptr_t, enabled C.uint) C.int {
	return withSwitch(current, exec, h, true, func(n *node) { n.off = enabled == 0 })
}

//export go_cuGraphNodeGetEnabled
func go_cuGraphNodeGetEnabled(current, exec, h C.uintptr_t, enabled *C.uint) C.int {
	return withSwitch(current, exec, h, enabled != nil, func(n *node) { *enabled = truth(!n.off) })
}

//export go_cuGraphExecChildGraphNodeSetParams
func go_cuGraphExecChildGraphNodeSetParams(current, exec, h, child C.uintptr_t) C.int {
	return withExec(current, exec, true, func(_ *cudaContext, e *execGraph) result { return e.setChild(h, child) })
}

// setChild replaces the graph of a child graph node by another one with the same nodes and dependencies.
func (e *execGraph) setChild(h, child C.uintptr_t) result {
	n, g := e.of[object[node](h)], object[graph](child)
	if n == nil || g == nil || n.kind != C.CU_GRAPH_NODE_TYPE_GRAPH {
		return errorInvalidValue
	}
	fresh, r := instantiate(g)
	if r != success {
		return r
	}
	old, ok := n.do.(*execGraph)
	if !ok || old.differs(fresh) != updateSuccess {
		return errorInvalidValue
	}
	n.do = fresh
	return success
}
