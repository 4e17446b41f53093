package jit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/short"
)

// productsTested are products of each type and shape.
func productsTested() []lanes.Product {
	const f16, f32 = lanes.MatrixF16, lanes.MatrixF32
	shapes := [][3]int{{16, 8, 8}, {16, 8, 16}, {16, 16, 16}, {32, 8, 16}, {8, 32, 16}}
	var all []lanes.Product
	for _, s := range shapes {
		for _, d := range []lanes.MatrixType{f16, f32} {
			for _, c := range []lanes.MatrixType{f16, f32} {
				all = append(all, lanes.Product{M: s[0], N: s[1], K: s[2], D: d, A: f16, B: f16, C: c})
			}
		}
		all = append(all, lanes.Product{M: s[0], N: s[1], K: s[2], D: f32, A: lanes.MatrixBF16, B: lanes.MatrixBF16, C: f32})
	}
	for _, k := range []int{4, 8} {
		all = append(all, lanes.Product{M: 16, N: 8, K: k, D: f32, A: lanes.MatrixTF32, B: lanes.MatrixTF32, C: f32})
	}
	all = append(all, lanes.Product{M: 16, N: 16, K: 8, D: f32, A: lanes.MatrixTF32, B: lanes.MatrixTF32, C: f32})
	for _, a := range []lanes.MatrixType{lanes.MatrixE4M3, lanes.MatrixE5M2} {
		for _, b := range []lanes.MatrixType{lanes.MatrixE4M3, lanes.MatrixE5M2} {
			for _, k := range []int{16, 32} {
				for _, d := range []lanes.MatrixType{f16, f32} {
					all = append(all, lanes.Product{M: 16, N: 8, K: k, D: d, A: a, B: b, C: d})
				}
			}
		}
	}
	for _, s := range [][3]int{{8, 8, 4}, {16, 8, 4}, {16, 8, 8}, {16, 8, 16}} {
		all = append(all, lanes.Product{M: s[0], N: s[1], K: s[2], D: lanes.MatrixF64, A: lanes.MatrixF64, B: lanes.MatrixF64, C: lanes.MatrixF64})
	}
	for _, types := range integerPairs() {
		for _, s := range [][3]int{{8, 8, 4}, {16, 8, 4}, {16, 8, 8}, {16, 16, 4}, {32, 8, 4}, {8, 32, 4}} {
			k := s[2] * 32 / types[0].Bits()
			all = append(all, lanes.Product{M: s[0], N: s[1], K: k, D: lanes.MatrixS32, A: types[0], B: types[1], C: lanes.MatrixS32, Saturates: len(all)%2 == 0})
		}
	}
	return all
}

// integerPairs are the types of A and B in products of integers.
func integerPairs() (all [][2]lanes.MatrixType) {
	for _, types := range [][2]lanes.MatrixType{{lanes.MatrixS8, lanes.MatrixU8}, {lanes.MatrixS4, lanes.MatrixU4}} {
		for _, a := range types {
			for _, b := range types {
				all = append(all, [2]lanes.MatrixType{a, b})
			}
		}
	}
	return all
}

// operand returns a random word of elements of a type. kind selects what they are like.
func operand(rnd *rand.Rand, t lanes.MatrixType, kind int) uint32 {
	spread := []float64{0, 3, 12, 40}[kind%4]
	if t == lanes.MatrixF16 && kind < 6 { // few infinities
		spread = min(spread, 2)
	}
	float := func(spread float64) float64 {
		return rnd.NormFloat64() * math.Exp2(math.Trunc(spread*rnd.NormFloat64()))
	}
	if kind >= 4 && rnd.IntN(6) == 0 {
		return 0
	}
	if kind == 7 && rnd.IntN(3) > 0 { // cancellation
		return [...]uint32{lanes.MatrixF16: 0x3c00bc00, lanes.MatrixBF16: 0x3f80bf80, lanes.MatrixE4M3: 0x38b838b8, lanes.MatrixE5M2: 0x3cbc3cbc}[min(t, lanes.MatrixE5M2)]
	}
	if kind == 5 && (t == lanes.MatrixF16 || t == lanes.MatrixBF16) { // any small numbers
		return rnd.Uint32() &^ 0x40004000
	}
	switch t {
	case lanes.MatrixS8, lanes.MatrixU8, lanes.MatrixS4, lanes.MatrixU4:
		return rnd.Uint32()
	case lanes.MatrixS32:
		return rnd.Uint32()&0xffff + []uint32{0, math.MaxInt32 - 0xffff, 1 << 31}[rnd.IntN(3)]
	case lanes.MatrixF16:
		return uint32(lanes.RoundF16(float(spread))) | uint32(lanes.RoundF16(float(spread)))<<16
	case lanes.MatrixBF16:
		return math.Float32bits(float32(float(spread)))>>16 | math.Float32bits(float32(float(spread)))&0xffff0000
	case lanes.MatrixE4M3, lanes.MatrixE5M2:
		if w := rnd.Uint32(); kind < 6 {
			return w &^ 0x40404040
		} else {
			return w
		}
	}
	return math.Float32bits(float32(float(spread)))
}

