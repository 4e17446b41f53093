package check_test

// Warps that exchange values through memory, with and without barriers.
var barrierCases = []raceCase{
	{"raw in shared memory without a barrier", dim(1, 1, 1), dim(64, 1, 1), `
mov.u32 %r10, s; add.u32 %r10, %r10, %r5;
xor.b32 %r11, %r5, 128; mov.u32 %r12, s; add.u32 %r12, %r12, %r11;
st.shared.u32 [%r10], %r1;
ld.shared.u32 %r13, [%r12];
`, []string{"race-raw 3 4"}},
	{"raw in shared memory with a barrier", dim(1, 1, 1), dim(64, 1, 1), `
mov.u32 %r10, s; add.u32 %r10, %r10, %r5;
xor.b32 %r11, %r5, 128; mov.u32 %r12, s; add.u32 %r12, %r12, %r11;
st.shared.u32 [%r10], %r1;
bar.sync 0;
ld.shared.u32 %r13, [%r12];
`, nil},
	{"war in shared memory: the second barrier is missing", dim(1, 1, 1), dim(64, 1, 1), `
mov.u32 %r10, s; add.u32 %r10, %r10, %r5;
xor.b32 %r11, %r5, 128; mov.u32 %r12, s; add.u32 %r12, %r12, %r11;
st.shared.u32 [%r10], %r1;
bar.sync 0;
ld.shared.u32 %r13, [%r12];
add.u32 %r13, %r13, 100;
st.shared.u32 [%r10], %r13;
`, []string{"race-war 5 7"}},
	{"waw in shared memory", dim(1, 1, 1), dim(64, 1, 1), `
mov.u32 %r10, s; shl.b32 %r11, %r2, 2; add.u32 %r10, %r10, %r11;
st.shared.u32 [%r10], %r1;
`, []string{"race-waw 2 2"}},
	{"same value from two warps", dim(1, 1, 1), dim(64, 1, 1), `
mov.u32 %r10, s; shl.b32 %r11, %r2, 2; add.u32 %r10, %r10, %r11;
st.shared.u32 [%r10], 7;
`, []string{"race-same-value 2 2"}},
	{"raw in global memory without a barrier", dim(1, 1, 1), dim(64, 1, 1), `
xor.b32 %r11, %r5, 128; cvt.u64.u32 %rd3, %r11; add.u64 %rd3, %rd3, %rd1;
st.global.u32 [%rd2], %r1;
ld.global.u32 %r13, [%rd3];
`, []string{"race-raw 2 3"}},
	{"raw in global memory with a barrier", dim(1, 1, 1), dim(64, 1, 1), `
xor.b32 %r11, %r5, 128; cvt.u64.u32 %rd3, %r11; add.u64 %rd3, %rd3, %rd1;
st.global.u32 [%rd2], %r1;
bar.sync 0;
ld.global.u32 %r13, [%rd3];
`, nil},
	{"bar.red is a barrier", dim(1, 1, 1), dim(64, 1, 1), `
xor.b32 %r11, %r5, 128; cvt.u64.u32 %rd3, %r11; add.u64 %rd3, %rd3, %rd1;
st.global.u32 [%rd2], %r1;
setp.eq.u32 %p1, %r1, 0; bar.red.popc.u32 %r14, 0, %p1;
ld.global.u32 %r13, [%rd3];
`, nil},
	// Warps 0 and 1 synchronise at barrier 3, warps 2 and 3 at barrier 4. A warp reads its partner's value.
	{"named barriers of two warps each", dim(1, 1, 1), dim(128, 1, 1), `
xor.b32 %r11, %r5, 128; cvt.u64.u32 %rd3, %r11; add.u64 %rd3, %rd3, %rd1;
shr.u32 %r12, %r4, 1; add.u32 %r12, %r12, 3;
st.global.u32 [%rd2], %r1;
bar.sync %r12, 64;
ld.global.u32 %r13, [%rd3];
`, nil},
	// As above, but a warp reads the value of a warp of the other pair.
	{"named barriers of the wrong warps", dim(1, 1, 1), dim(128, 1, 1), `
xor.b32 %r11, %r5, 256; cvt.u64.u32 %rd3, %r11; add.u64 %rd3, %rd3, %rd1;
shr.u32 %r12, %r4, 1; add.u32 %r12, %r12, 3;
st.global.u32 [%rd2], %r1;
bar.sync %r12, 64;
ld.global.u32 %r13, [%rd3];
`, []string{"race-raw 3 5"}},
	// Warp 0 writes and arrives; warp 1 waits and reads.
	{"bar.arrive releases", dim(1, 1, 1), dim(64, 1, 1), `
shl.b32 %r11, %r2, 2; cvt.u64.u32 %rd3, %r11; add.u64 %rd3, %rd3, %rd1;
setp.eq.u32 %p1, %r4, 0;
@!%p1 bra CONSUMER;
st.global.u32 [%rd3], %r1;
bar.arrive 1, 64;
bra END;
CONSUMER: bar.sync 1, 64;
ld.global.u32 %r13, [%rd3];
END:
`, nil},
	// Warp 0 writes only after it has arrived.
	{"bar.arrive does not release what comes after", dim(1, 1, 1), dim(64, 1, 1), `
shl.b32 %r11, %r2, 2; cvt.u64.u32 %rd3, %r11; add.u64 %rd3, %rd3, %rd1;
setp.eq.u32 %p1, %r4, 0;
@!%p1 bra CONSUMER;
bar.arrive 1, 64;
st.global.u32 [%rd3], %r1;
bra END;
CONSUMER: bar.sync 1, 64;
ld.global.u32 %r13, [%rd3];
END:
`, []string{"race-raw 5 8"}},
	// Warp 1 reads and waits; warp 0, which only arrives, then writes: it has not waited for the read.
	{"bar.arrive does not acquire", dim(1, 1, 1), dim(64, 1, 1), `
shl.b32 %r11, %r2, 2; cvt.u64.u32 %rd3, %r11; add.u64 %rd3, %rd3, %rd1;
setp.eq.u32 %p1, %r4, 1;
@!%p1 bra PRODUCER;
ld.global.u32 %r13, [%rd3];
bar.sync 1, 64;
bra END;
PRODUCER: bar.arrive 1, 64;
add.u32 %r1, %r1, 1;
st.global.u32 [%rd3], %r1;
END:
`, []string{"race-war 4 9"}},
	// Warp 0 acquires at barrier 1 and releases to warp 2 at barrier 2.
	{"barriers are cumulative", dim(1, 1, 1), dim(96, 1, 1), `
shl.b32 %r11, %r2, 2; cvt.u64.u32 %rd3, %r11; add.u64 %rd3, %rd3, %rd1;
setp.eq.u32 %p1, %r4, 1; setp.eq.u32 %p2, %r4, 2;
@%p1 bra ONE; @%p2 bra TWO;
bar.sync 1, 64; bar.sync 2, 64; bra END;
ONE: st.global.u32 [%rd3], %r1; bar.sync 1, 64; bra END;
TWO: bar.sync 2, 64; ld.global.u32 %r13, [%rd3];
END:
`, nil},
	// __syncthreads orders the accesses of the threads that have not exited (CUDA
	// C++ Programming Guide, synchronization functions).
	{"a thread that exits does not arrive", dim(1, 1, 1), dim(64, 1, 1), `
shl.b32 %r11, %r2, 2; cvt.u64.u32 %rd3, %r11; add.u64 %rd3, %rd3, %rd1;
setp.eq.u32 %p1, %r4, 0;
@%p1 st.global.u32 [%rd3], %r1;
@%p1 exit;
bar.sync 0;
ld.global.u32 %r13, [%rd3];
`, []string{"race-raw 3 6"}},
	{"threads that exited do not unsettle a barrier", dim(1, 1, 1), dim(64, 1, 1), `
xor.b32 %r11, %r5, 128; cvt.u64.u32 %rd3, %r11; add.u64 %rd3, %rd3, %rd1;
setp.ge.u32 %p1, %r2, 30;
@%p1 exit;
st.global.u32 [%rd2], %r1;
bar.sync 0;
ld.global.u32 %r13, [%rd3];
bar.sync 0;
st.global.u32 [%rd2], %r1;
`, nil},
	{"a loop with both barriers", dim(1, 1, 1), dim(64, 1, 1), `
xor.b32 %r11, %r5, 128; cvt.u64.u32 %rd3, %r11; add.u64 %rd3, %rd3, %rd1; mov.u32 %r14, 0;
LOOP: add.u32 %r15, %r14, %r1; st.global.u32 [%rd2], %r15;
bar.sync 0;
ld.global.u32 %r13, [%rd3];
bar.sync 0;
add.u32 %r14, %r14, 1; setp.lt.u32 %p1, %r14, 5;
@%p1 bra LOOP;
`, nil},
	{"a loop that lacks the second barrier", dim(1, 1, 1), dim(64, 1, 1), `
xor.b32 %r11, %r5, 128; cvt.u64.u32 %rd3, %r11; add.u64 %rd3, %rd3, %rd1; mov.u32 %r14, 0;
LOOP: add.u32 %r15, %r14, %r1; st.global.u32 [%rd2], %r15;
bar.sync 0;
ld.global.u32 %r13, [%rd3];
add.u32 %r14, %r14, 1; setp.lt.u32 %p1, %r14, 5;
@%p1 bra LOOP;
`, []string{"race-war 4 2"}},
}

