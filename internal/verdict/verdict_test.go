package verdict

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/check"
)

// race returns a race in kernel k between two lines of a file.
func race(file string, line, other int, text string) Finding {
	return Finding{Rule: "race-raw", Severity: check.Error, Message: "race: read not ordered after another lane's write", Kernel: "k", Count: 2,
		At: Place{File: file, Line: line, Column: 5, Text: text}, Other: []Place{{File: file, Line: other, Column: 5, Text: "s[i] = 1;", Role: "write"}}}
}

// idsOf returns the IDs of findings by their line.
func idsOf(all ...Finding) map[int]string {
	ids := make(map[int]string)
	for _, f := range (&Policy{}).Judge(all).Findings {
		ids[f.At.Line] = f.ID
	}
	return ids
}

func TestIdentityIsIndependentOfLineNumbersAndValues(t *testing.T) {
	a, b := race("k.cu", 18, 15, "x = s[0];"), race("k.cu", 118, 115, "x  =\ts[0];")
	b.Message, b.Count, b.At.Column = "another text", 7, 9
	if before, after := idsOf(a)[18], idsOf(b)[118]; before != after || len(before) != 16 {
		t.Errorf("%q, %q after lines were added", before, after)
	}
}

func TestIdentitiesDiffer(t *testing.T) {
	base := race("k.cu", 18, 15, "x = s[0];")
	seen := map[string]string{idsOf(base)[18]: "the finding"}
	for name, change := range map[string]func(f *Finding){
		"rule":       func(f *Finding) { f.Rule = "race-war" },
		"kernel":     func(f *Finding) { f.Kernel = "k2" },
		"file":       func(f *Finding) { f.At.File = "other.cu" },
		"text":       func(f *Finding) { f.At.Text = "x = s[1];" },
		"other text": func(f *Finding) { f.Other[0].Text = "s[i] = 2;" },
	} {
		f := race("k.cu", 18, 15, "x = s[0];")
		change(&f)
		id := idsOf(f)[18]
		if same := seen[id]; same != "" {
			t.Errorf("another %s: as %s", name, same)
		}
		seen[id] = "another " + name
	}
}

func TestEqualLinesAreNumberedFromTheTop(t *testing.T) {
	a, b := race("k.cu", 10, 5, "x = s[0];"), race("k.cu", 20, 5, "x = s[0];")
	ids, swapped := idsOf(a, b), idsOf(b, a)
	if ids[10] == ids[20] || ids[10] != swapped[10] || ids[20] != swapped[20] || ids[10] != idsOf(a)[10] {
		t.Errorf("%v, in the other order %v", ids, swapped)
	}
}

func TestFindingsOfSeveralLaunchesAreOne(t *testing.T) {
	v := (&Policy{}).Judge([]Finding{race("k.cu", 18, 15, "a"), race("k.cu", 18, 15, "a")})
	if len(v.Findings) != 1 || v.Findings[0].Count != 4 {
		t.Errorf("%d findings, of which the first is %+v", len(v.Findings), v.Findings[0])
	}
}

func TestLevelsDecideFailure(t *testing.T) {
	for _, c := range []struct {
		level    string
		severity check.Severity
		fatal    bool
		want     bool
	}{
		{"error", check.Info, false, false},
		{"error", check.Warning, false, false},
		{"error", check.Error, false, true},
		{"warning", check.Info, false, false},
		{"warning", check.Warning, false, true},
		{"warning", check.Error, false, true},
		{"never", check.Warning, false, false},
		{"never", check.Error, false, false},
		{"never", check.Error, true, true},
	} {
		var p Policy
		if err := p.FailOn.Set(c.level); err != nil {
			t.Fatal(err)
		}
		f := race("k.cu", 18, 15, "a")
		f.Severity, f.Fatal = c.severity, c.fatal
		if got := p.Judge([]Finding{f}).Fails(); got != c.want {
			t.Errorf("%+v: fails %v", c, got)
		}
	}
	if err := new(Level).Set("info"); err == nil {
		t.Error("level info is accepted")
	}
}

