// Package toolkit_test checks what other compilers and build tools see of simtrun: a folder like that of NVIDIA's
// toolkit, which simtrun cc --make-toolkit makes, and the command that libnvrtc starts.
package toolkit_test

import (
	"debug/elf"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/cuda"
	"github.com/simtrun/simtrun/internal/cudatest"
	"github.com/simtrun/simtrun/internal/needs"
	"github.com/simtrun/simtrun/internal/short"
)

func TestMain(m *testing.M) { cudatest.Main(m) }

// makeToolkit builds the command and makes a toolkit folder with it.
func makeToolkit(t *testing.T) (simtrun, folder string) {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the command; TestCProgramBuildsWithToolkit uses a toolkit without it")
	}
	cudatest.Compiler(t)
	dir := t.TempDir()
	folder = filepath.Join(dir, "a toolkit")
	if err := os.Symlink(cudatest.Library(t), filepath.Join(dir, "lib")); err != nil {
		t.Fatal(err)
	}
	simtrun = filepath.Join(dir, "simtrun")
	for _, args := range [][]string{{"go", "build", "-o", simtrun, "../../cmd/simtrun"}, {simtrun, "cc", "--make-toolkit", folder}, {simtrun, "cc", "--make-toolkit", folder}} {
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil || len(out) > 0 {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	return simtrun, folder
}

// TestCProgramBuildsWithToolkit checks that a C program can be compiled with the headers and libraries of a toolkit
// folder, static and shared, and runs.
func TestCProgramBuildsWithToolkit(t *testing.T) {
	library := cudatest.Library(t)
	t.Chdir(t.TempDir())
	const count = "#include <cuda_runtime.h>\nint main(void) { int n = 0; return cudaGetDeviceCount(&n) || n != 1; }\n"
	if err := os.WriteFile("count.c", []byte(count), 0o666); err != nil {
		t.Fatal(err)
	}
	if messages, err := cudatest.TryBuild(t, "--make-toolkit", "toolkit"); err != nil || !strings.HasPrefix(messages, "simtrun: note: the toolkit has no driver library, ") {
		t.Fatalf("without a driver library: %v\n%s", err, messages)
	}
	if _, err := os.Lstat("toolkit/lib64/libcuda.so.1"); err == nil {
		t.Error("there is a driver library")
	}
	t.Setenv(cuda.EnvLibrary, library)
	cudatest.Build(t, "--toolkit", "toolkit", "count.c", "-lcublas", "-lcuda", "-o", "count")
	cudatest.ExecuteIn(t, []string{"LD_LIBRARY_PATH=" + library}, "./count")
	cudatest.Build(t, "--make-toolkit", "toolkit")
	if path, err := filepath.EvalSymlinks("toolkit/lib64/libcuda.so.1"); err != nil || filepath.Dir(path) != library {
		t.Errorf("the driver library is %q (%v)", path, err)
	}
	for _, runtime := range []string{"-lcudart", "-lcudart_static"} {
		if out, err := exec.Command("cc", "-Itoolkit/include", "count.c", "-o", "count", "-Ltoolkit/lib64", runtime, "-lpthread", "-ldl").CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", runtime, err, out)
		}
		cudatest.ExecuteIn(t, []string{"LD_LIBRARY_PATH=toolkit/lib64:" + library}, "./count")
	}
}

