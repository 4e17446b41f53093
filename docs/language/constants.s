//sim:arg    stars = iota:8:u32
//sim:dump   stars:u32
.equ STARS, 2;
.equ BRIGHTER, 1 << 4;
.struct Star {
    .u16 kind;
    .u32 light;
    .u64 place;
}
.entry brighten(.param .u64 stars)
.reqntid STARS
{
    ld.param.u64    %rd1, [stars];
    mov.u32         %r1, %tid.x;
    mad.wide.u32    %rd1, %r1, Star.size, %rd1;
    ld.global.u32   %r2, [%rd1 + Star.light];
    add.u32         %r2, %r2, BRIGHTER;
    st.global.u32   [%rd1 + Star.light], %r2;
    ret;
}
