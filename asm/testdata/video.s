.entry k()
{
	vadd.u32.u32.u32 %r1, %r2.b4, %r3; // ERROR "24: vadd.u32.u32.u32: operand a cannot have .b4; it takes one of .b0 .b1 .b2 .b3 .h0 .h1"
	vadd.u32.u32.u32 %r1, %r2.h10, %r3; // ERROR "24: .*operand a cannot have .h10"
	vadd.u32.u32.u32 %r1, %r2.x, %r3; // ERROR "24: %r2.x is not declared"
	vadd.u32.u32 %r1, %r2, %r3; // ERROR "2: vadd.u32.u32: no type of b; vadd takes .u32 .s32"
	vadd.s16.u32.u32 %r1, %r2, %r3; // ERROR "2: vadd.s16.u32.u32: no such type; vadd.u32.u32 takes .u32 .s32"
	vadd.u32.u32.s64 %r1, %r2, %r3; // ERROR "2: vadd.u32.u32.s64: .s64 is no type of b; it takes .u32 .s32"
	vadd.u32.u32.u32 %r1, %rd2, %r3; // ERROR "24: .*%rd2 is .b64; operand a takes .b32 .u32 .s32"
	vadd.u32.u32.u32 %r1, -%r2, %r3; // ERROR "25: found %r2; expected a constant"
	vadd.u32.u32.u32 %r1, %r2, %r3, %r4; // ERROR "2: .*nothing is done with operand c: it takes one of .add .min .max, or d.b0, d.h1 and so on, as which the result is put into c"
	vadd.u32.u32.u32.add %r1, %r2, %r3; // ERROR "2: .*no operand c for the second operation"
}
