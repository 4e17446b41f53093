package memory

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
)

// buffers returns global memory of two regions, and a Backup of it.
func buffers(t testing.TB, size int64) (a, b *Region, backup *Backup) {
	t.Helper()
	g := NewGlobal(64, NewBudget(0))
	var regions []*Region
	for _, name := range []string{"a", "b"} {
		r, err := g.Alloc(name, isa.Global, size)
		if err != nil {
			t.Fatal(err)
		}
		for i := range r.Data {
			r.Data[i] = byte(i * 7)
		}
		regions = append(regions, r)
	}
	return regions[0], regions[1], NewBackup(g)
}

// placed returns an access of lanes to size bytes from off on in r, a stride apart.
func placed(t testing.TB, r *Region, off, stride, size uint64, m lanes.Mask) *lanes.Access {
	t.Helper()
	var addr [lanes.Width]uint64
	for lane := range addr {
		addr[lane] = r.Base + off + uint64(lane)*stride
	}
	a := &lanes.Access{Base: r.Base, Region: r.Number, Space: uint8(r.Space)}
	if !Locate(a, r.Data, r.Base, &addr, 0, size, m) {
		t.Fatalf("%d bytes from %d on, %d apart, are not in the region", size, off, stride)
	}
	return a
}

// words returns the marked words of a region.
func (t *marks) words() map[uint64]bool {
	found := make(map[uint64]bool)
	for _, page := range t.used {
		for w := range uint64(pageWords) {
			if t.pages[page][w] != 0 {
				found[uint64(page)*pageWords+w] = true
			}
		}
	}
	return found
}

// TestFootprintMatchesWordsOfLanes compares the words in a footprint of random accesses with those found lane by lane.
func TestFootprintMatchesWordsOfLanes(t *testing.T) {
	const size = 3*PageBytes + 8
	rng := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		r, _, backup := buffers(t, size)
		f := NewFootprint(backup)
		want := make(map[uint64]bool)
		for range 1 + rng.IntN(3) {
			width := uint64(1) << rng.IntN(6)
			stride := width * []uint64{0, 1, 1, 1, 2, 5}[rng.IntN(6)]
			span := 31*stride + width
			off := rng.Uint64N(size-span+1) &^ (width - 1)
			m := lanes.Mask(rng.Uint32())
			switch rng.IntN(5) {
			case 0, 1:
				m = lanes.AllLanes
			case 2:
				m = 0xffff << (16 * rng.IntN(2))
			case 3:
				m = 1 << rng.IntN(32)
			}
			f.Write(placed(t, r, off, stride, width, m), m)
			f.carry()
			for lane := range uint64(lanes.Width) {
				for i := range width {
					if m>>lane&1 != 0 {
						want[(off+lane*stride+i)/wordBytes] = true
					}
				}
			}
		}
		got := f.regions[r.Number].written.words()
		if len(got) != len(want) {
			t.Fatalf("%d words are marked, want %d", len(got), len(want))
		}
		for w := range want {
			if !got[w] {
				t.Fatalf("word %d is not marked", w)
			}
		}
	}
}

// TestWritesMakeFootprintsConflict: two footprints conflict if one writes what the other accesses.
func TestWritesMakeFootprintsConflict(t *testing.T) {
	const row = 32 * wordBytes
	type access struct {
		write bool
		first uint64 // row
	}
	for _, c := range []struct {
		name string
		f, g []access
		note bool // what is read
		want Conflict
	}{
		{"nothing", nil, nil, false, Disjoint},
		{"both read", []access{{false, 0}}, []access{{false, 0}}, false, Disjoint},
		{"both read, noted", []access{{false, 0}}, []access{{false, 0}}, true, Disjoint},
		{"both write one row", []access{{true, 20}}, []access{{true, 3}, {true, 20}}, false, Common},
		{"both write", []access{{true, 0}}, []access{{true, 1}}, false, Disjoint},
		{"one reads, the other writes", []access{{false, 0}}, []access{{true, 1}}, false, Unknown},
		{"one writes, the other reads", []access{{true, 0}}, []access{{false, 1}}, false, Unknown},
		{"one reads another row", []access{{false, 0}}, []access{{true, 1}}, true, Disjoint},
		{"one writes another row", []access{{true, 0}}, []access{{false, 1}}, true, Disjoint},
		{"one reads that row", []access{{false, 40}, {false, 2}}, []access{{true, 2}}, true, Common},
		{"one writes that row", []access{{true, 2}, {true, 40}}, []access{{false, 2}}, true, Common},
		{"each reads what it writes", []access{{false, 0}, {true, 0}}, []access{{true, 1}, {false, 1}}, true, Disjoint},
	} {
		_, r, backup := buffers(t, 64*row)
		if c.note {
			backup.NoteReads(r.Number)
		}
		f, g := NewFootprint(backup), NewFootprint(backup)
		for of, accesses := range map[*Footprint][]access{f: c.f, g: c.g} {
			for _, a := range accesses {
				if at := placed(t, r, a.first*row, wordBytes, wordBytes, lanes.AllLanes); a.write {
					of.Write(at, lanes.AllLanes)
				} else {
					of.Read(at, lanes.AllLanes)
				}
			}
		}
		sum := NewFootprint(backup)
		for name, add := range map[string]func(*Footprint){"added": sum.Add, "joined": sum.Join} {
			add(f)
			if got := sum.Meets(g); got != c.want || got == Unknown && sum.Mixed != r.Number {
				t.Errorf("%s, %s: %d, want %d", c.name, name, got, c.want)
			}
			add(g)
			if !c.note && c.want == Unknown {
				sum.Clear()
				continue
			}
			for _, of := range []*Footprint{f, g} {
				writes := of.regions[r.Number].written.some()
				if got := sum.Meets(of); writes && got != Common {
					t.Errorf("%s, %s: what was written in sum and parts: %d", c.name, name, got)
				}
			}
			sum.Clear()
			if sum.Meets(f) != Disjoint || sum.Touches(r.Number) {
				t.Errorf("%s, %s: an empty footprint conflicts", c.name, name)
			}
		}
	}
}

