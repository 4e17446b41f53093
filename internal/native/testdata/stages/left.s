// Instructions that code leaves to the engine, each for another reason.
.target sm_80
.entry left(.param .u64 out)
{
    .reg .pred %p<3>;
    .reg .b32 %r<8>;
    .reg .b64 %rd<4>;
    .shared .align 16 .b32 s[64];

    ld.param.u64        %rd1, [out];
    mov.u32             %r1, %tid.x;
    setp.lt.u32         %p1, %r1, 7;
    mov.u32             %r2, %clock;
    bar.red.popc.u32    %r3, 0, %p1;
    @%p1 bar.arrive     1, 64;
    match.any.sync.b64  %r4, %rd1, -1;
    @%p1 vote.sync.any.pred %p2, %p1, -1;
    cp.async.ca.shared.global [s], [%rd1], 4;
    vadd4.u32.u32.u32   %r5, %r2, %r3, %r3;
    mov.u32             %r6, s;
    wmma.load.a.sync.aligned.row.m8n8k32.shared.s4 {%r7}, [%r6];
    cp.async.commit_group;
    @%p1 exit;
    st.global.v4.u32    [%rd1], {%r2, %r3, %r4, %r7};
    ret;
}
