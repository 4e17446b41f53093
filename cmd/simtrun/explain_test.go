package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/docs"
	"github.com/simtrun/simtrun/internal/short"
)

// TestRulesAreExplained checks that docs/rules.md has a section for every rule that the sources name, and for no
// other.
func TestRulesAreExplained(t *testing.T) {
	want := []string{ruleTimeout}
	for file, pattern := range map[string]string{
		"../../interp/rule.go":               `Rule = "([a-z-]+)"`,
		"../../memory/errors.go":             `errors\.New\("([a-z-]+)"\)`,
		"../../internal/check/finding.go":    `\{"([a-z-]+)", (?:Error|Warning|Info),`,
		"../../internal/report/finding.go":   `rule[A-Z]\w+ += "([a-z-]+)"`,
		"../../internal/verdict/suppress.go": `RuleUnused = "([a-z-]+)"`,
		"../../cuda/rules.go":                `Rule\w+ += "([a-z-]+)" *// `,
	} {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		found := regexp.MustCompile(pattern).FindAllSubmatch(src, -1)
		if len(found) == 0 {
			t.Fatalf("%s names no rule", file)
		}
		for _, m := range found {
			want = append(want, string(m[1]))
		}
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, slices.Sorted(slices.Values(docs.Rules()))); diff != "" {
		t.Errorf("rules (-sources +docs/rules.md):\n%s", diff)
	}
	for _, rule := range docs.Rules() {
		if text := docs.Rule(rule); !strings.Contains(text, "**Cause.**") || !strings.Contains(text, "**Fix.**") || !strings.Contains(text, "simtrun docs/rules/"+rule+".s") && !isOfHost(rule) {
			t.Errorf("%s: no cause, example or fix:\n%s", rule, text)
		}
	}
}

// isOfHost reports whether the example of a rule is a program that simtrun host runs. cuda/driver tests those.
func isOfHost(rule string) bool {
	return strings.Contains(docs.Rule(rule), "    simtrun host --check ")
}

// TestRuleExamplesHaveTheirFinding runs the example command of every rule, which must have a finding of that rule;
// under -short that of every sixteenth rule.
func TestRuleExamplesHaveTheirFinding(t *testing.T) {
	for i, rule := range docs.Rules() {
		if short.Skips(i) || isOfHost(rule) {
			continue
		}
		const command = "$ simtrun docs/rules/"
		_, flags, _ := strings.Cut(docs.Rule(rule), command+rule+".s")
		flags, _, _ = strings.Cut(flags, "\n")
		args := append([]string{"run", "../../docs/rules/" + rule + ".s", "--json"}, strings.Fields(flags)...)
		if rule == ruleTimeout {
			args = append(args, "--timeout", "50ms")
		}
		out := typed(t, args...).stdout
		var object struct {
			Findings []struct{ Rule, Severity string }
		}
		if err := json.Unmarshal(bytes.TrimSpace([]byte(out)), &object); err != nil {
			t.Fatalf("%s: %v\n%s", rule, err, out)
		}
		if !slices.ContainsFunc(object.Findings, func(f struct{ Rule, Severity string }) bool { return f.Rule == rule }) {
			t.Errorf("%s: its example has %v", rule, object.Findings)
		}
	}
}

// cudaExample matches the example in CUDA C++ of a rule: lines with - are wrong, and lines with + are right in their
// place.
var cudaExample = regexp.MustCompile("(?s)\n```diff\n(.*?)```")

// TestCUDAExamplesHaveTheirFinding: the example in CUDA C++ of a rule has a finding of that rule, and no finding once
// it is mended. The rules that programs meet most have one.
func TestCUDAExamplesHaveTheirFinding(t *testing.T) {
	short.Skip(t)
	needsClang(t)
	examples := map[string]int{}
	for i, rule := range docs.Rules() {
		example := cudaExample.FindStringSubmatch(docs.Rule(rule))
		if example == nil {
			continue
		}
		family, _, _ := strings.Cut(rule, "-")
		examples[family]++
		if short.Waits(i, 4) {
			continue
		}
		if found := rulesFound(t, withoutMark(example[1], '+')); !slices.Contains(found, rule) {
			t.Errorf("%s: its example in CUDA C++ has %v", rule, found)
		}
		if found := rulesFound(t, withoutMark(example[1], '-')); len(found) > 0 {
			t.Errorf("%s: its mended example in CUDA C++ has %v", rule, found)
		}
	}
	for family, least := range map[string]int{"race": 4, "init": 3, "sync": 4, "mem": 4} {
		if examples[family] < least {
			t.Errorf("%d rules %s-* have examples in CUDA C++, want %d or more", examples[family], family, least)
		}
	}
}

// withoutMark returns a side of a difference: without the lines of the mark, and without the column of marks.
func withoutMark(diff string, mark byte) string {
	var side strings.Builder
	for line := range strings.Lines(diff) {
		if line[0] != mark {
			side.WriteString(line[min(2, len(line)-1):])
		}
	}
	return side.String()
}

// rulesFound returns the rules of the findings in a source of CUDA C++, with all checks.
func rulesFound(t *testing.T, source string) []string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "k.cu")
	if err := os.WriteFile(file, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	got := typed(t, "run", file, "--check", "all", "--json")
	var object struct{ Findings []struct{ Rule string } }
	if err := json.Unmarshal(bytes.TrimSpace([]byte(got.stdout)), &object); err != nil {
		t.Fatalf("%v\n%s\n%s", err, got.stderr, source)
	}
	var rules []string
	for _, f := range object.Findings {
		rules = append(rules, f.Rule)
	}
	return rules
}

// TestWordsAreSearched: explain and metrics list what has a word in its name or definition, and correct misspelt names.
func TestWordsAreSearched(t *testing.T) {
	for _, c := range []struct {
		args string
		code int
		want []string
	}{
		{"explain barrier", 0, []string{"\nsync-diverged\n    Some lanes of a warp execute a barrier", "barrier-"}},
		{"explain race", 0, []string{"race-raw\n", "race-lockstep\n", "stream-race\n"}},
		{"explain mem-obb", exitUsage, []string{"did you mean mem-oob?"}},
		{"explain xyzzy", exitUsage, []string{"no rule xyzzy; simtrun explain lists all"}},
		{"metrics stall", 0, []string{"stalled_barrier (cycle/issue)\n", "cycles_dispatch_stall (cycle)\n"}},
		{"metrics dispatcher", 0, []string{"cycles_dispatch_stall (cycle)\n"}},
		{"metrics warps_aktive", exitUsage, []string{"did you mean warps_active?"}},
		{"metrics xyzzy", exitUsage, []string{"no metric \"xyzzy\"; simtrun metrics lists them"}},
	} {
		got := typed(t, strings.Fields(c.args)...)
		for _, want := range c.want {
			if got.code != c.code || !strings.Contains("\n"+got.stdout+got.stderr, want) {
				t.Errorf("%s: no %q in %+v", c.args, want, got)
			}
		}
	}
}
