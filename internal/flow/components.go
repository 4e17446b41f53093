package flow

import "slices"

// components finds the strongly connected components of a graph of n nodes by Tarjan's algorithm (Depth-First Search
// and Linear Graph Algorithms, 1972). It returns the component of each node, and the number of components.
func components(n int, succ func(node int32) []int32) (of []int32, count int32) {
	type visit struct {
		node  int32
		edges int // number of edges already followed
	}
	const unseen = -1
	of = make([]int32, n)
	// By node: when the walk found it, from 1, and the earliest node that it leads back to.
	order, low := make([]int32, n), make([]int32, n)
	var path []visit
	var open []int32 // nodes of incomplete components
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

// InCycle reports for each block whether a path leads from it back to itself without passing through a block for
// which cut holds.
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
