package report

import (
	"github.com/simtrun/simtrun/internal/check"
	"github.com/simtrun/simtrun/internal/launch"
)

// mostFindings is the most races, and the most warnings, that are written as text.
const mostFindings = 20

// tally counts the findings of launches: races and warnings.
type tally struct {
	Errors, Warnings, Infos int
	Groups, Instances       int64 // distinct findings, occurrences
}

// tallyOf counts the findings of all launches.
func tallyOf(res *launch.Result) tally {
	var t tally
	for i := range res.Launches {
		t.addLaunch(&res.Launches[i])
	}
	return t
}

func (t *tally) addLaunch(l *launch.Launched) {
	for i := range l.Stats.Warnings {
		w := &l.Stats.Warnings[i]
		t.add(severityOf(w), w.Count)
	}
	for _, f := range l.Races {
		t.add(f.Rule.Severity(), f.Instances)
	}
}

// addError counts an error that ended a launch.
func (t *tally) addError() { t.add(check.Error, 1) }

func (t *tally) add(s check.Severity, instances int64) {
	switch s {
	case check.Error:
		t.Errors++
	case check.Warning:
		t.Warnings++
	default:
		t.Infos++
	}
	t.Groups++
	t.Instances += instances
}