func TestMultipliersEqualLaneFunctions(t *testing.T) {
	for level := AVX2; level <= AVX512; level++ {
		if Lacks(level) != nil {
			continue
		}
		for _, p := range productsTested() {
			t.Run(fmt.Sprintf("%v/m%dn%dk%d.%d.%d.%d.%d", level, p.M, p.N, p.K, p.D, p.A, p.B, p.C), func(t *testing.T) {
				m, err := NewMultiplier(level, &p)
				if err != nil {
					t.Fatal(err)
				}
				compareMultiplier(t, m, p)
				if p.C != lanes.MatrixS32 || !HasDots(level) {
					return
				}
				if m, err = newMultiplier(&Emit{Level: level}, &p); err != nil {
					t.Fatal(err)
				}
				compareMultiplier(t, m, p)
			})
		}
	}
}

func compareMultiplier(t *testing.T, m *Multiplier, p lanes.Product) {
	const slots = 32
	const size = lanes.ScratchBytes + slots*lanes.Slot64
	f, want := lanes.NewFile(size), lanes.NewFile(size)
	rnd := rand.New(rand.NewPCG(1, 2))
	state, fn, done := new(MultiplierState), p.Func(), 0
	rounds := short.Of(200)
	for round := range rounds {
		var frag lanes.Fragments
		next := uint32(lanes.ScratchBytes)
		for _, matrix := range []int{lanes.FragmentA, lanes.FragmentB, lanes.FragmentC, lanes.FragmentD} {
			for r := range p.Registers(matrix) {
				frag[matrix][r] = next
				if matrix == lanes.FragmentD && round%3 == 0 && p.D == p.C {
					frag[matrix][r] = frag[lanes.FragmentC][r]
				}
				kind, of := (round+matrix*round/8)%8, [...]lanes.MatrixType{p.D, p.A, p.B, p.C}[matrix]
				for word := range lanes.Width * max(of.Bits(), 32) / 32 { // halves of .f64
					w := operand(rnd, of, kind)
					if rnd.IntN(4096) == 0 {
						w = rnd.Uint32() | 0x7f800000
					}
					lanes.Reg[uint32](f, next+uint32(word/lanes.Width*lanes.Slot32))[word%lanes.Width] = w
				}
				next += lanes.Slot64
			}
		}
		copy(want.Bytes(size), f.Bytes(size))
		in := &lanes.Op{Vec: frag.Vec()}
		fn(want, in, lanes.AllLanes)
		before := string(f.Bytes(size))
		if !m.Multiply(state, f, in) {
			if before != string(f.Bytes(size)) {
				t.Fatalf("round %d: a product that failed has changed registers", round)
			}
			continue
		}
		done++
		for r := range p.Registers(lanes.FragmentD) {
			at := frag[lanes.FragmentD][r]
			got, want := f.Bytes(size)[at:][:lanes.Slot64], want.Bytes(size)[at:][:lanes.Slot64]
			for i := range got {
				if got[i] != want[i] {
					t.Fatalf("round %d: byte %d of register %d is %#x, want %#x", round, i, r, got[i], want[i])
				}
			}
		}
	}
	t.Logf("%d of %d", done, rounds)
	if done < rounds/4 {
		t.Errorf("only %d of %d products were made by the routine", done, rounds)
	}
}

// TestScratchMemoryOfProductsIsAligned: Go places a large object with pointers eight bytes after a cache line.
func TestScratchMemoryOfProductsIsAligned(t *testing.T) {
	for name, offset := range map[string]uintptr{"Context": unsafe.Offsetof(Context{}.product), "MultiplierState": unsafe.Offsetof(MultiplierState{}.scratch)} {
		if offset%64 != 56 {
			t.Errorf("in %s it begins at %d, which is %d bytes after the place for a cache line", name, offset, (offset+8)%64)
		}
	}
}
