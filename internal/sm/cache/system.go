package cache

import (
	"math"
	"math/bits"

	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/splitmix"
)

// System is the part of the memory system that SMs share: L2, device memory, and the ports to them.
//
// A request occupies a port of its SM, a slice of L2, sometimes a channel of device memory, and for the reply a port of
// its GPC and one of its SM. Each resource is free from some cycle on, and busy with a request for a time that depends
// on the request. The resources overlap, as in a burst of pipelined requests, so a request is delayed by its longest
// wait only. The reply comes after that delay plus the latency of the level that has the sectors, and its cycle is
// known when the request arrives.
type System struct {
	l2    *l2
	chunk int // log2 of the number of consecutive lines on a channel of device memory

	// The time from which on each shared resource is free.
	sends, receives, gpcs, drams []ticks
	slices                       [2][]ticks // by partition
	gpcOf, partitionOf           []uint16   // by SM
	fills                        fills

	// Latencies from Request.Cycle.
	l2Hit, far, dram, atomic int64
	// The time that a resource is busy with a sector; for atomics, in addition with a word, and with each lane after the
	// first at the same word.
	send, receive, gpc, read, write, fetch, change, changeWord, changeLane, changeFloat ticks

	launches []account
	account  *account // of the request being served
	touched  uint64   // sum of the words that Serve prefetches, so that the compiler keeps the loads
}

// ticks are times in fractions of a cycle, because ports are busy for fractions of cycles.
type ticks int64

// tick is the number of ticks in a cycle.
const tick ticks = 1 << 12

// account is the traffic of a launch.
type account struct {
	Traffic
	sliceBusy, channelBusy ticks
}

// Traffic counts what went through a System. Sectors are counted by the Kind of the request.
type Traffic struct {
	Requests [NumKinds]int64
	Sectors  [NumKinds]int64 // sectors looked up: the sum of Hits, Far and Misses
	Hits     [NumKinds]int64 // found in the partition of the SM
	Far      [NumKinds]int64 // found in the other partition
	Misses   [NumKinds]int64 // found in neither
	Lanes    int64           // of atomics and reductions

	Fetched    int64 // bytes from device memory into L2
	Written    int64 // bytes from L2 into device memory
	WriteBacks int64 // lines that were written back

	// Busy cycles, summed over all slices and over all channels.
	SliceCycles, ChannelCycles float64
	// Drained is the cycle from which on nothing is under way, including in device memory.
	Drained int64
}

// Add adds the traffic of another launch.
func (t *Traffic) Add(other *Traffic) {
	for k := range NumKinds {
		t.Requests[k] += other.Requests[k]
		t.Sectors[k] += other.Sectors[k]
		t.Hits[k] += other.Hits[k]
		t.Far[k] += other.Far[k]
		t.Misses[k] += other.Misses[k]
	}
	t.Lanes += other.Lanes
	t.Fetched += other.Fetched
	t.Written += other.Written
	t.WriteBacks += other.WriteBacks
	t.SliceCycles += other.SliceCycles
	t.ChannelCycles += other.ChannelCycles
	t.Drained = max(t.Drained, other.Drained)
}

