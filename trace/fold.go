package trace

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/lanes"
)

// fold is lanes whose values are step*lane+base, or all the same.
type fold struct {
	m          lanes.Mask
	step, base uint64 // modulo 2^64
}

// folded is the values of the lanes of m, as in "0-15: 4*lane+8, 16-31: 7".
// Lanes that follow each other in m are folded if they are equal, or, from three
// on and in integers, equally far apart for each lane between them.
func folded(values *[lanes.Width]uint64, m lanes.Mask, t isa.Type) string {
	v := *values
	if t.Class() != isa.Float {
		for lane := range v {
			v[lane] = extended(v[lane], t)
		}
	}
	var parts []string
	for left := m; left != 0; {
		f := foldOf(&v, left, t.Class() != isa.Float)
		left &^= f.m
		parts = append(parts, f.text(t))
	}
	return strings.Join(parts, ", ")
}

// extended is the bits of an integer of type t as 64, with its sign.
func extended(v uint64, t isa.Type) uint64 {
	if t.Class() != isa.Signed {
		return v
	}
	unused := 64 - t.Bits()
	return uint64(int64(v<<unused) >> unused)
}

// foldOf is the longest fold that begins with the lowest lane of m.
func foldOf(v *[lanes.Width]uint64, m lanes.Mask, steps bool) fold {
	first := firstLane(m)
	same := extend(v, m, fold{m: 1 << first, base: v[first]})
	rest := m &^ (1 << first)
	if !steps || rest == 0 || same.m != 1<<first {
		return same
	}
	second := firstLane(rest)
	apart, over := int64(v[second]-v[first]), int64(second-first)
	if apart%over != 0 {
		return same
	}
	step := uint64(apart / over)
	linear := extend(v, m, fold{m: 1 << first, step: step, base: v[first] - step*uint64(first)})
	if linear.m.Count() < 3 {
		return same
	}
	return linear
}

// extend adds the lanes of m to f, in order, as long as they fit.
func extend(v *[lanes.Width]uint64, m lanes.Mask, f fold) fold {
	for left := m; left != 0; left &= left - 1 {
		lane := firstLane(left)
		if v[lane] != f.step*uint64(lane)+f.base {
			break
		}
		f.m |= 1 << lane
	}
	return f
}

func (f fold) text(t isa.Type) string {
	if f.step == 0 {
		return lanesText(f.m) + ": " + valueText(f.base, t)
	}
	value := "lane"
	if f.step != 1 {
		value = fmt.Sprintf("%d*lane", int64(f.step))
	}
	if f.base != 0 {
		value += fmt.Sprintf("%+d", int64(f.base))
	}
	return lanesText(f.m) + ": " + value
}

// valueText is one value as its type has it.
func valueText(v uint64, t isa.Type) string {
	switch {
	case t == isa.F32:
		return strconv.FormatFloat(float64(math.Float32frombits(uint32(v))), 'g', -1, 32)
	case t == isa.F64:
		return strconv.FormatFloat(math.Float64frombits(v), 'g', -1, 64)
	case t.Class() == isa.Float:
		return fmt.Sprintf("0x%0*x", t.Bytes()*2, v)
	case t.Class() == isa.Signed:
		return strconv.FormatInt(int64(v), 10)
	}
	return strconv.FormatUint(v, 10)
}

// mostRanges is how many ranges of lanes are shown as such; more are a mask.
const mostRanges = 3

// lanesText is lanes as ranges, "0-3,7", or as a mask, "55555555".
func lanesText(m lanes.Mask) string {
	var ranges []string
	for left := m; left != 0; {
		first := firstLane(left)
		last := first
		for last+1 < lanes.Width && left>>(last+1)&1 != 0 {
			last++
		}
		left &^= lanes.Mask(uint64(2)<<last - uint64(1)<<first)
		if first == last {
			ranges = append(ranges, strconv.Itoa(first))
		} else {
			ranges = append(ranges, fmt.Sprintf("%d-%d", first, last))
		}
	}
	if len(ranges) > mostRanges {
		return fmt.Sprintf("%08x", uint32(m))
	}
	return strings.Join(ranges, ",")
}
