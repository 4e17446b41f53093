package cuda

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// TestFind: clang itself is taken if it is new enough, and the newest of all if none is. SIMTRUN_CLANG has the last word.
func TestFind(t *testing.T) {
	for _, c := range []struct {
		versions map[string]int // by name
		named    string
		want     string // "" for none
	}{
		{map[string]int{"clang": 19, "clang-20": 20}, "", "clang"},
		{map[string]int{"clang": 14, "clang-15": 15, "clang-19": 19, "clang-18": 18}, "", "clang-19"},
		{map[string]int{"clang": 14, "clang-15": 15, "clang-16": 16}, "", "clang-16"},
		{map[string]int{"clang": 14, "clang-13": 13}, "", "clang"},
		{map[string]int{"clang": 13}, "", ""},
		{map[string]int{"clang": 19, "clang-15": 15}, "clang-15", "clang-15"},
		{map[string]int{"clang": 19}, "clang-15", ""},
	} {
		dir := t.TempDir()
		for name, version := range c.versions {
			script := fmt.Sprintf("#!/bin/sh\ncase $1 in --version) echo 'clang version %d.0.1';; *) echo ' nvptx64 - NVIDIA PTX 64-bit';; esac\n", version)
			if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o777); err != nil {
				t.Fatal(err)
			}
		}
		t.Setenv("PATH", dir)
		t.Setenv("SIMTRUN_CLANG", c.named)
		found, err := find([]string{"clang", "clang-20", "clang-19", "clang-18", "clang-16", "clang-15", "clang-13"})
		switch {
		case c.want == "" && err == nil:
			t.Errorf("%v: found %s", c.versions, found.Path)
		case c.want != "" && (err != nil || filepath.Base(found.Path) != c.want):
			t.Errorf("%v, SIMTRUN_CLANG=%s: found %+v (%v), want %s", c.versions, c.named, found, err, c.want)
		}
	}
}
