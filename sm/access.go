package sm

import (
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/memory"
)

// access is when the result of the access that the warp of a slot has executed at t can
// be used. Latencies are fixed, but that requests to shared memory take turns, one for
// each wavefront.
func (m *multiprocessor) access(x *slot, t int64) moment {
	in, e := x.in, &m.effect
	x.turn.note(in, e)
	done := at(t+in.latency, in.pending)
	for i := range e.Access {
		a := &e.Access[i]
		if isa.Space(a.Space) == isa.Shared {
			done = max(done, m.shared(in, memory.Banks(a, e.Active, int(a.Size)).Wavefronts, t))
		}
	}
	if in.memory == stores && e.Active != 0 {
		x.stored = max(x.stored, done.cycle())
	}
	return done
}

// shared is when the result of a request to shared memory can be used that is issued at
// t and takes so many wavefronts.
func (m *multiprocessor) shared(in *instr, wavefronts int, t int64) moment {
	class := [...]isa.CostClass{loads: isa.CostLoadShared, stores: isa.CostStoreShared, changes: isa.CostAtomicShared}[in.memory]
	taken := max(t, m.sharedFree)
	m.sharedFree = taken + int64(wavefronts)
	latency := int64(m.gpu.Classes[class].Latency + (wavefronts-1)*m.gpu.Memory.SharedPerWavefront)
	return at(taken+latency, pendingBy[class])
}
