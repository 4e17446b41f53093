package lanes

import "testing"

// TestZeroColumnMasksMatchISA: masks are those of the examples in PTX's text, written from the last column to the
// first.
func TestZeroColumnMasksMatchISA(t *testing.T) {
	for _, c := range []struct {
		rows         int
		starts       [4]uint64
		zerosFirst   [4]uint64
		masked       uint64
		zeros, used  uint64 // spans, less 1
		parts        []string
		nameOfSource string
	}{
		{128, [4]uint64{}, [4]uint64{}, 0, 4, 3, []string{"00000000000000"}, "example 1"},
		{128, [4]uint64{}, [4]uint64{}, 1, 2, 3, []string{"11100001110000"}, "example 2"},
		{64, [4]uint64{}, [4]uint64{1}, 1, 2, 3, []string{"11100001110000111", "00001110000111" + "0000"}, "example 3"},
		{32, [4]uint64{0, 1, 2, 1}, [4]uint64{1, 1}, 1, 2, 3, []string{"00001110000111", "0000111000011", "111000011100", "1110000111000"}, "example 4"},
	} {
		p := &TensorProduct{M: c.rows, N: 128}
		z := ZeroColumns(c.masked<<39 | c.zeros<<40 | c.used<<48)
		for i := range 4 {
			z |= ZeroColumns(c.starts[i]<<(8*i) | c.zerosFirst[i]<<(32+i))
		}
		for part, want := range c.parts {
			got := ""
			for col := range len(want) {
				digit := "0"
				if z.IsZero(p, part*p.N/len(c.parts)+col) {
					digit = "1"
				}
				got = digit + got
			}
			if got != want {
				t.Errorf("%s: mask%d ends in %s, want %s", c.nameOfSource, part, got, want)
			}
		}
	}
}
