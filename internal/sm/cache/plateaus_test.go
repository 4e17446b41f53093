package cache

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/internal/splitmix"
)

func preset(t testing.TB, name string) *gpu.Config {
	t.Helper()
	g, err := gpu.Preset(name)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// chaser follows chains in one thread of SM 0, in which each load waits for the one before.
type chaser struct {
	system *System
	l1     *L1 // nil for loads past it
	hit    int64
	now    int64
}

// load loads the 8 bytes at an address, and advances time by the load's latency.
func (c *chaser) load(address uint64) {
	line, sector := address/LineBytes, uint8(1)<<(address%LineBytes/SectorBytes)
	if c.l1 != nil {
		l := c.l1.Load(line, sector, c.now)
		if l.Hit != 0 {
			c.now += c.hit
			return
		}
		c.l1.Asked(l.Way, sector, 0)
		reply := c.ask(line, sector)
		c.l1.Fill(l.Way, 0, reply)
		c.now = reply
		return
	}
	c.now = c.ask(line, sector)
}

func (c *chaser) ask(line uint64, sector uint8) (reply int64) {
	r := Request{Cycle: c.now + depth, Line: line, Sectors: sector}
	c.system.Serve([]*Request{&r})
	return r.Reply
}

// shuffle returns a random permutation of n places.
func shuffle(n int) []uint64 {
	order := make([]uint64, n)
	for i := range order {
		order[i] = uint64(i)
	}
	for i := n - 1; i > 0; i-- {
		j := splitmix.Mix(uint64(i)) % uint64(i+1)
		order[i], order[j] = order[j], order[i]
	}
	return order
}

// cycles returns the mean latency of a chain through places step bytes apart, after following it once.
func (c *chaser) cycles(order []uint64, step uint64) float64 {
	for _, i := range order {
		c.load(i * step)
	}
	before := c.now
	for _, i := range order {
		c.load(i * step)
	}
	return float64(c.now-before) / float64(len(order))
}

// compare compares a figure with a published measurement.
func compare(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	off := got/want - 1
	say := t.Logf
	if math.Abs(off) > tolerance {
		say = t.Errorf
	}
	say("%s: %.1f, measured %v (%+.1f %%)", what, got, want, 100*off)
}

// TestChasesMatchPublishedLatencies: chains in random order, followed repeatedly, on GPUs with published measurements.
// Those of the A100, the H100 PCIe and the V100 are from github.com/te42kyfo/gpu-benches, with places 64 bytes apart.
// Sizes in KB.
func TestChasesMatchPublishedLatencies(t *testing.T) {
	for _, w := range []struct {
		gpu       string
		step      uint64
		tolerance float64
		kb, want  []float64
	}{
		{"h100-pcie", 64, 0.07,
			[]float64{10230, 21941, 24136, 26551, 29207, 32129, 35343, 42767, 51750, 56926, 62620, 75772},
			[]float64{265.5, 267.8, 275.1, 319.6, 403.2, 461.5, 475.4, 475.1, 484.3, 563.4, 626.5, 649.2}},
		{"a100", 64, 0.07, []float64{4333, 19946, 24136, 35343, 75772}, []float64{213, 213, 347, 427, 572}},
		{"v100", 64, 0.02, []float64{1029, 4767, 12381, 62620}, []float64{215, 215, 435, 435}},
		{"b200", 128, 0.07, []float64{44 << 10, 61 << 10, 84 << 10, 116 << 10, 160 << 10}, []float64{295, 320, 637, 662, 824}},
	} {
		for i, kb := range w.kb {
			if short.Skips(i) || short.Waits(i, 6) {
				continue
			}
			c := chaser{system: NewSystem(preset(t, w.gpu))}
			got := c.cycles(shuffle(int(kb)<<10/int(w.step)), w.step)
			compare(t, fmt.Sprintf("%s, %v KB", w.gpu, kb), got, w.want[i], w.tolerance)
		}
	}
}

// table is the rows of a measurement that begin with these fields, without its heading.
func table(t *testing.T, machine, name string, begin ...string) (rows [][]string) {
	t.Helper()
	f, err := os.Open("../../gpu/testdata/" + machine + "/" + name + ".csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comment = '#'
	all, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range all {
		if slices.Equal(row[:len(begin)], begin) {
			rows = append(rows, row)
		}
	}
	if rows == nil {
		t.Fatalf("%s of %s has no rows of %v", name, machine, begin)
	}
	return rows
}

func figure(t *testing.T, text string) float64 {
	t.Helper()
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestChasesMatchMeasurements: chains of internal/gpu/measure/chains.py through L2 and device memory. All lines were
// first read in order, twice by one SM; then 8192 of them were timed in a random order.
func TestChasesMatchMeasurements(t *testing.T) {
	short.Alternates(t, 1, 3)
	for machine, name := range map[string]string{"h100-sxm": "h100", "h200": "h200"} {
		for i, row := range table(t, machine, "latency", "cg") {
			size := figure(t, row[1])
			if row[2] != "128" || size > 128<<20 || size < 8<<20 || short.Skips(i) {
				continue // from 192 MB on nothing was read before
			}
			c := chaser{system: NewSystem(preset(t, name))}
			lines := int(size) / LineBytes
			for range 2 {
				for line := range lines {
					c.load(uint64(line) * LineBytes)
				}
			}
			before := c.now
			for _, line := range shuffle(lines)[:8192] {
				c.load(line * LineBytes)
			}
			compare(t, fmt.Sprintf("%s, %v MB", name, size/(1<<20)), float64(c.now-before)/8192, figure(t, row[4]), 0.04)
		}
	}
}

// TestL1HitsMatchMeasurements: chains of internal/gpu/measure/chains.py through lines in order, around the size of L1.
// The error of the percentage of hits, averaged over a table, has a limit.
func TestL1HitsMatchMeasurements(t *testing.T) {
	for _, w := range []struct {
		l1KB      int
		chains    [][]string // KB, cycles
		tolerance float64
	}{
		{232, l1Chains(t), 14},
		{184, carveout(t, "28"), 19},
		{116, carveout(t, "57"), 8},
		{52, carveout(t, "72"), 19},
		{20, carveout(t, "100"), 27},
	} {
		off, n := 0.0, 0
		for _, chain := range w.chains {
			kb, cycles := figure(t, chain[0]), figure(t, chain[1])
			if kb <= float64(w.l1KB) || kb > 1.6*float64(w.l1KB) {
				continue
			}
			c := NewL1(int64(w.l1KB) << 10)
			lines, misses := int(kb)<<10/LineBytes, 0
			for pass := range 8 {
				for line := range uint64(lines) {
					l := c.Load(line, 1, 0)
					if l.Miss != 0 {
						c.Asked(l.Way, l.Miss, 0)
						c.Fill(l.Way, 0, 0)
						if pass >= 4 {
							misses++
						}
					}
				}
			}
			got, want := 100-100*float64(misses)/float64(4*lines), 100*(277-cycles)/(277-32)
			t.Logf("%d KB, chain of %v KB: %.0f %% hit, measured %.0f", w.l1KB, kb, got, want)
			off, n = off+math.Abs(got-want), n+1
		}
		if off /= float64(n); off > w.tolerance {
			t.Errorf("%d KB: %.1f off on the average", w.l1KB, off)
		} else {
			t.Logf("%d KB: %.1f off on the average", w.l1KB, off)
		}
	}
}

func l1Chains(t *testing.T) (chains [][]string) {
	for _, row := range table(t, "h100-sxm", "latency", "ca") {
		if row[2] == "128" && row[3] == "in order" {
			chains = append(chains, []string{fmt.Sprint(figure(t, row[1]) / 1024), row[4]})
		}
	}
	return chains
}

// carveout returns the chains of 4 KB, 8 KB and so on that were measured with a preferred carve-out in percent.
func carveout(t *testing.T, percent string) (chains [][]string) {
	for i, cycles := range strings.Fields(table(t, "h100-sxm", "carveout", percent)[0][2]) {
		chains = append(chains, []string{fmt.Sprint(4 * (i + 1)), cycles})
	}
	return chains
}
