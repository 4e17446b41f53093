package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/simtrun/simtrun/cuda"
)

// TestFindingsAreWrittenAtOnce checks that no line of a launch with something to report waits for others, and that
// lines before it get into the file first.
func TestFindingsAreWrittenAtOnce(t *testing.T) {
	for name, line := range map[string]cuda.Launched{
		"an error":  {Kernel: "last", Error: "illegal address"},
		"a warning": {Kernel: "last", Warnings: []cuda.Finding{{Rule: "sync-order"}}},
		"a race":    {Kernel: "last", Races: []cuda.Finding{{Rule: "race-raw"}}},
	} {
		file := filepath.Join(t.TempDir(), "report")
		f, err := os.Create(file)
		if err != nil {
			t.Fatal(err)
		}
		s := launchLog{name: "test", file: f, batches: true, waiting: true, timer: time.NewTimer(time.Hour)}
		s.write(&cuda.Launched{Kernel: "first"})
		if text, _ := os.ReadFile(file); len(text) != 0 {
			t.Errorf("a line without findings was written at once: %s", text)
		}
		s.write(&line)
		text, _ := os.ReadFile(file)
		if first, last := strings.Index(string(text), `"first"`), strings.Index(string(text), `"last"`); first < 0 || last < first {
			t.Errorf("%s: the file has %q", name, text)
		}
		f.Close()
	}
}
