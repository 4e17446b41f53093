package programs_test

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/cuda"
	"github.com/simtrun/simtrun/internal/cudatest"
	"github.com/simtrun/simtrun/internal/needs"
	"github.com/simtrun/simtrun/internal/short"
)

// blasLibrary returns the folder of libcublas.so and the driver library, or skips the test.
func blasLibrary(t *testing.T) string {
	t.Helper()
	folder := cudatest.Library(t)
	if _, err := os.Stat(filepath.Join(folder, "libcublas.so")); err != nil {
		t.Log("make -C cuda builds libcublas.so")
		needs.Skip(t, "library")
	}
	return folder
}

// TestBLASMatchesHostSums checks a program that compares results of cuBLAS with the host's sums, and prints ok at the
// end. A part of it, everything that runs under -short, is also checked for races.
func TestBLASMatchesHostSums(t *testing.T) {
	short.Alternates(t, 1, 3)
	library, program := blasLibrary(t), filepath.Join(t.TempDir(), "program")
	cudatest.Build(t, "-O0", "testdata/blas/blas.cpp", "-L"+library, "-lcublas", "-lcublasLt", "-o", program)
	env := []string{"LD_LIBRARY_PATH=" + library}
	if !testing.Short() {
		if got := cudatest.ExecuteIn(t, env, program); got != "ok\n" {
			t.Errorf("printed %q", got)
		}
	}
	if got := cudatest.ExecuteIn(t, append(env, cuda.EnvCheck+"=race"), program, "part"); got != "ok\n" {
		t.Errorf("checked for races it printed %q", got)
	}
}

// TestBLASLibrariesExportDeclaredNames checks that for programs of CUDA 11 to 13 the libraries have all functions that
// the headers declare, under symbol versions with the library's name.
func TestBLASLibrariesExportDeclaredNames(t *testing.T) {
	library := blasLibrary(t)
	c := cudatest.Compiler(t)
	for header, name := range map[string]string{"cublas_v2.h": "libcublas.so", "cublas.h": "libcublas.so", "cublasLt.h": "libcublasLt.so"} {
		text, err := exec.Command(c.Path, "-E", "-P", "-I../include", filepath.Join("../include", header)).Output()
		if err != nil {
			t.Fatal(err)
		}
		pattern := `\b(cublas[A-Z]\w+)\([^()]*\);`
		if header == "cublasLt.h" {
			pattern = `\b(cublasLt\w+)\([^()]*\);`
		}
		var declared []string
		for _, found := range regexp.MustCompile(pattern).FindAllStringSubmatch(string(text), -1) {
			if strings.HasPrefix(found[1], "cublasLt") == (header == "cublasLt.h") {
				declared = append(declared, found[1])
			}
		}
		if len(declared) < 30 {
			t.Fatalf("%s declares %v", header, declared)
		}
		for _, version := range []string{".11", ".12", ".13"} {
			f, err := elf.Open(filepath.Join(library, name+version))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			symbols, err := f.DynamicSymbols()
			if err != nil {
				t.Fatal(err)
			}
			exported := map[string]string{}
			for _, s := range symbols {
				if s.Section != elf.SHN_UNDEF {
					exported[s.Name] = s.Version
				}
			}
			for _, function := range declared {
				if exported[function] != name+version {
					t.Errorf("%s%s has %s by version %q", name, version, function, exported[function])
				}
			}
		}
	}
}

// TestUnsupportedBLASFunctionsSaySo checks that a program that loads the library of each version finds functions by
// that version, and that unsupported functions report this once.
func TestUnsupportedBLASFunctionsSaySo(t *testing.T) {
	library, program := blasLibrary(t), filepath.Join(t.TempDir(), "program")
	if out, err := exec.Command("cc", "-Wall", "-Wextra", "-Werror", "-D_GNU_SOURCE", "-o", program, "testdata/blas/versions.c", "-ldl").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	const once = "simtrun: cublasSgbmv_v2 is not supported yet\n"
	if got := cudatest.Execute(t, library, program); got != strings.Repeat(once, 3)+"ok\n" {
		t.Errorf("printed %q", got)
	}
}

// TestOldestBLASInterfaceWorks checks a C program that uses the interface of cuBLAS from before there were handles.
func TestOldestBLASInterfaceWorks(t *testing.T) {
	library, program := blasLibrary(t), filepath.Join(t.TempDir(), "program")
	if out, err := exec.Command("cc", "-Wall", "-Wextra", "-Werror", "-I../include", "-o", program, "testdata/blas/legacy.c", "-L"+library, "-lcublas", "-lm").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if got := cudatest.Execute(t, library, program); got != "ok\n" {
		t.Errorf("printed %q", got)
	}
}
