package main

import "github.com/simtrun/simtrun/internal/ordering"

// graphOrder is the order of the nodes of an executable graph in one execution of it.
type graphOrder struct {
	o     *orders
	e     *execGraph
	start *ordering.Op
	after map[*node]ordering.Clock
	all   ordering.Clock
}

// beginGraph begins an execution of a graph, within the current work.
func (o *orders) beginGraph(e *execGraph) *graphOrder {
	if o == nil || o.current == nil {
		return nil
	}
	o.current.Join(e.done) // executions of one graph follow each other
	e.branch(&o.all)
	return &graphOrder{o: o, e: e, start: o.current, after: make(map[*node]ordering.Clock)}
}

// branch gives each node a timeline: that of the first node on which it depends that no other one follows, or else a
// new one.
func (e *execGraph) branch(all *ordering.Order) {
	if e.lines != nil {
		return
	}
	e.lines = make(map[*node]ordering.Timeline)
	followed := make(map[*node]bool)
	for _, n := range e.nodes {
		line, found := ordering.Timeline(0), false
		for _, d := range n.deps {
			if l, ok := e.lines[d]; ok && !followed[d] {
				line, found, followed[d] = l, true, true
				break
			}
		}
		if !found {
			line = all.Begin()
		}
		e.lines[n] = line
	}
}

// node does the work of a node.
func (g *graphOrder) node(n *node, run func() result) result {
	if g == nil {
		return run()
	}
	clocks := []ordering.Clock{g.start.After}
	for _, d := range n.deps {
		clocks = append(clocks, g.after[d])
	}
	launched := g.start.What.(*work)
	op := g.o.all.Next(g.e.lines[n], &work{s: launched.s, what: kindNames[n.kind], at: launched.at, node: true}, clocks...)
	r := success
	if !n.off {
		r = g.o.during(op, run)
	}
	g.after[n], g.all = op.After, g.all.Joined(op.After)
	return r
}

// end ends the execution: later work follows all nodes of the graph.
func (g *graphOrder) end() {
	if g != nil {
		g.start.Join(g.all)
		g.e.done = g.start.After
	}
}