func TestSuppressionsMatchFiles(t *testing.T) {
	f := race("src/vendor/k.cuh", 18, 15, "a")
	f.Kernel = "_Z6reduceILi4EEvPi"
	id := idsOf(f)[18]
	for line, want := range map[string]bool{
		"race-raw * why":                              true,
		"race-* * why":                                true,
		"race-war * why":                              false,
		"race-raw k.cuh why":                          true,
		"race-raw vendor/*.cuh why":                   true,
		"race-raw ./src/vendor/k.cuh why":             true,
		"race-raw other/k.cuh why":                    false,
		"race-raw src/*.cuh why":                      false,
		"race-raw k.cuh:18 why":                       true,
		"race-raw k.cuh:15 the other side":            true,
		"race-raw k.cuh:17 why":                       false,
		"race-raw kernel=reduce* why":                 true,
		"race-raw kernel=_Z6reduce* why":              true,
		"race-raw kernel=scan why":                    false,
		"race-raw id=" + id + " why":                  true,
		"race-raw id=0000000000000000 why":            false,
		"race-raw\tkernel=reduce<4>\ttabs are blanks": true,
	} {
		p := &Policy{Suppressions: &Suppressions{}}
		if err := p.Suppressions.AddFile("s.txt", []byte("# comment\n\n"+line+"\r\n")); err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		v := p.JudgeAll([]Finding{f})
		if got := !v.Fails(); got != want {
			t.Errorf("%q allows: %v", line, got)
		}
		if unused := v.Unused(); len(unused) == 1 == want || !want && (unused[0].Severity != check.Info || unused[0].At.Line != 3) {
			t.Errorf("%q: unused %v", line, unused)
		}
	}
}

func TestSuppressionsMatchSourceLines(t *testing.T) {
	for name, c := range map[string]struct {
		source string
		want   bool
	}{
		"on the line":            {"\n\nx = s[0]; //sim:allow race-raw why\n", true},
		"on the other line":      {"s[i] = 1; //sim:allow race-raw why\n\nx = s[0];\n", true},
		"before the line":        {"\n  //sim:allow race-raw why\nx = s[0];\n", true},
		"two before, and blanks": {"//sim:allow race-raw why\n//sim:allow div-zero why\n\n// note\nx = s[0];\n", true},
		"after a string":         {"\n\nputs(\"// \\\\\"); x = s[0]; //sim:allow race-raw why\n", true},
		"another rule":           {"\n\nx = s[0]; //sim:allow race-war why\n", false},
		"another line":           {"\nf(); //sim:allow race-raw why\nx = s[0];\n", false},
		"in a comment":           {"\n/*\n//sim:allow race-raw why\n*/x = s[0];\n", false},
		"in a string":            {"\n\nputs(\"//sim:allow race-raw why\");\n", false},
		"another word":           {"\n\nx = s[0]; //sim:allowed race-raw why\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			line := 3
			if name == "two before, and blanks" {
				line = 5
			}
			p := &Policy{Suppressions: &Suppressions{}}
			if err := p.Suppressions.AddSource("src/k.cu", []byte(c.source)); err != nil {
				t.Fatal(err)
			}
			v := p.Judge([]Finding{race("k.cu", line, 1, "x = s[0];")})
			if got := !v.Fails(); got != c.want {
				t.Errorf("allowed: %v", got)
			}
			if c.want && !v.Findings[0].Suppressed.InSource {
				t.Error("the suppression is not in the source")
			}
		})
	}
}

func TestUnusedSuppressionsInSourceAreWarnings(t *testing.T) {
	p := &Policy{FailOn: OnWarning, Suppressions: &Suppressions{}, Looked: func(rule string) bool { return rule == "race-raw" }}
	if err := p.Suppressions.AddSource("k.cu", []byte("a(); //sim:allow race-raw why\nb(); //sim:allow init-shared why\n")); err != nil {
		t.Fatal(err)
	}
	v := p.JudgeAll(nil)
	if !v.Fails() || len(v.Findings) != 1 || v.Findings[0].Rule != RuleUnused || v.Findings[0].At.Line != 1 || v.Findings[0].At.Column != 6 {
		t.Errorf("%+v", v.Findings)
	}
}

