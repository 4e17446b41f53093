package jit

// Votes on words: reductions and matches of the executing lanes. All registers of a word are read at once, before the
// result is written: d may be a.

// OnWords reports whether the operand of a vote is a word, and not a predicate.
func (x Vote) OnWords() bool { return x >= ReduxAdd }

// Registers of VoteWord.
const (
	voteWords   Vec = 0 // the words of the first subvector; the others follow
	voteResults     = voteWords + subvectors
	voteTemp        = voteResults + subvectors
	voteMask        = voteTemp + 1
)

// VoteWord writes a vote of the executing lanes (those of Context.Mask if masked, else all) on the word in slot a. Its
// result goes to slot d, that of MatchAll also to the predicate in q.
func (e *Emit) VoteWord(x Vote, d, q, a uint32, masked bool) {
	e.executing(masked)
	for s := range Vec(subvectors) {
		e.v2M(vmovdqu, l256, voteWords+s, memAt(regFile, int32(a)+32*int32(s)))
	}
	switch x {
	case MatchAny:
		e.matchAny()
	case MatchAll:
		e.matchAll(a)
	default:
		e.reduce(x, masked)
	}
	for s := range Vec(subvectors) {
		to := memAt(regFile, int32(d)+32*int32(s))
		if masked {
			e.subvectorMask(voteMask, s)
			e.v2M(vmovdqu, l256, voteTemp, to)
			e.pick(l256, voteResults+s, voteTemp, voteResults+s, voteMask)
		}
		e.vStore(vmovdqu, l256, to, voteResults+s)
	}
	if x == MatchAll {
		e.StorePred(q, RSI, masked)
	}
}

// subvectorMask sets v to ones in the lanes of a subvector of Context.Mask.
func (e *Emit) subvectorMask(v Vec, s Vec) {
	bits := memAt(regCtx, ctxBits+32*int32(s))
	e.v2M(vpbroadcastd, l256, v, memAt(regCtx, ctxMask))
	e.v3M(vpand, l256, v, v, bits)
	e.v3M(vpcmpeqd, l256, v, v, bits)
}

// reductions have, by vote, the operation and its neutral element.
var reductions = map[Vote]struct {
	op      vOp
	neutral uint64
}{
	ReduxAdd: {vpaddd, 0}, ReduxAnd: {vpand, 1<<32 - 1}, ReduxOr: {vpor, 0}, ReduxXor: {vpxor, 0},
	ReduxMin: {vpminsd, 1<<31 - 1}, ReduxMax: {vpmaxsd, 1 << 31}, ReduxMinUnsigned: {vpminud, 1<<32 - 1}, ReduxMaxUnsigned: {vpmaxud, 0},
}

// reduce sets all results to a reduction of the words.
func (e *Emit) reduce(x Vote, masked bool) {
	r := reductions[x]
	if masked {
		e.v2M(vmovdqu, l256, voteTemp, e.constant(r.neutral, 32))
		for s := range Vec(subvectors) {
			e.subvectorMask(voteMask, s)
			e.pick(l256, voteWords+s, voteTemp, voteWords+s, voteMask)
		}
	}
	const t = voteWords
	e.v3(r.op, l256, t, t, t+1)
	e.v3(r.op, l256, t+2, t+2, t+3)
	e.v3(r.op, l256, t, t, t+2)
	e.v2I(vextracti128, l256, t+1, t, 1)
	e.v3(r.op, l128, t, t, t+1)
	for _, order := range []uint8{0x4e, 0xb1} { // halves, and words of each half
		e.v2I(vpshufd, l128, t+1, t, order)
		e.v3(r.op, l128, t, t, t+1)
	}
	for s := range Vec(subvectors) {
		e.v2(vpbroadcastd, l256, voteResults+s, t)
	}
}

// equal sets ECX to the lanes whose word is that of every lane of voteTemp.
func (e *Emit) equal() {
	for s := int32(subvectors - 1); s >= 0; s-- {
		e.v3(vpcmpeqd, l256, voteMask, voteTemp, voteWords+Vec(s))
		e.vToReg(vmovmskps, l256, RAX, voteMask)
		if s == subvectors-1 {
			e.mov(W32, RCX, RAX)
			continue
		}
		e.shiftImm(shl, W32, RCX, SubvectorLanes)
		e.op(or, W32, RCX, RAX)
	}
}

// matchAny sets the results to the lanes of EDX with the same word.
func (e *Emit) matchAny() {
	scratch := memAt(regCtx, ctxSpills)
	for s := range Vec(subvectors) {
		e.v3(vpxor, l256, voteResults+s, voteResults+s, voteResults+s)
		e.vStore(vmovdqu, l256, scratch.plus(32*int32(s)), voteWords+s)
	}
	e.mov(W32, RSI, RDX)
	next := e.NewLabel()
	e.Bind(next)
	e.tzcnt(W32, RAX, RSI)
	e.v2M(vpbroadcastd, l256, voteTemp, atIndex(regCtx, RAX, 4, ctxSpills))
	e.equal()
	e.op(and, W32, RCX, RDX)
	e.vFromReg(vmovd, voteMask+1, RCX)
	e.v2(vpbroadcastd, l256, voteMask+1, voteMask+1)
	for s := range Vec(subvectors) { // words of lanes outside of the group differ
		e.v3(vpcmpeqd, l256, voteMask, voteTemp, voteWords+s)
		e.v3(vpand, l256, voteMask, voteMask, voteMask+1)
		e.v3(vpor, l256, voteResults+s, voteResults+s, voteMask)
	}
	e.op(xor, W32, RSI, RCX)
	e.jcc(condNE, next)
}

// matchAll sets the results to the lanes of EDX, and ESI to ones, if they have the same word, else both to 0.
func (e *Emit) matchAll(a uint32) {
	e.tzcnt(W32, RAX, RDX)
	e.v2M(vpbroadcastd, l256, voteTemp, atIndex(regFile, RAX, 4, int32(a)))
	e.equal()
	e.op(and, W32, RCX, RDX)
	e.op(xor, W32, RSI, RSI)
	differ := e.NewLabel()
	e.vFromReg(vmovd, voteResults, RSI)
	e.op(cmp, W32, RCX, RDX)
	e.jcc(condNE, differ)
	e.movImm(RSI, 1<<32-1)
	e.vFromReg(vmovd, voteResults, RDX)
	e.Bind(differ)
	for s := range Vec(subvectors) {
		e.v2(vpbroadcastd, l256, voteResults+subvectors-1-s, voteResults)
	}
}
