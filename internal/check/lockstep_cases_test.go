package check_test

// Strong accesses of lanes of one warp, which do not race (PTX ISA 8.7). The results of lockstepCases depend on lock
// step, those of orderedLaneCases do not; TestLockstepShows checks that.

// stepOf is a step of a reduction, on one line: each lane adds to its own word the one that lies the given bytes after
// it.
func stepOf(bytes string) string {
	return "ld.volatile.shared.u32 %r20, [%r10]; ld.volatile.shared.u32 %r21, [%r10+" + bytes + "]; add.u32 %r20, %r20, %r21; st.volatile.shared.u32 [%r10], %r20;\n"
}

const (
	// ownWord sets %r10 to the address of the lane's word of shared memory, and %r12 to that of its neighbour's.
	ownWord = "\nmov.u32 %r10, s; add.u32 %r10, %r10, %r5; xor.b32 %r11, %r5, 4; mov.u32 %r12, s; add.u32 %r12, %r12, %r11;\n"
	// twoOnes sets 64 words to 1, two for each lane, in lines 2 and 3.
	twoOnes = ownWord + "st.volatile.shared.u32 [%r10], 1; st.volatile.shared.u32 [%r10+128], 1;\nbar.sync 0;\n"
	keep    = "st.global.u32 [%rd2], %r20;\n"
)