func TestBadSuppressionsAreExplained(t *testing.T) {
	for line, want := range map[string]string{
		"race-raw k.cu":         "s:1:1: the reason is missing; expected RULE PLACE REASON",
		"race-raw":              "s:1:1: the reason is missing",
		"race-row * why":        "s:1:1: no rule race-row; did you mean race-raw?",
		"race-raw k[.cu why":    `s:1:1: "k[.cu" is not a pattern`,
		"race-raw kernel=[ why": `s:1:1: "[" is not a pattern`,
		"[ * why":               `s:1:1: "[" is not a pattern`,
	} {
		if err := new(Suppressions).AddFile("s", []byte(line)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", line, err)
		}
	}
	for line, want := range map[string]string{
		"f(); //sim:allow race-raw":   "k.cu:1:6: the reason is missing; expected //sim:allow RULE REASON",
		"//sim:allow":                 "k.cu:1:1: no rule; expected //sim:allow RULE REASON",
		"//sim:allow no-such why not": "k.cu:1:1: no rule no-such",
	} {
		if err := new(Suppressions).AddSource("k.cu", []byte(line)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", line, err)
		}
	}
}

func TestAnnotationsAreEscaped(t *testing.T) {
	f := race("src/k.cu", 18, 15, "a")
	f.Message = "50%\nnot"
	warning := Finding{Rule: "mbarrier-init", Severity: check.Warning, Message: "again", At: Place{File: "a,b:c.s", Line: 3}}
	info := Finding{Rule: "race-same-value", Severity: check.Info, Message: "same"}
	var b strings.Builder
	(&Policy{}).Judge([]Finding{f, warning, info}).WriteAnnotations(&b)
	const want = `::notice title=race-same-value::same
::warning file=a%2Cb%3Ac.s,line=3,title=mbarrier-init::again
::error file=src/k.cu,line=18,col=5,title=race-raw::50%25%0Anot; write at src/k.cu:15
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestJUnitHasCasePerFinding(t *testing.T) {
	p := &Policy{Suppressions: &Suppressions{}}
	if err := p.Suppressions.AddFile("s", []byte("race-raw k.cu:20 why\n")); err != nil {
		t.Fatal(err)
	}
	lockstep := race("k.cu", 30, 15, "b")
	lockstep.Rule, lockstep.Severity, lockstep.Message = "race-lockstep", check.Warning, "lock step"
	v := p.Judge([]Finding{race("k.cu", 18, 15, "a <"), race("k.cu", 20, 15, "b"), lockstep})
	got := string(v.JUnit(Suite{Name: "simtrun run", Cases: []Case{{Class: "k.cu", Name: "run"}}}))
	const want = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="4" failures="1">
  <testsuite name="simtrun run" tests="1" failures="0">
    <testcase classname="k.cu" name="run"></testcase>
  </testsuite>
  <testsuite name="findings" tests="3" failures="1" skipped="2">
    <testcase classname="k.cu" name="race-raw k.cu:18 in k">
      <failure message="k.cu:18: error: race: read not ordered after another lane&#39;s write; write at k.cu:15">k.cu:18: error: race: read not ordered after another lane&#39;s write; write at k.cu:15&#xA;a &lt;</failure>
    </testcase>
    <testcase classname="k.cu" name="race-raw k.cu:20 in k">
      <skipped message="suppressed: why"></skipped>
    </testcase>
    <testcase classname="k.cu" name="race-lockstep k.cu:30 in k">
      <skipped message="warning: lock step; write at k.cu:15"></skipped>
    </testcase>
  </testsuite>
</testsuites>
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
