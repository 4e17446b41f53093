//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/cuda"
)

func TestHostReportsFindingsOfLaunches(t *testing.T) {
	const warning, raced, failed = `{"rule":"mbarrier-init","severity":"warning","message":"again","place":"k.cu:7:3","code":"init(b);","count":3}`,
		`{"kernel":"add","races":[{"rule":"race-raw","severity":"error","message":"read","place":"k.cu:9:5","earlier":"k.cu:8:5","earlier_does":"write","count":7}],"warnings":[WARNING]}`,
		`{"kernel":"mul","error":"k.ptx:3:5: error: load past the end of x [mem-oob]\n  ld.global.u32 %r1, [%rd1];\n  who","rule":"mem-oob"}`
	writeFiles(t, map[string]string{"allowed": "race-raw k.cu:8 why\n", "k.cu": "\n\n\n\n\n\ninit(b); //sim:allow mbarrier-init why\n"})
	here, _ := filepath.Abs(".")
	for name, c := range map[string]struct {
		lines, end string
		flags      string
		code       int
		stderr     string
	}{
		"a race":              {raced, "", "", exitFindings, "found race-raw 7 times"},
		"a race is allowed":   {raced, "", "--suppressions allowed", 0, "simtrun: 2 findings suppressed"},
		"never":               {raced, "", "--fail-on never", 0, "found race-raw 7 times"},
		"own status":          {raced, "exit 3", "--error-exitcode 42", 42, "found race-raw 7 times"},
		"the program's":       {raced, "exit 3", "", 3, "found race-raw 7 times"},
		"a fault":             {failed, "", "--fail-on never", exitFault, "found mem-oob 1 time"},
		"a time limit":        {strings.Replace(failed, `"rule":"mem-oob"`, `"rule":"sync-timeout","hang":true`, 1), "", "", exitHang, "found sync-timeout 1 time"},
		"nothing, own status": {`{"kernel":"add"}`, "exit 3", "--error-exitcode 42", 3, "no fault was found"},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(c.lines, "WARNING", warning, 1)
			program := hostFolder(t, "echo \"$SIMTRUN_SUPPRESSIONS\"\ncat >> $SIMTRUN_SUMMARY <<'END'\n"+text+"\nEND\n"+c.end)
			got := typed(t, append(append([]string{"host", "--github", "--sarif", "out.sarif", "--junit", "out.xml"}, strings.Fields(c.flags)...), program)...)
			if got.code != c.code || !strings.Contains(got.stderr, c.stderr) {
				t.Errorf("%+v", got)
			}
			if want := c.flags == "--suppressions allowed"; want != (got.stdout == filepath.Join(here, "allowed")+"\n") {
				t.Errorf("%s is %q", cuda.EnvSuppressions, got.stdout)
			}
			sarif, err := os.ReadFile("out.sarif")
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range map[bool][]string{true: {`"startLine": 9`, `"startLine": 8`, `"fullyQualifiedName": "add"`, `"kind": "inSource"`}, false: nil}[c.lines == raced] {
				if !strings.Contains(string(sarif), want) {
					t.Errorf("no %s in\n%s", want, sarif)
				}
			}
			if c.lines == failed && (!strings.Contains(string(sarif), `"startLine": 3`) || !strings.Contains(got.stderr, "::error file=k.ptx,line=3,col=5,title=mem-oob::load past the end of x\n")) {
				t.Errorf("%s\n%s", got.stderr, sarif)
			}
		})
	}
}

