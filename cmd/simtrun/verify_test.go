package main

import (
	_ "embed"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/ongpu"
	"github.com/simtrun/simtrun/internal/report"
	"github.com/simtrun/simtrun/internal/short"
)

// answering puts a simtrun-gpu in PATH that has an answer for any job. It returns the job that the command got.
func answering(t *testing.T, a *ongpu.Answer) (job func() *ongpu.Job) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the command is a shell script")
	}
	dir := t.TempDir()
	text, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"answer": string(text), gpuCommand: "#!/bin/sh\ncat >" + dir + "/job\nexec cat " + dir + "/answer\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	return func() *ongpu.Job {
		text, err := os.ReadFile(filepath.Join(dir, "job"))
		if err != nil {
			t.Fatal(err)
		}
		var job ongpu.Job
		if err := json.Unmarshal(text, &job); err != nil {
			t.Fatal(err)
		}
		return &job
	}
}

// doubling doubles n words in x, and adds 1 to a variable.
//
//go:embed testdata/kernels/doubling.s
var doubling string

// doubled returns what doubling leaves in calls and in x.
func doubled() [][]byte {
	x := make([]byte, 256)
	for i := range 64 {
		x[4*i] = byte(i)
		if i < 40 {
			x[4*i] = byte(2 * i)
		}
	}
	return [][]byte{{40, 0, 0, 0}, x}
}

// TestVerifyComparesAnswersOfGPU: what a GPU answers is compared with the run, and what it is asked is the run.
func TestVerifyComparesAnswersOfGPU(t *testing.T) {
	file := filepath.Join(t.TempDir(), "twice.s")
	if err := os.WriteFile(file, []byte(doubling), 0o666); err != nil {
		t.Fatal(err)
	}
	answer := ongpu.Answer{GPU: "A GPU", Driver: "13.0", Compute: "9.0", SMs: 100, MHz: 2000, Empty: 2, Times: [][]float64{{9, 3.5, 4}}, Buffers: doubled()}
	job := answering(t, &answer)
	got := typed(t, "verify", file)
	if got.code != 0 || got.stderr != "" {
		t.Fatalf("%+v", got)
	}
	for _, want := range []string{"GPU    A GPU, compute capability 9.0, 100 SMs at 2000 MHz, driver 13.0\n", "   twice     2     32    3.50        3000  ", "\nx: the same 256 bytes\n", "\ncalls: the same 4 bytes\n"} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("no %q in\n%s", want, got.stdout)
		}
	}
	j := job()
	if len(j.Buffers) != 2 || j.Buffers[1].Name != "x" || j.Buffers[1].Data[4*3] != 3 || !j.Buffers[0].Symbol || !j.Buffers[0].Keep || j.Repeats != 5 {
		t.Errorf("asked for %+v", j)
	}
	if l := j.Launches[0]; l.Grid != [3]uint32{2, 1, 1} || len(l.Params) != 12 || l.Params[8] != 40 || len(l.Patches) != 1 || l.Patches[0] != (ongpu.Patch{Width: 8, Buffer: 1}) {
		t.Errorf("asked to launch %+v", l)
	}
	if !strings.Contains(j.PTX, ".visible .entry twice(") {
		t.Errorf("PTX:\n%s", j.PTX)
	}

	answer.Buffers[1][4*7+1] = 1
	answering(t, &answer)
	dir := filepath.Join(t.TempDir(), "records")
	got = typed(t, "verify", file, "--record", dir)
	if want := "x: 1 of 256 bytes differ, first x[7] u32 is 270 on the GPU and 14 here\n"; got.code != 1 || !strings.Contains(got.stdout, want) {
		t.Errorf("%+v, want %s", got, want)
	}
	records, err := filepath.Glob(filepath.Join(dir, "twice-*.json"))
	if err != nil || len(records) != 1 {
		t.Fatalf("records %v, %v", records, err)
	}
	var v report.Verification
	if err := json.Unmarshal([]byte(readFile(t, records[0])), &v); err != nil {
		t.Fatal(err)
	}
	if v.GPU != "A GPU" || v.Buffers[1].Different != 1 || v.Launches[0].GPUCycles != 3000 || v.Launches[0].Cycles == 0 || len(v.Launches[0].Times) != 3 {
		t.Errorf("recorded %+v", v)
	}
}

