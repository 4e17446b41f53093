package isa_test

import (
	_ "embed"
	"slices"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/isa"
)

// statedNeeds are forms of the instructions behind CCCL's cuda::ptx functions, with the versions and targets that the
// comments on these functions state. A line with a version is followed by the forms that it holds for, indented. Forms
// for which these comments say something else than the notes of the ISA are left out: .kind::i8 and .kind::mxf4nvf4,
// .multicast::cluster, which the ISA only discourages on other targets, and .relaxed of mbarrier.
//
//go:embed testdata/needs.txt
var statedNeeds string

// TestNeedsMatchStatedOnes compares the rules of versions and targets with statedNeeds. A list with an a or f target is
// complete among the architectures that it is compared with; one with a plain target stands for all from that on.
func TestNeedsMatchStatedOnes(t *testing.T) {
	universe := strings.Fields("sm_50 sm_60 sm_70 sm_75 sm_80 sm_89 sm_90 sm_90a sm_100 sm_100a sm_100f sm_103a")
	var version isa.Version
	var targets []string
	forms := 0
	for line := range strings.Lines(statedNeeds) {
		fields := strings.Fields(line)
		if line[0] != '\t' {
			version, _ = isa.ParseVersion(fields[0])
			targets = fields[1:]
			continue
		}
		forms++
		need := isa.NeedOf(fields[0])
		if need.Version != version && !(version <= 20 && need.Version == 0) { // the first versions are left out of the rules
			t.Errorf("%s: version %s, want %s", fields[0], need.Version, version)
		}
		for _, name := range universe {
			arch, _ := isa.ParseArch(name)
			want := slices.Contains(targets, name)
			if least, _ := isa.ParseArch(targets[0]); len(targets) == 1 && least.Suffix == 0 {
				want = arch.SM >= least.SM
			}
			if least, _ := isa.ParseArch(targets[0]); least.SM == 50 && arch.SM <= 50 {
				continue // CCCL supports nothing older
			}
			if has := need.Unmet(0, arch) == ""; has != want {
				t.Errorf("%s: %s has it: %v, want %v", fields[0], name, has, want)
			}
		}
	}
	if forms < 440 {
		t.Errorf("%d forms", forms)
	}
}
