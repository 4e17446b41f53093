package isa_test

import (
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/isa"
)

// formNeeds are forms with the version that introduced them, targets that have them and, after a bar, targets that do
// not. They were typed from the ISA's sections on each instruction, and from the comments on CCCL's cuda::ptx
// functions.
const formNeeds = `
add.s32                     -   sm_20 sm_90 |
add.u16x2                   8.0 sm_90 | sm_89
min.relu.s32                8.0 sm_90 sm_120 | sm_80
max.s32                     -   sm_20 |
popc.b32                    2.0 sm_20 | sm_13
fns.b32                     6.0 sm_30 |
bmsk.clamp.b32              7.6 sm_70 | sm_62
dp4a.u32.u32                5.0 sm_61 | sm_60
add.cc.u32                  -   sm_20 |
add.cc.u64                  4.3 sm_20 |
madc.lo.cc.u32              3.0 sm_20 |
lop3.b32                    4.3 sm_50 | sm_37
lop3.or.b32                 8.2 sm_70 | sm_62
shf.l.wrap.b32              3.1 sm_32 | sm_30
add.f32                     -   sm_20 |
add.rn.f16x2                4.2 sm_53 | sm_52
fma.rn.f16                  4.2 sm_53 | sm_52
fma.rn.relu.f16             7.0 sm_80 | sm_75
fma.rn.bf16x2               7.0 sm_80 | sm_75
add.bf16                    7.8 sm_90 | sm_89
mul.rn.bf16x2               7.8 sm_90 | sm_80
fma.rn.oob.f16              8.1 sm_90 | sm_80
add.rn.f32x2                8.6 sm_100 sm_120 | sm_90a
add.f32.bf16                8.6 sm_100 | sm_90
neg.f16                     6.0 sm_53 |
abs.f16x2                   6.5 sm_53 |
abs.bf16                    7.0 sm_80 | sm_75
max.NaN.f32                 7.0 sm_80 | sm_75
min.xorsign.abs.f32         7.2 sm_86 | sm_80
max.f16                     7.0 sm_80 | sm_75
tanh.approx.f32             7.0 sm_75 | sm_72
tanh.approx.bf16            7.8 sm_90 | sm_89
ex2.approx.f16              7.0 sm_75 | sm_70
setp.eq.f16                 4.2 sm_53 |
setp.lt.bf16x2              7.8 sm_90 | sm_89
mov.u64                     -   sm_20 |
mov.b128                    8.3 sm_70 | sm_62
ld.global.u32               -   sm_20 |
ld.global.b128              8.3 sm_70 | sm_62
ld.relaxed.gpu.global.u32   6.0 sm_70 | sm_62
ld.acquire.cluster.u32      7.8 sm_90 | sm_89
ld.volatile.global.u32      -   sm_20 |
ld.global.nc.f32            3.1 sm_32 |
ld.global.L1::no_allocate.v4.f32 7.4 sm_70 | sm_62
ld.global.L2::128B.u32      7.4 sm_75 | sm_72
ld.global.L2::256B.u32      7.4 sm_80 | sm_75
ld.global.L2::cache_hint.u32 7.4 sm_80 | sm_75
ld.global.v8.b32            8.8 sm_100 | sm_90
ld.global.v4.u64            8.8 sm_100 | sm_90
ld.global.v4.u32            -   sm_20 |
ld.shared::cluster.u32      7.8 sm_90 | sm_89
st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 8.1 sm_90 | sm_89
st.bulk.shared::cta         8.6 sm_100 | sm_90
red.async.relaxed.cluster.global.add.u32 8.7 sm_100 | sm_90
multimem.ld_reduce.relaxed.sys.global.add.f32 8.1 sm_90 | sm_89
multimem.ld_reduce.weak.global.add.e4m3x4 8.6 sm_100a sm_103f sm_120a | sm_100 sm_90a sm_120f
prefetch.global.L2          2.0 sm_20 |
prefetch.tensormap          8.0 sm_90 | sm_89
createpolicy.fractional.L2::evict_last.b64 7.4 sm_80 | sm_75
isspacep.global             2.0 sm_20 |
cvta.param.u64              7.7 sm_70 | sm_62
mapa.u64                    7.8 sm_90 | sm_89
cvt.rn.f16.f32              -   sm_20 |
cvt.rn.bf16.f32             7.0 sm_80 | sm_75
cvt.rn.f16x2.f32            7.0 sm_80 | sm_75
cvt.f32.bf16                7.1 sm_80 | sm_75
cvt.rn.bf16.s32             7.8 sm_90 | sm_89
cvt.rzi.s32.bf16            7.8 sm_90 | sm_80
cvt.rna.tf32.f32            7.0 sm_80 | sm_75
cvt.rn.tf32.f32             7.8 sm_90 | sm_89
cvt.rn.satfinite.tf32.f32   8.6 sm_100 | sm_90
cvt.rn.satfinite.e4m3x2.f32 7.8 sm_89 | sm_86
cvt.rn.f16x2.e5m2x2         7.8 sm_89 | sm_86
cvt.rn.satfinite.e2m1x2.f32 8.6 sm_100a sm_103a sm_100f sm_110a sm_120a sm_121f | sm_100 sm_90a sm_120
cvt.rn.satfinite.e2m1x2.f16x2 9.1 sm_100a sm_120f | sm_100
cvt.rn.satfinite.e5m2x2.bf16x2 9.1 sm_100f sm_120a | sm_90
cvt.rs.f16x2.f32            8.7 sm_100a sm_103a | sm_100f sm_110a
cvt.pack.sat.u8.s32.b32     6.5 sm_72 | sm_70
cp.async.cg.shared.global   7.0 sm_80 | sm_75
cp.async.commit_group       7.0 sm_80 | sm_75
cp.async.bulk.commit_group  8.0 sm_90 | sm_89
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes 8.0 sm_90 | sm_89
cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes 8.6 sm_90 | sm_89
cp.async.bulk.global.shared::cta.bulk_group 8.0 sm_90 | sm_89
cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 8.0 sm_90 | sm_89
cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes 8.6 sm_100a sm_103f | sm_100 sm_120a
cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes 8.6 sm_100 sm_120 | sm_90a
cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.cta_group::2 8.6 sm_100a sm_110f | sm_90a sm_120a
tensormap.replace.tile.rank.global.b1024.b32 8.3 sm_90a sm_100f sm_120a | sm_90 sm_100
tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned 8.3 sm_90 | sm_89
bar.sync                    -   sm_20 |
bar.warp.sync               6.0 sm_30 |
barrier.sync.aligned        6.0 sm_30 |
barrier.cluster.arrive.aligned 7.8 sm_90 | sm_89
barrier.cluster.wait.acquire.aligned 8.0 sm_90 | sm_89
membar.gl                   -   sm_20 |
fence.acq_rel.gpu           6.0 sm_70 | sm_62
fence.sc.cluster            7.8 sm_90 | sm_89
fence.proxy.alias           7.5 sm_70 | sm_62
fence.proxy.async.shared::cta 8.0 sm_90 | sm_89
fence.mbarrier_init.release.cluster 8.0 sm_90 | sm_89
fence.proxy.tensormap::generic.acquire.gpu 8.3 sm_90 | sm_89
fence.acquire.sync_restrict::shared::cluster.cluster 8.6 sm_90 | sm_89
atom.global.add.u32         -   sm_20 |
atom.global.min.s64         3.1 sm_32 | sm_30
atom.global.add.f64         5.0 sm_60 | sm_53
atom.cta.global.add.u32     5.0 sm_60 | sm_53
atom.acq_rel.gpu.global.cas.b32 6.0 sm_70 | sm_62
red.relaxed.cluster.global.add.u32 7.8 sm_90 | sm_89
atom.global.add.noftz.f16x2 6.2 sm_60 | sm_53
atom.global.cas.b16         6.3 sm_70 | sm_62
atom.global.add.noftz.bf16  7.8 sm_90 | sm_89
red.global.v2.f32.add       8.1 sm_90 | sm_89
atom.global.exch.b128       8.3 sm_90 | sm_89
shfl.up.b32                 3.0 sm_30 |
shfl.sync.up.b32            6.0 sm_30 |
vote.sync.ballot.b32        6.0 sm_30 |
match.any.sync.b32          6.0 sm_70 | sm_62
activemask.b32              6.2 sm_30 |
elect.sync                  8.0 sm_90 | sm_89
redux.sync.add.s32          7.0 sm_80 | sm_75
redux.sync.max.abs.f32      8.6 sm_100a sm_100f sm_103a | sm_100 sm_90a sm_120a
griddepcontrol.wait         7.8 sm_90 | sm_89
mbarrier.init.shared.b64    7.0 sm_80 | sm_75
mbarrier.test_wait.parity.shared.b64 7.1 sm_80 | sm_75
mbarrier.try_wait.shared::cta.b64 7.8 sm_90 | sm_89
mbarrier.arrive.expect_tx.shared.b64 8.0 sm_90 | sm_89
mbarrier.expect_tx.relaxed.cta.shared::cta.b64 8.0 sm_90 | sm_89
mbarrier.arrive.relaxed.cta.shared::cta.b64 8.6 sm_80 | sm_75
mbarrier.arrive.release.cluster.shared::cluster.b64 8.0 sm_90 | sm_89
clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 8.6 sm_100 | sm_90a
wmma.load.a.sync.aligned.row.m16n16k16.f16 6.0 sm_70 | sm_62
wmma.mma.sync.aligned.row.col.m32n8k16.f32.f32 6.1 sm_70 | sm_62
wmma.mma.sync.aligned.row.col.m16n16k16.s32.u8.u8.s32 6.3 sm_72 | sm_70
wmma.mma.sync.aligned.row.col.m8n8k32.s32.s4.s4.s32 6.3 sm_75 | sm_72
wmma.mma.sync.aligned.row.col.m16n16k16.f32.bf16.bf16.f32 7.0 sm_80 | sm_75
wmma.mma.and.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32 7.1 sm_80 | sm_75
mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 6.4 sm_70 | sm_62
mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 6.5 sm_75 | sm_72
mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 7.0 sm_80 | sm_75
mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 7.0 sm_80 | sm_75
mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 6.5 sm_75 | sm_72
mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 7.0 sm_80 | sm_75
mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 7.0 sm_80 | sm_75
mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 7.8 sm_90 | sm_89
mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 8.4 sm_89 | sm_86
mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e4m3.f16 8.7 sm_89 | sm_86
mma.sync.aligned.kind::f8f6f4.m16n8k32.row.col.f32.e3m2.e2m1.f32 8.7 sm_120a sm_121f | sm_100a sm_120
mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 7.1 sm_80 | sm_75
mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 8.5 sm_80 | sm_75
ldmatrix.sync.aligned.m8n8.x4.shared.b16 6.5 sm_75 | sm_72
ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 8.6 sm_100a sm_120f | sm_100 sm_90a
stmatrix.sync.aligned.m8n8.x1.shared.b16 7.8 sm_90 | sm_89
movmatrix.sync.aligned.m8n8.trans.b16 7.8 sm_75 | sm_72
wgmma.fence.sync.aligned    8.0 sm_90a | sm_90 sm_89 sm_100a sm_120
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 8.0 sm_90a | sm_90
wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 8.2 sm_90a | sm_90
wgmma.mma_async.sync.aligned.m64n8k32.s32.u8.s8 8.4 sm_90a | sm_90
tcgen05.wait::ld.sync.aligned 8.6 sm_100a sm_100f sm_103a sm_101a sm_110f | sm_90a sm_100 sm_120a
tcgen05.shift.cta_group::1.down 8.6 sm_100a sm_103a sm_101a | sm_100f sm_103f
tcgen05.mma.cta_group::1.kind::i8 8.6 sm_100a sm_110a | sm_103a sm_100f
tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.block16 8.8 sm_100f sm_110a | sm_100
vadd.u32.u32.u32            2.0 sm_20 |
vset4.u32.u32.lt            3.0 sm_30 |
nanosleep.u32               6.3 sm_70 | sm_62
setmaxnreg.inc.sync.aligned.u32 8.0 sm_90a sm_100a sm_120f | sm_90 sm_100
alloca.u64                  7.3 sm_52 | sm_50
ret                         -   sm_20 |
`

