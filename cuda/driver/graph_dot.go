package main

/*
#define SIMTRUN_CUDA_TYPES_ONLY
#include "../include/cuda.h"
*/
import "C"

import (
	"fmt"
	"os"
	"strings"
)

// nodeTypes are the names of types of nodes.
var nodeTypes = map[C.int]string{
	C.CU_GRAPH_NODE_TYPE_KERNEL: "KERNEL", C.CU_GRAPH_NODE_TYPE_MEMCPY: "MEMCPY", C.CU_GRAPH_NODE_TYPE_MEMSET: "MEMSET", C.CU_GRAPH_NODE_TYPE_HOST: "HOST",
	C.CU_GRAPH_NODE_TYPE_GRAPH: "GRAPH", C.CU_GRAPH_NODE_TYPE_EMPTY: "EMPTY", C.CU_GRAPH_NODE_TYPE_WAIT_EVENT: "WAIT_EVENT", C.CU_GRAPH_NODE_TYPE_EVENT_RECORD: "EVENT_RECORD",
	C.CU_GRAPH_NODE_TYPE_MEM_ALLOC: "MEM_ALLOC", C.CU_GRAPH_NODE_TYPE_MEM_FREE: "MEM_FREE", C.CU_GRAPH_NODE_TYPE_BATCH_MEM_OP: "BATCH_MEM_OP", C.CU_GRAPH_NODE_TYPE_CONDITIONAL: "CONDITIONAL",
}

// dot writes the graph in the language of Graphviz, with child graphs and those of conditional nodes as clusters.
func (g *graph) dot(b *strings.Builder, indent string) {
	for _, n := range g.nodes {
		label := nodeTypes[n.kind]
		if do, ok := n.do.(*launch); ok {
			label += fmt.Sprintf("\\n%s\\n%dx%dx%d of %dx%dx%d", do.f.k.Name(), do.grid.X, do.grid.Y, do.grid.Z, do.block.X, do.block.Y, do.block.Z)
		}
		for _, inner := range n.graphs() {
			fmt.Fprintf(b, "%ssubgraph cluster_%d {\n", indent, inner.h)
			inner.dot(b, indent+"\t")
			fmt.Fprintf(b, "%s}\n", indent)
		}
		fmt.Fprintf(b, "%snode_%d [label=\"%s\"];\n", indent, n.h, label)
	}
	for _, n := range g.nodes {
		for _, d := range n.deps {
			fmt.Fprintf(b, "%snode_%d -> node_%d;\n", indent, d.h, n.h)
		}
	}
}

//export go_cuGraphDebugDotPrint
func go_cuGraphDebugDotPrint(current, h C.uintptr_t, path *C.char, flags C.uint) C.int {
	return withGraph(current, h, path != nil, func(_ *cudaContext, g *graph) result {
		var b strings.Builder
		b.WriteString("digraph dot {\n")
		g.dot(&b, "\t")
		b.WriteString("}\n")
		if err := os.WriteFile(C.GoString(path), []byte(b.String()), 0o666); err != nil {
			dev.outlet.say("%v", err)
			return errorOperatingSystem
		}
		return success
	})
}
