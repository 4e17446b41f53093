package check_test

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/check"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
)

// raceCase is a kernel of testdata/races and its races by the model of the package's documentation: "race-raw 5 7" is
// one between lines 5 and 7 of the body, in program order. prologue.s says what registers have.
type raceCase struct {
	name        string
	grid, block isa.Dim
	body        string
	want        []string
}

//go:embed testdata/races/prologue.s
var prologueText string

var prologue = kerneltest.OneLine(prologueText)

// races returns the cases of files of testdata/races.
func races(t *testing.T, files ...string) (all []raceCase) {
	t.Helper()
	for _, file := range files {
		for _, c := range kerneltest.Cases(t, "testdata/races/"+file+".txt", raceKeys...) {
			all = append(all, raceCase{c.Name, c.Dim(t, "grid"), c.Dim(t, "block"), c.Body, c.Values("finds")})
		}
	}
	return all
}

// raceFiles are the files of testdata/races whose races do not depend on copies or matrices.
var raceFiles = []string{"barriers", "values", "warps", "places", "atomics", "messages", "locks", "grids", "corners", "lockstep", "lanes"}

func (c *raceCase) source() string {
	return prologue + strings.TrimPrefix(c.body, "\n") + "\nret;\n}\n"
}

// run runs the case and returns the findings of the check.
func (c *raceCase) run(t *testing.T, model divergence.Model) []check.Finding {
	t.Helper()
	m, l, _ := launchOf(t, parsed(t, c.source()), interp.Config{Divergence: model, MaxSteps: 1e6}, c.grid, c.block)
	return findingsOf(t, m, &l)
}

// summary returns findings in the form of a raceCase, sorted.
func summary(fs []check.Finding) []string {
	var all []string
	for _, p := range pairs(fs) {
		all = append(all, fmt.Sprintf("%s %d %d", p.Rule, p.Earlier.Instr().Pos.Line, p.Later.Instr().Pos.Line))
	}
	slices.Sort(all)
	return all
}

// pairs returns the pairs of instructions of findings.
func pairs(fs []check.Finding) (all []check.Pair) {
	for _, f := range fs {
		all = append(append(all, check.Pair{Rule: f.Rule, Earlier: f.Earlier, Later: f.Later}), f.Also...)
	}
	return all
}

// raceKeys are the keys of cases in testdata/races.
var raceKeys = []string{"grid", "block", "finds", "advises"}

func TestRacesAreFound(t *testing.T) {
	seen := make(map[string]bool)
	for _, c := range races(t, append(raceFiles, "mbarriers", "matrices")...) {
		if seen[c.name] {
			t.Errorf("%s: two cases of that name", c.name)
		}
		seen[c.name] = true
		t.Run(c.name, func(t *testing.T) {
			got := c.run(t, divergence.IndependentThreads)
			if diff := cmp.Diff(c.want, summary(got)); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

var branches = regexp.MustCompile(`@|bra `)

// TestInactiveAddressesDoNotMatter: the addresses of lanes that do not execute an access do not affect the report.
func TestInactiveAddressesDoNotMatter(t *testing.T) {
	body := func(before, behind string) string {
		return `
setp.eq.u32 %p1, %r4, 0; mov.u32 %r10, 0; ` + before + ` @%p1 bra W;
setp.gt.u32 %p2, %r2, 1; @%p2 bra E; ` + behind + `
ld.shared.u32 %r11, [%r10]; bra E;
W: setp.eq.u32 %p3, %r2, 0; @%p3 st.shared.u32 [s], 1;
E:
`
	}
	const all, two = "mov.u32 %r12, s; add.u32 %r10, %r12, 0;", "mov.u32 %r12, s; mad.lo.u32 %r10, %r4, 0, %r12;"
	var reports []string
	for _, c := range []raceCase{{body: body(all, "")}, {body: body("shl.b32 %r10, %r1, 3;", two)}} {
		c.grid, c.block = dim(1, 1, 1), dim(64, 1, 1)
		for _, f := range c.run(t, divergence.IndependentThreads) {
			reports = append(reports, fmt.Sprint(f.Rule, f.Earlier.Lanes, f.Later.Lanes, f.Instances))
		}
	}
	if len(reports) != 2 || reports[0] != reports[1] {
		t.Errorf("reports %q", reports)
	}
}

// TestModelsAgree checks that the divergence model does not affect the findings of kernels without divergence.
func TestModelsAgree(t *testing.T) {
	n := 0
	for _, c := range races(t, "barriers", "values", "warps", "places", "atomics") {
		if branches.MatchString(c.body) {
			continue
		}
		n++
		want := c.run(t, divergence.IndependentThreads)
		for _, model := range []divergence.Model{divergence.ReconvergenceStack, divergence.LowestPC} {
			if diff := cmp.Diff(summary(want), summary(c.run(t, model))); diff != "" {
				t.Errorf("%s under %s (-its +it):\n%s", c.name, model, diff)
			}
		}
	}
	if n < 10 {
		t.Errorf("only %d cases without a branch", n)
	}
}

// TestLaunchesAreOrdered checks that everything in a launch happens before the next one starts.
func TestLaunchesAreOrdered(t *testing.T) {
	c := raceCase{body: "\nst.global.u32 [%rd1], %r3;\n"}
	m, l, _ := launchOf(t, parsed(t, c.source()), interp.Config{}, dim(1, 1, 1), dim(1, 1, 1))
	for range 2 {
		again := l
		if fs := findingsOf(t, m, &again); len(fs) > 0 {
			t.Errorf("%v", summary(fs))
		}
	}
}

func dim(x, y, z uint32) isa.Dim { return isa.Dim{X: x, Y: y, Z: z} }
