package jit

// What differs between levels below the methods of Emit: how long vectors are, how many there are, and
// instructions that AVX-512 has under other names or with masks for results.
//
// With AVX2 a strip is executed at a time, whose values of 32 bits are one vector of 256 bits. With AVX-512 it is two
// strips, in one vector of 512 bits: eight lanes have the same scalars and go to memory by the same address
// at both levels. Predicates are vectors of ones and zeros at both, too: what needs a mask register makes one of them.

// Mask registers. No template is given any: bodies use the first ones for what they need at once.
const (
	maskScratch = K1
	maskSecond  = K2
	maskLow     = K3 // of the lanes of an access by addresses of their own, those of the lower one of two strips; also those behind
	maskHigh    = K4 // those of the upper one
	maskLanes   = K6 // the lanes that execute, within EachExecutingStrip
	maskUpper   = K7 // the lanes of the upper one of two strips, since code was entered
)

// AsStrips has the values of the code that follows be those of the strips that the loop of EachStrip is at.
func (e *Emit) AsStrips() {
	e.Lanes = StripLanes
	if e.Level == AVX512 {
		e.Lanes = 2 * StripLanes
	}
}

// AsQuads has the values of the code that follows be quads.
func (e *Emit) AsQuads() { e.Lanes = QuadLanes }

// Vectors is how many vector registers there are.
func (e *Emit) Vectors() int {
	if e.Level == AVX512 {
		return MaxVectors
	}
	return 16
}

// MaxVectors is the most vector registers that a level has.
const MaxVectors = 32

// vectorBytes is the size of a vector register.
func (e *Emit) vectorBytes() int32 {
	if e.Level == AVX512 {
		return 64
	}
	return 32
}

// two reports whether values are those of two strips.
func (e *Emit) two() bool { return e.Lanes > StripLanes }

// shape is the length of the vectors that hold a value, and how many they are.
func (e *Emit) shape(bits uint8) (l Length, n int) {
	bytes := int32(e.Lanes) * 4
	if bits == 64 {
		bytes *= 2
	}
	longest := L256
	if e.two() {
		longest = L512
	}
	switch {
	case bytes == 16:
		return L128, 1
	case bytes == 32:
		return L256, 1
	case bytes == 64 && longest == L512:
		return L512, 1
	}
	return longest, 2
}

// upper is the upper half of a, which has the lanes of strips.
func (e *Emit) upper(d, a Vec) {
	if e.two() {
		e.V2I(VEXTRACTI64X4, L512, d, a, 1)
		return
	}
	e.V2I(VEXTRACTI128, L256, d, a, 1)
}

// join is a with upper in its upper half.
func (e *Emit) join(d, a, upper Vec) {
	if e.two() {
		e.V3I(VINSERTI64X4, L512, d, a, upper, 1)
		return
	}
	e.V3I(VINSERTI128, L256, d, a, upper, 1)
}

// pick is yes where mask, of elements that are all ones or zeros, has ones, and else no.
func (e *Emit) pick(l Length, d, no, yes, mask Vec) {
	switch {
	case l < L512 && d|no|yes|mask < 16:
		e.Asm.V4(VPBLENDVB, l, d, no, yes, mask)
	case d == no:
		e.V3I(VPTERNLOGD, l, d, yes, mask, 0xd8) // of d, yes and mask, from the highest bit of an index into the table
	case d == yes:
		e.V3I(VPTERNLOGD, l, d, no, mask, 0xe4)
	default:
		if d != mask {
			e.V2(VMOVDQA, l, d, mask)
		}
		e.V3I(VPTERNLOGD, l, d, yes, no, 0xca)
	}
}

// byEVEX reports whether an instruction that has a form without masks only under VEX is to have another.
func (e *Emit) byEVEX(op VOp, l Length, regs Vec, f form) bool {
	return e.Level == AVX512 && (l == L512 || regs >= 16) && vops[op].forms[f] != 0
}

// V3 is that of Asm. A comparison gives ones and zeros at every level.
func (e *Emit) V3(op VOp, l Length, d, s1, s2 Vec) {
	if e.byEVEX(op, l, d|s1|s2, formToMask) {
		e.VTestK(op, l, maskScratch, s1, s2, K0)
		e.ofMask(op, l, d, maskScratch)
		return
	}
	e.Asm.V3(op, l, d, s1, s2)
}

// V3M is that of Asm, likewise.
func (e *Emit) V3M(op VOp, l Length, d, s1 Vec, m Mem) {
	if e.byEVEX(op, l, d|s1, formToMask) {
		e.VTestKM(op, l, maskScratch, s1, m)
		e.ofMask(op, l, d, maskScratch)
		return
	}
	e.Asm.V3M(op, l, d, s1, m)
}

