// registers: what a thread keeps in registers is room that other warps do not
// have.
//
// y = 1 + x + x^2 + ... + x^63, by 64 steps that wait for each other, for an
// element that has to be waited for, too: many warps are needed to keep the
// SM busy.
//
//     many    keeps the 64 coefficients in registers: 75 for each thread, and
//             24 warps on an SM
//     few     has them in its instructions: 64 warps
//
// Both execute the same instructions for an element. With x = 1/2 the sum is
// 2 less the last term, which f32 rounds to 2. Each has an input of its own, so
// that neither finds it in L2.

//sim:buffer x = fill:1081344:f32:0.5
//sim:buffer w = fill:1081344:f32:0.5
//sim:buffer y = zeros:1081344:f32
//sim:buffer z = zeros:1081344:f32
//sim:launch many grid=1056 block=256 args=x,y,1081344,1
//sim:launch few  grid=1056 block=256 args=w,z,1081344,1
//sim:expect y == fill:1081344:f32:2
//sim:expect z == fill:1081344:f32:2

.entry many(
    .param .u64 x,
    .param .u64 y,
    .param .u32 n,
    .param .f32 one)
{
    ld.param.u64        %rd1, [x];
    ld.param.u64        %rd2, [y];
    ld.param.u32        %r1, [n];
    mov.u32             %r2, %ctaid.x;
    mov.u32             %r3, %ntid.x;
    mov.u32             %r4, %tid.x;
    mad.lo.u32          %r5, %r2, %r3, %r4;
    mov.u32             %r6, %nctaid.x;
    mul.lo.u32          %r7, %r6, %r3;

    // The coefficients, all 1.
    ld.param.f32        %f3, [one];
    mul.f32             %f10, %f3, 0f3F800000;
    mul.f32             %f11, %f3, 0f3F800000;
    mul.f32             %f12, %f3, 0f3F800000;
    mul.f32             %f13, %f3, 0f3F800000;
    mul.f32             %f14, %f3, 0f3F800000;
    mul.f32             %f15, %f3, 0f3F800000;
    mul.f32             %f16, %f3, 0f3F800000;
    mul.f32             %f17, %f3, 0f3F800000;
    mul.f32             %f18, %f3, 0f3F800000;
    mul.f32             %f19, %f3, 0f3F800000;
    mul.f32             %f20, %f3, 0f3F800000;
    mul.f32             %f21, %f3, 0f3F800000;
    mul.f32             %f22, %f3, 0f3F800000;
    mul.f32             %f23, %f3, 0f3F800000;
    mul.f32             %f24, %f3, 0f3F800000;
    mul.f32             %f25, %f3, 0f3F800000;
    mul.f32             %f26, %f3, 0f3F800000;
    mul.f32             %f27, %f3, 0f3F800000;
    mul.f32             %f28, %f3, 0f3F800000;
    mul.f32             %f29, %f3, 0f3F800000;
    mul.f32             %f30, %f3, 0f3F800000;
    mul.f32             %f31, %f3, 0f3F800000;
    mul.f32             %f32, %f3, 0f3F800000;
    mul.f32             %f33, %f3, 0f3F800000;
    mul.f32             %f34, %f3, 0f3F800000;
    mul.f32             %f35, %f3, 0f3F800000;
    mul.f32             %f36, %f3, 0f3F800000;
    mul.f32             %f37, %f3, 0f3F800000;
    mul.f32             %f38, %f3, 0f3F800000;
    mul.f32             %f39, %f3, 0f3F800000;
    mul.f32             %f40, %f3, 0f3F800000;
    mul.f32             %f41, %f3, 0f3F800000;
    mul.f32             %f42, %f3, 0f3F800000;
    mul.f32             %f43, %f3, 0f3F800000;
    mul.f32             %f44, %f3, 0f3F800000;
    mul.f32             %f45, %f3, 0f3F800000;
    mul.f32             %f46, %f3, 0f3F800000;
    mul.f32             %f47, %f3, 0f3F800000;
    mul.f32             %f48, %f3, 0f3F800000;
    mul.f32             %f49, %f3, 0f3F800000;
    mul.f32             %f50, %f3, 0f3F800000;
    mul.f32             %f51, %f3, 0f3F800000;
    mul.f32             %f52, %f3, 0f3F800000;
    mul.f32             %f53, %f3, 0f3F800000;
    mul.f32             %f54, %f3, 0f3F800000;
    mul.f32             %f55, %f3, 0f3F800000;
    mul.f32             %f56, %f3, 0f3F800000;
    mul.f32             %f57, %f3, 0f3F800000;
    mul.f32             %f58, %f3, 0f3F800000;
    mul.f32             %f59, %f3, 0f3F800000;
    mul.f32             %f60, %f3, 0f3F800000;
    mul.f32             %f61, %f3, 0f3F800000;
    mul.f32             %f62, %f3, 0f3F800000;
    mul.f32             %f63, %f3, 0f3F800000;
    mul.f32             %f64, %f3, 0f3F800000;
    mul.f32             %f65, %f3, 0f3F800000;
    mul.f32             %f66, %f3, 0f3F800000;
    mul.f32             %f67, %f3, 0f3F800000;
    mul.f32             %f68, %f3, 0f3F800000;
    mul.f32             %f69, %f3, 0f3F800000;
    mul.f32             %f70, %f3, 0f3F800000;
    mul.f32             %f71, %f3, 0f3F800000;
    mul.f32             %f72, %f3, 0f3F800000;
    mul.f32             %f73, %f3, 0f3F800000;
ELEMENT:
    mad.wide.u32        %rd3, %r5, 4, %rd1;
    ld.global.f32       %f1, [%rd3];
    mov.f32             %f2, 0f00000000;
    fma.rn.f32          %f2, %f2, %f1, %f10;
    fma.rn.f32          %f2, %f2, %f1, %f11;
    fma.rn.f32          %f2, %f2, %f1, %f12;
    fma.rn.f32          %f2, %f2, %f1, %f13;
    fma.rn.f32          %f2, %f2, %f1, %f14;
    fma.rn.f32          %f2, %f2, %f1, %f15;
    fma.rn.f32          %f2, %f2, %f1, %f16;
    fma.rn.f32          %f2, %f2, %f1, %f17;
    fma.rn.f32          %f2, %f2, %f1, %f18;
    fma.rn.f32          %f2, %f2, %f1, %f19;
    fma.rn.f32          %f2, %f2, %f1, %f20;
    fma.rn.f32          %f2, %f2, %f1, %f21;
    fma.rn.f32          %f2, %f2, %f1, %f22;
    fma.rn.f32          %f2, %f2, %f1, %f23;
    fma.rn.f32          %f2, %f2, %f1, %f24;
    fma.rn.f32          %f2, %f2, %f1, %f25;
    fma.rn.f32          %f2, %f2, %f1, %f26;
    fma.rn.f32          %f2, %f2, %f1, %f27;
    fma.rn.f32          %f2, %f2, %f1, %f28;
    fma.rn.f32          %f2, %f2, %f1, %f29;
    fma.rn.f32          %f2, %f2, %f1, %f30;
    fma.rn.f32          %f2, %f2, %f1, %f31;
    fma.rn.f32          %f2, %f2, %f1, %f32;
    fma.rn.f32          %f2, %f2, %f1, %f33;
    fma.rn.f32          %f2, %f2, %f1, %f34;
    fma.rn.f32          %f2, %f2, %f1, %f35;
    fma.rn.f32          %f2, %f2, %f1, %f36;
    fma.rn.f32          %f2, %f2, %f1, %f37;
    fma.rn.f32          %f2, %f2, %f1, %f38;
    fma.rn.f32          %f2, %f2, %f1, %f39;
    fma.rn.f32          %f2, %f2, %f1, %f40;
    fma.rn.f32          %f2, %f2, %f1, %f41;
    fma.rn.f32          %f2, %f2, %f1, %f42;
    fma.rn.f32          %f2, %f2, %f1, %f43;
    fma.rn.f32          %f2, %f2, %f1, %f44;
    fma.rn.f32          %f2, %f2, %f1, %f45;
    fma.rn.f32          %f2, %f2, %f1, %f46;
    fma.rn.f32          %f2, %f2, %f1, %f47;
    fma.rn.f32          %f2, %f2, %f1, %f48;
    fma.rn.f32          %f2, %f2, %f1, %f49;
    fma.rn.f32          %f2, %f2, %f1, %f50;
    fma.rn.f32          %f2, %f2, %f1, %f51;
    fma.rn.f32          %f2, %f2, %f1, %f52;
    fma.rn.f32          %f2, %f2, %f1, %f53;
    fma.rn.f32          %f2, %f2, %f1, %f54;
    fma.rn.f32          %f2, %f2, %f1, %f55;
    fma.rn.f32          %f2, %f2, %f1, %f56;
    fma.rn.f32          %f2, %f2, %f1, %f57;
    fma.rn.f32          %f2, %f2, %f1, %f58;
    fma.rn.f32          %f2, %f2, %f1, %f59;
    fma.rn.f32          %f2, %f2, %f1, %f60;
    fma.rn.f32          %f2, %f2, %f1, %f61;
    fma.rn.f32          %f2, %f2, %f1, %f62;
    fma.rn.f32          %f2, %f2, %f1, %f63;
    fma.rn.f32          %f2, %f2, %f1, %f64;
    fma.rn.f32          %f2, %f2, %f1, %f65;
    fma.rn.f32          %f2, %f2, %f1, %f66;
    fma.rn.f32          %f2, %f2, %f1, %f67;
    fma.rn.f32          %f2, %f2, %f1, %f68;
    fma.rn.f32          %f2, %f2, %f1, %f69;
    fma.rn.f32          %f2, %f2, %f1, %f70;
    fma.rn.f32          %f2, %f2, %f1, %f71;
    fma.rn.f32          %f2, %f2, %f1, %f72;
    fma.rn.f32          %f2, %f2, %f1, %f73;
    mad.wide.u32        %rd4, %r5, 4, %rd2;
    st.global.f32       [%rd4], %f2;
    add.u32             %r5, %r5, %r7;
    setp.lt.u32         %p1, %r5, %r1;
    @%p1 bra            ELEMENT;
    ret;
}