// NewSystem returns the memory of a GPU, with an empty L2.
func NewSystem(g *gpu.Config) *System {
	m := &g.Memory
	bytesPerCycle := m.DRAMSustained * 1000 / g.ClockMHz
	perSector := func(bytes float64) ticks {
		if bytes == 0 {
			return 0
		}
		return ticks(math.Round(SectorBytes / bytes * float64(tick)))
	}
	// Latencies of a Config count from issue, those of requests from when they leave the SM.
	latency := func(fromIssue int) int64 { return int64(max(1, fromIssue-g.LSU.Depth)) }
	cycles := func(c float64) ticks { return ticks(math.Round(c * float64(tick))) }
	s := &System{
		launches:    make([]account, 1),
		fills:       newFills(fillsAtFirst),
		l2:          newL2(m.L2Bytes, m.L2Partitions, m.L2Slices, m.DRAMGrain),
		chunk:       bits.TrailingZeros64(uint64(m.DRAMInterleave / LineBytes)),
		sends:       make([]ticks, g.SMs),
		receives:    make([]ticks, g.SMs),
		gpcs:        make([]ticks, g.GPCs),
		drams:       make([]ticks, m.DRAMChannels),
		gpcOf:       make([]uint16, g.SMs),
		partitionOf: make([]uint16, g.SMs),
		l2Hit:       latency(m.L2),
		far:         int64(m.L2Far),
		dram:        latency(max(m.DRAM, m.L2)),
		atomic:      latency(max(g.Classes[isa.CostAtomicGlobal].Latency, m.L2)),
		send:        perSector(m.SMRequest),
		receive:     perSector(m.SMResponse),
		gpc:         perSector(m.GPCResponse),
		read:        perSector(m.L2Read / float64(m.L2Slices)),
		write:       perSector(m.L2Write / float64(m.L2Slices)),
		fetch:       perSector(bytesPerCycle / float64(m.DRAMChannels)),
		change:      cycles(m.AtomicSector),
		changeWord:  cycles(m.AtomicWord),
		changeLane:  cycles(m.AtomicLane),
		changeFloat: cycles(m.AtomicLaneFloat),
	}
	for p := range m.L2Partitions {
		s.slices[p] = make([]ticks, m.L2Slices/m.L2Partitions)
	}
	// TPCs are distributed over GPCs, and GPCs over partitions.
	for sm, gpc := range g.Floorplan().GPC {
		s.gpcOf[sm] = uint16(gpc)
		s.partitionOf[sm] = uint16(gpc % m.L2Partitions)
	}
	return s
}

// Lookahead returns the shortest time in cycles between a request and its reply.
func (s *System) Lookahead() int64 { return s.l2Hit }

// Restart prepares for launches that run together, with cycles that begin at 0: all ports are free, and Traffic is 0.
// L2 keeps its contents.
func (s *System) Restart(launches int) {
	for _, times := range s.times() {
		clear(times)
	}
	s.launches = make([]account, launches)
	s.fills.clear()
}

// Serve sets the replies of requests. Requests must come in the order of cycle, SM, and sequence in the SM, over all
// calls.
func (s *System) Serve(requests []*Request) {
	// Sets are anywhere in the host's memory, so a few are prefetched at the same time.
	var sets [16]uint64
	for len(requests) > 0 {
		group := requests[:min(len(sets), len(requests))]
		for i, r := range group {
			sets[i] = s.l2.index.of(number(r.Line))
			s.l2.back(sets[i])
			set := &s.l2.sets[sets[i]]
			s.touched += set.shuffled + uint64(set.tags[0])
		}
		for i, r := range group {
			s.serve(r, sets[i])
		}
		requests = requests[len(group):]
	}
}

