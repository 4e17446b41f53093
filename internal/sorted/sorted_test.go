package sorted_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/simtrun/simtrun/internal/sorted"
)

// TestFunctionsMatchPackageSlices: all functions give what those of package slices give, in the order of equal
// elements, too.
func TestFunctionsMatchPackageSlices(t *testing.T) {
	type element struct{ key, number int }
	byKey := func(a, b element) int { return cmp.Compare(a.key, b.key) }
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		all := make([]element, rnd.IntN(200))
		for i := range all {
			all[i] = element{rnd.IntN(1 + len(all)/2), i}
		}
		check := func(name string, got, want []element) {
			if !slices.Equal(got, want) {
				t.Errorf("%s of %v:\n%v\nwant\n%v", name, all, got, want)
			}
		}
		got, want := slices.Clone(all), slices.Clone(all)
		sorted.By(got, byKey)
		slices.SortFunc(want, byKey)
		check("By", got, want)
		check("Collect", sorted.Collect(slices.Values(all), byKey), want)
		got, want = slices.Clone(all), slices.Clone(all)
		sorted.Stable(got, byKey)
		slices.SortStableFunc(want, byKey)
		check("Stable", got, want)
	}
}

// TestInsertMatchesPackageSlices compares Insert with slices.Insert at each place.
func TestInsertMatchesPackageSlices(t *testing.T) {
	for n := range 5 {
		for i := range n + 1 {
			x := slices.Repeat([]int{7}, n)
			if got, want := sorted.Insert(slices.Clone(x), i, 3), slices.Insert(slices.Clone(x), i, 3); !slices.Equal(got, want) {
				t.Errorf("%v, want %v", got, want)
			}
		}
	}
}
