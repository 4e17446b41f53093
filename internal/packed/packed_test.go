package packed

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestPackedFilesAreRead packs two files, reads them, and compares the archive with the same and with other files.
func TestPackedFilesAreRead(t *testing.T) {
	files := []txtar.File{{Name: "a.s", Data: []byte("first\n")}, {Name: "b/c.s", Data: []byte(strings.Repeat("second\n", 1000))}}
	path := filepath.Join(t.TempDir(), "files.gz")
	if err := Compare(path, files, false); err == nil {
		t.Error("an archive that does not exist is equal")
	}
	if err := Compare(path, files, true); err != nil {
		t.Fatal(err)
	}
	data, err := pack(files)
	if err != nil || len(data) > 500 {
		t.Fatalf("%d bytes, %v", len(data), err)
	}
	opened := Open(data)
	for _, f := range files {
		if text, err := opened.Read(f.Name); err != nil || string(text) != string(f.Data) {
			t.Errorf("%s: %q, %v", f.Name, text, err)
		}
	}
	if _, err := opened.Read("c.s"); err == nil || !strings.Contains(err.Error(), "c.s") {
		t.Errorf("a file that is missing: %v", err)
	}
	for what, other := range map[string][]txtar.File{
		"one file fewer": files[:1],
		"another name":   {files[0], {Name: "b/d.s", Data: files[1].Data}},
		"another text":   {{Name: "a.s", Data: []byte("other\n")}, files[1]},
	} {
		if err := Compare(path, other, false); err == nil {
			t.Errorf("equal despite %s", what)
		}
	}
}

// TestDamagedArchivePanics checks that damage is found when a file is read.
func TestDamagedArchivePanics(t *testing.T) {
	defer func() {
		if r := recover(); r == nil {
			t.Error("no panic")
		}
	}()
	Open([]byte("no archive")).Read("a.s")
}
