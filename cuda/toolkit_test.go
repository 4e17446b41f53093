package cuda_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/needs"
)

// makeToolkit makes a toolkit's folder by the command.
func makeToolkit(t *testing.T) (folder string) {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the command")
	}
	compiler(t)
	dir := t.TempDir()
	folder = filepath.Join(dir, "a toolkit")
	if err := os.Symlink(driverLibrary(t), filepath.Join(dir, "lib")); err != nil {
		t.Fatal(err)
	}
	simtrun := filepath.Join(dir, "simtrun")
	for _, args := range [][]string{{"go", "build", "-o", simtrun, "../cmd/simtrun"}, {simtrun, "cc", "--make-toolkit", folder}, {simtrun, "cc", "--make-toolkit", folder}} {
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil || len(out) > 0 {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	return folder
}

// TestToolkit: nvcc of a toolkit's folder compiles and links, with the runtime as a static or a shared library, and so does another compiler with
// the folder's headers and libraries.
func TestToolkit(t *testing.T) {
	folder := makeToolkit(t)
	own, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	source, plain, random := filepath.Join(own, "testdata/programs/vector_add.cu"), filepath.Join(own, "testdata/programs/several/plain.c"), filepath.Join(own, "testdata/curand/vectors.c")
	t.Chdir(t.TempDir())
	nvcc := filepath.Join(folder, "bin", "nvcc")
	for _, args := range [][]string{
		{nvcc, source, "-o", "static"},
		{nvcc, "-cudart", "shared", source, "-o", "shared"},
		{nvcc, "-cudart=none", source, "-lcudart_static", "-lpthread", "-ldl", "-o", "none"},
		{nvcc, random, "-lcurand", "-o", "random"},
		{nvcc, "-c", source, "-o", "object.o"},
		{"c++", "object.o", "-L" + filepath.Join(folder, "lib64"), "-lcudart_static", "-lpthread", "-ldl", "-o", "other"},
		{"cc", "-Wall", "-Werror", "-I" + filepath.Join(folder, "include"), "-c", plain},
	} {
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	for _, program := range []string{"static", "shared", "none", "other"} {
		if got := execute(t, filepath.Join(folder, "lib64"), "./"+program); !strings.HasSuffix(got, "ok\n") {
			t.Errorf("%s: printed %q", program, got)
		}
	}
	if got := executeIn(t, []string{"LD_LIBRARY_PATH=" + filepath.Join(folder, "lib64"), "SIMTRUN_SOBOL=" + source}, "./random"); !strings.HasSuffix(got, "203 203\n") {
		t.Errorf("random: printed %q", got)
	}
	t.Run("ptxas", func(t *testing.T) {
		checkPTXAS(t, filepath.Join(folder, "bin", "ptxas"), filepath.Join(folder, "lib64"))
	})
	t.Run("CMake", func(t *testing.T) { checkCMake(t, folder, filepath.Join(own, "testdata/cmake")) })
	t.Run("Meson", func(t *testing.T) { checkMeson(t, folder, filepath.Join(own, "testdata/meson")) })
}

// checkCMake: CMake takes nvcc of a toolkit's folder for NVIDIA's and builds a project by it.
func checkCMake(t *testing.T, folder, project string) {
	needs.Tool(t, "cmake")
	made := t.TempDir()
	for _, args := range [][]string{
		{"-S", project, "-B", made, "-DCMAKE_CUDA_COMPILER=" + filepath.Join(folder, "bin", "nvcc")},
		{"--build", made},
	} {
		if out, err := exec.Command("cmake", args...).CombinedOutput(); err != nil {
			t.Fatalf("cmake %v: %v\n%s", args, err, out)
		}
	}
	if got := execute(t, filepath.Join(folder, "lib64"), filepath.Join(made, "prog")); got != "calls 12\nok\n" {
		t.Errorf("printed %q", got)
	}
}

// checkMeson: Meson finds nvcc and the toolkit by a folder, runs what nvcc has made by nvcc, and builds a project.
func checkMeson(t *testing.T, folder, project string) {
	needs.Tool(t, "meson")
	made := t.TempDir()
	t.Setenv("PATH", filepath.Join(folder, "bin")+string(filepath.ListSeparator)+os.Getenv("PATH"))
	t.Setenv("CUDA_PATH", folder)
	for _, args := range [][]string{{"setup", made, project}, {"compile", "-C", made}} {
		if out, err := exec.Command("meson", args...).CombinedOutput(); err != nil {
			t.Fatalf("meson %v: %v\n%s", args, err, out)
		}
	}
	if got := execute(t, filepath.Join(folder, "lib64"), filepath.Join(made, "several")); got != "first 3 second 7 plain 5\n" {
		t.Errorf("printed %q", got)
	}
}

// checkPTXAS: ptxas makes cubins that load, says what kernels take, and refuses what is wrong or for a newer GPU.
func checkPTXAS(t *testing.T, ptxas, library string) {
	const text = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry _Z1kPi(.param .u64 p) {\n.reg .b64 %rd<2>;\n.shared .b32 s[4];\n" +
		"ld.param.u64 %rd1, [p];\ncvta.to.global.u64 %rd1, %rd1;\nst.global.u32 [%rd1], 3;\nret;\n}\n"
	for name, text := range map[string]string{
		"k.ptx": text, "bad.ptx": strings.Replace(text, "st.global", "st.q", 1), "loads.cpp": loadsModule,
		"calls.ptx": strings.NewReplacer(".visible", ".extern .func other();\n.visible", "ret;", "call other;\nret;").Replace(text),
	} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	build(t, "loads.cpp", "-o", "loads", "-L"+library, "-lcuda")
	out, err := exec.Command(ptxas, "-lineinfo", "-v", "--fmad=false", "-O", "3", "--gpu-name=sm_86", "k.ptx", "-o", "k.cubin").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "Compiling entry function '_Z1kPi' for 'sm_86'\n") || !strings.Contains(string(out), "used 0 barriers, 16 bytes smem\n") {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err := executeError(library, "SIMTRUN_GPU=a6000", "./loads", "k.cubin"); err != nil || string(out) != "3\n" {
		t.Errorf("%v\n%s", err, out)
	}
	for want, args := range map[string][]string{
		"the cubin is for sm_86, and the GPU is sm_80": {"./loads", "k.cubin"},
		"bad.ptx:9:1: st.q":                            {ptxas, "-arch", "sm_80", "bad.ptx"},
		".target sm_80: it is assembled for sm_75":     {ptxas, "-arch=sm_75", "k.ptx"},
		"other is declared but not defined":            {ptxas, "-arch=sm_80", "calls.ptx"},
		"no file of PTX":                               {ptxas, "-v"},
	} {
		if out, err := executeError(library, "SIMTRUN_GPU=a100", args[0], args[1:]...); err == nil || !strings.Contains(string(out), want) {
			t.Errorf("%v: %v\n%s", args, err, out)
		}
	}
	if out, err := exec.Command(ptxas, "--version").CombinedOutput(); err != nil || !strings.Contains(string(out), "release 12.8") {
		t.Errorf("%v\n%s", err, out)
	}
}
