package interp_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
)

// fragmentCase is an instruction with matrix fragments: the capital letters in its operands.
type fragmentCase struct {
	mnemonic, operands    string
	before, after, around string // around follows after, and frees tensor memory
}

// matrixInShared fills 1024 bytes of shared memory, and sets %r70 to the address of a row for each lane and %r71 to the
// address of the first row.
const matrixInShared = `
	.shared .align 128 .b8 tile[1024];
	mov.u32 %r71, tile;
	mov.u32 %r72, %laneid;
	mad.lo.u32 %r70, %r72, 16, %r71;
	mad.lo.u32 %r73, %r72, 32, %r71;
	mad.lo.u32 %r72, %r72, 0x00020001, 0x3c003d00;
	st.shared.v4.u32 [%r73], {%r72, %r72, 3, 4};
	st.shared.v4.u32 [%r73+16], {5, %r72, %r73, 8};
	bar.warp.sync -1;
`

// sumOfShared adds 16 of these bytes for each lane to the hash in %r1.
const sumOfShared = `
	bar.warp.sync -1;
	ld.shared.v4.u32 {%r74, %r75, %r76, %r77}, [%r73];
	mad.lo.u32 %r1, %r1, 31, %r74;
	mad.lo.u32 %r1, %r1, 31, %r75;
	mad.lo.u32 %r1, %r1, 31, %r76;
	mad.lo.u32 %r1, %r1, 31, %r77;
`

var fragmentCases = []fragmentCase{
	{mnemonic: "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", operands: "D, A, B, C"},
	{mnemonic: "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", operands: "D, A, B, C"},
	{mnemonic: "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32", operands: "D, A, B, C"},
	{mnemonic: "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", operands: "D, A, B, C"},
	{mnemonic: "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", operands: "D, A, B, C"},
	{mnemonic: "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64", operands: "D, A, B, C"},
	{mnemonic: "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32", operands: "D, A, B, C"},
	{mnemonic: "mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32", operands: "D, A, B, C"},
	{mnemonic: "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32", operands: "D, A, B, C"},
	{mnemonic: "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc", operands: "D, A, B, C"},
	{mnemonic: "mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32", operands: "D, A, B, C, 0x44444444, 0"},
	{mnemonic: "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32", operands: "D, A, B, C"},
	{mnemonic: "wmma.mma.sync.aligned.row.col.m8n8k4.f64.f64.f64.f64", operands: "D, A, B, C"},
	{mnemonic: "ldmatrix.sync.aligned.m8n8.x4.shared.b16", operands: "D, [%r70]", before: matrixInShared},
	{mnemonic: "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16", operands: "D, [%r70]", before: matrixInShared},
	{mnemonic: "stmatrix.sync.aligned.m8n8.x4.shared.b16", operands: "[%r70], B", before: matrixInShared, after: sumOfShared},
	{mnemonic: "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16", operands: "D, [%r71]", before: matrixInShared},
	{mnemonic: "wmma.load.a.sync.aligned.row.m16n16k16.shared.u8", operands: "D, [%r71]", before: matrixInShared},
	{mnemonic: "wmma.store.d.sync.aligned.row.m16n16k16.shared.f32", operands: "[%r71], B", before: matrixInShared, after: sumOfShared},
	{mnemonic: "wmma.store.d.sync.aligned.row.m8n8k4.shared.f64", operands: "[%r71], B", before: matrixInShared, after: sumOfShared},
	{mnemonic: "tcgen05.ld.sync.aligned.32x32b.x4.b32", operands: "D, [%r2]", around: freeTensor,
		before: "mov.u32 %r72, %laneid;\ntcgen05.st.sync.aligned.32x32b.x4.b32 [%r2], {%r72, %r72, %r80, %r72};\ntcgen05.wait::st.sync.aligned;\n"},
	{mnemonic: "tcgen05.st.sync.aligned.32x32b.x4.b32", operands: "[%r2], B", around: freeTensor,
		after: "tcgen05.ld.sync.aligned.32x32b.x4.b32 {%r74, %r75, %r76, %r77}, [%r2];\ntcgen05.wait::ld.sync.aligned;\n" + "add.u32 %r1, %r74, %r75;\nmad.lo.u32 %r1, %r1, 31, %r76;\nmad.lo.u32 %r1, %r1, 31, %r77;\n"},
}

