package sm

import (
	"math/bits"

	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

// CTAs of a cluster reside on SMs of one GPC, and may access each other's shared memory in any cycle. So in a session
// with clusters one host thread runs all SMs of a GPC, cycle by cycle, and within a cycle in the order of their
// numbers. The effects of one SM on another then have the same order for every window and number of threads.

// together is the SMs that one thread runs cycle by cycle.
type together []*multiprocessor

// gpcs returns the SMs of each GPC, and of each TPC outside of them.
func gpcs(sms []multiprocessor, plan *gpu.Floorplan) []together {
	all := make([]together, plan.Groups)
	for i, g := range plan.Group {
		all[g] = append(all[g], &sms[i])
	}
	return all
}

// nextEvent returns the cycle of the next event of any of the SMs.
func (g together) nextEvent() int64 {
	next := int64(idle)
	for _, m := range g {
		next = min(next, m.nextEvent())
	}
	return next
}

// run runs the SMs up to, but not including, cycle end.
func (g together) run(end int64) {
	for t := g.nextEvent(); t < end; t = g.nextEvent() {
		for _, m := range g {
			if m.nextEvent() == t {
				m.tick(t)
			}
		}
	}
}

// chooseCluster returns the SMs for the CTAs of the next cluster of a launch, by rank; nil if no GPC has room for all
// of them. It chooses the GPC with most room and, for each CTA, the SM there with most room, in round-robin order
// among equals.
func (s *Session) chooseCluster(l *launch) []*multiprocessor {
	d := &s.distributor
	size := l.grid.Shape.ClusterSize()
	var best together
	most := 0
	n := len(s.pool.groups)
	for i := range n {
		g := i
		if d.order != Linear {
			g = (d.lastGPC + 1 + i) % n
		}
		if d.full && g != s.plan.Group[d.freed] {
			continue
		}
		room := 0
		for _, m := range s.pool.groups[g] {
			room += m.takes(l)
		}
		if room >= size && room > most {
			best, most = s.pool.groups[g], room
			if d.order != MostRoom && d.order != ByGPC {
				break
			}
		}
	}
	if best == nil {
		d.full = !d.portions
		return nil
	}
	d.lastGPC = s.plan.Group[best[0].id]
	rooms := make([]int, len(best))
	for i, m := range best {
		rooms[i] = m.takes(l)
	}
	var chosen []*multiprocessor
	for last := len(best) - 1; len(chosen) < size; {
		at := -1
		for i := range best {
			k := i
			if d.order != Linear {
				k = (last + 1 + i) % len(best)
			}
			if rooms[k] > 0 && (at < 0 || (d.order == MostRoom || d.order == ByGPC) && rooms[k] > rooms[at]) {
				at = k
			}
		}
		chosen = append(chosen, best[at])
		rooms[at]--
		last = at
	}
	return chosen
}

// hand hands the CTAs of the next cluster of a launch, or its next CTA, to SMs, by rank.
func (s *Session) hand(l *launch, to []*multiprocessor, earliest int64) error {
	d := &s.distributor
	peers, err := l.newCTAs()
	if err != nil {
		return err
	}
	for rank, m := range to {
		start := d.start(l, m, earliest)
		if l.next == 0 {
			l.start = start
		}
		r := peers[rank]
		d.last, r.number, r.sm = m.id, l.next, m
		l.portion.add(m.id, 1)
		l.next++
		s.use(m)
		m.place(r, start)
		s.placed = append(s.placed, r)
	}
	return nil
}

// newCTAs returns the CTAs of the launch's next cluster, by rank.
func (l *launch) newCTAs() ([]*cta, error) {
	if n := len(l.spare) - l.grid.Shape.ClusterSize(); n >= 0 {
		peers := l.spare[n].peers
		l.spare = l.spare[:n]
		return peers, nil
	}
	ctas, err := l.grid.NewBareCluster()
	if err != nil {
		return nil, err
	}
	var peers []*cta
	for _, c := range ctas {
		peers = append(peers, &cta{CTA: c, launch: l})
	}
	for _, r := range peers {
		r.peers = peers
	}
	return peers, nil
}

// wakeCluster lets lanes of the cluster continue that waited until an instruction of self's warp completed the
// cluster's barrier at t.
func (m *multiprocessor) wakeCluster(self *slot, t int64) {
	next := at(t+int64(max(1, m.gpu.Cluster.Barrier)), AtBarrier)
	for _, r := range self.cta.peers {
		r.clusterFree = next.cycle()
		r.launch.engines[r.sm.id].Acquire()
		for _, p := range r.slots {
			x := &r.sm.schedulers[p.scheduler].slots[p.slot]
			if x.cta != r || x.warp.Live == 0 {
				continue
			}
			x.released = next
			if x != self && x.blocked && x.chooseSplit() {
				x.blocked = false
				r.sm.now = max(r.sm.now, t)
				r.sm.proceed(x, next, t)
			}
		}
	}
}

// waitsAside switches a warp to another split when lanes of it wait, but not at a barrier of the CTA: they wait for
// the cluster or for other warps of the warpgroup.
func (m *multiprocessor) waitsAside(x *slot) {
	x.atBarrier |= m.effect.Active
	x.slice.reset()
	x.blocked = !x.chooseSplit()
}

// peer returns the CTA with the shared memory that an access of the warp in x is to, if it is not the warp's own CTA;
// nil otherwise.
func (x *slot) peer(a *interp.Moved) *cta {
	if isa.Space(a.Space) != isa.Shared || a.Region == x.cta.Shared.Number {
		return nil
	}
	for _, r := range x.cta.peers {
		if r.Shared.Number == a.Region {
			return r
		}
	}
	return nil
}

// remote is an access of a flight to the shared memory of another CTA of the cluster. It moves sectors, as an access
// to global memory does (NVIDIA Hopper Tuning Guide, distributed shared memory).
type remote struct {
	sm      *multiprocessor
	sectors int
}

// addRemote adds an access to the shared memory of another CTA to a flight.
func (m *multiprocessor) addRemote(f *flight, to *cta, a *interp.Moved) {
	m.remoteLines = memory.AppendLines(m.remoteLines[:0], &a.Access, a.Lanes, int(a.Size))
	sectors := 0
	for i := range m.remoteLines {
		sectors += bits.OnesCount8(m.remoteLines[i].Sectors)
	}
	f.remote = append(f.remote, remote{to.sm, sectors})
}

// sendToPeers sends what a flight moves through the network between SMs, from t on. It occupies ports of the sending
// and the receiving SM. It returns by how many cycles the flight is delayed: by waiting for the ports, and by all its
// sectors after the first.
func (m *multiprocessor) sendToPeers(f *flight, t int64) (later int64) {
	if m.gpu.Cluster.Bytes == 0 {
		return 0
	}
	perSector := memory.SectorBytes / m.gpu.Cluster.Bytes
	for _, r := range f.remote {
		from, to := m, r.sm
		if f.kind == loads && len(f.targets) == 0 { // a copy stores the data there
			from, to = to, from
		}
		start := max(t, from.clusterSends, to.clusterReceives)
		end := start + max(1, int64(float64(r.sectors)*perSector))
		from.clusterSends, to.clusterReceives = end, end
		later = max(later, end-t-max(1, int64(perSector)))
	}
	return later
}
