package isa

import (
	"fmt"
	"slices"
	"strings"
)

// examples are of rows whose plain forms, which Examples makes up itself, are
// not those that people use. Registers have the compilers' names; LABEL, LIST,
// f, out and n are a label, a list of labels, a function and parameters.
var examples = map[string][]string{
	"applypriority":      {"applypriority.global.L2::evict_normal [%rd1], 128;"},
	"createpolicy":       {"createpolicy.fractional.L2::evict_last.b64 %rd1, 1.0;"},
	"createpolicy.cvt":   {"createpolicy.cvt.L2.b64 %rd1, %rd2;"},
	"createpolicy.range": {"createpolicy.range.L2::evict_last.L2::evict_first.b64 %rd1, [%rd2], 0x100000, 0x200000;"},
	"discard":            {"discard.global.L2 [%rd1], 128;"},
	"setmaxnreg":         {"setmaxnreg.dec.sync.aligned.u32 64;"},

	"clusterlaunchcontrol.try_cancel":                      {"clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%r1], [%r2];"},
	"clusterlaunchcontrol.query_cancel.is_canceled":        {"clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p1, %rq1;"},
	"clusterlaunchcontrol.query_cancel.get_first_ctaid":    {"clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%r1, %r2, %r3, _}, %rq1;"},
	"clusterlaunchcontrol.query_cancel.get_first_ctaid::x": {"clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r1, %rq1;"},
	"clusterlaunchcontrol.query_cancel.get_first_ctaid::y": {"clusterlaunchcontrol.query_cancel.get_first_ctaid::y.b32.b128 %r1, %rq1;"},
	"clusterlaunchcontrol.query_cancel.get_first_ctaid::z": {"clusterlaunchcontrol.query_cancel.get_first_ctaid::z.b32.b128 %r1, %rq1;"},

	"atom":                            {"atom.global.add.u32 %r1, [%rd1], 1;", "atom.shared.max.s32 %r1, [%r2], %r3;"},
	"atom.cas":                        {"atom.global.cas.b32 %r1, [%rd1], %r2, %r3;"},
	"bar":                             {"bar.sync 0;", "bar.sync 1, 64;"},
	"bar.red":                         {"bar.red.popc.u32 %r1, 0, %p1;"},
	"bar.warp":                        {"bar.warp.sync -1;"},
	"barrier":                         {"barrier.sync 0;"},
	"barrier.red":                     {"barrier.red.or.pred %p1, 0, %p2;"},
	"bfe":                             {"bfe.u32 %r1, %r2, 8, 4;"},
	"bfi":                             {"bfi.b32 %r1, %r2, %r3, 8, 4;"},
	"bra":                             {"bra LABEL;", "@%p1 bra LABEL;", "@!%p1 bra LABEL;"},
	"brx":                             {"brx.idx %r1, LIST;"},
	"call":                            {"call f;", "call.uni f;"},
	"cp.async":                        {"cp.async.ca.shared.global [%r1], [%rd1], 4;", "cp.async.cg.shared.global [%r1], [%rd1], 16, %r2;"},
	"cvt":                             {"cvt.u64.u32 %rd1, %r1;", "cvt.rn.f32.s32 %f1, %r1;", "cvt.rzi.s32.f32 %r1, %f1;", "cvt.rn.f32.f64 %f1, %fd1;"},
	"cvta":                            {"cvta.to.global.u64 %rd1, %rd2;", "cvta.shared.u64 %rd1, %rd2;"},
	"exit":                            {"exit;", "@%p1 exit;"},
	"fence":                           {"fence.acq_rel.gpu;", "fence.sc.cta;"},
	"ld":                              {"ld.param.u64 %rd1, [out];", "ld.global.f32 %f1, [%rd1+4];", "ld.shared.u32 %r1, [%r2];", "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];"},
	"lop3":                            {"lop3.b32 %r1, %r2, %r3, %r4, 0x96;"},
	"match":                           {"match.any.sync.b32 %r1, %r2, -1;"},
	"membar":                          {"membar.gl;", "membar.cta;"},
	"mov":                             {"mov.u32 %r1, %tid.x;", "mov.f32 %f1, 1.0;", "mov.b64 {%r1, %r2}, %rd1;"},
	"mul":                             {"mul.lo.s32 %r1, %r2, %r3;", "mul.wide.u32 %rd1, %r1, 4;", "mul.f32 %f1, %f2, %f3;"},
	"mad":                             {"mad.lo.s32 %r1, %r2, %r3, %r4;", "mad.wide.u32 %rd1, %r1, 4, %rd2;", "mad.rn.f32 %f1, %f2, %f3, %f4;"},
	"red.async":                       {"red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r1], %r2, [%r3];"},
	"st.async":                        {"st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r1], %r2, [%r3];"},
	"cp.reduce.async.bulk.bulk_group": {"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%rd1], [%r1], 512;"},
	"cp.reduce.async.bulk.mbarrier::complete_tx::bytes": {"cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%r1], [%r2], 512, [%r3];"},
	"red":       {"red.global.add.u32 [%rd1], 1;", "red.shared.add.f32 [%r1], %f1;"},
	"redux":     {"redux.sync.add.u32 %r1, %r2, -1;"},
	"setp":      {"setp.lt.u32 %p1, %r1, %r2;", "setp.neu.f32 %p1, %f1, 0.0;", "setp.ge.and.s32 %p1, %r1, 0, %p2;"},
	"shf":       {"shf.l.wrap.b32 %r1, %r2, %r3, 7;"},
	"shfl":      {"shfl.sync.down.b32 %r1, %r2, 16, 31, -1;", "shfl.sync.bfly.b32 %r1|%p1, %r2, 1, 31, -1;"},
	"shl":       {"shl.b32 %r1, %r2, 2;"},
	"shr":       {"shr.u32 %r1, %r2, 2;", "shr.s32 %r1, %r2, 31;"},
	"st":        {"st.global.f32 [%rd1], %f1;", "st.shared.u32 [%r1+4], %r2;", "st.global.v2.u32 [%rd1], {%r1, %r2};"},
	"vadd":      {"vadd.s32.u32.s32.sat %r1, %r2.b0, %r3.h0;", "vadd.u32.u32.u32.add %r1, %r2, %r3, %r4;"},
	"vadd2":     {"vadd2.s32.s32.u32.sat %r1, %r2, %r3, %r1;", "vadd2.u32.u32.u32 %r1.h0, %r2.h10, %r3.h32, %r4;"},
	"vadd4":     {"vadd4.u32.u32.u32 %r1, %r2, %r3, %r4;", "vadd4.u32.u32.u32.sat %r1.b10, %r2.b3210, %r3.b7654, %r4;"},
	"vabsdiff":  {"vabsdiff.s32.s32.s32.sat %r1.h0, %r2.b0, %r3.b2, %r4;"},
	"vabsdiff4": {"vabsdiff4.u32.u32.u32.add %r1, %r2, %r3, %r4;"},
	"vmad":      {"vmad.s32.s32.u32.sat %r1, %r2, %r3, -%r4;", "vmad.u32.u32.u32.shr15 %r1, %r2.h0, %r3.h0, %r4;"},
	"vset":      {"vset.u32.u32.lt %r1, %r2.b0, %r3.b1;"},
	"vshl":      {"vshl.s32.u32.u32.clamp %r1, %r2, %r3;"},
	"vshr":      {"vshr.u32.u32.u32.wrap %r1, %r2, %r3.h1;"},
	"istypep":   {"istypep.texref %p1, %rd1;"},
	"suld":      {"suld.b.2d.b32.trap %r1, [%rd1, {%r2, %r3}];", "suld.b.1d.v2.b32.zero {%r1, %r2}, [%rd1, {%r3}];"},
	"suq":       {"suq.width.b32 %r1, [%rd1];"},
	"sured":     {"sured.b.add.2d.u32.trap [%rd1, {%r1, %r2}], %r3;"},
	"sust":      {"sust.b.2d.b32.trap [%rd1, {%r1, %r2}], %r3;", "sust.p.2d.v4.b32.clamp [%rd1, {%r1, %r2}], {%r3, %r4, %r5, %r6};"},
	"tex":       {"tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}];", "tex.1d.v4.u32.s32 {%r1, %r2, %r3, %r4}, [%rd1, {%r5}];"},
	"tex.grad":  {"tex.grad.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}], {%f7, %f8}, {%f9, %f10};"},
	"tex.level": {"tex.level.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}], %f7;"},
	"tld4":      {"tld4.r.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}];"},
	"txq":       {"txq.width.b32 %r1, [%rd1];"},
	"txq.level": {"txq.level.height.b32 %r1, [%rd1], 1;"},
	"vote":      {"vote.sync.ballot.b32 %r1, %p1, -1;", "vote.sync.any.pred %p1, %p2, -1;"},

	"ldmatrix":   {"ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r2, %r3, %r4}, [%r5];", "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r1, %r2}, [%r5];"},
	"wmma.load":  {"wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, [%rd1], %r9;"},
	"wmma.store": {"wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%rd1], {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}, %r9;"},
	"wmma.mma": {"wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}, {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, {%r11, %r12, %r13, %r14, %r15, %r16, %r17, %r18}, {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8};",
		"wmma.mma.sync.aligned.row.col.m8n8k4.f64.f64.f64.f64 {%fd1, %fd2}, {%fd3}, {%fd4}, {%fd1, %fd2};"},
	"stmatrix": {"stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r5], {%r1, %r2, %r3, %r4};"},
	"mma": {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};",
		"mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.s8.s32 {%r1, %r2, %r3, %r4}, {%r5, %r6, %r7, %r8}, {%r9, %r10}, {%r1, %r2, %r3, %r4};",
		"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%fd1, %fd2}, {%fd3}, {%fd4}, {%fd1, %fd2};"},
	"mma.sp":                   {"mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6, %r7, %r8}, {%f1, %f2, %f3, %f4}, %r9, 0;"},
	"mma.sp::ordered_metadata": {"mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.satfinite.s32.s8.s8.s32 {%r1, %r2, %r3, %r4}, {%r5, %r6, %r7, %r8}, {%r9, %r10, %r11, %r12}, {%r1, %r2, %r3, %r4}, %r13, 0;"},
	"wgmma.mma_async": {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %rd1, %rd2, %p1, 1, 1, 0, 0;",
		"wgmma.mma_async.sync.aligned.m64n16k8.f32.tf32.tf32 {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}, {%r1, %r2, %r3, %r4}, %rd1, 1, 1, -1;"},
	"wgmma.mma_async.sp":                         {"wgmma.mma_async.sp.sync.aligned.m64n8k64.s32.s8.u8 {%r1, %r2, %r3, %r4}, %rd1, %rd2, %r5, 0, %p1;"},
	"cp.async.bulk.bulk_group":                   {"cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], 1024;"},
	"cp.async.bulk.mbarrier::complete_tx::bytes": {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1], 1024, [%r2];"},
	"tcgen05.alloc":                              {"tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r1], 64;"},
	"tcgen05.commit":                             {"tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r1];"},
	"tcgen05.commit.multicast::cluster":          {"tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%r1], %rs1;"},
	"tcgen05.dealloc":                            {"tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r1, 64;"},
	"tcgen05.ld":                                 {"tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r1, %r2}, [%r3];", "tcgen05.ld.sync.aligned.16x32bx2.x1.b32 {%r1}, [%r3], 16;"},
	"tcgen05.st":                                 {"tcgen05.st.sync.aligned.32x32b.x2.b32 [%r3], {%r1, %r2};"},
	"elect":                                      {"elect.sync %r1|%p1, -1;"},
	"fence.proxy":                                {"fence.proxy.async.shared::cta;"},
	"fence.proxy.tensormap::generic":             {"fence.proxy.tensormap::generic.acquire.gpu [%rd1], 128;"},
	"mbarrier.init":                              {"mbarrier.init.shared.b64 [%r1], 128;"},
	"mbarrier.arrive":                            {"mbarrier.arrive.shared.b64 %rd1, [%r1];", "mbarrier.arrive.release.cta.shared.b64 _, [%r1], 2;"},
	"mbarrier.arrive.expect_tx":                  {"mbarrier.arrive.expect_tx.shared.b64 _, [%r1], 4096;"},
	"mbarrier.test_wait":                         {"mbarrier.test_wait.shared.b64 %p1, [%r1], %rd1;"},
	"mbarrier.try_wait.parity":                   {"mbarrier.try_wait.parity.shared.b64 %p1, [%r1], %r2;"},
	"cp.reduce.async.bulk.tensor":                {"cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%rd1, {%r1, %r2}], [%r3];"},
	"cp.async.bulk.tensor.bulk_group":            {"cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd1, {%r1, %r2}], [%r3];"},
	"cp.async.bulk.tensor.mbarrier::complete_tx::bytes":                    {"cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, %r3}], [%r4];", "cp.async.bulk.tensor.4d.shared::cta.global.im2col.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, %r3, %r4, %r5}], [%r6], {%rs1, %rs2};"},
	"cp.async.bulk.tensor.mbarrier::complete_tx::bytes.multicast::cluster": {"cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%r1], [%rd1, {%r2, %r3}], [%r4], %rs1;"},
	"cp.async.bulk.prefetch.tensor":                                        {"cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%rd1, {%r1, %r2}];"},
	"tensormap.replace":                                                    {"tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%r1], %rd1;", "tensormap.replace.tile.box_dim.global.b1024.b32 [%rd1], 0, 64;"},
	"tensormap.cp_fenceproxy":                                              {"tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd1], [%r1], 128;"},
	"tcgen05.cp":                                                           {"tcgen05.cp.cta_group::1.128x256b [%r1], %rd1;", "tcgen05.cp.cta_group::1.32x128b.warpx4 [%r1], %rd1;"},
	"tcgen05.mma":                                                          {"tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd1, %rd2, %r2, %p1;", "tcgen05.mma.cta_group::1.kind::tf32 [%r1], [%r3], %rd2, %r2, {%r4, %r5, %r6, %r7}, %p1, 2;"},
	"tcgen05.mma.block_scale":                                              {"tcgen05.mma.cta_group::1.kind::mxf4.block_scale.block32 [%r1], %rd1, %rd2, %r2, [%r3], [%r4], %p1;"},
	"tcgen05.mma.ws":                                                       {"tcgen05.mma.ws.cta_group::1.kind::f16 [%r1], %rd1, %rd2, %r2, %p1;"},
}

