package interp_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/interp"
)

// withClock runs a launch with a clock.
func withClock(m *interp.Machine, l interp.Launch) (stats interp.Stats, err error) {
	policy, err := sm.ParsePolicy("gto") // under gty warps that poll may starve others
	if err != nil {
		return stats, err
	}
	s, err := sm.Begin(m, l, sm.Options{Policy: policy})
	if err == nil {
		err = s.Continue(context.Background())
		stats = s.Stats()
	}
	return stats, err
}

// wordsBetweenCTAs has the final word of a lane in the CTA with a rank, for the kernels of testdata/between.txt in
// clusters of size CTAs.
var wordsBetweenCTAs = map[string]func(size, rank, lane int) int{
	"multicast to some": func(_, rank, lane int) int {
		if 0xb>>rank&1 == 0 || lane < 8 {
			return 0
		}
		return (lane-4)*(lane-4) + 7
	},
	"multicast by an address in another block, with a policy": func(_, rank, lane int) int {
		if rank == 1 {
			return 0
		}
		return lane*lane + 7
	},
	"each to the next, from shared memory": func(size, rank, lane int) int { return (rank+size-1)%size*100 + lane },
	"each to the next, from global memory": func(size, rank, lane int) int {
		i := (rank+size-1)%size*4 + lane
		return i*i + 7
	},
	"arrivals at another block's": func(size, _, _ int) int { return size * (size + 1) / 2 },
	"counts of another block's":   func(_, _, _ int) int { return 111 },
}

// TestCopiesReachOtherCTAs checks copies to other CTAs and their mbarriers, with a clock and without one.
func TestCopiesReachOtherCTAs(t *testing.T) {
	minimal, err := gpu.Preset("minimal")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range kerneltest.Cases(t, "testdata/between.txt", "sizes") {
		for _, text := range strings.Fields(c.Value(t, "sizes")) {
			size, err := strconv.Atoi(text)
			if err != nil {
				t.Fatal(err)
			}
			source := strings.NewReplacer("$size", text, "$threads", fmt.Sprint(32*size)).Replace(c.Body)
			const clusters = 3
			want := make([]uint32, clusters*size*32)
			for i := range want {
				want[i] = uint32(wordsBetweenCTAs[c.Name](size, i/32%size, i%32))
			}
			for _, on := range []*gpu.Config{gpu.H100(), minimal} {
				for _, driver := range []func(*interp.Machine, interp.Launch) (interp.Stats, error){nil, withClock} {
					if on.Cluster.Size < size {
						continue
					}

					out, _, err := kerneltest.Kernel{Source: source, Grid: kerneltest.Dim(uint32(clusters*size), 1), Words: []int{len(want)}, Driver: driver,
						Config: interp.Config{GPU: on, Threads: 2, Divergence: divergence.IndependentThreads}}.Run(t)
					if err != nil {
						t.Errorf("%s, clusters of %d on %s, clock %v: %v", c.Name, size, on.Name, driver != nil, err)
						continue
					}
					if diff := cmp.Diff(want, out[0]); diff != "" {
						t.Errorf("%s, clusters of %d on %s, clock %v (-want +got):\n%s", c.Name, size, on.Name, driver != nil, diff)
					}
				}
			}
		}
	}
}
