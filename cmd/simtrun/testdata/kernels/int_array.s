// Compilers declare int total[4] as 16 bytes. The sections describe it.
.version 8.0
.target sm_80
.address_size 64
.global .align ALIGN .b8 total[16];
.visible .entry k()
{
	.reg .b32 %r<2>;
	mov.u32 %r1, 1;
	st.global.u8 [total+5], %r1;
	ret;
}
.section .debug_abbrev
{
.b8 1,17,1,0,0
.b8 2,52,0,3,8,73,19,2,10,0,0
.b8 3,1,1,73,19,0,0
.b8 4,33,0,55,11,0,0
.b8 5,36,0,3,8,62,11,11,11,0,0
.b8 0
}
.section .debug_info
{
.b32 45
.b8 2,0
.b32 .debug_abbrev
.b8 8
.b8 1
.b8 2,116,111,116,97,108,0
.b32 33
.b8 9,3
.b64 total
.b8 3
.b32 41
.b8 4,4
.b8 0
.b8 5,105,110,116,0,5,4
.b8 0
}
