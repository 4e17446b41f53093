package sm

import (
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/sm/cache"
)

// L1Traffic is sectors of 32 bytes, of loads but for Stored.
type L1Traffic struct {
	Sectors uint64
	Hits    uint64 // were there
	Pending uint64 // were on the way
	Misses  uint64 // were asked for
	Stored  uint64

	Constants uint64                // that a cache of constants has asked L2 for
	Asked     [cache.NumKinds]Asked // of L2
}

// Asked is requests to L2, their sectors, and how many have been answered.
type Asked struct{ Requests, Sectors, Replies uint64 }

func (a *Asked) add(other *Asked) {
	a.Requests += other.Requests
	a.Sectors += other.Sectors
	a.Replies += other.Replies
}

// Add adds that of another.
func (t *L1Traffic) Add(other *L1Traffic) {
	t.Sectors += other.Sectors
	t.Hits += other.Hits
	t.Pending += other.Pending
	t.Misses += other.Misses
	t.Stored += other.Stored
	t.Constants += other.Constants
	for kind := range t.Asked {
		t.Asked[kind].add(&other.Asked[kind])
	}
}

// Traffic is what went through L2 and device memory.
type Traffic = cache.Traffic

// L2 is what the SMs of a GPU share. From one launch to the next it keeps what it holds.
type L2 = cache.System

// NewL2 is an L2 that is empty; nil for a GPU without caches.
func NewL2(on *gpu.Config) *L2 {
	if on.Memory.Flat > 0 {
		return nil
	}
	return cache.NewSystem(on)
}

func (s *Session) traffic(l *launch) Traffic {
	if s.memory == nil {
		return Traffic{}
	}
	return s.memory.Stats(l.index)
}
