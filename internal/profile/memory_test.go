package profile_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/profile"
)

// TestBankConflictsFollowStride checks the wavefronts of loads from shared memory with a stride against the rule of
// banks and phases, where two phases are merged if all lanes access the same address.
func TestBankConflictsFollowStride(t *testing.T) {
	strides := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 24, 32, 33}
	for _, c := range []struct {
		size       int
		opcode     string
		ideal      uint64
		wavefronts []uint64
	}{
		{4, "ld.shared.u32 %r2", 1, []uint64{1, 1, 2, 1, 4, 1, 2, 1, 8, 1, 4, 16, 8, 32, 1}},
		{8, "ld.shared.v2.u32 {%r2, %r3}", 2, []uint64{1, 2, 4, 2, 8, 2, 4, 2, 16, 2, 8, 32, 16, 32, 2}},
		{16, "ld.shared.v4.u32 {%r2, %r3, %r4, %r5}", 4, []uint64{2, 4, 8, 4, 16, 4, 8, 4, 32, 4, 16, 32, 32, 32, 4}},
	} {
		for i, stride := range strides {
			src := kerneltest.Source(t, "testdata/kernels/memory.txt", "bank conflicts", "$opcode", c.opcode, "$size", fmt.Sprint(c.size*stride))
			got := only(t, kernel{src: src}.profile(t))
			ideal := c.ideal
			if stride == 0 {
				ideal = max(1, ideal/2)
			}
			want := profile.Traffic{Kind: isa.Load, Space: isa.Shared, Requests: 1, Lanes: 32,
				Wavefronts: c.wavefronts[i], IdealWavefronts: ideal, WorstConflict: c.wavefronts[i] / ideal}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%d bytes, stride %d (-want +got):\n%s", c.size, stride, diff)
			}
		}
	}
}

// TestPaddedTileAvoidsConflicts stores a column of a tile with 32 words per row, and with 33.
func TestPaddedTileAvoidsConflicts(t *testing.T) {
	for row, want := range map[int]uint64{32: 32, 33: 1} {
		p := kernel{src: kerneltest.Source(t, "testdata/kernels/memory.txt", "tile columns", "$row2", fmt.Sprint(4*row), "$row", fmt.Sprint(4*32*row))}.profile(t)
		if got := only(t, p); got.Wavefronts != want || got.Kind != isa.Store {
			t.Errorf("rows of %d words: %+v, want %d wavefronts", row, got, want)
		}
	}
}

// TestStridedLoadsCountSectors checks the sectors, lines and wavefronts of loads of 4 bytes with a stride, and of
// contiguous loads from an offset. In L1, gcd(stride, 32) lanes access the same bank.
func TestStridedLoadsCountSectors(t *testing.T) {
	for _, c := range []struct{ stride, offset, sectors, lines, ideal uint64 }{
		{0, 0, 1, 1, 1}, {1, 0, 4, 1, 4}, {2, 0, 8, 2, 4}, {3, 0, 12, 3, 4}, {4, 0, 16, 4, 4}, {5, 0, 20, 5, 4},
		{6, 0, 24, 6, 4}, {7, 0, 28, 7, 4}, {8, 0, 32, 8, 4}, {16, 0, 32, 16, 4}, {32, 0, 32, 32, 4},
		{1, 4, 5, 2, 4}, {1, 16, 5, 2, 4}, {1, 32, 4, 2, 4}, {1, 64, 4, 2, 4}, {1, 124, 5, 2, 4},
	} {
		wavefronts := uint64(1)
		for n := c.stride; n > 0 && n%2 == 0 && wavefronts < 32; n /= 2 {
			wavefronts *= 2
		}
		p := kernel{buffers: []int{2048}, src: kerneltest.Source(t, "testdata/kernels/memory.txt", "strided loads", "$stride", fmt.Sprint(4*c.stride), "$offset", fmt.Sprint(c.offset))}.profile(t)
		want := profile.Traffic{Kind: isa.Load, Space: isa.Global, Requests: 1, Lanes: 32, Sectors: c.sectors, Lines: c.lines, IdealSectors: c.ideal, L1Wavefronts: wavefronts}
		if diff := cmp.Diff(want, only(t, p)); diff != "" {
			t.Errorf("stride %d, offset %d (-want +got):\n%s", c.stride, c.offset, diff)
		}
	}
}