var lockstepCases = []raceCase{
	{"two steps of a reduction", dim(1, 1, 1), dim(32, 1, 1), twoOnes + stepOf("64") + stepOf("32") +
		"@!%p1 ld.volatile.shared.u32 %r20, [%r10]; " + keep, []string{"race-lockstep 4 4", "race-lockstep 4 5", "race-lockstep 4 5", "race-lockstep 5 5"}},
	{"steps with fences", dim(1, 1, 1), dim(32, 1, 1), twoOnes + stepOf("64") + "membar.cta;\n" + stepOf("32") + keep,
		[]string{"race-lockstep 4 4", "race-lockstep 4 6", "race-lockstep 4 6", "race-lockstep 6 6"}},
	{"steps of ever fewer lanes", dim(1, 1, 1), dim(32, 1, 1), twoOnes + `setp.gt.u32 %p1, %r2, 7; setp.gt.u32 %p2, %r2, 3; mov.u32 %r20, 0;
@%p1 bra E;
` + stepOf("32") + `@%p2 bra E;
` + stepOf("16") + `E: ` + keep, []string{"race-lockstep 6 8"}},
	{"a reduction in a loop", dim(1, 1, 1), dim(32, 1, 1), twoOnes + `mov.u32 %r22, 64;
L: add.u32 %r23, %r10, %r22; ld.volatile.shared.u32 %r21, [%r23];
ld.volatile.shared.u32 %r20, [%r10]; add.u32 %r20, %r20, %r21;
st.volatile.shared.u32 [%r10], %r20;
shr.u32 %r22, %r22, 1; setp.gt.u32 %p1, %r22, 2; @%p1 bra L;
` + keep, []string{"race-lockstep 5 7"}},
	{"neighbours exchange volatile words", dim(1, 1, 1), dim(32, 1, 1), ownWord + `st.volatile.shared.u32 [%r10], %r2;
ld.volatile.shared.u32 %r20, [%r12];
` + keep, []string{"race-lockstep 2 3"}},
	{"relaxed words", dim(1, 1, 1), dim(32, 1, 1), ownWord + `st.relaxed.cta.shared.u32 [%r10], %r2;
ld.relaxed.gpu.shared.u32 %r20, [%r12];
` + keep, []string{"race-lockstep 2 3"}},
	{"volatile words of global memory", dim(2, 1, 1), dim(64, 1, 1), `
mad.lo.u32 %r5, %r3, 512, %r5; cvt.u64.u32 %rd3, %r5; xor.b32 %r5, %r5, 4; cvt.u64.u32 %rd4, %r5; add.u64 %rd3, %rd3, %rd1; add.u64 %rd4, %rd4, %rd1;
st.volatile.global.u32 [%rd3+1024], %r2;
ld.volatile.global.u32 %r20, [%rd4+1024];
st.global.u32 [%rd3], %r20;
`, []string{"race-lockstep 2 3"}},
	{"a vector of volatile words", dim(1, 1, 1), dim(32, 1, 1), `
mov.u32 %r10, s; mad.lo.u32 %r10, %r2, 8, %r10; xor.b32 %r11, %r2, 1; mov.u32 %r12, s; mad.lo.u32 %r12, %r11, 8, %r12;
st.volatile.shared.v2.u32 [%r10], {%r2, 5};
ld.volatile.shared.v2.u32 {%r20, %r21}, [%r12];
` + keep, []string{"race-lockstep 2 3"}},
	{"a neighbour's word is read before it changes", dim(1, 1, 1), dim(32, 1, 1), ownWord + `st.volatile.shared.u32 [%r10], %r2; bar.warp.sync 0xffffffff;
ld.volatile.shared.u32 %r20, [%r12];
st.volatile.shared.u32 [%r10], 99;
` + keep, []string{"race-lockstep 3 4"}},
	{"one lane writes for all", dim(1, 1, 1), dim(32, 1, 1), `
setp.ne.u32 %p1, %r2, 5; @%p1 bra J;
st.volatile.shared.u32 [s], 7;
J: ld.volatile.shared.u32 %r20, [s];
` + keep, []string{"race-lockstep 2 3"}},
	{"two lanes write one word after the other", dim(1, 1, 1), dim(32, 1, 1), `
setp.eq.u32 %p1, %r2, 0; setp.eq.u32 %p2, %r2, 9;
@%p1 st.volatile.shared.u32 [s], 1;
@%p2 st.volatile.shared.u32 [s], 2;
bar.warp.sync 0xffffffff; ld.volatile.shared.u32 %r20, [s];
` + keep, []string{"race-lockstep 2 3"}},
	{"shuffles of half warps, across them", dim(1, 1, 1), dim(32, 1, 1), `
mov.u32 %r10, s; add.u32 %r10, %r10, %r5; xor.b32 %r11, %r5, 64; mov.u32 %r12, s; add.u32 %r12, %r12, %r11;
setp.lt.u32 %p1, %r2, 16; selp.u32 %r22, 0x0000ffff, 0xffff0000, %p1;
st.volatile.shared.u32 [%r10], %r2;
shfl.sync.idx.b32 %r23, %r2, 0, 4111, %r22;
ld.volatile.shared.u32 %r20, [%r12];
` + keep, []string{"race-lockstep 3 5"}},
	{"sorting of pairs", dim(1, 1, 1), dim(32, 1, 1), ownWord + `sub.u32 %r20, 40, %r2; st.volatile.shared.u32 [%r10], %r20; bar.warp.sync 0xffffffff; and.b32 %r22, %r2, 1; setp.ne.u32 %p1, %r22, 0; mov.u32 %r25, 0;
L: @%p1 bra J; ld.volatile.shared.u32 %r20, [%r10]; ld.volatile.shared.u32 %r21, [%r10+4]; setp.le.u32 %p2, %r20, %r21; @%p2 bra J;
st.volatile.shared.u32 [%r10], %r21; st.volatile.shared.u32 [%r10+4], %r20;
J: ld.volatile.shared.u32 %r23, [%r10];
add.u32 %r25, %r25, 1; setp.lt.u32 %p3, %r25, 2; @%p3 bra L;
mov.u32 %r20, %r23; ` + keep, []string{"race-lockstep 4 5"}},
	{"volatile words where atomics were before a barrier", dim(1, 1, 1), dim(32, 1, 1), ownWord + `atom.shared.add.u32 %r22, [%r10], 1; bar.sync 0;
st.volatile.shared.u32 [%r10], %r2;
ld.volatile.shared.u32 %r20, [%r12];
` + keep, []string{"race-lockstep 3 4"}},
	{"a flag that is tested once, not in a loop", dim(1, 1, 1), dim(32, 1, 1), `
setp.eq.u32 %p1, %r2, 3; mov.u32 %r20, 0;
@%p1 st.volatile.shared.u32 [s], 1;
ld.volatile.shared.u32 %r22, [s]; setp.eq.u32 %p2, %r22, 0; @%p2 bra E;
mov.u32 %r20, 5;
E: ` + keep, []string{"race-lockstep 2 3"}},
}

// exchanged lets neighbours exchange volatile words, with an instruction between store and load, in line 3.
func exchanged(between string) string {
	return ownWord + "st.volatile.shared.u32 [%r10], %r2;\n" + between + "\nld.volatile.shared.u32 %r20, [%r12];\n" + keep
}

