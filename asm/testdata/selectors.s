.entry k()
{
	vadd.u32.u32.u32 %r1.h1, %r2, %r3; // ERROR "2: .*no operand c, into which the result is put as .h1"
	vadd.u32.u32.u32.min %r1.h1, %r2, %r3, %r4; // ERROR "2: .*a result that is put into .h1 of c has no second operation"
	vshl.u32.u32.u32 %r1, %r2, %r3; // ERROR "2: vshl.u32.u32.u32: no shift mode; vshl takes .clamp .wrap"
	vshl.u32.u32.s32.clamp %r1, %r2, %r3; // ERROR "2: vshl.u32.u32.s32.clamp: .s32 does not go with this type; as type of b it takes .u32"
	vmad.u32.u32.u32.po %r1, -%r2, %r3, %r4; // ERROR "2: .*with .po no operand can be negated"
	vmad.u32.u32.u32 %r1, -%r2, %r3, -%r4; // ERROR "2: .*either the product or c can be negated, not both"
	vadd4.u32.u32.u32 %r1, %r2, %r3; // ERROR "2: vadd4.u32.u32.u32 has 3 operands; it takes d{.mask}, a{.sel}, b{.sel}, c"
	vadd4.u32.u32.u32 %r1.b012, %r2, %r3, %r4; // ERROR "20: .*operand d cannot have .b012; it takes .b and the numbers of bytes from 3 to 0, the higher first"
	vadd4.u32.u32.u32 %r1, %r2.b32, %r3, %r4; // ERROR "25: .*operand a cannot have .b32; it takes .b and the numbers of four bytes"
	vadd2.u32.u32.u32.sat.add %r1, %r2, %r3, %r4; // ERROR "2: vadd2.u32.u32.u32.sat.add: .sat does not go with this type"
}
