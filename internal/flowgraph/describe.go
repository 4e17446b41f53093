package flowgraph

import (
	"fmt"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/sorted"
	"github.com/simtrun/simtrun/internal/source"
)

// Phrases that all formats share.

// blockOf returns the index of the block that contains pc.
func (g *Graph) blockOf(pc int) int {
	return sort.Search(len(g.Blocks), func(b int) bool { return g.Blocks[b].Start > pc }) - 1
}

// place returns a PC, with its first label if it has one.
func (g *Graph) place(pc int) string {
	if names := g.labels[pc]; len(names) > 0 {
		return fmt.Sprintf("@%d %s", pc, names[0])
	}
	return fmt.Sprintf("@%d", pc)
}

// title returns the heading of a function.
func (g *Graph) title() string {
	kind := "function"
	if g.Func.Entry {
		kind = "kernel"
	}
	name := g.Func.Name
	if cxx.Mangled(name) != "" {
		name = fmt.Sprintf("%s (%s)", cxx.Name(name), name)
	}
	return fmt.Sprintf("%s  %s  instructions %d  blocks %d  exit regions %d", name, kind, len(g.Func.Code), len(g.Blocks), g.Regions)
}

// returnNote says where lanes that diverge in a function reconverge at the latest; "" if they need no such place.
func (g *Graph) returnNote() string {
	if !g.addsReturnBarrier() {
		return ""
	}
	return "where lanes first diverge, its adds a convergence barrier at the return address"
}

// heading returns the line above a block.
func (g *Graph) heading(b int) string {
	block := &g.Blocks[b]
	parts := []string{fmt.Sprintf("B%d  %s", b, block.extent())}
	if names := g.labels[block.Start]; len(names) > 0 {
		parts = append(parts, strings.Join(names, " "))
	}
	if lines := g.sourceLines(block); lines != "" {
		parts = append(parts, lines)
	}
	if block.Region == 0 {
		return strings.Join(append(parts, "unreachable"), "  ")
	}
	parts = append(parts, fmt.Sprintf("exit region %d", block.Region))
	if block.Postdominator == none {
		parts = append(parts, "no ipdom")
	} else {
		parts = append(parts, fmt.Sprintf("ipdom B%d", block.Postdominator))
	}
	if g.Counted && block.End > block.Start {
		parts = append(parts, fmt.Sprintf("runs %d", block.Runs))
		if block.Issued > 0 {
			parts = append(parts, fmt.Sprintf("lanes %.1f", block.meanLanes()))
		}
	}
	return strings.Join(parts, "  ")
}

// extent returns the PCs of a block.
func (b *Block) extent() string {
	switch b.End - b.Start {
	case 0:
		return fmt.Sprintf("@%d end of the code", b.Start)
	case 1:
		return fmt.Sprintf("@%d", b.Start)
	}
	return fmt.Sprintf("@%d-@%d", b.Start, b.End-1)
}

// sourceLines returns the lines of the source that a block comes from: "line 7" or "lines 7-9" of the function's file,
// and "tools.cuh:18" or "tools.cuh:18-20" of each other one; "" if none is known.
func (g *Graph) sourceLines(b *Block) string {
	var files []string // of the function itself first
	lines := make(map[string][]int32)
	own := source.File(g.Func)
	for pc := b.Start; pc < b.End; pc++ {
		pos := source.At(g.Func, pc).Pos()
		if !pos.IsValid() {
			continue
		}
		if lines[pos.File] == nil && pos.File == own {
			files = sorted.Insert(files, 0, pos.File)
		} else if lines[pos.File] == nil {
			files = append(files, pos.File)
		}
		lines[pos.File] = append(lines[pos.File], pos.Line)
	}
	var parts []string
	for _, file := range files {
		first, last := slices.Min(lines[file]), slices.Max(lines[file])
		text := fmt.Sprint(first)
		if first != last {
			text = fmt.Sprintf("%d-%d", first, last)
		}
		switch {
		case file != own:
			text = filepath.Base(file) + ":" + text
		case first == last:
			text = "line " + text
		default:
			text = "lines " + text
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

// text says when lanes take the edge.
func (e *Edge) text() string {
	var parts []string
	switch {
	case len(e.Cases) == 1:
		parts = append(parts, fmt.Sprintf("index %d", e.Cases[0]))
	case len(e.Cases) > 1:
		parts = append(parts, "indexes "+runsText(e.Cases))
	case e.Taken:
		parts = append(parts, "taken")
	}
	if e.FallsThrough {
		parts = append(parts, "falls through")
	}
	if e.Retreating {
		parts = append(parts, "retreats")
	}
	if e.Leaves {
		parts = append(parts, "leaves the exit region")
	}
	return strings.Join(parts, ", ")
}

// runsText formats ascending numbers, such as "0-2 5".
func runsText(numbers []int) string {
	var parts []string
	for i := 0; i < len(numbers); {
		first := i
		for i++; i < len(numbers) && numbers[i] == numbers[i-1]+1; i++ {
		}
		part := strconv.Itoa(numbers[first])
		if i-first > 1 {
			part += "-" + strconv.Itoa(numbers[i-1])
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, " ")
}

// divergenceText says where lanes that diverge reconverge, and where they wait under independent thread scheduling.
func (g *Graph) divergenceText(d *Divergence) string {
	counts := ""
	if g.Counted && d.Cause == Branched {
		counts = fmt.Sprintf(" diverged %d of %d;", d.Diverged, d.Runs)
	}
	return fmt.Sprintf("@%d%s %s", d.PC, counts, g.reconvergenceText(d))
}

func (g *Graph) reconvergenceText(d *Divergence) string {
	switch d.Cause {
	case Called:
		return fmt.Sprintf("if not all lanes call one function: its adds a convergence barrier at @%d", d.Barrier)
	case Returned:
		return "lanes that return wait at the return address: its adds no further convergence barrier"
	case Exited:
		return "lanes that exit are waited for no more: its adds no convergence barrier"
	case Waited:
		return fmt.Sprintf("if not all lanes wait for the same: its adds a convergence barrier at @%d", d.Barrier)
	}
	switch {
	case d.Reconvergence == flow.None:
		return "reconverges nowhere: its adds no convergence barrier"
	case d.Barrier == flow.None:
		return fmt.Sprintf("reconverges at %s, only one side stays: its adds no convergence barrier", g.place(d.Reconvergence))
	}
	return fmt.Sprintf("reconverges at %s: its adds a convergence barrier there", g.place(d.Reconvergence))
}

// reconvergenceBlock returns the block at which the lanes of a branch reconverge, if there is one.
func (g *Graph) reconvergenceBlock(d *Divergence) (b int, ok bool) {
	if d.Cause != Branched || d.Reconvergence == flow.None {
		return none, false
	}
	return g.blockOf(d.Reconvergence), true
}

// titleLines returns the heading of the function's drawing.
func (g *Graph) titleLines() []string {
	lines := []string{g.title()}
	if note := g.returnNote(); note != "" {
		lines = append(lines, note)
	}
	return lines
}

// blockLines returns the text in the box of a block.
func (g *Graph) blockLines(b int) []string {
	block := &g.Blocks[b]
	lines := []string{g.heading(b)}
	for pc := block.Start; pc < block.End; pc++ {
		lines = append(lines, g.instruction(pc))
	}
	for i := range block.Divergences {
		lines = append(lines, g.divergenceText(&block.Divergences[i]))
	}
	for i := range lines {
		lines[i] = clip(lines[i], textWidth)
	}
	return lines
}
