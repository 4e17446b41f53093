.entry k(.param .u64 x, .param .u32 n)
{
	.local .align 8 .b8 frame[64];
	.reg .b64 %rd_param, %rd_local, %rd_frame, %rd_const, %rd_index, %rd_swapped, %rd_wide, %rd_mad, %rd_copy, %rd_both, %rd_either, %rd_twice, %rd_back, %rd_shared, %rd_product, %rd_loaded, %rd_next, %rd_later;
	ld.param.u64 %rd_param, [x];
	ld.param.u32 %r1, [n];
	mov.u64 %rd_local, frame;
	setp.eq.u32 %p1, %r1, 0;
	cvta.local.u64 %rd_frame, %rd_local;
	add.u64 %rd_const, %rd_frame, 8;
	cvt.u64.u32 %rd_index, %r1;
	add.u64 %rd_swapped, %rd_index, %rd_const;
	mad.wide.u32 %rd_wide, %r1, 4, %rd_frame;
	mad.lo.u64 %rd_mad, %rd_index, 4, %rd_frame;
	mov.u64 %rd_copy, %rd_wide;
	selp.b64 %rd_both, %rd_frame, %rd_const, %p1;
	selp.b64 %rd_either, %rd_frame, %rd_param, %p1;
	@%p1 mov.u64 %rd_twice, %rd_frame;
	@!%p1 mov.u64 %rd_twice, %rd_param;
	cvta.to.local.u64 %rd_back, %rd_frame;
	cvta.shared.u64 %rd_shared, %rd_local;
	mul.lo.u64 %rd_product, %rd_frame, 2;
	ld.u64 %rd_loaded, [%rd_frame];
L:	add.u64 %rd_next, %rd_later, 4;
	mov.u64 %rd_later, %rd_frame;
	bra L;
}
