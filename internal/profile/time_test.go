package profile_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/profile"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/internal/workloads"
	"github.com/simtrun/simtrun/interp"
)

// timed runs a launch with a clock.
func timed(t *testing.T, m *interp.Machine, l interp.Launch) (*profile.Profile, *sm.Timing) {
	t.Helper()
	c, err := profile.Attach(m, &l)
	if err != nil {
		t.Fatal(err)
	}
	s, err := sm.Begin(m, l, sm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Continue(context.Background()); err != nil {
		t.Fatal(err)
	}
	p, timing := c.Profile(), s.Timing()
	p.AddTime(timing)
	return p, timing
}

// metrics returns the metrics of counters, by name and by Nsight Compute's name.
func metrics(c *profile.Counts) map[string]float64 {
	all := make(map[string]float64)
	for _, v := range profile.Values(c) {
		all[v.Name] = v.Number
		if v.NCU != "" {
			all[v.NCU] = v.Number
		}
	}
	return all
}

// TestTimeMetricsKeepIdentities computes metrics of time from the activity of each scheduler of each SM, and checks the
// identities between them.
func TestTimeMetricsKeepIdentities(t *testing.T) {
	mod := workloads.Load(t)
	for i := range workloads.All {
		w := &workloads.All[i]
		t.Run(w.Name, func(t *testing.T) {
			prepared := w.Prepare(t, mod, interp.Config{})
			m, l := prepared.Machine, prepared.Launch
			l.Grid.X = min(l.Grid.X, 7)
			p, timing := timed(t, m, l)
			got := metrics(&p.Total)
			want := func(name string, number float64) {
				t.Helper()
				if math.Abs(got[name]-number) > 1e-9*math.Abs(number) {
					t.Errorf("%s is %v, want %v", name, got[name], number)
				}
			}
			var active, warps, eligible, issued float64
			busy := 0
			for i := range timing.SMs {
				on := &timing.SMs[i]
				active += float64(on.Active)
				if on.CTAs > 0 {
					busy++
				}
				for _, s := range on.Schedulers {
					warps += float64(s.WarpCycles)
					eligible += float64(s.Eligible)
					issued += float64(s.Issued)
				}
			}
			if busy == 0 {
				t.Fatal("no SM got a CTA")
			}
			const schedulers, places = 4, 64
			slots := schedulers * active
			want("elapsed_cycles", float64(timing.Cycles))
			want("duration_us", float64(timing.Cycles)/1980)
			want("sm__cycles_active.sum", active)
			want("sm_active", 100*active/(132*float64(timing.Cycles)))
			want("smsp__inst_issued.sum", issued)
			want("smsp__warps_active.avg.per_cycle_active", warps/slots)
			want("smsp__warps_eligible.avg.per_cycle_active", eligible/slots)
			want("smsp__issue_active.avg.per_cycle_active", issued/slots)
			want("sm__inst_issued.avg.per_cycle_active", issued/active)
			want("executed_per_scheduler_cycle", float64(p.Total.Runs)/slots)
			want("sm__warps_active.avg.pct_of_peak_sustained_active", 100*warps/(places*active))
			want("launch__waves_per_multiprocessor", float64(l.Grid.Count())/float64(132*timing.CTAsPerSM))
			want("launch__occupancy_limit_blocks", 32)
			// Little's law, and the states of the warps.
			want("warp_latency", got["warps_active"]/got["issue_active"])
			var perIssue, cycles, selected float64
			for s := range sm.NumStates {
				perIssue += got["smsp__average_warps_issue_stalled_"+s.String()+"_per_issue_active.ratio"]
				cycles += got["cycles_"+s.String()]
			}
			want("warp_latency", perIssue)
			want("warps_active", cycles/slots)
			want("warps_eligible", (got["cycles_selected"]+got["cycles_not_selected"])/slots)
			want("stalled_selected", 1)
			// Every machine instruction uses one pipe, which accepts one at a time.
			onPipes := 0.0
			for u := isa.NoUnit + 1; u < isa.NumUnits; u++ {
				onPipes += got["sm__inst_executed_pipe_"+u.String()+".sum"]
				if share := got["pipe_"+u.String()]; share < 0 || share > 100 {
					t.Errorf("pipe %s is busy for %v %%", u, share)
				}
			}
			want("smsp__inst_issued.sum", onPipes)
			const peak = 3352e3 // bytes per microsecond
			want("dram_throughput", 100*(got["dram_read"]+got["dram_written"])/(peak*got["duration_us"]))
			// The instructions sum to that, except for the end of a code without ret.
			for _, f := range p.Funcs {
				for pc := range f.Instrs {
					of := metrics(&f.Instrs[pc])
					selected += of["cycles_selected"]
					if _, ok := of["warps_active"]; ok {
						t.Errorf("an instruction has warps of its own: %v", of)
					}
				}
			}
			want("cycles_selected", selected)
		})
	}
}

// TestTimeMetricsNeedClock checks that without a clock no metric that needs one is defined.
func TestTimeMetricsNeedClock(t *testing.T) {
	p := kernel{src: ".entry k() { ret; }"}.profile(t)
	for _, v := range profile.Values(&p.Total) {
		if v.Clock {
			t.Errorf("%s is %v", v.Name, v.Number)
		}
	}
}

// TestAddedTimesKeepRates adds the time of a launch to itself: rates stay the same, and counts double.
func TestAddedTimesKeepRates(t *testing.T) {
	mod := workloads.Load(t)
	prepared := workloads.All[0].Prepare(t, mod, interp.Config{})
	p, _ := timed(t, prepared.Machine, prepared.Launch)
	var twice profile.Counts
	twice.Add(&p.Total)
	twice.Add(&p.Total)
	one, two := metrics(&p.Total), metrics(&twice)
	for _, m := range profile.Metrics() {
		if !m.Clock {
			continue
		}
		want := one[m.Name]
		switch m.Unit {
		case "cycle", "us", "instruction", "sector", "byte":
			want *= 2
		}
		if math.Abs(two[m.Name]-want) > 1e-9*want {
			t.Errorf("%s of two launches is %v, want %v", m.Name, two[m.Name], want)
		}
	}
}

// TestDifferentMetricsHaveOwnNames checks that metrics that count something else than Nsight Compute's counters that
// they are like do not have their names (docs/hardware-measured.md).
func TestDifferentMetricsHaveOwnNames(t *testing.T) {
	other := []string{"warp_instructions", "lane_instructions", "active_lanes_per_instruction", "executed_per_cycle", "executed_per_scheduler_cycle", "l1_load_hit_rate", "l2_sectors", "l2_hit_rate"}
	found := 0
	for _, m := range profile.Metrics() {
		if !slices.Contains(other, m.Name) {
			continue
		}
		if found++; m.NCU != "" {
			t.Errorf("%s has the name %s", m.Name, m.NCU)
		}
	}
	if found != len(other) {
		t.Errorf("%d of %d metrics", found, len(other))
	}
}
