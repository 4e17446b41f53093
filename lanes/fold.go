package lanes

import "fmt"

// Fold is lanes of which one formula gives the values: Step*lane+Base, modulo
// 2^64. Where they are all equal, Step is 0.
type Fold struct {
	Lanes      Mask
	Step, Base uint64
}

// leastOnLine is how many lanes have to be on a line for it to be one.
const leastOnLine = 3

// Folds partitions the lanes of m, with values v, into folds, in the order of
// their lowest lanes. Lanes that follow each other in m are folded if same holds
// for each of them and the first, or else if they are three or more of ints whose
// values are on a line; lanes of m that are not of ints may stand between those.
func Folds(v *[Width]uint64, m, ints Mask, same func(a, b int) bool) []Fold {
	var folds []Fold
	for left := m; left != 0; {
		f := foldEqual(v, left, same)
		if line, ok := foldLine(v, left&ints); ok && f.Lanes.Count() == 1 && f.Lanes&ints != 0 {
			f = line
		}
		left &^= f.Lanes
		folds = append(folds, f)
	}
	return folds
}

// foldEqual folds the lowest lane of m, which is not empty, with those that
// follow it and have the same value.
func foldEqual(v *[Width]uint64, m Mask, same func(a, b int) bool) Fold {
	first := m.first()
	f := Fold{Lanes: 1 << first, Base: v[first]}
	for left := m & (m - 1); left != 0 && same(first, left.first()); left &= left - 1 {
		f.Lanes |= left & -left
	}
	return f
}

// foldLine folds the lowest lane of m with those that follow it and are on the
// line through it and the next one. It is false if they are too few.
func foldLine(v *[Width]uint64, m Mask) (f Fold, ok bool) {
	if m.Count() < leastOnLine {
		return f, false
	}
	first, second := m.first(), (m & (m - 1)).first()
	apart, over := int64(v[second]-v[first]), int64(second-first)
	if apart%over != 0 {
		return f, false
	}
	f.Step = uint64(apart / over)
	f.Base = v[first] - f.Step*uint64(first)
	for left := m; left != 0 && v[left.first()] == f.at(left.first()); left &= left - 1 {
		f.Lanes |= left & -left
	}
	return f, f.Lanes.Count() >= leastOnLine
}

// at is the value that the formula gives for a lane.
func (f Fold) at(lane int) uint64 { return f.Step*uint64(lane) + f.Base }

// Formula is the line that the values are on, with Step and Base as signed
// numbers: "lane", "4*lane+8".
func (f Fold) Formula() string {
	text := "lane"
	if f.Step != 1 {
		text = fmt.Sprintf("%d*lane", int64(f.Step))
	}
	if f.Base != 0 {
		text += fmt.Sprintf("%+d", int64(f.Base))
	}
	return text
}
