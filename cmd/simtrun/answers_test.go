package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mattn/go-shellwords"
	"golang.org/x/tools/txtar"

	"github.com/simtrun/simtrun/internal/short"
)

// TestAnswersToMistakesMatchFiles compares the answers to wrong inputs with those in testdata/mistakes. Each archive
// has the files of a folder and, last, a session in that folder. A file NAME.quoted holds a Go string, for bytes that
// are not text. Archives with names in cuda need a compiler. -update rewrites the sessions.
func TestAnswersToMistakesMatchFiles(t *testing.T) { compareSessions(t, "testdata/mistakes", 1) }

// TestReportedFaultsStayFixed does the same for sources that others had written and that went wrong here: each was
// refused or accepted wrongly, had no finding or a wrong result, or an answer that misled.
func TestReportedFaultsStayFixed(t *testing.T) { compareSessions(t, "testdata/reported", 4) }

// compareSessions runs the sessions of a folder; each commit runs one share of them.
func compareSessions(t *testing.T, folder string, shares int) {
	archives, err := filepath.Glob(folder + "/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatal("no archives", err)
	}
	for i, path := range archives {
		if short.Waits(i, shares) {
			continue
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			path, err := filepath.Abs(path)
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(filepath.Base(path), "cuda") {
				short.Skip(t)
				needsClang(t)
			}
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			last := len(archive.Files) - 1
			unpack(t, archive.Files[:last])
			session := &archive.Files[last]
			got := answers(t, string(session.Data))
			if *update {
				session.Data = []byte(got)
				err = os.WriteFile(path, txtar.Format(archive), 0o666)
			}
			if diff := cmp.Diff(string(session.Data), got); diff != "" || err != nil {
				t.Error(diff, err)
			}
		})
	}
}

// unpack writes files to a new folder, which becomes the working directory.
func unpack(t *testing.T, files []txtar.File) {
	t.Helper()
	t.Chdir(t.TempDir())
	for _, f := range files {
		name, data := f.Name, f.Data
		if quoted, ok := strings.CutSuffix(name, ".quoted"); ok {
			text, err := strconv.Unquote(string(bytes.TrimSpace(data)))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			name, data = quoted, []byte(text)
		}
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// answers executes the command lines of a session, those after "$ simtrun", and returns the session with their output.
func answers(t *testing.T, session string) string {
	t.Helper()
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for line := range strings.Lines(session) {
		if strings.HasPrefix(line, "#") { // a heading
			out.WriteString(line)
		}
		command, ok := strings.CutPrefix(line, "$ simtrun")
		if !ok {
			continue
		}
		out.WriteString(line)
		words, err := shellwords.Parse(strings.TrimSpace(command))
		if err != nil {
			t.Fatal(err)
		}
		got := simtrunIn(t.Context(), folder, words...)
		out.WriteString(got.stdout)
		out.WriteString(got.stderr)
		if got.code != 0 {
			fmt.Fprintf(&out, "[exit %d]\n", got.code)
		}
	}
	return out.String()
}
