//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestOpenFilesAreWrittenInPlace checks that a file that a process has open is written and not replaced, and that the
// results follow what is saved there.
func TestOpenFilesAreWrittenInPlace(t *testing.T) {
	for _, path := range []string{"/dev/stdout", "/dev/fd/1"} {
		dir := t.TempDir()
		source, results := filepath.Join(dir, "k.s"), filepath.Join(dir, "results")
		if err := os.WriteFile(source, []byte("//sim:arg o = list:u8:72,105,27,10\n.entry k(.param .u64 o) { ret; }"), 0o666); err != nil {
			t.Fatal(err)
		}
		stdout, err := os.Create(results)
		if err != nil {
			t.Fatal(err)
		}
		defer stdout.Close()
		cmd := exec.CommandContext(t.Context(), os.Args[0], source, "-q", "--save", "o="+path, "--dump", "o")
		cmd.Env, cmd.Stdout = append(os.Environ(), asCommand+"=1"), stdout
		if err := cmd.Run(); err != nil {
			t.Fatal(err)
		}
		const want = "Hi\x1b\no[0:4] u8 = 72 105 27 10\n"
		if text, err := os.ReadFile(results); err != nil || string(text) != want {
			t.Errorf("%s: %q %v, want %q", path, text, err, want)
		}
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
			t.Errorf("%v %v", entries, err)
		}
	}
}
