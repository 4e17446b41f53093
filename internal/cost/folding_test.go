package cost_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/isa"
)

// registerAddress is an address in a register, without or with a constant.
var registerAddress = regexp.MustCompile(`\[%(rd?)\d+(\+\d+)?\]`)

// folding returns an addition of a constant, and an instruction with the sum as its address; "" if the example has no
// address in a register.
func folding(example string) string {
	at := registerAddress.FindStringSubmatchIndex(example)
	if at == nil {
		return ""
	}
	prefix, width := example[at[2]:at[3]], map[string]string{"r": "u32", "rd": "u64"}[example[at[2]:at[3]]]
	sum := "%" + prefix + "91"
	return "\tadd." + width + " " + sum + ", %" + prefix + "90, 16;\n\t" + example[:at[0]] + "[" + sum + "]" + example[at[1]:] + "\n"
}

// TestAccessesHaveConstants: loads, stores and atomics take the sum of a register and a constant as their address, so
// that no machine instruction computes it, whatever their row. The exceptions arrive at mbarriers for tensor memory,
// whose address is in a uniform register.
func TestAccessesHaveConstants(t *testing.T) {
	tried := 0
	for _, s := range isa.Specs() {
		if s.Kind != isa.Load && s.Kind != isa.Store && s.Kind != isa.Atomic || s.Name == "tcgen05" {
			continue
		}
		for _, example := range s.Examples() {
			code := folding(strings.TrimSpace(example))
			if code == "" {
				continue
			}
			tried++
			if got := slotsOf(t, ".entry k()\n{\n"+code+"}", false); got[0] != "-" {
				t.Errorf("%s: the sum in its address becomes %s", example, got[0])
			}
		}
	}
	if tried < 40 {
		t.Errorf("%d examples have an address in a register", tried)
	}
}
