// copy_offset: row k of out is in from byte b on, for b = 0, 4, 16, 32, 124.
//
// Shows the cost when a warp's 128 bytes are contiguous, but do
// not start at a line boundary. Sectors have 32 bytes, lines 128:
//
//     offset              0    4   16   32  124
//     sectors             4    5    5    4    5
//     lines               1    2    2    2    2
//
// With an offset of 32 the 128 bytes are 4 whole sectors, though of two lines.
// In between they cover a part of a first sector and the rest of a fifth. But
// neighbouring warps share that sector: each is asked for twice, and the second
// time it may still be in the cache.
//
// 8 CTAs of 128 threads are 1024 threads, one for each element of a row;
// with another grid, a thread continues with the element that is ahead
// by the number of threads in the grid. A warp executes 18 instructions
// before LOOP, 20 in it and ret: 39, and the 32 warps 1248.

//sim:grid   8
//sim:block  128
//sim:arg    in  = iota:1056:u32
//sim:arg    out = zeros:5120:u32
//sim:arg    n   = 1024
//sim:dump   out:u32:8

// in[i] is i, so a row goes up from its offset, 4 bytes an element.
//sim:expect out[0:1024]    == iota:1024:u32
//sim:expect out[1024:2048] == iota:1024:u32:1
//sim:expect out[2048:3072] == iota:1024:u32:4
//sim:expect out[3072:4096] == iota:1024:u32:8
//sim:expect out[4096:5120] == iota:1024:u32:31

// 32 warps load once from each offset: 32 times the table. in itself starts
// with a line. The stores are aligned: 5*32*4 sectors in 5*32 lines.
//sim:expect metric warp_instructions == 1248
//sim:expect metric global_load_requests == 160
//sim:expect metric global_load_sectors == 736
//sim:expect metric global_load_lines == 288
//sim:expect metric global_store_sectors == 640
//sim:expect metric global_store_lines == 160
//sim:expect metric global_load_sectors@OFFSET0 == 128
//sim:expect metric global_load_sectors@OFFSET4 == 160
//sim:expect metric global_load_sectors@OFFSET16 == 160
//sim:expect metric global_load_sectors@OFFSET32 == 128
//sim:expect metric global_load_sectors@OFFSET124 == 160
//sim:expect metric global_load_lines@OFFSET0 == 32
//sim:expect metric global_load_lines@OFFSET32 == 64

.entry copy_offset(
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
    mul.wide.u32        %rd4, %r7, 4;           // i in bytes
    add.u64             %rd5, %rd1, %rd4;
OFFSET0:
    ld.global.u32       %r12, [%rd5];
OFFSET4:
    ld.global.u32       %r13, [%rd5+4];
OFFSET16:
    ld.global.u32       %r14, [%rd5+16];
OFFSET32:
    ld.global.u32       %r15, [%rd5+32];
OFFSET124:
    ld.global.u32       %r16, [%rd5+124];

    // out[k][i], row by row
    add.u64             %rd6, %rd2, %rd4;
    st.global.u32       [%rd6], %r12;
    add.u64             %rd6, %rd6, %rd3;
    st.global.u32       [%rd6], %r13;
    add.u64             %rd6, %rd6, %rd3;
    st.global.u32       [%rd6], %r14;
    add.u64             %rd6, %rd6, %rd3;
    st.global.u32       [%rd6], %r15;
    add.u64             %rd6, %rd6, %rd3;
    st.global.u32       [%rd6], %r16;

    add.u32             %r7, %r7, %r11;
    setp.lt.u32         %p2, %r7, %r8;
    @%p2 bra            LOOP;
DONE:
    ret;
}
