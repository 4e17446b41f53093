package flowgraph

import (
	"bufio"
	"fmt"

	"github.com/simtrun/simtrun/internal/source"
)

// textWidth is the terminal width for text. Only names of functions may be longer.
const textWidth = 100

func writeText(w *bufio.Writer, graphs []*Graph) {
	for i, g := range graphs {
		if i > 0 {
			w.WriteByte('\n')
		}
		fmt.Fprintln(w, g.title())
		if note := g.returnNote(); note != "" {
			fmt.Fprintln(w, note)
		}
		for b := range g.Blocks {
			w.WriteByte('\n')
			g.writeBlock(w, b)
		}
	}
}

func (g *Graph) writeBlock(w *bufio.Writer, b int) {
	block := &g.Blocks[b]
	fmt.Fprintln(w, clip(g.heading(b), textWidth))
	for pc := block.Start; pc < block.End; pc++ {
		fmt.Fprintln(w, clip(g.instruction(pc), textWidth))
	}
	width := 0
	for _, e := range block.Edges {
		width = max(width, len(g.target(&e)))
	}
	for _, e := range block.Edges {
		fmt.Fprintln(w, clip(fmt.Sprintf("    -> %-*s  %s", width, g.target(&e), e.text()), textWidth))
	}
	for i := range block.Divergences {
		fmt.Fprintln(w, clip("    "+g.divergenceText(&block.Divergences[i]), textWidth))
	}
}

// instruction returns the line of an instruction, as in listings.
func (g *Graph) instruction(pc int) string {
	return fmt.Sprintf("%8s  %s", fmt.Sprintf("@%d", pc), source.Text(g.Func, pc))
}

// target names the destination of an edge.
func (g *Graph) target(e *Edge) string {
	return fmt.Sprintf("B%d %s", e.To, g.place(g.Blocks[e.To].Start))
}

// clip shortens text to width characters.
func clip(text string, width int) string {
	r := []rune(text)
	if len(r) <= width {
		return text
	}
	return string(r[:width-1]) + "…"
}
