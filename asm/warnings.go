package asm

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/simtrun/simtrun/internal/isa"
)

// Warnings finds probable mistakes in a module: forms that were removed before its target, constants that are larger
// than their types, addresses that are smaller, and a version of PTX newer than the latest known.
func Warnings(m *isa.Module) []*isa.Error {
	return slices.Concat(newerVersion(m), removed(m), cutConstants(m), longShifts(m), shortAddresses(m), badAccesses(m), badLimits(m))
}

// removed finds forms that were removed before the module's target. It reports each kind at its first position, with
// the number of occurrences. Without a target there are none.
func removed(m *isa.Module) []*isa.Error {
	if version := targetVersion(m.Target); version != 0 && version < isa.SyncOnlyFrom {
		return nil
	}
	var all []*isa.Error
	counts := make(map[string]int)
	for _, f := range m.Funcs {
		for pc := range f.Code {
			in := &f.Code[pc]
			msg := in.Removed()
			if msg == "" {
				continue
			}
			if counts[msg]++; counts[msg] == 1 {
				all = append(all, isa.Errorf(in.Pos, "%s", msg))
			}
		}
	}
	for _, e := range all {
		if n := counts[e.Msg]; n > 1 {
			e.Msg += fmt.Sprintf(" (%d times, first here)", n)
		}
	}
	return all
}

// newerVersion returns a warning if the version of a module is newer than the latest known.
func newerVersion(m *isa.Module) []*isa.Error {
	if v, ok := isa.ParseVersion(m.Version); ok && v > isa.LatestVersion {
		return []*isa.Error{isa.Errorf(m.VersionPos, ".version %s is newer than %s, the latest that simtrun knows: what it added is missing", v, isa.LatestVersion)}
	}
	return nil
}

// targetVersion returns 70 for "sm_70, debug" and 90 for "sm_90a"; 0 for other text.
func targetVersion(target string) int {
	_, digits, _ := strings.Cut(target, "sm_")
	n := 0
	for n < len(digits) && isDigit(digits[n]) {
		n++
	}
	version, _ := strconv.Atoi(digits[:n]) // 0 for none
	return version
}
