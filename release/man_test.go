package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/needs"
)

// TestManualFormatsHelp makes pages of a command's help that is written here, and checks each in whole or in part.
func TestManualFormatsHelp(t *testing.T) {
	texts := map[string]string{
		"--help": "Run kernels\n\nUsage:\n  simtrun FILE\n\nCommands:\n  gpu         Show a GPU: its units\n  run         Run a kernel\n\n" +
			"Pages of 'simtrun help':\n  exit-status Exit statuses\n  environment Environment variables\n  OPCODE      An instruction\n\nFlags:\n  -h, --help   help for simtrun\n",
		"version": "simtrun 1.2.3 (abc) go1.26 linux/amd64\nlanes: go\n",
		"gpu --help": "Show a GPU (simtrun help environment).\nA file may be:\n\n  base = \"a\\b\"\n.hidden …\n\nUsage:\n  simtrun gpu [NAME]\n\nFlags:\n      --list   list the presets\n\n" +
			"The clock:\n  -c, --cost A B   the cost\n",
		"run --help":       "Run a kernel\n\nUsage:\n  simtrun run FILE\n",
		"help environment": "  SIMTRUN_GPU   the GPU\n",
		"help exit-status": "  0   it ran\n",
	}
	pages, err := manual(func(args ...string) (string, error) {
		text, ok := texts[strings.Join(args, " ")]
		if !ok {
			return "", errors.New("no such command")
		}
		return text, nil
	}, "2026-11-30")
	if err != nil {
		t.Fatal(err)
	}
	if len(pages) != 5 {
		t.Errorf("%d pages", len(pages))
	}
	const gpu = `.TH SIMTRUN-GPU 1 2026-11-30 "simtrun 1.2.3" "simtrun manual"
.nh
.ad l
.SH NAME
simtrun-gpu \- Show a GPU: its units
.SH SYNOPSIS
.nf
  simtrun gpu [NAME]
.fi
.SH DESCRIPTION
Show a GPU (simtrun help environment).
A file may be:
.PP
.nf
  base = "a\eb"
\&.hidden \[u2026]
.fi
.SH OPTIONS
.TP
\fB\-\-list\fR
list the presets
.SS The clock
.TP
\fB\-c, \-\-cost A B\fR
the cost
.SH SEE ALSO
\fBsimtrun\fR(1),
\fBsimtrun\-exit\-status\fR(7),
\fBsimtrun\-environment\fR(7)
`
	if got := pages["simtrun-gpu.1"]; got != gpu {
		t.Errorf("got\n%s\nwant\n%s", got, gpu)
	}
	for name, want := range map[string]string{
		"simtrun.1":             ".SH COMMANDS\n.TP\n\\fBgpu\\fR\nShow a GPU: its units\n",
		"simtrun-run.1":         ".SH NAME\nsimtrun-run \\- Run a kernel\n.SH SYNOPSIS\n.nf\n  simtrun run FILE\n.fi\n.SH SEE ALSO",
		"simtrun-exit-status.7": ".SH DESCRIPTION\n.nf\n  0   it ran\n.fi\n.SH SEE ALSO\n",
	} {
		if !strings.Contains(pages[name], want) {
			t.Errorf("%s has no %q:\n%s", name, want, pages[name])
		}
	}
}

// TestManualFitsTerminal makes the pages of the command, and checks that they have every flag of its help as a
// paragraph, and that man shows them without warnings in 80 columns.
func TestManualFitsTerminal(t *testing.T) {
	groff := needs.Tool(t, "groff")
	if _, err := os.ReadDir("../cmd/simtrun"); err != nil { // the cache of test results does not see go build's inputs
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "simtrun")
	if out, err := exec.Command("go", "build", "-ldflags", "-X main.revision=v1.2.3", "-o", path, "../cmd/simtrun").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	simtrun := command(path)
	pages, err := manual(simtrun, "2026-11-30")
	if err != nil {
		t.Fatal(err)
	}
	flag := regexp.MustCompile(`(?m)^ {2,6}(-\w, )?(--[\w-]+)`)
	flags := 0
	for name, page := range pages {
		words := strings.Split(strings.TrimSuffix(name, ".1"), "-")
		if strings.HasSuffix(name, ".1") {
			text, err := simtrun(append(words[1:], "--help")...)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range flag.FindAllStringSubmatch(text, -1) {
				flags++
				if !regexp.MustCompile(`(?m)^\.TP\n\\fB(\\-\w, )?` + regexp.QuoteMeta(escape(m[2])) + `\b`).MatchString(page) {
					t.Errorf("%s has no paragraph %s", name, m[2])
				}
			}
		}
		cmd := exec.Command(groff, "-man", "-Tutf8", "-P-cbou", "-rLL=78n", "-ww")
		cmd.Stdin = strings.NewReader(page)
		var warnings strings.Builder
		cmd.Stderr = &warnings
		shown, err := cmd.Output()
		if err != nil || warnings.Len() > 0 {
			t.Errorf("%s: %v\n%s", name, err, &warnings)
		}
		for line := range strings.Lines(string(shown)) {
			if line = strings.TrimRight(line, "\n"); len([]rune(line)) > 80 {
				t.Errorf("%s has a line of more than 80 columns: %s", name, line)
			}
		}
	}
	const site = "  https://github.com/simtrun/simtrun/blob/v1.2.3/docs/"
	if want := escape(site + "host-support.md\n" + site + "host.md"); !strings.Contains(pages["simtrun-host.1"], ".SH PAGES\n.nf\n"+want+"\n") {
		t.Errorf("simtrun-host.1 does not have %s:\n%s", want, pages["simtrun-host.1"])
	}
	if flags < 200 || !strings.Contains(pages["simtrun-run.1"], `simtrun\-directives\fR(7)`) || strings.Contains(pages["simtrun-exit-status.7"], "instruction") {
		t.Errorf("%d flags; simtrun-run.1 is\n%s\nsimtrun-exit-status.7 is\n%s", flags, pages["simtrun-run.1"], pages["simtrun-exit-status.7"])
	}
}

// TestManualIsWhereManLooks checks that pages are in folders for their sections.
func TestManualIsWhereManLooks(t *testing.T) {
	folder := t.TempDir()
	if err := writeManual(map[string]string{"simtrun-run.1": "run", "simtrun-exit-status.7": "exit"}, folder); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"man1/simtrun-run.1": "run", "man7/simtrun-exit-status.7": "exit"} {
		if got, err := os.ReadFile(filepath.Join(folder, path)); string(got) != want {
			t.Errorf("%s: %q, %v", path, got, err)
		}
	}
}

func TestLongLinesStayInTheirColumn(t *testing.T) {
	long := strings.Repeat("word ", 12) + "end"
	got := strings.Join(fitted([]string{"  a      short", "  b      " + long, "         of b", "  c " + strings.Repeat("x", 8) + " of c", "         " + long}), "\n")
	const want = `  a      short
  b      word word word word word word word word word word word word
         end of b
  c xxxxxxxx of c
         word word word word word word word word word word word word
         end`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
