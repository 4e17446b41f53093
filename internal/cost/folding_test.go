package cost_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/isa"
)

// registerAddress is an address in a register, without or with a constant.
var registerAddress = regexp.MustCompile(`\[%(rd?)\d+(\+\d+)?\]`)

// foldings returns, for each address in a register of an example, an addition of a constant and the instruction with
// the sum as that address.
func foldings(example string) (all []string) {
	for _, at := range registerAddress.FindAllStringSubmatchIndex(example, -1) {
		prefix, width := example[at[2]:at[3]], map[string]string{"r": "u32", "rd": "u64"}[example[at[2]:at[3]]]
		sum := "%" + prefix + "91"
		all = append(all, "\tadd."+width+" "+sum+", %"+prefix+"90, 16;\n\t"+example[:at[0]]+"["+sum+"]"+example[at[1]:]+"\n")
	}
	return all
}

// hints are rows of instructions with an address, without an access, whose machine instructions add a constant to it.
var hints = []string{"prefetch", "prefetchu", "discard", "applypriority"}

// addsConstants reports whether the instructions of a row add a constant to a register for their address. tcgen05
// arrives at mbarriers for tensor memory, whose address is in a uniform register, as are the addresses of bulk copies.
func addsConstants(s *isa.Spec) bool {
	switch {
	case s.Name == "tcgen05":
		return false
	case s.Kind == isa.Load, s.Kind == isa.Store, s.Kind == isa.Atomic:
		return true
	}
	return s.Name == "cp" && s.With == "async" || s.With == "" && slices.Contains(hints, s.Name)
}

// TestAccessesHaveConstants: loads, stores, atomics, copies of each lane and hints take the sum of a register and a
// constant as their address, so that no machine instruction computes it, whatever their row.
func TestAccessesHaveConstants(t *testing.T) {
	tried := 0
	for _, s := range isa.Specs() {
		if !addsConstants(s) {
			continue
		}
		for _, example := range s.Examples() {
			for _, code := range foldings(strings.TrimSpace(example)) {
				tried++
				if got := slotsOf(t, ".entry k()\n{\n"+code+"}", false); got[0] != "-" {
					t.Errorf("%s: the sum in its address becomes %s in\n%s", example, got[0], code)
				}
			}
		}
	}
	if tried < 50 {
		t.Errorf("%d examples have an address in a register", tried)
	}
}
