package verdict

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/simtrun/simtrun/internal/check"
	"github.com/simtrun/simtrun/internal/docs"
)

// sarifOf returns the SARIF file of findings of every kind: suppressed, known, fatal, without a place, outside of the
// folder.
func sarifOf(t *testing.T) []byte {
	t.Helper()
	known := race("a dir/k%.cu", 10, 5, "x = s[0];")
	p := &Policy{Suppressions: &Suppressions{}, Known: map[string]bool{idsOf(known)[10]: true}}
	if err := p.Suppressions.AddSource("k.cu", []byte("x = s[0]; //sim:allow race-raw why\ny(); //sim:allow race-raw why\n")); err != nil {
		t.Fatal(err)
	}
	fault := Finding{Rule: "mem-oob", Severity: check.Error, Message: "store past the end of x", At: Place{File: "/elsewhere/k.s", Line: 8}, Fatal: true}
	return p.JudgeAll([]Finding{known, race("k.cu", 1, 1, "x = s[0];"), fault, {Rule: "host-memory", Severity: check.Error, Message: "too much"}}).SARIF(Tool{"1.2.3", "v1.2.3", "tests/sum"}, true, true, 4)
}

// TestSARIFFitsSchema checks the file against testdata/sarif.schema.json: what the schema of SARIF 2.1.0 requires of
// the objects that are written. It allows no other keys.
func TestSARIFFitsSchema(t *testing.T) {
	file, err := os.Open("testdata/sarif.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	schema, err := jsonschema.UnmarshalJSON(file)
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("sarif.json", schema); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("sarif.json")
	if err != nil {
		t.Fatal(err)
	}
	empty := (&Policy{}).Judge(nil).SARIF(Tool{"1.2.3", "", ""}, false, false, 2)
	for _, text := range [][]byte{sarifOf(t), empty} {
		object, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := compiled.Validate(object); err != nil {
			t.Errorf("%v\n%s", err, text)
		}
	}
}

func TestSARIFHasAllResults(t *testing.T) {
	text := sarifOf(t)
	var log sarifLog
	if err := json.Unmarshal(text, &log); err != nil {
		t.Fatal(err)
	}
	run := log.Runs[0]
	if run.Automation == nil || run.Automation.ID != "tests/sum/" {
		t.Errorf("automationDetails is %+v", run.Automation)
	}
	results := make(map[string]*sarifResult)
	for i := range run.Results {
		r := &run.Results[i]
		if rule := run.Tool.Driver.Rules[r.RuleIndex]; rule.ID != r.RuleID || rule.Short.Text == "." || strings.Contains(rule.Full.Text, "](") {
			t.Errorf("rule %d of %s is %+v", r.RuleIndex, r.RuleID, rule)
		}
		key := r.RuleID + " " + r.Baseline
		if len(r.Suppressions) > 0 {
			key += " " + r.Suppressions[0].Kind + " " + r.Suppressions[0].Justification
		}
		if results[key] != nil {
			t.Errorf("two results %s", key)
		}
		results[key] = r
	}
	for key, want := range map[string]string{
		"race-raw unchanged":        "a%20dir/k%25.cu",
		"race-raw new inSource why": "k.cu",
		"mem-oob new":               "file:///elsewhere/k.s",
		"suppression-unused new":    "k.cu",
	} {
		r := results[key]
		if r == nil {
			t.Errorf("no result %s in\n%s", key, text)
			continue
		}
		if got := r.Locations[0].Physical.Artifact.URI; got != want {
			t.Errorf("%s is in %s, not %s", key, got, want)
		}
	}
	if r := results["host-memory new"]; len(r.Locations) != 0 {
		t.Errorf("a finding without a place is at %+v", r.Locations)
	}
}

// TestSARIFLeadsToPagesOfItsVersion: links lead to the pages of the revision that wrote the file, and not to newer
// ones.
func TestSARIFLeadsToPagesOfItsVersion(t *testing.T) {
	text := string(sarifOf(t))
	if !strings.Contains(text, `"helpUri": "https://github.com/simtrun/simtrun/blob/v1.2.3/docs/rules.md#mem-oob"`) || strings.Contains(text, "/blob/main/") {
		t.Errorf("%s", text)
	}
}

// TestHelpOfRulesIsReadableElsewhere checks the help of all rules: viewers show it without the page, so that links need
// whole addresses, and some show the text, which has neither links nor other marks of Markdown outside of code.
func TestHelpOfRulesIsReadableElsewhere(t *testing.T) {
	absolute := 0
	for _, id := range docs.Rules() {
		r := (&Verdict{}).ruleOf(id, Tool{}.rulesPage())
		for _, m := range links.FindAllStringSubmatch(r.Help.Markdown, -1) {
			if !strings.HasPrefix(m[2], "https://") {
				t.Errorf("%s links to %s", id, m[2])
			}
			absolute++
		}
		for _, text := range []string{r.Short.Text, r.Full.Text, r.Help.Text} {
			if strings.Contains(text, "**") || strings.Contains(text, "```") || links.MatchString(text) {
				t.Errorf("%s has Markdown in\n%s", id, text)
			}
		}
	}
	if absolute == 0 {
		t.Error("no rule has a link")
	}
	const page = "**Cause.** See [check.md](check.md#a), [here](#b), [dir](../cuda/x).\n\n    a[i](b)\n```\n[&](int i)\n```\n"
	const base = "https://github.com/simtrun/simtrun/blob/main/"
	if got, want := linked(page, base+"docs/rules.md", "[$1]($2)"), "**Cause.** See [check.md]("+base+"docs/check.md#a), [here]("+base+"docs/rules.md#b), [dir]("+base+
		"cuda/x).\n\n    a[i](b)\n```\n[&](int i)\n```\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := plain(page, base+"docs/rules.md"), "Cause. See check.md <"+base+"docs/check.md#a>, here <"+base+"docs/rules.md#b>, dir <"+base+"cuda/x>.\n\n    a[i](b)\n[&](int i)\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPathsStartAtCurrentFolder(t *testing.T) {
	here, err := filepath.Abs("k.cu")
	if err != nil {
		t.Fatal(err)
	}
	if got := artifactOf(here); got != (sarifArtifact{"k.cu", sourceRoot}) {
		t.Errorf("%+v", got)
	}
}

// TestBaselineHasFindingsThatCount checks that a written file, read as a baseline, makes the same findings known,
// except those that were suppressed.
func TestBaselineHasFindingsThatCount(t *testing.T) {
	a, b := race("k.cu", 18, 15, "a"), race("k.cu", 20, 15, "b")
	p := &Policy{Suppressions: &Suppressions{}}
	if err := p.Suppressions.AddFile("s", []byte("race-raw k.cu:20 why\n")); err != nil {
		t.Fatal(err)
	}
	known, err := ReadBaseline(p.JudgeAll([]Finding{a, b}).SARIF(Tool{}, false, true, 1))
	if err != nil {
		t.Fatal(err)
	}
	moved := race("k.cu", 118, 115, "a")
	v := (&Policy{Known: known}).JudgeAll([]Finding{moved, b})
	if failing := v.Failing(); len(failing) != 1 || failing[0].At.Text != "b" {
		t.Errorf("%d findings fail: %+v", len(failing), failing)
	}
	for text, want := range map[string]string{
		"": "not a SARIF file", "{}": "not a SARIF file of version 2.1.0", `{"version":"2.1.0","runs":[{"results":[{"ruleId":"x"}]}]}`: "only files of simtrun --sarif",
	} {
		if _, err := ReadBaseline([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestSARIFHasBothNamesOfAKernel: fullyQualifiedName is for people, and decoratedName is what a linker sees (SARIF
// 2.1.0 3.33.5 and 3.33.6).
func TestSARIFHasBothNamesOfAKernel(t *testing.T) {
	for kernel, want := range map[string]sarifLogical{
		"_Z5scaleIfEvPT_i": {Name: "scale<float>", Full: "scale<float>(float*, int)", Decorated: "_Z5scaleIfEvPT_i", Kind: "function"},
		"add":              {Name: "add", Full: "add", Kind: "function"},
	} {
		f := Finding{Rule: "race-raw", Kernel: kernel, At: Place{File: "k.cu", Line: 3}}
		if got := resultOf(&f).Locations[0].Logical; len(got) != 1 || got[0] != want {
			t.Errorf("%s: %+v, want %+v", kernel, got, want)
		}
	}
}
