// relu: y[i] = max(x[i], 0), four elements at a time.
//
// Shows two ways to do with fewer instructions. max.f32 chooses without a
// branch, so a lane with a negative element never waits for one without. And a
// vector access moves four elements, 16 bytes, at once. Its address must be a
// multiple of 16, so elements go by groups of four: n is a multiple of 4, and i
// is a group here.
//
// 8 CTAs of 128 threads are 1024 threads, one for each group of 4096 elements.
//
// A warp executes 18 instructions before LOOP, 12 in it and ret: 31, and the 32
// warps 992.

//sim:grid   8
//sim:block  128
//sim:arg    x = iota:4096:f32:-4
//sim:arg    y = fill:4096:f32:-1
//sim:arg    n = 4096
//sim:dump   y:f32:8

// x[i] is i - 4: negative in the first group, which becomes 0, and not below 0
// in the others, which stay.
//sim:expect y[0:8]    == 0 0 0 0 0 1 2 3
//sim:expect y[4:4096] == iota:4092:f32

// 32 warps move 512 bytes, 16 sectors, each way at once.
//sim:expect metric warp_instructions == 992
//sim:expect metric global_load_requests == 32
//sim:expect metric global_load_sectors == 512
//sim:expect metric global_store_sectors == 512

.entry relu(
    .param .u64 x,
    .param .u64 y,
    .param .u32 n)
{
    // This thread's first group.
    mov.u32             %r1, %ctaid.y;
    mov.u32             %r2, %nctaid.x;
    mov.u32             %r3, %ctaid.x;
    mad.lo.u32          %r4, %r1, %r2, %r3;     // cta
    mov.u32             %r5, %ntid.x;
    mov.u32             %r6, %tid.x;
    mad.lo.u32          %r7, %r4, %r5, %r6;     // i

    // Threads past the end have nothing to do.
    ld.param.u32        %r8, [n];
    shr.u32             %r8, %r8, 2;            // groups
    setp.ge.u32         %p1, %r7, %r8;
    @%p1 bra            DONE;

    // How far the next group is: the threads of the grid.
    mov.u32             %r9, %nctaid.y;
    mul.lo.u32          %r10, %r2, %r9;
    mul.lo.u32          %r11, %r10, %r5;

    ld.param.u64        %rd1, [x];
    ld.param.u64        %rd2, [y];
    cvta.to.global.u64  %rd1, %rd1;
    cvta.to.global.u64  %rd2, %rd2;

LOOP:
    mul.wide.u32        %rd3, %r7, 16;          // i in bytes
    add.u64             %rd4, %rd1, %rd3;
    ld.global.v4.f32    {%f1, %f2, %f3, %f4}, [%rd4];
    max.f32             %f1, %f1, 0f00000000;
    max.f32             %f2, %f2, 0f00000000;
    max.f32             %f3, %f3, 0f00000000;
    max.f32             %f4, %f4, 0f00000000;
    add.u64             %rd5, %rd2, %rd3;
    st.global.v4.f32    [%rd5], {%f1, %f2, %f3, %f4};

    add.u32             %r7, %r7, %r11;
    setp.lt.u32         %p2, %r7, %r8;
    @%p2 bra            LOOP;
DONE:
    ret;
}
