package flowgraph

import (
	"bufio"
	"fmt"
	"strings"
)

// writeDOT writes one graph with a cluster for each function. Edges are solid, or dotted if they leave the exit
// region. Reconvergence is dashed and does not influence the layout.
func writeDOT(w *bufio.Writer, graphs []*Graph) {
	w.WriteString("digraph simtrun {\n")
	w.WriteString("\tnode [shape=box, fontname=\"monospace\", fontsize=10];\n")
	w.WriteString("\tedge [fontname=\"monospace\", fontsize=9];\n")
	for n, g := range graphs {
		fmt.Fprintf(w, "\tsubgraph %s {\n", quoteDOT(fmt.Sprintf("cluster_%d", n)))
		fmt.Fprintf(w, "\t\tlabel=%s;\n", quoteDOT(g.titleLines()...))
		for b := range g.Blocks {
			fmt.Fprintf(w, "\t\t%s [label=%s];\n", node(n, b), quoteDOT(g.blockLines(b)...))
		}
		for b := range g.Blocks {
			g.writeDOTEdges(w, n, b)
		}
		w.WriteString("\t}\n")
	}
	w.WriteString("}\n")
}

func (g *Graph) writeDOTEdges(w *bufio.Writer, n, b int) {
	block := &g.Blocks[b]
	for _, e := range block.Edges {
		style := ""
		if e.Leaves {
			style = ", style=dotted"
		}
		if e.Retreating {
			style += ", penwidth=2, constraint=false"
		}
		fmt.Fprintf(w, "\t\t%s -> %s [label=%s%s];\n", node(n, b), node(n, e.To), quoteDOT(e.text()), style)
	}
	for i := range block.Divergences {
		if to, ok := g.reconvergenceBlock(&block.Divergences[i]); ok {
			fmt.Fprintf(w, "\t\t%s -> %s [label=\"reconverge\", style=dashed, color=\"gray40\", constraint=false];\n", node(n, b), node(n, to))
		}
	}
}

// node returns the name of block b of function n.
func node(n, b int) string { return quoteDOT(fmt.Sprintf("f%db%d", n, b)) }

// quoteDOT returns lines as a quoted string; several lines are left-aligned.
func quoteDOT(lines ...string) string {
	const end = `\l`
	var text strings.Builder
	for i, line := range lines {
		if i > 0 {
			text.WriteString(end)
		}
		text.WriteString(escapeDOT.Replace(line))
	}
	if len(lines) > 1 {
		text.WriteString(end)
	}
	return `"` + text.String() + `"`
}

var escapeDOT = strings.NewReplacer(`\`, `\\`, `"`, `\"`)