.entry few(
    .param .u64 x,
    .param .u64 y,
    .param .u32 n,
    .param .f32 one)
{
    ld.param.u64        %rd1, [x];
    ld.param.u64        %rd2, [y];
    ld.param.u32        %r1, [n];
    mov.u32             %r2, %ctaid.x;
    mov.u32             %r3, %ntid.x;
    mov.u32             %r4, %tid.x;
    mad.lo.u32          %r5, %r2, %r3, %r4;
    mov.u32             %r6, %nctaid.x;
    mul.lo.u32          %r7, %r6, %r3;
ELEMENT:
    mad.wide.u32        %rd3, %r5, 4, %rd1;
    ld.global.f32       %f1, [%rd3];
    mov.f32             %f2, 0f00000000;
    fma.rn.f32          %f2, %f2, %f1, 0f3F800000;
    fma.rn.f32          %f2, %f2, %f1, 0f3F800000;
    fma.rn.f32          %f2, %f2, %f1, 0f3F800000;
    fma.rn.f32          %f2, %f2, %f1, 0f3F800000;
    fma.rn.f32          %f2, %f2, %f1, 0f3F800000;
    fma.rn.f32          %f2, %f2, %f1, 0f3F800000;
    fma.rn.f32          %f2, %f2, %f1, 0f3F800000;
    fma.rn.f32          %f2, %f2, %f1, 0f3F800000;
    fma.rn.f32          %f2, %f2, %f1, 0f3F800000;
    fma.rn.f32          %f2, %f2, %f1, 0f3F800000;
    fma.rn.f32          %f2, %f2, %f1, 0f3F800000;
    fma.rn.f32          %f2, %f2, %f1, 0f3F800000;
    fma.rn.f32          %f2, %f2, %f1, 0f3F800000;
    fma.rn.f32          %f2, %f2, %f1, 0f3F800000;
    fma.rn.f32          %f2, %f2, %f1, 0f3F800000;
    fma.rn.f32          %f2, %f2, %f1, 0f3F800000;
    fma.rn.f32          %f2, %f2, %f1, 0f3F800000;
    fma.rn.f32          %f2, %f2, %f1, 0f3F800000;
    fma.rn.f32          %f2, %f2, %f1, 0f3F800000;
    fma.rn.f32          %f2, %f2, %f1, 0f3F800000;
    fma.rn.f32          %f2, %f2, %f1, 0f3F800000;
    fma.rn.f32          %f2, %f2, %f1, 0f3F800000;
    fma.rn.f32          %f2, %f2, %f1, 0f3F800000;
    fma.rn.f32          %f2, %f2, %f1, 0f3F800000;
    fma.rn.f32          %f2, %f2, %f1, 0f3F800000;
    fma.rn.f32          %f2, %f2, %f1, 0f3F800000;
    fma.rn.f32          %f2, %f2, %f1, 0f3F800000;
    fma.rn.f32          %f2, %f2, %f1, 0f3F800000;
    fma.rn.f32          %f2, %f2, %f1, 0f3F800000;
    fma.rn.f32          %f2, %f2, %f1, 0f3F800000;
    fma.rn.f32          %f2, %f2, %f1, 0f3F800000;
    fma.rn.f32          %f2, %f2, %f1, 0f3F800000;
    fma.rn.f32          %f2, %f2, %f1, 0f3F800000;
    fma.rn.f32          %f2, %f2, %f1, 0f3F800000;
    fma.rn.f32          %f2, %f2, %f1, 0f3F800000;
    fma.rn.f32          %f2, %f2, %f1, 0f3F800000;
    fma.rn.f32          %f2, %f2, %f1, 0f3F800000;
    fma.rn.f32          %f2, %f2, %f1, 0f3F800000;
    fma.rn.f32          %f2, %f2, %f1, 0f3F800000;
    fma.rn.f32          %f2, %f2, %f1, 0f3F800000;
    fma.rn.f32          %f2, %f2, %f1, 0f3F800000;
    fma.rn.f32          %f2, %f2, %f1, 0f3F800000;
    fma.rn.f32          %f2, %f2, %f1, 0f3F800000;
    fma.rn.f32          %f2, %f2, %f1, 0f3F800000;
    fma.rn.f32          %f2, %f2, %f1, 0f3F800000;
    fma.rn.f32          %f2, %f2, %f1, 0f3F800000;
    fma.rn.f32          %f2, %f2, %f1, 0f3F800000;
    fma.rn.f32          %f2, %f2, %f1, 0f3F800000;
    fma.rn.f32          %f2, %f2, %f1, 0f3F800000;
    fma.rn.f32          %f2, %f2, %f1, 0f3F800000;
    fma.rn.f32          %f2, %f2, %f1, 0f3F800000;
    fma.rn.f32          %f2, %f2, %f1, 0f3F800000;
    fma.rn.f32          %f2, %f2, %f1, 0f3F800000;
    fma.rn.f32          %f2, %f2, %f1, 0f3F800000;
    fma.rn.f32          %f2, %f2, %f1, 0f3F800000;
    fma.rn.f32          %f2, %f2, %f1, 0f3F800000;
    fma.rn.f32          %f2, %f2, %f1, 0f3F800000;
    fma.rn.f32          %f2, %f2, %f1, 0f3F800000;
    fma.rn.f32          %f2, %f2, %f1, 0f3F800000;
    fma.rn.f32          %f2, %f2, %f1, 0f3F800000;
    fma.rn.f32          %f2, %f2, %f1, 0f3F800000;
    fma.rn.f32          %f2, %f2, %f1, 0f3F800000;
    fma.rn.f32          %f2, %f2, %f1, 0f3F800000;
    fma.rn.f32          %f2, %f2, %f1, 0f3F800000;
    mad.wide.u32        %rd4, %r5, 4, %rd2;
    st.global.f32       [%rd4], %f2;
    add.u32             %r5, %r5, %r7;
    setp.lt.u32         %p1, %r5, %r1;
    @%p1 bra            ELEMENT;
    ret;
}
