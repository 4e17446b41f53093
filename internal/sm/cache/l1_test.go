package cache

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// one is an L1 of one set.
func one() *L1 { return NewL1(ways * LineBytes) }

// load is Load followed by a request for the missing sectors.
func (c *L1) load(t *testing.T, line uint64, sectors uint8, now int64, request int32, want Lookup) Lookup {
	t.Helper()
	got := c.Load(line, sectors, now)
	want.Way = got.Way
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("line %d, sectors %04b in cycle %d (-want +got):\n%s", line, sectors, now, diff)
	}
	if got.Way != None && got.Miss != 0 {
		c.Asked(got.Way, got.Miss, request)
	}
	return got
}

// TestSectorsArriveWithTheirRequest: sectors of one line are requested by three requests, with replies in another
// order.
func TestSectorsArriveWithTheirRequest(t *testing.T) {
	c := one()
	way := c.load(t, 5, 0b0001, 10, 0, Lookup{Miss: 0b0001}).Way
	c.load(t, 5, 0b0011, 11, 1, Lookup{Pending: 0b0001, Miss: 0b0010, Unknown: 0b0001})
	c.load(t, 5, 0b0011, 12, 9, Lookup{Pending: 0b0011, Unknown: 0b0011})
	// The reply to request 1 is known first; a load that needs both also waits for request 0.
	c.Fill(way, 1, 300)
	c.load(t, 5, 0b0010, 20, 9, Lookup{Pending: 0b0010, Ready: 300})
	c.load(t, 5, 0b0011, 20, 9, Lookup{Pending: 0b0011, Ready: 300, Unknown: 0b0001})
	if ready, unknown := c.Ready(way, 0b0011); ready != 300 || unknown != 0b0001 {
		t.Errorf("Ready: %d, %04b", ready, unknown)
	}
	c.Fill(way, 0, 700)
	if ready, unknown := c.Ready(way, 0b0011); ready != 700 || unknown != 0 {
		t.Errorf("Ready: %d, %04b", ready, unknown)
	}
	c.load(t, 5, 0b0011, 299, 9, Lookup{Pending: 0b0011, Ready: 700})
	c.load(t, 5, 0b0011, 300, 9, Lookup{Hit: 0b0010, Pending: 0b0001, Ready: 700})
	c.load(t, 5, 0b0111, 700, 2, Lookup{Hit: 0b0011, Miss: 0b0100})
	// Request number 0 is used again, for another sector of the line.
	c.load(t, 5, 0b1000, 701, 0, Lookup{Miss: 0b1000})
	c.Fill(way, 0, 800)
	c.Fill(way, 2, 900)
	c.load(t, 5, 0b1111, 899, 9, Lookup{Hit: 0b1011, Pending: 0b0100, Ready: 900})
	c.load(t, 5, 0b1111, 900, 9, Lookup{Hit: 0b1111})
}

// TestReplacementSparesRecentLines: of 17 lines of a set one is evicted that was not used since all others were. A
// line with pending sectors stays.
func TestReplacementSparesRecentLines(t *testing.T) {
	c := one()
	fetch := func(line uint64, now, ready int64) {
		t.Helper()
		l := c.load(t, line, 1, now, 0, Lookup{Miss: 1})
		c.Fill(l.Way, 0, ready)
	}
	hit := func(line uint64, now int64) {
		t.Helper()
		c.load(t, line, 1, now, 0, Lookup{Hit: 1})
	}
	for line := range uint64(16) {
		fetch(line, 0, 10)
	}
	// Line 15 was the last of all to be used. These evict two of lines 8 to 14.
	for line := range uint64(8) {
		hit(line, 10)
	}
	fetch(16, 10, 10)
	fetch(17, 10, 10)
	gone := 0
	for line := range uint64(18) {
		if c.sets[0].find(line, 0) < 0 {
			gone++
			if line < 8 || line > 14 {
				t.Errorf("line %d was evicted", line)
			}
		}
	}
	if gone != 2 {
		t.Errorf("2 new lines evicted %d", gone)
	}

	// All were used except line 3, which is pending: another is evicted.
	c.reset(ways * LineBytes)
	for line := range uint64(16) {
		ready := int64(10)
		if line == 3 {
			ready = 1000
		}
		fetch(line, 0, ready)
	}
	for line := range uint64(15) {
		if line != 3 {
			hit(line, 10)
		}
	}
	fetch(16, 10, 10)
	c.load(t, 3, 1, 999, 0, Lookup{Pending: 1, Ready: 1000})
	hit(3, 1000)

	// When all lines are pending, there is no place. When one has arrived, its place is free.
	c.reset(ways * LineBytes)
	for line := range uint64(16) {
		fetch(line, 0, 100+int64(line))
	}
	c.load(t, 16, 1, 99, 0, Lookup{Miss: 1, Way: None})
	hit(0, 100)
	c.load(t, 16, 0b11, 100, 0, Lookup{Miss: 0b11})
	c.load(t, 0, 1, 100, 0, Lookup{Miss: 1, Way: None})
	c.load(t, 15, 1, 100, 0, Lookup{Pending: 1, Ready: 115})
}