// TestLocalAccessesCountLines stores the same word of every lane's array, then one that depends on the lane: one line
// of 4 sectors, then a line for each lane.
func TestLocalAccessesCountLines(t *testing.T) {
	p := kernel{src: kerneltest.Source(t, "testdata/kernels/memory.txt", "local memory")}.profile(t)
	want := []profile.Traffic{
		{Kind: isa.Store, Space: isa.Local, Requests: 1, Lanes: 32, Sectors: 4, Lines: 1, IdealSectors: 4, L1Wavefronts: 1},
		{Kind: isa.Load, Space: isa.Local, Requests: 1, Lanes: 32, Sectors: 32, Lines: 32, IdealSectors: 4, L1Wavefronts: 32},
	}
	if diff := cmp.Diff(want, p.Total.Traffic); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestConstantLoadsCountWords loads one constant in all lanes, one per quarter of the lanes, and one per lane.
func TestConstantLoadsCountWords(t *testing.T) {
	p := kernel{src: kerneltest.Source(t, "testdata/kernels/memory.txt", "constants")}.profile(t)
	for i, words := range []uint64{1, 4, 32} {
		if got := at(t, p, "k", "ld.const.u32", i).Of(isa.Load, isa.Const); got.Requests != 1 || got.Words != words {
			t.Errorf("load %d: %+v, want %d words", i, got, words)
		}
	}
}

// TestAtomicsCountContention adds to one address from all lanes, then to two addresses from 8 lanes under a guard, then
// each lane to its own: in global memory with sectors, in shared memory with wavefronts.
func TestAtomicsCountContention(t *testing.T) {
	for _, c := range []struct {
		space         isa.Space
		address       string
		sectors, wave [3]uint64
	}{
		{isa.Global, "ld.param.u64 %rd0, [x]", [3]uint64{1, 1, 4}, [3]uint64{}},
		{isa.Shared, "mov.u64 %rd0, s", [3]uint64{}, [3]uint64{1, 1, 1}},
	} {
		p := kernel{buffers: []int{32}, src: kerneltest.Source(t, "testdata/kernels/memory.txt", "atomics", "$address", c.address, "$space", fmt.Sprint(c.space))}.profile(t)
		lanes, most := [3]uint64{32, 8, 32}, [3]uint64{32, 4, 1}
		for i := range 3 {
			want := profile.Traffic{Kind: isa.Atomic, Space: c.space, Requests: 1, Lanes: lanes[i], Contention: most[i], WorstContention: most[i],
				Sectors: c.sectors[i], IdealSectors: c.sectors[i], Wavefronts: c.wave[i], IdealWavefronts: c.wave[i]}
			if c.space == isa.Global {
				want.Lines, want.L1Wavefronts = 1, 1
			} else {
				want.WorstConflict = 1
			}
			got := at(t, p, "k", fmt.Sprintf("red.%s.add.u32", c.space), i).Traffic[0]
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s, atomic %d (-want +got):\n%s", c.space, i, diff)
			}
		}
		if got := p.Total.Of(isa.Atomic, c.space); got.Requests != 3 || got.Contention != 37 || got.WorstContention != 32 {
			t.Errorf("%s: in all %+v", c.space, got)
		}
	}
}

// TestRequestMaySpanRegions has a generic load in which even lanes access one buffer and odd lanes another: one
// request, 2 * 16 * 8 bytes apart, so 4 sectors in each. Then half the lanes access shared memory: one request in
// each space.
func TestRequestMaySpanRegions(t *testing.T) {
	p := kernel{buffers: []int{64, 64}, src: kerneltest.Source(t, "testdata/kernels/memory.txt", "requests to several regions")}.profile(t)
	want := []profile.Traffic{{Kind: isa.Load, Space: isa.Global, Requests: 1, Lanes: 32, Sectors: 8, Lines: 2, IdealSectors: 4, L1Wavefronts: 2}}
	if diff := cmp.Diff(want, at(t, p, "k", "ld.u32", 0).Traffic); diff != "" {
		t.Errorf("two buffers (-want +got):\n%s", diff)
	}
	want = []profile.Traffic{
		{Kind: isa.Load, Space: isa.Global, Requests: 1, Lanes: 16, Sectors: 2, Lines: 1, IdealSectors: 2, L1Wavefronts: 1},
		{Kind: isa.Load, Space: isa.Shared, Requests: 1, Lanes: 16, Wavefronts: 1, IdealWavefronts: 1, WorstConflict: 1},
	}
	if diff := cmp.Diff(want, at(t, p, "k", "ld.u32", 1).Traffic); diff != "" {
		t.Errorf("two spaces (-want +got):\n%s", diff)
	}
}

// TestMatrixLoadMakesEightRequests checks that wmma.load of a matrix of .f32 with contiguous rows of 64 bytes is eight
// requests. A lane loads two adjacent elements of a row, and four lanes half a row: one sector each, in eight rows.
func TestMatrixLoadMakesEightRequests(t *testing.T) {
	got := only(t, kernel{buffers: []int{256}, src: kerneltest.Source(t, "testdata/kernels/memory.txt", "matrix requests")}.profile(t))
	if got.Requests != 8 || got.Sectors != 64 || got.IdealSectors != 32 || got.Lanes != 8*32 {
		t.Errorf("%d requests of %d sectors, %d ideal, by %d lanes; want 8 of 64, 32 ideal, by 256", got.Requests, got.Sectors, got.IdealSectors, got.Lanes)
	}
}
