package lanes

import (
	"math"
	"math/bits"
)

// shfl exchanges words between the lanes of m. C holds the bound of the source lane in bits 0 to 4 and a segment mask
// in bits 8 to 12 (PTX ISA 9.7.9.6). If its source is out of bounds, a lane keeps its own value and D2 is false. If
// its source is not in m, a lane gets 0: PTX leaves it open, and an H100 does so. The time depends on the lanes of m
// only, because there may be many groups of few lanes.
func shfl(f *File, in *Op, m Mask, source func(lane, b, lo, hi uint32) (uint32, bool)) {
	a, b, c := Reg[uint32](f, in.A), Reg[uint32](f, in.B), Reg[uint32](f, in.C)
	var moved [Width]uint32
	var valid Mask
	for rest := m; rest != 0; rest &= rest - 1 {
		i := uint32(bits.TrailingZeros32(uint32(rest))) & 31
		bound, segment := c[i]&31, c[i]>>8&31
		lo, hi := i&segment, i&segment|bound&^segment
		from, ok := source(i, b[i]&31, lo, hi)
		if ok {
			valid |= 1 << i
		}
		switch {
		case !ok:
			moved[i] = a[i]
		case m>>from&1 != 0:
			moved[i] = a[from]
		}
	}
	d := Reg[uint32](f, in.D)
	for rest := m; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros32(uint32(rest)) & 31
		d[i] = moved[i]
	}
	setPred(f, in.D2, m, valid)
}

// ShflUp takes from the lane b below, while that is not below the bound.
func ShflUp(f *File, in *Op, m Mask) {
	shfl(f, in, m, func(lane, b, _, hi uint32) (uint32, bool) {
		return lane - b, int32(lane)-int32(b) >= int32(hi)
	})
}

// ShflDown takes from the lane b above, up to the bound.
func ShflDown(f *File, in *Op, m Mask) {
	shfl(f, in, m, func(lane, b, _, hi uint32) (uint32, bool) { return lane + b, lane+b <= hi })
}

// ShflBfly takes from lane i xor b, where i is the lane itself.
func ShflBfly(f *File, in *Op, m Mask) {
	shfl(f, in, m, func(lane, b, _, hi uint32) (uint32, bool) { return lane ^ b, lane^b <= hi })
}

// ShflIdx takes from lane b of the segment.
func ShflIdx(f *File, in *Op, m Mask) {
	segment := Reg[uint32](f, in.C)
	shfl(f, in, m, func(lane, b, lo, hi uint32) (uint32, bool) {
		from := lo | b&^(segment[lane]>>8&31)
		return from, from <= hi
	})
}

// VoteAll is true if predicate A holds in all lanes of m.
func VoteAll(f *File, in *Op, m Mask) { setPred(f, in.D, m, verdict(Predicate(f, in.A)&m == m)) }

// VoteAny is true if predicate A holds in some lane of m.
func VoteAny(f *File, in *Op, m Mask) { setPred(f, in.D, m, verdict(Predicate(f, in.A)&m != 0)) }

// VoteUni is true if predicate A is the same in all lanes of m.
func VoteUni(f *File, in *Op, m Mask) {
	a := Predicate(f, in.A) & m
	setPred(f, in.D, m, verdict(a == 0 || a == m))
}

// VoteBallot is the set of lanes of m in which predicate A holds.
func VoteBallot(f *File, in *Op, m Mask) { broadcast(f, in, m, uint32(Predicate(f, in.A)&m)) }

// broadcast sets the result of all lanes of m to v.
func broadcast(f *File, in *Op, m Mask, v uint32) {
	d := Out[uint32](f, in.D, m)
	for i := range d {
		d[i] = v
	}
	Merge[uint32](f, in.D, m)
}

func verdict(b bool) Mask {
	if b {
		return AllLanes
	}
	return 0
}

// MatchAny is the set of lanes of m that have the same a as the lane.
func MatchAny[S Bits](f *File, in *Op, m Mask) {
	a := *Reg[S](f, in.A) // a copy: a may be the result
	d := Reg[uint32](f, in.D)
	for left := m; left != 0; {
		group := equalTo(&a, a[left.First()]) & m
		for i := range d {
			if group>>i&1 != 0 {
				d[i] = uint32(group)
			}
		}
		left &^= group
	}
}

// MatchAll is m if all lanes of m have the same a, else 0; D2 is whether they have.
func MatchAll[S Bits](f *File, in *Op, m Mask) {
	a := Reg[S](f, in.A)
	same := equalTo(a, a[m.First()])&m == m
	broadcast(f, in, m, uint32(verdict(same)&m))
	setPred(f, in.D2, m, verdict(same))
}

func equalTo[S Bits](a *[Width]S, v S) Mask {
	return where(a, a, func(a, _ S) bool { return a == v })
}

// reduce sets the result of all lanes of m, which is not empty, to op over the a of all of them.
func reduce[V Int](f *File, in *Op, m Mask, op func(x, y V) V) {
	a := Reg[uint32](f, in.A)
	r := V(a[m.First()])
	for left := m & (m - 1); left != 0; left &= left - 1 {
		r = op(r, V(a[left.First()]))
	}
	broadcast(f, in, m, uint32(r))
}

// ReduxAdd is the sum of a in the lanes of m, wrapping.
func ReduxAdd(f *File, in *Op, m Mask) {
	reduce(f, in, m, func(x, y uint32) uint32 { return x + y })
}

// ReduxMin is the smallest a in the lanes of m.
func ReduxMin[V Int](f *File, in *Op, m Mask) { reduce(f, in, m, func(x, y V) V { return min(x, y) }) }

// ReduxMax is the largest a in the lanes of m.
func ReduxMax[V Int](f *File, in *Op, m Mask) { reduce(f, in, m, func(x, y V) V { return max(x, y) }) }

// ReduxF32 is the smallest or largest a in the lanes of m, by in.Imm: see ExtremumF32.
func ReduxF32(f *File, in *Op, m Mask) {
	a := Reg[float32](f, in.A)
	r := a[m.First()]
	for left := m; left != 0; left &= left - 1 { // includes the first again, so that its NaN becomes the canonical one
		r = in.extremumF32(r, a[left.First()])
	}
	broadcast(f, in, m, math.Float32bits(r))
}

// ReduxAnd is the bits that a has in all lanes of m.
func ReduxAnd(f *File, in *Op, m Mask) {
	reduce(f, in, m, func(x, y uint32) uint32 { return x & y })
}

// ReduxOr is the bits that a has in some lane of m.
func ReduxOr(f *File, in *Op, m Mask) {
	reduce(f, in, m, func(x, y uint32) uint32 { return x | y })
}

// ReduxXor is the bits that a has in an odd number of the lanes of m.
func ReduxXor(f *File, in *Op, m Mask) {
	reduce(f, in, m, func(x, y uint32) uint32 { return x ^ y })
}
