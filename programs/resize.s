// resize: a picture of 8x8 texels becomes one of 16x16, by a texture with linear
// filtering.
//
// Shows the features of a texture in addition to loading: coordinates are fractions
// of the picture, from 0 to 1, so the kernel need not know its size; each value is
// the mean of four texels, weighted by distance; and beyond the edge the nearest
// texel is used. With loads this takes four of them, clamped, and six products.
//
// Pixel (u, v) has its middle at ((u + 1/2)/16, (v + 1/2)/16) of the picture, which is at
// x = u/2 + 1/4 in texels. The middle of texel i is at i + 1/2. So the value is
// a quarter or three quarters of the way between two texels, which the eight
// bits of a weight hold exactly:
//
//     u     0     1      2      3      4      5    ...   14     15
//     x    -1/4   1/4    3/4   1 1/4  1 3/4  2 1/4      6 3/4  7 1/4   in texels
//     is    0     1/4    3/4   1 1/4  1 3/4  2 1/4      6 3/4   7      clamped
//
// A warp executes 7 instructions before PIXEL, 15 in it, 2 to see that there are
// no more pixels and ret: 25, and the 8 warps 200.

//sim:grid    4
//sim:block   64
//sim:buffer  texels = iota:64:f32
//sim:texture image  = texels 2d 8x8 format=f32x1 filter=linear address=clamp normalized
//sim:arg     out    = zeros:256:f32
//sim:dump    out:f32:16

// Texel (x, y) is x + 8y, so that pixel (u, v) is the clamped x plus 8 times the
// clamped y: rows 0, 1 and 15 begin with 0, 2 and 56.
//sim:expect out[0]       == 0
//sim:expect out[1:15]    == iota:14:f32:0.25:0.5
//sim:expect out[15]      == 7
//sim:expect out[16]      == 2
//sim:expect out[17:31]   == iota:14:f32:2.25:0.5
//sim:expect out[31]      == 9
//sim:expect out[240]     == 56
//sim:expect out[241:255] == iota:14:f32:56.25:0.5
//sim:expect out[255]     == 63

.global .texref image;

.entry resize(.param .u64 out)
{
    ld.param.u64        %rd1, [out];
    mov.u32             %r1, %ctaid.x;
    mov.u32             %r2, %ntid.x;
    mov.u32             %r3, %tid.x;
    mad.lo.u32          %r1, %r1, %r2, %r3;     // the pixel
    mov.u32             %r4, %nctaid.x;
    mul.lo.u32          %r4, %r4, %r2;          // threads of the grid
PIXEL:
    setp.ge.u32         %p1, %r1, 256;
    @%p1 bra            DONE;
    and.b32             %r5, %r1, 15;           // u
    shr.u32             %r6, %r1, 4;            // v
    cvt.rn.f32.u32      %f1, %r5;
    cvt.rn.f32.u32      %f2, %r6;
    add.f32             %f1, %f1, 0.5;
    add.f32             %f2, %f2, 0.5;
    mul.f32             %f1, %f1, 0.0625;
    mul.f32             %f2, %f2, 0.0625;
    tex.2d.v4.f32.f32   {%f3, _, _, _}, [image, {%f1, %f2}];
    mad.wide.u32        %rd2, %r1, 4, %rd1;
    st.global.f32       [%rd2], %f3;
    add.u32             %r1, %r1, %r4;
    bra                 PIXEL;
DONE:
    ret;
}
