package memory

import (
	"bytes"
	"cmp"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
)

// replayed is an access of an SM to the bytes of a region: a store, or a change at the exchange that adds 1 to each
// byte.
type replayed struct {
	cycle   int64
	sm, seq int
	region  *Region
	at      []uint64 // by byte
	bytes   []byte   // nil for a change
}

// touches reports whether it writes a byte of the region.
func (r *replayed) touches(region *Region, at uint64) bool {
	return r.region == region && slices.Contains(r.at, at)
}

// apply makes it.
func (r *replayed) apply(data []byte) {
	for i, at := range r.at {
		if r.bytes == nil {
			data[at]++
		} else {
			data[at] = r.bytes[i]
		}
	}
}

// randomMask returns a mask of one of the kinds that matter.
func randomMask(rnd *rand.Rand) lanes.Mask {
	switch rnd.IntN(4) {
	case 0:
		return lanes.AllLanes
	case 1: // without gaps
		first := rnd.IntN(lanes.Width)
		n := 1 + rnd.IntN(lanes.Width-first)
		return lanes.Mask((uint64(1)<<n - 1) << first)
	case 2:
		return 1 << rnd.IntN(lanes.Width)
	}
	return lanes.Mask(rnd.Uint32() | 1<<rnd.IntN(lanes.Width))
}

// randomAccess returns an access of the lanes of m to a small part of the region.
func randomAccess(t *testing.T, rnd *rand.Rand, r *Region, m lanes.Mask) *lanes.Access {
	size := uint64(1) << rnd.IntN(6)
	elems := uint64(len(r.Data)) / size
	var addr [lanes.Width]uint64
	first, shape := rnd.Uint64N(elems-lanes.Width), rnd.IntN(4)
	for lane := range addr {
		elem := first
		switch shape {
		case 0, 1:
			elem += uint64(lane)
		case 2: // a row in each half, or one place
			elem = (first + uint64(lane&half)*3 + uint64(lane%half)*(first&1)) % elems
		default:
			elem = rnd.Uint64N(elems)
		}
		addr[lane] = r.Base + elem*size
	}
	a := &lanes.Access{Base: r.Base, Region: r.Number, Space: uint8(r.Space)}
	if !Locate(a, r.Data, r.Base, &addr, 0, size, m) {
		t.Fatal("an access within the region is not found")
	}
	return a
}

// eachByte calls f for each byte that the lanes of m move, lane by lane.
func eachByte(a *lanes.Access, m lanes.Mask, f func(lane int, at uint64)) {
	for ; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(uint32(m))
		for k := range a.Size {
			f(lane, a.At(lane)+k)
		}
	}
}

// TestJournalMatchesReplay: random stores, loads and changes by several SMs, against a
// replay of single bytes in the order of cycle, SM and sequence.
func TestJournalMatchesReplay(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	g := NewGlobal(64, NewBudget(0))
	var regions []*Region
	for _, size := range []int64{1100, 4096} {
		r, err := g.Alloc("r", isa.Global, (size+31)&^31)
		if err != nil {
			t.Fatal(err)
		}
		regions = append(regions, r)
	}
	journals := make([]*Journal, 5)
	for i := range journals {
		journals[i] = new(Journal)
	}
	var merger Merger
	views, deferred, hits := 0, 0, 0
	for range 300 {
		before := make([][]byte, len(regions))
		for i, r := range regions {
			before[i] = bytes.Clone(r.Data)
		}
		var all []replayed
		for sm, j := range journals {
			cycle := int64(1000)
			first := len(all)
			for seq := range rnd.IntN(30) {
				cycle += int64(rnd.IntN(3))
				j.Position = cycle
				r, m := regions[rnd.IntN(len(regions))], randomMask(rnd)
				a := randomAccess(t, rnd, r, m)
				did := replayed{cycle: cycle, sm: sm, seq: seq, region: r}
				switch rnd.IntN(5) {
				case 0, 1:
					to := j.Store(a, m)
					eachByte(a, m, func(lane int, at uint64) {
						v := byte(rnd.Uint32())
						to.Mem[to.At(lane)+at-a.At(lane)] = v
						did.at, did.bytes = append(did.at, at), append(did.bytes, v)
					})
					all = append(all, did)
				case 2:
					if rnd.IntN(4) > 0 {
						continue
					}
					eachByte(a, m, func(_ int, at uint64) { did.at = append(did.at, at) })
					j.DeferChange(len(all), a, m)
					all = append(all, did)
				default:
					views++
					want, later := loaded(a, m, r, all[first:])
					may := j.Changes(a, m)
					seen, ok := j.View(a, m, false)
					switch {
					case later:
						deferred++
						if ok || !may {
							t.Fatalf("a load of what changes at the exchange is not put off: %v, %v", may, ok)
						}
						continue
					case !ok:
						t.Fatal("a load is put off that depends on nothing")
					case seen != a:
						hits++
						if !may {
							t.Fatal("the filter does not know of a store")
						}
					}
					if got := seen.AppendTo(nil, m); !bytes.Equal(got, want) {
						t.Fatalf("SM %d loads %x, want %x", sm, got, want)
					}
				}
			}
		}
		for i, r := range regions {
			if !bytes.Equal(r.Data, before[i]) {
				t.Fatal("memory has changed before the exchange")
			}
		}
		for _, ref := range merger.Merge(journals) {
			if n, ok := journals[ref.SM].Take(int(ref.Entry)); ok {
				all[n].apply(all[n].region.Data)
			}
		}
		ordered := slices.Clone(all)
		slices.SortFunc(ordered, func(a, b replayed) int {
			return cmp.Or(cmp.Compare(a.cycle, b.cycle), cmp.Compare(a.sm, b.sm), cmp.Compare(a.seq, b.seq))
		})
		for i, r := range regions {
			for k := range ordered {
				if ordered[k].region == r {
					ordered[k].apply(before[i])
				}
			}
			if !bytes.Equal(r.Data, before[i]) {
				t.Fatal("memory is not what the replay leaves")
			}
		}
		for _, j := range journals {
			if j.Empty(); j.Len() != 0 {
				t.Fatal("a journal is not empty")
			}
		}
	}
	if views < 5000 || deferred < 300 || hits < 1000 {
		t.Errorf("only %d loads, %d put off, %d that see stores", views, deferred, hits)
	}
}

