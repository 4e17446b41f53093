package simtrun_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/simtrun/simtrun"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/internal/tensorcase"
)

// tensorKernel copies all of a buffer to 16 KiB of shared memory, has one thread execute COPY, waits for it, and
// copies shared memory back. The test replaces MAP, COORDS and OFFSETS with those of the copy.
const tensorKernel = `
.version 8.6
.target sm_90a
.address_size 64
.visible .entry k(.param .align 64 .b8 map[128], .param .u64 shared)
{
	.shared .align 1024 .b8 s[16384];
	.shared .align 8 .b64 bar;
	ld.param.u64 %rd1, [shared];
	mov.u32 %r1, %tid.x;
	setp.eq.u32 %p1, %r1, 0;
	@%p1 mbarrier.init.shared.b64 [bar], 1;
	mov.u32 %r2, s;
	mad.wide.u32 %rd3, %r1, 16, %rd1;
	mad.lo.u32 %r3, %r1, 16, %r2;
	mov.u32 %r5, %r3;
	mov.u64 %rd4, %rd3;
	mov.u32 %r4, 0;
IN:
	ld.global.v4.u32 {%r20, %r21, %r22, %r23}, [%rd4];
	st.shared.v4.u32 [%r5], {%r20, %r21, %r22, %r23};
	add.u64 %rd4, %rd4, 512;
	add.u32 %r5, %r5, 512;
	add.u32 %r4, %r4, 512;
	setp.lt.u32 %p2, %r4, 16384;
	@%p2 bra IN;
	fence.proxy.async.shared::cta;
	bar.sync 0;
	mov.b64 %rd5, map;
	cvta.param.u64 %rd5, %rd5;
	@!%p1 bra WAIT;
	COPY
WAIT:
	mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0;
	@!%p2 bra WAIT;
	bar.sync 0;
OUT:
	ld.shared.v4.u32 {%r20, %r21, %r22, %r23}, [%r3];
	st.global.v4.u32 [%rd3], {%r20, %r21, %r22, %r23};
	add.u64 %rd3, %rd3, 512;
	add.u32 %r3, %r3, 512;
	sub.u32 %r4, %r4, 512;
	setp.ne.u32 %p2, %r4, 0;
	@%p2 bra OUT;
	ret;
}`

// tensorCopy returns the instructions for the copy of a case, between the tensor and a place in shared memory.
func tensorCopy(c *tensorcase.Case, place int, store bool) string {
	numbers := func(n []int) string { return strings.Trim(strings.Join(strings.Fields(fmt.Sprint(n)), ", "), "[]") }
	at := fmt.Sprintf("[%%rd5, {%s}]", numbers(c.Coords))
	mode := map[bool]string{true: ".im2col", false: []string{".tile", ""}[place/128%2]}[c.Im2col]
	if c.Four {
		mode = ".tile::gather4"
	}
	if !store {
		text := fmt.Sprintf("mbarrier.arrive.expect_tx.shared.b64 _, [bar], %d;\n\tcp.async.bulk.tensor.%dd.shared::%s.global%s.mbarrier::complete_tx::bytes [s+%d], %s, [bar]",
			c.Bytes(), len(c.Sizes), []string{"cta", "cluster"}[place/256%2], mode, place, at)
		if c.Im2col {
			text += ", {" + numbers(c.Offsets) + "}"
		}
		return text + ";"
	}
	mode = strings.NewReplacer("im2col", "im2col_no_offs", "gather", "scatter").Replace(mode)
	return fmt.Sprintf("cp.async.bulk.tensor.%dd.global.shared::cta%s.bulk_group %s, [s+%d];\n\tcp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group 0;\n\tmbarrier.arrive.shared.b64 _, [bar];",
		len(c.Sizes), mode, at, place)
}

