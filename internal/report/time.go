package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/launch"
	"github.com/simtrun/simtrun/internal/profile"
	"github.com/simtrun/simtrun/internal/sm"
)

// writeTime writes the time of a launch with a clock, how it filled the GPU, and why its warps waited.
func writeTime(w io.Writer, l *launch.Launched, width int) {
	timing := l.Timing
	t := profile.TimeOf(timing)
	until := ""
	if timing.Partial {
		until = " " + notToItsEnd
	}
	fmt.Fprintf(w, "%-*s  cycles %d%s  %s at %g MHz  gpu %s  %s%s\n", width, "time", timing.Cycles, until, duration(t.Microseconds), timing.GPU.ClockMHz, timing.GPU.Name, optionsText(&timing.Options), streamText(timing))
	waves := gpu.WavesOf(l.Grid.Count(), timing.AtOnce())
	fmt.Fprintf(w, "%-*s  %d, the last %.1f%% full, efficiency %.1f%%  occupancy %.1f%%, theoretical %.1f%% (%s)\n", width, "waves", waves.Count, 100*waves.Last, 100*waves.Efficiency,
		100*t.Occupancy(), 100*timing.Occupancy.Fraction(), strings.Join(limiterNames(&timing.Occupancy), ", "))
	main := "no stalls"
	if stall, share := t.MainStall(); share > 0 {
		main = fmt.Sprintf("main stall %s %.1f%%", stall, 100*share)
	}
	fmt.Fprintf(w, "%-*s  IPC %.2f (PTX %.2f)  slots used %.1f%%  %s\n", width, "issue",
		t.IPC(), float64(l.Stats.WarpInstrs)/float64(t.ActiveCycles), 100*t.SlotsUsed(), main)
	if len(timing.Assumed) > 0 {
		fmt.Fprintf(w, "%-*s  the times of %s, but for the peak of the tensor cores\n", width, "assumed", strings.Join(timing.Assumed, ", "))
	}
	for _, a := range timing.Assembled {
		fmt.Fprintf(w, "%-*s  %s: %s\n", width, "sass", cxx.Short(a.Function), a)
	}
}

// notToItsEnd marks the time of a launch that an error, a limit or a signal ended.
const notToItsEnd = "(until the run ended)"

// streamText names the process and the stream of a launch, if any, and the start of the launch.
func streamText(t *sm.Timing) string {
	text := ""
	if t.Process != "" {
		text += "  process " + t.Process
	}
	if t.Stream != "" {
		text += "  stream " + t.Stream
	}
	if text != "" {
		text += fmt.Sprintf("  start %d", t.Start)
	}
	return text
}

// optionsText lists all timing options of a launch, including defaults.
func optionsText(o *sm.Options) string {
	text := fmt.Sprintf("sched %s  cta-order %s  cost %s", o.Policy, o.Order, o.Cost)
	if o.DualIssue {
		text += "  dual-issue"
	}
	if o.WarmCode {
		text += "  icache warm"
	}
	return text
}

// duration formats a time with its unit and at least three digits.
func duration(microseconds float64) string {
	switch {
	case microseconds < 1e3:
		return fmt.Sprintf("%.2f us", microseconds)
	case microseconds < 1e6:
		return fmt.Sprintf("%.2f ms", microseconds/1e3)
	}
	return fmt.Sprintf("%.2f s", microseconds/1e6)
}

// limiterNames returns the resources that limit the CTAs per SM.
func limiterNames(o *gpu.Occupancy) []string {
	var names []string
	for _, r := range o.Limiters() {
		names = append(names, r.String())
	}
	return names
}
