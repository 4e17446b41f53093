package report

import (
	"fmt"
	"io"

	"github.com/simtrun/simtrun/internal/check"
	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/launch"
	"github.com/simtrun/simtrun/interp"
)

// WriteRaces writes the races of a run, errors first, and in the last line the number of findings: races, warnings,
// and, if failed, the error that ended the run, which the caller writes.
func WriteRaces(w io.Writer, res *launch.Result, failed bool, paint Paint) {
	more := writeRaces(w, res, paint)
	if more > 0 {
		fmt.Fprintf(w, "… %s; --json has them all\n\n", Count(int64(more), "more group"))
	}
	t := TallyOf(res)
	if failed {
		t.addError()
	}
	fmt.Fprintf(w, "simtrun: %s, %s, %d hidden (%s from %s)\n", Count(int64(t.Errors), "error"), Count(int64(t.Warnings), "warning"),
		t.Infos+more, Count(t.Groups, "group"), Count(t.Instances, "instance"))
}

// writeRaces writes errors, then warnings, up to a limit, and returns how many it left out.
func writeRaces(w io.Writer, res *launch.Result, paint Paint) (more int) {
	written := 0
	for _, severity := range []check.Severity{check.Error, check.Warning} {
		for i := range res.Launches {
			for j := range res.Launches[i].Races {
				f := &res.Launches[i].Races[j]
				switch {
				case f.Rule.Severity() != severity:
				case written == mostFindings:
					more++
				default:
					written++
					writeRace(w, f, whichLaunch(res, i), paint)
				}
			}
		}
	}
	return more
}

// whichLaunch names the launch, if there are several.
func whichLaunch(res *launch.Result, i int) string {
	if len(res.Launches) == 1 {
		return ""
	}
	return fmt.Sprintf("  launch  %d of %d, kernel %s\n", i+1, len(res.Launches), cxx.Short(res.Launches[i].Kernel))
}

// writeRace writes one race, with a line on the launch.
func writeRace(w io.Writer, f *check.Finding, launched string, paint Paint) {
	severity := paint.alarm("error:")
	if f.Rule.Severity() == check.Warning {
		severity = paint.Caution("warning:")
	}
	fmt.Fprintf(w, "%s: %s %s [%s] %s\n", f.Later.Place(), severity, f.Rule.Message(), f.Rule, placeText(f))
	for _, a := range []*check.Access{&f.Earlier, &f.Later} {
		at := a.Place()
		lines := at.Lines(a.Func.Text(a.PC))
		fmt.Fprintf(w, "  %-7s %s  %s  %s%s\n", doing(a), at.Short(), lines[0], whereOf(a), valueText(a))
		for _, call := range lines[1:] {
			fmt.Fprintf(w, "  %s\n", call)
		}
	}
	fmt.Fprintf(w, "%s  between %s\n", launched, f.Between)
	if f.Instances > 1 {
		unit := "lane pair"
		if f.Earlier.Event != "" {
			unit = "lane"
		}
		fmt.Fprintf(w, "  repeats %s in %s; first shown\n", Count(f.Instances, unit), Count(f.Blocks, "block"))
	}
	writeAlso(w, f.Also)
	fmt.Fprintf(w, "  fix     %s\n\n", f.Fix)
}

// mostAlso is the most other pairs of a race that are written.
const mostAlso = 4

// writeAlso writes the other pairs of instructions with the same fix.
func writeAlso(w io.Writer, also []check.Pair) {
	for i := range also {
		p := &also[i]
		if i == mostAlso {
			fmt.Fprintf(w, "  also    %s of instructions\n", Count(int64(len(also)-i), "more pair"))
			return
		}
		fmt.Fprintf(w, "  also    %s %s, %s %s [%s]\n", doing(&p.Earlier), p.Earlier.Place().Short(), doing(&p.Later), p.Later.Place().Short(), p.Rule)
	}
}

// placeText names the bytes that both sides of a race access.
func placeText(f *check.Finding) string {
	name := f.Buffer
	if name == "" {
		name = f.Space.String()
	}
	text := fmt.Sprintf("%s+0x%x..0x%x", name, f.Offset, f.Offset+uint64(f.Bytes)-1)
	if element := f.Element(); element != "" {
		return element + ", " + text
	}
	return text
}

// doing describes one side of a race.
func doing(a *check.Access) string {
	switch {
	case a.Event != "":
		return a.Event
	case a.Instr().Spec.Kind == isa.Atomic:
		return "atomic"
	case a.Writes:
		return "write"
	}
	return "read"
}

func whereOf(a *check.Access) interp.Where {
	return interp.Where{CTA: a.CTA, Warp: a.Warp, Lanes: a.Lanes}
}

func valueText(a *check.Access) string {
	if a.Value == "" {
		return ""
	}
	if !a.Writes {
		return "  got " + a.Value
	}
	return "  value " + a.Value
}
