.entry k()
{
	alloca.u64 %rd1, %rd2, 12; // ERROR "2: alloca.u64: an alignment is a power of two of at most 2.23 bytes"
	alloca.u64 %rd1, %rd2, %r3; // ERROR "25: alloca.u64: operand i must be an integer constant"
	alloca.u64 %rd1, %r2; // ERROR "19: alloca.u64: %r2 is .b32; operand a takes .b64 .u64 .s64"
	alloca.b64 %rd1, %rd2; // ERROR "2: alloca.b64: no such type; alloca takes .u32 .u64"
}
