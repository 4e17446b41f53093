.global .bf16 a; // ERROR "9: .bf16: registers and variables have no such type; .b16 holds it"
.global .tf32 b; // ERROR "9: .tf32: registers and variables have no such type; .b32 holds it"
.global .u16x2 c; // ERROR "9: .u16x2: registers and variables have no such type; .b32 holds it"
.global .s8x4 d; // ERROR "9: .s8x4: registers and variables have no such type; .b32 holds it"
.global .f32x2 e; // ERROR "9: .f32x2: registers and variables have no such type; .b64 holds it"
.global .f16x2 f;
.global .ue4m3 g; // ERROR "9: .ue4m3: no such type; there are .pred .b8 .b16 .b32 .b64 .b128 .u8 .u16 .u32 .u64 .s8 .s16 .s32 .s64 .f16 .f16x2 .f32 .f64 "
.entry k(.param .u8x4 p) // ERROR "17: .u8x4: registers and variables have no such type; .b32 holds it"
{
	.reg .s16x2 %r1; // ERROR "7: .s16x2: registers and variables have no such type; .b32 holds it"
	ret;
}
