package debugger

import (
	"math"
	"testing"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
)

func TestRangesShowSteps(t *testing.T) {
	for m, want := range map[lanes.Mask]string{
		0:          "none",
		1:          "0",
		0x80000000: "31",
		0xffffffff: "0-31",
		0x0000ffff: "0-15",
		0x8000000f: "0-3,31",
		0x00000005: "0,2",
		0x00000015: "0,2,4",
		0x55555555: "0-30 by 2",
		0x88888888: "3-31 by 4",
		0x80008001: "0,15,31",
	} {
		if got := rangesText(m); got != want {
			t.Errorf("%08x: %q, want %q", uint32(m), got, want)
		}
	}
}

// TestLaneValuesAreGrouped checks how values given per lane are shown, for an active mask.
func TestLaneValuesAreGrouped(t *testing.T) {
	const all = lanes.AllLanes
	for _, c := range []struct {
		typ         isa.Type
		at          func(lane int) uint64
		has, active lanes.Mask
		format      string
		want        string
	}{
		{isa.U32, func(int) uint64 { return 7 }, all, all, "", "0-31: 7"},
		{isa.U32, func(lane int) uint64 { return uint64(4 * lane) }, all, 0x0000ffff, "", "0-15: 4*lane   [16-31: 4*lane]"},
		{isa.U32, func(lane int) uint64 { return uint64(lane * lane) }, 0xf, 0xf, "", "0: 0   1: 1   2: 4   3: 9"},
		{isa.U32, func(lane int) uint64 { return uint64(lane % 2 * 5) }, all, 0xaaaaaaaa, "", "[0-30 by 2: 0]   1-31 by 2: 5"},
		{isa.U32, func(lane int) uint64 { return uint64(10 + 3*lane) }, all, 0x55555555, "", "0-30 by 2: 3*lane+10   [1-31 by 2: 3*lane+10]"},
		{isa.S32, func(lane int) uint64 { return uint64(uint32(5 - lane)) }, all, all, "", "0-31: 5-lane"},
		{isa.U64, func(lane int) uint64 { return 0x1000 + 8*uint64(lane) }, 0x0700, 0x0700, "x", "8: 0x1040   9: 0x1048   10: 0x1050"},
		{isa.F32, func(int) uint64 { return uint64(math.Float32bits(0.1)) }, 3, 3, "", "0-1: 0.1"},
		{isa.Pred, func(lane int) uint64 { return uint64(lane / 16) }, all, all, "", "0-15: false   16-31: true"},
		{isa.U32, func(int) uint64 { return 0 }, 0, 0, "", "(no lanes)"},
		{isa.U32, func(lane int) uint64 { return uint64(lane * lane) }, 0x3ff, 0xff, "",
			"\n   0: 0    1    4    9    16   25   36   49\n   8: [64] [81] .    .    .    .    .    .\n  16: .    .    .    .    .    .    .    .\n  24: .    .    .    .    .    .    .    ."},
	} {
		v := value{typ: c.typ}
		for lane := range v.bits {
			v.bits[lane] = c.at(lane)
		}
		if got := (&Debugger{}).grouped(&v, c.format, c.has, c.active); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestGroupsSkipLanesWithoutValue checks equal values around a lane without a value.
func TestGroupsSkipLanesWithoutValue(t *testing.T) {
	v := uniform(isa.U32, 7)
	v.uniform, v.void = false, 1<<1
	if got, want := (&Debugger{}).grouped(&v, "", 0xf, 0xf), "0,2-3: 7   1: -"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestHalfDecodesF16(t *testing.T) {
	for bits, want := range map[uint16]float64{
		0x3c00: 1, 0xc000: -2, 0x7bff: 65504, 0x0001: 0x1p-24, 0x0400: 0x1p-14, 0x3555: 0.333251953125,
		0x7c00: math.Inf(1), 0xfc00: math.Inf(-1),
	} {
		if got := half(bits); got != want {
			t.Errorf("%04x: %v, want %v", bits, got, want)
		}
	}
	if !math.IsNaN(half(0x7e00)) || !math.Signbit(half(0x8000)) {
		t.Error("NaN or -0 is wrong")
	}
}