// Examples are instructions of the row as people write them: those of the
// table, or else its plain forms of the most usual types.
func (s *Spec) Examples() []string {
	if texts := examples[s.Title()]; texts != nil {
		return texts
	}
	var texts []string
	for _, usual := range [][]Type{{U32, S32, B32, B64, U64, U16x2, B16, U16, U8, Pred}, {F32, F64, F16x2, F16}} {
		if in := s.plainForm(usual); in != nil {
			texts = append(texts, in.example())
		}
		if s.ntypes == 0 {
			break
		}
	}
	return texts
}

// plainForm is the form of the first of the types that the row has, with the
// fewest modifiers; nil if it has none of them.
func (s *Spec) plainForm(types []Type) *Instr {
	var best *Instr
	fewest, rank := 0, len(types)
	for form := range s.Forms() {
		place := rankOf(form.Types[0], types)
		if s.ntypes == 0 {
			place = 0
		}
		modifiers := 0
		for _, m := range form.Mods {
			if m != 0 {
				modifiers++
			}
		}
		if place < rank || place == rank && best != nil && modifiers < fewest {
			best, fewest, rank = &form, modifiers, place
		}
	}
	return best
}

// rankOf is where t stands among types; their number if it does not.
func rankOf(t Type, types []Type) int {
	for i := range types {
		if types[i] == t {
			return i
		}
	}
	return len(types)
}

