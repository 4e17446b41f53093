.entry k()
{
	.reg .b128 %q<4>;
	mov.b128 %q1, {%r1, %r2, %r3, %r4}; // ERROR "16: mov.b128: .b128 cannot be packed from or into 4 elements"
	mov.b128 %q1, {%r1, %rd2}; // ERROR "16: mov.b128: %r1 is .b32; operand a takes any type of 64 bits"
	mov.b128 %rd1, {%rd2, %rd3}; // ERROR "11: mov.b128: %rd1 is .b64; operand d takes .b128"
	ld.global.b64 %q1, [%rd1]; // ERROR "16: ld.global.b64: %q1 is .b128; operand d takes any type of 64 bits"
	ld.global.v2.b128 {%q1, %q2}, [%rd1]; // ERROR "2: ld.global.v2.b128: no such type; ld.global.v2 takes"
	st.global.b128 [%rd1], 7; // ERROR "25: st.global.b128: operand b is a constant, which .b128 cannot be; take its halves into registers, and pack them with mov.b128"
	st.global.b128 [%rd1], %q1+1; // ERROR "28: %q1 is .b128; a constant can only be added to an integer"
	atom.global.add.b128 %q1, [%rd1], %q2; // ERROR "2: atom.global.add.b128: no such type"
	add.b128 %q1, %q2, %q3; // ERROR "2: add.b128: no such type"
}
