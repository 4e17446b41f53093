package check_test

// initCase is a kernel of 32 threads and its verdict. Thread i has %r1 = i, %r2 = the address of word i of the shared
// array s, %rd1 = that of word i of the first buffer, which is written, and %rd2 = that of word i of the second,
// which is not. The local array l has 4 words.
type initCase struct {
	name string
	body string
	want string // part of the only finding; "" for none
}

const (
	part    = "setp.lt.u32 %p1, %r1, 16;\n" // lanes 0 to 15
	write   = "@%p1 st.shared.u32 [%r2], %r1;\nbar.warp.sync -1;\n"
	read    = "ld.shared.u32 %r5, [%r2];\n"
	out     = "st.global.u32 [%rd1], %r5;\n"
	rows    = "mov.f32 %f9, 0f00000000;\nmma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r5, %r6, %r6, %r6}, {%r6, %r6}, {%f9, %f9, %f9, %f9};\n"
	columns = "mov.f32 %f9, 0f00000000;\nmma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r6, %r6, %r6, %r6}, {%r5, %r6}, {%f9, %f9, %f9, %f9};\n"
	// a map of 4 words of the second buffer, of which two are written
	ofInput = "setp.lt.u32 %p5, %r1, 2;\n@%p5 st.global.u32 [%rd2], 1;\nbar.warp.sync -1;\n" + initMap + "tensormap.replace.tile.global_address.global.b1024.b64 [%rd8], %rd2;\n"
	initMap = "setp.eq.u32 %p1, %r1, 0;\nadd.u64 %rd8, %rd1, 512;\nmbarrier.init.shared.b64 [s], 1;\n@!%p1 bra READY;\n" +
		"tensormap.replace.tile.global_address.global.b1024.b64 [%rd8], %rd1;\ntensormap.replace.tile.elemtype.global.b1024.b32 [%rd8], 2;\n" +
		"tensormap.replace.tile.box_dim.global.b1024.b32 [%rd8], 0, 4;\ntensormap.replace.tile.global_dim.global.b1024.b32 [%rd8], 0, 4;\n"
	loadBox = "mbarrier.arrive.expect_tx.shared.b64 _, [s], 16;\ncp.async.bulk.tensor.1d.shared::cta.global.mbarrier::complete_tx::bytes [s+128], [%rd8, {0}], [s];\n" +
		"READY:\nmbarrier.try_wait.parity.shared.b64 %p3, [s], 0;\n@!%p3 bra READY;\nld.shared.u32 %r5, [%r2+128];\nsetp.lt.u32 %p2, %r1, 4;\n"
	asynchronously = "mbarrier.init.shared.b64 [s+256], 32;\nmbarrier.arrive.expect_tx.shared.b64 _, [s+256], 4;\nst.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r2+128], %r5, [s+256];\n" +
		"W: mbarrier.try_wait.parity.shared.b64 %p3, [s+256], 0;\n@!%p3 bra W;\nld.shared.u32 %r5, [%r2+128];\n"
	mallocs = "{ .param .u64 a; .param .u64 q;\nst.param.u64 [a], 8;\ncall (q), malloc, (a);\nld.param.u64 %rd5, [q]; }\n"
)

