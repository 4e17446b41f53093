package lanes

// Predicate returns a predicate source by the slot's offset, which is odd if the predicate is complemented.
func Predicate(f *File, off uint32) Mask {
	return *Pred(f, off&^1) ^ -Mask(off&1)
}

// setPred sets predicate off in the lanes of m to the values v.
func setPred(f *File, off uint32, m, v Mask) {
	p := Pred(f, off)
	*p = *p&^m | v&m
}

// Comparison is the comparison of setp and set, in PTX's order.
type Comparison uint8

const (
	Eq Comparison = iota + 1
	Ne
	Lt
	Le
	Gt
	Ge
	Lo // the names for unsigned integers
	Ls
	Hi
	Hs
	Equ // unordered: also true when an operand is NaN
	Neu
	Ltu
	Leu
	Gtu
	Geu
	Num // neither operand is NaN
	Nan
)

// where is the set of lanes for which op holds.
func where[S word](a, b *[Width]S, op func(a, b S) bool) (m Mask) {
	for i := range a {
		bit := Mask(0)
		if op(a[i], b[i]) {
			bit = 1 << (Width - 1)
		}
		m = m>>1 | bit
	}
	return m
}

// compareInt is the set of lanes for which the comparison in the low byte of
// in.Imm holds.
func compareInt[V Int, S Bits](f *File, in *Op) Mask {
	a, b := Reg[S](f, in.A), Reg[S](f, in.B)
	switch Comparison(in.Imm & 0xff) {
	case Eq:
		return equal(a, b)
	case Ne:
		return ^equal(a, b)
	case Lt, Lo:
		return less[V](a, b)
	case Le, Ls:
		return ^less[V](b, a)
	case Gt, Hi:
		return less[V](b, a)
	}
	return ^less[V](a, b)
}

// equal is the set of lanes in which a == b, computed four at a time.
func equal[S Bits](a, b *[Width]S) (m Mask) {
	for i := Width - 4; i >= 0; i -= 4 {
		a, b := (*[4]S)(a[i:]), (*[4]S)(b[i:])
		m = m<<4 | bit(a[0] == b[0]) | bit(a[1] == b[1])<<1 | bit(a[2] == b[2])<<2 | bit(a[3] == b[3])<<3
	}
	return m
}

// less is the set of lanes in which a < b, as integers of type V.
func less[V Int, S Bits](a, b *[Width]S) (m Mask) {
	for i := Width - 4; i >= 0; i -= 4 {
		a, b := (*[4]S)(a[i:]), (*[4]S)(b[i:])
		m = m<<4 | bit(V(a[0]) < V(b[0])) | bit(V(a[1]) < V(b[1]))<<1 | bit(V(a[2]) < V(b[2]))<<2 | bit(V(a[3]) < V(b[3]))<<3
	}
	return m
}

// bit is the mask of lane 0, or an empty mask.
func bit(holds bool) Mask {
	if holds {
		return 1
	}
	return 0
}

// Boolean is the operation by which setp and set combine the comparison with the predicate C, in the second byte of
// in.Imm.
type Boolean uint8

const (
	NoBoolean Boolean = iota
	BoolAnd
	BoolOr
	BoolXor
)

func (in *Op) combine(f *File, r Mask) Mask {
	switch Boolean(in.Imm >> 8) {
	case BoolAnd:
		return r & Predicate(f, in.C)
	case BoolOr:
		return r | Predicate(f, in.C)
	case BoolXor:
		return r ^ Predicate(f, in.C)
	}
	return r
}

// setp writes a comparison to D, and its complement to D2, each combined with C, which is complemented for neither
// (PTX ISA 9.7.6.2).
func setp(f *File, in *Op, m, r Mask) {
	p, q := r, ^r
	if Boolean(in.Imm>>8) != NoBoolean {
		p, q = in.combine(f, p), in.combine(f, q)
	}
	setPred(f, in.D, m, p)
	setPred(f, in.D2, m, q)
}

// set writes yes to the lanes of m for which the combined comparison holds,
// and 0 to the others.
func set(f *File, in *Op, m, r Mask, yes uint32) {
	r = in.combine(f, r)
	d := Out[uint32](f, in.D, m)
	for i := range d {
		d[i] = yes & -uint32(r>>i&1)
	}
	Merge[uint32](f, in.D, m)
}

