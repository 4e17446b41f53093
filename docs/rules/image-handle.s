//sim:block 1
.entry k()
{
    mov.u64 %rd1, 64;
    tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {0}];
    ret;
}
