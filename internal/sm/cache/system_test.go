package cache

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/isa"
)

const depth = 11 // of all presets

// plain is a GPU for calculation by hand: two SMs, each in its own GPC; a slice that takes a sector a cycle; ports of
// 32 bytes a cycle; a channel that takes two cycles for a sector. L2 answers after 100 cycles, device memory after
// 300, atomics take 150 in L2.
func plain(t testing.TB) *gpu.Config {
	g := preset(t, "minimal")
	g.SMs, g.TPCs, g.GPCs = 2, 2, 2
	m := &g.Memory
	m.L2, m.DRAM, m.DRAMSustained = 100+depth, 300+depth, 16
	g.LSU.Depth = depth
	g.Classes[isa.CostAtomicGlobal].Latency = 150 + depth
	return g
}

// two is plain with two partitions of L2 with a slice each, 50 cycles apart. L2 has one set.
func two(t testing.TB) *gpu.Config {
	g := plain(t)
	g.Memory.L2Partitions, g.Memory.L2Slices, g.Memory.L2Far = 2, 2, 50
	g.Memory.L2Read, g.Memory.L2Write = 64, 64
	g.Memory.L2Bytes = ways * LineBytes
	return g
}

// replies serves requests, of one sector unless they set Sectors, and returns for each how many cycles after it the
// reply comes.
func (s *System) replies(requests ...Request) (after []int64) {
	for i := range requests {
		r := &requests[i]
		if r.Sectors == 0 {
			r.Sectors = 1
		}
		s.Serve([]*Request{r})
		after = append(after, r.Reply-r.Cycle)
	}
	return after
}

// apart returns the requests with a distance of a thousand cycles.
func apart(requests ...Request) []Request {
	for i := range requests {
		requests[i].Cycle = 1000 * int64(i)
	}
	return requests
}