// TestFootprintAdmitsUnknownReads: a footprint reports that it does not know which words are read.
func TestFootprintAdmitsUnknownReads(t *testing.T) {
	for _, order := range [][2]bool{{false, true}, {true, false}} {
		for _, noted := range []bool{false, true} {
			a, b, backup := buffers(t, 4096)
			if noted {
				backup.NoteReads(b.Number)
			}
			f := NewFootprint(backup)
			f.Read(placed(t, a, 0, 4, 4, lanes.AllLanes), lanes.AllLanes)
			for _, write := range order {
				if at := placed(t, b, 0, 4, 4, lanes.AllLanes); write {
					f.Write(at, lanes.AllLanes)
				} else {
					f.Read(at, lanes.AllLanes)
				}
			}
			want := b.Number
			if noted {
				want = -1
			}
			if f.Mixed != want {
				t.Errorf("region %d is mixed, want %d", f.Mixed, want)
			}
		}
	}
}

// TestBackupRestoresContents: old contents are restored, whichever footprint recorded the writes.
func TestBackupRestoresContents(t *testing.T) {
	const size = 5*PageBytes + 12
	rng := rand.New(rand.NewPCG(3, 4))
	r, other, backup := buffers(t, size)
	clear(r.Data[PageBytes : 3*PageBytes])
	was, otherWas := bytes.Clone(r.Data), bytes.Clone(other.Data)
	fs := []*Footprint{NewFootprint(backup), NewFootprint(backup)}
	for range 200 {
		off := rng.Uint64N(size-127) &^ 3
		a := placed(t, r, off, 4, 4, lanes.AllLanes)
		fs[rng.IntN(2)].Write(a, lanes.AllLanes)
		for i := range 128 {
			r.Data[off+uint64(i)] = byte(rng.Uint32())
		}
	}
	if bytes.Equal(r.Data, was) {
		t.Fatal("nothing was written")
	}
	backup.Restore()
	if !bytes.Equal(r.Data, was) || !bytes.Equal(other.Data, otherWas) {
		t.Error("memory is not what it was")
	}
	fs[0].Clear()
	r.Data[200] ^= 1
	held := bytes.Clone(r.Data)
	backup.Forget()
	for off := uint64(0); off < PageBytes*3; off += 128 {
		fs[0].Write(placed(t, r, off, 4, 4, lanes.AllLanes), lanes.AllLanes)
		r.Data[off]++
	}
	backup.Restore()
	if !bytes.Equal(r.Data, held) {
		t.Error("memory is not what it was when the backup forgot what it had been")
	}
	before := backup.budget.Taken()
	if backup.Close(); backup.budget.Taken() >= before {
		t.Error("nothing was taken of the budget, or nothing given back")
	}
}

// TestBackupReportsExceededBudget: a backup continues beyond the budget, and reports that it has taken too much.
func TestBackupReportsExceededBudget(t *testing.T) {
	b := NewBudget(3 << 20)
	g := NewGlobal(64, b)
	r, err := g.Alloc("a", isa.Global, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	backup := NewBackup(g)
	f := NewFootprint(backup)
	for off := uint64(0); off < 1<<20; off += 128 {
		f.Write(placed(t, r, off, 4, 4, lanes.AllLanes), lanes.AllLanes)
	}
	if backup.Short() {
		t.Error("a budget for memory twice does not suffice")
	}
	if err := b.Take("all else", b.Left()); err != nil {
		t.Fatal(err)
	}
	backup = NewBackup(g)
	NewFootprint(backup).Write(placed(t, r, 0, 4, 4, lanes.AllLanes), lanes.AllLanes)
	if !backup.Short() {
		t.Error("nothing is left of the budget, and that is not found")
	}
}
