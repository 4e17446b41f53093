package asm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/internal/isa"
)

// defaultVersion is the .version that Format writes for a source without one, unless the module needs a later one. It
// is the oldest that today's assemblers accept.
const defaultVersion isa.Version = 80

// defaultTargets are the candidates for a source without .target: Format writes the first that has all the module's
// instructions.
var defaultTargets = []string{"sm_80", "sm_86", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_100a", "sm_103a", "sm_110a", "sm_120", "sm_120a"}

// hiddenVersion is the oldest version of PTX seen with .hidden.
const hiddenVersion isa.Version = 91

// headerOf returns the .version and .target of a module: those of the source or, if it has none, some that fit its
// instructions.
func headerOf(m *isa.Module) (version, target string) {
	version, target = m.Version, m.Target
	if version != "" && target != "" {
		return version, target
	}
	need := needOf(m)
	if target == "" {
		target = targetFor(&need)
	}
	if version == "" {
		least := max(defaultVersion, need.Version)
		if since, ok := isa.Introduced(target); ok {
			least = max(least, since)
		}
		if hides(m) {
			least = max(least, hiddenVersion)
		}
		version = least.String()
	}
	return version, target
}

// MissingHeader returns a note on the .version and .target that the instructions of a module need and that it leaves
// out; "" if it has both or needs no more than what Format writes for any module.
func MissingHeader(m *isa.Module) string {
	version, target := headerOf(m)
	var lines []string
	if m.Version == "" && version != defaultVersion.String() {
		lines = append(lines, ".version "+version)
	}
	if m.Target == "" && target != defaultTargets[0] {
		lines = append(lines, ".target "+target)
	}
	if len(lines) == 0 {
		return ""
	}
	return "its instructions need " + strings.Join(lines, " and ") + ", which it leaves out"
}

// Retarget replaces the architecture of a module's .target, and keeps its options. It returns an error if PTX has no
// such architecture.
func Retarget(m *isa.Module, arch string) error {
	if _, known := isa.Introduced(arch); !known {
		return fmt.Errorf("PTX %s has no such target; it has sm_80, sm_90a, sm_100f and others", isa.LatestVersion)
	}
	if first, options, found := strings.Cut(m.Target, ", "); found && strings.HasPrefix(first, "sm_") {
		arch += ", " + options
	}
	m.Target = arch
	return nil
}

// needOf returns the need of all instructions of a module together.
func needOf(m *isa.Module) (all isa.Need) {
	c := targetChecker{needs: make(map[string]isa.Need)}
	for _, f := range m.Funcs {
		for pc := range f.Code {
			all.Add(c.need(&f.Code[pc]))
			for s := range f.Code[pc].Specials {
				all.Add(s.Need())
			}
		}
	}
	return all
}

// targetFor returns the first of defaultTargets that meets need. None does if the module has forms of two families.
func targetFor(need *isa.Need) string {
	for _, name := range defaultTargets {
		if arch, _ := isa.ParseArch(name); need.Unmet(0, arch) == "" {
			return name
		}
	}
	return defaultTargets[0]
}

// hides reports whether anything in m is .hidden.
func hides(m *isa.Module) bool {
	hidden := func(v *isa.Var) bool { return v.Linkage == isa.Hidden }
	return slices.ContainsFunc(m.Vars, hidden) || slices.ContainsFunc(m.Funcs, func(f *isa.Func) bool {
		return f.Linkage == isa.Hidden || slices.ContainsFunc(f.Params, hidden)
	})
}