// TestInvalidateKeepsPendingAndLocalSectors: sectors that have arrived are dropped, whether looked up since or not.
// Pending sectors still arrive, and lines of local memory stay, but not lines that replace them.
func TestInvalidateKeepsPendingAndLocalSectors(t *testing.T) {
	c := one()
	way := c.load(t, 5, 0b0111, 10, 0, Lookup{Miss: 0b0111}).Way
	c.Asked(way, 0b0010, 1)
	c.Asked(way, 0b0100, 2)
	c.Fill(way, 0, 100)
	c.Fill(way, 1, 200)
	c.Fill(way, 2, 300)
	c.load(t, 5, 0b0001, 110, 9, Lookup{Hit: 0b0001})
	c.Write(7, 0b1111, 120)
	c.Invalidate(200)
	c.load(t, 5, 0b0111, 210, 3, Lookup{Miss: 0b0011, Pending: 0b0100, Ready: 300})
	c.load(t, 7, 0b1111, 211, 9, Lookup{Hit: 0b1111})
	c.load(t, 5, 0b0100, 300, 9, Lookup{Hit: 0b0100})
	const many = 10 * ways // lines, enough to evict that of local memory
	for line := range uint64(many) {
		w := c.load(t, 100+line, 0b0001, 400, int32(line), Lookup{Miss: 0b0001}).Way
		c.Fill(w, int32(line), 400)
	}
	c.Invalidate(510)
	for line := range uint64(many) {
		if got := c.Load(100+line, 0b0001, 520); got.Hit != 0 {
			t.Errorf("line %d is still there", 100+line)
		}
	}
}

// TestStoresAllocateNothingInCache: a store changes sectors in the cache and allocates nothing; a dropped line is gone,
// except for its pending sectors.
func TestStoresAllocateNothingInCache(t *testing.T) {
	c := one()
	if hit := c.Store(7, 0b1111); hit != 0 {
		t.Errorf("a store hits %04b", hit)
	}
	way := c.load(t, 7, 0b0011, 0, 0, Lookup{Miss: 0b0011}).Way
	if hit := c.Store(7, 0b1111); hit != 0 {
		t.Errorf("a store hits %04b", hit)
	}
	c.Fill(way, 0, 10)
	c.load(t, 7, 0b0001, 10, 0, Lookup{Hit: 0b0001})
	if hit := c.Store(7, 0b1110); hit != 0b0010 {
		t.Errorf("a store hits %04b", hit)
	}
	c.load(t, 7, 0b0100, 11, 1, Lookup{Miss: 0b0100})
	c.Drop(7, 11)
	c.load(t, 7, 0b0111, 12, 2, Lookup{Pending: 0b0100, Miss: 0b0011, Unknown: 0b0100})
	c.Fill(way, 1, 20)
	c.Fill(way, 2, 20)
	c.load(t, 7, 0b0111, 20, 3, Lookup{Hit: 0b0111})
	c.Drop(7, 20)
	c.Drop(8, 20)
	c.load(t, 7, 0b0111, 20, 3, Lookup{Miss: 0b0111})
	c.Fill(way, 3, 30)
	c.Drop(7, 30) // sectors that have arrived but were not looked up since
	c.load(t, 7, 0b0111, 30, 4, Lookup{Miss: 0b0111})
}

// slowL1 is an L1 by its definition: ways with lines, and the requests that they wait for. The choice of the victim
// is random, so slowL1 checks whether it was allowed.
type slowL1 struct{ ways []*slowLine }

type slowLine struct {
	line    uint64
	used    bool // since all others of its set were
	sectors [lineSectors]struct {
		there   bool
		request int32 // that brings it, or -1
		ready   int64 // when it comes; -1 if that is not known
	}
}

func (l *slowLine) pending(now int64) bool {
	for i := range l.sectors {
		if s := &l.sectors[i]; s.there && (s.request >= 0 && s.ready < 0 || s.ready > now) {
			return true
		}
	}
	return false
}

