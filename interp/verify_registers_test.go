package interp

import (
	"math/big"
	"testing"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
)

// TestLanesOfWideRegistersHaveBothHalves: the value of a lane of a 128-bit register is in two arrays of 64 bits, and
// the lanes that change are those that were written.
func TestLanesOfWideRegistersHaveBothHalves(t *testing.T) {
	const off, size = lanes.ScratchBytes, lanes.ScratchBytes + lanes.Slot128
	was, now := lanes.NewFile(size), lanes.NewFile(size)
	for _, file := range []*lanes.File{was, now} {
		low, high := lanes.Long(file, off)
		for lane := range lanes.Width {
			low[lane], high[lane] = uint64(lane)+100, uint64(lane)+200
		}
	}
	low, high := lanes.Long(now, off)
	low[5], high[6] = 1, 2
	a, b := now.Bytes(size)[off:], was.Bytes(size)[off:]
	for lane := range lanes.Width {
		want := new(big.Int).SetUint64(high[lane])
		want.Lsh(want, 64).Or(want, new(big.Int).SetUint64(low[lane]))
		if got := new(big.Int).SetBytes(laneOf(a, isa.B128, lane)); got.Cmp(want) != 0 {
			t.Errorf("lane %d is %#x, want %#x", lane, got, want)
		}
		different := firstDifferent(a, b, isa.B128, 1<<lane)
		if want := lane == 5 || lane == 6; different >= 0 != want {
			t.Errorf("lane %d differs: %v, want %v", lane, different >= 0, want)
		}
	}
}
