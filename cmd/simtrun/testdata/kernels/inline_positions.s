.entry k()
{
	.file 1 "a.cu"
	.file 2 "b.h"
	.loc 1 10 5
	mov.u32 %r1, 1;
	.loc 2 7 3, function_name $L__info_string0, inlined_at 1 10 5
	mov.u32 %r1, 2;
	.loc 2 3 1, function_name $L__info_string0, inlined_at 2 7 3
	add.u32 %r1, %r1, 3;
	ret;
}