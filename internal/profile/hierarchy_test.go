package profile_test

import (
	"encoding/binary"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
)

// TestSecondLoadHitsL1 checks a kernel whose 64 threads each load a word of a buffer of 8 KB, 128 bytes apart, twice:
// the second time from L1. Then 32 of them store adjacent words. A load requests a sector of 32 bytes; device memory
// reads two.
func TestSecondLoadHitsL1(t *testing.T) {
	mod, err := asm.Parse("k.s", []byte(kerneltest.Source(t, "testdata/kernels/hierarchy.txt", "hierarchy")))
	if err != nil {
		t.Fatal(err)
	}
	m, err := interp.New(mod, interp.Config{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.Alloc("out", 8192)
	if err != nil {
		t.Fatal(err)
	}
	p, _ := timed(t, m, interp.Launch{Kernel: "k", Grid: kerneltest.Dim(1, 1), Block: kerneltest.Dim(64, 1), Params: binary.LittleEndian.AppendUint64(nil, r.Base)})
	got := metrics(&p.Total)
	for name, want := range map[string]float64{
		"l1_load_sectors": 128, "l1_load_hit_rate": 50, "l1_load_pending": 0,
		"l2_sectors": 64 + 4, "l2_hit_rate": 100 * 4 / 68., "dram_read": 64 * 64, "dram_written": 0,
	} {
		if got[name] != want {
			t.Errorf("%s is %v, want %v", name, got[name], want)
		}
	}
}