var initCases = []initCase{
	// Places.
	{"shared memory", read + out, "a result in global memory depends on shared memory s+0x0..0x3, which was never written (declared at k.s:6:"},
	{"shared memory that is written", "st.shared.u32 [%r2], %r1;\n" + read + out, ""},
	{"shared memory that some lanes have written", part + write + read + out, "s+0x40..0x43"},
	{"the lanes that have written it", part + write + "@%p1 ld.shared.u32 %r5, [%r2];\n@%p1 st.global.u32 [%rd1], %r5;\n", ""},
	{"a neighbour's word", "st.shared.u32 [%r2], %r1;\nbar.warp.sync -1;\nld.shared.u32 %r5, [%r2+4];\n" + out, "lane 31 "},
	{"a part of a word", "st.shared.u16 [%r2], 1;\n" + read + out, "s+0x0..0x3"},
	{"the written half of a word", "st.shared.u16 [%r2], 1;\nld.shared.u16 %r5, [%r2];\n" + out, ""},
	{"the other half of a word", "st.shared.u16 [%r2], 1;\nld.shared.u16 %r5, [%r2+2];\n" + out, "s+0x2..0x3"},
	{"one element of a vector", "mul.lo.u32 %r4, %r1, 0;\nst.shared.v2.u32 [s], {%r1, %r1};\nld.shared.v4.u32 {%r5, %r6, %r7, %r8}, [s];\n" + out, ""},
	{"another element of a vector", "st.shared.v2.u32 [s], {%r1, %r1};\nld.shared.v4.u32 {%r6, %r7, %r5, %r8}, [s];\n" + out, "s+0x0..0xf"},
	{"local memory", "ld.local.u32 %r5, [l+8];\n" + out, "local memory l+0x8..0xb"},
	{"local memory that is written", "st.local.u32 [l+8], 3;\nld.local.u32 %r5, [l+8];\n" + out, ""},
	{"local memory by an index", "and.b32 %r4, %r1, 3;\nshl.b32 %r4, %r4, 2;\nmov.u32 %r6, l;\nadd.u32 %r4, %r4, %r6;\nst.local.u32 [l], 1;\nst.local.u32 [l+4], 1;\nst.local.u32 [l+8], 1;\nld.local.u32 %r5, [%r4];\n" + out, "l+0xc..0xf"},
	{"global memory", "ld.global.u32 %r5, [%rd2];\n" + out, "global memory buffer 1+0x0..0x3"},
	{"global memory that is written", "st.global.u32 [%rd2], 1;\nld.global.u32 %r5, [%rd2];\n" + out, ""},
	{"a buffer with contents", "ld.global.u32 %r5, [%rd1];\n" + out, ""},
	{"a variable of the module", "ld.global.u32 %r5, [v];\n" + out, ""}, // PTX ISA 5.4.4: zero by default
	{"a generic address", "cvta.shared.u64 %rd5, s;\nld.u32 %r5, [%rd5];\n" + out, "shared memory s+0x0"},
	{"a register", "add.u32 %r5, %r1, %r60;\n" + out, "register %r60"},
	{"a register that some lanes have written", part + "@%p1 mov.u32 %r60, 1;\nmov.u32 %r5, %r60;\n" + out, "lanes 16-31"},
	{"a register by both sides of a branch", part + "@%p1 bra A;\nmov.u32 %r60, 1;\nbra B;\nA: mov.u32 %r60, 2;\nB: mov.u32 %r5, %r60;\n" + out, ""},
	{"a register where it is written", part + "@%p1 mov.u32 %r60, 1;\n@%p1 st.global.u32 [%rd1], %r60;\n", ""},
	{"an unset result of a function", "{ .param .u32 q;\ncall (q), unset, ();\nld.param.u32 %r5, [q]; }\n" + out, ".param variable"},
	{"an unset argument", "{ .param .u32 a; .param .u32 q;\ncall (q), same, (a);\nld.param.u32 %r5, [q]; }\n" + out, ".param variable"},
	{"an argument", "{ .param .u32 a; .param .u32 q;\nst.param.u32 [a], %r1;\ncall (q), same, (a);\nld.param.u32 %r5, [q]; }\n" + out, ""},
	{"an undefined argument that comes back", read + "{ .param .u32 a; .param .u32 q;\nst.param.u32 [a], %r5;\ncall (q), same, (a);\nld.param.u32 %r5, [q]; }\n" + out, "s+0x0"},
	{"an undefined argument that does not", read + "{ .param .u32 a; .param .u32 q;\nst.param.u32 [a], %r5;\ncall (q), seven, (a);\nld.param.u32 %r5, [q]; }\n" + out, ""},
	{"a result of libdevice", "{ .param .b32 a; .param .b32 q;\nst.param.b32 [a], %r1;\ncall (q), __nv_sinf, (a);\nld.param.b32 %r5, [q]; }\n" + out, ""},
	{"a result of libdevice for an undefined argument", part + write + read + "{ .param .b32 a; .param .b32 q;\nst.param.b32 [a], %r5;\ncall (q), __nv_sinf, (a);\nld.param.b32 %r5, [q]; }\n" + out, "lanes 16-31"},
	{"memory of malloc", mallocs + "st.global.u32 [%rd5], 1;\nld.global.u32 %r5, [%rd5];\n" + out, ""},
	{"memory of malloc that nobody has written", mallocs + "st.global.u32 [%rd5], 1;\nld.global.u32 %r5, [%rd5+4];\n" + out, "global memory malloc(8)+0x4..0x7"},
	// Uses.
	{"read and not used", read, ""},
	{"a copy is no use", read + "st.shared.u32 [%r2+128], %r5;\nst.local.u32 [l], %r5;\n", ""},
	{"a copy of a copy", read + "st.shared.u32 [%r2+128], %r5;\nld.shared.u32 %r6, [%r2+128];\nst.local.u32 [l], %r6;\nld.local.u32 %r5, [l];\n" + out, "s+0x0..0x3"},
	{"overwritten in global memory", read + out + "st.global.u32 [%rd1], 0;\n", ""},
	{"a store of what is there", "ld.global.u32 %r5, [%rd2];\nst.global.u32 [%rd2], %r5;\n", ""},
	{"a member of a structure that is stored whole", "mad.wide.u32 %rd3, %r1, 4, %rd2;\nld.global.v2.u32 {%r5, %r6}, [%rd3];\nst.global.v2.u32 [%rd3], {%r1, %r6};\n", ""},
	{"a sum of nothing", "ld.global.u32 %r5, [%rd2];\nadd.u32 %r5, %r5, 1;\nst.global.u32 [%rd2], %r5;\n", "global memory buffer 1"},
	{"a branch", read + "setp.eq.u32 %p2, %r5, 0;\n@%p2 bra A;\nA:\n", "a branch depends on shared memory"},
	{"a guard", read + "setp.eq.u32 %p2, %r5, 0;\nmov.u32 %r6, 0;\n@%p2 mov.u32 %r6, 1;\nst.global.u32 [%rd1], %r6;\n", "shared memory s"},
	{"a guarded store", read + "setp.eq.u32 %p2, %r5, 0;\n@%p2 st.global.u32 [%rd1], 1;\n", "an access depends on"},
	{"an address", read + "and.b32 %r5, %r5, 28;\nmov.u32 %r6, s;\nadd.u32 %r6, %r6, %r5;\nld.shared.u32 %r7, [%r6];\n", "an address depends on"},
	{"a switch", "ld.shared.u32 %r5, [s];\nand.b32 %r5, %r5, 1;\nT: .branchtargets A, B;\nbrx.idx %r5, T;\nA: mov.u32 %r6, 1;\nB:\n", "control flow depends on"},
	{"printf", read + "st.local.u32 [l], %r5;\ncvta.local.u64 %rd5, l;\ncvta.global.u64 %rd6, f;\n{ .param .u64 a; .param .u64 b; .param .u32 q;\nst.param.u64 [a], %rd6;\nst.param.u64 [b], %rd5;\ncall (q), vprintf, (a, b); }\n", "an argument of printf depends on shared memory"},
	{"printf of what is written, with a gap", "st.local.u32 [l], %r1;\nst.local.f64 [l+8], 0d0000000000000000;\ncvta.local.u64 %rd5, l;\ncvta.global.u64 %rd6, g;\n{ .param .u64 a; .param .u64 b; .param .u32 q;\nst.param.u64 [a], %rd6;\nst.param.u64 [b], %rd5;\ncall (q), vprintf, (a, b); }\n", ""},
	// Operations.
	{"and with 0", read + "and.b32 %r5, %r5, 0;\n" + out, ""},
	{"and with other bits", "st.shared.u8 [%r2], 1;\n" + read + "and.b32 %r5, %r5, 0x1ff;\n" + out, "s+0x0"},
	{"and with the written bits", "st.shared.u8 [%r2], 1;\n" + read + "and.b32 %r5, %r5, 0xff;\n" + out, ""},
	{"or with ones", read + "or.b32 %r5, %r5, -1;\n" + out, ""},
	{"xor with itself", read + "xor.b32 %r5, %r5, %r5;\n" + out, ""},
	{"a difference from itself", read + "sub.u32 %r5, %r5, %r5;\n" + out, ""},
	{"a product with 0", read + "mul.lo.u32 %r5, %r5, 0;\n" + out, ""},
	{"a product with 256, its low byte", read + "mul.lo.u32 %r5, %r5, 256;\nand.b32 %r5, %r5, 255;\n" + out, ""},
	{"a sum of numbers", "ld.shared.f32 %f1, [%r2];\nadd.f32 %f1, %f1, 0f3f800000;\nst.global.f32 [%rd1], %f1;\n", "s+0x0"},
	{"select of the defined one", part + read + "selp.b32 %r5, 1, %r5, %p1;\n@%p1 st.global.u32 [%rd1], %r5;\n", ""},
	{"select of the other", part + read + "selp.b32 %r5, 1, %r5, %p1;\n" + out, "lanes 16-31"},
	{"shifted out", "st.shared.u8 [%r2+3], 1;\n" + read + "shr.u32 %r5, %r5, 24;\n" + out, ""},
	{"shifted, not out", "st.shared.u8 [%r2+3], 1;\n" + read + "shr.u32 %r5, %r5, 23;\n" + out, "s+0x0"},
	{"shifted by an undefined amount", read + "shl.b32 %r5, %r1, %r5;\n" + out, "s+0x0"},
	{"a field that is written", "st.shared.u8 [%r2+1], 1;\n" + read + "bfe.u32 %r5, %r5, 8, 8;\n" + out, ""},
	{"a field that replaces the rest", read + "bfi.b32 %r5, %r1, %r5, 0, 32;\n" + out, ""},
	{"a field in an undefined register", read + "bfi.b32 %r5, %r1, %r5, 0, 8;\n" + out, "s+0x0"},
	{"bytes of a permutation", "st.shared.u8 [%r2+2], 1;\n" + read + "prmt.b32 %r5, %r5, 0, 0x4442;\n" + out, ""},
	{"a conversion of the low byte", "st.shared.u8 [%r2], 1;\n" + read + "cvt.u32.u8 %r5, %r5;\n" + out, ""},
	{"a conversion with the sign", "st.shared.u8 [%r2], 1;\n" + read + "cvt.s32.s16 %r5, %r5;\nshr.u32 %r5, %r5, 31;\n" + out, "s+0x0"},
	{"halves of a register", "st.shared.u32 [%r2+8], 1;\nld.shared.u32 %r6, [%r2+8];\n" + read + "mov.b64 %rd5, {%r6, %r5};\nmov.b64 {%r5, %r7}, %rd5;\n" + out, ""},
	{"the other half of a register", read + "mov.b64 %rd5, {%r1, %r5};\nmov.b64 {%r7, %r5}, %rd5;\n" + out, "s+0x0"},
	{"a sign that is written", "st.shared.u8 [%r2+3], 1;\n" + read + "setp.lt.s32 %p2, %r5, 0;\nselp.u32 %r5, 1, 0, %p2;\n" + out, ""},
	{"a comparison that the written byte decides", "st.shared.u8 [%r2+3], 1;\n" + read + "setp.eq.u32 %p2, %r5, 5;\nselp.u32 %r5, 1, 0, %p2;\n" + out, ""},
	{"a condition that another one decides", part + write + read + "setp.gt.and.u32 %p2, %r5, 7, %p1;\n@%p2 bra A;\nA:\n", ""},
	{"a pair of halves", "st.shared.u16 [%r2], 0;\nld.shared.b32 %r5, [%r2];\nadd.f16x2 %r5, %r5, %r5;\ncvt.u32.u16 %r5, %r5;\n" + out, ""},
	{"a carry", "ld.shared.u32 %r6, [%r2];\nadd.cc.u32 %r6, %r6, 1;\naddc.u32 %r5, %r1, 0;\n" + out, "s+0x0"},
	// Lanes.
	{"a shuffle from a lane that has written", part + write + read + "shfl.sync.idx.b32 %r5, %r5, 3, 31, -1;\n" + out, ""},
	{"a shuffle from a lane that has not", part + write + read + "shfl.sync.idx.b32 %r5, %r5, 20, 31, -1;\n" + out, "lanes 0-31"},
	{"a ballot, the bits that are defined", part + write + read + "setp.ne.u32 %p2, %r5, 0;\nvote.sync.ballot.b32 %r5, %p2, -1;\nand.b32 %r5, %r5, 0xffff;\n" + out, ""},
	{"a ballot, all bits", part + write + read + "setp.ne.u32 %p2, %r5, 0;\nvote.sync.ballot.b32 %r5, %p2, -1;\n" + out, "s+0x40"},
	{"any, decided by a defined lane", part + write + read + "setp.eq.u32 %p2, %r5, 3;\nvote.sync.any.pred %p3, %p2, -1;\n@%p3 bra A;\nA:\n", ""},
	{"a sum of all lanes", part + write + read + "redux.sync.add.u32 %r5, %r5, -1;\n" + out, "s+0x40"},
	// Products of matrices. Rows 4 to 7 of A, or columns 4 to 7 of B, are undefined.
	{"a product, and rows that are defined", part + write + read + "mov.u32 %r6, 0;\n" + rows + "@%p1 st.global.f32 [%rd1], %f1;\n", ""},
	{"a product, and the other rows of its registers", part + write + read + "mov.u32 %r6, 0;\n" + rows + "st.global.f32 [%rd1], %f3;\n", ""},
	{"a product, and undefined rows", part + write + read + "mov.u32 %r6, 0;\n" + rows + "st.global.f32 [%rd1], %f2;\n", "lanes 16-31"},
	{"a product, and undefined columns", part + write + read + "mov.u32 %r6, 0;\n" + columns + "st.global.f32 [%rd1], %f4;\n", "lanes 2-3,6-7"},
	{"a product of doubles", part + write + "ld.shared.u32 %r5, [%r2];\ncvt.rn.f64.u32 %fd1, %r5;\nmov.f64 %fd2, 0d0000000000000000;\nmma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%fd3, %fd4}, {%fd1}, {%fd2}, {%fd2, %fd2};\nmad.wide.u32 %rd5, %r1, 4, %rd1;\n@%p1 st.global.f64 [%rd5], %fd3;\n", ""},
	{"a product with an undefined C", part + write + read + "mov.u32 %r6, 0;\nmov.b32 %f1, %r5;\nmov.b32 %f2, %r6;\nmma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f3, %f4, %f5, %f6}, {%r6, %r6, %r6, %r6}, {%r6, %r6}, {%f1, %f2, %f2, %f2};\nst.global.f32 [%rd1], %f4;\nst.global.f32 [%rd1+128], %f3;\n", "lanes 16-31 (ffff0000)"},
	{"a transposed matrix", part + write + read + "movmatrix.sync.aligned.m8n8.trans.b16 %r6, %r5;\nand.b32 %r7, %r1, 2;\nsetp.eq.u32 %p2, %r7, 0;\n@%p2 st.global.u32 [%rd1], %r6;\n", ""},
	// Other accesses.
	{"an atomic on shared memory", "atom.shared.add.u32 %r5, [%r2], 1;\n" + out, "s+0x0"},
	{"an exchange", "atom.shared.exch.b32 %r6, [%r2], 1;\n" + read + out, ""},
	{"an atomic with an undefined operand", read + "red.global.add.u32 [%rd1], %r5;\n", "s+0x0"},
	{"cp.async of what nobody has written", "cp.async.ca.shared.global [%r2], [%rd2], 4;\ncp.async.wait_all;\n" + read + out, "global memory buffer 1"},
	{"cp.async of what is written", "cp.async.ca.shared.global [%r2], [%rd1], 4;\ncp.async.wait_all;\n" + read + out, ""},
	{"cp.async with zeros behind", "mov.u32 %r6, s;\nmad.lo.u32 %r6, %r1, 8, %r6;\nmad.wide.u32 %rd5, %r1, 4, %rd1;\ncp.async.ca.shared.global [%r6], [%rd5], 8, 0;\ncp.async.wait_all;\nld.shared.u32 %r5, [%r6+4];\n" + out, ""},
	{"cp.async of nothing after one of what nobody has written", "cp.async.ca.shared.global [%r2+128], [%rd2], 4;\ncp.async.ca.shared.global [%r2], [%rd1], 4, 0;\ncp.async.wait_all;\n" + read + out, ""},
	{"ldmatrix", "st.shared.v4.u32 [s], {%r1, %r1, %r1, %r1};\nmov.u32 %r6, s;\nldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r5}, [%r6];\n" + out, ""},
	{"a texture", "st.global.u32 [%rd2], 1;\nbar.warp.sync -1;\nadd.u32 %r6, %r1, 31;\ntex.1d.v4.u32.s32 {%r5, %r7, %r8, %r9}, [words, {%r6}];\n" + out, "lanes 1-31"},
	{"a texture that is written", "st.global.u32 [%rd2], 1;\nbar.warp.sync -1;\ntex.1d.v4.u32.s32 {%r5, %r7, %r8, %r9}, [words, {%r1}];\n" + out, ""},
	{"a box of a tensor, what is written of it", ofInput + loadBox + "@%p5 st.global.u32 [%rd1], %r5;\n", ""},
	{"a box of a tensor", ofInput + loadBox + "@%p2 st.global.u32 [%rd1], %r5;\n", "global memory buffer 1"},
	{"a box that is stored", initMap + "cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [%rd8, {0}], [s+128];\nREADY:\n", "shared memory s+0x80"},
	{"an asynchronous store", part + write + read + asynchronously + out, "s+0x40"},
	{"an asynchronous store, what is written", part + write + read + asynchronously + "@%p1 st.global.u32 [%rd1], %r5;\n", ""},
	{"ldmatrix of what nobody has written", "mov.u32 %r6, s;\nldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r5}, [%r6];\n" + out, "s+0x0..0xf"},
}
