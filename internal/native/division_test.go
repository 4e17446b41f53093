package native_test

import (
	"encoding/binary"
	"flag"
	"math/rand/v2"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
)

var divisions = flag.Int("divisions", 1<<15, "`N` pairs of TestLongDivisionsAreExact for each level, from -first on")

// divisionPair returns a dividend and a divisor other than 0, of random magnitudes. Most dividends are near a multiple
// of the divisor, where an estimate of the quotient goes wrong first.
func divisionPair(r *rand.Rand) (a, b uint64) {
	magnitude := func() uint64 {
		x := r.Uint64() >> r.IntN(64)
		switch r.IntN(4) {
		case 0: // next to a power of two
			x = 1<<r.IntN(64) + uint64(r.IntN(5)) - 2
		case 1: // next to the greatest
			x = -x >> 1 << 1
		}
		return x
	}
	if b = magnitude(); b == 0 {
		b = 1
	}
	switch a = magnitude(); r.IntN(4) {
	case 0:
	case 1: // the greatest multiple
		a = ^uint64(0) / b * b
	default:
		a = a / b * b
	}
	a += [...]uint64{0, 1, ^uint64(0), b - 1, b >> 1}[r.IntN(5)]
	if r.IntN(4) == 0 {
		b = -b
	}
	return a, b
}

// TestLongDivisionsAreExact compares quotients and remainders of 64-bit integers with Go's, at every level.
func TestLongDivisionsAreExact(t *testing.T) {
	const block = 256
	const file = "testdata/kernels/divisions.txt"
	mod, err := asm.Parse(file, []byte(kerneltest.Source(t, file, "divisions of pairs")))
	if err != nil {
		t.Fatal(err)
	}
	n := (*divisions + block - 1) / block * block
	for _, level := range kerneltest.Levels() {
		r := rand.New(rand.NewPCG(*pressureFirst, 1))
		m, err := kerneltest.New(mod, interp.Config{Compile: interp.CompileAlways, Lanes: level})
		if err != nil {
			t.Fatal(err)
		}
		pairs, err := m.Alloc("pairs", int64(16*n))
		if err != nil {
			t.Fatal(err)
		}
		out, err := m.Alloc("out", int64(32*n))
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			a, b := divisionPair(r)
			binary.LittleEndian.PutUint64(pairs.Data[16*i:], a)
			binary.LittleEndian.PutUint64(pairs.Data[16*i+8:], b)
		}
		launch := interp.Launch{Kernel: "k", Grid: kerneltest.Dim(uint32(n/block), 1), Block: kerneltest.Dim(block, 1)}
		launch.Params = binary.LittleEndian.AppendUint64(launch.Params, pairs.Base)
		launch.Params = binary.LittleEndian.AppendUint64(launch.Params, out.Base)
		kerneltest.MustCompile(t, m, launch)
		for i := range n {
			a, b := binary.LittleEndian.Uint64(pairs.Data[16*i:]), binary.LittleEndian.Uint64(pairs.Data[16*i+8:])
			want := [...]uint64{a / b, a % b, uint64(int64(a) / int64(b)), uint64(int64(a) % int64(b))}
			for k, op := range [...]string{"div.u64", "rem.u64", "div.s64", "rem.s64"} {
				if got := binary.LittleEndian.Uint64(out.Data[32*i+8*k:]); got != want[k] {
					t.Fatalf("%s, %v: %#x and %#x give %#x, want %#x", op, level, a, b, got, want[k])
				}
			}
		}
	}
}
