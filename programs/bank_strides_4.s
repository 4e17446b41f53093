// bank_strides_4: lane l loads word s*l of shared memory, for eight strides s.
//
// Shows bank conflicts. Word w of shared memory is in bank w mod
// 32, and a bank delivers one word at a time. A load in which
// lanes need different words of one bank takes as many passes,
// called wavefronts, as the busiest bank has words to deliver:
//
//     stride              1    2    3    4    8   16   32   33
//     banks in use       32   16   32    8    4    2    1   32
//     wavefronts          1    2    1    4    8   16   32    1
//
// Lane l is in bank s*l mod 32, and the lanes come back to bank 0 after 32/g of
// them, where g is the greatest common divisor of s and 32: so g lanes share a
// bank. Odd strides are free of conflicts, which is why a row of 33 words is a
// good one to go down a column of: see transpose.s.
//
// One warp does it all: it fills shared memory, 32 rounds of 32 words, and
// loads from it with each stride. Other CTAs end at once.
//
// It executes 9 instructions before FILL, 32*5 in it, 4 up to the loads, 8*3
// for the strides and ret: 198.

//sim:grid   1
//sim:block  32
//sim:arg    out = zeros:256:u32
//sim:dump   out:u32:8

// Word w is w: lane l gets s*l. A row of out for each stride.
//sim:expect out[0:32]    == iota:32:u32:0:1
//sim:expect out[32:64]   == iota:32:u32:0:2
//sim:expect out[64:96]   == iota:32:u32:0:3
//sim:expect out[96:128]  == iota:32:u32:0:4
//sim:expect out[128:160] == iota:32:u32:0:8
//sim:expect out[160:192] == iota:32:u32:0:16
//sim:expect out[192:224] == iota:32:u32:0:32
//sim:expect out[224:256] == iota:32:u32:0:33

// The table above. A store of the filling has one wavefront for each of its 32
// rounds.
//sim:expect metric warp_instructions == 198
//sim:expect metric shared_load_requests == 8
//sim:expect metric shared_load_wavefronts == 65
//sim:expect metric shared_store_wavefronts == 32
//sim:expect metric shared_load_wavefronts@STRIDE1 == 1
//sim:expect metric shared_load_wavefronts@STRIDE2 == 2
//sim:expect metric shared_load_wavefronts@STRIDE3 == 1
//sim:expect metric shared_load_wavefronts@STRIDE4 == 4
//sim:expect metric shared_load_wavefronts@STRIDE8 == 8
//sim:expect metric shared_load_wavefronts@STRIDE16 == 16
//sim:expect metric shared_load_wavefronts@STRIDE32 == 32
//sim:expect metric shared_load_wavefronts@STRIDE33 == 1
//sim:expect metric shared_load_conflict_degree@STRIDE1 == 1
//sim:expect metric shared_load_conflict_degree@STRIDE2 == 2
//sim:expect metric shared_load_conflict_degree@STRIDE3 == 1
//sim:expect metric shared_load_conflict_degree@STRIDE4 == 4
//sim:expect metric shared_load_conflict_degree@STRIDE8 == 8
//sim:expect metric shared_load_conflict_degree@STRIDE16 == 16
//sim:expect metric shared_load_conflict_degree@STRIDE32 == 32
//sim:expect metric shared_load_conflict_degree@STRIDE33 == 1

.entry bank_strides_4(
    .param .u64 out)
.reqntid 32
{
    .shared .u32 words[1024];                   // 32 rounds of 32

    // Only the first CTA has something to do.
    mov.u32             %r1, %ctaid.x;
    mov.u32             %r2, %ctaid.y;
    or.b32              %r3, %r1, %r2;
    setp.ne.u32         %p1, %r3, 0;
    @%p1 bra            DONE;

    // words[w] = w, 32 at a time.
    mov.u32             %r4, %tid.x;            // lane
    mov.u32             %r5, words;
    mov.u32             %r6, %r4;               // w
    mad.lo.u32          %r7, %r4, 4, %r5;       // its place
FILL:
    st.shared.u32       [%r7], %r6;
    add.u32             %r7, %r7, 128;
    add.u32             %r6, %r6, 32;
    setp.lt.u32         %p2, %r6, 1024;
    @%p2 bra            FILL;
    bar.sync            0;

    ld.param.u64        %rd1, [out];
    cvta.to.global.u64  %rd1, %rd1;
    mad.wide.u32        %rd1, %r4, 4, %rd1;     // out[lane]

    mad.lo.u32          %r8, %r4, 4, %r5;
STRIDE1:
    ld.shared.u32       %r9, [%r8];
    st.global.u32       [%rd1], %r9;
    mad.lo.u32          %r8, %r4, 8, %r5;
STRIDE2:
    ld.shared.u32       %r9, [%r8];
    st.global.u32       [%rd1+128], %r9;
    mad.lo.u32          %r8, %r4, 12, %r5;
STRIDE3:
    ld.shared.u32       %r9, [%r8];
    st.global.u32       [%rd1+256], %r9;
    mad.lo.u32          %r8, %r4, 16, %r5;
STRIDE4:
    ld.shared.u32       %r9, [%r8];
    st.global.u32       [%rd1+384], %r9;
    mad.lo.u32          %r8, %r4, 32, %r5;
STRIDE8:
    ld.shared.u32       %r9, [%r8];
    st.global.u32       [%rd1+512], %r9;
    mad.lo.u32          %r8, %r4, 64, %r5;
STRIDE16:
    ld.shared.u32       %r9, [%r8];
    st.global.u32       [%rd1+640], %r9;
    mad.lo.u32          %r8, %r4, 128, %r5;
STRIDE32:
    ld.shared.u32       %r9, [%r8];
    st.global.u32       [%rd1+768], %r9;
    mad.lo.u32          %r8, %r4, 132, %r5;
STRIDE33:
    ld.shared.u32       %r9, [%r8];
    st.global.u32       [%rd1+896], %r9;
DONE:
    ret;
}
