.equ N, 4;
.equ PI, 3.14;
.struct S { .u32 a; .u64 b; }
.global .u64 addresses[2] = { S.b, generic(N) }; // ERROR "44: N is a constant, which has no address"
.entry k()
.maxntid PI // ERROR "10: PI is a float; expected an integer"
{
	.reg .b32 x<M>; // ERROR "14: found M; expected an integer"
	@N add.u32 %r1, %r1, 1; // ERROR "3: guard N is not a register"
	mov.u32 N, 1; // ERROR "10: mov.u32: a constant cannot be written"
	add.f32 %f1, %f1, N; // ERROR "20: add.f32: operand b is an integer constant"
	ld.u32 %r1, [%rd1 + S.c]; // ERROR "22: found S.c; an offset is a constant"
	ld.u32 %r1, [%rd1 + PI]; // ERROR "20: an offset is an integer, not a float"
	bra N; // ERROR "6: bra: the target is not a label"
}
.entry l()
{
	.equ M, 5; // ERROR "2: found .equ; expected an instruction, a label or a declaration; .equ stands outside of functions"
}
