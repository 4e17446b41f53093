package memory

import (
	"testing"

	"github.com/simtrun/simtrun/internal/isa"
)

// TestHintNamesNarrowIndex: there is a hint if the index of an access, in elements or bytes, may have been computed in
// 32 bits, and only then; another one names the nearest region if there is one within a GiB.
func TestHintNamesNarrowIndex(t *testing.T) {
	base := uint64(0x110000000)
	x := &Region{Name: "x", Space: isa.Global, Base: base, Data: make([]byte, 256)}
	for _, c := range []struct {
		name       string
		addr, size uint64
		want       string
	}{
		{"overflow in elements", base - 4*2147479297, 4, "element -2147479297 of x, which is 2^32 below element 2147487999 (4 bytes each): a 32-bit index has overflowed; compute it in 64 bits"},
		{"least negative index", base - 8<<31, 8, "element -2147483648 of x, which is 2^32 below element 2147483648 (8 bytes each): a 32-bit index has overflowed; compute it in 64 bits"},
		{"2^32 before the region", base + 16 - 4<<32, 4, "element -4294967292 of x, which is 2^32 below element 4 (4 bytes each): a 32-bit index has overflowed; compute it in 64 bits"},
		{"overflow in bytes", base - 2147483000, 4, "element -2147483000 of x, which is 2^32 below element 2147484296 (1 byte each): a 32-bit index has overflowed; compute it in 64 bits"},
		{"overflow in bytes, not at an element", base - 2147483001, 4, "element -2147483001 of x, which is 2^32 below element 2147484295 (1 byte each): a 32-bit index has overflowed; compute it in 64 bits"},
		{"unsigned", base + 4*0xffffffff, 4, "element 4294967295 of x, which is 2^32 above element -1 (4 bytes each): a negative 32-bit index was treated as unsigned; compute it as signed"},
		{"a null pointer", 16, 4, ""},
		{"far away", 0x7fff12345678, 4, ""},
		{"not a number", 0xabababababababab, 4, ""},
		{"some GiB before", base - 4<<28, 4, ""},
		{"some GiB after", base + 4<<30, 4, ""},
		{"some MiB before", base - (8 << 20), 4, "the nearest buffer is x, which starts 8388608 bytes after the address"},
		{"some MiB after", base + 256 + (8 << 20), 4, "the nearest buffer is x, which ends 8388608 bytes before the address"},
	} {
		g := &Global{regions: []*Region{x}, addressBits: 64}
		if got := g.IndexHint(c.addr, c.size); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	y := &Region{Name: "y", Space: isa.Global, Base: base + 0x100000, Data: make([]byte, 256)}
	g := &Global{regions: []*Region{x, y}, addressBits: 64}
	const want = "element -2147000000 of x, which is 2^32 below element 2147967296, or element -2147262144 of y, which is 2^32 below element 2147705152 (4 bytes each)"
	if got := g.IndexHint(base-4*2147000000, 4); len(got) < len(want) || got[:len(want)] != want {
		t.Errorf("of two regions: %q", got)
	}
}

// TestHintHasTheNameInTheSource: a variable near an address is named as in the source.
func TestHintHasTheNameInTheSource(t *testing.T) {
	base := uint64(0x110000000)
	g := &Global{regions: []*Region{{Name: "_ZTV5Shape", Space: isa.Global, Base: base, Data: make([]byte, 256)}}, addressBits: 64}
	const want = "the nearest buffer is vtable for Shape, which ends 8388608 bytes before the address"
	if got := g.IndexHint(base+256+(8<<20), 4); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
