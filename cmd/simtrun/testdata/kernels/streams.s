//sim:buffer out = zeros:32:u32
//sim:launch spin grid=66 shared=200000 stream=a args=out,2000
//sim:launch spin grid=66 shared=200000 stream=b args=out+4,1000
//sim:launch spin grid=66 shared=200000 stream=a args=out+8,10
//sim:expect out[0:3] == list:u32:1,1,1
.extern .shared .b8 room[];
.entry spin(.param .u64 to, .param .u32 rounds)
{
	ld.param.u64 %rd1, [to];
	ld.param.u32 %r1, [rounds];
L:
	sub.u32 %r1, %r1, 1;
	setp.ne.u32 %p1, %r1, 0;
	@%p1 bra L;
	mov.u32 %r2, 1;
	st.global.u32 [%rd1], %r2;
	ret;
}
