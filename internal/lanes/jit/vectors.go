package jit

// The differences between levels below the methods of Emit: the length and number of vectors, and instructions that
// AVX-512 has under other names or with masks as results.
//
// AVX2 executes one subvector at a time, with 32-bit values in one 256-bit vector. AVX-512 executes two subvectors, in
// one 512-bit vector. At both levels eight lanes share scalars and a base address. Predicates are vectors of ones and
// zeros at both, too: an instruction that needs a mask register converts them.

// Mask registers. Templates are not allocated any: bodies use the first ones for short times.
const (
	maskScratch = k1
	maskSecond  = k2
	maskLow     = k3 // of the lanes of a per-lane access: the lower one of two subvectors; also after the access
	maskHigh    = k4 // the upper one of the two subvectors
	maskLanes   = k6 // the executing lanes, within EachExecutingSubvector
	maskUpper   = k7 // the lanes of the upper one of two subvectors, set when code is entered
)

// AsSubvectors makes the values of the code that follows those of the present subvectors of EachSubvector's loop.
func (e *Emit) AsSubvectors() {
	e.Lanes = SubvectorLanes
	if e.Level == AVX512 {
		e.Lanes = 2 * SubvectorLanes
	}
}

// AsScalars makes the values of the code that follows scalars.
func (e *Emit) AsScalars() { e.Lanes = ScalarLanes }

// Vectors is how many vector registers there are.
func (e *Emit) Vectors() int {
	if e.Level == AVX512 {
		return MaxVectors
	}
	return 16
}

// MaxVectors is the number of vector registers at the level that has the most.
const MaxVectors = 32

// vectorBytes is the size of a vector register.
func (e *Emit) vectorBytes() int32 {
	if e.Level == AVX512 {
		return 64
	}
	return 32
}

// two reports whether values are those of two subvectors.
func (e *Emit) two() bool { return e.Lanes > SubvectorLanes }

// shape returns the length of the vectors that hold a value, and their number. A result that is discarded has no bits,
// and no vectors of its own.
func (e *Emit) shape(bits uint8) (l length, n int) {
	if bits == 0 {
		panic("simtrun bug: a template writes a result that is discarded")
	}
	bytes := int32(e.Lanes) * 4
	if bits == 64 {
		bytes *= 2
	}
	longest := l256
	if e.two() {
		longest = l512
	}
	switch {
	case bytes == 16:
		return l128, 1
	case bytes == 32:
		return l256, 1
	case bytes == 64 && longest == l512:
		return l512, 1
	}
	return longest, 2
}

// upper sets d to the upper half of a, which has the lanes of subvectors.
func (e *Emit) upper(d, a Vec) {
	if e.two() {
		e.v2I(vextracti64X4, l512, d, a, 1)
		return
	}
	e.v2I(vextracti128, l256, d, a, 1)
}

// join sets d to a with upper in its upper half.
func (e *Emit) join(d, a, upper Vec) {
	if e.two() {
		e.v3I(vinserti64X4, l512, d, a, upper, 1)
		return
	}
	e.v3I(vinserti128, l256, d, a, upper, 1)
}

// pick is yes where mask, with elements of all ones or zeros, has ones, else no.
func (e *Emit) pick(l length, d, no, yes, mask Vec) {
	switch {
	case l < l512 && d|no|yes|mask < 16:
		e.Asm.v4(vpblendvb, l, d, no, yes, mask)
	case d == no:
		e.v3I(vpternlogd, l, d, yes, mask, 0xd8) // index into the table: d, yes and mask, from the highest bit on
	case d == yes:
		e.v3I(vpternlogd, l, d, no, mask, 0xe4)
	default:
		if d != mask {
			e.v2(vmovdqa, l, d, mask)
		}
		e.v3I(vpternlogd, l, d, yes, no, 0xca)
	}
}

// byEVEX reports whether an instruction needs its EVEX form, although the form without masks exists only under VEX.
func (e *Emit) byEVEX(op vOp, l length, regs Vec, f form) bool {
	return e.Level == AVX512 && (l == l512 || regs >= 16) && vops[op].forms[f] != 0
}

// v3 is that of Asm. A comparison writes ones and zeros at every level.
func (e *Emit) v3(op vOp, l length, d, s1, s2 Vec) {
	if e.byEVEX(op, l, d|s1|s2, formToMask) {
		e.vTestK(op, l, maskScratch, s1, s2, k0)
		e.ofMask(op, l, d, maskScratch)
		return
	}
	e.Asm.v3(op, l, d, s1, s2)
}

// v3M is that of Asm; comparisons as for v3.
func (e *Emit) v3M(op vOp, l length, d, s1 Vec, m Mem) {
	if e.byEVEX(op, l, d|s1, formToMask) {
		e.vTestKM(op, l, maskScratch, s1, m)
		e.ofMask(op, l, d, maskScratch)
		return
	}
	e.Asm.v3M(op, l, d, s1, m)
}

