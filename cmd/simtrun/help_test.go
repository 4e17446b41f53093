package main

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/cuda"
	"github.com/simtrun/simtrun/internal/check"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/short"
)

// TestEveryCommandHasHelp checks that every command, topic and instruction has help, and nothing else.
func TestEveryCommandHasHelp(t *testing.T) {
	short.Skip(t)
	for _, tt := range []struct {
		args []string
		code int
		says string // on standard output, or standard error
	}{
		{nil, 0, "  simtrun FILE... [flags]"},
		{[]string{"help"}, 0, "  simtrun FILE... [flags]"},
		{[]string{"help", "help"}, 0, "Help about a command"},
		{[]string{"run", "--help"}, 0, "  simtrun FILE... [flags]"},
		{[]string{"help", "directives"}, 0, "Directives describe a run"},
		{[]string{"help", "add"}, 0, "add.u32 %r1, %r2, %r3;"},
		{[]string{"help", "add.f32"}, 0, "d = a + b."},
		{[]string{"help", "bar.red.popc"}, 0, "bar.red.popc.u32 %r1, 0, %p1;"},
		{[]string{"help", "exit"}, 0, "Ends the thread."},
		{[]string{"help", "exit"}, 0, "Exit statuses of simtrun: simtrun help exit-status\n"},
		{[]string{"help", "exit-status"}, 0, "a deadlock"},
		{[]string{"help", "check"}, 0, "  race     data races"},
		{[]string{"help", "--check"}, 0, "  race     data races"},
		{[]string{"help", "environment"}, 0, "SIMTRUN_LANES=LEVEL"},
		{[]string{"help", "multimem.red"}, 0, "multimem.red.relaxed.sys.global.add.u32 [%rd1], %r1;"},
		{[]string{"help", "NOSUCH"}, 2, "simtrun: no help about \"NOSUCH\"\nsee 'simtrun help'\n"},
		{[]string{"help", "debgu"}, 2, "simtrun: no help about \"debgu\"; did you mean debug?\nsee 'simtrun help'\n"},
		{[]string{"--version"}, 0, "simtrun "},
		{[]string{"-grid", "4", "FILE"}, 2, "simtrun: no flag -grid; did you mean --grid?\nsee 'simtrun help run'\n"},
		{[]string{"-grid=4", "FILE"}, 2, "simtrun: no flag -grid; did you mean --grid?\nsee 'simtrun help run'\n"},
		{[]string{"debug", "-block", "4", "FILE"}, 2, "simtrun: no flag -block; did you mean --block?\nsee 'simtrun help debug'\n"},
		{[]string{"asm", "none.s"}, 2, "see 'simtrun help asm'\n"},
		{[]string{"profile", "none.s"}, 2, "see 'simtrun help profile'\n"},
	} {
		got := simtrun(t, triple, tt.args...)
		if got.code != tt.code || !strings.Contains(got.stdout+got.stderr, tt.says) {
			t.Errorf("%v: exit %d, want %d with %q\n%s%s", tt.args, got.code, tt.code, tt.says, got.stdout, got.stderr)
		}
	}
	for i, s := range isa.Specs() {
		if short.Waits(i, 4) {
			continue
		}
		if got := simtrun(t, triple, "help", s.Title()); got.code != 0 || !strings.Contains(got.stdout, s.Examples()[0]) {
			t.Errorf("help %s: %+v", s.Title(), got)
		}
	}
}

// TestEveryCommandAcceptsStandardInput checks that every command that reads a source accepts -, once.
func TestEveryCommandAcceptsStandardInput(t *testing.T) {
	for _, tt := range []struct {
		args   []string
		source string
		code   int
		says   string
	}{
		{[]string{"-"}, triple, 0, "triple  grid 1x1x1"},
		{[]string{"-", "--grid", "2"}, triple, 0, "triple  grid 2x1x1"},
		{[]string{"run", "-", "--json"}, triple, 0, `"kernel":"triple"`},
		{[]string{"profile", "-", "--page", "source"}, triple, 0, "mul.lo.u32"},
		{[]string{"asm", "-"}, triple, 0, "triple  instructions"},
		{[]string{"-"}, ".entry k() { adq.u32 %r1; }", 3, "<stdin>:1:14: adq: no such opcode; did you mean add?\n    1 | .entry k() { adq.u32 %r1; }\n      |              ^^^^^^^\n"},
		{[]string{"-", "-"}, triple, 2, "simtrun: standard input can be read once\n"},
		{[]string{"debug", "-"}, triple, 2, "debug reads commands from standard input"},
		{[]string{"debug", "-", "--batch", "-e", "step"}, triple, 0, "ld.param.u32"},
	} {
		got := simtrunReading(t, tt.source, tt.args...)
		if got.code != tt.code || !strings.Contains(got.stdout+got.stderr, tt.says) {
			t.Errorf("%v: exit %d, want %d with %q\n%s%s", tt.args, got.code, tt.code, tt.says, got.stdout, got.stderr)
		}
	}
}

