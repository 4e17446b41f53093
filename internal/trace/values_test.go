package trace

import (
	"testing"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
)

func TestValuesAreShortestText(t *testing.T) {
	of := func(f func(lane int) uint64) (v [lanes.Width]uint64) {
		for lane := range v {
			v[lane] = f(lane)
		}
		return v
	}
	for _, c := range []struct {
		values [lanes.Width]uint64
		m      lanes.Mask
		t      isa.Type
		want   string
	}{
		{of(func(int) uint64 { return 7 }), lanes.AllLanes, isa.U32, "0-31: 7"},
		{of(func(l int) uint64 { return uint64(l) }), 0xf0, isa.U32, "4-7: lane"},
		{of(func(l int) uint64 { return uint64(4*l + 100) }), 0x55555555, isa.B32, "55555555: 4*lane+100"},
		{of(func(l int) uint64 { return uint64(uint32(10 - 3*l)) }), lanes.AllLanes, isa.S32, "0-31: -3*lane+10"},
		{of(func(l int) uint64 { return uint64(uint32(3 - l)) }), 0xf, isa.U32, "0-3: -1*lane+3"},
		{of(func(l int) uint64 { return uint64(l / 16 * 5) }), lanes.AllLanes, isa.U32, "0-15: 0, 16-31: 5"},
		{of(func(l int) uint64 { return uint64(l * l) }), 0xf, isa.U32, "0: 0, 1: 1, 2: 4, 3: 9"},
		{of(func(l int) uint64 { return uint64(l) }), 0x3, isa.U32, "0: 0, 1: 1"},
		{of(func(int) uint64 { return 0x3fc00000 }), lanes.AllLanes, isa.F32, "0-31: 1.5"},
		{of(func(l int) uint64 { return uint64(l) << 23 }), 0x300, isa.F32, "8: 1.5046328e-36, 9: 3.0092655e-36"},
		{of(func(int) uint64 { return 0x3c00 }), 1, isa.F16, "0: 0x3c00"},
	} {
		if got := valuesText(&c.values, c.m, c.t); got != c.want {
			t.Errorf("valuesText(%v, %08x, %s) = %s, want %s", c.values, uint32(c.m), c.t, got, c.want)
		}
	}
}

func TestFiltersParseRanges(t *testing.T) {
	for text, has := range map[string][]int64{"3": {3}, "0,4-6": {0, 4, 5, 6}, "2-2": {2}} {
		f, err := ParseFilter(text)
		if err != nil {
			t.Error(err)
		}
		n := 0
		for i := range int64(10) {
			if f.Has(i) {
				if n == len(has) || has[n] != i {
					t.Errorf("%s has %d", text, i)
				}
				n++
			}
		}
	}
	for _, text := range []string{"", "a", "3-", "5-4", "-1", "1,,2", "99999999999999999999"} {
		if _, err := ParseFilter(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
	if !Filter(nil).Has(5) {
		t.Error("no filter has not all")
	}
}

func TestKindsParseByName(t *testing.T) {
	for _, name := range KindNames() {
		if k, err := ParseKind(name); err != nil || k.String() != name {
			t.Errorf("ParseKind(%q) = %v, %v", name, k, err)
		}
	}
	if _, err := ParseKind("masks"); err == nil || err.Error() != `no trace "masks"; did you mean mask?` {
		t.Error(err)
	}
}
