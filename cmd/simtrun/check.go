package main

import (
	"errors"
	"strings"

	"github.com/simtrun/simtrun/internal/check"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/launch"
)

// checkList is the value of --check. Memory is always checked.
type checkList struct {
	text string
	race bool
	sync bool // undefined results of shuffles, missing waits and fences
	init bool // uses of unwritten values
}

// checkNames returns the names of all checks.
func checkNames() []string { return []string{"mem", "init", "race", "sync", "all"} }

// String, Set and Type implement pflag.Value.
func (l *checkList) String() string { return l.text }

func (l *checkList) Set(text string) error {
	list := checkList{text: text}
	for name := range strings.SplitSeq(text, ",") {
		switch strings.TrimSuffix(name, "check") {
		case "mem":
		case "race":
			list.race = true
		case "sync":
			list.sync = true
		case "init":
			list.init = true
		case "all":
			list.init, list.race, list.sync = true, true, true
		case "none":
			return errors.New("accesses to memory are always checked: none is not possible")
		default:
			return isa.Unknown("check", name, checkNames())
		}
	}
	*l = list
	return nil
}

func (l *checkList) Type() string { return "LIST" }

// addTo adds the checks to a plan.
func (l *checkList) addTo(plan *launch.Plan) {
	plan.Races, plan.Sync, plan.Init = l.race, l.sync, l.init
}

// looksFor reports whether the checks find faults of a rule. Rules that no check names are of every run.
func (l *checkList) looksFor(rule string) bool {
	kind, _, _ := strings.Cut(rule, "-")
	switch {
	case kind == "init":
		return l.init
	case check.IsRace(rule):
		return l.race
	case rule == "sync-shuffle":
		return l.sync
	}
	return true
}
