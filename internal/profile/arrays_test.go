package profile_test

import (
	"fmt"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"testing"
)

// TestConflictsBelongToArrays stores a column of one array, with 32 words a row, and a row of another one.
func TestConflictsBelongToArrays(t *testing.T) {
	p := kernel{src: kerneltest.Source(t, "testdata/kernels/arrays.txt", "conflicts belong to arrays")}.profile(t)
	got := ""
	for _, a := range p.Arrays {
		got += fmt.Sprintf("%s %d requests %d/%d worst %d\n", a.Name, a.Requests, a.Wavefronts, a.IdealWavefronts, a.WorstConflict)
	}
	if want := "column 1 requests 32/1 worst 32\nrow 2 requests 2/2 worst 1\n"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
