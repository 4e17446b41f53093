package main

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/docs"
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

// TestRuleExamples runs the example command of every rule, which must have a finding of that rule; under -short that
// of every sixteenth rule.
func TestRuleExamples(t *testing.T) {
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