var orderedLaneCases = []raceCase{
	{"bar.warp.sync between volatile accesses", dim(1, 1, 1), dim(32, 1, 1), exchanged("bar.warp.sync 0xffffffff;"), nil},
	{"bar.sync between volatile accesses", dim(1, 1, 1), dim(32, 1, 1), exchanged("bar.sync 0;"), nil},
	{"shfl between volatile accesses", dim(1, 1, 1), dim(32, 1, 1), exchanged("shfl.sync.idx.b32 %r22, %r1, 0, 31, 0xffffffff;"), nil},
	{"vote between volatile accesses", dim(1, 1, 1), dim(32, 1, 1), exchanged("vote.sync.any.pred %p1, %p2, 0xffffffff;"), nil},
	{"match between volatile accesses", dim(1, 1, 1), dim(32, 1, 1), exchanged("match.any.sync.b32 %r22, %r1, 0xffffffff;"), nil},
	{"redux between volatile accesses", dim(1, 1, 1), dim(32, 1, 1), exchanged("redux.sync.add.u32 %r22, %r1, 0xffffffff;"), nil},
	{"shuffles of pairs, within them", dim(1, 1, 1), dim(32, 1, 1), exchanged("and.b32 %r23, %r2, 30; shl.b32 %r22, 3, %r23; shfl.sync.idx.b32 %r22, %r1, %r2, 31, %r22;"), nil},
	{"a product of the warp between volatile accesses", dim(1, 1, 1), dim(32, 1, 1), exchanged("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r22}, [s+512];"), nil},
	{"steps with bar.warp.sync on both sides of the store", dim(1, 1, 1), dim(32, 1, 1), ownWord + `st.volatile.shared.u32 [%r10], 1; bar.warp.sync 0xffffffff;
ld.volatile.shared.u32 %r20, [%r12];
bar.warp.sync 0xffffffff;
st.volatile.shared.u32 [%r10], %r2; bar.warp.sync 0xffffffff;
ld.volatile.shared.u32 %r20, [%r12];
` + keep, nil},
	{"what one lane learns by a shuffle another learns by a barrier", dim(1, 1, 1), dim(32, 1, 1), `
setp.gt.u32 %p1, %r2, 2; setp.eq.u32 %p2, %r2, 0; setp.eq.u32 %p3, %r2, 2; mov.u32 %r20, 0; @%p1 bra E;
@%p2 st.volatile.shared.u32 [s], 7;
@!%p3 shfl.sync.idx.b32 %r22, %r1, 0, 31, 3;
@!%p2 bar.warp.sync 6;
@%p3 ld.volatile.shared.u32 %r20, [s];
E: ` + keep, nil},
	{"a flag that lanes poll, and volatile words that it guards, with fences", dim(1, 1, 1), dim(32, 1, 1), `
setp.ne.u32 %p1, %r2, 0; @%p1 bra W;
st.volatile.shared.u32 [s+4], 42; membar.cta;
st.volatile.shared.u32 [s], 1;
W: ld.volatile.shared.u32 %r22, [s]; setp.eq.u32 %p2, %r22, 0; @%p2 bra W;
membar.cta; ld.volatile.shared.u32 %r20, [s+4];
` + keep, nil},
	{"the same without fences", dim(1, 1, 1), dim(32, 1, 1), `
setp.ne.u32 %p1, %r2, 0; @%p1 bra W;
st.volatile.shared.u32 [s+4], 42;
st.volatile.shared.u32 [s], 1;
W: ld.volatile.shared.u32 %r22, [s]; setp.eq.u32 %p2, %r22, 0; @%p2 bra W;
ld.volatile.shared.u32 %r20, [s+4];
` + keep, nil},
	{"a flag that is read once more before the loop", dim(1, 1, 1), dim(32, 1, 1), `
setp.ne.u32 %p1, %r2, 0; @%p1 bra J;
st.volatile.shared.u32 [s], 1;
J: ld.volatile.shared.u32 %r20, [s]; setp.ne.u32 %p2, %r20, 0; @%p2 bra E;
W: nanosleep.u32 20; ld.volatile.shared.u32 %r20, [s]; setp.eq.u32 %p2, %r20, 0; @%p2 bra W;
E: ` + keep, nil},
	{"a loop that ends when a lane has found something", dim(1, 1, 1), dim(32, 1, 1), `
mov.u32 %r22, %r2;
L: ld.volatile.shared.u32 %r23, [s]; setp.ne.u32 %p1, %r23, 0; @%p1 bra E;
setp.eq.u32 %p2, %r22, 70; @%p2 st.volatile.shared.u32 [s], 1;
add.u32 %r22, %r22, 32; setp.lt.u32 %p3, %r22, 200; @%p3 bra L;
E: mov.u32 %r20, 1; ` + keep, nil},
	{"lanes take turns", dim(1, 1, 1), dim(4, 1, 1), `
W: ld.volatile.shared.u32 %r22, [s]; setp.ne.u32 %p1, %r22, %r2; @%p1 bra W;
ld.volatile.shared.u32 %r20, [s+4]; add.u32 %r20, %r20, %r2;
st.volatile.shared.u32 [s+4], %r20;
add.u32 %r22, %r2, 1; st.volatile.shared.u32 [s], %r22;
` + keep, nil},
	{"a flag whose address is computed in the loop", dim(1, 1, 1), dim(32, 1, 1), `
setp.ne.u32 %p1, %r2, 0; @%p1 bra W;
st.volatile.shared.u32 [s], 1;
W: mov.u32 %r23, s; add.u32 %r24, %r23, 0; ld.volatile.shared.u32 %r20, [%r24]; setp.eq.u32 %p2, %r20, 0; @%p2 bra W;
` + keep, nil},
	{"two lanes hand a token to and fro", dim(1, 1, 1), dim(2, 1, 1), `
mov.u32 %r20, %r2;
W: ld.volatile.shared.u32 %r22, [s]; setp.ne.u32 %p1, %r22, %r20; @%p1 bra W;
st.volatile.shared.u32 [s+4], %r20; add.u32 %r22, %r20, 1;
st.volatile.shared.u32 [s], %r22; add.u32 %r20, %r20, 2; setp.lt.u32 %p1, %r20, 10; @%p1 bra W;
` + keep, nil},
	{"a lock around a volatile counter", dim(1, 1, 1), dim(8, 1, 1), `
mov.u32 %r20, 0;
L: atom.shared.cas.b32 %r22, [s], 0, 1; setp.ne.u32 %p1, %r22, 0; @%p1 bra N;
membar.cta; ld.volatile.shared.u32 %r23, [s+4]; add.u32 %r23, %r23, 1;
st.volatile.shared.u32 [s+4], %r23; membar.cta; atom.shared.exch.b32 %r22, [s], 0; mov.u32 %r20, 1;
N: setp.eq.u32 %p1, %r20, 0; @%p1 bra L;
` + keep, nil},
	{"two instructions write the same volatile value", dim(1, 1, 1), dim(32, 1, 1), `
setp.eq.u32 %p1, %r2, 3; setp.eq.u32 %p2, %r2, 8;
@%p1 st.volatile.shared.u32 [s], 1;
@%p2 st.volatile.shared.u32 [s], 1;
bar.warp.sync 0xffffffff; ld.volatile.shared.u32 %r20, [s];
` + keep, nil},
	{"a release and an acquire", dim(1, 1, 1), dim(32, 1, 1), `
setp.eq.u32 %p1, %r2, 0;
@%p1 st.release.cta.shared.u32 [s], 1;
ld.acquire.cta.shared.u32 %r22, [s];
`, nil},
	{"atomics and volatile reads", dim(1, 1, 1), dim(32, 1, 1), `
red.shared.add.u32 [s], 1;
ld.volatile.shared.u32 %r22, [s];
`, nil},
	{"volatile accesses in two arms", dim(1, 1, 1), dim(32, 1, 1), `
setp.lt.u32 %p1, %r2, 16; @%p1 bra B;
st.volatile.shared.u32 [s], 1; bra E;
B: ld.volatile.shared.u32 %r22, [s];
E:
`, nil},
	{"volatile accesses of two warps", dim(1, 1, 1), dim(64, 1, 1), `
xor.b32 %r11, %r5, 128; mov.u32 %r12, s; add.u32 %r12, %r12, %r11; mov.u32 %r10, s; add.u32 %r10, %r10, %r5;
st.volatile.shared.u32 [%r10], %r2;
ld.volatile.shared.u32 %r22, [%r12];
`, nil},
	{"own volatile words", dim(1, 1, 1), dim(32, 1, 1), ownWord + `st.volatile.shared.u32 [%r10], %r2;
ld.volatile.shared.u32 %r20, [%r10]; st.volatile.shared.u32 [%r10], 3;
` + keep, nil},
	{"volatile reads of one word", dim(1, 1, 1), dim(32, 1, 1), `
ld.volatile.shared.u32 %r20, [s];
ld.volatile.shared.u32 %r20, [s];
` + keep, nil},
}