// TestToolkitFolderBuildsPrograms checks that nvcc of a toolkit folder compiles and links, with the runtime as a static
// or a shared library, and that another compiler and other build tools can use the folder's headers and libraries. If
// cases take turns, one build tool runs with each commit.
func TestToolkitFolderBuildsPrograms(t *testing.T) {
	short.Alternates(t, 1, 4)
	simtrun, folder := makeToolkit(t)
	own, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	at := func(path string) string { return filepath.Join(own, path) }
	source, plain, random := at("../programs/testdata/programs/vector_add.cu"), at("../testdata/several/plain.c"), at("../testdata/curand/vectors.c")
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
		if got := cudatest.Execute(t, filepath.Join(folder, "lib64"), "./"+program); !strings.HasSuffix(got, "ok\n") {
			t.Errorf("%s: printed %q", program, got)
		}
	}
	if got := cudatest.ExecuteIn(t, []string{"LD_LIBRARY_PATH=" + filepath.Join(folder, "lib64"), "SIMTRUN_SOBOL=" + source}, "./random"); !strings.HasSuffix(got, "203 203\n") {
		t.Errorf("random: printed %q", got)
	}
	t.Run("ptxas", func(t *testing.T) {
		cudatest.Build(t, at("../testdata/loads.cpp"), "-o", "loads", "-L"+filepath.Join(folder, "lib64"), "-lcuda")
		checkPTXAS(t, filepath.Join(folder, "bin", "ptxas"), filepath.Join(folder, "lib64"))
	})
	t.Run("NVRTC", func(t *testing.T) { checkNVRTC(t, simtrun, at("testdata/nvrtc/compile.c"), folder) })
	for i, tool := range []struct {
		name  string
		check func(t *testing.T, folder, sources string)
	}{{"OpenMP", checkOpenMP}, {"CMake", checkCMake}, {"Meson", checkMeson}} {
		if !short.Waits(i, 3) {
			t.Run(tool.name, func(t *testing.T) { tool.check(t, folder, at(filepath.Join("testdata", strings.ToLower(tool.name)))) })
		}
	}
}

// checkNVRTC checks a program that compiles its kernels at run time, by the command, and leaves no files behind.
func checkNVRTC(t *testing.T, simtrun, source, folder string) {
	library, temporary := filepath.Join(folder, "lib64"), t.TempDir()
	args := []string{"-Wall", "-Wextra", "-Werror", "-I" + filepath.Join(folder, "include"), "-o", "compiles", source, "-L" + library, "-lnvrtc", "-lcuda"}
	if out, err := exec.Command("cc", args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if got := cudatest.ExecuteIn(t, []string{"LD_LIBRARY_PATH=" + library, cuda.EnvCommand + "=" + simtrun, "TMPDIR=" + temporary}, "./compiles"); got != "ok\n" {
		t.Errorf("printed %q", got)
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v (%v)", left, err)
	}
}

// checkOpenMP checks that clang's OpenMP runs target regions on the GPU, with the toolkit's ptxas and nvlink: loops;
// reductions, for which its runtime reads variables of the cubin; kernels with a main thread, for which functions
// come from its static library; and regions that call functions of another file.
func checkOpenMP(t *testing.T, folder, sources string) {
	c := cudatest.Compiler(t)
	found := func(name string) string {
		path, err := exec.Command(c.Path, "-print-file-name="+name).Output()
		if err != nil || !filepath.IsAbs(strings.TrimSpace(string(path))) {
			needs.Skip(t, "openmp-offloading")
		}
		return strings.TrimSpace(string(path))
	}
	device, host := found("libomptarget-nvptx-sm_80.bc"), filepath.Dir(found("libomptarget.so"))
	if packager, err := exec.Command(c.Path, "-print-prog-name=clang-offload-packager").Output(); err != nil || !filepath.IsAbs(strings.TrimSpace(string(packager))) {
		needs.Skip(t, "openmp-offloading")
	}
	env := append(os.Environ(), "LD_LIBRARY_PATH="+filepath.Join(folder, "lib64")+":"+host, "SIMTRUN_GPU=a100", "OMP_TARGET_OFFLOAD=MANDATORY")
	for program, want := range map[string]string{"loop": "1.4985e+06\n", "reduction": "249750\n", "generic": "2341 2409\n", "main other": "249750 90\n"} {
		args := []string{"-O2", "-fopenmp", "-fopenmp-targets=nvptx64-nvidia-cuda", "-Xopenmp-target=nvptx64-nvidia-cuda", "-march=sm_80", "--cuda-path=" + folder,
			"--libomptarget-nvptx-bc-path=" + device, "-o", "offload", "-lm"}
		for name := range strings.FieldsSeq(program) {
			args = append(args, filepath.Join(sources, name+".c"))
		}
		if out, err := exec.Command(c.Path, args...).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", program, err, out)
			continue
		}
		run := exec.Command("./offload")
		run.Env = env
		if out, err := run.Output(); err != nil || string(out) != want {
			t.Errorf("%s: printed %q (%v), want %q", program, out, err, want)
		}
	}
}