func (s *System) serve(r *Request, set uint64) {
	s.account = &s.launches[r.Launch]
	now := ticks(r.Cycle) * tick
	sectors := ticks(bits.OnesCount8(r.Sectors))
	partition := int(s.partitionOf[r.SM])
	line := number(r.Line)
	var f found
	var sent, busy, answer ticks // for the ports of the SM and the slice
	answers := r.Kind == Load || r.Kind == Atomic
	latency := s.l2Hit
	var joined uint8 // sectors under way, whose fill answers this request, too
	var filled int64
	switch r.Kind {
	case Load:
		f = s.l2.read(set, line, r.Sectors, partition)
		joined, filled = s.fills.after(line, r.Sectors&^f.fetched, r.Cycle+latency)
		sent, busy, answer = s.send, s.read*ticks(bits.OnesCount8(r.Sectors&^joined)), s.receive*sectors
	case Store:
		f = s.l2.write(set, line, r.Sectors, partition, false)
		moved := sectors
		if r.Partial {
			moved++ // which bytes: see internal/gpu/testdata, l2_requests
		}
		sent, busy = s.send*moved, s.write*moved
	default:
		f = s.l2.write(set, line, r.Sectors, partition, true)
		words := ticks(max(1, r.Words))
		atOne := max(1, (ticks(r.Lanes)+words-1)/words) // lanes per word, if they are spread evenly
		lane := s.changeLane
		if r.Float {
			lane = s.changeFloat
		}
		sent, busy = s.send*sectors*5/4, s.change*sectors+s.changeWord*words+lane*(atOne-1)
		if answers {
			latency, answer = s.atomic, s.receive*sectors
			if joined, filled = s.fills.after(line, r.Sectors&^f.fetched, r.Cycle); joined != 0 {
				filled += s.atomic - s.l2Hit
			}
		}
	}
	wait := max(take(&s.sends[r.SM], now, sent), take(&s.slices[f.partition][f.slice], now, busy))
	s.account.sliceBusy += busy
	if f.far != 0 && r.Kind == Load {
		// The other partition reads, and this one passes the data on.
		wait = max(wait, take(&s.slices[f.partition^1][f.slice], now, busy))
		s.account.sliceBusy += busy
	}
	if f.fetched != 0 {
		wait = max(wait, s.channel(line, f.fetched, now))
		s.fills.add(line, f.fetched, r.Cycle+s.dram+int64(wait/tick), r.Cycle)
	}
	if f.dirty != 0 {
		// A store waits until there is space for it, a load does not.
		if written := s.channel(f.evicted, s.l2.grains[f.dirty], now); !answers {
			wait = max(wait, written)
		}
	}
	if answers {
		wait = max(wait, take(&s.receives[r.SM], now, answer), take(&s.gpcs[s.gpcOf[r.SM]], now, s.gpc*sectors))
		wait += answer - s.receive // the first sector's time is in the latency
		latency += s.beyondHit(&f)
	}
	r.Reply = max(r.Cycle+latency+int64(wait/tick), filled)
	s.count(r, &f)
}

// beyondHit returns the latency, in addition to that of a hit, of sectors outside the SM's partition.
func (s *System) beyondHit(f *found) (more int64) {
	if f.far != 0 {
		more = s.far
	}
	if f.fetched != 0 {
		more = max(more, s.dram-s.l2Hit)
	}
	return more
}

// take returns how long a request that arrives now waits for a resource that is free from some time on. The resource
// is then busy with it.
func take(free *ticks, now, busy ticks) (wait ticks) {
	start := max(*free, now)
	*free = start + busy
	return start - now
}

// channel returns how long sectors of a line wait for their channel of device memory.
func (s *System) channel(line uint64, sectors uint8, now ticks) (wait ticks) {
	busy := s.fetch * ticks(bits.OnesCount8(sectors))
	s.account.channelBusy += busy
	at, _ := bits.Mul64(splitmix.Mix(line>>s.chunk), uint64(len(s.drams)))
	return take(&s.drams[at], now, busy)
}

func (s *System) count(r *Request, f *found) {
	t := &s.account.Traffic
	t.Requests[r.Kind]++
	all, near, far := bits.OnesCount8(r.Sectors), bits.OnesCount8(f.near), bits.OnesCount8(f.far)
	t.Sectors[r.Kind] += int64(all)
	t.Hits[r.Kind] += int64(near)
	t.Far[r.Kind] += int64(far)
	t.Misses[r.Kind] += int64(all - near - far)
	if r.Kind == Atomic || r.Kind == Reduction {
		t.Lanes += int64(r.Lanes)
	}
	t.Fetched += int64(SectorBytes * bits.OnesCount8(f.fetched))
	if f.dirty != 0 {
		t.WriteBacks++
		t.Written += int64(SectorBytes * bits.OnesCount8(f.dirty))
	}
}

// Stats returns the traffic of a launch since the beginning, or Restart. Lines that its requests have written back
// may have been changed by another launch.
func (s *System) Stats(launch int) Traffic {
	a := &s.launches[launch]
	t := a.Traffic
	t.SliceCycles = float64(a.sliceBusy) / float64(tick)
	t.ChannelCycles = float64(a.channelBusy) / float64(tick)
	for _, times := range s.times() {
		for _, free := range times {
			t.Drained = max(t.Drained, int64((free+tick-1)/tick))
		}
	}
	return t
}

// times returns when each shared resource is free.
func (s *System) times() [][]ticks {
	return [][]ticks{s.sends, s.receives, s.gpcs, s.slices[0], s.slices[1], s.drams}
}
