package interp_test

import (
	"testing"

	"github.com/simtrun/simtrun/internal/kerneltest"
)

// TestMoveCopies128Bits: a constant becomes the low half and the high half is 0. A guarded copy copies both halves in
// the lanes for which the guard holds.
func TestMoveCopies128Bits(t *testing.T) {
	kerneltest.Kernel{Source: kerneltest.Source(t, "testdata/kernels/long.txt", "move of128 bits"), Words: []int{32}}.Want(t, func(lane int) uint32 {
		if lane%2 == 0 {
			return uint32(lane + 1000*(lane+100))
		}
		return 0x29 + 7*10000000
	})
}
