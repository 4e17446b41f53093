package memory

import (
	"math/rand/v2"
	"testing"

	"github.com/simtrun/simtrun/internal/lanes"
)

// TestStridedWavefrontsFollowBankRule has the wavefronts of 32 lanes that are stride elements
// apart, by the rule of banks and phases: gcd(stride, 32) for 4 bytes.
func TestStridedWavefrontsFollowBankRule(t *testing.T) {
	strides := []uint64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 24, 32, 33}
	for size, want := range map[int][]int{
		4:  {1, 1, 2, 1, 4, 1, 2, 1, 8, 1, 4, 16, 8, 32, 1},
		8:  {2, 2, 4, 2, 8, 2, 4, 2, 16, 2, 8, 32, 16, 32, 2},
		16: {4, 4, 8, 4, 16, 4, 8, 4, 32, 4, 16, 32, 32, 32, 4},
	} {
		for i, stride := range strides {
			a := at(func(lane uint64) uint64 { return uint64(size) * stride * lane })
			for _, a := range []*lanes.Access{a, located(t, a, lanes.AllLanes, size)} {
				if got := Banks(a, lanes.AllLanes, size); got.Wavefronts != want[i] || got.Ideal != size/4 || got.Degree != want[i]*4/size {
					t.Errorf("%d bytes, stride %d: %+v, want %d wavefronts", size, stride, got, want[i])
				}
			}
		}
	}
}

func TestWavefrontsFollowBankConflicts(t *testing.T) {
	permutation := rand.New(rand.NewPCG(1, 2)).Perm(lanes.Width)
	for name, c := range map[string]struct {
		size int
		m    lanes.Mask
		at   func(lane uint64) uint64
		want BankUse
	}{
		"column of a 32x32 tile":        {4, lanes.AllLanes, func(i uint64) uint64 { return 4 * 32 * i }, BankUse{32, 1, 32}},
		"column of a 32x33 tile":        {4, lanes.AllLanes, func(i uint64) uint64 { return 4 * 33 * i }, BankUse{1, 1, 1}},
		"column swizzled by its row":    {4, lanes.AllLanes, func(i uint64) uint64 { return 4 * (32*i + (5 ^ i)) }, BankUse{1, 1, 1}},
		"contiguous bytes":              {1, lanes.AllLanes, func(i uint64) uint64 { return i }, BankUse{1, 1, 1}},
		"contiguous halves":             {2, lanes.AllLanes, func(i uint64) uint64 { return 2 * i }, BankUse{1, 1, 1}},
		"permuted words":                {4, lanes.AllLanes, func(i uint64) uint64 { return 4 * uint64(permutation[i]) }, BankUse{1, 1, 1}},
		"two rows of 16, a bank apart":  {4, lanes.AllLanes, func(i uint64) uint64 { return i%16*4 + i/16*132 }, BankUse{2, 1, 2}},
		"two rows of 16, 16 apart":      {4, lanes.AllLanes, func(i uint64) uint64 { return i%16*4 + i/16*192 }, BankUse{1, 1, 1}},
		"one lane":                      {4, 1 << 7, func(i uint64) uint64 { return 4 * 32 * i }, BankUse{1, 1, 1}},
		"a column, half the lanes off":  {4, 0x0000ffff, func(i uint64) uint64 { return 4 * 32 * i }, BankUse{16, 1, 16}},
		"16 bytes, one quarter":         {16, 0x0000ff00, func(i uint64) uint64 { return 16 * i }, BankUse{1, 1, 1}},
		"16 bytes, a lane of each":      {16, 0x01010101, func(i uint64) uint64 { return 16 * i }, BankUse{4, 4, 1}},
		"contiguous 32 bytes":           {32, lanes.AllLanes, func(i uint64) uint64 { return 32 * i }, BankUse{8, 8, 1}},
		"8 bytes, a word for two lanes": {8, lanes.AllLanes, func(i uint64) uint64 { return i / 2 * 8 }, BankUse{2, 2, 1}},
	} {
		a := at(c.at)
		for _, a := range []*lanes.Access{a, located(t, a, c.m, c.size)} {
			if got := Banks(a, c.m, c.size); got != c.want {
				t.Errorf("%s: %+v, want %+v", name, got, c.want)
			}
		}
	}
}

