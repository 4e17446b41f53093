package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/needs"
)

// racing reads what another warp writes, and divides by zero, which is a warning.
//
//go:embed testdata/kernels/racing.s
var racing string

// allowing returns racing with a comment after the line that has a text.
func allowing(text, comment string) string {
	return strings.Replace(racing, text, text+" "+comment, 1)
}

func TestFindingsFail(t *testing.T) {
	const allow = "//sim:allow race-raw any value will do"
	writeFiles(t, map[string]string{
		"k.s": racing, "read.s": allowing("[s+128];", allow), "write.s": allowing("[%r2], %r1;", allow),
		"before.s": strings.Replace(racing, "\tld.shared.u32 %r4", "\t"+allow+"\n\tld.shared.u32 %r4", 1),
		"other.s":  allowing("[s+128];", "//sim:allow race-war any value will do"),
		"bad.s":    allowing("[s+128];", "//sim:allow race-raw"),
		"allowed":  "race-raw kernel=racing any value will do\ndiv-zero k.s:12 nobody uses it\nmbarrier-init k.s not there\n",
		"broken":   "race-raw k.s\n",
	})
	for _, c := range []struct {
		args   string
		code   int
		stderr string
	}{
		{"k.s --check race", 1, "simtrun: 1 error, 1 warning,"},
		{"k.s", 0, "[div-zero]"},
		{"k.s --fail-on warning", 1, "[div-zero]"},
		{"k.s --check race --fail-on never", 0, "[race-raw]"},
		{"k.s --check race --error-exitcode 42", 42, "[race-raw]"},
		{"k.s --error-exitcode 42", 0, ""},
		{"k.s --error-exitcode 42 --fail-on warning", 42, ""},
		{"k.s --check race --expect x[0]==9 --error-exitcode 42", 1, "[race-raw]"},
		{"read.s --check race", 0, "simtrun: 0 errors, 1 warning, 0 hidden (1 group from 2 instances)\nsimtrun: 1 finding suppressed, 0 in the baseline\n"},
		{"write.s --check race", 0, "simtrun: 1 finding suppressed"},
		{"before.s --check race", 0, "simtrun: 1 finding suppressed"},
		{"read.s", 0, ""},
		{"other.s --check race", 1, "other.s:11:30: warning: unused suppression: no finding of race-war matches it [suppression-unused]\n"},
		{"bad.s", 2, "bad.s:11:30: the reason is missing; expected //sim:allow RULE REASON"},
		{"k.s --check race --suppressions allowed --fail-on warning", 0, "allowed:3:1: note: unused suppression: no finding of mbarrier-init matches it [suppression-unused]\nsimtrun: 2 findings suppressed"},
		{"k.s --suppressions broken", 2, "broken:1:1: the reason is missing"},
		{"k.s --suppressions none", 2, "none"},
		{"k.s --baseline k.s", 2, "--baseline k.s: not a SARIF file"},
		{"k.s --error-exitcode 256", 2, "expected a status from 1 to 255"},
	} {
		got := typed(t, append([]string{"run", "-q"}, strings.Fields(c.args)...)...)
		if got.code != c.code || !strings.Contains(got.stderr, c.stderr) {
			t.Errorf("%s: exit %d, expected %d and %q\n%s", c.args, got.code, c.code, c.stderr, got.stderr)
		}
	}
	if got := typed(t, "read.s", "--check", "race"); strings.Contains(got.stdout, "findings 2") || !strings.Contains(got.stdout, "\nok  ") {
		t.Errorf("the output counts findings that are allowed:\n%s", got.stdout)
	}
}

func TestFaultsAlwaysFail(t *testing.T) {
	const wild = "\tst.global.u32 [12], 1; //sim:allow mem-space why\n\tret;"
	writeFiles(t, map[string]string{"k.s": strings.Replace(racing, "\tret;", wild, 1), "allowed": "mem-space * why\n"})
	for args, code := range map[string]int{
		"--suppressions allowed": exitFault, "--fail-on never": exitFault, "--error-exitcode 9": 9,
		"--sarif out.sarif": exitFault, "--baseline out.sarif": exitFault,
	} {
		if strings.HasPrefix(args, "--baseline") {
			typed(t, "k.s", "--sarif", "out.sarif")
		}
		if got := typed(t, append([]string{"run", "k.s"}, strings.Fields(args)...)...); got.code != code {
			t.Errorf("%s: exit %d, expected %d\n%s", args, got.code, code, got.stderr)
		} else if !strings.Contains(got.stderr, "a fault or hang such as this mem-space cannot be suppressed") {
			t.Errorf("%s: the output does not say why the suppression has no effect\n%s", args, got.stderr)
		}
	}
}

// idsIn returns the identities of the findings in a JSON object, by rule.
func idsIn(t *testing.T, text string) map[string]string {
	t.Helper()
	var object struct {
		Findings []struct{ Rule, ID string }
	}
	if err := json.Unmarshal([]byte(text), &object); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	ids := make(map[string]string)
	for _, f := range object.Findings {
		ids[f.Rule] = f.ID
	}
	return ids
}