// loaded returns what a load sees after its SM's own accesses, and whether it depends on changes at the exchange.
func loaded(a *lanes.Access, m lanes.Mask, r *Region, did []replayed) (want []byte, later bool) {
	eachByte(a, m, func(_ int, at uint64) {
		v := r.Data[at]
		for i := range did {
			if d := &did[i]; d.touches(r, at) {
				later = later || d.bytes == nil
				if d.bytes != nil { // of lanes at one place the highest wins
					for k, place := range d.at {
						if place == at {
							v = d.bytes[k]
						}
					}
				}
			}
		}
		want = append(want, v)
	})
	return want, later
}

// TestMergeAcceptsEmptyJournals: journals without entries, and no journals.
func TestMergeAcceptsEmptyJournals(t *testing.T) {
	var g Merger
	if n := len(g.Merge(nil)) + len(g.Merge([]*Journal{{}, {}})); n > 0 {
		t.Errorf("%d entries", n)
	}
}

// row returns an access of all lanes to the n-th row of 128 bytes of a region.
func row(tb testing.TB, r *Region, n int) *lanes.Access {
	var addr [lanes.Width]uint64
	for lane := range addr {
		addr[lane] = r.Base + uint64(n*LineBytes+4*lane)
	}
	a := &lanes.Access{Base: r.Base, Region: r.Number, Space: uint8(r.Space)}
	if !Locate(a, r.Data, r.Base, &addr, 0, 4, lanes.AllLanes) {
		tb.Fatal("a row is not found")
	}
	return a
}

const benchRows = 4096

func benchRegion(tb testing.TB) *Region {
	r, err := NewGlobal(64, NewBudget(0)).Alloc("r", isa.Global, benchRows*LineBytes)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// BenchmarkJournalStore logs stores of rows, and applies them.
func BenchmarkJournalStore(b *testing.B) {
	r := benchRegion(b)
	var rows []*lanes.Access
	for n := range benchRows {
		rows = append(rows, row(b, r, n*7%benchRows))
	}
	journals := make([]*Journal, 64)
	for i := range journals {
		journals[i] = new(Journal)
	}
	var bytes [LineBytes]byte
	var merger Merger
	log := func() {
		for i, a := range rows { // SM by SM
			each := benchRows / len(journals)
			j := journals[i/each]
			j.Position = int64(i % each)
			to := j.Store(a, lanes.AllLanes)
			copy(to.Mem, bytes[:])
		}
	}
	empty := func() {
		for _, j := range journals {
			j.Empty()
		}
	}
	b.Run("log", func(b *testing.B) {
		for b.Loop() {
			log()
			empty()
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*benchRows), "ns/store")
	})
	b.Run("log+apply", func(b *testing.B) {
		for b.Loop() {
			log()
			for _, ref := range merger.Merge(journals) {
				journals[ref.SM].Take(int(ref.Entry))
			}
			empty()
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*benchRows), "ns/store")
	})
	b.Run("load", func(b *testing.B) {
		log()
		other := benchRegion(b)
		other.Number++
		a := row(b, other, 5)
		n := 0
		for b.Loop() {
			if journals[3].Changes(a, lanes.AllLanes) {
				n++
			}
		}
		if n > 0 {
			b.Error("the filter has the wrong region")
		}
	})
	b.Run("view", func(b *testing.B) {
		for b.Loop() {
			journals[3].View(rows[3], lanes.AllLanes, false)
		}
	})
}