// load returns the sectors of a line in the cache, if L1 has put the line at way; place is false if there can be no
// place for it.
func (c *slowL1) load(t *testing.T, way Way, line uint64, sectors uint8, now int64, request int32) (hit, pending, miss uint8, place bool) {
	t.Helper()
	if way == None {
		for _, l := range c.ways {
			if l == nil || l.line == line || !l.pending(now) {
				t.Fatalf("no place for line %d beside %+v", line, l)
			}
		}
		return 0, 0, sectors, false
	}
	l := c.ways[way]
	if l == nil || l.line != line {
		may := func(l *slowLine) bool { return l == nil || !l.used && !l.pending(now) }
		if some := slices.ContainsFunc(c.ways, may); some && !may(l) || !some && l.pending(now) {
			t.Fatalf("line %d takes the place of %+v", line, l)
		}
		for _, other := range c.ways {
			if other != nil && other.line == line {
				t.Fatalf("line %d is in two places", line)
			}
		}
		l = &slowLine{line: line}
		c.ways[way] = l
	}
	l.used = true
	if !slices.ContainsFunc(c.ways, func(l *slowLine) bool { return l == nil || !l.used }) {
		for _, other := range c.ways {
			other.used = other == l
		}
	}
	for i := range l.sectors {
		s, bit := &l.sectors[i], uint8(1)<<i
		switch {
		case sectors&bit == 0:
		case !s.there:
			miss |= bit
			s.there, s.request, s.ready = true, request, -1
		case s.ready < 0 || s.ready > now:
			pending |= bit
		default:
			hit |= bit
		}
	}
	return hit, pending, miss, true
}

// TestL1MatchesDefinition compares L1 with its definition on random loads.
func TestL1MatchesDefinition(t *testing.T) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 1))
		sets := 1 + random.IntN(3)
		c, want := NewL1(int64(sets*ways*LineBytes)), make([]slowL1, sets)
		for i := range want {
			want[i].ways = make([]*slowLine, ways)
		}
		type asked struct {
			way  Way
			line *slowLine
		}
		flying := make(map[int32]asked)
		misses := 0
		now := int64(0)
		for step := range int32(20000) {
			now += random.Int64N(3)
			line, sectors := random.Uint64N(uint64(sets)*24), uint8(1+random.IntN(15))
			set := &want[c.index.of(line)]
			got := c.Load(line, sectors, now)
			way := got.Way
			if way != None {
				way %= ways
			}
			hit, pending, miss, place := set.load(t, way, line, sectors, now, step)
			if got.Hit != hit || got.Pending != pending || got.Miss != miss || (got.Way != None) != place {
				t.Fatalf("seed %d, step %d: line %d, sectors %04b: %+v, want %04b %04b %04b %t", seed, step, line, sectors, got, hit, pending, miss, place)
			}
			if place {
				l := set.ways[way]
				ready, unknown := int64(0), uint8(0)
				for i := range l.sectors {
					if pending>>i&1 != 0 {
						if ready = max(ready, l.sectors[i].ready); l.sectors[i].ready < 0 {
							unknown |= 1 << i
						}
					}
				}
				if got.Unknown != unknown || got.Ready != ready {
					t.Fatalf("seed %d, step %d: %+v, want ready in %d but for %04b", seed, step, got, ready, unknown)
				}
				if miss != 0 {
					misses++
					c.Asked(got.Way, miss, step)
					flying[step] = asked{got.Way, l}
				}
			}
			for request, a := range flying {
				if random.IntN(20) == 0 {
					ready := now + random.Int64N(40)
					c.Fill(a.way, request, ready)
					for i := range a.line.sectors {
						if s := &a.line.sectors[i]; s.request == request {
							s.ready = ready
						}
					}
					delete(flying, request)
				}
			}
		}
		if misses < 1000 || misses > 19000 {
			t.Errorf("seed %d: %d misses", seed, misses)
		}
	}
}

// TestL1HoldsItsSize: chains through contiguous memory hit if they fit, for every possible size of an L1.
func TestL1HoldsItsSize(t *testing.T) {
	for _, kb := range []int{10, 20, 52, 84, 116, 128, 148, 184, 192, 216, 232, 256} {
		c := NewL1(int64(kb) << 10)
		misses := func(lines int) (n int) {
			for range 3 {
				n = 0
				for line := range uint64(lines) {
					l := c.Load(line, 15, 0)
					if l.Miss != 0 {
						n++
						c.Asked(l.Way, 15, 0)
						c.Fill(l.Way, 0, 0)
					}
				}
			}
			return n
		}
		if n := misses(kb << 10 / LineBytes); n != 0 {
			t.Errorf("%d KB: %d misses", kb, n)
		}
		if lines := kb << 10 / LineBytes * 3; misses(lines) < lines*9/10 {
			t.Errorf("%d KB: a chain three times as large hits", kb)
		}
		c.reset(int64(kb) << 9)
		if l := c.Load(1, 1, 0); l.Miss != 1 {
			t.Errorf("after Reset: %+v", l)
		}
	}
}
