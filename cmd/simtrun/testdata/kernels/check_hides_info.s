.entry k(.param .u64 out) {
 ld.param.u64 %rd1, [out];
 st.global.u32 [%rd1], 7;
 ret;
}
