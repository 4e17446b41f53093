package isa_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/short"
)

func TestRowsAreComplete(t *testing.T) {
	short.Alternates(t, 2, 3)
	seen := make(map[string]bool)
	for _, s := range isa.Specs() {
		if s.Doc == "" || seen[s.Title()] {
			t.Errorf("%s: doc %q, twice %v", s.Title(), s.Doc, seen[s.Title()])
		}
		seen[s.Title()] = true
		forms := 0
		for range s.Forms() {
			forms++
		}
		if forms == 0 {
			t.Errorf("%s has no legal form", s.Title())
		}
	}
}

func TestReferenceIsFresh(t *testing.T) {
	short.Alternates(t, 0, 3)
	want, err := os.ReadFile("../../docs/isa.md")
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if err := isa.WriteReference(&got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("docs/isa.md is stale: run go generate ./internal/isa (-have +want):\n%s", diff)
	}
}

// kernelOf returns a kernel with the given lines and everything that samples name: registers %u32_0 to %u32_8 and so
// on, a label, a list of labels, a function.
func kernelOf(lines string) []byte {
	var b strings.Builder
	b.WriteString(".func F() { ret; }\n.entry k() {\n")
	for t := isa.Pred; t < isa.NumTypes; t++ {
		if strings.Contains(lines, "%"+t.String()+"_") {
			fmt.Fprintf(&b, "\t.reg .%s %%%s_<9>;\n", t.Storage(), t)
		}
	}
	b.WriteString("HERE:\nLIST: .branchtargets HERE;\n\t" + lines + "\n}")
	return []byte(b.String())
}

// sample returns an operand for a formal of the form in.
func sample(in *isa.Instr, f *isa.Formal, n int) string {
	t := f.Type(in.Types, in.Mods)
	reg := func(k int) string { return fmt.Sprintf("%%%s_%d", t, k) }
	if f.Result && in.Mods[isa.MbarOp] != 0 && in.Mods[isa.SpaceG] == isa.SpaceSharedCluster {
		return "_" // there is no state
	}
	switch f.Kind {
	case isa.Address:
		if f.Tensor {
			return "[%u32_8+16]"
		}
		return "[%u64_8+16]"
	case isa.LaneMask:
		return "{" + strings.Join([]string{reg(1), reg(2), reg(3), reg(4)}, ", ") + "}"
	case isa.Immediate:
		switch in.Spec.Name {
		case "tcgen05":
			return "15"
		case "st": // what st.bulk fills memory with
			return "0"
		case "applypriority", "discard", "fence", "setmaxnreg":
			return "128"
		case "mma", "wgmma":
			if f.Name == 'f' {
				return "0" // the sparsity selector
			}
			return "1"
		case "tensormap":
			if in.Mods[isa.FenceCopy] != 0 {
				return "128"
			}
			return "3" // an ordinal
		}
		return "16" // also a number of bytes
	case isa.Target:
		return "HERE"
	case isa.Table:
		return "LIST"
	case isa.Callee:
		return "F"
	case isa.Fragment:
		var regs []string
		for k := range f.Registers(in.Mods) {
			regs = append(regs, reg(k%9))
		}
		return "{" + strings.Join(regs, ", ") + "}"
	case isa.Image:
		if in.Spec.Kind == isa.QueryKind {
			return "[%u64_8]"
		}
		return "[%u64_8, {" + strings.Join(coords(in), ", ") + "}]"
	case isa.TensorAt:
		count := in.Mods.Rank()
		if m := in.Mods[isa.LoadMode]; m == isa.ModeGather4 || m == isa.ModeScatter4 {
			count = 5
		}
		return "[%u64_8+64, {" + strings.Join([]string{"%s32_0", "%s32_1", "-2", "%s32_3", "%s32_4"}[:count], ", ") + "}]"
	case isa.Pixels:
		return "{" + strings.Join([]string{"%u16_0", "1", "%u16_2"}[:max(in.Mods.Rank()-2, 0)], ", ") + "}"
	case isa.Offset:
		elems := []string{"%" + t.String() + "_1", "%" + t.String() + "_2", "%" + t.String() + "_3"}
		return "{" + strings.Join(elems[:in.Geometry().Dims()], ", ") + "}"
	case isa.Value:
		if in.Mods[isa.MapField] >= isa.FieldElemType {
			return "1"
		}
	case isa.Four:
		if len(in.Types[0].String()) == len("e4m3x4") && strings.HasSuffix(in.Types[0].String(), "x4") {
			return "{" + strings.Join([]string{reg(0), reg(1), reg(2), reg(3)}, ", ") + "}"
		}
	case isa.Vector, isa.AnyMove:
		if t == isa.B128 && f.Kind == isa.AnyMove && !f.Result {
			return "{%b64_1, %b64_2}"
		}
		if count := in.Mods.VecLen(); count > 1 {
			var elems []string
			for k := range count {
				elems = append(elems, reg(k))
			}
			return "{" + strings.Join(elems, ", ") + "}"
		}
	}
	return reg(n)
}

