package sweep_test

import (
	"bytes"
	"flag"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/sweep"
)

// example runs one of the programs that docs/sweep.md shows.
func example(t *testing.T, file string, axes ...string) *sweep.Table {
	t.Helper()
	text, err := os.ReadFile("../../docs/sweep/" + file)
	if err != nil {
		t.Fatal(err)
	}
	return run(t, sweep.New(parse(t, "../../docs/sweep", string(text)), matrix(t, axes...)), 2, nil)
}

// TestTimeStepsAtWaves checks the time of waves.s on an H100, where 264 blocks are a wave. The time is proportional
// to the number of waves: the first block of a wave costs as much as the previous wave, and the others little.
func TestTimeStepsAtWaves(t *testing.T) {
	table := example(t, "waves.s", "grid", "1,264,265,528,529,792,793")
	var us, waves []float64
	for _, r := range table.Results {
		us, waves = append(us, r.Microseconds), append(waves, float64(r.Waves.Count))
	}
	if diff := cmp.Diff([]float64{1, 1, 2, 2, 3, 3, 4}, waves); diff != "" {
		t.Error(diff)
	}
	block := us[0] // a single block
	for i, want := range []float64{1, 1, 2, 2, 3, 3, 4} {
		// PerCycle blocks start per cycle after the first wave.
		starts := 264 / gpu.H100().CTAs.PerCycle / gpu.H100().ClockMHz * want
		if us[i] < want*block || us[i] > want*block*1.05+starts {
			t.Errorf("%d blocks take %.3f us, %g blocks one after the other %.3f us", table.Results[i].Grid[0], us[i], want, want*block)
		}
	}
	figure, err := table.Figure()
	if err != nil {
		t.Fatal(err)
	}
	if len(figure.Panels) != 2 || figure.Panels[1].Y != "waves" || !figure.Panels[1].Lines[0].Stepped || figure.Panels[1].MaxY != 4 || figure.Panels[0].MaxX < 793 {
		t.Errorf("%+v", figure)
	}
}

// TestThroughputFollowsLittlesLaw checks that with few warps throughput follows Little's law, 512 bytes per warp in the
// latency of device memory, and that it saturates when the memory is busy.
func TestThroughputFollowsLittlesLaw(t *testing.T) {
	const slice = "h100:1g.10gb" // an eighth of an H100: 16 SMs
	table := example(t, "stream.s", "gpu", slice, "grid", "16,32,384,512")
	on, err := gpu.Preset(slice)
	if err != nil {
		t.Fatal(err)
	}
	memory := &on.Memory
	seconds := float64(memory.DRAM) / on.ClockMHz / 1e6
	warp := 512 / seconds / 1e9 * float64(on.SMs) // GB/s of a warp on each SM
	var got []float64
	for _, r := range table.Results {
		got = append(got, float64(r.L2Bytes)/r.Microseconds/1e3)
		if r.DRAMBytes != r.L2Bytes || r.L2Bytes != int64(r.Grid[0])*32*512 {
			t.Errorf("%d warps read %d bytes, %d of them from device memory", r.Grid[0], r.L2Bytes, r.DRAMBytes)
		}
	}
	for i, n := range []float64{1, 2} {
		// The loads are in a loop; its other instructions take time, too.
		if got[i] > n*warp || got[i] < 0.85*n*warp {
			t.Errorf("%g warps of an SM: %.0f GB/s, by Little's law %.0f", n, got[i], n*warp)
		}
	}
	knee := memory.DRAMSustained / warp
	if knee > 24 {
		t.Fatalf("%g warps are needed to keep memory busy", knee)
	}
	for i, gain := range map[int]float64{2: got[2] / got[1], 3: got[3] / got[2]} {
		if got[i] > memory.DRAMSustained || got[i] < 0.75*memory.DRAMSustained {
			t.Errorf("%.0f GB/s, of %g that are sustained", got[i], memory.DRAMSustained)
		}
		// The start and end of the grid matter less: all 16 SMs of the slice are in one GPC, and get the launch's
		// constants one after the other, 300 cycles in all.
		if i == 3 && math.Abs(gain-1) > 0.07 {
			t.Errorf("a third more warps, %.2f times the throughput", gain)
		}
	}
	figure, err := table.Figure()
	if err != nil {
		t.Fatal(err)
	}
	last := figure.Panels[len(figure.Panels)-1]
	if last.X != "active warps of an SM" || len(last.Lines) != 1 || last.Lines[0].Points[3].Y != got[3] {
		t.Errorf("%+v", last)
	}
}

// TestFigureHasCurvePerCombination checks that there is a curve for each combination of the other axes, and that the x
// axis is the first axis of numbers.
func TestFigureHasCurvePerCombination(t *testing.T) {
	p := program(t, t.TempDir(), triple)
	figure, err := run(t, sweep.New(p, matrix(t, "gpu", "h100,a100", "block", "32,64,2048", "sched", "gty,lrr")), 2, nil).Figure()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"gpu h100, sched gty", "gpu h100, sched lrr", "gpu a100, sched gty", "gpu a100, sched lrr"}, figure.Labels); diff != "" {
		t.Error(diff)
	}
	if figure.Panels[0].X != "threads of a block" || len(figure.Panels) != 2 || len(figure.Panels[0].Lines[0].Points) != 2 {
		t.Errorf("%+v", figure.Panels)
	}
	for _, c := range []struct {
		want string
		axes []string
	}{
		{"nothing to draw", []string{"block", "2048"}},
		{"9 curves are too many", []string{"block", "32,64", "gpu", "h100,a100,v100", "sched", "gty,lrr,gto"}},
	} {
		if _, err := run(t, sweep.New(p, matrix(t, c.axes...)), 2, nil).Figure(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v", c.axes, err)
		}
	}
}