// source returns a kernel that executes the instruction. Its results are registers that hold 0x5a5a5a5a before; if
// short is set, every other result is _. Its sources are registers that hold constants or, if short, partly the
// constants themselves. %r1 is a hash of the results, in which a dropped one counts as 0x5a5a5a5a.
func (c *fragmentCase) source(t *testing.T, short bool) string {
	t.Helper()
	in, msg := isa.Resolve(c.mnemonic)
	if msg != "" || in.Later != "" {
		t.Fatal(c.mnemonic, msg, in.Later)
	}
	var before, after strings.Builder
	operands := c.operands
	for _, p := range in.Spec.Formals() {
		if p.Kind != isa.Fragment {
			continue
		}
		typ := p.Type(in.Types, in.Mods)
		var elems []string
		for i := range p.Registers(in.Mods) {
			name := fmt.Sprintf("%%%c%d", p.Name+'A'-'a', i)
			fmt.Fprintf(&before, "\t.reg .%s %s;\n", typ, name)
			value := fragmentConstant(typ, i+int(p.Name))
			if p.Result {
				value = fragmentConstant(typ, 0)
			}
			fmt.Fprintf(&before, "\tmov.%s %s, %s;\n", typ, name, value)
			switch {
			case p.Result && !(i%2 == 1):
				after.WriteString(foldInto(typ, name))
			case p.Result && short:
				name = "_"
			case !p.Result && short && i%3 != 1: // every third stays a register
				name = value
			}
			elems = append(elems, name)
		}
		operands = strings.ReplaceAll(operands, string(p.Name+'A'-'a'), "{"+strings.Join(elems, ", ")+"}")
	}
	entry := kerneltest.Entry
	if c.around != "" {
		entry = takeTensor
	}
	return entry + "\tmov.u32 %r1, 7;\n" + c.before + before.String() + "\t" + c.mnemonic + " " + operands + ";\n" + after.String() + c.after + c.around + kerneltest.StoreR1
}

// fragmentConstant returns the constant number i of a type.
func fragmentConstant(t isa.Type, i int) string {
	switch t {
	case isa.F32:
		return fmt.Sprintf("%d.5", i)
	case isa.F64:
		return fmt.Sprintf("-%d.25", i)
	}
	return fmt.Sprintf("%#x", 0x3c003c00+uint32(i)*0x01000302)
}

// foldInto adds a register to the hash in %r1.
func foldInto(t isa.Type, name string) string {
	if t == isa.F64 {
		return fmt.Sprintf("\tmov.b64 {%%r78, %%r79}, %s;\n\tmad.lo.u32 %%r1, %%r1, 31, %%r78;\n\tmad.lo.u32 %%r1, %%r1, 31, %%r79;\n", name)
	}
	return fmt.Sprintf("\tmov.b32 %%r78, %s;\n\tmad.lo.u32 %%r1, %%r1, 31, %%r78;\n", name)
}

// TestFragmentsMayHaveSinksAndConstants: an instruction with some results dropped and some constant sources has the
// same results as with registers alone.
func TestFragmentsMayHaveSinksAndConstants(t *testing.T) {
	for i := range fragmentCases {
		c := &fragmentCases[i]
		var got [2][][]uint32
		for short := range got {
			k := kerneltest.Kernel{Words: []int{32}, Source: c.source(t, short == 1)}
			var err error
			if got[short], _, err = k.Run(t); err != nil {
				t.Fatalf("%s: %v\n%s", c.mnemonic, err, k.Source)
			}
		}
		if diff := cmp.Diff(got[0], got[1]); diff != "" || slices.Max(got[0][0]) == 7 {
			t.Errorf("%s: with registers alone, and with _ and constants (-want +got):\n%s", c.mnemonic, diff)
		}
	}
}
