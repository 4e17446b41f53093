//sim:block   8
//sim:buffer  texels = list:u8:0;255;0;0;255;0;0;0;0;0;255;0;255;255;255;0
//sim:texture colours = texels 1d 4 format=unorm8x4 address=wrap normalized
//sim:buffer  words = zeros:8:u32
//sim:surface sheet = words 1d 8 format=u32x1
//sim:arg     colours = colours
//sim:arg     sheet = sheet
//sim:dump    words
.entry lookup(.param .u64 colours, .param .u64 sheet)
{
    ld.param.u64    %rd1, [colours];        // handles
    ld.param.u64    %rd2, [sheet];
    mov.u32         %r1, %tid.x;
    cvt.rn.f32.u32  %f1, %r1;
    mul.f32         %f1, %f1, 0.25;         // 0 to 1.75: twice around
    tex.1d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [%rd1, {%f1}];
    cvt.rzi.u32.f32 %r2, %f2;               // red: 0 or 1
    shl.b32         %r3, %r1, 2;
    sust.b.1d.b32.trap [%rd2, {%r3}], %r2;  // x counts bytes
    ret;
}
