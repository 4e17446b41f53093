// bank_strides_8: lane l loads 8 bytes, pair s*l of shared memory, for eight
// strides s.
//
// Shows bank conflicts of wide loads. 32 lanes with two words each need
// 64 words, twice what the 32 banks deliver at a time. So a load of 8
// bytes has two phases, lanes 0 to 15 and 16 to 31, and takes at least
// 2 wavefronts. A phase works as in bank_strides_4.s: 16 lanes need 32
// words, and several words of one bank take one wavefront each.
//
//     stride              1    2    3    4    8   16   32   33
//     lanes on a bank     1    2    1    4    8   16   16    1
//     wavefronts          2    4    2    8   16   32   32    2
//
// Pair p is in banks 2p and 2p + 1, mod 32: 16 pairs of banks, and g lanes
// share one, where g is the greatest common divisor of s and 16. It is 16 for
// strides 16 and 32: all lanes of the phase. Both phases are alike, so 2g
// wavefronts.
//
// One warp does it all: it fills shared memory, 64 rounds of 32 words, and
// loads from it with each stride. Other CTAs end at once.
//
// It executes 9 instructions before FILL, 64*5 in it, 4 up to the loads, 8*4
// for the strides and ret: 366.

//sim:grid   1
//sim:block  32
//sim:arg    out = zeros:256:u32
//sim:dump   out:u32:8

// Word w is w. Pair s*l is words 2sl and 2sl + 1, which are 4sl + 1 together. A
// row of out for each stride.
//sim:expect out[0:32]    == iota:32:u32:1:4
//sim:expect out[32:64]   == iota:32:u32:1:8
//sim:expect out[64:96]   == iota:32:u32:1:12
//sim:expect out[96:128]  == iota:32:u32:1:16
//sim:expect out[128:160] == iota:32:u32:1:32
//sim:expect out[160:192] == iota:32:u32:1:64
//sim:expect out[192:224] == iota:32:u32:1:128
//sim:expect out[224:256] == iota:32:u32:1:132

// The table above. A store of the filling has one wavefront for each of its
// 64 rounds. The degree of a conflict is wavefronts over those at best, 2.
//sim:expect metric warp_instructions == 366
//sim:expect metric shared_load_requests == 8
//sim:expect metric shared_load_wavefronts == 98
//sim:expect metric shared_store_wavefronts == 64
//sim:expect metric shared_load_wavefronts@STRIDE1 == 2
//sim:expect metric shared_load_wavefronts@STRIDE2 == 4
//sim:expect metric shared_load_wavefronts@STRIDE3 == 2
//sim:expect metric shared_load_wavefronts@STRIDE4 == 8
//sim:expect metric shared_load_wavefronts@STRIDE8 == 16
//sim:expect metric shared_load_wavefronts@STRIDE16 == 32
//sim:expect metric shared_load_wavefronts@STRIDE32 == 32
//sim:expect metric shared_load_wavefronts@STRIDE33 == 2
//sim:expect metric shared_load_conflict_degree@STRIDE1 == 1
//sim:expect metric shared_load_conflict_degree@STRIDE2 == 2
//sim:expect metric shared_load_conflict_degree@STRIDE3 == 1
//sim:expect metric shared_load_conflict_degree@STRIDE4 == 4
//sim:expect metric shared_load_conflict_degree@STRIDE8 == 8
//sim:expect metric shared_load_conflict_degree@STRIDE16 == 16
//sim:expect metric shared_load_conflict_degree@STRIDE32 == 16
//sim:expect metric shared_load_conflict_degree@STRIDE33 == 1

.entry bank_strides_8(
    .param .u64 out)
.reqntid 32
{
    .shared .align 8 .u32 words[2048];          // 64 rounds of 32

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
    setp.lt.u32         %p2, %r6, 2048;
    @%p2 bra            FILL;
    bar.sync            0;

    ld.param.u64        %rd1, [out];
    cvta.to.global.u64  %rd1, %rd1;
    mad.wide.u32        %rd1, %r4, 4, %rd1;     // out[lane]

    mad.lo.u32          %r8, %r4, 8, %r5;
STRIDE1:
    ld.shared.v2.u32    {%r9, %r10}, [%r8];
    add.u32             %r9, %r9, %r10;
    st.global.u32       [%rd1], %r9;
    mad.lo.u32          %r8, %r4, 16, %r5;
STRIDE2:
    ld.shared.v2.u32    {%r9, %r10}, [%r8];
    add.u32             %r9, %r9, %r10;
    st.global.u32       [%rd1+128], %r9;
    mad.lo.u32          %r8, %r4, 24, %r5;
STRIDE3:
    ld.shared.v2.u32    {%r9, %r10}, [%r8];
    add.u32             %r9, %r9, %r10;
    st.global.u32       [%rd1+256], %r9;
    mad.lo.u32          %r8, %r4, 32, %r5;
STRIDE4:
    ld.shared.v2.u32    {%r9, %r10}, [%r8];
    add.u32             %r9, %r9, %r10;
    st.global.u32       [%rd1+384], %r9;
    mad.lo.u32          %r8, %r4, 64, %r5;
STRIDE8:
    ld.shared.v2.u32    {%r9, %r10}, [%r8];
    add.u32             %r9, %r9, %r10;
    st.global.u32       [%rd1+512], %r9;
    mad.lo.u32          %r8, %r4, 128, %r5;
STRIDE16:
    ld.shared.v2.u32    {%r9, %r10}, [%r8];
    add.u32             %r9, %r9, %r10;
    st.global.u32       [%rd1+640], %r9;
    mad.lo.u32          %r8, %r4, 256, %r5;
STRIDE32:
    ld.shared.v2.u32    {%r9, %r10}, [%r8];
    add.u32             %r9, %r9, %r10;
    st.global.u32       [%rd1+768], %r9;
    mad.lo.u32          %r8, %r4, 264, %r5;
STRIDE33:
    ld.shared.v2.u32    {%r9, %r10}, [%r8];
    add.u32             %r9, %r9, %r10;
    st.global.u32       [%rd1+896], %r9;
DONE:
    ret;
}
