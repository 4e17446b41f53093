package memory

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
)

func alloc(t *testing.T, g *Global, name string, size int64) *Region {
	t.Helper()
	r, err := g.Alloc(name, isa.Global, size)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRegionsLieApart(t *testing.T) {
	g := NewGlobal(64, NewBudget(0))
	a, b, c := alloc(t, g, "a", 100), alloc(t, g, "b", 0), alloc(t, g, "c", 4)
	for _, r := range []*Region{a, b, c} {
		if r.Base%256 != 0 || r.Base < isa.GlobalBase {
			t.Errorf("%s lies at %#x", r.Name, r.Base)
		}
	}
	if b.Base-a.End() < 1<<20 || c.Base-b.End() < 1<<20 {
		t.Errorf("no gaps between %#x, %#x and %#x", a.Base, b.Base, c.Base)
	}
	for _, q := range []struct {
		addr uint64
		want *Region
	}{
		{0, nil}, {a.Base - 1, a}, {a.Base, a}, {a.Base + 99, a}, {a.Base + 100, a},
		{b.Base - 8, b}, {b.Base, b}, {b.Base + 8, b}, {c.Base - 1, c}, {c.Base + 3, c}, {c.Base + 400, c}, {^uint64(0), nil},
	} {
		if got := g.Nearest(q.addr); got != q.want {
			t.Errorf("Nearest(%#x) = %v", q.addr, got)
		}
	}
	g.Free(b)
	if got := g.Nearest(b.Base); got == b {
		t.Error("a region that was freed is still there")
	}
	for _, size := range []int64{-1, 1 << 41} {
		if _, err := g.Alloc("x", isa.Global, size); err == nil {
			t.Errorf("%d bytes were allocated", size)
		}
	}
}

// TestRegionsAreAligned: regions are aligned as requested, and separate from each other and from adopted memory.
func TestRegionsAreAligned(t *testing.T) {
	g := NewGlobal(64, NewBudget(0))
	if _, err := g.Adopt("adopted", isa.GlobalBase+3<<20, make([]byte, 96)); err != nil {
		t.Fatal(err)
	}
	var end uint64
	for i, align := range []uint64{256, 4096, 512, 1 << 20, 512} {
		r, err := g.AllocAligned("r", isa.Global, int64(i*700), align)
		if err != nil {
			t.Fatal(err)
		}
		if r.Base%align != 0 || r.Base < end || g.At(isa.GlobalBase+3<<20).Name != "adopted" {
			t.Errorf("%#x, aligned to %d, after %#x", r.Base, align, end)
		}
		end = r.End() + 1<<20
	}
	for _, align := range []uint64{0, 128, 768} {
		if _, err := g.AllocAligned("r", isa.Global, 4, align); err == nil {
			t.Errorf("aligned to %d", align)
		}
	}
}

// TestConstantsLieIn32Bits: constants stay within 32 bits and are not placed between buffers, and memory of 32-bit
// addresses ends at 4 GiB.
func TestConstantsLieIn32Bits(t *testing.T) {
	g := NewGlobal(64, NewBudget(0))
	a := alloc(t, g, "a", 4096)
	c, err := g.Alloc("c", isa.Const, 100)
	if err != nil {
		t.Fatal(err)
	}
	b := alloc(t, g, "b", 4096)
	if c.Base < isa.ConstBase || c.End() > isa.GlobalBase32 || !c.ReadOnly {
		t.Errorf("the constant lies at %#x", c.Base)
	}
	if a.Base>>32 != 1 || b.Base>>32 != 1 {
		t.Errorf("buffers lie at %#x and %#x", a.Base, b.Base)
	}
	for addr, want := range map[uint64]*Region{a.Base: a, a.End(): nil, b.End() - 1: b, c.Base + 99: c, c.Base - 1: nil, 0: nil} {
		if got := g.At(addr); got != want {
			t.Errorf("At(%#x) = %v", addr, got)
		}
	}
	for addr, want := range map[uint64]*Region{a.Base: nil, a.Base & 0xffffffff: a, (b.End() - 1) & 0xffffffff: b, b.End() & 0xffffffff: nil} {
		if got := g.Truncated(addr); got != want {
			t.Errorf("Truncated(%#x) = %v", addr, got)
		}
	}
	if _, err := g.Alloc("c", isa.Const, 1<<27); err == nil {
		t.Error("128 MiB of constants beside another were allocated")
	}
	narrow := NewGlobal(32, NewBudget(0))
	if _, err := narrow.Alloc("a", isa.Global, 1<<32-isa.GlobalBase32+1); err == nil {
		t.Error("a buffer ends above 4 GiB")
	}
	alloc(t, narrow, "a", 1<<20)
	for addr := uint64(0); addr < 1<<32; addr += 1 << 28 {
		if r := narrow.Truncated(addr); r != nil {
			t.Errorf("Truncated(%#x) = %v, though addresses have 32 bits", addr, r)
		}
	}
}

// TestAllocationsAvoidAdoptedMemory checks where memory can be adopted, that allocations avoid it, and that it is not
// counted.
func TestAllocationsAvoidAdoptedMemory(t *testing.T) {
	budget := NewBudget(1 << 30)
	g := NewGlobal(64, budget)
	a := alloc(t, g, "a", 1<<20)
	taken := budget.Taken()
	bytes := make([]byte, 8<<20)
	at := a.End() + 4<<20 // where some allocation would lie
	r, err := g.Adopt("host", at, bytes)
	if err != nil {
		t.Fatal(err)
	}
	if r.Base != at || g.At(at+100) != r || &r.Data[0] != &bytes[0] {
		t.Errorf("adopted at %#x, found %v", r.Base, g.At(at+100))
	}
	for i := range 4 { // the first lies before it; the second has no room for its gap
		b := alloc(t, g, "b", 1<<20)
		if b.Base%256 != 0 || b.Base < r.End()+1<<20 && b.End()+1<<20 > r.Base {
			t.Errorf("allocation %d lies at %#x to %#x; %#x to %#x is adopted", i, b.Base, b.End(), r.Base, r.End())
		}
		if i < 1 != (b.Base < r.Base) {
			t.Errorf("allocation %d lies at %#x", i, b.Base)
		}
	}
	if got := budget.Taken() - taken; got < 4<<20 || got > 5<<20 {
		t.Errorf("%d bytes of the budget were taken for 4 MiB", got)
	}
	next, err := g.Adopt("next", r.End(), bytes[:32])
	if err != nil || g.At(r.End()) != next || g.At(r.End()-1) != r {
		t.Errorf("behind another: %v", err)
	}
	for _, base := range []uint64{1 << 16, 0x404040, isa.SharedWindow - 64} {
		if low, err := g.Adopt("low", base, bytes[:64]); err != nil || g.At(base) != low || g.At(base+63) != low || g.At(base-1) != nil {
			t.Errorf("at 0x%x: %v", base, err)
		}
	}
	for name, c := range map[string]struct {
		addr uint64
		n    int
		want string
	}{
		"overlap at the start":       {at - 32, 64, "bad: 0x1104fffe0 to 0x110500020 overlaps host, 0x110500000 to 0x110d00000"},
		"overlap at the end":         {next.Base, 64, "overlaps next"},
		"within":                     {at + 64, 32, "overlaps host"},
		"around":                     {a.Base - 32, 2 << 20, "overlaps a"},
		"not aligned":                {1<<40 + 8, 64, "0x10000000008 is not a multiple of 16"},
		"in a window":                {isa.SharedWindow, 64, "0x1000000 to 0x1000040 is not within the memory for it, 0x10000000 to 0x1000000000000"},
		"up to the windows":          {isa.SharedWindow - 32, 64, "0xffffe0 to 0x1000020 is not within the memory for it, 0x10000 to 0x1000000"},
		"near null":                  {1<<16 - 32, 64, "0xffe0 to 0x10020 is not within the memory for it"},
		"beyond the addresses":       {1<<48 - 32, 64, "is not within the memory for it"},
		"at the end of all integers": {^uint64(0) - 31, 64, "is not within the memory for it"},
		"nothing":                    {1 << 40, 0, "no bytes to adopt"},
	} {
		if _, err := g.Adopt("bad", c.addr, bytes[:c.n]); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	taken = budget.Taken()
	g.Free(r)
	if name, ok := g.Freed(at + 5); name != "host" || !ok || g.At(at) != nil || taken-budget.Taken() > 1<<10 {
		t.Errorf("after Free: %q %v, %d given back", name, ok, taken-budget.Taken())
	}
	if _, ok := g.Freed(at - 1); ok {
		t.Error("what was never there was freed")
	}
}

// TestFreedConstantsAreReused: addresses of freed constants are reused when there are no others, because many modules
// may be loaded and unloaded.
func TestFreedConstantsAreReused(t *testing.T) {
	g := NewGlobal(64, NewBudget(0))
	held, err := g.Alloc("held", isa.Const, 64<<10)
	if err != nil {
		t.Fatal(err)
	}
	lowest := uint64(1) << 32
	for i := range 5000 { // of 64 KiB: 320 MiB, where there are 128
		r, err := g.Alloc("c", isa.Const, 64<<10)
		if err != nil {
			t.Fatalf("constant %d: %v", i, err)
		}
		if r.Base < held.End() && held.Base < r.End() || r.End() > isa.GlobalBase32 || r.Base < isa.ConstBase {
			t.Fatalf("constant %d lies at %#x, another at %#x", i, r.Base, held.Base)
		}
		if i > 3000 {
			lowest = min(lowest, r.Base)
		}
		g.Free(r)
	}
	if lowest > isa.ConstBase+1<<20 {
		t.Errorf("the lowest was %#x", lowest)
	}
}

// addresses returns those of a warp, in the patterns of kernels.
func addresses(r *rand.Rand, base, size uint64) (a [lanes.Width]uint64) {
	start := base + uint64(r.IntN(40))*size - 4*size
	stride := []uint64{0, size, size, 2 * size, 1}[r.IntN(5)]
	width := []int{32, 32, 16, 8}[r.IntN(4)]
	row := []uint64{0, 64, 256}[r.IntN(3)]
	for i := range a {
		a[i] = start + uint64(i%width)*stride + uint64(i/width)*row
		switch r.IntN(200) {
		case 0:
			a[i] = r.Uint64() >> r.IntN(64)
		case 1:
			a[i] ^= 16
		}
	}
	return a
}

// TestLocateMatchesDefinition compares with the definition for each lane separately.
func TestLocateMatchesDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	data := make([]byte, 512)
	good, strided := 0, 0
	for range 200000 {
		size := uint64(1) << r.IntN(6)
		base := []uint64{0, isa.GlobalBase, isa.GlobalBase + 16}[r.IntN(3)]
		addr := addresses(r, base, size)
		disp := []uint64{0, 0, 4, ^uint64(3)}[r.IntN(4)]
		m := []lanes.Mask{lanes.AllLanes, 0x0000ffff, 1 << 31, lanes.Mask(r.Uint32())}[r.IntN(4)]
		if m == 0 {
			continue
		}
		want := true
		for i, x := range addr {
			off := x + disp - base
			if m>>i&1 != 0 && (off > uint64(len(data)) || uint64(len(data))-off < size || (x+disp)%size != 0) {
				want = false
			}
		}
		var a lanes.Access
		if got := Locate(&a, data, base, &addr, disp, size, m); got != want {
			t.Fatalf("size %d base %#x disp %#x mask %08x %#x: got %v", size, base, disp, uint32(m), addr, got)
		}
		if !want {
			continue
		}
		good++
		if a.Strided {
			strided++
		}
		for i, x := range addr {
			if m>>i&1 != 0 && place(&a, i) != x+disp-base {
				t.Fatalf("lane %d of %08x is at %d, want %d (runs %v)", i, uint32(m), place(&a, i), x+disp-base, a.Strided)
			}
			if p := place(&a, i); a.Strided && p+size > uint64(len(data)) {
				t.Fatalf("inactive lane %d of a run is outside, at %d", i, p)
			}
		}
	}
	if good < 10000 || strided < 5000 {
		t.Errorf("only %d accesses were legal and %d strided", good, strided)
	}
}

// place returns the place of lane i in a.
func place(a *lanes.Access, i int) uint64 {
	if a.Strided {
		return a.Off[i&16] + uint64(i%16)*a.Stride[i/16]
	}
	return a.Off[i]
}

func TestLocateNarrowAddresses(t *testing.T) {
	var a lanes.Access
	var addr [lanes.Width]uint32
	for i := range addr {
		addr[i] = uint32(4 + 4*i)
	}
	if !Locate(&a, make([]byte, 128), 0, &addr, ^uint64(3), 4, lanes.AllLanes) || a.Off[0] != 0 {
		t.Error("a negative displacement does not work on 32-bit addresses")
	}
	for i := range addr {
		addr[i] = uint32(4*i) - 8
	}
	if !Locate(&a, make([]byte, 128), 0, &addr, 8, 4, lanes.AllLanes) || a.Off[0] != 0 {
		t.Error("32-bit addresses do not wrap")
	}
	for i := range addr {
		addr[i] = uint32(4 + 4*i)
	}
	if Locate(&a, make([]byte, 127), 0, &addr, ^uint64(3), 4, lanes.AllLanes) {
		t.Error("the last lane is outside")
	}
	if Locate(&a, nil, 0, &addr, 0, 4, lanes.AllLanes) {
		t.Error("nothing is inside of nothing")
	}
}

func TestLocateLocalChecksEveryLane(t *testing.T) {
	var a lanes.Access
	var addr [lanes.Width]uint32
	data := make([]byte, 32*lanes.Width)
	for i := range addr {
		addr[i] = uint32(i%4) * 8
	}
	if !LocateLocal(&a, data, 32, &addr, 0, 8, lanes.AllLanes) {
		t.Fatal("all lanes are inside")
	}
	for i := range addr {
		if want := uint64(i*32 + i%4*8); a.Off[i] != want {
			t.Errorf("lane %d is at %d, want %d", i, a.Off[i], want)
		}
	}
	if LocateLocal(&a, data, 32, &addr, 8, 8, lanes.AllLanes) {
		t.Error("lane 3 reaches into the memory of lane 4")
	}
	if !LocateLocal(&a, data, 32, &addr, 8, 8, 0x77777777) {
		t.Error("an inactive lane counts")
	}
	if LocateLocal(&a, data, 32, &addr, 4, 8, 1) {
		t.Error("a misaligned access passes")
	}
}

func TestIndexNeedsAlignedAddress(t *testing.T) {
	y := &Region{Name: "y", Space: isa.Global, Base: 0x1000, Data: make([]byte, 16)}
	for _, c := range []struct {
		addr         uint64
		size         int
		index, count uint64
		ok           bool
	}{
		{0x1014, 4, 5, 4, true}, {0x1010, 8, 2, 2, true}, {0x1014, 8, 0, 0, false}, {0xffc, 4, 0, 0, false},
	} {
		e := &AccessError{Err: ErrBounds, Addr: c.addr, Size: c.size, Region: y}
		if i, n, ok := e.Index(); i != c.index || n != c.count || ok != c.ok {
			t.Errorf("%d bytes at %#x: element %d of %d, %v; want %d of %d, %v", c.size, c.addr, i, n, ok, c.index, c.count, c.ok)
		}
	}
}

func TestAccessErrorsNamePlace(t *testing.T) {
	y := &Region{Name: "y", Space: isa.Global, Base: 0x1000, Data: make([]byte, 16)}
	for _, c := range []struct {
		err  AccessError
		want []string
	}{
		{AccessError{Err: ErrBounds, What: "store", Space: isa.Global, Addr: 0x1014, Size: 4, Region: y},
			[]string{"store past the end of y [mem-oob] global 0x1014", "y: 16 bytes at 0x1000..0x100f; the access starts 4 bytes past the end"}},
		{AccessError{Err: ErrBounds, What: "load", Space: isa.Global, Addr: 0x100c, Size: 8, Region: y},
			[]string{"load past the end of y [mem-oob] global 0x100c", "the access ends 4 bytes past the end"}},
		{AccessError{Err: ErrBounds, What: "load", Space: isa.Global, Addr: 0, Size: 8},
			[]string{"load outside of every buffer [mem-oob] global 0x0", ""}},
		{AccessError{Err: ErrMisaligned, What: "load", Space: isa.Shared, Addr: 2, Size: 4, Region: y},
			[]string{"misaligned load: shared 0x2 is not a multiple of 4 bytes [mem-misaligned]", "y: 16 bytes"}},
		{AccessError{Err: ErrReadOnly, What: "atomic", Space: isa.Generic, Addr: 0x1000, Size: 4, Region: y},
			[]string{"atomic to y, which is read-only [mem-readonly]", "y: 16 bytes"}},
	} {
		if !errors.Is(&c.err, c.err.Err) {
			t.Errorf("%v is not %v", &c.err, c.err.Err)
		}
		if got := c.err.Error(); !strings.Contains(got, c.want[0]) {
			t.Errorf("got %q, want %q", got, c.want[0])
		}
		if got := c.err.Detail(); !strings.Contains(got, c.want[1]) {
			t.Errorf("got %q, want %q", got, c.want[1])
		}
	}
}
