package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/short"
)

// waiting is a kernel in which every block takes the same time, however many run concurrently: each thread waits for
// loads that depend on each other.
func waiting(loads int) string {
	return ".global .u64 zero;\n.entry k()\n{\n\tmov.u64 %rd1, zero;\n" +
		strings.Repeat("\tld.global.u64 %rd2, [%rd1];\n\tadd.u64 %rd1, %rd1, %rd2;\n", loads) + "\tret;\n}\n"
}

// waitingShared is waiting with loads from shared memory, which have no cold misses.
func waitingShared(loads int) string {
	return ".entry k()\n{\n\t.shared .u32 zero;\n\tmov.u32 %r1, zero;\n\tst.shared.u32 [%r1], 0;\n" +
		strings.Repeat("\tld.shared.u32 %r2, [%r1];\n\tadd.u32 %r1, %r1, %r2;\n", loads) + "\tret;\n}\n"
}

// TestTimeIsProportionalToWaves checks launches of one-warp blocks. Each of 132 SMs holds four, all together 528. The
// number of waves, how full the last one is, and the efficiency follow from the number of blocks. The time is
// proportional to the number of waves, except for the time to start blocks.
func TestTimeIsProportionalToWaves(t *testing.T) {
	short.Skip(t)
	run := func(blocks string) timedLaunch {
		return timed(t, waitingShared(700), "--block", "32", "--shared", "50000", "--grid", blocks)[0]
	}
	one := run("528")
	for i, c := range []struct {
		blocks           string
		waves            int64
		last, efficiency float64 // %, as published
	}{
		{"529", 2, 0.2, 50.1}, {"528", 1, 100, 100}, {"600", 2, 13.6, 56.8}, {"1000", 2, 89.4, 94.7}, {"1056", 2, 100, 100},
	} {
		if short.Skips(i) || short.Waits(i, 3) {
			continue
		}
		l := one
		if c.blocks != "528" {
			l = run(c.blocks)
		}
		if w := l.Waves; l.Occupancy.BlocksPerSM != 4 || w.Count != c.waves || math.Abs(100*w.Last-c.last) > 0.05 || math.Abs(100*w.Efficiency-c.efficiency) > 0.05 {
			t.Errorf("%s blocks: %d on an SM, %+v", c.blocks, l.Occupancy.BlocksPerSM, w)
		}
		if got := float64(l.Cycles) / float64(one.Cycles); math.Abs(got/float64(c.waves)-1) > 0.02 {
			t.Errorf("%s blocks take %.3f times as long as 528, want %d", c.blocks, got, c.waves)
		}
		// Measured efficiency: the fraction of all slots of the SMs that were used, over the whole time.
		var warps int64
		for _, s := range l.SMs {
			warps += s.WarpCycles
		}
		if got := 100 * float64(warps) / float64(132*4*l.Cycles); math.Abs(got-c.efficiency) > 0.03*c.efficiency {
			t.Errorf("%s blocks: warps use %.1f %% of their slots, want %.1f %%", c.blocks, got, c.efficiency)
		}
	}
}

// TestClustersFillWavesByGPC checks clusters of 8 blocks. An SM holds one block, because of shared memory. An H100 has
// two GPCs of 18 SMs and five of 16, with two clusters in each, and one of 8: 120 blocks at once, and 12 SMs stay
// empty.
func TestClustersFillWavesByGPC(t *testing.T) {
	short.Skip(t)
	run := func(blocks string) timedLaunch {
		return timed(t, waitingShared(700), "--block", "32", "--shared", "150000", "--cluster", "8", "--grid", blocks)[0]
	}
	one := run("120")
	for _, c := range []struct {
		blocks           string
		waves            int64
		last, efficiency float64
	}{
		{"120", 1, 1, 1}, {"128", 2, 8. / 120, 128. / 240}, {"240", 2, 1, 1}, {"248", 3, 8. / 120, 248. / 360},
	} {
		l := run(c.blocks)
		if w := l.Waves; l.Occupancy.BlocksPerSM != 1 || w.Count != c.waves || w.Last != c.last || w.Efficiency != c.efficiency {
			t.Errorf("%s blocks: %d on an SM, %+v", c.blocks, l.Occupancy.BlocksPerSM, w)
		}
		if got := float64(l.Cycles) / float64(one.Cycles); math.Abs(got/float64(c.waves)-1) > 0.02 {
			t.Errorf("%s blocks take %.3f times as long as 120, want %d", c.blocks, got, c.waves)
		}
	}
}

