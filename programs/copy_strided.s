// copy_strided: row k of out is every s-th element of in, for s = 1, 2, 4, 8,
// 32.
//
// Shows the cost of a warp's load when its lanes leave
// gaps. Memory transfers sectors of 32 bytes, four per
// line of 128. 32 lanes s words apart span 128s bytes:
//
//     stride              1    2    4    8   32
//     sectors             4    8   16   32   32     8 words a sector
//     lines               1    2    4    8   32     32 words a line
//     bytes that are used, of those that are moved
//                       1/1  1/2  1/4  1/8  1/8
//
// From stride 8 on every lane has its own sector and it cannot get worse; but the
// number of lines, each of which must be looked up in the cache, continues to grow.
//
// The stores are side by side for every stride: 4 sectors in one line.
//
// 8 CTAs of 128 threads are 1024 threads, one for each element of a row;
// with another grid, a thread continues with the element that is ahead
// by the number of threads in the grid. A warp executes 18 instructions
// before LOOP, 24 in it and ret: 43, and the 32 warps 1376.

//sim:grid   8
//sim:block  128
//sim:arg    in  = iota:32768:u32
//sim:arg    out = zeros:5120:u32
//sim:arg    n   = 1024
//sim:dump   out:u32:8

// in[i] is i, so a row has the multiples of its stride.
//sim:expect out[0:1024]    == iota:1024:u32
//sim:expect out[1024:2048] == iota:1024:u32:0:2
//sim:expect out[2048:3072] == iota:1024:u32:0:4
//sim:expect out[3072:4096] == iota:1024:u32:0:8
//sim:expect out[4096:5120] == iota:1024:u32:0:32

// 32 warps load once with each stride: 32 times the table. Loads have 5*32
// requests, with 32*(4 + 8 + 16 + 32 + 32) = 2944 sectors; stores 5*32*4 = 640.
//sim:expect metric warp_instructions == 1376
//sim:expect metric global_load_requests == 160
//sim:expect metric global_load_sectors == 2944
//sim:expect metric global_load_lines == 1504
//sim:expect metric global_store_sectors == 640
//sim:expect metric global_load_sectors@STRIDE1 == 128
//sim:expect metric global_load_sectors@STRIDE2 == 256
//sim:expect metric global_load_sectors@STRIDE4 == 512
//sim:expect metric global_load_sectors@STRIDE8 == 1024
//sim:expect metric global_load_sectors@STRIDE32 == 1024
//sim:expect metric global_load_lines@STRIDE1 == 32
//sim:expect metric global_load_lines@STRIDE2 == 64
//sim:expect metric global_load_lines@STRIDE4 == 128
//sim:expect metric global_load_lines@STRIDE8 == 256
//sim:expect metric global_load_lines@STRIDE32 == 1024

.entry copy_strided(
    .param .u64 in,
    .param .u64 out,
    .param .u32 n)
{
    // This thread's first element of each row.
    mov.u32             %r1, %ctaid.y;
    mov.u32             %r2, %nctaid.x;
    mov.u32             %r3, %ctaid.x;
    mad.lo.u32          %r4, %r1, %r2, %r3;     // cta
    mov.u32             %r5, %ntid.x;
    mov.u32             %r6, %tid.x;
    mad.lo.u32          %r7, %r4, %r5, %r6;     // i
    ld.param.u32        %r8, [n];
    setp.ge.u32         %p1, %r7, %r8;
    @%p1 bra            DONE;

    // How far the next one is: the threads of the grid.
    mov.u32             %r9, %nctaid.y;
    mul.lo.u32          %r10, %r2, %r9;
    mul.lo.u32          %r11, %r10, %r5;

    ld.param.u64        %rd1, [in];
    ld.param.u64        %rd2, [out];
    cvta.to.global.u64  %rd1, %rd1;
    cvta.to.global.u64  %rd2, %rd2;
    mul.wide.u32        %rd3, %r8, 4;           // a row in bytes
LOOP:
    // in[s*i], for each stride s
    mul.wide.u32        %rd4, %r7, 4;
    add.u64             %rd5, %rd1, %rd4;
STRIDE1:
    ld.global.u32       %r12, [%rd5];
    mad.wide.u32        %rd6, %r7, 8, %rd1;
STRIDE2:
    ld.global.u32       %r13, [%rd6];
    mad.wide.u32        %rd7, %r7, 16, %rd1;
STRIDE4:
    ld.global.u32       %r14, [%rd7];
    mad.wide.u32        %rd8, %r7, 32, %rd1;
STRIDE8:
    ld.global.u32       %r15, [%rd8];
    mad.wide.u32        %rd9, %r7, 128, %rd1;
STRIDE32:
    ld.global.u32       %r16, [%rd9];

    // out[k][i], row by row
    add.u64             %rd10, %rd2, %rd4;
    st.global.u32       [%rd10], %r12;
    add.u64             %rd10, %rd10, %rd3;
    st.global.u32       [%rd10], %r13;
    add.u64             %rd10, %rd10, %rd3;
    st.global.u32       [%rd10], %r14;
    add.u64             %rd10, %rd10, %rd3;
    st.global.u32       [%rd10], %r15;
    add.u64             %rd10, %rd10, %rd3;
    st.global.u32       [%rd10], %r16;

    add.u32             %r7, %r7, %r11;
    setp.lt.u32         %p2, %r7, %r8;
    @%p2 bra            LOOP;
DONE:
    ret;
}
