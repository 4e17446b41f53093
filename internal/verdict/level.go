package verdict

import (
	"github.com/simtrun/simtrun/internal/check"
	"github.com/simtrun/simtrun/internal/isa"
)

// Level is the severity from which on a finding makes a run fail.
type Level uint8

const (
	OnError   Level = iota // the default
	OnWarning              // warnings and errors
	Never
)

var levels = []string{"error", "warning", "never"}

// LevelNames returns the names of all levels.
func LevelNames() []string { return levels }

// String, Set and Type implement pflag.Value.
func (l Level) String() string { return levels[l] }

func (l *Level) Set(text string) error {
	for i, name := range levels {
		if name == text {
			*l = Level(i)
			return nil
		}
	}
	return isa.Unknown("level", text, levels)
}

func (l *Level) Type() string { return "LEVEL" }

func (l Level) includes(s check.Severity) bool {
	switch l {
	case OnError:
		return s == check.Error
	case OnWarning:
		return s >= check.Warning
	}
	return false
}
