// Package sorted sorts slices by functions with little machine code for each type of element: the sort functions of
// package slices are compiled again for each type, about 15 kB of the command. Code that sorts much uses those all the
// same.
package sorted

import (
	"iter"
	"slices"
	"sort"
)

// By is slices.SortFunc: cmp is negative if a comes before b. The order of equal elements is not defined.
func By[T any](x []T, cmp func(a, b T) int) { sort.Sort(&by[T]{x, cmp}) }

// Stable is slices.SortStableFunc: equal elements keep their order.
func Stable[T any](x []T, cmp func(a, b T) int) { sort.Stable(&by[T]{x, cmp}) }

// Collect is slices.SortedFunc: it returns the elements of a sequence in order.
func Collect[T any](seq iter.Seq[T], cmp func(a, b T) int) []T {
	all := slices.Collect(seq)
	By(all, cmp)
	return all
}

// by implements sort.Interface.
type by[T any] struct {
	x   []T
	cmp func(a, b T) int
}

func (s *by[T]) Len() int           { return len(s.x) }
func (s *by[T]) Less(i, j int) bool { return s.cmp(s.x[i], s.x[j]) < 0 }
func (s *by[T]) Swap(i, j int)      { s.x[i], s.x[j] = s.x[j], s.x[i] }

// Insert is slices.Insert for one element, which has five times as much code for each type.
func Insert[T any](x []T, i int, v T) []T {
	x = append(x, v)
	copy(x[i+1:], x[i:])
	x[i] = v
	return x
}