// TestTensorCopiesMatchSingleElements checks that copies of random boxes, pixels and rows of random tensors, in both
// directions, with and without a clock, agree with a copy of one element after the other.
func TestTensorCopiesMatchSingleElements(t *testing.T) {
	short.Alternates(t, 1, 3)
	const sharedBytes = 16384
	r := rand.New(rand.NewPCG(5, 6))
	for i := range short.Of(800) {
		store := i%2 == 1
		c := tensorcase.Random(r, 8192, store)
		place := 128 * r.IntN((sharedBytes-8192)/128)
		random := func(n int) []byte {
			b := make([]byte, n)
			for i := range b {
				b[i] = byte(r.Uint32())
			}
			return b
		}
		elements, shared := random(c.Span()), random(sharedBytes)
		wantElements, wantShared := bytes.Clone(elements), bytes.Clone(shared)
		if store {
			c.Store(wantElements, shared, place)
		} else {
			c.Load(wantShared, elements, place)
		}
		src := strings.Replace(tensorKernel, "COPY", tensorCopy(c, place, store), 1)
		for _, clock := range []*simtrun.Clock{nil, {}} {
			p, err := simtrun.Load("k.ptx", []byte(src))
			if err != nil {
				t.Fatal(err)
			}
			m, err := p.NewMachine(simtrun.Options{Clock: clock})
			if err != nil {
				t.Fatal(err)
			}
			e, err1 := simtrun.AllocOf(m, "elements", elements)
			s, err2 := simtrun.AllocOf(m, "shared", shared)
			tm, err3 := m.TensorMap(e, c.Words())
			if err1 != nil || err2 != nil || err3 != nil {
				t.Fatal(c.Words(), err1, err2, err3)
			}
			_, err = m.Launch(context.Background(), simtrun.Launch{Kernel: "k", Args: []any{tm, s}, Block: simtrun.Dim{X: 32}})
			switch {
			case err != nil:
				t.Fatalf("%s at %v: %v", c.Words(), c.Coords, err)
			case !bytes.Equal(e.Bytes(), wantElements):
				t.Fatalf("%s at %v: other elements, clock %t", c.Words(), c.Coords, clock != nil)
			case !bytes.Equal(s.Bytes(), wantShared):
				t.Fatalf("%s at %v, offsets %v: other bytes in shared memory from %d on, clock %t", c.Words(), c.Coords, c.Offsets, place, clock != nil)
			}
		}
	}
}

// TestTensorCopySeesOwnWrites checks that a copy sees what its own warp wrote to the tensor just before, with stores
// and with atomics.
func TestTensorCopySeesOwnWrites(t *testing.T) {
	const store = `ld.param.u64 %%rd6, [elements];
	mov.u32 %%r4, 0;
MAKE:
	shl.b32 %%r9, %%r1, 2;
	add.u32 %%r9, %%r9, %%r4;
	shr.u32 %%r9, %%r9, 2;
	cvt.u64.u32 %%rd7, %%r9;
	mad.lo.u64 %%rd7, %%rd7, 4, %%rd6;
	%s
	add.u32 %%r4, %%r4, 128;
	setp.lt.u32 %%p2, %%r4, 16384;
	@%%p2 bra MAKE;
	mov.u32 %%r4, 16384;
	fence.proxy.async.global;
	bar.warp.sync -1;
	@!%%p1 bra WAIT;
`
	r := rand.New(rand.NewPCG(7, 8))
	for i := range short.Of(60) {
		how := []string{"st.global.u32 [%rd7], %r9;", "red.global.add.u32 [%rd7], %r9;", "atom.global.exch.b32 %r8, [%rd7], %r9;"}[i%3]
		c := tensorcase.Random(r, 8192, false)
		elements, want := [16384]byte{}, [16384]byte{}
		for k := 0; k < len(elements); k += 4 {
			binary.LittleEndian.PutUint32(elements[k:], uint32(k/4))
		}
		if c.Span() > len(elements) {
			continue
		}
		c.Load(want[:], elements[:], 0)
		src := strings.Replace(tensorKernel, "@!%p1 bra WAIT;\n\tCOPY", fmt.Sprintf(store, how)+tensorCopy(c, 0, false), 1)
		src = strings.Replace(src, ".param .u64 shared)", ".param .u64 shared, .param .u64 elements)", 1)
		for _, clock := range []*simtrun.Clock{nil, {}} {
			p, err := simtrun.Load("k.ptx", []byte(src))
			if err != nil {
				t.Fatal(err)
			}
			m, err := p.NewMachine(simtrun.Options{Clock: clock})
			if err != nil {
				t.Fatal(err)
			}
			e, err1 := m.Alloc("elements", int64(len(elements)))
			s, err2 := m.Alloc("shared", int64(len(want)))
			tm, err3 := m.TensorMap(e, c.Words())
			if err1 != nil || err2 != nil || err3 != nil {
				t.Fatal(err1, err2, err3)
			}
			if _, err = m.Launch(context.Background(), simtrun.Launch{Kernel: "k", Args: []any{tm, s, e}, Block: simtrun.Dim{X: 32}}); err != nil {
				t.Fatalf("%s at %v: %v", c.Words(), c.Coords, err)
			}
			if !bytes.Equal(s.Bytes(), want[:]) {
				t.Fatalf("%s at %v, offsets %v, by %s: other bytes in shared memory, clock %t", c.Words(), c.Coords, c.Offsets, how, clock != nil)
			}
		}
	}
}

