package asm

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/simtrun/simtrun/isa"
)

// removedFrom is the first target, sm_70, that has no shfl and vote without
// .sync: PTX ISA 6.4 removed them for it, and 6.0 had deprecated them.
const removedFrom = 70

// Warnings says what a module has that its target has no more: of each opcode
// at its first place, and how often. A module without a target is for any.
func Warnings(m *isa.Module) []*isa.Error {
	if version := targetVersion(m.Target); version != 0 && version < removedFrom {
		return nil
	}
	var all []*isa.Error
	var names []string
	counts := make(map[string]int)
	for _, f := range m.Funcs {
		for pc := range f.Code {
			in := &f.Code[pc]
			if !isRemoved(in) {
				continue
			}
			name := in.Spec.Name
			if counts[name]++; counts[name] == 1 {
				names = append(names, name)
				all = append(all, isa.Errorf(in.Pos, "%s without .sync is not in PTX for sm_%d and later; write %s.sync with the mask of the lanes that take part, -1 for all",
					name, removedFrom, name))
			}
		}
	}
	for i, name := range names {
		if n := counts[name]; n > 1 {
			all[i].Msg += fmt.Sprintf(" (%d times, first here)", n)
		}
	}
	return all
}

// isRemoved reports whether in is a collective of the lanes that happen to be
// there.
func isRemoved(in *isa.Instr) bool {
	return in.Later == "" && (in.Spec.Name == "shfl" || in.Spec.Name == "vote") && in.Mods[isa.Sync] == 0
}

// targetVersion is 70 of "sm_70, debug" and 90 of "sm_90a"; 0 of what is no
// such target.
func targetVersion(target string) int {
	_, digits, _ := strings.Cut(target, "sm_")
	n := 0
	for n < len(digits) && isDigit(digits[n]) {
		n++
	}
	version, _ := strconv.Atoi(digits[:n]) // 0 for none
	return version
}
