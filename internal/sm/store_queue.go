package sm

import "github.com/simtrun/simtrun/internal/sm/cache"

// storeQueue is the stores of an SM that L2 may not have taken yet, in the order in which the SM sent them, which is
// that in which L2 takes them.
type storeQueue struct {
	stores  []pendingStore
	first   int   // index of the first store: L2 has taken those before it
	asked   int   // index from which on stores were sent since the latest exchange: when L2 takes them is not known yet
	sectors int32 // total of the stores
	// the latest answer of fits, unless the stores have changed since, and what for; 0 for none
	room    int64
	roomFor int32
}

// pendingStore is the sectors of a store in one line.
type pendingStore struct {
	request int32 // index in the outbox, until the exchange
	sectors int32
	taken   int64 // cycle, from the exchange on
}

// push appends the sectors that a request in the outbox carries.
func (q *storeQueue) push(request, sectors int32) {
	q.stores = append(q.stores, pendingStore{request: request, sectors: sectors})
	q.sectors += sectors
	q.roomFor = 0
}

// answer notes when L2 takes what the requests in the outbox carry.
func (q *storeQueue) answer(outbox []cache.Request) {
	q.roomFor = 0
	for ; q.asked < len(q.stores); q.asked++ {
		s := &q.stores[q.asked]
		s.taken = outbox[s.request].Reply
	}
}

// fits returns the cycle at which a store of so many sectors may join those in flight at cycle t, so that they are
// limit sectors at most; a cycle before t stands for t. It returns idle if that cycle is not known before the next
// exchange. The limit is always the same.
func (q *storeQueue) fits(sectors, limit int32, t int64) int64 {
	if q.roomFor != sectors {
		q.room, q.roomFor = q.findRoom(sectors, limit, t), sectors
	}
	return q.room
}

// findRoom is fits. Until the stores change, its answer remains: those that L2 takes meanwhile are the first of those
// that it waits for.
func (q *storeQueue) findRoom(sectors, limit int32, t int64) int64 {
	for q.first < q.asked && q.stores[q.first].taken <= t {
		q.sectors -= q.stores[q.first].sectors
		q.first++
	}
	if 2*q.first > len(q.stores) { // each store is moved once, on average
		q.stores = append(q.stores[:0], q.stores[q.first:]...)
		q.first, q.asked = 0, q.asked-q.first
	}
	left, cycle := q.sectors+sectors-limit, int64(0)
	for i := q.first; i < len(q.stores) && left > 0; i++ {
		if i >= q.asked {
			return idle
		}
		left -= q.stores[i].sectors
		cycle = max(cycle, q.stores[i].taken)
	}
	return cycle
}
