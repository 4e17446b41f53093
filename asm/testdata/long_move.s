.entry k()
{
	.reg .b128 %q<4>;
	mov.b128 %q1, %q2;
	mov.b128 %q1, 0x7fffffffffffffff;
	mov.b128 %q1, -1; // ERROR "16: mov.b128: operand a is a constant that does not say what its upper 64 bits are; write both halves, as in mov.b128 %q, {low, high}"
	mov.b128 %q1, 1.0; // ERROR "16: mov.b128: operand a is a constant that does not say"
	mov.b128 %q1, %rd1; // ERROR "16: mov.b128: %rd1 is .b64; operand a takes .b128"
	mov.b128 5, %q1; // ERROR "11: mov.b128: a constant cannot be written"
}
