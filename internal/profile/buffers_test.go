package profile_test

import (
	"fmt"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"testing"
)

// TestSectorsBelongToBuffers loads a column of x, with 128 bytes a row, and stores a row to y and to a variable.
func TestSectorsBelongToBuffers(t *testing.T) {
	p := kernel{src: kerneltest.Source(t, "testdata/kernels/buffers.txt", "sectors belong to buffers")}.profile(t)
	got := ""
	for _, b := range p.Buffers {
		got += fmt.Sprintf("%s %d requests %d/%d\n", b.Name, b.Requests, b.Sectors, b.IdealSectors)
	}
	if want := "table 2 requests 64/8\nrow 1 requests 4/4\n"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
