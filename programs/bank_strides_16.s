// bank_strides_16: lane l loads 16 bytes, group s*l of shared memory, for eight
// strides s.
//
// Shows bank conflicts of the widest loads. 32 lanes with four words each want
// 128 words, and the 32 banks deliver 32 at a time. So a load of 16 bytes is
// done in four phases of 8 lanes, and takes 4 wavefronts at best. Within a
// phase it is as in bank_strides_4.s: 8 lanes take 32 words, and where several
// are of one bank, one wavefront each.
//
//     stride              1    2    3    4    8   16   32   33
//     lanes on a bank     1    2    1    4    8    8    8    1
//     wavefronts          4    8    4   16   32   32   32    4
//
// Group p is in banks 4p to 4p + 3, mod 32: 8 sets of banks, and
// g lanes share one, where g is the greatest common divisor of s
// and 8. From stride 8 on it is 8, all lanes of the phase, except
// for 33. All phases are alike, so there are 4g wavefronts.
//
// A row of 16-byte groups is free of conflicts for any odd stride: pad by 16
// bytes where rows are read that way.
//
// One warp does it all: it fills shared memory, 128 rounds of 32 words, and
// loads from it with each stride. Other CTAs end at once.
//
// It executes 9 instructions before FILL, 128*5 in it, 4 up to the loads, 8*6
// for the strides and ret: 702.

//sim:grid   1
//sim:block  32
//sim:arg    out = zeros:256:u32
//sim:dump   out:u32:8

// Word w is w. Group s*l is words 4sl to 4sl + 3, which are 16sl + 6 together.
// A row of out for each stride.
//sim:expect out[0:32]    == iota:32:u32:6:16
//sim:expect out[32:64]   == iota:32:u32:6:32
//sim:expect out[64:96]   == iota:32:u32:6:48
//sim:expect out[96:128]  == iota:32:u32:6:64
//sim:expect out[128:160] == iota:32:u32:6:128
//sim:expect out[160:192] == iota:32:u32:6:256
//sim:expect out[192:224] == iota:32:u32:6:512
//sim:expect out[224:256] == iota:32:u32:6:528

// The table above. A store of the filling has one wavefront for each of its
// 128 rounds. The degree of a conflict is wavefronts over those at best, 4.
//sim:expect metric warp_instructions == 702
//sim:expect metric shared_load_requests == 8
//sim:expect metric shared_load_wavefronts == 132
//sim:expect metric shared_store_wavefronts == 128
//sim:expect metric shared_load_wavefronts@STRIDE1 == 4
//sim:expect metric shared_load_wavefronts@STRIDE2 == 8
//sim:expect metric shared_load_wavefronts@STRIDE3 == 4
//sim:expect metric shared_load_wavefronts@STRIDE4 == 16
//sim:expect metric shared_load_wavefronts@STRIDE8 == 32
//sim:expect metric shared_load_wavefronts@STRIDE16 == 32
//sim:expect metric shared_load_wavefronts@STRIDE32 == 32
//sim:expect metric shared_load_wavefronts@STRIDE33 == 4
//sim:expect metric shared_load_conflict_degree@STRIDE1 == 1
//sim:expect metric shared_load_conflict_degree@STRIDE2 == 2
//sim:expect metric shared_load_conflict_degree@STRIDE3 == 1
//sim:expect metric shared_load_conflict_degree@STRIDE4 == 4
//sim:expect metric shared_load_conflict_degree@STRIDE8 == 8
//sim:expect metric shared_load_conflict_degree@STRIDE16 == 8
//sim:expect metric shared_load_conflict_degree@STRIDE32 == 8
//sim:expect metric shared_load_conflict_degree@STRIDE33 == 1

.entry bank_strides_16(
    .param .u64 out)
.reqntid 32
{
    .shared .align 16 .u32 words[4096];         // 128 rounds of 32

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
    setp.lt.u32         %p2, %r6, 4096;
    @%p2 bra            FILL;
    bar.sync            0;

    ld.param.u64        %rd1, [out];
    cvta.to.global.u64  %rd1, %rd1;
    mad.wide.u32        %rd1, %r4, 4, %rd1;     // out[lane]

    mad.lo.u32          %r8, %r4, 16, %r5;
STRIDE1:
    ld.shared.v4.u32    {%r9, %r10, %r11, %r12}, [%r8];
    add.u32             %r9, %r9, %r10;
    add.u32             %r11, %r11, %r12;
    add.u32             %r9, %r9, %r11;
    st.global.u32       [%rd1], %r9;
    mad.lo.u32          %r8, %r4, 32, %r5;
STRIDE2:
    ld.shared.v4.u32    {%r9, %r10, %r11, %r12}, [%r8];
    add.u32             %r9, %r9, %r10;
    add.u32             %r11, %r11, %r12;
    add.u32             %r9, %r9, %r11;
    st.global.u32       [%rd1+128], %r9;
    mad.lo.u32          %r8, %r4, 48, %r5;
STRIDE3:
    ld.shared.v4.u32    {%r9, %r10, %r11, %r12}, [%r8];
    add.u32             %r9, %r9, %r10;
    add.u32             %r11, %r11, %r12;
    add.u32             %r9, %r9, %r11;
    st.global.u32       [%rd1+256], %r9;
    mad.lo.u32          %r8, %r4, 64, %r5;
STRIDE4:
    ld.shared.v4.u32    {%r9, %r10, %r11, %r12}, [%r8];
    add.u32             %r9, %r9, %r10;
    add.u32             %r11, %r11, %r12;
    add.u32             %r9, %r9, %r11;
    st.global.u32       [%rd1+384], %r9;
    mad.lo.u32          %r8, %r4, 128, %r5;
STRIDE8:
    ld.shared.v4.u32    {%r9, %r10, %r11, %r12}, [%r8];
    add.u32             %r9, %r9, %r10;
    add.u32             %r11, %r11, %r12;
    add.u32             %r9, %r9, %r11;
    st.global.u32       [%rd1+512], %r9;
    mad.lo.u32          %r8, %r4, 256, %r5;
STRIDE16:
    ld.shared.v4.u32    {%r9, %r10, %r11, %r12}, [%r8];
    add.u32             %r9, %r9, %r10;
    add.u32             %r11, %r11, %r12;
    add.u32             %r9, %r9, %r11;
    st.global.u32       [%rd1+640], %r9;
    mad.lo.u32          %r8, %r4, 512, %r5;
STRIDE32:
    ld.shared.v4.u32    {%r9, %r10, %r11, %r12}, [%r8];
    add.u32             %r9, %r9, %r10;
    add.u32             %r11, %r11, %r12;
    add.u32             %r9, %r9, %r11;
    st.global.u32       [%rd1+768], %r9;
    mad.lo.u32          %r8, %r4, 528, %r5;
STRIDE33:
    ld.shared.v4.u32    {%r9, %r10, %r11, %r12}, [%r8];
    add.u32             %r9, %r9, %r10;
    add.u32             %r11, %r11, %r12;
    add.u32             %r9, %r9, %r11;
    st.global.u32       [%rd1+896], %r9;
DONE:
    ret;
}
