package sm

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/gpu"
)

// Order is how the GigaThread engine chooses an SM for the next CTA.
type Order uint8

const (
	// MostRoom is the SM that could take most CTAs of the launch; of several, the next
	// one in turn (Gilman, Ogden, Guo, Walls: Demystifying the Placement Policies of the
	// NVIDIA GPU Thread Block Scheduler, 2020).
	MostRoom Order = iota
	RoundRobin
	Linear // the first SM that has room
	numOrders
)

var orderNames = [numOrders]string{"most-room", "round-robin", "linear"}

// String is the order's name, as --cta-order takes it.
func (o Order) String() string { return orderNames[o] }

// OrderNames are the names of all orders.
func OrderNames() []string { return slices.Clone(orderNames[:]) }

// ParseOrder is the order of that name. Its error lists the names.
func ParseOrder(name string) (Order, error) {
	if i := slices.Index(orderNames[:], name); i >= 0 {
		return Order(i), nil
	}
	return 0, fmt.Errorf("no order of blocks %q; there are %s", name, strings.Join(orderNames[:], ", "))
}

// message is what an SM has for the rest of the GPU. Messages take effect in the order
// of cycle, SM and sequence, whatever the order in which the SMs ran.
type message struct {
	cycle int64
	sm    int
	seq   uint64 // of the SM's messages
	ended *cta
}

func (a *message) compare(b *message) int {
	return cmp.Or(cmp.Compare(a.cycle, b.cycle), cmp.Compare(a.sm, b.sm), cmp.Compare(a.seq, b.seq))
}

// distributor is the GigaThread engine: it hands the CTAs of a grid to SMs.
type distributor struct {
	order   Order
	next    int64 // number of the CTA that is handed out next
	total   int64
	last    int   // the SM that got one last
	full    bool  // no SM but freed has room
	freed   int   // the SM on which a CTA ended last
	free    int64 // from this time on it starts another CTA, in ticks
	perCTA  int64 // ticks
	waiting []message
	spare   []*cta // that have ended, for reuse
}

// tick is the unit of the distributor's time: so many make a cycle.
const tick = 1 << 10

func newDistributor(order Order, on *gpu.Config, total int64) distributor {
	g := distributor{order: order, total: total, last: on.SMs - 1}
	if on.CTAs.PerCycle > 0 {
		g.perCTA = int64(tick / on.CTAs.PerCycle)
	}
	return g
}

// choose is the SM that gets the next CTA; false if none has room for it.
func (s *Session) choose() (*multiprocessor, bool) {
	d := &s.distributor
	n := len(s.sms)
	best, most := -1, 0
	if d.full {
		if s.sms[d.freed].takes(&s.demand) == 0 {
			return nil, false
		}
		return &s.sms[d.freed], true
	}
	for i := range n {
		id := i
		if d.order != Linear {
			id = (d.last + 1 + i) % n
		}
		room := s.sms[id].takes(&s.demand)
		if room > most {
			best, most = id, room
			if d.order != MostRoom || room == s.most {
				break
			}
		}
	}
	if best < 0 {
		d.full = true
		return nil, false
	}
	return &s.sms[best], true
}

// distribute hands out CTAs as long as an SM has room, none of which starts before
// cycle earliest. The SMs have run up to cycle now.
func (s *Session) distribute(earliest, now int64) error {
	d := &s.distributor
	for d.next < d.total {
		m, ok := s.choose()
		if !ok {
			return nil
		}
		r, err := s.newCTA()
		if err != nil {
			return err
		}
		d.free = max(d.free, earliest*tick)
		start := (d.free + tick - 1) / tick
		d.free += d.perCTA
		d.last, r.number = m.id, d.next
		d.next++
		m.room.take(&s.demand, 1)
		m.startCTA(r, start, now)
		if m.err != nil {
			return nil
		}
	}
	return nil
}

func (s *Session) newCTA() (*cta, error) {
	d := &s.distributor
	if n := len(d.spare); n > 0 {
		r := d.spare[n-1]
		d.spare = d.spare[:n-1]
		return r, nil
	}
	c, err := s.grid.NewCTA()
	if err != nil {
		return nil, err
	}
	return &cta{CTA: c, launch: s.launch}, nil
}

// takeMessages takes the messages of all SMs, which have run up to cycle end, and lets those
// up to it take effect: what an SM sends from now on is of a later cycle.
func (s *Session) takeMessages(end int64) error {
	d := &s.distributor
	for i := range s.sms {
		m := &s.sms[i]
		d.waiting = append(d.waiting, m.messages...)
		m.messages = m.messages[:0]
	}
	if len(d.waiting) == 0 {
		return nil
	}
	slices.SortFunc(d.waiting, func(a, b message) int { return a.compare(&b) })
	n := 0
	for n < len(d.waiting) && d.waiting[n].cycle <= end {
		if err := s.ended(&d.waiting[n], end); err != nil {
			return err
		}
		n++
	}
	d.waiting = slices.Delete(d.waiting, 0, n)
	return nil
}

// ended takes the CTA of a message out of its SM, and hands out the next one.
func (s *Session) ended(msg *message, now int64) error {
	m, r := &s.sms[msg.sm], msg.ended
	m.endCTA(r)
	m.room.take(&s.demand, -1)
	s.distributor.freed = m.id
	s.cycles = max(s.cycles, r.end)
	s.lastDone = s.instructions()
	if s.retired = append(s.retired, r); s.applied {
		s.distributor.spare, s.retired = append(s.distributor.spare, s.retired...), s.retired[:0]
	}
	return s.distribute(max(now, msg.cycle+int64(s.gpu.CTAs.Turnaround)), now)
}
