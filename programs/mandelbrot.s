// mandelbrot: how often z = z*z + c can be repeated, from z = 0, before z is
// farther than 2 from 0; at most limit times.
//
// Shows data-dependent divergence. Each thread has a pixel, with its own
// c, and stays in the inner loop as long as that c requires: a warp is as
// slow as its slowest pixel. Within the set all lanes run to the limit;
// along the set's edge a few lanes keep the warp busy. The inner loop has
// two exits, and lanes wait for each other after both, at ESCAPED.
//
// Pixel (x, y) is c = -2 + x/16 + (y/16)i, so the first row is the real axis.
// Pixels are numbered row by row: 16 CTAs of 128 threads for 64 x 32 of them.

//sim:grid   16
//sim:block  128
//sim:arg    out    = zeros:2048:u32
//sim:arg    width  = 64
//sim:arg    height = 32
//sim:arg    limit  = 64
//sim:dump   out:u32:64

// The real axis. From -2 to 1/4 z never leaves [-2, 2]: pixels 0 to 36 reach
// the limit. Beyond, with z in order:
//
//     pixel  c       z
//     37     0.3125  0.31 0.41 0.48 0.54 0.61 0.68 0.78 0.92 1.15 1.65 3.02
//     38     0.375   0.38 0.52 0.64 0.79 0.99 1.36 2.22
//     39     0.4375  0.44 0.63 0.83 1.13 1.72 3.39
//     40     0.5     0.5 0.75 1.06 1.63 3.15
//     41     0.5625  0.56 0.88 1.34 2.34
//     42     0.625   0.63 1.02 1.66 3.37
//     43     0.6875  0.69 1.16 2.03       and so, with larger z, up to c = 1:
//     48     1       1 2 5                2 itself is not farther than 2
//     49 up                               c*c + c is more than 2
//sim:expect out[0:37]  == 64
//sim:expect out[37:49] == 11 7 6 5 4 4 3 3 3 3 3 3
//sim:expect out[49:64] == 2

// c = i, pixel (32, 16), goes from -1 + i to -i and back forever.
//sim:expect out[1056] == 64

// The last row, y/16 = 31/16. Only where x/16 - 2 is from -7/16 to 7/16 is c
// itself not farther than 2, and there z*z + c has a real part below -3.
//sim:expect out[1984:2009] == 1
//sim:expect out[2009:2024] == 2
//sim:expect out[2024:2048] == 1

.entry mandelbrot(
    .param .u64 out,
    .param .u32 width,
    .param .u32 height,
    .param .u32 limit)
{
    // This thread's first pixel.
    mov.u32             %r1, %ctaid.y;
    mov.u32             %r2, %nctaid.x;
    mov.u32             %r3, %ctaid.x;
    mad.lo.u32          %r4, %r1, %r2, %r3;     // cta
    mov.u32             %r5, %ntid.x;
    mov.u32             %r6, %tid.x;
    mad.lo.u32          %r7, %r4, %r5, %r6;     // i

    // Threads past the end have nothing to do.
    ld.param.u32        %r8, [width];
    ld.param.u32        %r9, [height];
    mul.lo.u32          %r10, %r8, %r9;         // pixels
    setp.ge.u32         %p1, %r7, %r10;
    @%p1 bra            DONE;

    // How far the next pixel is: the threads of the grid.
    mov.u32             %r11, %nctaid.y;
    mul.lo.u32          %r12, %r2, %r11;
    mul.lo.u32          %r13, %r12, %r5;

    ld.param.u32        %r14, [limit];
    ld.param.u64        %rd1, [out];
    cvta.to.global.u64  %rd1, %rd1;

PIXEL:
    // c
    rem.u32             %r15, %r7, %r8;         // x
    div.u32             %r16, %r7, %r8;         // y
    cvt.rn.f32.u32      %f1, %r15;
    cvt.rn.f32.u32      %f2, %r16;
    fma.rn.f32          %f1, %f1, 0.0625, -2.0; // real part
    mul.f32             %f2, %f2, 0.0625;       // imaginary part

    mov.f32             %f3, 0.0;               // z, real part
    mov.f32             %f4, 0.0;               // z, imaginary part
    mov.u32             %r17, 0;                // repetitions
REPEAT:
    // if |z|^2 > 4: escaped
    mul.f32             %f5, %f3, %f3;
    mul.f32             %f6, %f4, %f4;
    add.f32             %f7, %f5, %f6;
    setp.gt.f32         %p2, %f7, 4.0;
    @%p2 bra            ESCAPED;

    // z = z*z + c
    sub.f32             %f8, %f5, %f6;
    mul.f32             %f9, %f3, %f4;
    add.f32             %f3, %f8, %f1;
    fma.rn.f32          %f4, %f9, 2.0, %f2;

    add.u32             %r17, %r17, 1;
    setp.lt.u32         %p3, %r17, %r14;
    @%p3 bra            REPEAT;

ESCAPED:
    mul.wide.u32        %rd2, %r7, 4;
    add.u64             %rd3, %rd1, %rd2;
    st.global.u32       [%rd3], %r17;

    add.u32             %r7, %r7, %r13;
    setp.lt.u32         %p4, %r7, %r10;
    @%p4 bra            PIXEL;
DONE:
    ret;
}