// The last value alone does not show which write won: the third warp writes the same value as the first.
var valueCases = []raceCase{
	{"two values, three warps", dim(1, 1, 1), dim(96, 1, 1), `
setp.eq.u32 %p1, %r2, 0; and.b32 %r10, %r4, 1;
@%p1 st.global.u32 [%rd1], %r10;
`, []string{"race-waw 2 2"}},
	{"one value, four warps", dim(1, 1, 1), dim(128, 1, 1), `
st.global.u32 [%rd1], 9;
st.global.u32 [%rd1], 9;
`, []string{"race-same-value 1 1", "race-same-value 1 2", "race-same-value 2 2"}},
	{"in a loop lanes write over each other, with one value at the end", dim(1, 1, 1), dim(32, 1, 1), `
mov.u32 %r10, 0; setp.lt.u32 %p2, %r2, 3;
LOOP: setp.le.u32 %p3, %r2, %r10; and.pred %p3, %p3, %p2; setp.ge.u32 %p4, %r2, %r10; and.pred %p3, %p3, %p4;
@%p3 st.global.u32 [%rd1], %r2;
add.u32 %r10, %r10, 1; setp.lt.u32 %p1, %r10, 3; @%p1 bra LOOP;
@%p2 st.global.u32 [%rd1], %r10;
`, []string{"race-lockstep 3 3", "race-lockstep 3 5", "race-same-value 5 5"}},
}

