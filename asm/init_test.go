package asm

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/isa"
)

func TestInitialisersBecomeBits(t *testing.T) {
	ints := func(bits ...uint64) []isa.Init {
		var all []isa.Init
		for _, b := range bits {
			all = append(all, isa.Init{Bits: b})
		}
		return all
	}
	for _, c := range []struct {
		decl  string
		count int64
		want  []isa.Init
	}{
		{".u32 x = 7", 1, ints(7)},
		{".u8 x = 300", 1, ints(44)},
		{".s16 x = -1", 1, ints(0xFFFF)},
		{".f32 x = 1.5", 1, ints(0x3FC00000)},
		{".f32 x = 0", 1, ints(0)},
		{".b32 x = 0f3F800000", 1, ints(0x3F800000)},
		{".f64 x = 0f3FC00000", 1, ints(0x3FF8000000000000)},
		{".b64 x = 1.0", 1, ints(0x3FF0000000000000)},
		{".u32 x[4] = {1, 2}", 4, ints(1, 2)},
		{".u32 x[4] = {}", 4, nil},
		{".u32 x[] = {1, 2, 3,}", 3, ints(1, 2, 3)},
		{".u32 x[2][3] = {{1}, {4, 5}}", 6, ints(1, 0, 0, 4, 5)},
		{".u32 x[2][3] = {1, 2, 3, 4}", 6, ints(1, 2, 3, 4)},
		{".u32 x[][3] = {{1}, {}}", 6, ints(1, 0, 0)},
		{".u32 x[][2] = {1, 2, 3}", 4, ints(1, 2, 3)},
		{".u32 x[2][2][2] = {{{1}, {2}}, {{3}}}", 8, ints(1, 0, 2, 0, 3)},
		{".v4 .f32 x = {1.0, 2.0}", 1, ints(0x3F800000, 0x40000000)},
		{".v2 .u32 x[3] = {{1}, {2, 3}}", 3, ints(1, 0, 2, 3)},
		{".u8 x[] = {1, 0xff(y), 0xFF00(generic(y)+4), 0xff00000000000000(k)}", 4,
			[]isa.Init{{Bits: 1}, {Sym: "y", Mask: 0xff}, {Sym: "y", Bits: 4, Generic: true, Mask: 0xff00}, {Sym: "k", Mask: 0xff << 56}}},
		{".u64 x = y", 1, []isa.Init{{Sym: "y"}}},
		{".u64 x[] = {y+8, generic(y)-4, k}", 3, []isa.Init{{Sym: "y", Bits: 8}, {Sym: "y", Bits: ^uint64(3), Generic: true}, {Sym: "k"}}},
	} {
		m := parse(t, ".global .align 8 "+c.decl+"; .global .u32 y; .entry k() { ret; }")
		x := m.Vars[0]
		if diff := cmp.Diff(c.want, x.Init, sameModule); diff != "" || x.Count != c.count {
			t.Errorf("%s: count %d, want %d; %s", c.decl, x.Count, c.count, diff)
		}
		checkIdentity(t, m)
	}
}