// TestOnlyFTZSumsFlushSubnormals checks that sums of .f32 keep subnormals, and sums of .f32.ftz do not.
func TestOnlyFTZSumsFlushSubnormals(t *testing.T) {
	const reduce = "cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.bulk_group [%rd5, {0}], [s];\n\tcp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group 0;\n\tmbarrier.arrive.shared.b64 _, [bar];"
	old, by := []float32{1, 0x1p-127, 0x1p-126, 0x1p-130}, []float32{0x1p-140, 0x1p-127, -0x1p-127, 1}
	for typ, want := range map[string][]float32{"f32": {1, 0x1p-126, 0x1p-127, 1}, "f32.ftz": {1, 0, 0x1p-126, 1}} {
		p, err := simtrun.Load("k.ptx", []byte(strings.Replace(tensorKernel, "COPY", reduce, 1)))
		if err != nil {
			t.Fatal(err)
		}
		m, err := p.NewMachine(simtrun.Options{})
		if err != nil {
			t.Fatal(err)
		}
		e, err1 := simtrun.AllocOf(m, "elements", old)
		s, err2 := simtrun.AllocOf(m, "shared", append(by, make([]float32, 4092)...))
		tm, err3 := m.TensorMap(e, "4 box=4 type="+typ)
		if err1 != nil || err2 != nil || err3 != nil {
			t.Fatal(err1, err2, err3)
		}
		if _, err := m.Launch(context.Background(), simtrun.Launch{Kernel: "k", Args: []any{tm, s}, Block: simtrun.Dim{X: 32}}); err != nil {
			t.Fatal(err)
		}
		if got := simtrun.Read[float32](e); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", typ, got, want)
		}
	}
}

// TestMulticastSignalsItsBlocks checks that block 1 of each cluster of 4 has a box copied to blocks 0 and 3, and that
// the copy signals the mbarriers of these blocks. The box is 32 numbers of row %clusterid of 64, from 8 on; the swizzle
// depends on the address, and leaves the 4-byte words of the first line in place. With .cta_group::2 the copy signals
// the mbarriers of the odd blocks in the destination pairs, 1 and 3, because the barrier of block 1 is given.
func TestMulticastSignalsItsBlocks(t *testing.T) {
	const src = `
.version 8.6
.target sm_90a
.address_size 64
.visible .entry k(.param .align 64 .b8 map[128], .param .u64 out)
{
	.shared .align 1024 .b8 s[128];
	.shared .align 8 .b64 bar;
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %tid.x;
	setp.eq.u32 %p1, %r1, 0;
	@%p1 mbarrier.init.shared.b64 [bar], 1;
	@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 128;
	fence.mbarrier_init.release.cluster;
	barrier.cluster.arrive;
	barrier.cluster.wait;
	mov.u32 %r2, %cluster_ctarank;
	mov.u32 %r3, %clusterid.x;
	setp.eq.and.u32 %p2, %r2, 1, %p1;
	mov.b64 %rd2, map;
	cvta.param.u64 %rd2, %rd2;
	mov.u16 %rs1, 9;
	mov.u32 %r7, 8;
	@%p2 cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [s], [%rd2, {%r7, %r3}], [bar], %rs1;
	setp.eq.u32 %p3, %r2, 0;
	setp.eq.or.u32 %p3, %r2, 3, %p3;
	@!%p3 bra END;
WAIT:
	mbarrier.try_wait.parity.shared.b64 %p4, [bar], 0;
	@!%p4 bra WAIT;
	mov.u32 %r4, s;
	mad.lo.u32 %r4, %r1, 4, %r4;
	ld.shared.u32 %r5, [%r4];
	mov.u32 %r6, %ctaid.x;
	mad.lo.u32 %r6, %r6, 32, %r1;
	mad.wide.u32 %rd1, %r6, 4, %rd1;
	st.global.u32 [%rd1], %r5;
END:
	barrier.cluster.arrive;
	barrier.cluster.wait;
	ret;
}`
	pairs := strings.NewReplacer("sm_90a", "sm_100a", "multicast::cluster [s]", "multicast::cluster.cta_group::2 [s]",
		"setp.eq.u32 %p3, %r2, 0;", "setp.eq.u32 %p3, %r2, 1;", "bra END", "bra TOLD", "@!%p4 bra WAIT;", `@!%p4 bra WAIT;
TOLD:
	barrier.cluster.arrive;
	barrier.cluster.wait;
	setp.eq.u32 %p3, %r2, 0;
	setp.eq.or.u32 %p3, %r2, 3, %p3;
	@!%p3 bra END;`).Replace(src)
	multicast(t, src)
	multicast(t, pairs)
}

