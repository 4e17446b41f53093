package program

import (
	"fmt"
	"testing"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
)

func TestTensorMemoryHasOperandsOfPTX(t *testing.T) {
	at := func(f *Func, a TensorAddress) string { return fmt.Sprintf("%s+%d", f.slot(a.Slot), a.Disp) }
	words := func(p *Program, f *Func) string {
		x := f.Info[0].Tensor
		text := fmt.Sprintf("pair %v at %s", x.Pair, at(f, x.At))
		if x.To != nil {
			text += " to " + f.place(x.To)
		}
		if x.Columns != 0 {
			text += " columns " + f.slot(x.Columns)
		}
		if x.Access != nil {
			text += fmt.Sprintf(" shape %d halves %v %s upper %d", x.Access.Shape, x.Access.Halves, f.slotList(x.Access.Registers), x.Upper)
		}
		if x.Descriptor != 0 {
			text += fmt.Sprintf(" from %s as %d", f.slot(x.Descriptor), x.Copy)
		}
		if m := x.Product; m != nil {
			a := f.slot(m.A)
			if m.IsInTensor {
				a = at(f, m.InTensor)
			}
			text += fmt.Sprintf(" product of %s and %s by %s, adds %s", a, f.slot(m.B), f.slot(m.Descriptor), f.slot(m.Accumulates))
			if m.Disabled != nil {
				text += " without " + f.slotList(m.Disabled)
			}
			if m.ScaleD != 0 {
				text += fmt.Sprintf(" scaled by 2^-%d", m.ScaleD)
			}
			if m.Blocks != 0 {
				text += fmt.Sprintf(" %d scales at %s and %s", m.Blocks, at(f, m.ScaleA), at(f, m.ScaleB))
			}
		}
		if !p.Tensor || f.Info[0].Space != isa.RegSpace {
			text += ", and the program does not know"
		}
		return text
	}
	explain(t, words, map[string]string{
		"tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%r1+4], 256;":                                "pair true at -+0 to shared[%r1+4]:4 columns 256",
		"tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r1, %r2;":                                              "pair false at %r1+0 columns %r2",
		"tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r1, %r2}, [%r3+8];":                                           fmt.Sprintf("pair false at %%r3+8 shape %d halves false {%%r1 %%r2} upper 0", lanes.Tensor32x32),
		"tcgen05.ld.sync.aligned.16x32bx2.x1.pack::16b.b32 {%r1}, [%r3], 4;":                                   fmt.Sprintf("pair false at %%r3+0 shape %d halves true {%%r1} upper 4", lanes.Tensor16x32x2),
		"tcgen05.st.sync.aligned.16x64b.x1.b32 [64], {%r1};":                                                   fmt.Sprintf("pair false at 64+0 shape %d halves false {%%r1} upper 0", lanes.Tensor16x64),
		"tcgen05.cp.cta_group::1.128x256b [%r1+5], %rd1;":                                                      fmt.Sprintf("pair false at %%r1+5 from %%rd1 as %d", lanes.Copy128x256),
		"tcgen05.cp.cta_group::1.64x128b.warpx2::01_23 [%r1], %rd1;":                                           fmt.Sprintf("pair false at %%r1+0 from %%rd1 as %d", lanes.Copy64x128Pairs),
		"tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd1, %rd2, %r2, %p1;":                                      "pair false at %r1+0 product of %rd1 and %rd2 by %r2, adds %p1",
		"tcgen05.mma.cta_group::1.kind::f16 [%r1], [%r3+1], %rd2, %r2, {%r4, %r5, %r6, %r7}, %p1, 3;":          "pair false at %r1+0 product of %r3+1 and %rd2 by %r2, adds %p1 without {%r4 %r5 %r6 %r7} scaled by 2^-3",
		"tcgen05.mma.cta_group::1.kind::mxf4.block_scale.block32 [%r1], %rd1, %rd2, %r2, [%r3], [%r4+2], %p1;": "pair false at %r1+0 product of %rd1 and %rd2 by %r2, adds %p1 2 scales at %r3+0 and %r4+2",
	})
}

