package flow

import "slices"

// ReversePostorder appends all blocks to order, unreachable ones last. A block comes after all of its predecessors,
// except those that reach it by a retreating edge of a depth-first walk: in a loop.
func (g *Graph) ReversePostorder(order []int) []int {
	type visit struct{ block, edges int } // number of edges already followed
	entered := make([]bool, len(g.blocks))
	first := len(order)
	entered[0] = true
	for path := []visit{{}}; len(path) > 0; {
		v := &path[len(path)-1]
		succ := g.blocks[v.block].Succ
		if v.edges == len(succ) {
			order = append(order, v.block)
			path = path[:len(path)-1]
			continue
		}
		to := succ[v.edges]
		v.edges++
		if !entered[to] {
			entered[to] = true
			path = append(path, visit{block: to})
		}
	}
	slices.Reverse(order[first:])
	for b := range g.blocks {
		if !entered[b] {
			order = append(order, b)
		}
	}
	return order
}
