//sim:block 1
//sim:buffer texels = zeros:4:u8
//sim:texture t = texels 1d 4 format=u8x1
.global .texref t;
.entry k()
{
    tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [t, {0}];
    ret;
}
