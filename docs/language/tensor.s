//sim:block     32
//sim:buffer    numbers = iota:48:u32
//sim:tensormap map = numbers 8x6 box=4x2
//sim:arg       out = zeros:8:u32
//sim:dump      out
.entry tile(.param .align 64 .b8 map[128], .param .u64 out)
{
    .shared .align 128 .b8 s[32];
    .shared .b64 full;
    ld.param.u64    %rd1, [out];
    mov.u32         %r1, %tid.x;
    setp.eq.u32     %p1, %r1, 0;
    @%p1 mbarrier.init.shared.b64 [full], 1;
    bar.sync        0;
    @!%p1 bra       WAIT;
    mbarrier.arrive.expect_tx.shared.b64 _, [full], 32;
    mov.u64         %rd2, map;
    cvta.param.u64  %rd2, %rd2;             // a generic address
    cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [s], [%rd2, {6, 1}], [full];
WAIT:
    mbarrier.try_wait.parity.shared.b64 %p2, [full], 0;
    @!%p2 bra       WAIT;
    setp.ge.u32     %p2, %r1, 8;
    @%p2 exit;
    shl.b32         %r1, %r1, 2;
    mov.u32         %r2, s;
    add.u32         %r2, %r2, %r1;
    ld.shared.u32   %r3, [%r2];
    cvt.u64.u32     %rd3, %r1;
    add.u64         %rd1, %rd1, %rd3;
    st.global.u32   [%rd1], %r3;
    ret;
}