// TestKnownFindingsAreNotNoFault checks that the summary does not say that no fault was found if the baseline has what
// was found.
func TestKnownFindingsAreNotNoFault(t *testing.T) {
	const race = `{"kernel":"mul","races":[{"rule":"race-raw","severity":"error","message":"read","place":"k.cu:9:5","earlier":"k.cu:8:5","count":7}]}`
	program := hostFolder(t, "cat >> $SIMTRUN_SUMMARY <<'END'\n"+race+"\nEND\n")
	writeFiles(t, nil)
	typed(t, "host", "--sarif", "known.sarif", program)
	got := typed(t, "host", "--baseline", "known.sarif", program)
	if got.code != 0 || !strings.Contains(got.stderr, "\n  no other fault was found (") || !strings.Contains(got.stderr, "1 in the baseline") {
		t.Errorf("%+v", got)
	}
}

// TestFaultOfProgramIsOneFailure checks that JUnit has one failure for each cause: a fault and the exit status that the
// program makes of it are one, a race and an exit status are two, as tests of the program's results may have failed.
func TestFaultOfProgramIsOneFailure(t *testing.T) {
	const fault, race = `{"kernel":"mul","error":"k.ptx:3:5: error: load past the end of x [mem-oob]\n  ld\n  who","rule":"mem-oob"}`,
		`{"kernel":"mul","races":[{"rule":"race-raw","severity":"error","message":"read","place":"k.cu:9:5","earlier":"k.cu:8:5","count":7}]}`
	const found, ended = `<testcase classname="prog" name="mem-oob k.ptx:3 in mul">`, `<skipped message="prog ended with exit status 3, after mem-oob">`
	for _, c := range []struct {
		line, end string
		failures  int
		junit     string
	}{
		{fault, "", 1, found},
		{fault, "exit 3", 1, ended},
		{fault, "exit 3", 1, found},
		{fault, "kill -ABRT $$", 1, ", after mem-oob"},
		{race, "exit 3", 2, `<failure message="prog ended with exit status 3">`},
		{`{"kernel":"mul"}`, "exit 3", 1, `<failure message="prog ended with exit status 3">`},
	} {
		program := hostFolder(t, "cat >> $SIMTRUN_SUMMARY <<'END'\n"+c.line+"\nEND\n"+c.end)
		writeFiles(t, nil)
		typed(t, "host", "--junit", "out.xml", program)
		text, err := os.ReadFile("out.xml")
		if err != nil || strings.Count(string(text), "<failure ") != c.failures || !strings.Contains(string(text), c.junit) {
			t.Errorf("%s, %s: %v, expected %d failures and %s\n%s", c.line, c.end, err, c.failures, c.junit, text)
		}
	}
}

// TestProgramWithoutLaunchIsSkipped checks that a program that has launched no kernel is skipped in JUnit, and fails
// with --require-launch, unless it lists its tests; its own exit status takes precedence.
func TestProgramWithoutLaunchIsSkipped(t *testing.T) {
	const line = "cat >> $SIMTRUN_SUMMARY <<'END'\n{\"kernel\":\"k\"}\nEND\n"
	for _, c := range []struct {
		script, flag string
		code         int
		junit        string
	}{
		{"true", "--require-launch=false", 0, `skipped="1"`},
		{"true", "--require-launch=false", 0, `<skipped message="the program has launched no kernel">`},
		{"true", "--require-launch", exitFindings, `<failure message="the program has launched no kernel, and --require-launch is set: exit status 1">`},
		{"true", "--require-launch --gtest_list_tests", 0, `<skipped message="the program has launched no kernel">`},
		{"exit 3", "--require-launch", 3, `<failure message="prog ended with exit status 3">`},
		{line, "--require-launch", 0, `<testcase classname="prog" name="run"></testcase>`},
	} {
		program := hostFolder(t, c.script)
		writeFiles(t, nil)
		flag, argument, _ := strings.Cut(c.flag, " ")
		got := typed(t, append([]string{"host", "--junit", "out.xml", flag, program}, strings.Fields(argument)...)...)
		text, err := os.ReadFile("out.xml")
		if got.code != c.code || err != nil || !strings.Contains(string(text), c.junit) {
			t.Errorf("%s, %s: %+v, %v\n%s", c.script, c.flag, got, err, text)
		}
	}
}
