//go:build unix

package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// valued are command lines by command, if they are not COMMAND k.s; "" for servers and what takes long.
var valued = map[string]string{
	"report": "report run.json", "diff": "diff run.json run.json", "host": "host PROGRAM", "debug": "debug k.s --batch",
	"gpu": "gpu", "dap": "dap", "lsp": "lsp", "view": "view k.s", "validate": "validate",
}

// takenAsText are flags with a value that is checked by something else: the compiler, the debugger, the file system
// when a folder is written. What --record needs first is a GPU.
var takenAsText = []string{"cc", "arch", "execute", "record", "sarif-category"}

// TestWrongValuesAreRefused: a value that no flag takes, or none at all, ends every command with exit status 2 and a
// line that names the flag. New flags are tried, too.
func TestWrongValuesAreRefused(t *testing.T) {
	writeFiles(t, map[string]string{"k.s": ".entry k()\n{\n\tret;\n}\n"})
	typed(t, "run", "k.s", "-o", "run.json")
	program := hostFolder(t, "touch ran")
	for _, cmd := range newRoot().Commands() {
		words, known := valued[cmd.Name()]
		if !known {
			words = cmd.Name() + " k.s"
		}
		words = strings.Replace(words, "PROGRAM", program, 1)
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			for _, value := range wrongFor(f) {
				if cmd.Name() == "view" && f.Name == "kernel" && value != "" {
					continue // the page says so, where the source can be changed
				}
				checkRefused(t, f, append([]string{cmd.Name(), "--" + f.Name + "=" + value}, strings.Fields(words)[1:]...))
			}
		})
	}
}

// wrongFor returns values that a flag does not take.
func wrongFor(f *pflag.Flag) []string {
	switch {
	case slices.Contains(takenAsText, f.Name):
		return nil
	case f.Value.Type() == "bool":
		return []string{"maybe"}
	case f.Value.Type() == "int" || f.Value.Type() == "uint64":
		return []string{"", "many", "99999999999999999999"}
	case slices.Contains(readFlags, f.Name):
		return []string{"", "no/such/file", "."}
	}
	switch what, _ := pflag.UnquoteUsage(f); what {
	case fileValue:
		return []string{"", "no/such/folder/file", "."}
	case "DIR":
		return []string{"", "k.s"}
	}
	return []string{"", "?!"}
}

func checkRefused(t *testing.T, f *pflag.Flag, args []string) {
	t.Helper()
	got := typed(t, args...)
	line, _, _ := strings.Cut(got.stderr, "\n")
	if got.code != exitUsage || got.stdout != "" || !strings.HasPrefix(line, "simtrun: --"+f.Name) {
		t.Errorf("simtrun %s: exit %d, %s%s", strings.Join(args, " "), got.code, got.stdout, line)
	}
}
