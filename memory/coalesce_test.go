package memory

import (
	"math/rand/v2"
	"testing"

	"github.com/simtrun/simtrun/internal/lanes"
)

// at returns an access with the lanes' places from f.
func at(f func(lane uint64) uint64) *lanes.Access {
	a := &lanes.Access{}
	for i := range a.Off {
		a.Off[i] = f(uint64(i))
	}
	return a
}

// located returns the same access as found by Locate, strided if possible.
func located(t testing.TB, a *lanes.Access, m lanes.Mask, size int) *lanes.Access {
	t.Helper()
	var got lanes.Access
	if !Locate(&got, make([]byte, 1<<20), 0, &a.Off, 0, uint64(size), m) {
		t.Fatalf("size %d mask %08x: %v is no access", size, uint32(m), a.Off)
	}
	return &got
}

// TestStridedSectorsMatchRules has the counts of sectors and lines per request that
// Nsight Compute's rules give: 32 lanes of 4 bytes, stride elements apart.
func TestStridedSectorsMatchRules(t *testing.T) {
	for _, c := range []struct {
		stride         uint64
		sectors, lines int
	}{
		{0, 1, 1}, {1, 4, 1}, {2, 8, 2}, {3, 12, 3}, {4, 16, 4}, {5, 20, 5}, {6, 24, 6}, {7, 28, 7},
		{8, 32, 8}, {16, 32, 16}, {32, 32, 32},
	} {
		a := at(func(lane uint64) uint64 { return 4 * c.stride * lane })
		for _, a := range []*lanes.Access{a, located(t, a, lanes.AllLanes, 4)} {
			if sectors, lines := Sectors(a, lanes.AllLanes, 4); sectors != c.sectors || lines != c.lines {
				t.Errorf("stride %d: %d sectors, %d lines; want %d, %d", c.stride, sectors, lines, c.sectors, c.lines)
			}
		}
	}
}

// TestRowSectorsDependOnOffset tests contiguous lanes, from an offset.
func TestRowSectorsDependOnOffset(t *testing.T) {
	for _, c := range []struct {
		size           int
		offset         uint64
		m              lanes.Mask
		sectors, lines int
	}{
		{8, 0, lanes.AllLanes, 8, 2}, {16, 0, lanes.AllLanes, 16, 4}, {32, 0, lanes.AllLanes, 32, 8},
		{4, 4, lanes.AllLanes, 5, 2}, {4, 16, lanes.AllLanes, 5, 2}, {4, 32, lanes.AllLanes, 4, 2},
		{4, 64, lanes.AllLanes, 4, 2}, {4, 124, lanes.AllLanes, 5, 2},
		{1, 0, lanes.AllLanes, 1, 1}, {2, 0, lanes.AllLanes, 2, 1},
		{4, 0, 0x000000ff, 1, 1}, {4, 4, 0x000000ff, 2, 1}, {4, 0, 0x80000001, 2, 1}, {4, 0, 0x11111111, 4, 1},
	} {
		a := at(func(lane uint64) uint64 { return c.offset + uint64(c.size)*lane })
		for _, a := range []*lanes.Access{a, located(t, a, c.m, c.size)} {
			if sectors, lines := Sectors(a, c.m, c.size); sectors != c.sectors || lines != c.lines {
				t.Errorf("%d bytes at %d, mask %08x: %d sectors, %d lines; want %d, %d", c.size, c.offset, uint32(c.m), sectors, lines, c.sectors, c.lines)
			}
		}
	}
}

// TestLocalSectorsMatchHandCount has counts by hand. A word that all lanes access at the same place of their parts is
// one line; 16 bytes are 4 words; if each lane accesses a different word, every lane is a line; two alternating words
// share no line.
func TestLocalSectorsMatchHandCount(t *testing.T) {
	const perLane = 256
	for _, c := range []struct {
		size           int
		m              lanes.Mask
		in             func(lane uint64) uint64 // the lane's own part
		sectors, lines int
	}{
		{4, lanes.AllLanes, func(uint64) uint64 { return 12 }, 4, 1},
		{1, lanes.AllLanes, func(uint64) uint64 { return 13 }, 4, 1},
		{8, lanes.AllLanes, func(uint64) uint64 { return 8 }, 8, 2},
		{16, lanes.AllLanes, func(uint64) uint64 { return 16 }, 16, 4},
		{4, 0x000000ff, func(uint64) uint64 { return 0 }, 1, 1},
		{4, 0x00ff0001, func(uint64) uint64 { return 0 }, 2, 1},
		{4, lanes.AllLanes, func(lane uint64) uint64 { return 4 * lane }, 32, 32},
		{4, lanes.AllLanes, func(lane uint64) uint64 { return lane % 2 * 4 }, 8, 2},
		{4, lanes.AllLanes, func(lane uint64) uint64 { return lane / 16 * 4 }, 4, 2},
		{1, lanes.AllLanes, func(lane uint64) uint64 { return lane % 4 }, 4, 1},
	} {
		a := at(func(lane uint64) uint64 { return lane*perLane + c.in(lane) })
		a.Mem = make([]byte, perLane*lanes.Width)
		if sectors, lines := LocalSectors(a, c.m, c.size); sectors != c.sectors || lines != c.lines {
			t.Errorf("size %d mask %08x: %d sectors, %d lines; want %d, %d", c.size, uint32(c.m), sectors, lines, c.sectors, c.lines)
		}
	}
}

