package sm

import (
	"fmt"
	"math/bits"

	"github.com/simtrun/simtrun/internal/sm/cache"
)

// conserved returns an error unless the SMs' requests to L2 equal those that L2 has answered, and each cache's
// accessed sectors equal its hits plus those it requested in turn.
func (t *Timing) conserved() error {
	var asked [cache.NumKinds]L2Requests
	for id := range t.SMs {
		l1 := &t.SMs[id].L1
		if l1.Hits+l1.Pending+l1.Misses != l1.Sectors {
			return fmt.Errorf("L1 of SM %d has %d hits, %d pending sectors and %d misses of %d sectors", id, l1.Hits, l1.Pending, l1.Misses, l1.Sectors)
		}
		if n := l1.Asked[cache.Load].Sectors; n != l1.Misses+l1.Constants {
			return fmt.Errorf("SM %d requests %d sectors of L2, but misses %d, and %d of constants", id, n, l1.Misses, l1.Constants)
		}
		if n := l1.Asked[cache.Store].Sectors; n != l1.Stored {
			return fmt.Errorf("SM %d sends %d sectors to L2, but stores %d", id, n, l1.Stored)
		}
		for kind := range asked {
			if one := &l1.Asked[kind]; one.Replies != one.Requests {
				return fmt.Errorf("SM %d has %d replies to %d requests (%v)", id, one.Replies, one.Requests, cache.Kind(kind))
			}
			asked[kind].add(&l1.Asked[kind])
		}
	}
	m, fetched := &t.Memory, int64(0)
	for kind := range asked {
		switch got := &asked[kind]; {
		case uint64(m.Requests[kind]) != got.Requests || uint64(m.Sectors[kind]) != got.Sectors:
			return fmt.Errorf("L2 received %d requests for %d sectors, SMs sent %d for %d (%v)", m.Requests[kind], m.Sectors[kind], got.Requests, got.Sectors, cache.Kind(kind))
		case m.Hits[kind]+m.Far[kind]+m.Misses[kind] != m.Sectors[kind]:
			return fmt.Errorf("L2 has %d near hits, %d far hits and %d misses of %d sectors (%v)", m.Hits[kind], m.Far[kind], m.Misses[kind], m.Sectors[kind], cache.Kind(kind))
		}
		if cache.Kind(kind) != cache.Store { // a store of a whole sector fetches nothing
			fetched += m.Misses[kind] * cache.SectorBytes
		}
	}
	if m.Fetched < fetched || m.Fetched > fetched*int64(max(1, t.GPU.Memory.DRAMGrain/cache.SectorBytes)) {
		return fmt.Errorf("device memory sent %d bytes, L2 missed %d", m.Fetched, fetched)
	}
	if m.Written < m.WriteBacks*cache.SectorBytes || m.Written > m.WriteBacks*cache.LineBytes {
		return fmt.Errorf("device memory received %d bytes in %d write-backs", m.Written, m.WriteBacks)
	}
	return nil
}

// drained returns an error if the launches have ended but something of them is still under way.
func (s *Session) drained() error {
	for id := range s.sms {
		if err := s.sms[id].drained(); err != nil {
			return fmt.Errorf("SM %d: %w", id, err)
		}
	}
	if n := len(s.retired) + len(s.distributor.waiting); n > 0 {
		return fmt.Errorf("%d blocks have not ended", n)
	}
	return nil
}

func (m *multiprocessor) drained() error {
	if n := len(m.outbox) + len(m.origins) + len(m.merged) + len(m.messages); n > 0 {
		return fmt.Errorf("%d messages have not been exchanged", n)
	}
	spare, different := make([]bool, len(m.flights)), 0
	for _, id := range m.spareFlights {
		if !spare[id] {
			spare[id] = true
			different++
		}
	}
	if different != len(m.flights) || len(m.spareFlights) != len(m.flights) {
		return fmt.Errorf("%d flights, but %d are free, %d of them distinct", len(m.flights), len(m.spareFlights), different)
	}
	if err := m.storesOut.check(); err != nil {
		return err
	}
	for i := range m.schedulers {
		c := &m.schedulers[i]
		if n := m.queued(i) + bits.OnesCount64(c.resident|c.ready|c.far|c.occupied); n > 0 {
			return fmt.Errorf("%d warps and memory instructions are left on scheduler %d", n, i)
		}
	}
	return nil
}

// check checks what holds when all stores have been exchanged.
func (q *storeQueue) check() error {
	if n := len(q.stores) - q.asked; n > 0 {
		return fmt.Errorf("%d stores have no reply", n)
	}
	sectors := int32(0)
	for _, s := range q.stores[q.first:] {
		sectors += s.sectors
	}
	if sectors != q.sectors {
		return fmt.Errorf("%d sectors of stores are under way, the counter is %d", sectors, q.sectors)
	}
	return nil
}
