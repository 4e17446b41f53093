.entry k(.param .u64 out)
{
.shared .u32 s[33];
ld.param.u64 %rd1, [out];
mov.u32 %r1, %ctaid.x;
mad.wide.u32 %rd1, %r1, 4, %rd1;
ld.shared.u32 %r2, [s+128];
st.global.u32 [%rd1], %r2;
st.shared.u32 [s+128], 5;
ret;
}
