package gpu

import "testing"

// TestResidents has what limits the CTAs of an SM in turn: how many there may
// be, their warps, their shared memory with the system's 1 KB for each.
func TestResidents(t *testing.T) {
	h := H100()
	for _, c := range []struct {
		warps  int
		shared int64
		perSM  int
	}{
		{1, 0, 32},
		{2, 0, 32},
		{3, 0, 21},
		{8, 0, 8},
		{32, 0, 2},
		{1, 6 << 10, 32}, // 7 KB of 228 each: 32.6
		{1, 7 << 10, 28}, // 8 KB: 28.5
		{8, 113 << 10, 2},
		{8, 114 << 10, 1},
		{12, h.Residency.SharedOptIn, 1}, // 227 KB and 1
	} {
		if got, want := h.Residents(c.warps, c.shared), 132*c.perSM; got != want {
			t.Errorf("of %d warps and %d bytes %d reside, want %d", c.warps, c.shared, got, want)
		}
	}
	if got, want := preset(t, "v100").Residents(1, 0), 80*32; got != want { // nothing is reserved
		t.Errorf("on a V100 %d reside, want %d", got, want)
	}
}