// v3I is that of Asm; comparisons as for v3.
func (e *Emit) v3I(op vOp, l length, d, s1, s2 Vec, imm uint8) {
	if e.byEVEX(op, l, d|s1|s2, formToMask) {
		e.vCmpK(op, l, maskScratch, s1, s2, imm)
		e.ofMask(op, l, d, maskScratch)
		return
	}
	e.Asm.v3I(op, l, d, s1, s2, imm)
}

// v3MI is that of Asm; comparisons as for v3.
func (e *Emit) v3MI(op vOp, l length, d, s1 Vec, m Mem, imm uint8) {
	if e.byEVEX(op, l, d|s1, formToMask) {
		e.vCmpKM(op, l, maskScratch, s1, m, imm)
		e.ofMask(op, l, d, maskScratch)
		return
	}
	e.Asm.v3MI(op, l, d, s1, m, imm)
}

// vFromMask is that of Asm.
func (e *Emit) vFromMask(op vOp, l length, d Vec, k kReg) {
	start := e.Len()
	e.Asm.vFromMask(op, l, d, k)
	e.fresh = freshMask{start: start, end: e.Len(), op: op, l: l, v: d, k: k}
}

// freshMask is a vector that was just made of a mask register, with no code after it.
type freshMask struct {
	start, end int // of the instruction
	op         vOp
	l          length
	v          Vec
	k          kReg
	dead       bool // the vector is not used
}

// onlyMask says that a vector of ones and zeros is used only to make a mask of it, which is next.
func (e *Emit) onlyMask(v Vec) {
	if f := &e.fresh; f.end == e.Len() && f.v == v {
		f.dead = true
	}
}

// Bind is that of Asm.
//
//go:noinline
func (e *Emit) Bind(l Label) {
	e.fresh = freshMask{} // code that jumps here has other masks
	e.Asm.bind(l)
}

// vToMask is that of Asm. It reuses the mask register if the vector was just made of one.
func (e *Emit) vToMask(op vOp, l length, dk kReg, s Vec) {
	f := e.fresh
	if f.end != e.Len() || f.v != s || f.l != l || op != vpmovd2M || f.op != vpmovm2D {
		e.Asm.vToMask(op, l, dk, s)
		return
	}
	if f.dead {
		e.truncate(f.start)
		e.fresh = freshMask{}
	}
	if dk != f.k {
		e.kMov(W16, dk, f.k)
	}
}

// ofMask sets d to ones and zeros for the lanes of a comparison.
func (e *Emit) ofMask(compare vOp, l length, d Vec, k kReg) {
	op := vpmovm2D
	switch compare {
	case vpcmpeqb, vpcmpgtb:
		op = vpmovm2B
	case vpcmpeqq, vpcmpgtq, vcmppd:
		op = vpmovm2Q
	}
	e.vFromMask(op, l, d, k)
}

// v2M is that of Asm. For VPTEST only the zero flag is set.
func (e *Emit) v2M(op vOp, l length, d Vec, m Mem) {
	if op == vptest && e.Level == AVX512 && (l == l512 || d >= 16) {
		e.vTestKM(vptestmq, l, maskScratch, d, m)
		e.kortest(W16, maskScratch, maskScratch)
		return
	}
	e.Asm.v2M(op, l, d, m)
}

// v2I is that of Asm. Rounding to integral values has another name under EVEX.
func (e *Emit) v2I(op vOp, l length, d, s Vec, imm uint8) {
	if e.Level == AVX512 && (l == l512 || d|s >= 16) {
		switch op {
		case vroundps:
			op = vrndscaleps
		case vroundpd:
			op = vrndscalepd
		}
	}
	e.Asm.v2I(op, l, d, s, imm)
}

// v4 is that of Asm.
func (e *Emit) v4(op vOp, l length, d, s1, s2, mask Vec) {
	if l < l512 && d|s1|s2|mask < 16 {
		e.Asm.v4(op, l, d, s1, s2, mask)
		return
	}
	signs, blend := vpmovb2M, vpblendmb
	switch op {
	case vblendvps:
		signs, blend = vpmovd2M, vpblendmd
	case vblendvpd:
		signs, blend = vpmovq2M, vpblendmq
	}
	e.vToMask(signs, l, maskScratch, mask)
	e.v3K(blend, l, d, s1, s2, maskScratch, false)
}

// vToReg is that of Asm: a bit from each element of vectors of any length.
func (e *Emit) vToReg(op vOp, l length, d Reg, s Vec) {
	if (op == vmovmskps || op == vmovmskpd) && (l == l512 || s >= 16) {
		signs := vpmovd2M
		if op == vmovmskpd {
			signs = vpmovq2M
		}
		e.vToMask(signs, l, maskScratch, s)
		e.kToReg(W32, d, maskScratch)
		return
	}
	e.Asm.vToReg(op, l, d, s)
}
