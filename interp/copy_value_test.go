package interp

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/program"
	"github.com/simtrun/simtrun/warp"
)

// TestValuesArePassedByteByByte: what a call passes in one step for all lanes is what it passes lane by lane.
func TestValuesArePassedByteByByte(t *testing.T) {
	const fileBytes, perLane = 8 << 10, 64
	rnd := rand.New(rand.NewPCG(1, 2))
	random := func(b []byte) []byte {
		for i := range b {
			b[i] = byte(rnd.Uint32())
		}
		return b
	}
	window := func() *warp.Window {
		w := &warp.Window{File: lanes.NewFile(fileBytes), Params: random(make([]byte, perLane*lanes.Width))}
		random(w.File.Bytes(fileBytes))
		return w
	}
	clone := func(w *warp.Window) *warp.Window {
		c := &warp.Window{File: lanes.NewFile(fileBytes), Params: bytes.Clone(w.Params)}
		copy(c.File.Bytes(fileBytes), w.File.Bytes(fileBytes))
		return c
	}
	location := func() *program.Location {
		a := &program.Location{Size: int64(1) << rnd.IntN(4), InReg: rnd.IntN(2) == 0}
		a.At = int64(rnd.IntN(perLane/8)) * 8
		a.Slot, a.Wide = lanes.ScratchBytes+uint32(rnd.IntN(8))*lanes.Slot64, a.Size == 8 || a.Size < 4 && rnd.IntN(2) == 0
		return a
	}
	for range 2000 {
		from, to, a, b, m := window(), window(), location(), location(), lanes.Mask(rnd.Uint32())
		if rnd.IntN(4) == 0 {
			m = lanes.AllLanes
		}
		want := clone(to)
		copyBytes(from, a, want, b, m)
		CopyValue(from, a, to, b, m)
		if !bytes.Equal(to.Params, want.Params) || !bytes.Equal(to.File.Bytes(fileBytes), want.File.Bytes(fileBytes)) {
			t.Fatalf("%+v to %+v for lanes %x differs", *a, *b, m)
		}
	}
}
