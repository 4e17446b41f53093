package check_test

// Happens-before in cases in which it is easy to order too much or too little.
var cornerCases = []raceCase{
	{"what is learned of a warp after it arrived stays known", dim(1, 1, 1), dim(64, 1, 1), `
setp.ne.u32 %p1, %r4, 0; @%p1 bra B;
bar.arrive 1, 64;
setp.ne.u32 %p2, %r2, 0; @%p2 bra E;
st.shared.u32 [s], 7;
st.release.gpu.global.u32 [%rd1], 1;
bra E;
B: setp.ne.u32 %p2, %r2, 0; @%p2 bra J;
SPIN: ld.acquire.gpu.global.u32 %r10, [%rd1]; setp.eq.u32 %p3, %r10, 0; @%p3 bra SPIN;
J: bar.warp.sync 0xffffffff;
bar.sync 1, 64;
ld.shared.u32 %r11, [s];
E:
`, nil},
	{"an atomic does not write the same as a store", dim(1, 1, 1), dim(64, 1, 1), `
setp.ne.u32 %p2, %r2, 0; @%p2 bra E;
setp.ne.u32 %p1, %r4, 0; @%p1 bra B;
red.shared.add.u32 [s], 1; bra E;
B: st.shared.u32 [s], 1;
E:
`, []string{"race-waw 3 4"}},
	{"what one lane has observed is not known to its neighbours", dim(1, 1, 1), dim(64, 1, 1), `
setp.eq.u32 %p1, %r4, 0; @%p1 bra A;
setp.ne.u32 %p2, %r2, 0; @%p2 bra J;
D: ld.volatile.shared.u32 %r10, [s]; setp.eq.u32 %p3, %r10, 0; @%p3 bra D;
J: setp.gt.u32 %p4, %r2, 15; @%p4 bra E;
ld.shared.u32 %r11, [s]; bra E;
A: setp.eq.u32 %p3, %r2, 0; @%p3 st.volatile.shared.u32 [s], 1;
E:
`, []string{"race-war 5 6"}},
	{"halves of a packed atomic", dim(1, 1, 1), dim(64, 1, 1), `
setp.ne.u32 %p2, %r2, 0; @%p2 bra E;
mov.b32 %r10, 0; mov.b16 %rs1, 0; setp.ne.u32 %p1, %r4, 0; @%p1 bra B;
atom.shared.add.noftz.f16x2 %r11, [s], %r10; bra E;
B: atom.shared.add.noftz.f16 %rs2, [s], %rs1;
E:
`, nil},
}
