package functional_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
)

// TestCommonCodeIsIssuedOnce: independent thread scheduling issues code that lanes can execute together only once,
// whichever lanes run first.
func TestCommonCodeIsIssuedOnce(t *testing.T) {
	for _, c := range kerneltest.Cases(t, "testdata/reconverging.txt", "instructions", "lanes") {
		t.Run(c.Name, func(t *testing.T) {
			want := valuesOfLanes(t, c.Values("lanes"))
			for _, order := range kerneltest.Orders {
				k := kerneltest.Kernel{Source: c.Body, Words: []int{32}, Config: interp.Config{PathOrder: order}}
				stats := k.Want(t, func(lane int) uint32 { return want[lane] })
				if instrs := fmt.Sprint(stats.WarpInstrs); instrs != c.Value(t, "instructions") {
					t.Errorf("%v: %s instructions, want %s", order, instrs, c.Value(t, "instructions"))
				}
			}
		})
	}
}

// valuesOfLanes returns the values of lanes, from texts with a first and a last lane and values that repeat.
func valuesOfLanes(t *testing.T, texts []string) (all [32]uint32) {
	t.Helper()
	lanes := 0
	for _, text := range texts {
		var first, last int
		if _, err := fmt.Sscanf(text, "%d-%d", &first, &last); err != nil {
			t.Fatalf("lanes %s: %v", text, err)
		}
		values := strings.Fields(text)[1:]
		for lane := first; lane <= last; lane++ {
			v, err := strconv.ParseUint(values[(lane-first)%len(values)], 10, 32)
			if err != nil {
				t.Fatal(err)
			}
			all[lane] = uint32(v)
			lanes++
		}
	}
	if lanes != len(all) {
		t.Fatalf("values of %d lanes", lanes)
	}
	return all
}

// TestSidesReconvergeBehindAJump: under all models the sides of an if with an else are issued once each, and so is
// the code after it. For minpc the driver must notify the control state of the jump over the else.
func TestSidesReconvergeBehindAJump(t *testing.T) {
	for _, model := range kerneltest.Models {
		k := kerneltest.Kernel{Words: []int{32}, Config: interp.Config{Divergence: model}, Source: kerneltest.Source(t, "testdata/kernels/reconverge.txt", "sides reconverge behind a jump")}
		stats := k.Want(t, func(i int) uint32 {
			if i < 20 {
				return uint32(i + 2)
			}
			return uint32(i + 1)
		})
		const want = 6 + kerneltest.StoreR1Instrs
		if stats.WarpInstrs != want {
			t.Errorf("%v: %d instructions, want %d", model, stats.WarpInstrs, want)
		}
	}
}
