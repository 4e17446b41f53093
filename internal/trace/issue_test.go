package trace_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/internal/trace"
	"github.com/simtrun/simtrun/interp"
)

// twoSMs is a GPU with two SMs of one scheduler, on which additions of .f32 take 4 cycles, and all other instructions
// only the cycle of their issue.
func twoSMs() *gpu.Config {
	g := gpu.H100()
	g.SMs, g.Schedulers = 2, 1
	g.Banks, g.Memory.Flat = 0, 100
	g.Fetch, g.Guard, g.Settle, g.Constants.Loaded, g.LSU.Gap = gpu.Fetch{}, 0, 0, 0, 0
	for c := range g.Classes {
		g.Classes[c] = gpu.Cost{Pipe: isa.ALU, Latency: 1, Interval: 1}
	}
	g.Classes[isa.CostSingle] = gpu.Cost{Pipe: isa.FMA, Latency: 4, Interval: 1}
	g.CTAs = gpu.CTAs{Turnaround: 50}
	return g
}

// issueTrace returns the trace of concurrent launches of a source's kernels, each with two CTAs of 64 threads.
func issueTrace(t *testing.T, source string, window int64, o trace.Options, kernels ...string) (string, error) {
	t.Helper()
	mod, err := asm.Parse("k.s", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	m, err := interp.New(mod, interp.Config{GPU: twoSMs()})
	if err != nil {
		t.Fatal(err)
	}
	var ls []sm.Launch
	for _, k := range kernels {
		ls = append(ls, sm.Launch{Launch: interp.Launch{Kernel: k, Grid: one(2), Block: one(64)}, Machine: m, Stream: k})
	}
	var b strings.Builder
	issues := trace.NewIssues(&b, o)
	s, err := sm.BeginAll(ls, sm.Options{Recorder: issues, Window: window, Since: 100})
	if err != nil {
		t.Fatal(err)
	}
	err = s.Continue(context.Background())
	if endErr := issues.End(); endErr != nil {
		t.Error(endErr)
	}
	return b.String(), err
}

// Warp 1 is the youngest, and the scheduler prefers it while it can issue.
const sums = `
.entry k()
{
	add.f32 %f1, %f0, %f0;
	add.f32 %f1, %f1, %f1;
	ret;
}
`

func TestIssueTraceShowsStalls(t *testing.T) {
	for _, tt := range []struct {
		name string
		o    trace.Options
		want string
	}{
		{"all", trace.Options{}, `
     100  sm0.0    b0.w1     L4     -                                     add.f32 %f1, %f0, %f0;
     100  sm1.0    b1.w1     L4     -                                     add.f32 %f1, %f0, %f0;
     101  sm0.0    b0.w0     L4     not_selected 1                        add.f32 %f1, %f0, %f0;
     101  sm1.0    b1.w0     L4     not_selected 1                        add.f32 %f1, %f0, %f0;
     104  sm0.0    b0.w1     L5     wait 3                                add.f32 %f1, %f1, %f1;
     104  sm1.0    b1.w1     L5     wait 3                                add.f32 %f1, %f1, %f1;
     105  sm0.0    b0.w1     L6     -                                     ret;
     105  sm1.0    b1.w1     L6     -                                     ret;
     106  sm0.0    b0.w0     L5     wait 3, not_selected 1                add.f32 %f1, %f1, %f1;
     106  sm1.0    b1.w0     L5     wait 3, not_selected 1                add.f32 %f1, %f1, %f1;
     107  sm0.0    b0.w0     L6     -                                     ret;
     107  sm1.0    b1.w0     L6     -                                     ret;
`},
		{"some", trace.Options{SMs: filter(t, "1"), Cycles: filter(t, "104-106"), Warps: filter(t, "1")}, `
     104  sm1.0    b1.w1     L5     wait 3                                add.f32 %f1, %f1, %f1;
     105  sm1.0    b1.w1     L6     -                                     ret;
`},
		{"a line of a block", trace.Options{Lines: filter(t, "5"), Blocks: filter(t, "0")}, `
     104  sm0.0    b0.w1     L5     wait 3                                add.f32 %f1, %f1, %f1;
     106  sm0.0    b0.w0     L5     wait 3, not_selected 1                add.f32 %f1, %f1, %f1;
`},
	} {
		for _, window := range []int64{0, 1} {
			got, err := issueTrace(t, sums, window, tt.o, "k")
			if err != nil {
				t.Error(err)
			}
			check(t, tt.want, got)
		}
	}
}

func filter(t *testing.T, text string) trace.Filter {
	f, err := trace.ParseFilter(text)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestConcurrentLaunchesAreNumbered checks that concurrent launches are numbered. The warps of the second are younger.
func TestConcurrentLaunchesAreNumbered(t *testing.T) {
	got, err := issueTrace(t, sums+strings.Replace(sums, "k()", "other()", 1), 0, trace.Options{Warps: filter(t, "1"), Blocks: filter(t, "1"), Lines: filter(t, "4,11")}, "k", "other")
	if err != nil {
		t.Error(err)
	}
	check(t, `
     100  sm1.0    l1.b1.w1  L11    -                                     add.f32 %f1, %f0, %f0;
     102  sm1.0    l0.b1.w1  L4     not_selected 2                        add.f32 %f1, %f0, %f0;
`, got)
}

// TestIssuesShowMachineInstructions checks an instruction with several machine instructions. A GPU has no 64-bit
// addition: it adds the halves, one of them on the multiplication pipe.
func TestIssuesShowMachineInstructions(t *testing.T) {
	got, err := issueTrace(t, ".entry k()\n{\n\tadd.u64 %rd1, %rd1, 1;\n\tret;\n}\n", 0, trace.Options{Warps: filter(t, "1"), Blocks: filter(t, "0"), Lines: filter(t, "3")}, "k")
	if err != nil {
		t.Error(err)
	}
	check(t, `
     100  sm0.0    b0.w1     L3     -                                     add.u64 %rd1, %rd1, 1;  (integer 1/2)
     101  sm0.0    b0.w1     L3     -                                     add.u64 %rd1, %rd1, 1;  (product 2/2)
`, got)
}

// TestIssuesEndWithCycleOfError checks that the trace ends with the cycle of the error, however far other SMs have run.
// Warp 1 of block 1 traps when it issues its second instruction.
func TestIssuesEndWithCycleOfError(t *testing.T) {
	source := `
.entry k()
{
	mov.u32 %r1, %ctaid.x;
	setp.eq.u32 %p1, %r1, 1;
	@%p1 trap;
` + strings.Repeat("\tadd.f32 %f1, %f1, %f1;\n", 40) + "\tret;\n}\n"
	want, err := issueTrace(t, source, 1, trace.Options{}, "k")
	if fault := (*interp.Fault)(nil); !errors.As(err, &fault) {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(want), "\n")
	if last := lines[len(lines)-1]; !strings.Contains(last, "b1.w1") || !strings.Contains(last, "trap") {
		t.Errorf("the last issue is %s", last)
	}
	got, _ := issueTrace(t, source, 0, trace.Options{}, "k")
	check(t, want, got)
}
