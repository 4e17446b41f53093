//sim:block     1
//sim:buffer    numbers = zeros:4096:f32
//sim:tensormap map = numbers 64x64 box=32x8 swizzle=128
.entry k(.param .align 64 .b8 map[128])
{
    .shared .align 128 .b8 s[1024];
    .shared .b64 full;
    mbarrier.init.shared.b64 [full], 1;
    mbarrier.arrive.expect_tx.shared.b64 _, [full], 1024;
    cp.async.bulk.tensor.3d.shared::cta.global.tile.mbarrier::complete_tx::bytes [s], [map, {0, 0, 0}], [full];
    ret;
}