// coords returns registers for the coordinates of a texture or surface instruction.
func coords(in *isa.Instr) []string {
	g, t := in.Geometry(), in.Types[1]
	if t == isa.NoType {
		t = isa.S32
	}
	var all []string
	for k := range g.Index() + g.Dims() {
		if k < g.Index() {
			t := isa.U32
			all = append(all, fmt.Sprintf("%%%s_%d", t, k))
			continue
		}
		all = append(all, fmt.Sprintf("%%%s_%d", t, k))
	}
	return all
}

// texts returns the instruction with and without each of its optional operands.
func texts(in *isa.Instr) []string {
	all := []string{in.Mnemonic()}
	formals := in.Spec.Formals()
	for i := range formals {
		f, separator := &formals[i], ", "
		switch {
		case i == 0:
			separator = " "
		case f.Name == 'q':
			separator = "|"
		}
		var with []string
		for _, text := range all {
			with = append(with, text+separator+sample(in, f, i))
		}
		if f.Optional {
			with = append(with, all...)
		}
		all = with
	}
	for i := range all {
		all[i] += ";"
	}
	return all
}

// TestFormsSurvive parses every form in the table, with every legal number of operands, and compares it with the
// result of formatting and parsing it again.
func TestFormsSurvive(t *testing.T) {
	var lines []string
	forms := 0
	for _, s := range isa.Specs() {
		for in := range s.Forms() {
			if forms++; short.Skips(forms) || short.Waits(forms, 6) {
				continue
			}
			legal := 0
			for _, text := range texts(&in) {
				if got := parseOne(text); got != nil {
					legal++
					lines = append(lines, text)
					if got.Types != in.Types || *got.Mods != *in.Mods {
						t.Errorf("%s became %s", text, got.Mnemonic())
					}
				}
			}
			if legal == 0 {
				t.Fatalf("no way to write %s", in.Mnemonic())
			}
		}
	}
	first, err := asm.Parse("forms.ptx", kernelOf(strings.Join(lines, "\n\t")))
	if err != nil {
		t.Fatal(err)
	}
	second, err := asm.Parse("forms.ptx", []byte(asm.Format(first)))
	if err != nil {
		t.Fatal(err)
	}
	a, b := first.Entry("k"), second.Entry("k")
	if len(a.Code) != len(lines) || len(b.Code) != len(lines) {
		t.Fatalf("%d lines, %d instructions, %d after formatting", len(lines), len(a.Code), len(b.Code))
	}
	for i := range a.Code {
		withoutPlaces(&a.Code[i])
		withoutPlaces(&b.Code[i])
		if reflect.DeepEqual(a.Code[i], b.Code[i]) {
			continue // cmp.Diff is slow
		}
		if diff := cmp.Diff(a.Code[i], b.Code[i], cmp.Comparer(sameSpec)); diff != "" {
			t.Fatalf("%s (-first +second):\n%s", lines[i], diff)
		}
	}
	t.Logf("%d lines", len(lines))
}