// TestBaselineHidesOldFindings checks that findings of an earlier run do not fail after lines were added and with other
// blocks, that new ones do, and that all forms name findings in the same way.
func TestBaselineHidesOldFindings(t *testing.T) {
	writeFiles(t, map[string]string{"k.s": racing})
	got := typed(t, "k.s", "--check", "race", "--sarif", "out.sarif", "--junit", "out.xml", "--github", "--json")
	if got.code != 1 || !strings.Contains(got.stderr, "::error file=k.s,line=11,col=2,title=race-raw::") || !strings.Contains(got.stderr, "::warning file=k.s,line=12,col=2,title=div-zero::") {
		t.Errorf("%+v", got)
	}
	xml, err := os.ReadFile("out.xml")
	if err != nil || !strings.Contains(string(xml), `<testcase classname="k.s" name="race-raw k.s:11 in racing">`) || !strings.Contains(string(xml), `<testsuites tests="3" failures="1">`) {
		t.Errorf("%v: %s", err, xml)
	}
	sarif, err := os.ReadFile("out.sarif")
	if err != nil {
		t.Fatal(err)
	}
	ids := idsIn(t, got.stdout)
	for rule, id := range ids {
		if !strings.Contains(string(sarif), `"simtrun/v1": "`+id+`"`) {
			t.Errorf("%s %s is not in\n%s", rule, id, sarif)
		}
	}
	writeFile := func(text string) {
		if err := os.WriteFile("k.s", []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	writeFile("// a\n// b\n" + racing)
	again := typed(t, "k.s", "--check", "race", "--grid", "3", "-j", "3", "--baseline", "out.sarif", "--fail-on", "warning", "--json")
	for rule, id := range idsIn(t, again.stdout) {
		if id != ids[rule] {
			t.Errorf("%s was %s and is %s", rule, ids[rule], id)
		}
	}
	if again.code != 0 || !strings.Contains(again.stdout, `"known":true`) || !strings.Contains(again.stderr, "simtrun: 0 findings suppressed, 2 in the baseline\n") {
		t.Errorf("%+v", again)
	}
	writeFile(strings.Replace(racing, "[s+128]", "[s+132]", 1))
	if got := typed(t, "k.s", "--check", "race", "--baseline", "out.sarif"); got.code != 1 || !strings.Contains(got.stderr, "1 in the baseline") {
		t.Errorf("a new finding: %+v", got)
	}
}

// TestPageConvertsSARIFForGitLab checks that the line with jq in docs/ci.md makes of real SARIF files what GitLab takes
// as code quality: an array of all findings that are not suppressed, with its severities.
func TestPageConvertsSARIFForGitLab(t *testing.T) {
	jq := needs.Tool(t, "jq")
	page, err := os.ReadFile("../../docs/ci.md")
	if err != nil {
		t.Fatal(err)
	}
	program := regexp.MustCompile(`jq -s '([^']+)' \*\.sarif >codequality\.json\n`).FindSubmatch(page)
	if program == nil {
		t.Fatal("docs/ci.md has no line with jq")
	}
	writeFiles(t, map[string]string{"k.s": racing, "b.s": allowing("[s+128];", "//sim:allow race-raw any value will do")})
	typed(t, "k.s", "--check", "race", "--sarif", "a.sarif")
	typed(t, "b.s", "--check", "race", "--sarif", "b.sarif")
	out, err := exec.Command(jq, "-s", string(program[1]), "a.sarif", "b.sarif").CombinedOutput()
	var got []struct {
		Description, Fingerprint, Severity string
		CheckName                          string `json:"check_name"`
		Location                           struct {
			Path  string
			Lines struct{ Begin int }
		}
	}
	if err != nil || json.Unmarshal(out, &got) != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	seen := make(map[string]bool)
	for _, f := range got {
		seen[fmt.Sprintf("%s %s %s:%d", f.Severity, f.CheckName, f.Location.Path, f.Location.Lines.Begin)] = true
		if f.Description == "" || len(f.Fingerprint) != 16 {
			t.Errorf("%+v lacks a part", f)
		}
	}
	for want, there := range map[string]bool{"major race-raw k.s:11": true, "minor div-zero k.s:12": true, "major race-raw b.s:11": false} {
		if seen[want] != there {
			t.Errorf("%s: %v in\n%s", want, seen[want], out)
		}
	}
}

func TestTestChecksCases(t *testing.T) {
	writeFiles(t, map[string]string{
		"a/k.s": racing, "b/k.s": allowing("[s+128];", "//sim:allow race-raw any value will do"),
		"c/k.s": triple, "d/k.s": racing, "d/k.golden": "-- stderr --\nwrong\n",
	})
	got := typed(t, "test", "--check", "race", "--sarif", "out.sarif", "--junit", "out.xml", "./a", "./b", "./c")
	if got.code != 1 || !strings.Contains(got.stdout, "FAIL  a/k.s\n  a/k.s:11:2: error: race: read not ordered after another lane's write; write at a/k.s:10 [race-raw]\n") || strings.Contains(got.stdout, "FAIL  b") {
		t.Errorf("%+v", got)
	}
	sarif, err := os.ReadFile("out.sarif")
	if err != nil || strings.Count(string(sarif), `"ruleId": "race-raw"`) != 2 || !strings.Contains(string(sarif), `"uri": "b/k.s"`) || !strings.Contains(string(sarif), `"kind": "inSource"`) {
		t.Errorf("%v: %s", err, sarif)
	}
	for args, code := range map[string]int{
		"./a": 0, "--check race --fail-on never ./a": 0, "--check race --error-exitcode 42 ./a": 42, "--fail-on warning ./a": 1,
		"--check race --baseline out.sarif ./a ./b": 0, "--check race ./b": 0,
	} {
		if got := typed(t, append([]string{"test"}, strings.Fields(args)...)...); got.code != code {
			t.Errorf("%s: exit %d, expected %d: %+v", args, got.code, code, got)
		}
	}
}