// simtrunReading is simtrun with a text on standard input.
func simtrunReading(t *testing.T, text string, args ...string) output {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	go func() {
		defer w.Close()
		w.WriteString(text)
	}()
	before := os.Stdin
	os.Stdin = r
	defer func() { os.Stdin = before }()
	return simtrunIn(t.Context(), "/nowhere", args...)
}

// TestEnvironmentHelpNamesEveryVariable: the page lists the tested versions of clang, and the variables that package
// cuda names, except those that simtrun host sets for the driver library.
func TestEnvironmentHelpNamesEveryVariable(t *testing.T) {
	help, variables := typed(t, "help", "environment").stdout, 0
	for _, file := range []string{"../../cuda/launched.go", "../../cuda/link.go", "../../cuda/clang.go"} {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`"(SIMTRUN_\w+)"`).FindAllSubmatch(source, -1) {
			variables++
			name := string(m[1])
			if set := name == cuda.EnvProgress || name == cuda.EnvSummary; strings.Contains(help, name) == set {
				t.Errorf("%s: listed %t, although set by simtrun host is %t", name, set, set)
			}
		}
	}
	if variables < 18 {
		t.Errorf("%d variables", variables)
	}
	for _, version := range cuda.TestedClangs {
		if !strings.Contains(help, strconv.Itoa(version)) {
			t.Errorf("no clang %d in\n%s", version, help)
		}
	}
}

// TestChecksHelpNamesEveryCheck: the page lists the checks of programs, and marks those that launches lack.
func TestChecksHelpNamesEveryCheck(t *testing.T) {
	rows := regexp.MustCompile(`(?m)^  (\w+)  +(.*)$`).FindAllStringSubmatch(checksHelp, -1)
	listed := map[string]bool{} // whether the check is for simtrun host only
	for _, row := range rows {
		listed[row[1]] = strings.HasSuffix(row[2], "; simtrun host only")
	}
	for _, name := range check.ProgramKinds() {
		if host, ok := listed[name]; !ok || host == slices.Contains(check.LaunchKinds(), name) {
			t.Errorf("help has %s: %t, for simtrun host only: %t", name, ok, host)
		}
	}
	if len(rows) != len(check.ProgramKinds()) {
		t.Errorf("%d rows, and %d checks", len(rows), len(check.ProgramKinds()))
	}
}

// TestExitStatusesOfPageAreThoseOfHelp: the table of docs/ci.md has the statuses and meanings of the help, and the help
// the order of precedence.
func TestExitStatusesOfPageAreThoseOfHelp(t *testing.T) {
	text, err := os.ReadFile("../../docs/ci.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "| Status | Meaning |\n|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	help, _, _ := strings.Cut(exitHelp, "\n\n")
	var rows []string
	for line := range strings.SplitSeq(help, "\n") {
		if status := strings.TrimSpace(line[:8]); status != "" {
			rows = append(rows, "| "+status+" | "+line[8:]+" |")
		} else {
			rows[len(rows)-1] = strings.TrimSuffix(rows[len(rows)-1], " |") + " " + line[8:] + " |"
		}
	}
	if got, want := strings.ReplaceAll(table, "`", ""), strings.Join(rows, "\n"); got != want {
		t.Errorf("docs/ci.md has\n%s\nand the help\n%s", got, want)
	}
	order := strings.Trim(fmt.Sprint(precedence[:len(precedence)-1]), "[]")
	if want := "the status is the first of " + strings.ReplaceAll(order, " ", ", ") + "."; !strings.Contains(exitHelp, want) {
		t.Errorf("the help does not say %q", want)
	}
}

// TestPagesLeadToTableOfExitStatuses: pages that speak of exit statuses have a link to the table of docs/ci.md.
func TestPagesLeadToTableOfExitStatuses(t *testing.T) {
	for page, link := range map[string]string{
		"README.md": "docs/ci.md#exit-status", "docs/rules.md": "ci.md#exit-status", "docs/host.md": "ci.md#exit-status", "docs/host-reference.md": "ci.md#exit-status",
		"docs/check.md": "ci.md#exit-status", "docs/sweep.md": "ci.md#exit-status", "docs/testing.md": "ci.md#exit-status",
	} {
		text, err := os.ReadFile("../../" + page)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), "]("+link+")") {
			t.Errorf("%s has no link to %s", page, link)
		}
	}
}