// TestVerifyNamesTheLastWrite: below the first element of a buffer that differs stands what has written it last, as a
// line of the user's source; nothing, if no launch has.
func TestVerifyNamesTheLastWrite(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"twice.s": doubling, "k.cu": "first\n    s[i] = i;\n    *out = s[i ^ 31];\n",
		"k.ptx": strings.NewReplacer("KERNEL", "_Z3addPj", "FILE", "k.cu", "128", "124").Replace(exchange)} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	ask := func(buffers [][]byte, args ...string) output {
		answering(t, &ongpu.Answer{GPU: "A GPU", Driver: "13.0", Compute: "9.0", SMs: 100, MHz: 2000, Empty: 2, Times: [][]float64{{9}}, Buffers: buffers})
		return typed(t, append([]string{"verify"}, args...)...)
	}
	// calls, a sum of 40 threads, and x[7], which thread 7 writes
	buffers := doubled()
	buffers[0][0], buffers[1][4*7] = 39, 1
	got := ask(buffers, "twice.s")
	for _, want := range []string{
		"\nx: 1 of 256 bytes differ, first x[7] u32 is 1 on the GPU and 14 here\n  last written here at twice.s:20 by block (0,0,0), thread (7,0,0): st.global.u32 [%rd1], %r5;\n",
		"\n  last written here at twice.s:21 by block (1,0,0), thread (7,0,0): red.global.add.u32 [calls], 1;\n",
	} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("no %s in\n%+v", want, got)
		}
	}
	buffers = doubled()
	buffers[1][4*50] = 1
	if got = ask(buffers, "twice.s"); !strings.Contains(got.stdout, "first x[50] u32 is 1 on the GPU and 50 here\n") || strings.Contains(got.stdout, "last written") {
		t.Errorf("%+v", got)
	}
	got = ask([][]byte{{1, 0, 0, 0}}, "k.ptx", "--block", "32", "--arg", "0=zeros:1:u32")
	if want := "is 1 on the GPU and 0 here\n  last written here at k.cu:3 (k.ptx:22) by block (0,0,0), thread (31,0,0): *out = s[i ^ 31];  st.global.u32 [%rd1], %r7;\n"; !strings.Contains(got.stdout, want) {
		t.Errorf("no %s in %+v", want, got)
	}
	got = ask([][]byte{{1, 0, 0, 0}}, "k.ptx", "--block", "32", "--arg", "0=zeros:1:u32", "--json")
	var v report.Verification
	if err := json.Unmarshal([]byte(got.stdout), &v); err != nil {
		t.Fatalf("%v: %+v", err, got)
	}
	if w := v.Buffers[0].LastWrite; w == nil || w.File != "k.cu" || w.Line != 3 || w.PTXLine != 22 || w.Code != "*out = s[i ^ 31];" || w.Thread != [3]uint32{31, 0, 0} {
		t.Errorf("%+v", v.Buffers[0].LastWrite)
	}
}

// intArray writes 1 to byte 5 of an array.
//
//go:embed testdata/kernels/int_array.s
var intArray string