// TestLoadsJoinPhases: pairs of lanes n and n xor 1, or n and n xor 2, with one place, as far as both are active.
func TestLoadsJoinPhases(t *testing.T) {
	for name, c := range map[string]struct {
		size int
		m    lanes.Mask
		at   func(lane uint64) uint64
		want BankUse
	}{
		"8 bytes, all alike":               {8, lanes.AllLanes, func(i uint64) uint64 { return 64 }, BankUse{1, 1, 1}},
		"16 bytes, all alike":              {16, lanes.AllLanes, func(i uint64) uint64 { return 64 }, BankUse{2, 2, 1}},
		"16 bytes, two halves":             {16, lanes.AllLanes, func(i uint64) uint64 { return i / 16 * 272 }, BankUse{2, 2, 1}},
		"32 bytes, two halves":             {32, lanes.AllLanes, func(i uint64) uint64 { return i / 16 * 288 }, BankUse{4, 4, 1}},
		"16 bytes, a half alike":           {16, lanes.AllLanes, func(i uint64) uint64 { return max(i, 16) * 16 }, BankUse{4, 4, 1}},
		"8 bytes, a word for two lanes":    {8, lanes.AllLanes, func(i uint64) uint64 { return i / 2 * 8 }, BankUse{1, 1, 1}},
		"8 bytes, lanes i and i^2":         {8, lanes.AllLanes, func(i uint64) uint64 { return i &^ 2 * 8 }, BankUse{2, 1, 2}},
		"8 bytes, lanes i and i^4":         {8, lanes.AllLanes, func(i uint64) uint64 { return i &^ 4 * 8 }, BankUse{2, 2, 1}},
		"8 bytes, contiguous":              {8, lanes.AllLanes, func(i uint64) uint64 { return i * 8 }, BankUse{2, 2, 1}},
		"8 bytes, every other lane":        {8, 0x55555555, func(i uint64) uint64 { return i / 2 * 8 }, BankUse{1, 1, 1}},
		"8 bytes, column, two lanes each":  {8, lanes.AllLanes, func(i uint64) uint64 { return i / 2 * 128 }, BankUse{16, 1, 16}},
		"4 bytes, all alike":               {4, lanes.AllLanes, func(i uint64) uint64 { return 64 }, BankUse{1, 1, 1}},
		"16 bytes, lanes 1 and 2 of a row": {16, 6, func(i uint64) uint64 { return 16 * i }, BankUse{1, 1, 1}},
	} {
		a := at(c.at)
		for _, a := range []*lanes.Access{a, located(t, a, c.m, c.size)} {
			if got := LoadBanks(a, c.m, c.size); got != c.want {
				t.Errorf("%s: %+v, want %+v", name, got, c.want)
			}
		}
	}
}

// TestBanksMatchDefinition compares with sets of words, bank by bank and phase by
// phase.
func TestBanksMatchDefinition(t *testing.T) {
	requests(t, func(a *lanes.Access, m lanes.Mask, size int) {
		perPhase := 128 / max(size, 4)
		var want BankUse
		for first := 0; first < lanes.Width; first += perPhase {
			var banks [32]map[uint64]bool
			most := 0
			for lane := first; lane < first+perPhase; lane++ {
				for b := range uint64(size) {
					if m>>lane&1 == 0 {
						continue
					}
					word := (a.At(lane) + b) / 4
					if banks[word%32] == nil {
						banks[word%32] = make(map[uint64]bool)
					}
					banks[word%32][word] = true
					most = max(most, len(banks[word%32]))
				}
			}
			if most > 0 {
				want.Ideal++
			}
			want.Wavefronts += most
			want.Degree = max(want.Degree, most)
		}
		if got := Banks(a, m, size); got != want {
			t.Fatalf("size %d mask %08x strided %v %v: %+v, want %+v", size, uint32(m), a.Strided, a.Off, got, want)
		}
	})
}

// TestContentionMatchesMaps counts the lanes of each place and word in maps.
func TestContentionMatchesMaps(t *testing.T) {
	requests(t, func(a *lanes.Access, m lanes.Mask, size int) {
		places, words, most := make(map[uint64]int), make(map[uint64]bool), 0
		for i := range lanes.Width {
			if m>>i&1 != 0 {
				places[a.At(i)]++
				words[a.At(i)/4] = true
				most = max(most, places[a.At(i)])
			}
		}
		if got := Contention(a, m, size); got != most {
			t.Fatalf("size %d mask %08x strided %v %v: %d lanes at one place, want %d", size, uint32(m), a.Strided, a.Off, got, most)
		}
		if got := DistinctWords(a, m); got != len(words) {
			t.Fatalf("mask %08x strided %v %v: %d words, want %d", uint32(m), a.Strided, a.Off, got, len(words))
		}
	})
}

// BenchmarkRequests times the analysis of one request in a profile: contiguous, strided, and random.
func BenchmarkRequests(b *testing.B) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, p := range []struct {
		name string
		at   func(lane uint64) uint64
	}{
		{"row", func(i uint64) uint64 { return 4 * i }},
		{"tile", func(i uint64) uint64 { return i%16*4 + i/16*1024 }},
		{"stride2", func(i uint64) uint64 { return 8 * i }},
		{"column", func(i uint64) uint64 { return 128 * i }},
		{"random", func(uint64) uint64 { return 4 * r.Uint64N(1<<18) }},
		{"random256", func(uint64) uint64 { return 4 * r.Uint64N(256) }},
	} {
		a := located(b, at(p.at), lanes.AllLanes, 4)
		for name, f := range map[string]func(){
			"sectors":    func() { Sectors(a, lanes.AllLanes, 4) },
			"banks":      func() { Banks(a, lanes.AllLanes, 4) },
			"contention": func() { Contention(a, lanes.AllLanes, 4) },
			"words":      func() { DistinctWords(a, lanes.AllLanes) },
		} {
			b.Run(p.name+"/"+name, func(b *testing.B) {
				for b.Loop() {
					f()
				}
			})
		}
	}
}
