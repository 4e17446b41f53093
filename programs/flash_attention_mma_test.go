package programs_test

import (
	"encoding/binary"
	"math"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFlashAttentionReference computes flash_attention_mma.bin, which flash_attention_mma.s expects: a query attends
// to the keys up to its own position.
func TestFlashAttentionReference(t *testing.T) {
	const heads, seq, dim = 2, 128, 64
	q := uniformHalves(heads*seq*dim, 1)
	k := uniformHalves(heads*seq*dim, 2)
	v := uniformHalves(heads*seq*dim, 3)

	var want []byte
	for row := range heads * seq {
		first := row / seq * seq // of the head
		weights := make([]float64, row-first+1)
		var sum float64
		for j := range weights {
			var score float64
			for d := range dim {
				score += q[row*dim+d] * k[(first+j)*dim+d]
			}
			weights[j] = math.Exp(score / math.Sqrt(dim))
			sum += weights[j]
		}
		for d := range dim {
			var mean float64
			for j, w := range weights {
				mean += w / sum * v[(first+j)*dim+d]
			}
			want = binary.LittleEndian.AppendUint16(want, halfBits(mean))
		}
	}

	if *update {
		if err := os.WriteFile("flash_attention_mma.bin", want, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile("flash_attention_mma.bin")
	if err != nil {
		t.Fatal(err)
	}
	// Another order of the additions may round to the neighbouring number.
	next := cmp.Comparer(func(a, b uint16) bool { return max(a, b)-min(a, b) <= 1 })
	if diff := cmp.Diff(uint16s(want), uint16s(got), next); diff != "" {
		t.Errorf("flash_attention_mma.bin (-want +got):\n%s", diff)
	}
}

// uniformHalves computes rand:N:f16:SEED:-2:2 as 'simtrun help values' defines it: the high 11 bits of each output of
// SplitMix64. All of these numbers are exact in .f16.
func uniformHalves(n int, seed uint64) []float64 {
	values := make([]float64, n)
	for i := range values {
		z := seed + uint64(i+1)*0x9e3779b97f4a7c15
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		z ^= z >> 31
		values[i] = -2 + 4*float64(z>>53)/(1<<11)
	}
	return values
}

// halfBits returns the bits of the .f16 nearest to x, which must be less than 65504: 10 bits after the leading one,
// and none below 2^-24.
func halfBits(x float64) uint16 {
	_, e := math.Frexp(x)
	unit := max(e-11, -24)
	bits := uint16(unit+24)<<10 + uint16(math.RoundToEven(math.Ldexp(math.Abs(x), -unit)))
	if math.Signbit(x) {
		bits |= 1 << 15
	}
	return bits
}

func uint16s(data []byte) []uint16 {
	values := make([]uint16, len(data)/2)
	for i := range values {
		values[i] = binary.LittleEndian.Uint16(data[2*i:])
	}
	return values
}