// TestVerifyNamesElementsOfArraysInBytes: compilers declare an array of any type as .b8 with an alignment. Its element
// has the type of the source if debug information describes it, and is a byte at an offset otherwise.
func TestVerifyNamesElementsOfArraysInBytes(t *testing.T) {
	const file = "k.ptx"
	t.Chdir(t.TempDir())
	code, _, _ := strings.Cut(intArray, ".section")
	for _, c := range []struct{ text, align, want string }{
		{code, "4", "total: 1 of 16 bytes differ, first byte 5 of total is 0x02 on the GPU and 0x01 here\n"},
		{code, "1", "total: 1 of 16 bytes differ, first total[5] u8 is 2 on the GPU and 1 here\n"},
		{intArray, "4", "total: 1 of 16 bytes differ, first total[1] s32 is 512 on the GPU and 256 here\n"},
	} {
		if err := os.WriteFile(file, []byte(strings.Replace(c.text, "ALIGN", c.align, 1)), 0o666); err != nil {
			t.Fatal(err)
		}
		answering(t, &ongpu.Answer{GPU: "A GPU", Driver: "13.0", Compute: "9.0", SMs: 100, MHz: 2000, Empty: 2, Times: [][]float64{{9}},
			Buffers: [][]byte{{5: 2, 15: 0}}})
		got := typed(t, "verify", file)
		if got.code != 1 || !strings.Contains(got.stdout, c.want) || !strings.Contains(got.stdout, "last written here at k.ptx:10 ") {
			t.Errorf("%+v\nwant %s", got, c.want)
		}
	}
}

// TestVerifyNeedsGPU: what is missing is an error of the command line.
func TestVerifyNeedsGPU(t *testing.T) {
	const program = "../../programs/vecadd.s"
	answering(t, &ongpu.Answer{Missing: "no CUDA driver: not found"})
	if got := typed(t, "verify", program); got.code != 2 || !strings.HasPrefix(got.stderr, "simtrun: no CUDA driver: not found; simtrun verify compares with a GPU\n") {
		t.Errorf("%+v", got)
	}
	answering(t, &ongpu.Answer{GPU: "A GPU", Failed: "cuModuleLoadDataEx returns CUDA_ERROR_INVALID_PTX"})
	if got := typed(t, "verify", program); got.code == 0 || !strings.Contains(got.stderr, "on the GPU (A GPU): cuModuleLoadDataEx returns CUDA_ERROR_INVALID_PTX") {
		t.Errorf("%+v", got)
	}
	t.Setenv("PATH", t.TempDir())
	if got := typed(t, "verify", program); got.code != 2 || !strings.Contains(got.stderr, "go install github.com/simtrun/simtrun/cmd/simtrun-gpu@latest") {
		t.Errorf("%+v", got)
	}
	for flag, want := range map[string]string{"--repeats=0": "--repeats 0: expected a number of 1 or more", "--gpu=none": "none"} {
		if got := typed(t, "verify", program, flag); got.code != 2 || !strings.Contains(got.stderr, want) {
			t.Errorf("%s: %+v", flag, got)
		}
	}
	if got := typed(t, "verify", "../../programs/resize.s"); got.code == 0 || !strings.Contains(got.stderr, "textures, surfaces and samplers are not supported on a GPU yet") {
		t.Errorf("%+v", got)
	}
}

// TestVerifyAgreesWithOwnDriver builds simtrun-gpu and runs it on the driver library of this project: memory is the
// same.
func TestVerifyAgreesWithOwnDriver(t *testing.T) {
	short.Skip(t)
	short.Alternates(t, 0, 3)
	lib, err := filepath.Abs("../../cuda/lib")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(lib, "libcuda.so.1")); err != nil {
		t.Skip("no driver library: make -C cuda driver")
	}
	dir := t.TempDir()
	build := exec.Command("go", "build", "-o", dir, "../simtrun-gpu")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	t.Setenv("LD_LIBRARY_PATH", lib)
	for _, program := range []string{"reduce_tree", "cluster_reduce", "grid_barrier"} {
		got := typed(t, "verify", "../../programs/"+program+".s", "--repeats", "2")
		if got.code != 0 || strings.Contains(got.stdout, "differ") || !strings.Contains(got.stdout, "(simtrun), compute capability 9.0, 132 SMs") {
			t.Errorf("%s: %+v", program, got)
		}
	}
}
