// Constants that do not fit their operand.
.entry k(.param .u64 out)
{
	.reg .b16 %h<3>;
	fma.rn.f16 %h2, %h1, 2.0, %h1; // ERROR "operand b is a constant, which .f16 cannot be; take its bits into a register with mov.b16"
	add.s64 %rd2, %rd1, 1.5; // ERROR "operand b is a floating-point constant; .s64 takes an integer"
	lop3.b32 %r1, %r2, %r3, %r4, 300; // ERROR "a truth table of three inputs has 8 bits"
	add.f32 %f1, %f2, 1; // ERROR "operand b is an integer constant; .f32 takes one like 1.0 or 0f3F800000"
	ret;
}
