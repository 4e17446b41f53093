.entry k()
{
	addd.s32 %r1, %r2, %r3; // ERROR "2: addd: no such opcode; did you mean add\?"
	mul.s32 %r1, %r2, %r3; // ERROR "2: mul.s32: needs one of .lo .hi .wide"
	setp.ltt.s32 %p1, %r1, %r2; // ERROR "2: .*no modifier .ltt; did you mean .lt\?"
	mov.u32 %r1, %r2 // ERROR "18: found the end of the line; expected ;"
	mov.u32 %r3, %r4;
	mov.u32 %r1 %r2; // ERROR "14: found %r2; expected a comma or ;"
	ld.u32 %r1, [%rd1 %rd2]; // ERROR "20: found %rd2; expected \] after the address"
	ld.global.v2.u32 {%r1 %r2}, [%rd1]; // ERROR "24: found %r2; expected a comma or }"
	.visible .global .u32 x; // ERROR "2: .visible within a function; only a module exports and imports variables"
	.func f() { ret; } // ERROR "8: function f within function k"
	@5 bra L; // ERROR "3: found 5; expected a predicate register for the guard"
}
