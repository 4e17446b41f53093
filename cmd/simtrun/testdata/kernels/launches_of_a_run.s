//sim:icache warm
//sim:buffer out = zeros:4:u64
//sim:launch now args=out
//sim:launch now args=out+8
//sim:launch now args=out+16
//sim:dump out:u64:3
.entry now(.param .u64 to)
{
	ld.param.u64 %rd1, [to];
	mov.u64 %rd2, %clock64;
	st.global.u64 [%rd1], %rd2;
	ret;
}
