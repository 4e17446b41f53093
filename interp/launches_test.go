package interp_test

import (
	"path/filepath"
	"testing"

	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
)

// launchAll launches the kernels of text files.
func launchAll(t *testing.T, pattern string, set func(*kerneltest.Kernel)) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) { kerneltest.Launches(t, file, set) })
	}
}

// TestLaunchesLeaveTheirWords launches the kernels of testdata/launches, and compares what they leave in memory, or
// their fault or hang; those of testdata/launches/timed without a clock and with one.
func TestLaunchesLeaveTheirWords(t *testing.T) {
	launchAll(t, "testdata/launches/*.txt", nil)
	launchAll(t, "testdata/launches/timed/*.txt", nil)
	launchAll(t, "testdata/launches/timed/*.txt", func(k *kerneltest.Kernel) { k.Driver = withClock })
}

// TestCompiledLaunchesAgreeAtEveryLevel launches the kernels of testdata/launches/compiled by lane functions and in
// code of each level.
func TestCompiledLaunchesAgreeAtEveryLevel(t *testing.T) {
	for _, level := range kerneltest.Levels() {
		for _, compile := range []interp.Compilation{interp.CompileNever, interp.CompileAlways, interp.CompileWanted} {
			launchAll(t, "testdata/launches/compiled/*.txt", func(k *kerneltest.Kernel) {
				k.Config.Lanes, k.Config.Compile = level, compile
			})
		}
	}
}

// TestTensorLaunchesPassWithAndWithoutClock launches the kernels of testdata/tensor, with a clock or without one.
func TestTensorLaunchesPassWithAndWithoutClock(t *testing.T) {
	launchAll(t, "testdata/tensor/*.txt", func(k *kerneltest.Kernel) {
		k.Config, k.Driver = b200, sometimesTimed
	})
}
