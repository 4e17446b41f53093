package cuda

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// installClangs makes a folder of fake compilers, by name, that report the given versions. They know architectures up
// to 90, or all from version 20 on. The path contains only this folder.
func installClangs(t *testing.T, versions map[string]int) {
	t.Helper()
	dir := t.TempDir()
	for name, version := range versions {
		script := fmt.Sprintf("#!/bin/sh\ncase \"$*\" in --version) echo 'clang version %d.0.1';; *--cuda-gpu-arch=sm_1*) [ %[1]d -ge 20 ];; *) echo ' nvptx64 - NVIDIA PTX 64-bit';; esac\n", version)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
}

// inPath returns the candidates without those in LLVM's own folders, which this machine may have.
func inPath() []string {
	return slices.DeleteFunc(candidates(), func(name string) bool { return strings.Contains(name, "/") })
}

// TestFindPrefersTestedClang checks that a tested version is preferred to others, clang to clang-NN of the same
// version, and a compiler that knows the architectures to one that does not. SIMTRUN_CLANG overrides this.
func TestFindPrefersTestedClang(t *testing.T) {
	for _, c := range []struct {
		versions map[string]int // by name
		named    string
		archs    []string
		want     string // "" for none
		noted    bool
	}{
		{map[string]int{"clang": 19, "clang-20": 20}, "", nil, "clang", false},
		{map[string]int{"clang": 23, "clang-19": 19}, "", nil, "clang-19", false},
		{map[string]int{"clang": 20, "clang-22": 22}, "", nil, "clang-22", false},
		{map[string]int{"clang-22": 22, "clang-19": 19}, "", nil, "clang-19", false},
		{map[string]int{"clang-22": 22, "clang-19": 19}, "", []string{"sm_90", "sm_100a"}, "clang-22", false},
		{map[string]int{"clang-21": 21, "clang-19": 19}, "", []string{"sm_120"}, "clang-21", true},
		{map[string]int{"clang-19": 19}, "", []string{"sm_100"}, "clang-19", false},
		{map[string]int{"clang": 21, "clang-23": 23}, "", nil, "clang", true},
		{map[string]int{"clang": 14, "clang-15": 15, "clang-19": 19, "clang-18": 18}, "", nil, "clang-19", false},
		{map[string]int{"clang": 14, "clang-15": 15, "clang-18": 18, "clang-17": 17}, "", nil, "clang-18", true},
		{map[string]int{"clang": 14, "clang-15": 15, "clang-16": 16}, "", nil, "clang-16", true},
		{map[string]int{"clang": 14, "clang-15": 15}, "", nil, "clang-15", true},
		{map[string]int{"clang": 19, "clang-15": 15}, "clang-15", nil, "clang-15", false},
		{map[string]int{"clang": 19}, "clang-15", nil, "", false},
	} {
		installClangs(t, c.versions)
		t.Setenv("SIMTRUN_CLANG", c.named)
		found, err := find(inPath(), c.archs)
		switch {
		case c.want == "" && err == nil:
			t.Errorf("%v: found %s", c.versions, found.Path)
		case c.want != "" && (err != nil || filepath.Base(found.Path) != c.want || (found.Note != "") != c.noted):
			t.Errorf("%v, SIMTRUN_CLANG=%s, %v: found %+v (%v), want %s", c.versions, c.named, c.archs, found, err, c.want)
		}
	}
}

// TestOldClangIsError checks that the error names the clang that is needed if the one at hand is too old, and the
// feature that it lacks if it is only old; and that a clang that is not there is not called one that makes no PTX.
func TestOldClangIsError(t *testing.T) {
	installClangs(t, map[string]int{"clang": 14, "clang-13": 13, "clang-0": 0})
	folder := t.TempDir()
	for name, want := range map[string]string{
		"":                "clang 14, which is too old: clang 15 or newer is needed; install clang-19",
		"clang-13":        "clang 13, which is too old: clang 15 or newer is needed; install clang-19",
		"clang-0":         "SIMTRUN_CLANG=clang-0 is not a clang that makes PTX",
		"clang-20":        "SIMTRUN_CLANG=clang-20: there is no such program in PATH",
		folder:            "SIMTRUN_CLANG=" + folder + " is not a clang that makes PTX",
		folder + "/clang": "SIMTRUN_CLANG=" + folder + "/clang: there is no such file",
	} {
		t.Setenv("SIMTRUN_CLANG", name)
		if found, err := find(append([]string{"clang-13"}, inPath()...), nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("SIMTRUN_CLANG=%s: found %+v (%v), want %s", name, found, err, want)
		}
	}
	for said, want := range map[string]string{
		"error: 'h' requires 16 bit size '_Float16' type support, but target 'nvptx64-nvidia-cuda' does not support it": "code with half precision needs clang 18 or newer; install clang-19",
		"error: no type named 'cluster_group' in namespace 'cooperative_groups'":                                        "code for clusters of blocks needs clang 18 or newer; install clang-19",
		"error: unknown": "it is old, and clang 18 or newer compiles more; install clang-19",
	} {
		if got := lacking([]byte(said)); got != want {
			t.Errorf("%s: %s, want %s", said, got, want)
		}
	}
}

// TestNewerArchitectureIsError checks that code for an architecture that the compiler does not know is refused, with
// the version of clang that is needed; of several architectures the known ones are compiled, and the others are
// named.
func TestNewerArchitectureIsError(t *testing.T) {
	installClangs(t, map[string]int{"clang-19": 19})
	t.Setenv("SIMTRUN_CLANG", "")
	for _, tt := range []struct {
		args        []string
		want, error string
		noted       string
	}{
		{[]string{"-arch=sm_90a"}, "sm_90a", "", ""},
		{[]string{"-arch=sm_20"}, "sm_50", "", ""},
		{[]string{"-arch=sm_100a"}, "", "-arch=sm_100a: ", "clang 20 or newer is needed; install clang-22"},
		{[]string{"-gencode", "arch=compute_120,code=sm_120"}, "", "-arch=sm_120: ", "clang 20 or newer"},
		{[]string{"-gencode", "arch=compute_70,code=sm_70", "-gencode=arch=compute_103,code=sm_103", "--generate-code=arch=compute_90,code=[sm_90,compute_90]", "-gencode", "arch=compute_70,code=compute_70"},
			"sm_70 sm_90", "", "simtrun cc: no code for sm_103: "},
		{[]string{"--offload-arch=sm_80,sm_75"}, "sm_75 sm_80", "", ""},
		{nil, "sm_80", "", ""},
	} {
		o, err := Parse(tt.args)
		if err != nil {
			t.Fatal(err)
		}
		c, err := find(inPath(), o.archs())
		if err != nil {
			t.Fatal(err)
		}
		var messages strings.Builder
		targets, err := c.targets(o, &messages)
		if err != nil {
			messages.WriteString(err.Error())
		}
		if got := strings.Join(targets, " "); got != tt.want || (err != nil) != (tt.error != "") || !strings.HasPrefix(messages.String(), tt.error) || !strings.Contains(messages.String(), tt.noted) {
			t.Errorf("%v: %q, %s", tt.args, got, &messages)
		}
	}
}

// TestCodeIsCompiledForGPU checks that a GPU's own instructions are available if the compiler has them, and that a GPU
// that is too new for the compiler gets the newest older architecture.
func TestCodeIsCompiledForGPU(t *testing.T) {
	for _, tt := range []struct {
		version, major, minor int
		want                  string
		noted                 bool
	}{{19, 7, 0, "sm_70", false}, {19, 8, 0, "sm_80", false}, {19, 8, 9, "sm_89", false}, {19, 9, 0, "sm_90a", false}, {16, 9, 0, "sm_90", false},
		{19, 10, 0, "sm_90", true}, {22, 10, 0, "sm_100a", false}, {22, 12, 0, "sm_120a", false}, {15, 9, 0, "sm_86", true}} {
		c := &Compiler{Version: tt.version, known: make(map[string]bool)}
		for _, arch := range []string{"sm_90a", "sm_100", "sm_100a", "sm_101", "sm_120", "sm_120a"} {
			c.known[arch] = firstClang[arch] <= tt.version
		}
		if got, note := c.ArchFor([2]int{tt.major, tt.minor}, true); got != tt.want || (note != "") != tt.noted {
			t.Errorf("clang %d for %d.%d: %s, %q, want %s", tt.version, tt.major, tt.minor, got, note, tt.want)
		}
	}
}