// V3I is that of Asm, likewise.
func (e *Emit) V3I(op VOp, l Length, d, s1, s2 Vec, imm uint8) {
	if e.byEVEX(op, l, d|s1|s2, formToMask) {
		e.VCmpK(op, l, maskScratch, s1, s2, imm)
		e.ofMask(op, l, d, maskScratch)
		return
	}
	e.Asm.V3I(op, l, d, s1, s2, imm)
}

// V3MI is that of Asm, likewise.
func (e *Emit) V3MI(op VOp, l Length, d, s1 Vec, m Mem, imm uint8) {
	if e.byEVEX(op, l, d|s1, formToMask) {
		e.VCmpKM(op, l, maskScratch, s1, m, imm)
		e.ofMask(op, l, d, maskScratch)
		return
	}
	e.Asm.V3MI(op, l, d, s1, m, imm)
}

// VFromMask is that of Asm.
func (e *Emit) VFromMask(op VOp, l Length, d Vec, k KReg) {
	start := e.Len()
	e.Asm.VFromMask(op, l, d, k)
	e.fresh = freshMask{start: start, end: e.Len(), op: op, l: l, v: d, k: k}
}

// freshMask is a vector that was made of a mask register, while nothing was written behind that.
type freshMask struct {
	start, end int // of the instruction
	op         VOp
	l          Length
	v          Vec
	k          KReg
	dead       bool // nobody uses the vector
}

// onlyMask says that a vector of ones and zeros is used no more but to make a mask of it, which is next.
func (e *Emit) onlyMask(v Vec) {
	if f := &e.fresh; f.end == e.Len() && f.v == v {
		f.dead = true
	}
}

// Bind is that of Asm.
func (e *Emit) Bind(l Label) {
	e.fresh = freshMask{} // code that comes from elsewhere has other masks
	e.Asm.Bind(l)
}

// VToMask is that of Asm. What was a mask right before still is one.
func (e *Emit) VToMask(op VOp, l Length, dk KReg, s Vec) {
	f := e.fresh
	if f.end != e.Len() || f.v != s || f.l != l || op != VPMOVD2M || f.op != VPMOVM2D {
		e.Asm.VToMask(op, l, dk, s)
		return
	}
	if f.dead {
		e.Truncate(f.start)
		e.fresh = freshMask{}
	}
	if dk != f.k {
		e.KMov(W16, dk, f.k)
	}
}

// ofMask is ones and zeros for the lanes of a comparison.
func (e *Emit) ofMask(compare VOp, l Length, d Vec, k KReg) {
	op := VPMOVM2D
	switch compare {
	case VPCMPEQB, VPCMPGTB:
		op = VPMOVM2B
	case VPCMPEQQ, VPCMPGTQ, VCMPPD:
		op = VPMOVM2Q
	}
	e.VFromMask(op, l, d, k)
}

// V2M is that of Asm. VPTEST sets the zero flag alone.
func (e *Emit) V2M(op VOp, l Length, d Vec, m Mem) {
	if op == VPTEST && e.Level == AVX512 && (l == L512 || d >= 16) {
		e.VTestKM(VPTESTMQ, l, maskScratch, d, m)
		e.Kortest(W16, maskScratch, maskScratch)
		return
	}
	e.Asm.V2M(op, l, d, m)
}

// V2I is that of Asm. Rounding to integral values has another name under EVEX.
func (e *Emit) V2I(op VOp, l Length, d, s Vec, imm uint8) {
	if e.Level == AVX512 && (l == L512 || d|s >= 16) {
		switch op {
		case VROUNDPS:
			op = VRNDSCALEPS
		case VROUNDPD:
			op = VRNDSCALEPD
		}
	}
	e.Asm.V2I(op, l, d, s, imm)
}

// V4 is that of Asm.
func (e *Emit) V4(op VOp, l Length, d, s1, s2, mask Vec) {
	if l < L512 && d|s1|s2|mask < 16 {
		e.Asm.V4(op, l, d, s1, s2, mask)
		return
	}
	signs, blend := VPMOVB2M, VPBLENDMB
	switch op {
	case VBLENDVPS:
		signs, blend = VPMOVD2M, VPBLENDMD
	case VBLENDVPD:
		signs, blend = VPMOVQ2M, VPBLENDMQ
	}
	e.VToMask(signs, l, maskScratch, mask)
	e.V3K(blend, l, d, s1, s2, maskScratch, false)
}

// VToReg is that of Asm: a bit from each element of vectors of any length.
func (e *Emit) VToReg(op VOp, l Length, d Reg, s Vec) {
	if (op == VMOVMSKPS || op == VMOVMSKPD) && (l == L512 || s >= 16) {
		signs := VPMOVD2M
		if op == VMOVMSKPD {
			signs = VPMOVQ2M
		}
		e.VToMask(signs, l, maskScratch, s)
		e.KToReg(W32, d, maskScratch)
		return
	}
	e.Asm.VToReg(op, l, d, s)
}
