package check_test

// Locations: bytes, of any width, in any space that threads share.
var placeCases = []raceCase{
	{"bytes side by side", dim(1, 1, 1), dim(64, 1, 1), `
cvt.u64.u32 %rd3, %r1; add.u64 %rd3, %rd3, %rd1;
st.global.u8 [%rd3], %r1;
ld.global.u8 %r13, [%rd3];
`, nil},
	{"a byte of another's word", dim(2, 1, 1), dim(1, 1, 1), `
setp.eq.u32 %p1, %r3, 0;
@%p1 st.global.u32 [%rd1], 258;
@!%p1 st.global.u8 [%rd1+3], 5;
`, []string{"race-waw 2 3"}},
	{"the same byte again", dim(2, 1, 1), dim(1, 1, 1), `
setp.eq.u32 %p1, %r3, 0;
@%p1 st.global.u32 [%rd1], 258;
@!%p1 st.global.u8 [%rd1+1], 1;
`, []string{"race-same-value 2 3"}},
	{"halves of a word", dim(2, 1, 1), dim(1, 1, 1), `
shl.b32 %r10, %r3, 1; cvt.u64.u32 %rd3, %r10; add.u64 %rd3, %rd3, %rd1;
st.global.u16 [%rd3], %r3;
`, nil},
	{"a half and a byte of it", dim(2, 1, 1), dim(1, 1, 1), `
setp.eq.u32 %p1, %r3, 0;
@%p1 st.global.u16 [%rd1+2], 7;
@!%p1 ld.global.u8 %r10, [%rd1+3];
`, []string{"race-raw 2 3"}},
	{"words of 64 bits that meet in the middle", dim(2, 1, 1), dim(1, 1, 1), `
setp.eq.u32 %p1, %r3, 0; mov.u64 %rd5, 0x100000002;
@%p1 st.global.u64 [%rd1+8], %rd5;
@!%p1 st.global.u32 [%rd1+12], 3;
`, []string{"race-waw 2 3"}},
	{"the upper word is the same", dim(2, 1, 1), dim(1, 1, 1), `
setp.eq.u32 %p1, %r3, 0; mov.u64 %rd5, 0x100000002;
@%p1 st.global.u64 [%rd1+8], %rd5;
@!%p1 st.global.u32 [%rd1+12], 1;
`, []string{"race-same-value 2 3"}},
	{"one word of 64 bits differs, one does not", dim(2, 1, 1), dim(1, 1, 1), `
setp.eq.u32 %p1, %r3, 0; mov.u64 %rd5, 0x100000002; mov.u64 %rd6, 0x100000003;
@%p1 st.global.u64 [%rd1+8], %rd5;
@!%p1 st.global.u64 [%rd1+8], %rd6;
`, []string{"race-waw 2 3"}},
	{"64 bits beside 64 bits", dim(2, 1, 1), dim(1, 1, 1), `
shl.b32 %r10, %r3, 3; cvt.u64.u32 %rd3, %r10; add.u64 %rd3, %rd3, %rd1; mov.u64 %rd5, 1;
st.global.u64 [%rd3], %rd5;
`, nil},
	{"the last of four", dim(2, 1, 1), dim(1, 1, 1), `
setp.eq.u32 %p1, %r3, 0; mov.f32 %f1, 0f3f800000;
@%p1 st.global.v4.f32 [%rd1], {%f1, %f1, %f1, %f1};
@!%p1 ld.global.f32 %f2, [%rd1+12];
`, []string{"race-raw 2 3"}},
	{"behind the last of four", dim(2, 1, 1), dim(1, 1, 1), `
setp.eq.u32 %p1, %r3, 0; mov.f32 %f1, 0f3f800000;
@%p1 st.global.v4.f32 [%rd1], {%f1, %f1, %f1, %f1};
@!%p1 ld.global.f32 %f2, [%rd1+16];
`, nil},
	{"two of two over two of four", dim(2, 1, 1), dim(1, 1, 1), `
setp.eq.u32 %p1, %r3, 0; mov.f32 %f1, 0f3f800000;
@%p1 ld.global.v4.f32 {%f2, %f3, %f4, %f5}, [%rd1];
@!%p1 st.global.v2.f32 [%rd1+8], {%f1, %f1};
`, []string{"race-war 2 3"}},
	{"generic addresses of shared memory", dim(1, 1, 1), dim(64, 1, 1), `
mov.u32 %r10, s; cvt.u64.u32 %rd3, %r10; cvta.shared.u64 %rd3, %rd3;
st.u32 [%rd3], %r1;
ld.shared.u32 %r13, [%r10];
`, []string{"race-raw 2 3", "race-waw 2 2"}},
	{"shared memory is the CTA's own", dim(4, 1, 1), dim(1, 1, 1), `
mov.u32 %r10, s;
st.shared.u32 [%r10], %r3;
ld.shared.u32 %r13, [%r10];
`, nil},
	{"one CTA after the other reads, then one writes", dim(1, 1, 1), dim(128, 1, 1), `
ld.global.u32 %r13, [%rd1];
bar.sync 0;
setp.eq.u32 %p1, %r1, 77;
@%p1 st.global.u32 [%rd1], %r1;
`, nil},
	// CTA 7 reads last, with all its warps, and waits for them. The reads of the other CTAs must still be known.
	{"many CTAs read what one writes", dim(8, 1, 1), dim(256, 1, 1), `
setp.eq.u32 %p1, %r3, 7; setp.eq.and.u32 %p2, %r1, 77, %p1;
ld.global.u32 %r13, [%rd1];
bar.sync 0;
@%p2 st.global.u32 [%rd1], %r1;
`, []string{"race-war 2 4"}},
	// Warp 7 has waited for warps 1 to 6, not for warp 0.
	{"the first of many readers", dim(1, 1, 1), dim(256, 1, 1), `
setp.eq.u32 %p1, %r2, %r4;
@%p1 ld.global.u32 %r10, [%rd1];
setp.eq.u32 %p2, %r4, 0; @%p2 bra END;
bar.sync 1, 224;
setp.eq.u32 %p3, %r1, 231;
@%p3 st.global.u32 [%rd1], 1;
END:
`, []string{"race-war 2 6"}},
	{"an extent of 2 dimensions", dim(1, 1, 1), dim(32, 2, 1), `
shl.b32 %r11, %r2, 2; cvt.u64.u32 %rd3, %r11; add.u64 %rd3, %rd3, %rd1;
st.global.u32 [%rd3], %r1;
`, []string{"race-waw 2 2"}},
	{"block (1,0,0) and block (0,1,0)", dim(2, 2, 1), dim(1, 1, 1), `
setp.eq.u32 %p1, %r3, 1; setp.eq.u32 %p2, %r3, 2;
@%p1 st.global.u32 [%rd1], 1;
@%p2 st.global.u32 [%rd1], 2;
`, []string{"race-waw 2 3"}},
	{"block (0,1,0) and block (0,0,1)", dim(2, 2, 2), dim(1, 1, 1), `
setp.eq.u32 %p1, %r3, 2; setp.eq.u32 %p2, %r3, 4;
@%p1 st.global.u32 [%rd1], 1;
@%p2 ld.global.u32 %r10, [%rd1];
`, []string{"race-raw 2 3"}},
	{"every block of 3 dimensions for itself", dim(3, 4, 5), dim(1, 1, 1), `
shl.b32 %r10, %r3, 2; cvt.u64.u32 %rd3, %r10; add.u64 %rd3, %rd3, %rd1;
st.global.u32 [%rd3], %r3;
ld.global.u32 %r11, [%rd3];
`, nil},
}

