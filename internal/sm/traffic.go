package sm

import (
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/sm/cache"
)

// L1Traffic counts sectors of 32 bytes; of loads, except for Stored.
type L1Traffic struct {
	Sectors uint64
	Hits    uint64 // were in L1
	Pending uint64 // were on the way to L1
	Misses  uint64 // were requested from L2
	Stored  uint64

	Constants uint64                     // requested from L2 by constant caches
	Asked     [cache.NumKinds]L2Requests // requests to L2
}

// L2Requests counts requests to L2, their sectors, and the answered requests.
type L2Requests struct{ Requests, Sectors, Replies uint64 }

func (a *L2Requests) add(other *L2Requests) {
	a.Requests += other.Requests
	a.Sectors += other.Sectors
	a.Replies += other.Replies
}

// Add adds the traffic of other.
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

// Traffic is the traffic of L2 and device memory.
type Traffic = cache.Traffic

// L2 is the memory system that the SMs of a GPU share. It keeps its contents from one launch to the next.
type L2 = cache.System

// NewL2 returns an empty L2; nil for a GPU without caches.
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
