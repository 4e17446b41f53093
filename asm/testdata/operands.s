.entry k(.param .u32 n)
{
	add.s32 %r1, %r2; // ERROR "2: add.s32 has 2 operands; it takes d, a, b"
	add.s32 %r1, %r2, %r3, %r4; // ERROR "2: add.s32 has 4 operands; it takes d, a, b"
	add.s32 %r1, %rd2, %r3; // ERROR "15: add.s32: %rd2 is .b64; operand a takes .b32 .u32 .s32"
	add.s32 %r1|%p1, %r2, %r3; // ERROR "13: add.s32 has no second result; it takes d, a, b"
	add.f32 %f1, %f2, 1; // ERROR "20: add.f32: operand b is an integer constant; .f32 takes one like 1.0"
	@%r1 bra L; // ERROR "7: guard %r1 is .b32; a guard is a predicate"
	ld.param.u32 %r1, n; // ERROR "20: ld.param.u32: write the address in brackets"
	ld.global.v2.u32 %r1, [%rd1]; // ERROR "19: .*operand d must be a vector {…} of 2"
L:	ld.global.u32 %r1, [L]; // ERROR "24: L is neither a register nor a variable; it cannot be an address"
}
