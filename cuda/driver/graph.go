package main

/*
#define SIMTRUN_CUDA_TYPES_ONLY
#include "../include/cuda.h"
#include <stdlib.h>
*/
import "C"

import (
	"maps"
	"slices"
	"unsafe"
)

// graph is a set of actions with dependencies.
type graph struct {
	h     handle
	nodes []*node         // in the order in which they were added
	from  map[*node]*node // for a clone: the original nodes
	holds holdings
	inner bool // owned by a node, and destroyed with it

	conditions []*condition
}

// node is an action of a graph.
type node struct {
	h      handle
	of     *graph
	kind   C.int
	deps   []*node
	do     action
	off    bool           // in an executable graph: the node is disabled
	listed unsafe.Pointer // kernel parameters, as returned by the latest cuGraphKernelNodeGetParams
}

// action is the action of a node.
type action interface{ run() result }

// does is an action without known parameters.
type does func() result

func (f does) run() result { return f() }

func newGraph() *graph {
	g := new(graph)
	g.h = dev.add(g)
	return g
}

func (g *graph) add(kind C.int, deps []*node, do action) *node {
	n := &node{of: g, kind: kind, deps: slices.Clone(deps), do: do}
	n.h = dev.add(n)
	g.nodes = append(g.nodes, n)
	return n
}

// order returns the nodes in topological order, by insertion where that is free. ok is false for a cycle.
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

// withGraph runs f for a call about a graph. wanted reports whether the result pointer is not NULL.
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
		if g.inner {
			return errorInvalidValue
		}
		g.destroy()
		return success
	})
}

func (g *graph) destroy() {
	for _, n := range g.nodes {
		n.destroy()
	}
	delete(dev.objects, g.h)
	g.holds.release()
}

func (n *node) destroy() {
	for _, g := range n.graphs() {
		g.destroy()
	}
	if c, ok := n.do.(*conditional); ok {
		C.free(unsafe.Pointer(c.params.phGraph_out))
	}
	C.free(n.listed)
	delete(dev.objects, n.h)
}

// graphs returns the graphs that the node owns.
func (n *node) graphs() []*graph {
	switch do := n.do.(type) {
	case *childGraph:
		return []*graph{do.g}
	case *conditional:
		return do.bodies
	}
	return nil
}

// retained takes a further reference to all user objects of the graph and its nodes.
func (g *graph) retained() holdings {
	all := make(holdings)
	maps.Copy(all, g.holds.retained())
	for _, n := range g.nodes {
		for _, inner := range n.graphs() {
			for o, count := range inner.retained() {
				all[o] += count
			}
		}
	}
	return all
}

// clone copies a graph. Graphs with memory nodes and conditions cannot be copied.
func (g *graph) clone() (*graph, result) {
	if slices.ContainsFunc(g.nodes, func(n *node) bool {
		return n.kind == C.CU_GRAPH_NODE_TYPE_MEM_ALLOC || n.kind == C.CU_GRAPH_NODE_TYPE_MEM_FREE || n.kind == C.CU_GRAPH_NODE_TYPE_CONDITIONAL
	}) {
		return nil, errorNotSupported
	}
	clone, of := newGraph(), make(map[*node]*node)
	clone.from, clone.holds = make(map[*node]*node), g.holds.retained()
	for _, n := range g.nodes {
		do := n.do
		if c, ok := do.(*childGraph); ok {
			child, r := c.g.clone()
			if r != success {
				clone.destroy()
				return nil, r
			}
			child.inner = true
			do = &childGraph{child}
		}
		of[n] = clone.add(n.kind, nil, do)
		clone.from[of[n]] = n
	}
	for _, n := range g.nodes {
		for _, d := range n.deps {
			of[n].deps = append(of[n].deps, of[d])
		}
	}
	return clone, success
}

//export go_cuGraphClone
func go_cuGraphClone(current C.uintptr_t, to *C.uintptr_t, h C.uintptr_t) C.int {
	return withGraph(current, h, to != nil, func(_ *cudaContext, g *graph) result {
		clone, r := g.clone()
		if r != success {
			return r
		}
		*to = C.uintptr_t(clone.h)
		return success
	})
}

// mostListed is the most handles in an array of a program.
const mostListed = 1 << 32

// nodesAt returns the nodes of g with the handles in an array.
func (g *graph) nodesAt(handles *C.uintptr_t, n C.size_t) (all []*node, r result) {
	if n == 0 {
		return nil, success
	}
	if handles == nil || n > mostListed {
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

// dependencies runs f for each edge given by two arrays.
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

// Edge data may let a node begin earlier, and has no effect here.

//export go_cuGraphAddDependencies_v2
func go_cuGraphAddDependencies_v2(current, h C.uintptr_t, from, to *C.uintptr_t, edges *C.CUgraphEdgeData, n C.size_t) C.int {
	return go_cuGraphAddDependencies(current, h, from, to, n)
}

//export go_cuGraphRemoveDependencies_v2
func go_cuGraphRemoveDependencies_v2(current, h C.uintptr_t, from, to *C.uintptr_t, edges *C.CUgraphEdgeData, n C.size_t) C.int {
	return go_cuGraphRemoveDependencies(current, h, from, to, n)
}

// listNodes writes as many handles of nodes as fit, and their number; without an array, only the number of nodes.
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

// plainEdges writes the default edge data for the edges that a call has listed, if the program wants them.
func plainEdges(r C.int, edges *C.CUgraphEdgeData, n *C.size_t) C.int {
	if r == C.int(success) && edges != nil {
		clear(unsafe.Slice(edges, *n))
	}
	return r
}

//export go_cuGraphGetEdges_v2
func go_cuGraphGetEdges_v2(current, h C.uintptr_t, from, to *C.uintptr_t, edges *C.CUgraphEdgeData, n *C.size_t) C.int {
	return plainEdges(go_cuGraphGetEdges(current, h, from, to, n), edges, n)
}

// withNode runs f for a call about a node. wanted reports whether the result pointer is not NULL.
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

//export go_cuGraphNodeGetDependencies_v2
func go_cuGraphNodeGetDependencies_v2(current, h C.uintptr_t, to *C.uintptr_t, edges *C.CUgraphEdgeData, n *C.size_t) C.int {
	return plainEdges(go_cuGraphNodeGetDependencies(current, h, to, n), edges, n)
}

//export go_cuGraphNodeGetDependentNodes_v2
func go_cuGraphNodeGetDependentNodes_v2(current, h C.uintptr_t, to *C.uintptr_t, edges *C.CUgraphEdgeData, n *C.size_t) C.int {
	return plainEdges(go_cuGraphNodeGetDependentNodes(current, h, to, n), edges, n)
}

//export go_cuGraphNodeFindInClone
func go_cuGraphNodeFindInClone(current C.uintptr_t, to *C.uintptr_t, h, clone C.uintptr_t) C.int {
	return withGraph(current, clone, to != nil, func(_ *cudaContext, g *graph) result {
		original := object[node](h)
		for n, of := range g.from {
			if of == original && original != nil {
				*to = C.uintptr_t(n.h)
				return success
			}
		}
		return errorInvalidValue
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
		gone.destroy()
		return success
	})
}
