package report

import (
	"fmt"
	"io"

	"github.com/simtrun/simtrun/internal/check"
	"github.com/simtrun/simtrun/internal/cxx"
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
	t := tallyOf(res)
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
	fmt.Fprintf(w, "%s: %s %s\n", f.Later.Place(), severity, f.Text(launched))
}

func whereOf(a *check.Access) interp.Where {
	return interp.Where{CTA: a.CTA, Warp: a.Warp, Lanes: a.Lanes}
}
