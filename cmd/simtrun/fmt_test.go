package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFmtRewritesFilesOfFolder lays out two files of a folder, one of which is laid out already.
func TestFmtRewritesFilesOfFolder(t *testing.T) {
	const before, after = "add.u32 %r1,%r1,1;//one\n", "add.u32 %r1, %r1, 1;                            //one\n"
	dir := t.TempDir()
	one, two, other := filepath.Join(dir, "one.s"), filepath.Join(dir, "in", "two.ptx"), filepath.Join(dir, "notes.txt")
	if err := os.Mkdir(filepath.Dir(two), 0o777); err != nil {
		t.Fatal(err)
	}
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(one, before)
	write(two, after)
	write(other, before)

	if got := typed(t, "fmt", one, two); got.code != 0 || got.stdout != after+after {
		t.Errorf("the results: %+v", got)
	}
	if got := typed(t, "fmt", "-l", dir); got.code != exitFindings || got.stdout != one+"\n" || got.stderr != "" {
		t.Errorf("-l: %+v", got)
	}
	want := "--- " + one + ".orig\n+++ " + one + "\n@@ -1 +1 @@\n-" + before + "+" + after
	if got := typed(t, "fmt", "-d", dir); got.code != exitFindings || got.stdout != want {
		t.Errorf("-d: %+v, want %s", got, want)
	}
	if got := typed(t, "fmt", "-w", dir); got.code != 0 || got.stdout != "" {
		t.Errorf("-w: %+v", got)
	}
	for path, want := range map[string]string{one: after, two: after, other: before} {
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", path, got, err)
		}
	}
	if got := typed(t, "fmt", "-l", "-d", dir); got.code != 0 || got.stdout != "" {
		t.Errorf("after -w: %+v", got)
	}
}

// TestFmtContinuesAfterErrors: a file that cannot be laid out does not stop the others, and stays as it is.
func TestFmtContinuesAfterErrors(t *testing.T) {
	dir := t.TempDir()
	good, bad := filepath.Join(dir, "good.s"), filepath.Join(dir, "bad.s")
	for path, text := range map[string]string{good: "ret  ;\n", bad: ".entry k()\n{\n  ret;\n"} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got := typed(t, "fmt", "-w", dir)
	if want := bad + ":2:1: \"{\" is not closed\n    2 | {\n      | ^\n"; got.code != exitProgram || got.stderr != want {
		t.Errorf("%+v, want %s", got, want)
	}
	if text, _ := os.ReadFile(good); string(text) != "ret;\n" {
		t.Errorf("the other file: %q", text)
	}
	if text, _ := os.ReadFile(bad); !strings.HasSuffix(string(text), "  ret;\n") {
		t.Errorf("the bad file: %q", text)
	}
	for _, c := range []struct{ args, want string }{
		{"-w", "-w writes to files: name one"},
		{filepath.Join(dir, "k.cu"), "which clang-format formats"},
		{t.TempDir(), "has no .s or .ptx file"},
		{filepath.Join(dir, "goo.s"), "no file "},
	} {
		if got := typed(t, "fmt", c.args); got.code != exitUsage || !strings.Contains(got.stderr, c.want) {
			t.Errorf("%s: %+v, want %s", c.args, got, c.want)
		}
	}
}
