package flow

import "slices"

// components finds the strongly connected components of a graph of n nodes by the algorithm
// of Tarjan (Depth-First Search and Linear Graph Algorithms, 1972): by node, the number of
// its own, of count many.
func components(n int, succ func(node int32) []int32) (of []int32, count int32) {
	type visit struct {
		node  int32
		edges int // already followed
	}
	const unseen = -1
	of = make([]int32, n)
	order, low := make([]int32, n), make([]int32, n) // order is when the walk found a node, from 1; low the earliest it leads back to
	var path []visit
	var open []int32 // nodes of components that are not complete
	found := int32(0)
	enter := func(node int32) {
		found++
		order[node], low[node], of[node] = found, found, unseen
		path, open = append(path, visit{node: node}), append(open, node)
	}
	for root := range int32(n) {
		if order[root] != 0 {
			continue
		}
		for enter(root); len(path) > 0; {
			v := &path[len(path)-1]
			if edges := succ(v.node); v.edges < len(edges) {
				to := edges[v.edges]
				v.edges++
				switch {
				case order[to] == 0:
					enter(to)
				case of[to] == unseen:
					low[v.node] = min(low[v.node], order[to])
				}
				continue
			}
			node := v.node
			if path = path[:len(path)-1]; len(path) > 0 {
				last := path[len(path)-1].node
				low[last] = min(low[last], low[node])
			}
			if low[node] < order[node] {
				continue
			}
			for last := unseen; last != int(node); {
				last = int(open[len(open)-1])
				open = open[:len(open)-1]
				of[last] = count
			}
			count++
		}
	}
	return of, count
}

// InCycle reports, by block, whether a path leads from the block back to itself
// without passing through a block that is cut.
func (g *Graph) InCycle(cut func(b int) bool) []bool {
	n := len(g.blocks)
	succ, size := make([][]int32, n), make([]int, n)
	for b := range g.blocks {
		if cut(b) {
			continue
		}
		for _, s := range g.blocks[b].Succ {
			if !cut(s) {
				succ[b] = append(succ[b], int32(s))
			}
		}
	}
	of, _ := components(n, func(b int32) []int32 { return succ[b] })
	for _, c := range of {
		size[c]++
	}
	cyclic := make([]bool, n)
	for b := range cyclic {
		cyclic[b] = size[of[b]] > 1 || slices.Contains(succ[b], int32(b))
	}
	return cyclic
}
