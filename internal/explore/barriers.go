package explore

import (
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/interp"
)

// clusterBarrier is the number of a cluster's barrier in a syncKey.
const clusterBarrier = -1

// syncKey is a barrier of the CTA in a slot.
type syncKey struct{ slot, id int }

// syncing is the arrivals at a barrier since it was last complete.
type syncing struct {
	clock   clock
	arrived []int32 // threads
}

// arrive records that lanes arrive at a barrier, and whether they wait there.
func (r *run) arrive(at *interp.Place, id int, m lanes.Mask, waits bool) {
	key := syncKey{at.Slot, id}
	s := r.syncs[key]
	if s == nil {
		s = &syncing{clock: make(clock, len(r.threads))}
		r.syncs[key] = s
	}
	for ; m != 0; m &= m - 1 {
		n := r.number(at.CTA, at.Warp, m.First())
		t := &r.threads[n]
		s.clock.join(t.clock)
		s.arrived = append(s.arrived, n)
		t.changes++
		t.waits, t.released = waits, nil
	}
}

// release completes barriers. Threads that wait there continue, and their later accesses happen after all arrivals.
func (r *run) release(keys ...syncKey) {
	all := append(clock(nil), r.threads[r.running].clock...)
	for _, k := range keys {
		if s := r.syncs[k]; s != nil {
			all.join(s.clock)
		}
	}
	for _, k := range keys {
		if s := r.syncs[k]; s != nil {
			for _, n := range s.arrived {
				t := &r.threads[n]
				if t.released = all; t.waits {
					t.wake()
				}
			}
			delete(r.syncs, k)
		}
	}
}

// wake orders the later accesses of the thread after the arrivals at the barrier for which it has waited.
func (t *thread) wake() {
	t.clock.join(t.released)
	t.released, t.waits = nil, false
}

// Arrived implements interp.ArrivalObserver.
func (r *run) Arrived(at *interp.Place, pc, id int, m lanes.Mask) {
	f := r.warps[r.threads[r.running].warp].Func(r.place.Frame)
	r.arrive(at, id, m, f.Code[pc].Mods[isa.BarOp] != isa.BarArrive)
}

// Released implements interp.ReleaseObserver.
func (r *run) Released(at *interp.Place, id int) { r.release(syncKey{at.Slot, id}) }

// ClusterArrived implements interp.ClusterObserver.
func (r *run) ClusterArrived(at *interp.Place, _ int, m lanes.Mask) {
	r.arrive(at, clusterBarrier, m, false)
}

// ClusterWaits implements interp.ClusterObserver. The barrier may be complete already.
func (r *run) ClusterWaits(at *interp.Place, _ int, m lanes.Mask) {
	for ; m != 0; m &= m - 1 {
		t := &r.threads[r.number(at.CTA, at.Warp, m.First())]
		if t.waits = true; t.released != nil {
			t.wake()
		}
	}
}

// ClusterReleased implements interp.ClusterObserver.
func (r *run) ClusterReleased(slots []int) {
	var keys []syncKey
	for _, slot := range slots {
		keys = append(keys, syncKey{slot, clusterBarrier})
	}
	r.release(keys...)
}

// Synced implements interp.SyncObserver.
func (r *run) Synced(at *interp.Place, m lanes.Mask) { r.Met(at, m) }

// Met implements interp.SyncObserver: the lanes have waited for each other.
func (r *run) Met(at *interp.Place, m lanes.Mask) {
	all := make(clock, len(r.threads))
	for rest := m; rest != 0; rest &= rest - 1 {
		all.join(r.threads[r.number(at.CTA, at.Warp, rest.First())].clock)
	}
	for rest := m; rest != 0; rest &= rest - 1 {
		t := &r.threads[r.number(at.CTA, at.Warp, rest.First())]
		t.clock.join(all)
		t.changes++
	}
}

// Fenced implements interp.SyncObserver. Memory is sequentially consistent.
func (r *run) Fenced(*interp.Place, int, lanes.Mask) {}

// Ended implements interp.EndObserver: the next CTA in the slot has other barriers.
func (r *run) Ended(at *interp.Place) {
	for k := range r.syncs {
		if k.slot == at.Slot {
			delete(r.syncs, k)
		}
	}
}