// example is a form with operands that fit it; optional ones are left out.
func (in *Instr) example() string {
	text, separator := in.Mnemonic(), " "
	used := make(map[string]int)
	register := func(t Type) string {
		prefix := habitualPrefix(t)
		used[prefix]++
		return fmt.Sprintf("%s%d", prefix, used[prefix])
	}
	for i := range in.Spec.formals {
		f := &in.Spec.formals[i]
		if f.Optional {
			continue
		}
		operand := ""
		switch f.Kind {
		case Address:
			operand = "[" + register(U64) + "]"
		case Immediate:
			operand = "1"
		case Fragment:
			var regs []string
			for range f.Registers(in.Mods) {
				regs = append(regs, register(f.Type(in.Types, in.Mods)))
			}
			operand = "{" + strings.Join(regs, ", ") + "}"
		default:
			operand = register(f.Type(in.Types, in.Mods))
		}
		text += separator + operand
		separator = ", "
	}
	return text + ";"
}

// habitualPrefix is how compilers name registers for values of a type.
func habitualPrefix(t Type) string {
	switch {
	case t == Pred:
		return "%p"
	case t == F32:
		return "%f"
	case t == F64:
		return "%fd"
	case t.Bits() == 64:
		return "%rd"
	case t.Bits() == 32:
		return "%r"
	}
	return "%rs"
}

