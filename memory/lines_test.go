package memory

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/lanes"
)

// linesOf lists lines of bytes by definition: place returns the place of each byte of each lane.
func linesOf(a *lanes.Access, m lanes.Mask, size int, place func(lane int, b uint64) uint64) (all []LineSectors) {
	for lane := range lanes.Width {
		if m>>lane&1 == 0 {
			continue
		}
		for b := range uint64(size) {
			at := place(lane, a.At(lane)+b)
			i := slices.IndexFunc(all, func(l LineSectors) bool { return l.Line == at/128 })
			if i < 0 {
				i = len(all)
				all = append(all, LineSectors{Line: at / 128})
			}
			all[i].Sectors |= 1 << (at / 32 % 4)
			if b%4 == 0 { // once for a word
				all[i].Lanes++
			}
		}
	}
	return all
}

// total returns how many sectors and lines there are in a list.
func total(all []LineSectors) (sectors, lines int) {
	for _, l := range all {
		for s := l.Sectors; s != 0; s &= s - 1 {
			sectors++
		}
	}
	return sectors, len(all)
}

// TestLinesMatchDefinition: lines of global and local memory, of loads and of atomics, with the counts of Sectors and
// LocalSectors.
func TestLinesMatchDefinition(t *testing.T) {
	already := []LineSectors{{Line: 7, Sectors: 5, Lanes: 3, Words: 2}}
	requests(t, func(a *lanes.Access, m lanes.Mask, size int) {
		a.Base = 0x7000
		want := linesOf(a, m, size, func(_ int, at uint64) uint64 { return a.Base + at })
		for i := range want { // a lane is counted once
			want[i].Lanes = 0
			for lane := range lanes.Width {
				if m>>lane&1 != 0 && (a.Base+a.At(lane))/128 == want[i].Line {
					want[i].Lanes++
				}
			}
		}
		got := AppendLines(slices.Clone(already), a, m, size)
		if diff := cmp.Diff(want, got[1:]); diff != "" || got[0] != already[0] {
			t.Fatalf("size %d mask %08x strided %v %v (-want +got):\n%s", size, uint32(m), a.Strided, a.Off, diff)
		}
		sectors, lines := total(want)
		if s, l := Sectors(a, m, size); s != sectors || l != lines {
			t.Fatalf("size %d mask %08x %v: Sectors says %d and %d, lines are %d and %d", size, uint32(m), a.Off, s, l, sectors, lines)
		}

		for i := range want {
			places := make(map[uint64]bool)
			for lane := range lanes.Width {
				if m>>lane&1 != 0 && (a.Base+a.At(lane))/128 == want[i].Line {
					places[a.At(lane)] = true
				}
			}
			want[i].Words = uint8(len(places))
		}
		got = AppendAtomicLines(slices.Clone(already), a, m, size)
		if diff := cmp.Diff(want, got[1:]); diff != "" || got[0] != already[0] {
			t.Fatalf("atomic of size %d mask %08x strided %v %v (-want +got):\n%s", size, uint32(m), a.Strided, a.Off, diff)
		}
	})
}

// TestLocalLinesMatchDefinition: a word of all lanes is a line, lane by lane.
func TestLocalLinesMatchDefinition(t *testing.T) {
	const perLane, base = 1 << 16, 1000
	data := make([]byte, perLane*lanes.Width)
	requests(t, func(a *lanes.Access, m lanes.Mask, size int) {
		want := linesOf(a, m, size, func(lane int, at uint64) uint64 { return base*128 + at/4*128 + uint64(lane)*4 + at%4 })
		if size < 4 {
			for i := range want { // of a word each lane has one
				want[i].Lanes = 0
				for lane := range lanes.Width {
					if m>>lane&1 != 0 && base+a.At(lane)/4 == want[i].Line {
						want[i].Lanes++
					}
				}
			}
		}
		local := at(func(lane uint64) uint64 { return lane*perLane + a.At(int(lane)) })
		local.Mem = data
		got := AppendLocalLines(nil, local, m, size, base)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("size %d mask %08x %v (-want +got):\n%s", size, uint32(m), a.Off, diff)
		}
		sectors, lines := total(want)
		if s, l := LocalSectors(local, m, size); s != sectors || l != lines {
			t.Fatalf("size %d mask %08x %v: LocalSectors says %d and %d, lines are %d and %d", size, uint32(m), a.Off, s, l, sectors, lines)
		}
	})
}

// TestTagWavefrontsMatchMap counts the lines of each set in a map.
func TestTagWavefrontsMatchMap(t *testing.T) {
	for _, masks := range [][]int64{nil, {1}, {1, 2}, {0x55, 0xaa, 0x3c}, {1, 2, 4, 8}} {
		requests(t, func(a *lanes.Access, m lanes.Mask, size int) {
			lines := AppendLines(nil, a, m, size)
			sets, want := make(map[int]int), 0
			for _, l := range lines {
				set := 0
				for i, mask := range masks {
					for b := l.Line & uint64(mask); b != 0; b &= b - 1 {
						set ^= 1 << i
					}
				}
				sets[set]++
				want = max(want, sets[set])
			}
			if got := TagWavefronts(lines, masks); got != want {
				t.Fatalf("masks %v, lines %v: %d, want %d", masks, lines, got, want)
			}
		})
	}
}

// TestAtomicLanesOfBankTakeTurns: lanes of a phase that access one bank are served in turn, even at one place.
func TestAtomicLanesOfBankTakeTurns(t *testing.T) {
	requests(t, func(a *lanes.Access, m lanes.Mask, size int) {
		if size != 4 && size != 8 {
			return
		}
		want := 0
		for first := 0; first < lanes.Width; first += 128 / size {
			var banks [32]int
			most := 0
			for lane := first; lane < first+128/size; lane++ {
				if m>>lane&1 != 0 {
					bank := a.At(lane) / 4 % 32
					banks[bank]++
					most = max(most, banks[bank])
				}
			}
			want += most
		}
		if got := AtomicWavefronts(a, m, size); got != want {
			t.Fatalf("size %d mask %08x strided %v %v: %d, want %d", size, uint32(m), a.Strided, a.Off, got, want)
		}
	})
}
