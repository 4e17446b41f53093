.global .u32 a[4];
.global .u32 b[2][3];
.global .u32 c;
.entry k()
{
	mov.u64 %rd1, a[5]; // ERROR "17: index 5 of a, which has 4 elements"
	mov.u64 %rd1, a[-1]; // ERROR "17: index -1 of a, which has 4 elements"
	mov.u64 %rd1, a[%r1]; // ERROR "18: index %r1 is not a constant; compute the address in a register"
	mov.u64 %rd1, b[1]; // ERROR "17: b is not an array of one dimension; it cannot have an index"
	mov.u64 %rd1, c[0]; // ERROR "17: c is not an array of one dimension; it cannot have an index"
	mov.u64 %rd1, a[1.5]; // ERROR "17: an index is an integer, not a float"
	ld.global.u32 %r1, a; // ERROR "21: ld.global.u32: write the address in brackets"
}
.entry l()
{
	ld.global.u32 {%r1, %r2}, [%rd1]; // ERROR "16: .*operand d is a vector, but there is no .v2 or .v4"
	mov.u32 {%r1}, 5; // ERROR "10: mov.u32: .b?u?32 cannot be packed from or into 1 element"
	st.global.u32 [%rd1], %r1 + 1.5; // ERROR "28: an offset is an integer, not a float"
}