// LookupAll are the rows of the opcode that a mnemonic begins with: of
// "bar.red.popc" that of bar.red, of "bar" all of them.
func LookupAll(mnemonic string) []*Spec {
	base, suffixes, _ := strings.Cut(mnemonic, ".")
	base = strings.ToLower(base)
	s, _ := rowOf(base, suffixes) // of which one has a capital letter
	if lower, _ := rowOf(base, strings.ToLower(suffixes)); lower != nil && (s == nil || len(lower.With) > len(s.With)) {
		s = lower
	}
	if s != nil && s.With != "" {
		return []*Spec{s}
	}
	return specsByName[base]
}

// IsLater reports whether PTX has an opcode that simtrun does not support yet.
func IsLater(opcode string) bool { return slices.Contains(laterOpcodes, opcode) }

// Help describes the row: its syntax, meaning, types, modifiers and examples.
func (s *Spec) Help() string {
	var b strings.Builder
	l := s.legal(nil)
	fmt.Fprintf(&b, "  %s\n\n%s\n\n", s.syntax(l), s.Doc)
	for _, p := range s.choices(l) {
		fmt.Fprintf(&b, "  %-10s %s\n", p.name, p.words)
	}
	for i, text := range s.Examples() {
		label := ""
		if i == 0 {
			label = "examples"
		}
		fmt.Fprintf(&b, "  %-10s %s\n", label, text)
	}
	return b.String()
}
