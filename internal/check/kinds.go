package check

import (
	"errors"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/internal/isa"
)

// Kinds are the checks that a list turns on. Accesses to memory are always checked.
type Kinds struct {
	Race bool
	Sync bool // undefined results of shuffles, missing waits and fences
	Init bool // uses of unwritten values

	// These are checks of programs that use the driver, not of single launches.

	API    bool // calls that fail
	Leak   bool // memory that is not freed
	Stream bool // races between the work of streams, of graphs and of the host
}

// LaunchKinds are the names of checks of launches.
func LaunchKinds() []string { return []string{"mem", "init", "race", "sync", "all"} }

// ProgramKinds are the names of checks of programs that use the driver.
func ProgramKinds() []string {
	return []string{"mem", "init", "race", "sync", "api", "leak", "stream", "all"}
}

// ParseKinds parses a list of checks, separated by commas. Names are those that may be in it, also in the form that
// compute-sanitizer's tools have, such as racecheck.
func ParseKinds(list string, names []string) (k Kinds, err error) {
	for _, item := range strings.Split(list, ",") {
		item = strings.TrimSpace(item)
		name := strings.TrimSuffix(item, "check")
		switch {
		case name == "" && list != "": // as after a last comma
		case name == "none":
			return k, errors.New("accesses to memory are always checked: none is not possible")
		case name != "memory" && !slices.Contains(names, name):
			return k, unknownKind(item, names)
		}
		k.add(name)
	}
	return k, nil
}

// unknownKind returns the error for a name that is not a check.
func unknownKind(word string, names []string) error {
	tools := []string{"memcheck", "racecheck", "synccheck", "initcheck"}
	if isa.Likely(word, names) == nil && isa.Nearest(word, tools) != "" {
		names = tools
	}
	return isa.Unknown("check", word, names)
}

func (k *Kinds) add(name string) {
	switch name {
	case "race":
		k.Race = true
	case "sync":
		k.Sync = true
	case "init":
		k.Init = true
	case "api":
		k.API = true
	case "leak":
		k.Leak = true
	case "stream":
		k.Stream = true
	case "all":
		*k = Kinds{true, true, true, true, true, true}
	}
}

// Untimed reports whether a check is on that only launches without a clock have.
func (k Kinds) Untimed() bool { return k.Race || k.Sync || k.Init || k.Stream }