func check(t *testing.T, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// TestUncontendedLatenciesMatchHandCount: replies of requests that wait for nothing. Sectors of an answer come one a
// cycle.
func TestUncontendedLatenciesMatchHandCount(t *testing.T) {
	s := NewSystem(plain(t))
	check(t, "replies", []int64{303, 100, 103, 100, 300, 100, 350, 150, 100, 100, 100}, s.replies(apart(
		Request{Line: 1, Sectors: 15},
		Request{Line: 1},
		Request{Line: 1, Sectors: 15},
		Request{Line: 2, Sectors: 0b0011, Kind: Store}, // needs nothing from device memory
		Request{Line: 2, Sectors: 0b0100},              // a sector is missing
		Request{Line: 2, Sectors: 0b0001},
		Request{Line: 3, Kind: Atomic, Lanes: 1, Words: 1},
		Request{Line: 3, Kind: Atomic, Lanes: 1, Words: 1},
		Request{Line: 3, Kind: Reduction, Lanes: 1, Words: 1},
		Request{Line: 4, Kind: Reduction, Lanes: 1, Words: 1},
		Request{Line: 4},
	)...))
	check(t, "Traffic", Traffic{
		Requests: [NumKinds]int64{6, 1, 2, 2}, Sectors: [NumKinds]int64{12, 2, 2, 2},
		Hits: [NumKinds]int64{7, 0, 1, 1}, Misses: [NumKinds]int64{5, 2, 1, 1}, Lanes: 4,
		Fetched: (4 + 1 + 1 + 1) * 32, SliceCycles: 18, ChannelCycles: 14, Drained: 10001,
	}, s.Stats(0))
	if s.Lookahead() != 100 {
		t.Errorf("Lookahead: %d", s.Lookahead())
	}
	s.Restart(1)
	check(t, "Traffic after Restart", Traffic{}, s.Stats(0))
	check(t, "replies after Restart", []int64{100}, s.replies(Request{Line: 1}))
}

// warm returns a System that has read lines 0 to 15 into L2.
func warm(g *gpu.Config) *System {
	s := NewSystem(g)
	for line := range uint64(16) {
		s.replies(Request{Line: line, Sectors: 15})
	}
	s.Restart(1)
	return s
}

// TestRequestsOfOneCycleQueue: requests of the same cycle wait for each other.
func TestRequestsOfOneCycleQueue(t *testing.T) {
	// The slice takes 3 sectors, then 1, then 2; so does the port that carries the replies.
	check(t, "one SM", []int64{102, 103, 105}, warm(plain(t)).replies(
		Request{Line: 0, Sectors: 0b0111}, Request{Line: 1}, Request{Line: 2, Sectors: 0b0011}))
	// After 2 cycles, 2 of the 4 sectors are still to come.
	check(t, "one SM, later", []int64{103, 102, 101, 100}, warm(plain(t)).replies(
		Request{Line: 0, Sectors: 15}, Request{Cycle: 2, Line: 1}, Request{Cycle: 4, Line: 2}, Request{Cycle: 6, Line: 2}))
	check(t, "two SMs at the slice", []int64{100, 101, 102}, warm(plain(t)).replies(
		Request{Line: 0}, Request{Line: 1, SM: 1}, Request{Line: 2}))
	fast := plain(t)
	fast.Memory.L2Read = 320 // 0.1 cycles a sector
	check(t, "two SMs with ports of their own", []int64{103, 103, 107, 107}, warm(fast).replies(
		Request{Line: 0, Sectors: 15}, Request{Line: 1, SM: 1, Sectors: 15}, Request{Line: 2, Sectors: 15}, Request{Line: 3, SM: 1, Sectors: 15}))
	wide := plain(t)
	wide.Memory.L2Read, wide.Memory.SMRequest, wide.Memory.SMResponse = 3200, 3200, 128
	check(t, "a port of 4 sectors a cycle", []int64{100, 101, 102}, warm(wide).replies(
		Request{Line: 0, Sectors: 15}, Request{Line: 1, Sectors: 15}, Request{Line: 2, Sectors: 15}))
	gpc := wide
	gpc.GPCs, gpc.Memory.GPCResponse = 1, 64
	check(t, "a GPC of 2 sectors a cycle", []int64{100, 102, 104}, warm(gpc).replies(
		Request{Line: 0, Sectors: 15}, Request{Line: 1, SM: 1, Sectors: 15}, Request{Line: 2, Sectors: 15}))
	// A line's sectors take 8 cycles of the channel; at the third request, 2 cycles have passed.
	check(t, "device memory", []int64{303, 308, 311, 100}, NewSystem(plain(t)).replies(
		Request{Line: 0, Sectors: 15}, Request{Line: 1, SM: 1}, Request{Cycle: 2, Line: 2, Sectors: 15, SM: 1}, Request{Cycle: 500, Line: 0}))
	// An SM sends a sector a cycle, the slice takes one in 2.
	slow := plain(t)
	slow.Memory.L2Write = 16
	check(t, "stores", []int64{100, 108, 116, 100}, warm(slow).replies(
		Request{Line: 0, Sectors: 15, Kind: Store}, Request{Line: 1, Sectors: 15, Kind: Store}, Request{Line: 2, Kind: Store}, Request{Cycle: 30, Line: 3, Kind: Store}))
	quick := plain(t)
	quick.Memory.L2Write = 320
	check(t, "stores of two SMs", []int64{100, 100, 104, 104}, warm(quick).replies(
		Request{Line: 0, Sectors: 15, Kind: Store}, Request{Line: 1, SM: 1, Sectors: 15, Kind: Store}, Request{Line: 2, Kind: Store}, Request{Line: 3, SM: 1, Kind: Store}))
	// A port takes 5 cycles for 4 sectors of atomics, the slice 1 for each sector, a half for
	// each word and 3 for each lane at a word that had one, 7 if it adds floating-point numbers.
	atomics := plain(t)
	m := &atomics.Memory
	m.AtomicSector, m.AtomicWord, m.AtomicLane, m.AtomicLaneFloat = 1, 0.5, 3, 7
	check(t, "atomics", []int64{100, 120, 214, 113, 113, 115, 100, 122}, warm(atomics).replies(
		Request{Line: 0, Sectors: 15, Kind: Reduction, Lanes: 32, Words: 32},     // 20 cycles
		Request{Line: 0, Kind: Reduction, Lanes: 32, Words: 1},                   // 94.5
		Request{Line: 1, Kind: Reduction, Lanes: 1, Words: 1},                    // 1.5, until 116
		Request{Cycle: 103, Line: 1, SM: 1, Kind: Reduction, Lanes: 2, Words: 2}, // 2
		Request{Cycle: 105, Line: 1, SM: 1, Kind: Reduction, Lanes: 3, Words: 2}, // 5: two are at one of the words
		Request{Cycle: 108, Line: 1, SM: 1, Kind: Reduction, Lanes: 1, Words: 1},
		Request{Cycle: 400, Line: 0, Kind: Reduction, Lanes: 4, Words: 1, Float: true}, // 22.5
		Request{Cycle: 400, Line: 0, SM: 1, Kind: Reduction, Lanes: 1, Words: 1, Float: true}))
}

// TestEvictionWritesBackDirtySectors: dirty sectors go to device memory when their line is evicted, and take the time
// of its channel. Stores wait for that and loads do not.
func TestEvictionWritesBackDirtySectors(t *testing.T) {
	g := plain(t)
	g.Memory.L2Bytes = ways * LineBytes // one set
	fill := func() *System {
		s := NewSystem(g)
		for line := range uint64(16) {
			s.replies(Request{Cycle: 100 * int64(line), Line: line, Sectors: 0b0111, Kind: Store})
		}
		check(t, "bytes", [2]int64{0, 0}, [2]int64{s.Stats(0).Fetched, s.Stats(0).Written})
		s.Restart(1)
		return s
	}
	s := fill()
	check(t, "stores", []int64{100, 106, 112, 100}, s.replies(
		Request{Line: 16, Kind: Store}, Request{Line: 17, Kind: Store}, Request{Line: 18, Kind: Store}, Request{Line: 18, Kind: Store, Cycle: 50}))
	check(t, "a line with some sectors", []int64{300, 200}, s.replies(Request{Cycle: 100, Line: 3, Sectors: 8}, Request{Cycle: 200, Line: 3, Sectors: 8}))
	got := s.Stats(0)
	check(t, "write-backs", []int64{3, 3 * 96, 32}, []int64{got.WriteBacks, got.Written, got.Fetched})

	s = fill()
	check(t, "loads", []int64{300, 308, 316}, s.replies(Request{Line: 16}, Request{Line: 17}, Request{Line: 18}))
	// With a grain of 64 bytes, a load brings two sectors; writing three sectors takes as long as four.
	g.Memory.DRAMGrain = 64
	s = fill()
	check(t, "loads of 64 bytes", []int64{300, 312, 212, 100, 300}, s.replies(
		Request{Line: 16}, Request{Line: 17}, Request{Cycle: 100, Line: 17, Sectors: 2}, Request{Cycle: 200, Line: 16, Sectors: 2}, Request{Cycle: 300, Line: 16, Sectors: 4}))
	got = s.Stats(0)
	check(t, "write-backs", []int64{2, 2 * 96, 3 * 64}, []int64{got.WriteBacks, got.Written, got.Fetched})
}

// TestSectorsUnderWayAnswerWhenFilled: device memory delivers a sector after 300 cycles, and a line's four sectors one
// a cycle. No request for such a sector is answered sooner, whichever SM sends it.
func TestSectorsUnderWayAnswerWhenFilled(t *testing.T) {
	check(t, "loads", []int64{300, 299, 150, 100, 300, 100}, NewSystem(plain(t)).replies(
		Request{Line: 1},
		Request{Cycle: 1, Line: 1, SM: 1},
		Request{Cycle: 150, Line: 1, SM: 1},
		Request{Cycle: 201, Line: 1, SM: 1},             // its own way takes longer than the rest of the fill
		Request{Cycle: 202, Line: 1, Sectors: 2, SM: 1}, // a sector that is not under way
		Request{Cycle: 600, Line: 1, Sectors: 3 &^ 1, SM: 1}))
	check(t, "an atomic executes after the fill", []int64{300, 345, 345}, NewSystem(plain(t)).replies(
		Request{Line: 1},
		Request{Cycle: 5, Line: 1, Kind: Atomic, Lanes: 1, Words: 1},
		Request{Cycle: 5, Line: 1, SM: 1, Kind: Atomic, Lanes: 1, Words: 1}))
	check(t, "a load waits for the fill that an atomic needs", []int64{350, 290}, NewSystem(plain(t)).replies(
		Request{Line: 1, Kind: Atomic, Lanes: 1, Words: 1}, Request{Cycle: 10, Line: 1, SM: 1}))
	// The slice takes 4 cycles for the first load, none for those that join it, and so 3 for the last request.
	slow := plain(t)
	slow.Memory.L2Read, slow.Memory.SMResponse, slow.Memory.DRAMSustained = 8, 3200, 3200
	check(t, "turns of the slice", []int64{300, 300, 300, 304}, NewSystem(slow).replies(
		Request{Line: 1}, Request{Line: 1, SM: 1}, Request{Line: 1}, Request{Line: 2, SM: 1}))
}

// TestFillsKeepWhatIsUnderWay compares the table of fills with a map, while it grows and is swept.
func TestFillsKeepWhatIsUnderWay(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	f, want := newFills(4), make(map[uint64][lineSectors]int64)
	for now := range int64(20000) {
		line, sectors := random.Uint64N(400), uint8(1+random.IntN(15))
		if random.IntN(3) == 0 {
			ready := now + 1 + random.Int64N(500)
			f.add(line, sectors, ready, now)
			w := want[line]
			for s := range w {
				if sectors>>s&1 != 0 {
					w[s] = ready
				}
			}
			want[line] = w
			continue
		}
		var pending uint8
		var last int64
		for s, at := range want[line] {
			if sectors>>s&1 != 0 && at > now {
				pending, last = pending|1<<s, max(last, at)
			}
		}
		if gotPending, got := f.after(line, sectors, now); gotPending != pending || got != last {
			t.Fatalf("cycle %d, line %d, sectors %04b: %04b until %d, want %04b until %d", now, line, sectors, gotPending, got, pending, last)
		}
	}
}

// TestPartitionsKeepNearLines: SMs 0 and 1 are each near to one partition. A set has 16 lines, and a partition keeps 8.
func TestPartitionsKeepNearLines(t *testing.T) {
	s := NewSystem(two(t))
	cycle := int64(0)
	load := func(sm int16, line uint64, want int64) {
		t.Helper()
		cycle += 1000
		if got := s.replies(Request{Cycle: cycle, SM: sm, Line: line}); got[0] != want {
			t.Errorf("line %d for SM %d: %d, want %d", line, sm, got[0], want)
		}
	}
	write := func(sm int16, line uint64, kind Kind, want int64) {
		t.Helper()
		cycle += 1000
		if got := s.replies(Request{Cycle: cycle, SM: sm, Line: line, Kind: kind, Lanes: 1, Words: 1}); got[0] != want {
			t.Errorf("%v to line %d by SM %d: %d, want %d", kind, line, sm, got[0], want)
		}
	}
	// A single active SM: 8 lines near, 8 more far.
	for line := range uint64(16) {
		load(0, line, 300)
	}
	for line := uint64(8); line < 16; line++ {
		load(0, line, 100)
	}
	load(0, 0, 150)
	load(0, 0, 100)
	load(0, 8, 150)
	// What an SM of the other partition reads is then near for both.
	load(1, 8, 150)
	load(1, 8, 100)
	load(0, 8, 100)
	// A store removes the other partition's copy; the line stays where it is near.
	write(1, 8, Store, 100)
	load(1, 8, 100)
	load(0, 8, 150)
	write(1, 8, Atomic, 150)
	write(0, 8, Atomic, 200)
	write(0, 8, Atomic, 200)
	write(1, 8, Atomic, 150)
	load(0, 8, 150)
	write(0, 8, Atomic, 150)
	write(1, 8, Atomic, 200)
	// The 17th line evicts the least recently used: line 1.
	load(1, 16, 300)
	load(0, 2, 150)
	load(0, 1, 300)
}

// TestPartitionsShareSlices: a far line takes the slices of both partitions.
func TestPartitionsShareSlices(t *testing.T) {
	s := NewSystem(two(t))
	s.replies(Request{Line: 0, Sectors: 15})
	s.Restart(1)
	// SM 1 reads it through its own slice from that of SM 0, which reads after it.
	check(t, "replies", []int64{153, 107, 100}, s.replies(
		Request{SM: 1, Line: 0, Sectors: 15}, Request{Line: 0, Sectors: 15}, Request{Cycle: 4, SM: 1, Line: 0}))
	check(t, "cycles of slices", 13.0, s.Stats(0).SliceCycles)
}

// slowL2 is one set of L2 by its definition.
type slowL2 struct {
	lines []*slowL2Line // from the most recently used line on
	near  [2][]uint64   // lines that a partition keeps, in the same order
}

type slowL2Line struct {
	line         uint64
	valid, dirty uint8
	near         [2]uint8
}

// serve returns which sectors the set had, and the bytes that device memory reads and writes.
func (c *slowL2) serve(r *Request, partition int, grain uint8) (near, far, missing uint8, read, written int) {
	i := slices.IndexFunc(c.lines, func(l *slowL2Line) bool { return l.line == r.Line })
	if i < 0 {
		if len(c.lines) == ways {
			gone := c.lines[ways-1]
			for i := range lineSectors {
				written += int(gone.dirty >> i & 1 * 32)
			}
			c.lines = c.lines[:ways-1]
			for p := range c.near {
				c.near[p] = slices.DeleteFunc(c.near[p], func(line uint64) bool { return line == gone.line })
			}
		}
		c.lines = append(c.lines, &slowL2Line{line: r.Line})
		i = len(c.lines) - 1
	}
	l := c.lines[i]
	c.lines = slices.Insert(slices.Delete(c.lines, i, i+1), 0, l)
	near = r.Sectors & l.near[partition]
	far = r.Sectors & l.valid &^ near
	missing = r.Sectors &^ l.valid
	at := partition
	if r.Kind != Load && l.near[partition] == 0 && l.near[partition^1] != 0 {
		at ^= 1
	}
	var fetched uint8
	if r.Kind != Store {
		for i := uint8(0); i < lineSectors; i += grain {
			if part := uint8(1<<grain-1) << i; missing&part != 0 {
				fetched |= part
				read += int(grain) * 32
			}
		}
	}
	if r.Kind != Load {
		l.dirty |= r.Sectors
		l.near[at^1] &^= r.Sectors
	}
	l.near[at] |= r.Sectors | fetched&^l.valid
	l.valid |= r.Sectors | fetched
	if k := slices.Index(c.near[at], r.Line); k >= 0 {
		c.near[at] = slices.Delete(c.near[at], k, k+1)
	}
	c.near[at] = slices.Insert(c.near[at], 0, r.Line)
	if len(c.near[at]) > ways/2 {
		for _, l := range c.lines {
			if l.line == c.near[at][ways/2] {
				l.near[at] = 0
			}
		}
		c.near[at] = c.near[at][:ways/2]
	}
	return near, far, missing, read, written
}

// TestL2MatchesDefinition compares L2 with its definition on random requests. It also checks the traffic: each request
// has a reply, and every sector looked up was near, far or missing.
func TestL2MatchesDefinition(t *testing.T) {
	for seed := range uint64(30) {
		random := rand.New(rand.NewPCG(seed, 2))
		g := two(t)
		sets := 1 + random.IntN(3)
		g.Memory.L2Bytes = int64(sets * ways * LineBytes)
		grain := 1 << random.IntN(3)
		g.Memory.DRAMGrain = grain * SectorBytes
		g.Memory.L2Partitions = 1 + random.IntN(2)
		g.Memory.L2Slices = 4 * g.Memory.L2Partitions
		s, want := NewSystem(g), make([]slowL2, sets)
		sum := Traffic{}
		cycle := int64(0)
		for step := range 20000 {
			cycle += random.Int64N(3)
			r := Request{Cycle: cycle, SM: int16(random.IntN(2)), Line: random.Uint64N(uint64(sets) * 20), Sectors: uint8(1 + random.IntN(15)), Kind: Kind(random.IntN(int(NumKinds))), Lanes: 1, Words: 1}
			before := s.Stats(0)
			s.Serve([]*Request{&r})
			after := s.Stats(0)
			partition := int(r.SM) * (g.Memory.L2Partitions - 1)
			near, far, missing, read, written := want[s.l2.index.of(number(r.Line))].serve(&r, partition, uint8(grain))
			if g.Memory.L2Partitions == 1 {
				near, far = near|far, 0
			}
			ones := func(mask uint8) (n int64) {
				for ; mask != 0; mask &= mask - 1 {
					n++
				}
				return n
			}
			wanted := []int64{ones(near), ones(far), ones(missing), int64(read), int64(written)}
			got := []int64{after.Hits[r.Kind] - before.Hits[r.Kind], after.Far[r.Kind] - before.Far[r.Kind], after.Misses[r.Kind] - before.Misses[r.Kind], after.Fetched - before.Fetched, after.Written - before.Written}
			if !slices.Equal(wanted, got) {
				t.Fatalf("seed %d, step %d: %+v: near, far, missing, bytes read and written %d, want %d", seed, step, r, got, wanted)
			}
			if r.Reply < r.Cycle+s.Lookahead() {
				t.Fatalf("seed %d, step %d: a reply after %d cycles, less than %d", seed, step, r.Reply-r.Cycle, s.Lookahead())
			}
			sum.Requests[r.Kind]++
			sum.Sectors[r.Kind] += ones(r.Sectors)
		}
		got := s.Stats(0)
		if got.Requests != sum.Requests || got.Sectors != sum.Sectors {
			t.Errorf("seed %d: %v requests of %v sectors, want %v of %v", seed, got.Requests, got.Sectors, sum.Requests, sum.Sectors)
		}
		for k := range NumKinds {
			if got.Hits[k]+got.Far[k]+got.Misses[k] != got.Sectors[k] {
				t.Errorf("seed %d: %v: near %d, far %d, missing %d of %d", seed, k, got.Hits[k], got.Far[k], got.Misses[k], got.Sectors[k])
			}
		}
	}
}

// TestBatchesGetTheRepliesOfSingleRequests: a batch gets the same replies as its requests one by one.
func TestBatchesGetTheRepliesOfSingleRequests(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	all := make([]Request, 5000)
	cycle := int64(0)
	for i := range all {
		cycle += random.Int64N(2)
		all[i] = Request{Cycle: cycle, SM: int16(random.IntN(132)), Line: random.Uint64N(1 << 16), Sectors: uint8(1 + random.IntN(15)), Kind: Kind(random.IntN(int(NumKinds))), Lanes: 8, Words: 4}
	}
	one, many := NewSystem(preset(t, "h100")), NewSystem(preset(t, "h100"))
	singly := slices.Clone(all)
	for i := range singly {
		one.Serve([]*Request{&singly[i]})
	}
	var batch []*Request
	for i := range all {
		batch = append(batch, &all[i])
	}
	many.Serve(batch)
	check(t, "replies", singly, all)
	check(t, "traffic", one.Stats(0), many.Stats(0))
}

// TestRequestsAllocateNothing: serving requests allocates nothing.
func TestRequestsAllocateNothing(t *testing.T) {
	s, c := NewSystem(preset(t, "h100")), NewL1(216<<10)
	batch := make([]*Request, 100)
	for i := range batch {
		batch[i] = new(Request)
	}
	line := uint64(0)
	if n := testing.AllocsPerRun(100, func() {
		for _, r := range batch {
			line += 12345
			*r = Request{Cycle: int64(line), Line: line % 1e6, Sectors: 15, Kind: Kind(line % uint64(NumKinds)), Lanes: 1, Words: 1}
			l := c.Load(r.Line, 15, r.Cycle)
			c.Asked(l.Way, l.Miss, 1)
			c.Fill(l.Way, 1, r.Cycle)
			c.Store(line, 1)
			c.Drop(line, r.Cycle)
		}
		s.Serve(batch)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if n := testing.AllocsPerRun(10, func() { c.reset(100 << 10); c.reset(216 << 10) }); n != 0 {
		t.Errorf("%v allocations in Reset", n)
	}
}
