// Package flowgraph shows the control flow of functions: their blocks and edges, where the lanes of each branch
// reconverge, and where independent thread scheduling makes them wait for each other. It writes text, DOT and SVG.
package flowgraph

import (
	"cmp"

	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/sorted"
	"github.com/simtrun/simtrun/internal/source"
)

// Graph is the flow graph of one function.
type Graph struct {
	Func    *isa.Func
	Blocks  []Block // in text order
	Regions int
	// Counted reports that the graph has counts of runs.
	Counted bool

	labels map[int][]string // by PC
}

// none stands for the absence of a block.
const none = -1

// Block is a basic block.
type Block struct {
	Start, End int // PCs; End is the first one past the block
	// Region is the block's exit region, from 1, or 0 if no path leads to the block.
	Region int
	// Postdominator is the immediate postdominator in the exit region: a block, or none.
	Postdominator int
	Edges         []Edge // to the possible successors
	Divergences   []Divergence
	// Runs is how many times warps, or splits of them, executed the first instruction. Issued is the warp
	// instructions of the block, Lanes the sum of their active lanes.
	Runs, Issued, Lanes uint64
}

// meanLanes returns the mean number of active lanes per warp instruction of the block, 0 to 32; 0 if none was
// executed.
func (b *Block) meanLanes() float64 {
	if b.Issued == 0 {
		return 0
	}
	return float64(b.Lanes) / float64(b.Issued)
}

// Edge is an edge from one block to another.
type Edge struct {
	To           int
	Cases        []int // for brx.idx: the indexes that select the target
	Taken        bool  // by a branch
	FallsThrough bool
	Retreating   bool // backwards in the text, or to the block itself
	Leaves       bool // to a later exit region
}

// New returns the flow graph of every function that mod defines, in source order.
func New(mod *isa.Module) []*Graph {
	var graphs []*Graph
	defined := make(map[string]bool) // names of functions, and their aliases
	for _, f := range mod.Funcs {
		defined[f.Name] = defined[f.Name] || f.Defined
	}
	for _, a := range mod.Aliases {
		defined[a.Name] = defined[a.Target]
	}
	for _, f := range mod.Funcs {
		if f.Defined {
			graphs = append(graphs, newGraph(defined, f))
		}
	}
	return graphs
}

func newGraph(defined map[string]bool, f *isa.Func) *Graph {
	fl := flow.New(f)
	g := &Graph{Func: f, labels: make(map[int][]string)}
	for _, l := range f.Labels {
		if !source.IsForDebugging(l.Name) {
			g.labels[l.PC] = append(g.labels[l.PC], l.Name)
		}
	}
	blocks := fl.Blocks()
	if end := len(blocks) - 1; len(blocks[end].Pred) == 0 && end > 0 {
		blocks = blocks[:end] // no path runs past the end
	}
	number := make([]int, len(fl.Blocks()))
	for b := range blocks {
		block := Block{
			Start: blocks[b].Start, End: blocks[b].End,
			Region: fl.Region(b) + 1, Postdominator: none,
			Edges: edges(f, fl, b, number),
		}
		if at := fl.Reconvergence(block.Start); at != flow.None {
			block.Postdominator = fl.BlockOf(at)
		}
		if block.Region > 0 {
			block.Divergences = divergences(defined, f, &block)
		}
		g.Blocks = append(g.Blocks, block)
		g.Regions = max(g.Regions, block.Region)
	}
	for b := range g.Blocks {
		g.addReconvergence(&g.Blocks[b])
	}
	return g
}

// edges returns the edges from block b. Number is scratch space with an element for each block.
func edges(f *isa.Func, fl *flow.Graph, b int, number []int) []Edge {
	block := &fl.Blocks()[b]
	if len(block.Succ) == 0 {
		return nil
	}
	edges := make([]Edge, len(block.Succ))
	for i, to := range block.Succ {
		edges[i] = Edge{To: to, Retreating: to <= b, Leaves: fl.Leaves(block.Start, fl.Blocks()[to].Start)}
		number[to] = i
	}
	last := &f.Code[block.End-1]
	edgeTo := func(pc int) *Edge { return &edges[number[fl.BlockOf(pc)]] }
	if last.Is(isa.Branch) {
		markTargets(f, last, edgeTo)
	}
	if !last.Is(isa.Branch) || last.Guard != isa.NoReg {
		edgeTo(block.End).FallsThrough = true
	}
	return edges
}

// markTargets marks the edges that a branch takes.
func markTargets(f *isa.Func, in *isa.Instr, edgeTo func(pc int) *Edge) {
	for i := range in.Args {
		switch a := &in.Args[i]; a.Kind {
		case isa.LabelOperand:
			edgeTo(f.Labels[a.Label()].PC).Taken = true
		case isa.TableOperand:
			markCases(f, a.Elems, edgeTo)
		}
	}
}

// markCases marks the edges to the targets of brx.idx. The indexes of all edges share one array, since there may be
// thousands of such branches with hundreds of targets each.
func markCases(f *isa.Func, targets []isa.Operand, edgeTo func(pc int) *Edge) {
	to := func(n int) *Edge { return edgeTo(f.Labels[targets[n].Label()].PC) }
	indexes := make([]int, len(targets)) // those of one edge are contiguous
	for n := range indexes {
		indexes[n] = n
	}
	sorted.Stable(indexes, func(a, b int) int { return cmp.Compare(to(a).To, to(b).To) })
	for first, n := range indexes {
		e := to(n)
		e.Taken = true
		e.Cases = indexes[first-len(e.Cases) : first+1 : first+1]
	}
}
