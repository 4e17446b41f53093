package cache

import (
	"math/rand/v2"
	"testing"

	"github.com/simtrun/simtrun/internal/splitmix"
)

// BenchmarkL1 loads random lines, of a chain that fits and of one four times as large, in the L1s of all SMs in turn,
// as windows visit them.
func BenchmarkL1(b *testing.B) {
	for _, w := range []struct {
		name  string
		lines uint64
	}{{"hit", 1700}, {"miss", 6912}} {
		b.Run(w.name, func(b *testing.B) {
			l1s := make([]*L1, 132)
			for i := range l1s {
				l1s[i] = NewL1(216 << 10)
			}
			random := rand.New(rand.NewPCG(1, 1))
			lines := make([]uint64, 1<<12)
			for i := range lines {
				lines[i] = random.Uint64N(w.lines)
			}
			i := 0
			run := func(n int) {
				for range n {
					i++
					c := l1s[i/256%132]
					l := c.Load(lines[(i/33792*256+i%256)%(1<<12)], 15, int64(i))
					if l.Miss != 0 {
						c.Asked(l.Way, l.Miss, 1)
						c.Fill(l.Way, 1, int64(i))
					}
				}
			}
			run(132 << 13)
			b.ResetTimer()
			run(b.N)
		})
	}
}

// BenchmarkServe serves batches of random lines, with hits and misses in L2.
func BenchmarkServe(b *testing.B) {
	for _, w := range []struct {
		name string
		mask uint64
	}{{"near", 16<<20/128 - 1}, {"far", 32<<20/128 - 1}, {"device memory", 1<<30/128 - 1}} {
		b.Run(w.name, func(b *testing.B) {
			s := NewSystem(preset(b, "h100"))
			batch := make([]*Request, 4096)
			requests := make([]Request, len(batch))
			for i := range batch {
				batch[i] = &requests[i]
			}
			n := uint64(0)
			run := func() {
				for i := range requests {
					n++
					requests[i] = Request{Cycle: int64(n / 8), SM: int16(n % 132), Line: splitmix.Mix(n) & w.mask, Sectors: 15}
				}
				s.Serve(batch)
			}
			for range 200 {
				run()
			}
			b.ResetTimer()
			for range (b.N + 4095) / 4096 {
				run()
			}
		})
	}
}