// yes is the value that set writes if the comparison holds, in the upper half of in.Imm: all ones, or 1.0 in the type
// of the result.
func (in *Op) yes() uint32 { return uint32(in.Imm >> 32) }

// SetpInt compares integers.
func SetpInt[V Int, S Bits](f *File, in *Op, m Mask) { setp(f, in, m, compareInt[V, S](f, in)) }

// SetpF16, SetpF32 and SetpF64 compare floats.
func SetpF16(f *File, in *Op, m Mask) { setp(f, in, m, compareF16(f, in)) }

// SetpF32 is SetpF16 for .f32.
func SetpF32(f *File, in *Op, m Mask) { setp(f, in, m, compareF32(f, in)) }

// SetpF64 is SetpF16 for .f64.
func SetpF64(f *File, in *Op, m Mask) { setp(f, in, m, compareF64(f, in)) }

// SetpF16x2 compares the low halves into D and the high halves into D2.
func SetpF16x2(f *File, in *Op, m Mask) {
	setpHalves(f, in, m, compareHalves(f, in, 0), compareHalves(f, in, 16))
}

// setpHalves writes the comparisons of the low and of the high halves, each
// combined with C.
func setpHalves(f *File, in *Op, m, lo, hi Mask) {
	p, q := in.combine(f, lo), in.combine(f, hi)
	setPred(f, in.D, m, p)
	setPred(f, in.D2, m, q)
}

// SetInt compares integers into the word in the upper half of in.Imm, or 0.
func SetInt[V Int, S Bits](f *File, in *Op, m Mask) { set(f, in, m, compareInt[V, S](f, in), in.yes()) }

// SetF16 is SetInt for .f16 values.
func SetF16(f *File, in *Op, m Mask) { set(f, in, m, compareF16(f, in), in.yes()) }

// SetF32 is SetInt for .f32 values.
func SetF32(f *File, in *Op, m Mask) { set(f, in, m, compareF32(f, in), in.yes()) }

// SetF64 is SetInt for .f64 values.
func SetF64(f *File, in *Op, m Mask) { set(f, in, m, compareF64(f, in), in.yes()) }

// SetF16x2 compares each half into the 16 bits in the upper half of in.Imm, or
// 0.
func SetF16x2(f *File, in *Op, m Mask) {
	setHalves(f, in, m, compareHalves(f, in, 0), compareHalves(f, in, 16))
}

// setHalves is set for the comparisons of the low and of the high halves.
func setHalves(f *File, in *Op, m, lo, hi Mask) {
	lo, hi = in.combine(f, lo), in.combine(f, hi)
	yes, d := in.yes(), Out[uint32](f, in.D, m)
	for i := range d {
		d[i] = yes&-uint32(lo>>i&1) | yes<<16&-uint32(hi>>i&1)
	}
	Merge[uint32](f, in.D, m)
}

// Selp is a if the predicate C holds, else b.
func Selp[S Bits](f *File, in *Op, m Mask) {
	d, a, b := binary[S](f, in, m)
	blend(d, a, b, Predicate(f, in.C))
	Merge[S](f, in.D, m)
}

// MovPred copies the predicate a.
func MovPred(f *File, in *Op, m Mask) { setPred(f, in.D, m, Predicate(f, in.A)) }

// AndPred is a & b on predicates.
func AndPred(f *File, in *Op, m Mask) { setPred(f, in.D, m, Predicate(f, in.A)&Predicate(f, in.B)) }

// OrPred is a | b on predicates.
func OrPred(f *File, in *Op, m Mask) { setPred(f, in.D, m, Predicate(f, in.A)|Predicate(f, in.B)) }

// XorPred is a ^ b on predicates.
func XorPred(f *File, in *Op, m Mask) { setPred(f, in.D, m, Predicate(f, in.A)^Predicate(f, in.B)) }

// NotPred is the complement of a.
func NotPred(f *File, in *Op, m Mask) { setPred(f, in.D, m, ^Predicate(f, in.A)) }
