package asm

import "testing"

// TestNewcomers: messages for mistakes of people who come from C, CUDA C++ or another assembler. Each message must
// contain the correct text.
func TestNewcomers(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{`sqrt.f32 %f1, %f2;`, `3:1: sqrt.f32: no precision or rounding; with this type it takes one of .approx .rn .rz .rm .rp`},
		{`rcp.f32 %f1, %f2;`, `3:1: rcp.f32: no precision or rounding; with this type it takes one of .approx .rn .rz .rm .rp`},
		{`div.f32 %f1, %f2, %f3;`, `3:1: div.f32: no precision or rounding; with this type it takes one of .approx .full .rn .rz .rm .rp`},
		{`sin.f32 %f1, %f2;`, `3:1: sin.f32: no precision; sin takes .approx`},
		{`setp.gte.s32 %p1, %r1, %r2;`, `3:1: setp.gte.s32: no modifier .gte; did you mean .ge?`},
		{`setp.lte.s32 %p1, %r1, %r2;`, `3:1: setp.lte.s32: no modifier .lte; did you mean .le?`},
		{`setp.neq.s32 %p1, %r1, %r2;`, `3:1: setp.neq.s32: no modifier .neq; did you mean .ne?`},
		{`setp.neq.f32 %p1, %f1, %f2;`, `3:1: setp.neq.f32: no modifier .neq; did you mean .neu?`},
		{`setp.gte.f32 %p1, %f1, %f2;`, `3:1: setp.gte.f32: no modifier .gte; did you mean .ge?`},
		{`setp.less.s32 %p1, %r1, %r2;`, `3:1: setp.less.s32: no modifier .less; did you mean .lt?`},
		{`setp.== %p1, %r1, %r2;`, `3:5: found a dot without a name after it; expected ;`},
		{`add.i32 %r1, %r2, %r3;`, `3:1: add.i32: no modifier .i32; did you mean .s32?`},
		{`add.int %r1, %r2, %r3;`, `3:1: add.int: no modifier .int; did you mean .s32?`},
		{`add.float %f1, %f2, %f3;`, `3:1: add.float: no modifier .float; did you mean .f32?`},
		{`add.32 %r1, %r2, %r3;`, `3:1: add.32: no type .32; add takes .u16 .u32 .u64 .s16 .s32 .s64 .u16x2 .s16x2 .u8x4 .s8x4 .f16 .f16x2 .bf16 .bf16x2 .f32 .f64 .f32x2`},
		{`addu32 %r1, %r2, %r3;`, `3:1: addu32: no such opcode; did you mean add.u32?`},
		{`add u32 %r1, %r2, %r3;`, `3:5: u32 is a suffix of add; did you mean add.u32?`},
		{`add.u32 r1, r2, r3;`, `3:9: r1 is not declared; did you mean %r1?`},
		{`add.u32 %R1, %r2, %r3;`, `3:9: %R1 is not declared; did you mean %r1?`},
		{`ADD.U32 %r1, %r2, %r3;`, `3:1: ADD: no such opcode; did you mean add?`},
		{`add.U32 %r1, %r2, %r3;`, `3:1: add.U32: no modifier .U32; did you mean .u32?`},
		{`mov.u32 %r1, tid.x;`, `3:14: tid.x is not declared; did you mean %tid.x?`},
		{`mov.u32 %r1, %tid;`, `3:14: mov.u32: %tid is a vector; did you mean %tid.x?`},
		{`mov.u32 %r1, threadIdx.x;`, `3:14: threadIdx.x is not declared; did you mean %tid.x?`},
		{`mov.u32 %r1, %blockDim.x;`, `3:14: %blockDim.x is not declared; did you mean %ntid.x?`},
		{`mov.u32 %r1, %TID.X;`, `3:14: %TID.X is not declared; did you mean %tid.x?`},
		{`ld.global.u32 %r1, [%rd1 + %r2];`, `3:28: found %r2; an offset is a constant: add %r2 to the address in an instruction before`},
		{`st.global.u32 %r1, [%rd1];`, `3:15: st.global.u32: the operands are in another order; it takes [a], b{, e}`},
		{`ld.param.u32 %r1, x;`, `3:19: ld.param.u32: an address stands in brackets; it takes d, [a]{, e}`},
		{`mov.f32 %f1, 1.0f;`, `3:14: found 1.0f, which is 1.0 in PTX; expected ;`},
		{`bra .L;`, `3:1: bra.L: no modifier .L; bra takes .uni, and a label has no dot`},
		{`bra L1;`, `3:5: no label L1 here; there is L`},
		{`bra l;`, `3:5: no label l here; did you mean L?`},
		{`@p1 bra L;`, `3:2: p1 is not declared; did you mean %p1?`},
		{`%p1 bra L;`, `3:1: %p1 is a register; a guard is written @%p1`},
		{`jmp L;`, `3:1: jmp: no such opcode; did you mean bra?`},
		{`exit`, `3:5: found the end of the line; expected ;`},
		{`__syncthreads();`, `3:1: __syncthreads: no such opcode; it is bar.sync 0`},
		{`vote.sync.ballot.u32 %r1, %p1, -1;`, `3:1: vote.sync.ballot.u32: no such type; vote.sync.ballot takes .b32`},
		{`red.add.u32 %r1, [%rd1], 1;`, `3:13: red.add.u32: the operands are in another order; it takes [a], b{, e}`},
		{`cvt.u32 %r1, %rd1;`, `3:1: cvt.u32: one type; cvt takes two, that of the result first: after .u32 comes .u8 .u16 .u32 .u64 .s8 .s16 .s32 .s64 .f16 .bf16 .f32 .f64`},
		{`cvt.rn.f32 %f1, %r1;`, `3:1: cvt.rn.f32: one type; cvt takes two, that of the result first: after .f32 comes .u8 .u16 .u32 .u64 .s8 .s16 .s32 .s64 .f64`},
		{`and.u32 %r1, %r2, 1;`, `3:1: and.u32: no such type; and takes .pred .b16 .b32 .b64; did you mean .b32?`},
		{`.reg u32 %a;`, `3:6: u32 stands where a name should; did you mean .u32?`},
		{`.reg .u32 %a`, `3:13: found the end of the line; expected ;`},
		{`.reg .i32 %a;`, `3:6: .i32: no such type; did you mean .s32?`},
		{`reg .u32 a;`, `3:1: reg is not an opcode; did you mean .reg?`},
		{`.shared u32 s[4];`, `3:9: u32 stands where a name should; did you mean .u32?`},
		{`int a;`, `3:1: int: no such opcode; a register is declared as in .reg .s32 i;`},
		{`%r1 = %r2 + %r3;`, `3:1: %r1 is a register; an instruction begins with an opcode, as in mov.u32 %r1, 1;`},
		{`ld.global.v3.f32 {%f1,%f2,%f3}, [%rd1];`, `3:1: ld.global.v3.f32: no modifier .v3; as vector it takes .v2 .v4 .v8`},
		{`nop;`, `3:1: nop: no such opcode; leave it out`},
		{`mod.u32 %r1,%r2,%r3;`, `3:1: mod: no such opcode; did you mean rem?`},
		{`exp.f32 %f1,%f2;`, `3:1: exp: no such opcode; ex2 is the power of 2: multiply by log2(e), 1.442695, before`},
		{`move.u32 %r1,%r2;`, `3:1: move: no such opcode; did you mean mov?`},
		{`cmp.lt.u32 %p1,%r1,%r2;`, `3:1: cmp: no such opcode; did you mean setp?`},
		{`fadd.f32 %f1,%f2,%f3;`, `3:1: fadd: no such opcode; did you mean add?`},
		{`mul24.u32 %r1,%r2,%r3;`, `3:1: mul24.u32: no part of the product; mul24 takes .lo .hi`},
		{`if (%r1 < 5) { add.u32 %r1,%r1,1; }`, `3:1: if: no such opcode; PTX compares with setp and jumps with @%p bra LABEL`},
		{`ld.global.u32 %r1,[%rd1;`, `3:24: found ";"; expected ] for the [ of line 3`},
	} {
		errs := parseErrors(t, []byte(".entry k(.param .u64 x, .param .u32 n)\n{\n"+c.line+"\nret;\nL:\nret;\n}\n"))
		if len(errs) != 1 || errs[0].Error() != "x.s:"+c.want {
			t.Errorf("%s\n got %v\nwant x.s:%s", c.line, errs, c.want)
		}
	}
}
