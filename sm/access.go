package sm

import (
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/memory"
)

// access is when the result of the access that the warp of a slot has executed at t can
// be used. Latencies are fixed, by the memory that a generic address is in, but that
// requests to shared memory take turns, one for each wavefront.
func (m *multiprocessor) access(x *slot, t int64) moment {
	in, e := x.in, &m.effect
	x.turn.note(in, e)
	if len(e.Access) == 0 {
		return at(t+in.latency, in.pending)
	}
	done := moment(0)
	for i := range e.Access {
		switch a := &e.Access[i]; isa.Space(a.Space) {
		case isa.Shared:
			done = max(done, m.shared(in, memory.Banks(&a.Access, a.Lanes, int(a.Size)).Wavefronts, t))
		case isa.Local:
			class := [...]isa.CostClass{loads: isa.CostLoadLocal, stores: isa.CostStoreLocal, changes: isa.CostLoadLocal}[in.memory]
			done = max(done, at(t+int64(m.gpu.Classes[class].Latency), pendingBy[class]))
		default:
			done = max(done, at(t+in.latency, in.pending))
		}
	}
	if in.memory == stores {
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
