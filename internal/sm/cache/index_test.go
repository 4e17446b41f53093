package cache

import "testing"

// TestIndexGivesEachPlaceOneLine: places of lines are those of the definition, with a division; every run of n
// lines that begins at a multiple of n takes each place once.
func TestIndexGivesEachPlaceOneLine(t *testing.T) {
	for _, n := range []int64{1, 2, 3, 10, 40, 116, 3072, 12800, 64768, 1<<20 - 1, 1 << 20} {
		x := newIndex(n)
		for _, base := range []uint64{0, 1 << 20, 1<<40 + 12345, 1<<44 - 1<<21} {
			base -= base % uint64(n)
			rotation := x.of(base)
			places := make([]bool, n)
			for i := range uint64(n) {
				place := x.of(base + i)
				if want := (i + rotation) % uint64(n); place != want {
					t.Fatalf("%d places: line %#x is at %d, want %d", n, base+i, place, want)
				}
				places[place] = true
			}
			for place, taken := range places {
				if !taken {
					t.Fatalf("%d places from %#x: none at %d", n, base, place)
				}
			}
		}
	}
}

// TestIndexDistributesStrides: lines at strides of powers of two are distributed: no place gets more than a few times
// its share.
func TestIndexDistributesStrides(t *testing.T) {
	for _, n := range []int64{40, 80, 116, 128, 3072, 12800, 16384} {
		x := newIndex(n)
		for shift := range 24 {
			counts := make([]int, n)
			for i := range uint64(16 * n) {
				counts[x.of(i<<shift)]++
			}
			for place, count := range counts {
				if count > 64 {
					t.Errorf("%d places: %d of %d lines that are %d apart are at %d", n, count, 16*n, 1<<shift, place)
				}
			}
		}
	}
}
