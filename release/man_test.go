package main

import (
	"errors"
	"strings"
	"testing"
)

// TestManualFormatsHelp makes pages of a command's help that is written here, and checks each in whole or in part.
func TestManualFormatsHelp(t *testing.T) {
	texts := map[string]string{
		"--help": "Run kernels\n\nUsage:\n  simtrun FILE\n\nCommands:\n  gpu         Show a GPU: its units\n  run         Run a kernel\n\n" +
			"Pages of 'simtrun help':\n  exit        Exit statuses\n  environment Environment variables\n  OPCODE      An instruction\n\nFlags:\n  -h, --help   help for simtrun\n",
		"version":          "simtrun 1.2.3 (abc) go1.26 linux/amd64\nlanes: go\n",
		"gpu --help":       "Show a GPU. A file may be:\n\n  base = \"a\\b\"\n.hidden\n\nUsage:\n  simtrun gpu [NAME]\n\nFlags:\n      --list   list the presets\n",
		"run --help":       "Run a kernel\n\nUsage:\n  simtrun run FILE\n",
		"help environment": "  SIMTRUN_GPU   the GPU\n",
		"help exit":        "  0   it ran\n",
	}
	pages, err := manual(func(args ...string) (string, error) {
		text, ok := texts[strings.Join(args, " ")]
		if !ok {
			return "", errors.New("no such command")
		}
		return text, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(pages) != 5 {
		t.Errorf("%d pages", len(pages))
	}
	const gpu = `.TH SIMTRUN-GPU 1 "" "simtrun 1.2.3" "simtrun manual"
.SH NAME
simtrun-gpu \- Show a GPU: its units
.SH SYNOPSIS
.nf
  simtrun gpu [NAME]
.fi
.SH DESCRIPTION
.nf
Show a GPU. A file may be:

  base = "a\eb"
\&.hidden
.fi
.SH FLAGS
.TP
.B \-\-list
list the presets
.SH SEE ALSO
\fBsimtrun\fR(1)
`
	if got := pages["simtrun-gpu.1"]; got != gpu {
		t.Errorf("got\n%s\nwant\n%s", got, gpu)
	}
	for name, want := range map[string]string{
		"simtrun.1":      ".SH COMMANDS\n.TP\n.B gpu\nShow a GPU: its units\n",
		"simtrun-run.1":  ".SH NAME\nsimtrun-run \\- Run a kernel\n.SH SYNOPSIS\n.nf\n  simtrun run FILE\n.fi\n.SH SEE ALSO",
		"simtrun-exit.7": ".SH DESCRIPTION\n.nf\n  0   it ran\n.fi\n",
	} {
		if !strings.Contains(pages[name], want) {
			t.Errorf("%s has no %q:\n%s", name, want, pages[name])
		}
	}
}
