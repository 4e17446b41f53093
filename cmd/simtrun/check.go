package main

import (
	"strings"

	"github.com/simtrun/simtrun/internal/check"
	"github.com/simtrun/simtrun/internal/launch"
)

// checkList is the value of --check.
type checkList struct {
	text string
	check.Kinds
}

// String, Set and Type implement pflag.Value.
func (l *checkList) String() string { return l.text }

func (l *checkList) Set(text string) error {
	kinds, err := check.ParseKinds(text, check.LaunchKinds())
	if err != nil {
		return err
	}
	*l = checkList{text, kinds}
	return nil
}

func (l *checkList) Type() string { return "LIST" }

// addTo adds the checks to a plan.
func (l *checkList) addTo(plan *launch.Plan) {
	plan.Races, plan.Sync, plan.Init = l.Race, l.Sync, l.Init
}

// looksFor reports whether the checks find faults of a rule. Rules that no check names are of every run.
func (l *checkList) looksFor(rule string) bool {
	kind, _, _ := strings.Cut(rule, "-")
	switch {
	case kind == "init":
		return l.Init
	case check.IsRace(rule):
		return l.Race
	case rule == "sync-shuffle":
		return l.Sync
	}
	return true
}
