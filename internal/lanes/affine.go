package lanes

import "fmt"

// Affine is a group of lanes with values that are an affine function of the lane's number, Step*lane+Base modulo
// 2^64, or uniform, with Step 0 (Collange, Defour and Zhang, Dynamic Detection of Uniform and Affine Vectors in GPGPU
// Computations, 2009).
type Affine struct {
	Lanes      Mask
	Step, Base uint64
}

// leastAffine is the smallest number of lanes that form a group with values that are not uniform: any two would be
// affine.
const leastAffine = 3

// AffineGroups partitions the lanes of m, with values v, into groups, in the order of their lowest lanes. Consecutive
// lanes of m form a group if same holds for each of them and the first, or else if they are three or more lanes of
// ints with affine values; lanes of m that are not in ints may be between those.
func AffineGroups(v *[Width]uint64, m, ints Mask, same func(a, b int) bool) []Affine {
	var groups []Affine
	for left := m; left != 0; {
		g := uniformGroup(v, left, same)
		if affine, ok := affineGroup(v, left&ints); ok && g.Lanes.Count() == 1 && g.Lanes&ints != 0 {
			g = affine
		}
		left &^= g.Lanes
		groups = append(groups, g)
	}
	return groups
}

// uniformGroup returns the lowest lane of m, which is not empty, and the lanes after it that have the same value.
func uniformGroup(v *[Width]uint64, m Mask, same func(a, b int) bool) Affine {
	first := m.First()
	g := Affine{Lanes: 1 << first, Base: v[first]}
	for left := m & (m - 1); left != 0 && same(first, left.First()); left &= left - 1 {
		g.Lanes |= left & -left
	}
	return g
}

// affineGroup returns the lowest lane of m and the lanes after it that continue the affine function of the first two.
// It returns false if they are too few.
func affineGroup(v *[Width]uint64, m Mask) (g Affine, ok bool) {
	if m.Count() < leastAffine {
		return g, false
	}
	first, second := m.First(), (m & (m - 1)).First()
	apart, over := int64(v[second]-v[first]), int64(second-first)
	if apart%over != 0 {
		return g, false
	}
	g.Step = uint64(apart / over)
	g.Base = v[first] - g.Step*uint64(first)
	for left := m; left != 0 && v[left.First()] == g.at(left.First()); left &= left - 1 {
		g.Lanes |= left & -left
	}
	return g, g.Lanes.Count() >= leastAffine
}

// at returns the value of the function for a lane.
func (g Affine) at(lane int) uint64 { return g.Step*uint64(lane) + g.Base }

// Formula returns the function, with Step and Base as signed numbers: "lane", "4*lane+8".
func (g Affine) Formula() string {
	text := "lane"
	if g.Step != 1 {
		text = fmt.Sprintf("%d*lane", int64(g.Step))
	}
	if g.Base != 0 {
		text += fmt.Sprintf("%+d", int64(g.Base))
	}
	return text
}
