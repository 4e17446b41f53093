package programs_test

import (
	"encoding/binary"
	"math"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestAttentionReference computes attention.bin, which attention.s expects.
func TestAttentionReference(t *testing.T) {
	const queries, keys, dim = 16, 96, 32
	q := uniform(queries*dim, 1)
	k := uniform(keys*dim, 2)
	v := uniform(keys*dim, 3)

	var want []byte
	for i := range queries {
		var weights [keys]float64
		var sum float64
		for j := range weights {
			var score float64
			for d := range dim {
				score += q[i*dim+d] * k[j*dim+d]
			}
			weights[j] = math.Exp(score / math.Sqrt(dim))
			sum += weights[j]
		}
		for d := range dim {
			var mean float64
			for j, w := range weights {
				mean += w / sum * v[j*dim+d]
			}
			want = binary.LittleEndian.AppendUint32(want, math.Float32bits(float32(mean)))
		}
	}

	if *update {
		if err := os.WriteFile("attention.bin", want, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile("attention.bin")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(float32s(want), float32s(got), cmp.Comparer(near)); diff != "" {
		t.Errorf("attention.bin (-want +got):\n%s", diff)
	}
}

// uniform computes rand:N:f32:SEED:-2:2 as 'simtrun help values' defines it: the high 24 bits of each output of
// SplitMix64.
func uniform(n int, seed uint64) []float64 {
	values := make([]float64, n)
	for i := range values {
		z := seed + uint64(i+1)*0x9e3779b97f4a7c15
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		z ^= z >> 31
		values[i] = -2 + 4*float64(z>>40)/(1<<24)
	}
	return values
}

func float32s(data []byte) []float32 {
	values := make([]float32, len(data)/4)
	for i := range values {
		values[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return values
}

// near allows for another order of the additions, and for an architecture with a compiler that fuses multiplication
// and addition.
func near(a, b float32) bool { return math.Abs(float64(a)-float64(b)) < 1e-7 }
