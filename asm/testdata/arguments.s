.func (.param .b32 r) f(.param .b64 a, .param .align 8 .b8 s[12]);
.entry k(.param .b64 input)
{
	.param .b64 a;
	.param .align 8 .b8 s[12];
	.param .b32 r;
	.local .b64 l;
	call (r), f, (a); // ERROR "2: call with 1 argument; f takes \(.b64, .b8\[12\]\)"
	call f, (a, s); // ERROR "2: call with 0 results; f returns \(.b32\)"
	call (r), f, (a, a); // ERROR "19: call: argument 2 has 8 bytes; f takes .b8\[12\]"
	call (r), f, (l, s); // ERROR "16: call: argument 1 is an address, not a register or .param variable; f takes .b64"
	call (r), f, (%r1, s); // ERROR "16: call: argument 1 is a register of .b32; f takes .b64"
	call (a), f, (%rd1, s); // ERROR "8: call: result 1 has 8 bytes; f returns .b32"
	call (7), f, (%rd1, s); // ERROR "8: call: result 1 is a constant; f returns .b32"
	call (_), f, (_, s); // ERROR "16: call: argument 1 is _, which can only stand for a result; f takes .b64"
	call (_), f, (input, s); // ERROR "16: call: argument 1 is a parameter of the kernel, not a .param variable of its body; f takes .b64"
}
