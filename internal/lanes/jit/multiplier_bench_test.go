package jit

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/simtrun/simtrun/internal/lanes"
)

// BenchmarkMultiplier makes one product each, of normally distributed values, at each level.
func BenchmarkMultiplier(b *testing.B) {
	for _, p := range productsTested() {
		for level := AVX2; level <= AVX512; level++ {
			if Lacks(level) != nil || p.M > 16 || p.N != 8 {
				continue
			}
			b.Run(fmt.Sprintf("m%dn%dk%d.%d.%d.%d.%d/%v", p.M, p.N, p.K, p.D, p.A, p.B, p.C, level), func(b *testing.B) {
				m, err := NewMultiplier(level, &p)
				if err != nil {
					b.Fatal(err)
				}
				f, frag := lanes.NewFile(lanes.ScratchBytes+32*lanes.Slot64), lanes.Fragments{}
				rnd, next := rand.New(rand.NewPCG(1, 2)), uint32(lanes.ScratchBytes)
				for matrix := range frag {
					for r := range p.Registers(matrix) {
						frag[matrix][r] = next
						for lane := range lanes.Width {
							if p.C == lanes.MatrixF64 {
								lanes.Reg[float64](f, next)[lane] = rnd.NormFloat64()
								continue
							}
							lanes.Reg[uint32](f, next)[lane] = operand(rnd, [...]lanes.MatrixType{p.D, p.A, p.B, p.C}[matrix], 0)
						}
						next += lanes.Slot64
					}
				}
				state, in := new(MultiplierState), &lanes.Op{Vec: frag.Vec()}
				for b.Loop() {
					if !m.Multiply(state, f, in) {
						b.Fatal("the routine is not for these operands")
					}
				}
			})
		}
	}
}
