package gpu_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/gpu"
)

// TestFloorplanIsMeasured compares the sets of SMs that can run a cluster together with those that clusters of eight
// CTAs shared on an H100 and an H200. SMs that none was on are alone in the file; those of a TPC shared clusters of
// two.
func TestFloorplanIsMeasured(t *testing.T) {
	for _, name := range []string{"h100-sxm", "h200"} {
		text, err := os.ReadFile("testdata/" + name + "/gpcs.csv")
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		alone := ""
		for line := range strings.Lines(string(text)) {
			cells := strings.Split(strings.TrimSpace(line), ",")
			switch {
			case cells[0] != "8":
			case cells[1] != "1":
				want = append(want, cells[2])
			case alone == "":
				alone = cells[2]
			default:
				want, alone = append(want, alone+" "+cells[2]), ""
			}
		}
		if diff := cmp.Diff(want, sets(gpu.H100().Floorplan())); diff != "" {
			t.Errorf("%s (-measured +floorplan):\n%s", name, diff)
		}
	}
}

// sets returns the numbers of the SMs of each set.
func sets(plan *gpu.Floorplan) []string {
	all := make([][]int, plan.Groups)
	for sm, group := range plan.Group {
		all[group] = append(all[group], sm)
	}
	var texts []string
	for _, sms := range all {
		texts = append(texts, strings.Trim(fmt.Sprint(sms), "[]"))
	}
	return texts
}

// TestTPCsAreNumberedRoundRobin: TPCs are numbered round-robin over the GPCs that have some left.
func TestTPCsAreNumberedRoundRobin(t *testing.T) {
	for _, c := range []struct {
		chip         gpu.Chip
		gpcs, groups []int // of each SM
	}{
		{gpu.Chip{GPCs: 2, TPCs: 3, SMs: 6}, []int{0, 0, 1, 1, 0, 0}, []int{0, 0, 1, 1, 0, 0}},
		{gpu.Chip{GPCs: 2, TPCs: 4, SMs: 4, GPCTPCs: []int64{1, 3}}, []int{0, 1, 1, 1}, []int{0, 1, 1, 1}},
		{gpu.Chip{GPCs: 2, TPCs: 5, SMs: 5, GPCTPCs: []int64{2, 1}}, []int{0, 1, 0, 1, 1}, []int{0, 1, 0, 2, 3}}, // the last two are outside, near the smaller GPC
		{gpu.Chip{GPCs: 1, TPCs: 1, SMs: 3, GPCTPCs: []int64{1, 1}}, []int{0, 0, 0}, []int{0, 0, 0}},             // numbers of another chip
	} {
		plan := (&gpu.Config{Chip: c.chip}).Floorplan()
		if diff := cmp.Diff([][]int{c.gpcs, c.groups}, [][]int{plan.GPC, plan.Group}); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", c.chip, diff)
		}
	}
}
