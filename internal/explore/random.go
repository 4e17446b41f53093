package explore

import "github.com/simtrun/simtrun/internal/splitmix"

// random chooses threads at random.
type random struct {
	seed uint64
	n    uint64 // numbers drawn
}

// begin returns the generator at its first number; nil for nil.
func (g *random) begin() *random {
	if g == nil {
		return nil
	}
	return &random{seed: g.seed}
}

func (g *random) draw(n uint64) uint64 {
	v := splitmix.At(g.seed, g.n)
	g.n++
	return v % n
}

// choose returns the thread that runs next. The seed says how often another one than the running thread does.
func (g *random) choose(r *run, can bits) int32 {
	every := uint64(1) << (1 + splitmix.Mix(g.seed)%5) // transitions
	if r.last >= 0 && can.has(r.last) && r.threads[r.last].retreats <= patience && g.draw(every) != 0 {
		return r.last
	}
	var all []int32
	for i := range r.threads {
		if can.has(int32(i)) {
			all = append(all, int32(i))
		}
	}
	return all[g.draw(uint64(len(all)))]
}