// TestSmallestLimitBoundsBlocksOfSM checks that min(32, 8, 8, 13) blocks of 256 threads, 32 registers and 16 KB reside
// on an SM of an H100: the limits of slots, warps, registers, and shared memory (1 KB per block is reserved). Two waves
// are 16 blocks on each SM; in linear order the first blocks fill the first SMs.
func TestSmallestLimitBoundsBlocksOfSM(t *testing.T) {
	short.Skip(t)
	args := []string{"--block", "256", "--regs", "32", "--shared", "16384"}
	l := timed(t, waiting(20), append(args, "--grid", "2112")...)[0]
	limits := make(map[string]int)
	for resource, n := range l.Occupancy.Limits {
		if n != nil {
			limits[resource] = *n
		}
	}
	if got := fmt.Sprint(l.Occupancy.BlocksPerSM, limits, l.Occupancy.Limiters); got != "8 map[blocks:32 registers:8 shared:13 warps:8] [warps registers]" {
		t.Errorf("%s", got)
	}
	for id, s := range l.SMs {
		if s.Blocks != 16 {
			t.Errorf("SM %d has had %d blocks, want 16", id, s.Blocks)
		}
	}
	l = timed(t, waiting(20), append(args, "--grid", "20", "--cta-order", "linear")...)[0]
	if got := fmt.Sprint(l.SMs[0].Blocks, l.SMs[1].Blocks, l.SMs[2].Blocks, l.SMs[3].Blocks); got != "8 8 4 0" {
		t.Errorf("in linear order the first SMs have %s blocks, want 8 8 4 0", got)
	}
}

// reporting is a kernel in which each block records its SM, start and end.
//
//go:embed testdata/kernels/reporting.s
var reporting string

// TestBlocksWait checks that blocks without a free slot wait until others have ended. Each SM holds 8 blocks, so of
// 2112 blocks at most 8 are on an SM at a time, and every SM runs equally many.
func TestBlocksWait(t *testing.T) {
	short.Skip(t)
	short.Alternates(t, 2, 3)
	got := simtrun(t, reporting, "FILE", "--json", "--block", "256", "--regs", "32", "--grid", "2112")
	var object struct {
		Dumps []struct{ Values []int64 }
	}
	if err := json.Unmarshal([]byte(got.stdout), &object); err != nil || got.code != 0 {
		t.Fatalf("%v, %+v", err, got)
	}
	type event struct{ cycle, more int64 }
	bySM := make([][]event, 132)
	values := object.Dumps[0].Values
	for i := 0; i < len(values); i += 4 {
		sm := values[i+2]
		bySM[sm] = append(bySM[sm], event{values[i], 1}, event{values[i+1], -1})
	}
	for id, events := range bySM {
		slices.SortFunc(events, func(a, b event) int { return int(a.cycle - b.cycle) })
		var now, most int64
		for _, e := range events {
			now += e.more
			most = max(most, now)
		}
		if most != 8 {
			t.Errorf("SM %d had %d of %d blocks at once, want 8", id, most, len(events)/2)
		}
	}
}

// TestBlocksThatNeverFit checks that the error names the missing resource.
func TestBlocksThatNeverFit(t *testing.T) {
	for args, want := range map[string]string{
		"--block 1024 --regs 65": "1024 threads of 65 registers take 73728 registers per block, at most 65536",
		"--block 32 --regs 256":  "256 registers per thread, at most 255",
		"--shared 232449":        "232449 bytes of shared memory per block, at most 232448",
		"--block 1025":           "1025 threads, at most 1024",
	} {
		got := simtrun(t, reporting, append([]string{"FILE"}, strings.Fields(args)...)...)
		if line, _, _ := strings.Cut(got.stderr, "\n"); got.code != exitUsage || !strings.Contains(line, want) {
			t.Errorf("%s: exit %d, %s, want %s", args, got.code, got.stderr, want)
		}
	}
}
