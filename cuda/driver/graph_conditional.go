package main

/*
#define SIMTRUN_CUDA_TYPES_ONLY
#include "../include/cuda.h"
#include <stdlib.h>
*/
import "C"

import (
	"encoding/binary"
	"unsafe"
)

// condition is a value in device memory that kernels set (cudaGraphSetConditional) and that conditional nodes test.
// Its handle is its address. It exists until its context is destroyed.
type condition struct {
	ctx   *cudaContext
	addr  uint64
	first uint32 // value at the start of each execution of its graph
}

const conditionBytes = 4

// unassigned is the value of a condition without a default value.
const unassigned = fresh<<24 | fresh<<16 | fresh<<8 | fresh

func (c *condition) begin() result {
	b, r := dev.bytes(c.addr, conditionBytes)
	if r == success {
		binary.LittleEndian.PutUint32(b, c.first)
	}
	return r
}

func (c *condition) value() (uint32, result) {
	b, r := dev.bytes(c.addr, conditionBytes)
	if r != success {
		return 0, r
	}
	return binary.LittleEndian.Uint32(b), success
}

//export go_cuGraphConditionalHandleCreate
func go_cuGraphConditionalHandleCreate(current C.uintptr_t, to *C.ulonglong, h, ctx C.uintptr_t, first, flags C.uint) C.int {
	return withGraph(current, h, to != nil && flags&^C.CU_GRAPH_COND_ASSIGN_DEFAULT == 0, func(c *cudaContext, g *graph) result {
		a, r := c.alloc(conditionBytes, onDevice)
		if r != success {
			return r
		}
		cond := &condition{ctx: c, addr: a.base, first: unassigned}
		if flags != 0 {
			cond.first = uint32(first)
		}
		g.conditions = append(g.conditions, cond)
		dev.conditions[cond.addr] = cond
		*to = C.ulonglong(cond.addr)
		return success
	})
}

// conditional selects a graph by a condition. In an executable graph, its graphs are executable, too.
type conditional struct {
	params C.CUDA_CONDITIONAL_NODE_PARAMS
	on     *condition
	bodies []*graph
	execs  []*execGraph
}

// run stops if a kernel has failed, because the condition may then be stale.
func (a *conditional) run() result {
	for a.on.ctx.failed == success {
		v, r := a.on.value()
		if r != success {
			return r
		}
		choice := uint64(v)
		if a.params._type != C.CU_GRAPH_COND_TYPE_SWITCH {
			choice = 1 // the graph for else, if there is one
			if v != 0 {
				choice = 0
			}
		}
		if choice >= uint64(len(a.execs)) {
			return success
		}
		if r := a.execs[choice].run(); r != success || a.params._type != C.CU_GRAPH_COND_TYPE_WHILE {
			return r
		}
	}
	return success
}

// conditionalNode makes the graphs of a conditional node, and writes their handles to the parameters.
func conditionalNode(p *C.CUDA_CONDITIONAL_NODE_PARAMS) func(*cudaContext) (action, result) {
	most := map[C.CUgraphConditionalNodeType]C.uint{C.CU_GRAPH_COND_TYPE_IF: 2, C.CU_GRAPH_COND_TYPE_WHILE: 1, C.CU_GRAPH_COND_TYPE_SWITCH: mostBodies}[p._type]
	return func(*cudaContext) (action, result) {
		on := dev.conditions[uint64(p.handle)]
		if on == nil || p.size == 0 || p.size > most {
			return nil, errorInvalidValue
		}
		p.phGraph_out = (*C.CUgraph)(C.malloc(C.size_t(p.size) * C.size_t(unsafe.Sizeof(*p.phGraph_out))))
		a := &conditional{params: *p, on: on}
		for i := range unsafe.Slice((*handle)(unsafe.Pointer(p.phGraph_out)), p.size) {
			g := newGraph()
			g.inner = true
			a.bodies = append(a.bodies, g)
			unsafe.Slice((*handle)(unsafe.Pointer(p.phGraph_out)), p.size)[i] = g.h
		}
		return a, success
	}
}

// mostBodies is the most graphs of a conditional node.
const mostBodies = 1 << 16

// executable returns a copy with executable graphs.
func (a *conditional) executable() (*conditional, result) {
	e := *a
	for _, g := range a.bodies {
		body, r := instantiate(g)
		if r != success {
			return nil, r
		}
		e.execs = append(e.execs, body)
	}
	return &e, success
}

// differs says why an executable conditional node cannot be updated to another.
func (a *conditional) differs(b *conditional) C.int {
	if a.on != b.on || a.params._type != b.params._type || len(a.execs) != len(b.execs) {
		return updateTopologyChanged
	}
	for i, body := range a.execs {
		if why := body.differs(b.execs[i]); why != updateSuccess {
			return why
		}
	}
	return updateSuccess
}
