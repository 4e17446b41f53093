package lanes

import (
	"math/rand/v2"
	"testing"
)

// BenchmarkMMA executes one product each, of normally distributed values.
func BenchmarkMMA(b *testing.B) {
	for _, c := range []struct {
		name string
		p    Product
	}{
		{"m16n8k16.f32.f16", Product{M: 16, N: 8, K: 16, D: MatrixF32, A: MatrixF16, B: MatrixF16, C: MatrixF32}},
		{"m16n8k16.f16.f16", Product{M: 16, N: 8, K: 16, D: MatrixF16, A: MatrixF16, B: MatrixF16, C: MatrixF16}},
		{"m16n8k16.f32.bf16", Product{M: 16, N: 8, K: 16, D: MatrixF32, A: MatrixBF16, B: MatrixBF16, C: MatrixF32}},
		{"m16n8k8.f32.tf32", Product{M: 16, N: 8, K: 8, D: MatrixF32, A: MatrixTF32, B: MatrixTF32, C: MatrixF32}},
		{"m16n8k32.f32.e4m3", Product{M: 16, N: 8, K: 32, D: MatrixF32, A: MatrixE4M3, B: MatrixE4M3, C: MatrixF32}},
		{"m16n8k32.s32.s8", Product{M: 16, N: 8, K: 32, D: MatrixS32, A: MatrixS8, B: MatrixS8, C: MatrixS32}},
		{"m16n8k256.s32.b1", Product{M: 16, N: 8, K: 256, D: MatrixS32, A: MatrixB1, B: MatrixB1, C: MatrixS32}},
		{"m8n8k4.f64", Product{M: 8, N: 8, K: 4, D: MatrixF64, A: MatrixF64, B: MatrixF64, C: MatrixF64}},
	} {
		b.Run(c.name, func(b *testing.B) {
			const slots = 24
			f := NewFile(ScratchBytes + slots*Slot64)
			rnd := rand.New(rand.NewPCG(1, 2))
			var frag Fragments
			next := uint32(ScratchBytes)
			for i := range frag {
				for r := range c.p.Registers(i) {
					frag[i][r] = next
					for lane := range Width {
						switch v := rnd.NormFloat64(); [...]MatrixType{c.p.D, c.p.A, c.p.B, c.p.C}[i] {
						case MatrixF16:
							Reg[uint32](f, next)[lane] = roundF16(v) | roundF16(rnd.NormFloat64())<<16
						case MatrixF64:
							Reg[float64](f, next)[lane] = v
						case MatrixF32, MatrixTF32:
							Reg[float32](f, next)[lane] = float32(v)
						case MatrixBF16:
							Reg[uint32](f, next)[lane] = roundBF16(v) | roundBF16(rnd.NormFloat64())<<16
						default:
							Reg[uint32](f, next)[lane] = rnd.Uint32() & 0xbfbfbfbf
						}
					}
					next += Slot64
				}
			}
			in := &Op{Vec: frag.Vec()}
			fn := c.p.Func()
			b.ReportAllocs()
			for b.Loop() {
				fn(f, in, AllLanes)
			}
		})
	}
}
