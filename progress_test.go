package simtrun_test

import (
	"testing"

	"github.com/simtrun/simtrun"
)

// TestProgressAgreesWithItsCount checks that the noun agrees with the number of blocks of the launch.
func TestProgressAgreesWithItsCount(t *testing.T) {
	for want, p := range map[string]simtrun.Progress{
		"0 of 1 block done":      {Done: 0, Total: 1},
		"17 of 528 blocks done":  {Done: 17, Total: 528},
		"1 of 2 blocks done":     {Done: 1, Total: 2},
		"0 of 0 blocks done":     {},
		"528 of 528 blocks done": {Done: 528, Total: 528},
	} {
		if got := p.String(); got != want {
			t.Errorf("%+v is %q, want %q", p, got, want)
		}
	}
}