// withoutPlaces removes positions, so that an instruction can be compared with one at another position.
func withoutPlaces(in *isa.Instr) {
	in.Pos, in.Loc = isa.Pos{}, isa.Pos{}
	clearPlaces(in.Args)
	if in.Call != nil {
		clearPlaces(in.Call.Rets)
		clearPlaces(in.Call.Args)
	}
}

func clearPlaces(operands []isa.Operand) {
	for i := range operands {
		operands[i].Line, operands[i].Col = 0, 0
		clearPlaces(operands[i].Elems)
	}
}

func sameSpec(a, b *isa.Spec) bool { return a == b }

// parseOne returns the instruction of a kernel with only one, or nil if it is rejected.
func parseOne(text string) *isa.Instr {
	mod, err := asm.Parse("form.ptx", kernelOf(text))
	if err != nil {
		return nil
	}
	return &mod.Entry("k").Code[0]
}

// TestModifiersDecideOperands: modifiers that require or forbid operands.
func TestModifiersDecideOperands(t *testing.T) {
	for _, text := range []string{
		"ld.global.L2::cache_hint.u32 %u32_1, [%u64_1], %b64_1;",
		"ld.global.nc.L1::no_allocate.L2::cache_hint.L2::128B.v4.f32 {%f32_1, %f32_2, %f32_3, %f32_4}, [%u64_1], 7;",
		"ld.global.L1::evict_last.L2::evict_first.u32 %u32_1, [%u64_1];",
		"st.global.L2::cache_hint.u32 [%u64_1], %u32_1, %b64_1;",
		"atom.global.add.L2::cache_hint.u32 %u32_1, [%u64_1], %u32_2, %b64_1;",
		"atom.global.cas.L2::cache_hint.b32 %b32_1, [%u64_1], %b32_2, %b32_3, %b64_1;",
		"atom.add.relaxed.u32.gpu.global %u32_1, [%u64_1], %u32_2;",
		"red.global.add.L2::cache_hint.f32 [%u64_1], %f32_1, %b64_1;",
		"bar.red.popc.u32 %u32_1, 0, %pred_1;",
		"bar.red.and.pred %pred_2, 0, 64, !%pred_1;",
		"barrier.cta.red.or.aligned.pred %pred_2, %u32_1, %u32_2, %pred_1;",
		"bar.warp.sync 0xffffffff;",
		"bar.cta.arrive 1, 64;",
		"setp.lt.f16x2 %pred_1|%pred_2, %f16x2_1, %f16x2_2;",
		"lop3.or.b32 %b32_1|%pred_1, %b32_2, %b32_3, %b32_4, 0x3f, !%pred_2;",
		"lop3.and.b32 _|%pred_1, %b32_2, %b32_3, %b32_4, 0x3f, 1;",
		"match.all.sync.b64 %b32_1|%pred_1, %b64_1, -1;",
		"cvt.rn.f16x2.f32 %f16x2_1, %f32_1, %f32_2;",
		"cvt.rz.relu.satfinite.bf16x2.f32 %b32_1, %f32_1, %f32_2;",
		"cvt.rn.satfinite.e4m3x2.f32 %b16_1, %f32_1, %f32_2;",
		"cvt.rn.satfinite.e4m3x2.f16x2 %b16_1, %f16x2_1;",
		"cvt.rn.f16x2.e4m3x2 %b32_1, %b16_1;",
		"cvt.rna.tf32.f32 %b32_1, %f32_1;",
		"setp.lt.bf16x2 %pred_1|%pred_2, %b32_1, %b32_2;",
		"cvt.pack.sat.u8.s32.b32 %b32_1, %s32_1, %s32_2, %b32_2;",
		"cvt.pack.sat.s16.s32 %b32_1, %s32_1, %s32_2;",
		"mov.v2.u32 {%u32_1, %u32_2}, {%u32_2, 5};",
		"isspacep.global %pred_1, %u64_1;",
		"isspacep.shared %pred_1, %u32_1;",
		"pmevent 7;",
		"trap;",
		"cp.async.bulk.tensor.5d.shared::cta.global.im2col.mbarrier::complete_tx::bytes.L2::cache_hint [%u32_1], [%u64_1, {%s32_0, %s32_1, %s32_2, 0, 1}], [%u32_2], {%u16_1, %u16_2, %u16_3}, %b64_1;",
		"cp.async.bulk.tensor.2d.tile.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%u32_1], [%u64_1, {%s32_0, %b32_1}], [%u32_2], %b64_1;",
		"cp.async.bulk.tensor.3d.im2col.shared::cluster.global.mbarrier::complete_tx::bytes [%u32_1], [%u64_1+128, {%s32_0, %b32_1, 3}], [%u32_2], {%u16_1};",
		"cp.async.bulk.prefetch.tensor.1d.L2.global [%u64_1, {7}];",
	} {
		if parseOne(text) == nil {
			t.Errorf("%s is refused", text)
		}
	}
	for _, text := range []string{
		"ld.global.u32 %u32_1, [%u64_1], %b64_1;",
		"ld.global.L2::cache_hint.u32 %u32_1, [%u64_1];",
		"atom.global.add.u32 %u32_1, [%u64_1], %u32_2, %u32_3;",
		"atom.global.cas.b32 %b32_1, [%u64_1], %b32_2;",
		"bar.arrive 1;",
		"bar.red.popc.u32 %u32_1, %pred_1;",
		"setp.lt.f16x2 %pred_1, %f16x2_1, %f16x2_2;",
		"lop3.b32 %b32_1|%pred_1, %b32_2, %b32_3, %b32_4, 0x3f;",
		"lop3.or.b32 %b32_1, %b32_2, %b32_3, %b32_4, 0x3f, %pred_1;",
		"match.any.sync.b32 %b32_1|%pred_1, %b32_2, -1;",
		"cvt.rn.f16x2.f32 %f16x2_1, %f32_1;",
		"cvt.rn.f16.f32 %f16_1, %f32_1, %f32_2;",
		"cvt.rn.bf16x2.f32 %b32_1, %f32_1;",
		"cvt.rn.satfinite.e4m3x2.f32 %b16_1, %f32_1;",
		"cvt.rn.satfinite.e4m3x2.f16x2 %b16_1, %b32_1, %b32_2;",
		"cvt.rn.f16x2.e4m3x2 %b32_1, %u16_1;",
		"cvt.rna.tf32.f32 %f32_1, %f32_2;",
		"cvt.rn.bf16.f32 %b32_1, %f32_1;",
		"cvt.rn.bf16.f32 %f16_1, %f32_1;",
		"cvt.f32.bf16 %f32_1, %u16_1;",
		"cvt.f32.bf16 %f32_1, %b32_1;",
		"add.bf16 %b16_1, %b16_2, 1.0;",
		"fma.rn.bf16x2 %f16x2_1, %b32_1, %b32_2, %b32_3;",
		"setp.lt.bf16x2 %pred_1, %b32_1, %b32_2;",
		"cvt.pack.sat.u8.s32.b32 %b32_1, %s32_1, %s32_2;",
		"cvt.pack.sat.s16.s32 %b32_1, %s32_1, %s32_2, %b32_2;",
		"mov.v2.u32 {%u32_1, %u32_2}, %u64_1;",
		"isspacep.global %pred_1, %f32_1;",
		"cp.async.bulk.tensor.3d.shared::cta.global.im2col.mbarrier::complete_tx::bytes [%u32_1], [%u64_1, {%s32_0, %s32_1, %s32_2}], [%u32_2];",
		"cp.async.bulk.tensor.3d.shared::cta.global.im2col.mbarrier::complete_tx::bytes [%u32_1], [%u64_1, {%s32_0, %s32_1, %s32_2}], [%u32_2], {%u16_1, %u16_2};",
		"cp.async.bulk.tensor.3d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%u32_1], [%u64_1, {%s32_0, %s32_1, %s32_2}], [%u32_2], {%u16_1};",
		"cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%u32_1], [%u64_1, {%s32_0, %s32_1}], [%u32_2], %b64_1;",
		"cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group.L2::cache_hint [%u64_1, {%s32_0, %s32_1}], [%u32_2];",
		"cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%u64_1, {%s32_0}], [%u32_2];",
		"cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%u64_1, {%s32_0, 1.0}], [%u32_2];",
		"cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [%u64_1, %s32_0], [%u32_2];",
		"tensormap.replace.tile.rank.shared::cta.b1024.b32 [%u32_1], 1, 2;",
		"tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%u32_1], 8;",
		"tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%u32_1], 5, 8;",
		"tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%u32_1], 4, 16;",
		"tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%u32_1], %u32_2;",
	} {
		if parseOne(text) != nil {
			t.Errorf("%s is taken", text)
		}
	}
}