// checkCMake checks that CMake accepts nvcc of a toolkit folder as NVIDIA's, and builds a project with it.
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
	if got := cudatest.Execute(t, filepath.Join(folder, "lib64"), filepath.Join(made, "prog")); got != "calls 12\nok\n" {
		t.Errorf("printed %q", got)
	}
}

// checkMeson checks that Meson finds nvcc and the toolkit in a folder, runs with nvcc what nvcc has made, and builds
// a project.
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
	if got := cudatest.Execute(t, filepath.Join(folder, "lib64"), filepath.Join(made, "several")); got != "first 3 second 7 plain 5\n" {
		t.Errorf("printed %q", got)
	}
}

// checkPTXAS checks, with ./loads, that ptxas makes cubins that load, prints the resources of kernels, and refuses
// invalid PTX and PTX for a newer GPU.
func checkPTXAS(t *testing.T, ptxas, library string) {
	const text = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry _Z1kPi(.param .u64 p) {\n.reg .b64 %rd<2>;\n.shared .b32 s[4];\n" +
		"ld.param.u64 %rd1, [p];\ncvta.to.global.u64 %rd1, %rd1;\nst.global.u32 [%rd1], 3;\nret;\n}\n"
	for name, text := range map[string]string{
		"k.ptx": text, "bad.ptx": strings.Replace(text, "st.global", "st.q", 1), "text": "neither",
		"calls.ptx": strings.NewReplacer(".visible", ".extern .func other();\n.visible", "ret;", "call other;\nret;").Replace(text),
	} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.Command(ptxas, "-lineinfo", "-v", "--fmad=false", "-O", "3", "--gpu-name=sm_86", "k.ptx", "-o", "k.cubin").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "Compiling entry function '_Z1kPi' for 'sm_86'\n") || !strings.Contains(string(out), "used 0 barriers, 16 bytes smem\n") {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err := cudatest.TryExecute(library, "a6000", "./loads", "k.cubin"); err != nil || string(out) != "3\n" {
		t.Errorf("%v\n%s", err, out)
	}
	for want, args := range map[string][]string{
		"the cubin is for sm_86, and the GPU is sm_80": {"./loads", "k.cubin"},
		"bad.ptx:9:1: st.q":                            {ptxas, "-arch", "sm_80", "bad.ptx"},
		".target sm_80: it is assembled for sm_75":     {ptxas, "-arch=sm_75", "k.ptx"},
		"other is declared but not defined":            {ptxas, "-arch=sm_80", "calls.ptx"},
		"no file of PTX":                               {ptxas, "-v"},
	} {
		if out, err := cudatest.TryExecute(library, "a100", args[0], args[1:]...); err == nil || !strings.Contains(string(out), want) {
			t.Errorf("%v: %v\n%s", args, err, out)
		}
	}
	checkNVLink(t, ptxas, library)
	if out, err := exec.Command(ptxas, "--version").CombinedOutput(); err != nil || !strings.Contains(string(out), "release 12.8") {
		t.Errorf("%v\n%s", err, out)
	}
}

// checkNVLink checks that cubins of ptxas -c are relocatable files with symbols for the names that they define and
// refer to, and that nvlink links several to one that loads.
func checkNVLink(t *testing.T, ptxas, library string) {
	const head = ".version 8.0\n.target sm_80\n.address_size 64\n"
	for name, text := range map[string]string{
		"user.ptx": head + ".extern .global .align 4 .u32 three;\n.extern .func (.param .b32 r) add(.param .b32 a);\n.visible .entry _Z1kPi(.param .u64 p) {\n.reg .b64 %rd<2>;\n.reg .b32 %r<3>;\n" +
			"ld.param.u64 %rd1, [p];\ncvta.to.global.u64 %rd1, %rd1;\nld.global.u32 %r1, [three];\n{ .param .b32 a; .param .b32 r; st.param.b32 [a], %r1; call (r), add, (a); ld.param.b32 %r2, [r]; }\nst.global.u32 [%rd1], %r2;\nret;\n}\n",
		"add.ptx": head + ".visible .global .align 4 .u32 three = 3;\n.weak .global .align 8 .u64 place[2] = {1, generic(three)};\n.visible .func (.param .b32 r) add(.param .b32 a) {\n.reg .b32 %r<2>;\n" +
			"ld.param.b32 %r1, [a];\nadd.s32 %r1, %r1, 4;\nst.param.b32 [r], %r1;\nret;\n}\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(ptxas, "-c", "-arch=sm_80", name, "-o", strings.TrimSuffix(name, ".ptx")+".o").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	checkSymbols(t, "user.o", elf.ET_REL, "_Z1kPi FUNC GLOBAL defined", "add FUNC GLOBAL undefined", "three OBJECT GLOBAL undefined")
	checkSymbols(t, "add.o", elf.ET_REL, "add FUNC GLOBAL defined", "three OBJECT GLOBAL 03000000", "place OBJECT WEAK 01000000000000000000000000000000")
	nvlink := filepath.Join(filepath.Dir(ptxas), "nvlink")
	if out, err := exec.Command(nvlink, "-o", "linked.cubin", "-arch", "sm_80", "-m64", "user.o", "add.o", "-L.").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	checkSymbols(t, "linked.cubin", elf.ET_EXEC, "_Z1kPi FUNC GLOBAL defined", "three OBJECT GLOBAL 03000000")
	if out, err := cudatest.TryExecute(library, "a100", "./loads", "linked.cubin"); err != nil || string(out) != "7\n" {
		t.Errorf("%v\n%s", err, out)
	}
	for want, args := range map[string][]string{
		"add is declared but not defined": {"-arch=sm_80", "user.o"},
		"is defined":                      {"-arch=sm_80", "add.o", "add.o"},
		"only machine code":               {"-arch=sm_80", "./loads"},
		"is not a cubin or PTX":           {"-arch=sm_80", "text"},
		"no file to link":                 {"-arch=sm_80"},
	} {
		if out, err := exec.Command(nvlink, args...).CombinedOutput(); err == nil || !strings.Contains(string(out), want) {
			t.Errorf("%v: %v\n%s", args, err, out)
		}
	}
}

// checkSymbols checks the symbols of an ELF file of some type: the type and binding of each, and its value in memory,
// or whether it is defined.
func checkSymbols(t *testing.T, name string, kind elf.Type, want ...string) {
	t.Helper()
	f, err := elf.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	symbols, err := f.Symbols()
	if err != nil || f.Type != kind {
		t.Fatalf("%s: %v, type %v", name, err, f.Type)
	}
	var got []string
	for _, s := range symbols {
		value := "defined"
		switch {
		case s.Section == elf.SHN_UNDEF:
			value = "undefined"
		case elf.ST_TYPE(s.Info) == elf.STT_OBJECT:
			data, err := f.Sections[s.Section].Data()
			if err != nil {
				t.Fatal(err)
			}
			value = hex.EncodeToString(data[s.Value:][:s.Size])
		}
		got = append(got, fmt.Sprint(s.Name, " ", strings.TrimPrefix(elf.ST_TYPE(s.Info).String(), "STT_"), " ", strings.TrimPrefix(elf.ST_BIND(s.Info).String(), "STB_"), " ", value))
	}
	for _, one := range want {
		if !slices.Contains(got, one) {
			t.Errorf("%s: no %q in %q", name, one, got)
		}
	}
}
