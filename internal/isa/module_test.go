package isa

import "testing"

// TestNumberCountsXFirst counts the elements of an extent by hand, x fastest.
func TestNumberCountsXFirst(t *testing.T) {
	d, n := Dim{X: 3, Y: 4, Z: 2}, int64(0)
	for z := range d.Z {
		for y := range d.Y {
			for x := range d.X {
				at := Dim{x, y, z}
				if d.Number(at) != n || d.At(n) != at {
					t.Errorf("%v has number %d and %d is at %v; want %d", at, d.Number(at), n, d.At(n), n)
				}
				n++
			}
		}
	}
}