// Lanes of one warp. Only bar.warp.sync orders them (PTX ISA 9.7.13.2); shfl, vote and similar instructions do not
// order memory.
var warpCases = []raceCase{
	{"neighbours in lock step", dim(1, 1, 1), dim(32, 1, 1), `
xor.b32 %r11, %r5, 4; cvt.u64.u32 %rd3, %r11; add.u64 %rd3, %rd3, %rd1;
st.global.u32 [%rd2], %r1;
ld.global.u32 %r13, [%rd3];
`, []string{"race-lockstep 2 3"}},
	{"neighbours after bar.warp.sync", dim(1, 1, 1), dim(32, 1, 1), `
xor.b32 %r11, %r5, 4; cvt.u64.u32 %rd3, %r11; add.u64 %rd3, %rd3, %rd1;
st.global.u32 [%rd2], %r1;
bar.warp.sync 0xffffffff;
ld.global.u32 %r13, [%rd3];
`, nil},
	{"neighbours after bar.sync", dim(1, 1, 1), dim(32, 1, 1), `
xor.b32 %r11, %r5, 4; cvt.u64.u32 %rd3, %r11; add.u64 %rd3, %rd3, %rd1;
st.global.u32 [%rd2], %r1;
bar.sync 0;
ld.global.u32 %r13, [%rd3];
`, nil},
	{"shfl and vote order no memory", dim(1, 1, 1), dim(32, 1, 1), `
xor.b32 %r11, %r5, 4; cvt.u64.u32 %rd3, %r11; add.u64 %rd3, %rd3, %rd1;
st.global.u32 [%rd2], %r1;
shfl.sync.idx.b32 %r14, %r1, 0, 31, 0xffffffff; vote.sync.any.pred %p1, %p2, 0xffffffff;
ld.global.u32 %r13, [%rd3];
`, []string{"race-lockstep 2 4"}},
	{"bar.warp.sync of half warps, within them", dim(1, 1, 1), dim(32, 1, 1), `
xor.b32 %r11, %r5, 4; cvt.u64.u32 %rd3, %r11; add.u64 %rd3, %rd3, %rd1;
setp.lt.u32 %p1, %r2, 16; selp.u32 %r12, 0x0000ffff, 0xffff0000, %p1;
st.global.u32 [%rd2], %r1;
bar.warp.sync %r12;
ld.global.u32 %r13, [%rd3];
`, nil},
	{"bar.warp.sync of half warps, across them", dim(1, 1, 1), dim(32, 1, 1), `
xor.b32 %r11, %r5, 64; cvt.u64.u32 %rd3, %r11; add.u64 %rd3, %rd3, %rd1;
setp.lt.u32 %p1, %r2, 16; selp.u32 %r12, 0x0000ffff, 0xffff0000, %p1;
st.global.u32 [%rd2], %r1;
bar.warp.sync %r12;
ld.global.u32 %r13, [%rd3];
`, []string{"race-lockstep 3 5"}},
	{"lanes that meet from two places", dim(1, 1, 1), dim(32, 1, 1), `
xor.b32 %r11, %r5, 64; cvt.u64.u32 %rd3, %r11; add.u64 %rd3, %rd3, %rd1;
setp.lt.u32 %p1, %r2, 16;
@%p1 bra LOW;
st.global.u32 [%rd2], %r1; bar.warp.sync 0xffffffff; ld.global.u32 %r13, [%rd3];
bra END;
LOW: st.global.u32 [%rd2], %r1; bar.warp.sync 0xffffffff; ld.global.u32 %r13, [%rd3];
END:
`, nil},
	{"lanes on two sides of a branch", dim(1, 1, 1), dim(32, 1, 1), `
xor.b32 %r11, %r5, 64; cvt.u64.u32 %rd3, %r11; add.u64 %rd3, %rd3, %rd1;
setp.lt.u32 %p1, %r2, 16;
@%p1 bra LOW;
st.global.u32 [%rd2], %r1;
bra END;
LOW: ld.global.u32 %r13, [%rd3];
END:
`, []string{"race-raw 4 6"}},
	{"one instruction, one place", dim(1, 1, 1), dim(32, 1, 1), `
st.global.u32 [%rd1], %r1;
`, []string{"race-waw 1 1"}},
	{"one instruction, one place, one value", dim(1, 1, 1), dim(32, 1, 1), `
st.global.u32 [%rd1], %r3;
`, []string{"race-same-value 1 1"}},
	{"one instruction twice", dim(1, 1, 1), dim(32, 1, 1), `
mov.u32 %r10, 0; add.u32 %r13, %r1, 1000;
LOOP: add.u32 %r11, %r1, %r10; and.b32 %r11, %r11, 31; shl.b32 %r11, %r11, 2; cvt.u64.u32 %rd3, %r11; add.u64 %rd3, %rd3, %rd1;
st.global.u32 [%rd3], %r13;
add.u32 %r10, %r10, 1; setp.lt.u32 %p1, %r10, 2; @%p1 bra LOOP;
`, []string{"race-lockstep 3 3"}},
	// The end of a reduction as in CUDA programs from before Volta.
	{"warp-synchronous reduction", dim(1, 1, 1), dim(32, 1, 1), `
mov.u32 %r10, s; add.u32 %r10, %r10, %r5; st.shared.u32 [%r10], %r1;
setp.lt.u32 %p1, %r2, 2;
@%p1 ld.shared.u32 %r13, [%r10+8];
@%p1 st.shared.u32 [%r10], %r13;
setp.lt.u32 %p1, %r2, 1;
@%p1 ld.shared.u32 %r13, [%r10+4];
`, []string{"race-lockstep 1 3", "race-lockstep 1 6", "race-lockstep 4 6"}},
	{"warp-synchronous reduction with bar.warp.sync", dim(1, 1, 1), dim(32, 1, 1), `
mov.u32 %r10, s; add.u32 %r10, %r10, %r5; st.shared.u32 [%r10], %r1;
setp.lt.u32 %p1, %r2, 2; bar.warp.sync 0xffffffff;
@%p1 ld.shared.u32 %r13, [%r10+8];
@%p1 st.shared.u32 [%r10], %r13;
setp.lt.u32 %p1, %r2, 1; bar.warp.sync 0xffffffff;
@%p1 ld.shared.u32 %r13, [%r10+4];
`, nil},
	{"local memory and parameters are nobody else's", dim(2, 1, 1), dim(64, 1, 1), `
.local .align 4 .b8 mine[16]; mov.u64 %rd5, mine;
st.local.u32 [%rd5], %r1; ld.local.u32 %r13, [%rd5];
cvta.local.u64 %rd5, %rd5; st.u32 [%rd5], %r3; ld.param.u64 %rd6, [g];
`, nil},
}
