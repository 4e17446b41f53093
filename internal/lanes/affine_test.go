package lanes

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestLaneValuesAreGrouped groups values given by lane; those of lanes in ints are integers.
func TestLaneValuesAreGrouped(t *testing.T) {
	affine := func(step, base int64) func(int) int64 {
		return func(lane int) int64 { return step*int64(lane) + base }
	}
	minus := func(n int64) uint64 { return uint64(-n) }
	for name, c := range map[string]struct {
		m, ints Mask
		at      func(lane int) int64
		want    []Affine
	}{
		"no lanes":              {0, AllLanes, affine(0, 7), nil},
		"one lane":              {1 << 31, AllLanes, affine(0, 7), []Affine{{1 << 31, 0, 7}}},
		"equal":                 {0xff0f, AllLanes, affine(0, 7), []Affine{{0xff0f, 0, 7}}},
		"affine":                {AllLanes, AllLanes, affine(4, 8), []Affine{{AllLanes, 4, 8}}},
		"falling":               {0xf0, AllLanes, affine(-3, 10), []Affine{{0xf0, minus(3), 10}}},
		"affine, with gaps":     {0x88888888, AllLanes, affine(2, -1), []Affine{{0x88888888, 2, minus(1)}}},
		"no integers":           {7, 0, affine(1, 0), []Affine{{1, 0, 0}, {2, 0, 1}, {4, 0, 2}}},
		"two lanes are too few": {3, AllLanes, affine(1, 0), []Affine{{1, 0, 0}, {2, 0, 1}}},
		"equal, then another":   {0x15, AllLanes, func(lane int) int64 { return int64(lane / 4) }, []Affine{{5, 0, 0}, {0x10, 0, 1}}},
		"half a step per lane":  {0x15, AllLanes, func(lane int) int64 { return int64(lane * 3 / 2) }, []Affine{{1, 0, 0}, {4, 0, 3}, {0x10, 0, 6}}},
		"two halves":            {AllLanes, AllLanes, func(lane int) int64 { return int64(lane / 16 * 5) }, []Affine{{0xffff, 0, 0}, {0xffff0000, 0, 5}}},
		"neither":               {0xf, AllLanes, func(lane int) int64 { return int64(lane * lane) }, []Affine{{1, 0, 0}, {2, 0, 1}, {4, 0, 4}, {8, 0, 9}}},
		"past a lane without":   {0xf, 0xd, affine(1, 0), []Affine{{0xd, 1, 0}, {2, 0, 1}}},
		"modulo 2^64":           {7, AllLanes, affine(1<<62, 1<<62), []Affine{{7, 1 << 62, 1 << 62}}},
	} {
		var v [Width]uint64
		for lane := range v {
			v[lane] = uint64(c.at(lane))
		}
		same := func(a, b int) bool { return v[a] == v[b] }
		if diff := cmp.Diff(c.want, AffineGroups(&v, c.m, c.ints, same)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestFormulaShowsStepAndBase(t *testing.T) {
	for want, f := range map[string]Affine{
		"lane":       {Step: 1},
		"lane+5":     {Step: 1, Base: 5},
		"4*lane-1":   {Step: 4, Base: ^uint64(0)},
		"-1*lane+3":  {Step: ^uint64(0), Base: 3},
		"-3*lane":    {Step: ^uint64(2)},
		"16*lane+64": {Step: 16, Base: 64},
	} {
		if got := f.Formula(); got != want {
			t.Errorf("%+v: %s, want %s", f, got, want)
		}
	}
}
