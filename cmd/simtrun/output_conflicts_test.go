package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOutputsKeepApart checks that no output overwrites an input or another output, and that filters without anything
// to filter are refused.
func TestOutputsKeepApart(t *testing.T) {
	const source = "//sim:arg x = zeros:4:u32\n.entry k(.param .u64 x)\n{\n\tret;\n}\n"
	other := filepath.Join(t.TempDir(), "out")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-o", "FILE"}, "that file is the program"},
		{[]string{"--html", "FILE"}, "that file is the program"},
		{[]string{"--html", "/../FILE"}, "that file is the program"},
		{[]string{"--html", "RELATIVE"}, "that file is the program"},
		{[]string{"--save", "x=FILE"}, "that file is the program"},
		{[]string{"--save", "x=/dev/../FILE"}, "that file is the program"},
		{[]string{"--trace", "mask:FILE"}, "that file is the program"},
		{[]string{"-o", other, "--html", other}, "--html " + other + ": that file is written by -o already"},
		{[]string{"--pprof", other, "--timeline", other}, "--timeline " + other + ": that file is written by --pprof already"},
		{[]string{"--warp-filter", "3"}, "filters need --trace or --timeline"},
		{[]string{"--save", "x=/dev/null", "-o", "/dev/null"}, ""},
		{[]string{"--save", "x=/dev/stdout", "--html", "/dev/stdout"}, ""},
	} {
		path := filepath.Join(t.TempDir(), "k.s")
		if err := os.WriteFile(path, []byte(source), 0o666); err != nil {
			t.Fatal(err)
		}
		here, err := os.Getwd()
		if err != nil {
			t.Fatal(err)
		}
		relative, err := filepath.Rel(here, path)
		if err != nil {
			t.Fatal(err)
		}
		args := []string{"run", path}
		for _, a := range c.args {
			a = strings.ReplaceAll(a, "RELATIVE", relative)
			args = append(args, strings.ReplaceAll(a, "FILE", path))
		}
		got := simtrun(t, "", args...)
		if text, err := os.ReadFile(path); err != nil || string(text) != source {
			t.Errorf("%v: the program is %q", c.args, text)
		}
		if c.want == "" && got.code != 0 || c.want != "" && (got.code != 2 || !strings.Contains(got.stderr, c.want)) {
			t.Errorf("%v: exit %d, %s, want %q", c.args, got.code, got.stderr, c.want)
		}
	}
}

// TestOnlyDevicesOfDevAreWrittenTwice: /dev also has folders in memory, and their files are treated like all others.
func TestOnlyDevicesOfDevAreWrittenTwice(t *testing.T) {
	dir, err := os.MkdirTemp("/dev/shm", "simtrun-")
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	file := filepath.Join(dir, "out")
	want := "--html " + file + ": that file is written by -o already"
	if got := simtrun(t, "", "run", "../../programs/vecadd.s", "-o", file, "--html", file); got.code != 2 || !strings.Contains(got.stderr, want) {
		t.Errorf("exit %d, %s, want %q", got.code, got.stderr, want)
	}
	if got := simtrun(t, "", "run", "../../programs/vecadd.s", "-o", file); got.code != 0 || !strings.Contains(got.stderr, file) {
		t.Errorf("exit %d, %s, want that %s was written", got.code, got.stderr, file)
	}
	missing := filepath.Join(dir, "none", "out")
	if got := simtrun(t, "", "run", "../../programs/vecadd.s", "-o", missing); got.code != 2 || !strings.Contains(got.stderr, "there is no folder") {
		t.Errorf("exit %d, %s, want that there is no folder", got.code, got.stderr)
	}
}
