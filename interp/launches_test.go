package interp_test

import (
	"path/filepath"
	"testing"

	"github.com/simtrun/simtrun/internal/kerneltest"
)

// TestLaunchesLeaveTheirWords launches the kernels of testdata/launches, and compares what they leave in memory, or
// their fault or hang.
func TestLaunchesLeaveTheirWords(t *testing.T) {
	files, err := filepath.Glob("testdata/launches/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) { kerneltest.Launches(t, file, nil) })
	}
}
