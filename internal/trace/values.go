package trace

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
)

// valuesText returns the values of the lanes of m, such as "0-15: 4*lane+8, 16-31: 7": uniform and affine values of
// neighbouring lanes in m are combined.
func valuesText(values *[lanes.Width]uint64, m lanes.Mask, t isa.Type) string {
	v, ints := *values, lanes.Mask(0)
	if t.Class() != isa.Float {
		ints = m
		for lane := range v {
			v[lane] = extended(v[lane], t)
		}
	}
	same := func(a, b int) bool { return v[a] == v[b] }
	var parts []string
	for _, g := range lanes.AffineGroups(&v, m, ints, same) {
		value := valueText(g.Base, t)
		if g.Step != 0 {
			value = g.Formula()
		}
		parts = append(parts, lanesText(g.Lanes)+": "+value)
	}
	return strings.Join(parts, ", ")
}

// longText is valuesText for 128-bit registers.
func longText(low, high *[lanes.Width]uint64, m lanes.Mask) string {
	var parts []string
	same := func(a, b int) bool { return low[a] == low[b] && high[a] == high[b] }
	for _, g := range lanes.AffineGroups(low, m, 0, same) {
		lane := bits.TrailingZeros32(uint32(g.Lanes))
		parts = append(parts, fmt.Sprintf("%s: 0x%016x%016x", lanesText(g.Lanes), high[lane], low[lane]))
	}
	return strings.Join(parts, ", ")
}

// extended extends an integer of type t to 64 bits, with its sign.
func extended(v uint64, t isa.Type) uint64 {
	if t.Class() != isa.Signed {
		return v
	}
	unused := 64 - t.Bits()
	return uint64(int64(v<<unused) >> unused)
}

// valueText returns one value in the notation of its type.
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

// mostRanges is the most ranges of lanes; more are shown as a mask.
const mostRanges = 3

// lanesText returns lanes as ranges, "0-3,7", or as a mask, "55555555".
func lanesText(m lanes.Mask) string {
	ranges := m.Ranges()
	if strings.Count(ranges, ",") >= mostRanges {
		return fmt.Sprintf("%08x", uint32(m))
	}
	return ranges
}