// TestGreatestLaunchDoesNotOverflow: sizes that an int64 cannot hold are not mistaken for small ones.
func TestGreatestLaunchDoesNotOverflow(t *testing.T) {
	const most = 1<<32 - 1
	if n := (isa.Dim{4194304, 2097152, 2097152}).Count(); n != math.MaxInt64 { // 2^64
		t.Errorf("2^64 elements: %d", n)
	}
	if n := (isa.Dim{most, most, most}).Count(); n != math.MaxInt64 {
		t.Errorf("nearly 2^96 elements: %d", n)
	}
	if n := (isa.Dim{most, 3, 1}).Count(); n != 12884901885 {
		t.Errorf("%d", n)
	}
	// 2147483647*65535*65535 CTAs, by bc.
	if n := isa.Warps(isa.Dim{2147483647, 65535, 65535}, isa.Dim{1024, 1, 1}).String(); n != "295138897911382802400" {
		t.Errorf("%s warps", n)
	}
	if n := isa.Warps(isa.Dim{3, 1, 1}, isa.Dim{5, 4, 3}).String(); n != "6" {
		t.Errorf("%s warps", n)
	}
}

// TestExamplesAssembleToTheirRow: every row has examples, and they assemble to instructions of that row.
func TestExamplesAssembleToTheirRow(t *testing.T) {
	for _, s := range isa.Specs() {
		examples := s.Examples()
		if len(examples) == 0 {
			t.Errorf("%s has no example", s.Title())
		}
		for _, text := range examples {
			mod, err := asm.Parse("example.ptx", []byte(".func f() { ret; }\n.entry k(.param .u64 out, .param .u32 n) {\nLABEL:\nLIST: .branchtargets LABEL;\n.reg .b128 %rq<2>;\n"+text+"\nret;\n}"))
			if err != nil {
				t.Errorf("%s: %v", text, err)
				continue
			}
			in := &mod.Entry("k").Code[0]
			if in.Later != "" || in.Spec != s {
				t.Errorf("%s is not an example of %s", text, s.Title())
			}
			if len(asm.Warnings(mod)) > 0 {
				t.Errorf("%s: %v", text, asm.Warnings(mod))
			}
		}
	}
}

func TestLookupAllFindsRelatedOpcodes(t *testing.T) {
	for mnemonic, want := range map[string]string{
		"add": "add", "add.f32": "add", "ADD": "add", "bar": "bar bar.red bar.warp", "bar.red.popc": "bar.red", "nosuch": "",
	} {
		var titles []string
		for _, s := range isa.LookupAll(mnemonic) {
			titles = append(titles, s.Title())
		}
		if got := strings.Join(titles, " "); got != want {
			t.Errorf("LookupAll(%q): %q, want %q", mnemonic, got, want)
		}
	}
}
