.func (.reg .pred r) f(.reg .v2 .f32 v, .reg .pred p) { ret; }
.entry l()
{
	.reg .v2 .f32 v;
	.reg .v4 .f32 w;
	.reg .b32 t;
	st.global.f32 [%rd1], %f1 + 1; // ERROR "28: %f1 is .f32; a constant can only be added to an integer"
	ld.global.u32 %r1 + 1, [%rd1]; // ERROR "20: found \"\+\"; expected a comma or ;"
	ld.global.f32 t, [%rd1];
	call (%p1), f, (w, %p2); // ERROR "call with 5 arguments; f takes \(.reg .f32, .reg .f32, .reg .pred\)"
	call (%p1), f, (v, !%p2); // ERROR "21: call: argument 3 is a register of .pred; f takes .reg .pred"
	call (t), f, (v, %p2); // ERROR "8: call: result 1 is a register of .b32; f returns .reg .pred"
}
.entry m()
{
	.reg .u64 u;
	.reg .v2 .f32 v;
	ld.global.f32 u, [%rd1]; // ERROR "16: ld.global.f32: u is .u64; operand d takes .f32, .b32 or a wider .b type"
	cvt.f32.f64 %rd1, %fd1; // ERROR "2: cvt.f32.f64: no such form|rounding"
	mad.f32 %f1, %f1, %f1, %f1; // ERROR "2: mad.f32: needs one of .rn .rz .rm .rp \(rounding\) from PTX 3.2 on"
	call (%p1), f, (v, 1); // ERROR "21: call: argument 3 is a constant; f takes .reg .pred"
}
