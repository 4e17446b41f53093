package sm

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/sorted"
)

// Order is how the GigaThread engine chooses an SM for the next CTA.
type Order uint8

const (
	// MostRoom is the SM that could take most CTAs of the launch, in round-robin order among equals (Gilman, Ogden, Guo,
	// Walls: Demystifying the Placement Policies of the NVIDIA GPU Thread Block Scheduler, 2020).
	MostRoom Order = iota
	RoundRobin
	Linear // the first SM with room
	ByGPC  // see rotation
	numOrders
)

var orderNames = [numOrders]string{"most-room", "round-robin", "linear", "by-gpc"}

// String returns the order's name, as in --cta-order.
func (o Order) String() string { return orderNames[o] }

// OrderNames returns the names of all orders.
func OrderNames() []string { return slices.Clone(orderNames[:]) }

// ParseOrder returns the order with a name. Its error lists the names.
func ParseOrder(name string) (Order, error) {
	if i := slices.Index(orderNames[:], name); i >= 0 {
		return Order(i), nil
	}
	return 0, isa.Unknown("order of blocks", name, orderNames[:])
}

// message is an event that an SM reports to the rest of the GPU. Messages take effect in the order of cycle, SM and
// sequence, whatever the order in which the SMs ran.
type message struct {
	cycle int64
	sm    int
	seq   uint64 // of the SM's messages
	ended *cta
	// may is a launch that may start now, because it waits for no other. Such a message does not come from an SM; it
	// sorts after the messages of all SMs.
	may *launch
}

// noSM stands for the SM in a message about a launch.
const noSM = math.MaxInt

func (a *message) compare(b *message) int {
	return cmp.Or(cmp.Compare(a.cycle, b.cycle), cmp.Compare(a.sm, b.sm), cmp.Compare(a.seq, b.seq))
}

// messages implements sort.Interface, which needs no memory for each window and less machine code than slices.SortFunc.
type messages []message

func (m *messages) Len() int           { return len(*m) }
func (m *messages) Less(i, j int) bool { return (*m)[i].compare(&(*m)[j]) < 0 }
func (m *messages) Swap(i, j int)      { (*m)[i], (*m)[j] = (*m)[j], (*m)[i] }

// distributor is the GigaThread engine: it hands the CTAs of grids to SMs.
type distributor struct {
	order Order
	// launches that may start and have CTAs left to hand out, in the order in which they became ready
	ready   []*launch
	last    int  // SM that got the latest CTA
	lastGPC int  // GPC that got the latest cluster
	full    bool // only SM freed can have room for the first of ready; never with portions
	// portions says that some processes may use a part of the GPU only. Their launches let those of others pass.
	portions bool
	// for MostRoom: an upper bound of the CTAs of the first of ready that any SM has room for; 0 if not known
	most    int
	freed   int   // SM on which the latest CTA ended
	free    int64 // time in ticks from which on it can start another CTA
	perCTA  int64 // ticks per CTA
	first   int64 // cycles between the first CTAs on an SM, besides one for each warp; 0 if perCTA is for them, too
	waiting messages
	chosen  [1]*multiprocessor // reused in each call
	rotation
}

// tick is the number of ticks in a cycle. Ticks are the distributor's unit of time.
const tick = 1 << 10

func newDistributor(order Order, on *gpu.Config, plan *gpu.Floorplan) distributor {
	g := distributor{order: order, last: on.SMs - 1, lastGPC: plan.Groups - 1, first: int64(on.CTAs.First)}
	if order == ByGPC {
		g.rotation = newRotation(on, plan)
	}
	if on.CTAs.PerCycle > 0 {
		g.perCTA = int64(tick / on.CTAs.PerCycle)
	}
	return g
}

// choose returns the SM that gets the next CTA of a launch; false if none has room.
func (s *Session) choose(l *launch) (*multiprocessor, bool) {
	d := &s.distributor
	n := len(s.sms)
	best, most := -1, 0
	if d.full {
		if s.sms[d.freed].takes(l) == 0 {
			return nil, false
		}
		return &s.sms[d.freed], true
	}
	if d.order == ByGPC {
		best, full := s.inRotation(l)
		d.full = full && !d.portions
		return &s.sms[best], !full
	}
	ceiling := l.most
	if d.most > 0 {
		ceiling = d.most
	}
	for i := range n {
		id := i
		if d.order != Linear {
			id = (d.last + 1 + i) % n
		}
		room := l.room(&s.sms[id])
		if room > most {
			best, most = id, room
			if d.order != MostRoom || room == ceiling {
				break
			}
		}
	}
	if best < 0 {
		d.full = !d.portions
		return nil, false
	}
	d.most = most
	if d.portions {
		d.most = 0 // another launch may be next
	}
	return &s.sms[best], true
}