// Atomics and other strong accesses.
var atomicCases = []raceCase{
	{"atomics alone", dim(4, 1, 1), dim(64, 1, 1), `
red.global.add.u32 [%rd1], 1;
atom.global.add.u32 %r10, [%rd1], 1;
`, nil},
	{"atomics in shared memory", dim(1, 1, 1), dim(64, 1, 1), `
mov.u32 %r10, s;
atom.shared.add.u32 %r11, [%r10], 1;
`, nil},
	{"an atomic and a plain read", dim(2, 1, 1), dim(1, 1, 1), `
setp.eq.u32 %p1, %r3, 0;
@%p1 red.global.add.u32 [%rd1], 1;
@!%p1 ld.global.u32 %r10, [%rd1];
`, []string{"race-raw 2 3"}},
	// In every order of blocks.
	{"atomics of all, and a plain read behind that of the first block", dim(2, 1, 1), dim(1, 1, 1), `
atom.global.add.u32 %r10, [%rd1], 1;
setp.eq.u32 %p1, %r3, 0; @%p1 ld.global.u32 %r11, [%rd1];
`, []string{"race-raw 1 2"}},
	{"atomics of all, and a plain read behind that of the last block", dim(2, 1, 1), dim(1, 1, 1), `
atom.global.add.u32 %r10, [%rd1], 1;
setp.eq.u32 %p1, %r3, 1; @%p1 ld.global.u32 %r11, [%rd1];
`, []string{"race-raw 1 2"}},
	// The CTA that decides by the ticket is ordered after all others: only the last one reads.
	{"atomics of all, and a plain read of who is last", dim(2, 1, 1), dim(1, 1, 1), `
atom.global.add.u32 %r10, [%rd1], 1;
setp.eq.u32 %p1, %r10, 1; @%p1 ld.global.u32 %r11, [%rd1];
`, nil},
	{"an atomic and a plain write", dim(2, 1, 1), dim(1, 1, 1), `
setp.eq.u32 %p1, %r3, 0;
@%p1 st.global.u32 [%rd1], 1;
@!%p1 red.global.add.u32 [%rd1], 1;
`, []string{"race-waw 2 3"}},
	{"an atomic and a volatile read", dim(2, 1, 1), dim(1, 1, 1), `
setp.eq.u32 %p1, %r3, 0;
@%p1 red.global.add.u32 [%rd1], 1;
@!%p1 ld.volatile.global.u32 %r10, [%rd1];
`, nil},
	{"plain initialisation, a barrier, atomics", dim(1, 1, 1), dim(64, 1, 1), `
mov.u32 %r10, s; setp.eq.u32 %p1, %r1, 0;
@%p1 st.shared.u32 [%r10], 0;
bar.sync 0;
red.shared.add.u32 [%r10], 1;
bar.sync 0;
ld.shared.u32 %r11, [%r10];
`, nil},
	// The order of warp 1's atomics after those of warp 0 has no effect on its behaviour: it might have been the
	// reverse.
	{"no barrier before the result is read", dim(1, 1, 1), dim(64, 1, 1), `
mov.u32 %r10, s; setp.eq.u32 %p1, %r1, 0;
@%p1 st.shared.u32 [%r10], 0;
bar.sync 0;
red.shared.add.u32 [%r10], 1;
ld.shared.u32 %r11, [%r10];
`, []string{"race-raw 4 5"}},
	{"atomics of scope cta in one CTA", dim(1, 1, 1), dim(64, 1, 1), `
red.relaxed.cta.global.add.u32 [%rd1], 1;
`, nil},
	{"atomics of scope cta in two CTAs", dim(2, 1, 1), dim(1, 1, 1), `
red.relaxed.cta.global.add.u32 [%rd1], 1;
`, []string{"race-waw 1 1"}},
	{"scope cta against scope gpu", dim(2, 1, 1), dim(1, 1, 1), `
setp.eq.u32 %p1, %r3, 0;
@%p1 red.relaxed.gpu.global.add.u32 [%rd1], 1;
@!%p1 red.relaxed.cta.global.add.u32 [%rd1], 1;
`, []string{"race-waw 2 3"}},
	{"volatile accesses alone", dim(2, 1, 1), dim(1, 1, 1), `
st.volatile.global.u32 [%rd1], %r3;
ld.volatile.global.u32 %r10, [%rd1];
`, nil},
	{"strong accesses of two sizes", dim(2, 1, 1), dim(1, 1, 1), `
setp.eq.u32 %p1, %r3, 0; mov.u64 %rd5, 1;
@%p1 st.volatile.global.u64 [%rd1], %rd5;
@!%p1 ld.volatile.global.u32 %r10, [%rd1];
`, []string{"race-raw 2 3"}},
	// The weak read is ordered before the thread's own atomic, but not before the other's.
	{"a plain read hides behind an atomic", dim(2, 1, 1), dim(1, 1, 1), `
setp.eq.u32 %p1, %r3, 0;
@%p1 ld.global.u32 %r10, [%rd1];
red.global.add.u32 [%rd1], 1;
`, []string{"race-war 2 3"}},
}
