package debuginfo_test

import (
	"math"
	"testing"

	"github.com/simtrun/simtrun/internal/debuginfo"
)

// TestNarrowNumbersMatchSpecifications compares encodings with the tables of the OCP's specifications of 8-bit floating
// point (E4M3, E5M2) and of microscaling formats (the others).
func TestNarrowNumbersMatchSpecifications(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		format debuginfo.Format
		bits   uint64
		want   float64
	}{
		{debuginfo.E4M3, 0x7e, 448}, {debuginfo.E4M3, 0x08, 0x1p-6}, {debuginfo.E4M3, 0x07, 0x0.ep-6}, {debuginfo.E4M3, 0x81, -0x1p-9},
		{debuginfo.E4M3, 0x7f, nan}, {debuginfo.E4M3, 0xff, nan},
		{debuginfo.E5M2, 0x7b, 57344}, {debuginfo.E5M2, 0x04, 0x1p-14}, {debuginfo.E5M2, 0x03, 0x0.cp-14}, {debuginfo.E5M2, 0x01, 0x1p-16},
		{debuginfo.E5M2, 0x7c, inf}, {debuginfo.E5M2, 0xfc, -inf}, {debuginfo.E5M2, 0x7d, nan}, {debuginfo.E5M2, 0xff, nan},
		{debuginfo.E3M2, 0x1f, 28}, {debuginfo.E3M2, 0x24, -0.25}, {debuginfo.E3M2, 0x03, 0.1875}, {debuginfo.E3M2, 0x01, 0.0625},
		{debuginfo.E2M3, 0x1f, 7.5}, {debuginfo.E2M3, 0x28, -1}, {debuginfo.E2M3, 0x07, 0.875}, {debuginfo.E2M3, 0x01, 0.125},
		{debuginfo.E2M1, 0x7, 6}, {debuginfo.E2M1, 0xa, -1}, {debuginfo.E2M1, 0x1, 0.5},
		{debuginfo.E8M0, 0x00, 0x1p-127}, {debuginfo.E8M0, 0x7f, 1}, {debuginfo.E8M0, 0xfe, 0x1p127}, {debuginfo.E8M0, 0xff, nan},
	} {
		got := c.format.Number(c.bits)
		if got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("format %d, bits %#x: %v, want %v", c.format, c.bits, got, c.want)
		}
		if back := c.format.Bits(c.want); back != c.bits && !math.IsInf(c.want, 0) && !math.IsNaN(c.want) {
			t.Errorf("format %d: %v becomes %#x, want %#x", c.format, c.want, back, c.bits)
		}
	}
	for _, c := range []struct {
		format  debuginfo.Format
		x, want float64
	}{
		{debuginfo.E4M3, 1e9, 448}, {debuginfo.E5M2, -inf, -57344}, // saturated
		{debuginfo.E2M1, 2.5, 2}, {debuginfo.E2M1, 5, 4}, {debuginfo.E2M1, -1.75, -2}, // to even
		{debuginfo.E4M3, 3.3, 3.25}, {debuginfo.E4M3, 0, 0}, {debuginfo.E8M0, 5, 4},
	} {
		if got := c.format.Number(c.format.Bits(c.x)); got != c.want {
			t.Errorf("format %d: %v becomes %v, want %v", c.format, c.x, got, c.want)
		}
	}
}
