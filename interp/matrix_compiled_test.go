package interp_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/conformance"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/packed"
)

// smallF16 returns the half-precision number for a whole number from -4 to 4.
func smallF16(n int) uint16 {
	if n < 0 {
		return 0x8000 | smallF16(-n)
	}
	return [...]uint16{0, 0x3c00, 0x4000, 0x4200, 0x4400}[n]
}

// TestCompiledProductsMatchLoops: products of matrices of 16 by 16 compiled by clang, compared with plain loops
// (testdata/matrix).
func TestCompiledProductsMatchLoops(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 7))
	for _, kernel := range []string{"wmma_f16", "wmma_s8", "mma_f16"} {
		var a, b, c [16][16]int
		for i := range a {
			for j := range a[i] {
				a[i][j], b[i][j], c[i][j] = r.IntN(9)-4, r.IntN(9)-4, r.IntN(2001)-1000
			}
		}
		bytes, byCols := kernel == "wmma_s8", kernel != "mma_f16"
		if bytes {
			c[3][5], a[3], b[0][5], a[3][0] = math.MaxInt32, [16]int{}, 2, 3 // one more is clamped
		}
		var in [3][]byte
		var want []byte
		for i := range 16 {
			for j := range 16 {
				x, y := a[i][j], b[i][j]
				if byCols {
					y = b[j][i]
				}
				if bytes {
					in[0], in[1] = append(in[0], byte(x)), append(in[1], byte(y))
				} else {
					in[0], in[1] = binary.LittleEndian.AppendUint16(in[0], smallF16(x)), binary.LittleEndian.AppendUint16(in[1], smallF16(y))
				}
				sum := c[i][j]
				for k := range 16 {
					sum += a[i][k] * b[k][j]
				}
				if sum = min(sum, math.MaxInt32); bytes {
					in[2], want = binary.LittleEndian.AppendUint32(in[2], uint32(c[i][j])), binary.LittleEndian.AppendUint32(want, uint32(sum))
				} else {
					in[2] = binary.LittleEndian.AppendUint32(in[2], math.Float32bits(float32(c[i][j])))
					want = binary.LittleEndian.AppendUint32(want, math.Float32bits(float32(sum)))
				}
			}
		}
		for _, level := range []string{"O0", "O2"} {
			t.Run(kernel+" "+level, func(t *testing.T) {
				source, err := packed.ReadFile(fmt.Sprintf("testdata/matrix/%s.%s.ptx.gz", kernel, level))
				if err != nil {
					t.Fatal(err)
				}
				l := conformance.Launch{Source: string(source), Grid: isa.Dim{X: 1, Y: 1, Z: 1}, Block: isa.Dim{X: 32, Y: 1, Z: 1}, Buffers: in[:], Times: 1}
				for name, run := range map[string]conformance.Run{"functional": run, "with a clock": runWithClock} {
					got, err := run(l)
					if err != nil {
						t.Fatalf("%s: %v", name, err)
					}
					if diff := cmp.Diff(want, got.Buffers[2]); diff != "" {
						t.Errorf("%s (-want +got):\n%s", name, diff)
					}
				}
			})
		}
	}
}
