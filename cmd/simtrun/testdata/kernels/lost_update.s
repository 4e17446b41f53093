//sim:grid 2
//sim:block 1
//sim:arg hits=zeros:1:u32
.version 8.0
.target sm_80
.address_size 64
.visible .entry count(.param .u64 hits)
{
	.reg .u64 %m; .reg .u32 %r;
	ld.param.u64 %m, [hits];
	ld.global.u32 %r, [%m];
	add.u32 %r, %r, 1;
	st.global.u32 [%m], %r;
	ret;
}