// TestNeedsOfFormsMatchRows compares formNeeds with the needs of rows.
func TestNeedsOfFormsMatchRows(t *testing.T) {
	for line := range strings.Lines(formNeeds) {
		have, not, _ := strings.Cut(line, "|")
		fields := strings.Fields(have)
		if len(fields) == 0 {
			continue
		}
		need := isa.NeedOf(fields[0])
		want, _ := isa.ParseVersion(fields[1]) // 0 for -
		if need.Version != want {
			t.Errorf("%s: version %s, want %s", fields[0], need.Version, fields[1])
		}
		for i, names := range [][]string{fields[2:], strings.Fields(not)} {
			for _, name := range names {
				arch, ok := isa.ParseArch(name)
				if !ok {
					t.Fatal(name)
				}
				if refused := need.Unmet(0, arch) != ""; refused != (i == 1) {
					t.Errorf("%s: refused for %s: %v", fields[0], name, refused)
				}
			}
		}
	}
}

// TestOnlyReleasedVersionsExist: the versions and targets of the release history exist, and no others.
func TestOnlyReleasedVersionsExist(t *testing.T) {
	for text, want := range map[string]bool{"1.0": true, "1.5": true, "1.6": false, "2.3": true, "2.4": false, "3.2": true, "4.3": true, "5.0": true, "5.1": false, "6.5": true, "6.6": false, "7.8": true, "7.9": false,
		"8.8": true, "8.9": false, "9.0": true, "9.2": true, "9.5": true, "10.1": true, "0.9": false, "7": false, "7.10": false, "x.1": false} {
		if _, ok := isa.ParseVersion(text); ok != want {
			t.Errorf("version %s: %v", text, ok)
		}
	}
	for name, want := range map[string]string{"sm_20": "2.0", "sm_35": "3.1", "sm_50": "4.0", "sm_70": "6.0", "sm_90": "7.8", "sm_90a": "8.0", "sm_100a": "8.6", "sm_100f": "8.8", "sm_120": "8.7", "sm_121a": "8.8", "sm_110f": "9.0", "sm_88": "9.0",
		"sm_90f": "", "sm_91": "", "sm_80a": "", "sm_107": "", "compute_80": "", "sm_": ""} {
		got := ""
		if v, ok := isa.Introduced(name); ok {
			got = v.String()
		}
		if got != want {
			t.Errorf("%s is of version %q, want %q", name, got, want)
		}
	}
}
