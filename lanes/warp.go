package lanes

// shfl exchanges words between the lanes of m. C holds the bound of the source
// lane in bits 0 to 4 and a segment mask in bits 8 to 12 (PTX ISA 9.7.9.6). A
// lane whose source is out of bounds keeps its own value and gets false in D2.
// So does, for the value, one whose source is not in m: PTX leaves it open.
func shfl(f *File, in *Op, m Mask, source func(lane, b, lo, hi uint32) (uint32, bool)) {
	a, b, c := Reg[uint32](f, in.A), Reg[uint32](f, in.B), Reg[uint32](f, in.C)
	var moved [Width]uint32
	var valid Mask
	for i := range uint32(Width) {
		bound, segment := c[i]&31, c[i]>>8&31
		lo, hi := i&segment, i&segment|bound&^segment
		from, ok := source(i, b[i]&31, lo, hi)
		if ok {
			valid |= 1 << i
		}
		if !ok || m>>from&1 == 0 {
			from = i
		}
		moved[i] = a[from]
	}
	Select(Reg[uint32](f, in.D), &moved, m)
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

// ShflBfly takes from the lane whose number is the lane's own xor b.
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

// VoteAll is whether predicate A holds in all lanes of m.
func VoteAll(f *File, in *Op, m Mask) { setPred(f, in.D, m, verdict(predIn(f, in.A)&m == m)) }

// VoteAny is whether predicate A holds in some lane of m.
func VoteAny(f *File, in *Op, m Mask) { setPred(f, in.D, m, verdict(predIn(f, in.A)&m != 0)) }

// VoteUni is whether predicate A is the same in all lanes of m.
func VoteUni(f *File, in *Op, m Mask) {
	a := predIn(f, in.A) & m
	setPred(f, in.D, m, verdict(a == 0 || a == m))
}

// VoteBallot is the set of lanes of m in which predicate A holds.
func VoteBallot(f *File, in *Op, m Mask) {
	ballot := uint32(predIn(f, in.A) & m)
	d := Out[uint32](f, in.D, m)
	for i := range d {
		d[i] = ballot
	}
	Merge[uint32](f, in.D, m)
}

func verdict(b bool) Mask {
	if b {
		return AllLanes
	}
	return 0
}