// multicast runs a kernel of TestMulticastSignalsItsBlocks with and without a clock.
func multicast(t *testing.T, src string) {
	t.Helper()
	numbers := make([]uint32, 2*64)
	for i := range numbers {
		numbers[i] = uint32(i)
	}
	for _, clock := range []*simtrun.Clock{nil, {}} {
		p, err := simtrun.Load("k.ptx", []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		m, err := p.NewMachine(simtrun.Options{Clock: clock})
		if err != nil {
			t.Fatal(err)
		}
		in, err1 := simtrun.AllocOf(m, "in", numbers)
		out, err2 := simtrun.AllocOf(m, "out", make([]uint32, 8*32))
		tm, err3 := m.TensorMap(in, "64x2 type=u32 box=32x1 swizzle=128")
		if err1 != nil || err2 != nil || err3 != nil {
			t.Fatal(err1, err2, err3)
		}
		dim := func(x uint32) simtrun.Dim { return simtrun.Dim{X: x} }
		if _, err := m.Launch(context.Background(), simtrun.Launch{Kernel: "k", Args: []any{tm, out}, Grid: dim(8), Cluster: dim(4), Block: dim(32)}); err != nil {
			t.Fatal(err)
		}
		for i, got := range simtrun.Read[uint32](out) {
			block, want := i/32, uint32(0)
			if block%4 == 0 || block%4 == 3 {
				want = uint32(block/4*64 + 8 + i%32)
			}
			if got != want {
				t.Fatalf("clock %t: word %d is %d, want %d", clock != nil, i, got, want)
			}
		}
	}
}

// TestTensorMapFaults checks that a faulty copy is reported, and copies nothing.
func TestTensorMapFaults(t *testing.T) {
	const load, wait = "cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes ", ", [bar];"
	const store = "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group "
	const plain = "64x64 type=f32 box=32x8"
	for _, c := range []struct{ words, copy, want string }{
		{plain, "cp.async.bulk.tensor.3d.shared::cta.global.tile.mbarrier::complete_tx::bytes [s], [%rd5, {0, 0, 0}], [bar];", "a tensor map of 2 dimensions; .3d takes one of 3 [tensor-map]"},
		{plain, "cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes [s], [%rd5, {0, 1, 2, 3, 4}], [bar];", "a tensor map with a box of 8 in dimension 1; loads of four rows need a box of 1 there"},
		{"64x8x8 type=f32 box=32x8x1", "cp.async.bulk.tensor.3d.shared::cta.global.im2col.mbarrier::complete_tx::bytes [s], [%rd5, {0, 0, 0}], [bar], {1};", "a tensor map of boxes; .im2col takes one of pixels"},
		{"64x8x8 type=f32 pixels=4 channels=8 lower=-1 upper=0", "cp.async.bulk.tensor.3d.shared::cta.global.tile.mbarrier::complete_tx::bytes [s], [%rd5, {0, 0, 0}], [bar];", "a tensor map of pixels; .tile takes one of boxes"},
		{"64x8x8 type=f32 pixels=4 channels=8 lower=-1 upper=0", "cp.async.bulk.tensor.3d.global.shared::cta.im2col_no_offs.bulk_group [%rd5, {0, 0, 0}], [s];", "corners of -1 and 0, beyond the tensor; a copy to a tensor stays in it"},
		{"16x4x4x4 type=f32 pixels=4 channels=8 lower=0,0 upper=0,0", "cp.async.bulk.tensor.4d.shared::cta.global.im2col.mbarrier::complete_tx::bytes [s], [%rd5, {0, 0, 0, 0}], [bar], {1, 256};", "an offset of 256; for a tensor of 4 dimensions the largest is 255"},
		{plain, store + "[%rd5, {0, -1}], [s];", "coordinate 1 is -1; a copy to a tensor takes none below 0"},
		{plain + " swizzle=128 atomicity=32flip", store + "[%rd5, {0, 0}], [s];", "a swizzle with halves of 16 bytes exchanged, which only copies to shared memory have"},
		{plain, load + "[s+64], [%rd5, {0, 0}]" + wait, "misaligned destination of a copy: shared 0x40 is not a multiple of 128 bytes"},
		{plain, store + "[%rd5, {0, 0}], [s+16];", "misaligned source of a copy: shared 0x10 is not a multiple of 128 bytes"},
		{plain, load + "[s+15616], [%rd5, {0, 0}]" + wait, "destination of a copy past the end of s"},
		{plain, load + "[s], [%rd1+32, {0, 0}]" + wait, "misaligned tensor map: generic 0x"},
		{plain, load + "[s], [%rd5+64, {0, 0}]" + wait, "tensor map past the end of the parameters [mem-oob] param 0x40"},
		{plain, "mov.u64 %rd6, 0;\n\t" + load + "[s], [%rd6, {0, 0}]" + wait, "generic tensor map, but the address is null"},
		{plain, load + "[s], [%rd1, {0, 0}]" + wait, "no tensor map is there: the address is that of shared in .global space [tensor-map]"},
		{plain, "mov.u32 %r9, s;\n\tcvt.u64.u32 %rd6, %r9;\n\tcvta.shared.u64 %rd6, %rd6;\n\t" + load + "[s], [%rd6, {0, 0}]" + wait, "in .shared space; a tensor map is a parameter of the kernel, or in .const or .global space"},
		{plain, load + "[s], [%rd5, {0, 0}], [s+8192];", "no mbarrier is at shared 0x2000"},
		{"64x16 type=f64 box=16x8", "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group [%rd5, {0, 0}], [s];", "a tensor of type f64, whose elements the operation does not take [tensor-map]"},
		{plain, "cp.reduce.async.bulk.tensor.2d.global.shared::cta.min.bulk_group [%rd5, {0, 0}], [s];", "a tensor of type f32, whose elements the operation does not take"},
		{plain, "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group [%rd5, {-8, 0}], [s];", "coordinate 0 is -8; a copy to a tensor takes none below 0"},
		{"larger " + plain, load + "[s], [%rd5, {0, 60}]" + wait, "source of a copy past the end of elements"},
		{"larger " + plain, store + "[%rd5, {0, 64}], [s];", "destination of a copy past the end of elements"},
		{plain, "tensormap.replace.tile.rank.b1024.b32 [%rd5], 1;", "tensormap.replace to the parameters, which is read-only"},
		{plain, "tensormap.replace.tile.rank.shared::cta.b1024.b32 [s], 5;", "5 as the rank; expected 0 to 4 [tensor-map]"},
		{plain, "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [s], 0, 65536;", "65536 as the box_dim; it is at most 65535 [tensor-map]"},
		{plain, "tensormap.replace.tile.rank.shared::cta.b1024.b32 [s+32], 1;", "misaligned tensormap.replace: shared 0x20 is not a multiple of 64 bytes"},
		{plain, "add.u64 %rd6, %rd1, 1024;\n\ttensormap.replace.tile.box_dim.global.b1024.b32 [%rd6], 0, 512;\n\t" + load + "[s], [%rd6, {0, 0}]" + wait, "a tensor map that the driver would not make: a box of 512 in dimension 0; expected 1 to 256"},
		{plain, "add.u64 %rd6, %rd1, 1024;\n\ttensormap.replace.tile.rank.global.b1024.b32 [%rd6], 1;\n\ttensormap.replace.tile.box_dim.global.b1024.b32 [%rd6], 0, 512;\n\t" + load + "[s], [%rd6, {0, 0}]" + wait, "a tensor map that the driver would not make: a box of 512 in dimension 0; expected 1 to 256"},
		{plain, "add.u64 %rd6, %rd1, 16256;\n\ttensormap.replace.tile.elemtype.global.b1024.b32 [%rd6], 13;", "13 as the elemtype; expected 0 to 12"},
	} {
		for _, clock := range []*simtrun.Clock{nil, {}} {
			p, err := simtrun.Load("k.ptx", []byte(strings.Replace(tensorKernel, "COPY", c.copy, 1)))
			if err != nil {
				t.Fatal(c.copy, err)
			}
			m, err := p.NewMachine(simtrun.Options{Clock: clock})
			if err != nil {
				t.Fatal(err)
			}
			elements, err1 := m.Alloc("elements", 16384)
			shared, err2 := m.Alloc("shared", 16384)
			words, larger := strings.CutPrefix(c.words, "larger ")
			tm, err3 := m.TensorMap(elements, words)
			if err1 != nil || err2 != nil || err3 != nil {
				t.Fatal(err1, err2, err3)
			}
			if larger {
				binary.LittleEndian.PutUint32(tm[28:], 72) // of dimension 1
			}
			_, err = m.Launch(context.Background(), simtrun.Launch{Kernel: "k", Args: []any{tm, shared}, Block: simtrun.Dim{X: 32}})
			if _, ok := errors.AsType[*simtrun.Fault](err); !ok || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s, clock %t: %v; want %s", c.copy, clock != nil, err, c.want)
			}
		}
	}
}