var update = flag.Bool("update", false, "rewrite the pictures of docs/sweep.md")

// TestPicturesOfDocsAreFresh draws the pictures of docs/sweep.md again.
func TestPicturesOfDocsAreFresh(t *testing.T) {
	for file, axes := range map[string][]string{
		"waves":  {"grid", "66,132,264,265,396,528,529,792"},
		"stream": {"gpu", "h100:1g.10gb", "grid", "16,32,64,128,192,256,384,512"},
	} {
		figure, err := example(t, file+".s", axes...).Figure()
		if err != nil {
			t.Fatal(err)
		}
		figure.Subtitle = "docs/sweep/" + file + strings.TrimPrefix(figure.Subtitle, "k") // the tests call it k.s
		var got bytes.Buffer
		if err := figure.Write(&got, ".svg"); err != nil {
			t.Fatal(err)
		}
		if *update {
			if err := os.WriteFile("../../docs/sweep/"+file+".svg", got.Bytes(), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile("../../docs/sweep/" + file + ".svg")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")); diff != "" {
			t.Errorf("docs/sweep/%s.svg (-docs +now):\n%s", file, diff)
		}
	}
}

// points returns the results of a sweep over one directive, with times and warps on an SM.
func points(directive string, values []string, us, warps []float64) *sweep.Table {
	table := &sweep.Table{Matrix: sweep.Matrix{{Directive: directive, Values: values}}}
	for i, v := range values {
		table.Results = append(table.Results, &sweep.Result{Values: []string{v}, Figures: &sweep.Figures{Microseconds: us[i], Warps: warps[i], IPC: 1}})
	}
	return table
}

// TestScalesFollowValues: the x axis is logarithmic if values are the first one times powers of two, if most are in the
// first tenth, or if both axes span more than ten times; the y axis is if its values do.
func TestScalesFollowValues(t *testing.T) {
	for _, c := range []struct {
		x          string
		us         []float64
		logX, logY bool
		ticks      []float64
	}{
		{"64,128,256,512,1024", []float64{1, 2, 3, 4, 5}, true, false, []float64{64, 128, 256, 512, 1024}},
		{"132,264,1056", []float64{1, 2, 10}, true, false, []float64{132, 264, 1056}},
		{"1024,64,256", []float64{1, 2, 10.1}, true, true, []float64{64, 256, 1024}},
		{"32,64", []float64{1, 2}, false, false, []float64{0, 20, 40, 60, 80}},
		{"96,128,192", []float64{1, 2, 3}, false, false, []float64{0, 50, 100, 150, 200}},
		{"96,128,192", []float64{1, 2, 30}, false, true, []float64{0, 50, 100, 150, 200}},
		{"1,7,100", []float64{1, 2, 30}, true, true, []float64{1, 2, 5, 10, 20, 50, 100}},
		{"1,16,132,1056,4224", []float64{3, 1, 1, 2, 3}, true, false, []float64{1, 10, 100, 1000}},
		{"66,132,264,396,792", []float64{1, 2, 3, 4, 5}, false, false, []float64{0, 200, 400, 600, 800}},
		{"0,7,100", []float64{1, 2, 30}, false, true, []float64{0, 25, 50, 75, 100}},
	} {
		figure, err := points("grid", strings.Split(c.x, ","), c.us, []float64{1, 2, 3, 4, 5}).Figure()
		if err != nil {
			t.Fatal(err)
		}
		time, waves := figure.Panels[0], figure.Panels[1]
		if (time.MinX > 0) != c.logX || (time.MinY > 0) != c.logY || waves.MinY > 0 {
			t.Errorf("%s, %v us: axes from %g and %g, of waves from %g", c.x, c.us, time.MinX, time.MinY, waves.MinY)
		}
		if diff := cmp.Diff(c.ticks, time.Ticks); diff != "" {
			t.Errorf("%s, %v us: ticks (-want +got)\n%s", c.x, c.us, diff)
		}
		for _, p := range figure.Panels {
			for _, at := range p.Lines[0].Points {
				if at.X < p.MinX || at.X > p.MaxX || at.Y < p.MinY || at.Y > p.MaxY {
					t.Errorf("%s, %v us: %v lies outside of axes from %g, %g to %g, %g", c.x, c.us, at, p.MinX, p.MinY, p.MaxX, p.MaxY)
				}
			}
		}
	}
}

// TestPanelOfCoincidentPointsIsLeftOut has six points on two spots, and on five.
func TestPanelOfCoincidentPointsIsLeftOut(t *testing.T) {
	x, us := strings.Split("1,2,3,4,5,6", ","), []float64{1, 2, 3, 4, 5, 6}
	for want, warps := range map[int][]float64{2: {8, 8, 8, 16, 16, 16}, 3: {8, 8, 10, 12, 14, 16}} {
		if figure, err := points("grid", x, us, warps).Figure(); err != nil || len(figure.Panels) != want {
			t.Errorf("%v warps: %d panels, want %d (%v)", warps, len(figure.Panels), want, err)
		}
	}
}
