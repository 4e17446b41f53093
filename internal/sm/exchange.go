package sm

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/simtrun/simtrun/internal/sm/cache"
)

// requestOrigin is where the reply to a request to L2 goes. All requests are answered in the exchange at the end of
// the window in which they are sent.
type requestOrigin struct {
	flight int32     // -1 for a store
	way    cache.Way // L1 way that its sectors go to; cache.None if none
}

// mergedMiss is a flight whose miss is merged with earlier ones, as in a miss status holding register (MSHR): it
// waits for sectors that requests of other flights bring to L1.
type mergedMiss struct {
	flight  int32
	sectors uint8
	way     cache.Way
}

// sendRequest sends a request for sectors of line i of a flight, and returns its index.
func (m *multiprocessor) sendRequest(id int32, kind cache.Kind, i int, sectors uint8, t int64) int32 {
	f := &m.flights[id]
	line := &f.lines[i]
	request := int32(len(m.outbox))
	m.outbox = append(m.outbox, cache.Request{
		Cycle: t, Line: line.Line, SM: int16(m.id), Launch: int16(f.launch), Sectors: sectors, Kind: kind,
		Partial: kind == cache.Store && f.partial(line), Lanes: line.Lanes, Words: line.Words, Float: f.floats,
	})
	flightOf := int32(-1)
	if kind == cache.Load || kind == cache.Atomic || f.leaves {
		flightOf = id
		f.missing++
	}
	m.origins = append(m.origins, requestOrigin{flight: flightOf, way: cache.None})
	asked := &m.of[f.launch].traffic.Asked[kind]
	asked.Requests++
	asked.Sectors += uint64(bits.OnesCount8(sectors))
	return request
}

// merge makes a flight wait for sectors that are on the way to L1.
func (m *multiprocessor) merge(id int32, way cache.Way, sectors uint8) {
	m.flights[id].missing++
	m.merged = append(m.merged, mergedMiss{id, sectors, way})
}

// replies processes the answers to all requests of the window that ends before cycle end.
func (m *multiprocessor) replies(end int64) {
	if len(m.outbox) == 0 {
		return
	}
	for i := range m.origins {
		if way := m.origins[i].way; way != cache.None {
			m.l1.Fill(way, int32(i), m.outbox[i].Reply)
		}
	}
	for i := range m.origins {
		m.of[m.outbox[i].Launch].traffic.Asked[m.outbox[i].Kind].Replies++
		if id := m.origins[i].flight; id >= 0 {
			m.reply(id, m.outbox[i].Reply, end)
		}
	}
	for i := range m.merged {
		c := &m.merged[i]
		ready, _ := m.l1.Ready(c.way, c.sectors)
		m.reply(c.flight, ready, end)
	}
	m.storesOut.answer(m.outbox)
	m.outbox, m.origins, m.merged = m.outbox[:0], m.origins[:0], m.merged[:0]
	m.setNextTake(&m.accesses, end)
	m.setNextTake(&m.textures, end)
}

// reply processes one of the answers that a flight waits for.
func (m *multiprocessor) reply(id int32, cycle, now int64) {
	f := &m.flights[id]
	f.done = max(f.done, cycle+max(f.cost, 1)-1)
	m.arrive(id, now)
}

// exchange makes requests and messages of the SMs take effect, in the order of cycle, SM and sequence. The SMs have
// run up to cycle end.
func (s *Session) exchange(end int64) error {
	if s.memory != nil {
		s.serve(end)
	}
	return s.takeMessages(end)
}

// serve makes L2 answer the requests of the window that ends before cycle end.
func (s *Session) serve(end int64) {
	n := 0
	for _, m := range s.acting {
		n += len(m.outbox)
	}
	if n == 0 {
		return
	}
	s.order(n, end)
	s.memory.Serve(s.ordered)
	for _, m := range s.acting {
		m.now = end
		m.replies(end)
	}
}

// order sorts the n requests of the window that ends before cycle end into s.ordered. The requests of one SM are
// already in the order of cycle and sequence.
func (s *Session) order(n int, end int64) {
	if cap(s.ordered) < n {
		s.ordered = make([]*cache.Request, n+n/2)
	}
	s.ordered = s.ordered[:0]
	if int64(n) < s.window/8 { // counting by cycle would take longer than sorting
		for _, m := range s.acting {
			for j := range m.outbox {
				s.ordered = append(s.ordered, &m.outbox[j])
			}
		}
		slices.SortStableFunc(s.ordered, func(a, b *cache.Request) int { return cmp.Compare(a.Cycle, b.Cycle) })
		return
	}
	begin := end - s.window
	counts := s.counts[:s.window+1]
	clear(counts)
	for _, m := range s.acting {
		for j := range m.outbox {
			counts[m.outbox[j].Cycle-begin+1]++
		}
	}
	for i := range counts[1:] {
		counts[i+1] += counts[i]
	}
	s.ordered = s.ordered[:n]
	for _, m := range s.acting {
		for j := range m.outbox {
			r := &m.outbox[j]
			at := &counts[r.Cycle-begin]
			s.ordered[*at] = r
			*at++
		}
	}
}