// requests calls f with accesses in the patterns of kernels, as found by Locate, and others.
func requests(t *testing.T, f func(a *lanes.Access, m lanes.Mask, size int)) {
	r := rand.New(rand.NewPCG(7, 8))
	data := make([]byte, 1<<16)
	for range 8000 {
		size := 1 << r.IntN(6)
		var addr [lanes.Width]uint64
		start, width := r.IntN(100), 1<<r.IntN(6)
		step, rows := []int{0, 1, 1, 2, 3, 8, 33}[r.IntN(7)], []int{0, 1, 16, 32, 33, 70}[r.IntN(6)]
		reach := []int{2, 40, 1000}[r.IntN(3)]
		pattern := r.IntN(4)
		for i := range addr {
			switch pattern {
			case 0:
				addr[i] = uint64(size * r.IntN(reach))
			case 1:
				addr[i] = uint64(size * (start + i ^ r.IntN(2)))
			default:
				addr[i] = uint64(size * (start + i%width*step + i/width*rows))
			}
			addr[i] %= uint64(len(data))
		}
		m := []lanes.Mask{lanes.AllLanes, lanes.AllLanes, 0xffff, lanes.AllLanes << r.IntN(32), lanes.Mask(r.Uint32()) | 1}[r.IntN(5)]
		var a lanes.Access
		if !Locate(&a, data, 0, &addr, 0, uint64(size), m) {
			t.Fatalf("size %d mask %08x: %v is no access", size, uint32(m), addr)
		}
		f(&a, m, size)
	}
}

// TestSectorsMatchDefinition compares with sets of the accessed bytes.
func TestSectorsMatchDefinition(t *testing.T) {
	requests(t, func(a *lanes.Access, m lanes.Mask, size int) {
		sectors, lines := make(map[uint64]bool), make(map[uint64]bool)
		for i := range lanes.Width {
			for b := range uint64(size) {
				if m>>i&1 != 0 {
					sectors[(a.At(i)+b)/32], lines[(a.At(i)+b)/128] = true, true
				}
			}
		}
		if s, l := Sectors(a, m, size); s != len(sectors) || l != len(lines) {
			t.Fatalf("size %d mask %08x strided %v %v: %d sectors, %d lines; want %d, %d", size, uint32(m), a.Strided, a.Off, s, l, len(sectors), len(lines))
		}
	})
}

// TestLocalSectorsMatchDefinition moves each lane's bytes to their places in the hardware.
func TestLocalSectorsMatchDefinition(t *testing.T) {
	const perLane = 1 << 16
	data := make([]byte, perLane*lanes.Width)
	requests(t, func(a *lanes.Access, m lanes.Mask, size int) {
		local := at(func(lane uint64) uint64 { return lane*perLane + a.At(int(lane)) })
		local.Mem = data
		sectors, lines := make(map[uint64]bool), make(map[uint64]bool)
		for i := range lanes.Width {
			for b := range uint64(size) {
				if m>>i&1 != 0 {
					own := a.At(i) + b
					place := own/4*128 + uint64(i)*4 + own%4
					sectors[place/32], lines[place/128] = true, true
				}
			}
		}
		if s, l := LocalSectors(local, m, size); s != len(sectors) || l != len(lines) {
			t.Fatalf("size %d mask %08x %v: %d sectors, %d lines; want %d, %d", size, uint32(m), a.Off, s, l, len(sectors), len(lines))
		}
	})
}

func TestIdealSectorsCoverBytes(t *testing.T) {
	for _, c := range [][3]int{{32, 4, 4}, {32, 8, 8}, {32, 16, 16}, {32, 1, 1}, {1, 4, 1}, {9, 4, 2}} {
		if got := IdealSectors(c[0], c[1]); got != c[2] {
			t.Errorf("%d lanes of %d bytes: %d, want %d", c[0], c[1], got, c[2])
		}
	}
}
