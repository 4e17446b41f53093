.global .u32 total;
.entry k(.param .u64 count)
{
	.reg .b32 %r<9>;
	.reg .b32 sum;
	.reg .pred %p<2>, %p1; // ERROR "20: %p1 is declared already, in line 6"
	.shared .u32 tile[4];
	mov.u32 %r9, 1; // ERROR "10: %r9 is not declared; .reg .b32 %r<9> declares %r0 to %r8"
	mov.u32 som, 1; // ERROR "10: som is not declared; did you mean sum\?"
	mov.u32 %rd1, %tidx; // ERROR "16: %tidx is not declared; did you mean %tid.x\?"
	ld.param.u64 %rd2, [cuont]; // ERROR "22: cuont is not declared; did you mean count\?"
	st.global.u32 [totl], %r1; // ERROR "17: totl is not declared; did you mean total\?"
	bra done; // ERROR "6: no label done here; did you mean Done\?"
Done:
	{ inner: bra Done; }
	bra inner; // ERROR "6: no label inner here"
	@total mov.u32 %r1, 1; // ERROR "3: guard total is not a register"
Done: ret; // ERROR "1: Done is declared already, in line 14"
}
