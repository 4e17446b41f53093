package main

import (
	"debug/elf"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMissingLibraryIsNamed checks the hint for a program that ends as the dynamic loader ends one that it cannot load,
// and that needs a library that has a stand-in. The program is the shell, and the test makes a stand-in of its library.
func TestMissingLibraryIsNamed(t *testing.T) {
	const shell = "/bin/sh"
	file, err := elf.Open(shell)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	needed, err := file.ImportedLibraries()
	if err != nil || len(needed) == 0 {
		t.Fatal(needed, err)
	}
	standIn := filepath.Join(filepath.Dir(hostFolder(t, "")), "standins", needed[0])
	if err := os.WriteFile(standIn, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	hint := "; it needs " + needed[0] + ": with --stand-ins it loads a stand-in"
	for exit, want := range map[string]bool{"exit 127": true, "exit 1": false} {
		got := simtrunIn(t.Context(), t.TempDir(), "host", shell, "-c", exit)
		if strings.Contains(got.stderr, hint) != want {
			t.Errorf("%s: %+v, want the hint: %v", exit, got, want)
		}
	}
}