// start returns the cycle, not before earliest, in which the next CTA of a launch starts on an SM. As long as the
// launch has not filled the GPU, SMs limit how soon after each other CTAs start; later the GPU does.
func (d *distributor) start(l *launch, m *multiprocessor, earliest int64) int64 {
	if l.filled || d.first == 0 {
		d.free = max(d.free, earliest*tick)
		start := (d.free + tick - 1) / tick
		d.free += d.perCTA
		return start
	}
	start := max(earliest, m.nextStart)
	m.nextStart = start + d.first + int64(l.demand.warps)
	return start
}

// distribute hands out CTAs while an SM has room: first those of the first launch that may start, then those of the
// next. None starts before cycle earliest. The SMs have run up to cycle now.
func (s *Session) distribute(earliest, now int64) error {
	err := s.place(earliest)
	s.pool.startAll(s.placed, now)
	for _, r := range s.placed {
		s.noteEvent(r.sm)
		s.countInstructions(r.sm)
	}
	s.placed = s.placed[:0]
	return err
}

// place assigns places on SMs to CTAs that are to start. A launch whose process has no more SMs lets those of others
// pass; one for which SMs have no room does not.
func (s *Session) place(earliest int64) error {
	d := &s.distributor
	for i := 0; i < len(d.ready); {
		l := d.ready[i]
		if l.next == l.total {
			d.ready, d.full, d.most = slices.Delete(d.ready, i, i+1), false, 0
			continue
		}
		var to []*multiprocessor
		if l.grid.Clustered() {
			to = s.chooseCluster(l)
		} else if m, ok := s.choose(l); ok {
			to = append(d.chosen[:0], m)
		}
		if len(to) == 0 {
			l.filled = true
			if !l.portion.exhausted() {
				return nil
			}
			i++
			continue
		}
		if err := s.hand(l, to, earliest); err != nil {
			return err
		}
	}
	return nil
}

// Cancel implements interp.Canceler. The CTA that asks for it still runs, so the launch continues.
func (l *launch) Cancel() (number int64, ok bool) {
	if l.next == l.total {
		return 0, false
	}
	size := int64(l.grid.Shape.ClusterSize())
	number = l.next
	l.next += size
	l.unfinished -= size
	return number, true
}

// takeMessages takes the messages of all SMs, which have run up to cycle end, and lets those up to that cycle take
// effect: messages that SMs send from now on have later cycles.
func (s *Session) takeMessages(end int64) error {
	d := &s.distributor
	for _, m := range s.acting {
		d.waiting = append(d.waiting, m.messages...)
		m.messages = m.messages[:0]
	}
	if len(d.waiting) == 0 {
		return nil
	}
	sort.Sort(&d.waiting)
	n := 0
	for n < len(d.waiting) && d.waiting[n].cycle <= end {
		if err := s.take(d.waiting[n], end); err != nil {
			return err
		}
		n++
	}
	d.waiting = slices.Delete(d.waiting, 0, n)
	return nil
}

// take removes the CTA of a message from its SM, or notes that a launch may start, and hands out the CTAs for which
// there is room.
func (s *Session) take(msg message, now int64) error {
	d := &s.distributor
	if msg.may != nil {
		d.ready = append(d.ready, msg.may)
	} else {
		m, r := &s.sms[msg.sm], msg.ended
		m.endCTA(r)
		s.emptied = s.emptied || m.residents == 0
		d.freed, d.most = m.id, 0
		s.someEnded = true
		if s.retired = append(s.retired, r); s.applied {
			s.reuse()
		}
		l := r.launch
		l.portion.add(m.id, -1)
		l.end = max(l.end, r.end)
		if l.unfinished--; l.unfinished == 0 && l.successor != nil {
			s.letStart(l.successor, l.end)
		}
	}
	return s.distribute(max(now, msg.cycle+int64(s.gpu.CTAs.Turnaround)), now)
}

// letStart lets a launch start after its predecessor has ended.
func (s *Session) letStart(l *launch, ended int64) {
	d, c := &s.distributor, &s.gpu.CTAs
	msg := message{cycle: ended + int64(max(0, c.Launch-c.Turnaround)), sm: noSM, seq: uint64(l.index), may: l}
	i, _ := slices.BinarySearchFunc(d.waiting, msg, func(a, b message) int { return a.compare(&b) })
	d.waiting = sorted.Insert(d.waiting, i, msg)
}

// reuse makes CTAs available for reuse that have ended and have all accesses in effect.
func (s *Session) reuse() {
	for _, r := range s.retired {
		if first := r.peers[0]; first.gone+1 == len(r.peers) {
			first.gone = 0
			r.launch.spare = append(r.launch.spare, r.peers...)
		} else {
			first.gone++ // other CTAs of the cluster may still check whether this one has ended
		}
	}
	s.retired = s.retired[:0]
}