func TestKernelHasOneGroupOfCTAs(t *testing.T) {
	got := lowerError(t, head+"{\ntcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\ntcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned; ret; }")
	if want := "k.s:8:1: tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned: the kernel has instructions of tcgen05 with the other .cta_group, too; PTX wants the same in all"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestWarpgroupProductsHaveOperandsOfPTX(t *testing.T) {
	words := func(_ *Program, f *Func) string {
		x := f.Warpgroups[0]
		text := fmt.Sprintf("%s to %s", f.slot(x.DescriptorB), f.slotList(x.D))
		if x.A != nil {
			text += " by " + f.slotList(x.A)
		} else {
			text += " by " + f.slot(x.DescriptorA)
		}
		text += fmt.Sprintf(", adds %s, %v %v %v %v", f.slot(x.ScaleD), x.NegateA, x.NegateB, x.TransposeA, x.TransposeB)
		if x.Product.Sparse {
			text += fmt.Sprintf(", sparse %s:%d", f.slot(x.Metadata), x.Selector)
		}
		return text
	}
	const d = "{%f0, %f1, %f2, %f3}"
	explain(t, words, map[string]string{
		"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 " + d + ", %rd1, %rd2, %p1, -1, 1, 0, 1;":                      "%rd2 to {%f0 %f1 %f2 %f3} by %rd1, adds %p1, true false false true",
		"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 " + d + ", {%r4, %r5, %r6, %r7}, %rd2, 1, 1, -1, 0;":           "%rd2 to {%f0 %f1 %f2 %f3} by {%r4 %r5 %r6 %r7}, adds true, false true false false",
		"wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 " + d + ", {%r4, %r5, %r6, %r7}, %rd2, %r8, 1, 0, 1, 1, 0;": "%rd2 to {%f0 %f1 %f2 %f3} by {%r4 %r5 %r6 %r7}, adds false, false false false false, sparse %r8:1",
	})
}

func TestWarpgroupsWaitAndAdjustRegisters(t *testing.T) {
	words := func(p *Program, f *Func) string {
		x := f.Warpgroups[0]
		return fmt.Sprintf("waits %v for all but %d; %d registers, more %v, %v", x.Order == isa.WarpgroupWait, x.Latest, x.Registers, x.More, p.AdjustsRegisters)
	}
	explain(t, words, map[string]string{
		"wgmma.wait_group.sync.aligned 2;":     "waits true for all but 2; 0 registers, more false, false",
		"wgmma.fence.sync.aligned;":            "waits false for all but 0; 0 registers, more false, false",
		"setmaxnreg.inc.sync.aligned.u32 232;": "waits false for all but 0; 232 registers, more true, true",
		"setmaxnreg.dec.sync.aligned.u32 40;":  "waits false for all but 0; 40 registers, more false, true",
	})
}

// TestMatrixLoadsTakeAddressesOfSomeLanes: ldmatrix of x2 has the addresses of rows in lanes 0 to 15.
func TestMatrixLoadsTakeAddressesOfSomeLanes(t *testing.T) {
	for code, want := range map[string]lanes.Mask{
		"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r2];":                0xff,
		"ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r1, %r3}, [%r2];":           0xffff,
		"stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r2], {%r1, %r3, %r4, %r5};": lanes.AllLanes,
	} {
		_, f := first(t, code)
		m := f.Matrices[0]
		if m == nil || m.Lanes != want || m.Pieces != nil || len(m.Ops) != 1 || m.Ops[0].Mem == nil || f.Ops[0].Mem != nil || !f.Info[0].OnlyShared || f.Info[0].Size != 16 {
			t.Errorf("%s: %+v", code, m)
		}
	}
}

// TestWarpMatricesMoveInPieces: addresses are aligned to a lane's fragment, which has 8 registers of a 16 x 16 matrix
// of .f32. Rows, or columns, are as far apart as the matrix is wide unless the code has their distance.
func TestWarpMatricesMoveInPieces(t *testing.T) {
	for code, want := range map[string]struct {
		stride string
		align  uint64
		bits   int
		disp   uint64
	}{
		"wmma.load.c.sync.aligned.row.m16n16k16.f32 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, [%rd1+16];":   {"16", 32, 32, 16},
		"wmma.load.c.sync.aligned.row.m16n16k16.f32 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, [%rd1], %r1;": {"%r1", 32, 32, 0},
		"wmma.store.d.sync.aligned.col.m8n32k16.f32 [%rd1], {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7};":      {"8", 32, 32, 0},
		"wmma.store.d.sync.aligned.row.m8n8k4.f64 [%rd1], {%fd0, %fd1}, %r1;":                               {"%r1", 16, 64, 0},
		"wmma.load.a.sync.aligned.row.m16n16k16.u8 {%r2, %r3}, [%rd1];":                                     {"16", 8, 8, 0},
	} {
		_, f := first(t, code)
		m := f.Matrices[0]
		x := m.Pieces
		if f.slot(x.Base) != "%rd1" || !x.Wide || f.slot(x.Stride) != want.stride || x.Align != want.align || x.ElementBits != want.bits || x.Disp != want.disp || len(m.Ops) != len(x.Places) {
			t.Errorf("%s: base %s, stride %s, %+v", code, f.slot(x.Base), f.slot(x.Stride), x)
		}
		for i := range m.Ops {
			if m.Ops[i].Mem == nil {
				t.Errorf("%s: nothing moves piece %d", code, i)
			}
		}
	}
}

func TestSparseProductsAreListed(t *testing.T) {
	_, f := first(t, "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2}, {%r3, %r4}, {%f1, %f2, %f3, %f4}, %r5, 0x0;")
	if p := f.Products[0]; p == nil || !p.Sparse || p.M != 16 || p.N != 8 || p.K != 16 {
		t.Errorf("%+v", p)
	}
}
