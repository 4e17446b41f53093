// Package cudatest compiles and runs CUDA programs for tests, and skips those for which a tool is missing.
package cudatest

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/simtrun/simtrun/cuda"
	"github.com/simtrun/simtrun/internal/needs"
)

// Modes are settings of the environment that do not change the results of programs: checks for races and driver calls,
// a clock, and forced divergence.
var Modes = []string{"", cuda.EnvCheck + "=race,api", cuda.EnvFunctional + "=0", cuda.EnvSplit + "=3"}

// Main runs the tests of a package with a cache of their own in place of the user's, and exits.
func Main(m *testing.M) {
	UseCache(func(name, value string) { os.Setenv(name, value) })
	os.Exit(m.Run())
}

// UseCache sets variables of the environment so that compilers of CUDA use a cache that tests share in place of the
// user's. The go command keeps the cache that it has: with an empty one it would compile all packages again.
func UseCache(setenv func(name, value string)) {
	if cache, err := os.UserCacheDir(); err == nil && os.Getenv("GOCACHE") == "" {
		setenv("GOCACHE", filepath.Join(cache, "go-build"))
	}
	setenv("XDG_CACHE_HOME", filepath.Join(os.TempDir(), "simtrun-test-cache"))
}

// findCompiler runs clang twice to ask what it is, so tests share the answer.
var findCompiler = sync.OnceValues(cuda.Find)

// Compiler returns a clang. Without one it skips the test.
func Compiler(t *testing.T) *cuda.Compiler {
	t.Helper()
	found, err := findCompiler()
	if errors.Is(err, cuda.ErrNoClang) {
		needs.Skip(t, "clang")
	}
	if err != nil {
		t.Fatal(err)
	}
	c := *found // a compiler remembers answers without a lock, and tests run in parallel
	return &c
}

// WithOtherClangs runs the tests that match a pattern again, with each tested version of clang except the one that
// Compiler returns. If SIMTRUN_CLANG is set, all tests run with that version and WithOtherClangs skips the test.
func WithOtherClangs(t *testing.T, pattern string) {
	t.Helper()
	if os.Getenv("SIMTRUN_CLANG") != "" {
		t.Skip("SIMTRUN_CLANG names the clang")
	}
	used := Compiler(t).Version
	for _, version := range cuda.TestedClangs {
		if version != used {
			WithClang(t, version, pattern)
		}
	}
}

// WithClang runs the tests that match a pattern again, as a subtest, with a version of clang.
func WithClang(t *testing.T, version int, pattern string) {
	t.Helper()
	name := "clang-" + strconv.Itoa(version)
	t.Run(name, func(t *testing.T) {
		path, err := exec.LookPath(name)
		if tool := map[int]string{16: "older-clang", 19: "clang", 22: "newer-clang"}[version]; err != nil {
			needs.Skip(t, tool)
		}
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run", pattern)
		cmd.Env = append(os.Environ(), "SIMTRUN_CLANG="+path)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	})
}

// Library returns the folder of libcuda.so.1, which make -C cuda builds, for a test in a folder of cuda. Without the
// library it skips the test. It must be called before the test changes its folder.
func Library(t *testing.T) string {
	t.Helper()
	folder, err := filepath.Abs("lib")
	if _, outside := os.Stat("Makefile"); outside != nil {
		folder, err = filepath.Abs("../lib")
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(folder, cuda.Library)); err != nil {
		t.Log("make -C cuda builds the driver library")
		needs.Skip(t, "library")
	}
	return folder
}

// Build carries out a command line of simtrun cc, which must succeed without a message.
func Build(t *testing.T, args ...string) {
	t.Helper()
	if messages, err := TryBuild(t, args...); err != nil || messages != "" {
		t.Fatalf("%v: %v\n%s", args, err, messages)
	}
}

// TryBuild carries out a command line of simtrun cc and returns what it prints.
func TryBuild(t *testing.T, args ...string) (messages string, err error) {
	t.Helper()
	c := Compiler(t)
	o, err := cuda.Parse(args)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	err = c.Build(t.Context(), o, &text, &text)
	return text.String(), err
}

// Execute runs a program on simtrun, with the library in a folder, and returns what it prints. The program must
// succeed.
func Execute(t *testing.T, library, program string, args ...string) string {
	t.Helper()
	return ExecuteIn(t, []string{"LD_LIBRARY_PATH=" + library}, program, args...)
}

// ExecuteIn runs a program with more variables in its environment.
func ExecuteIn(t *testing.T, env []string, program string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// TryExecute runs a program on a GPU, with the library in a folder, and returns what it prints.
func TryExecute(library, gpu, program string, args ...string) (output []byte, err error) {
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), "LD_LIBRARY_PATH="+library, cuda.EnvGPU+"="+gpu)
	return cmd.CombinedOutput()
}

// OwnOptions returns the options that a program's first line asks for: //cc: -arch=sm_90.
func OwnOptions(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(text), "\n")
	options, found := strings.CutPrefix(first, "//cc:")
	if !found {
		return nil
	}
	return strings.Fields(options)
}
