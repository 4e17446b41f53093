package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFirstMistakesAreAnswered checks the full answers to mistakes of people who are new to simtrun or to CUDA.
func TestFirstMistakesAreAnswered(t *testing.T) {
	const seeRun = "see 'simtrun help run'\n"
	tests := []struct {
		name   string
		source string
		args   []string
		code   int
		stderr string
	}{
		{"no file", "", []string{"--grid", "4"}, 2, "simtrun: no file; expected simtrun run FILE\n" + seeRun},
		{"empty file", "", []string{"FILE"}, 2, "simtrun: k.s has no kernel: no .entry\n" + seeRun},
		{"CUDA C++", "__global__ void k(float *x) { *x = 1; }", []string{"FILE"}, 3,
			"k.s:1:1: this is CUDA C++, not PTX; make PTX of it with\n  simtrun cc -ptx -x cu -o k.ptx k.s\n" +
				"which needs clang, and no CUDA toolkit; or with nvcc:\n  nvcc -ptx -x cu -o k.ptx k.s\n" +
				"A file that is called .cu needs neither: simtrun run compiles it\n"},
		{"a cubin", "\x7fELF\x02\x01\x01\x33", []string{"FILE"}, 3,
			"k.s:1:1: this is an ELF file, as cubins, objects and programs are, not PTX; if it has PTX in it, cuobjdump -ptx k.s shows it\n"},
		{"LLVM assembly", "; ModuleID = 'k.cu'\ntarget triple = \"nvptx64-nvidia-cuda\"\n", []string{"FILE"}, 3,
			"k.s:1:1: this is LLVM assembly, not PTX; make PTX of it with: llc -march=nvptx64 -mcpu=sm_90 -o k.ptx k.s\n"},
		{"LLVM bitcode", "BC\xc0\xde\x35\x14", []string{"FILE"}, 3,
			"k.s:1:1: this is LLVM bitcode, not PTX; make PTX of it with: llc -march=nvptx64 -mcpu=sm_90 -o k.ptx k.s\n"},
		{"no arguments", ".entry k(.param .u64 x, .param .u32 n, .param .f32 a)\n{\n\tld.param.u64 %rd1, [x];\n\tst.global.u32 [%rd1], 1;\n\tret;\n}\n",
			[]string{"FILE", "--grid", "8", "--block", "128"}, 2,
			"simtrun: no argument for parameters x, n, a of kernel k; its parameters are 0: .u64 x, 1: .u32 n, 2: .f32 a; for example\n  --arg x=zeros:1024:u32\n  --arg n=1024\n  --arg a=1\n" + seeRun},
		{"wrong kernel", triple, []string{"FILE", "--kernel", "tripple"}, 2,
			"simtrun: --kernel tripple: no kernel \"tripple\" in k.s; did you mean triple?\n" + seeRun},
		{"grid with a comma", triple, []string{"FILE", "--grid", "132,4"}, 2,
			"simtrun: --grid 132,4: \"132,4\" is not X, XxY or XxYxZ with numbers from 1, as in 132x4\n" + seeRun},
		{"too many threads", triple, []string{"FILE", "--block", "32x33"}, 2,
			"simtrun: triple: block 32x33x1: 1056 threads, at most 1024\n" + seeRun},
		{"buffer too small for the grid", triple, []string{"FILE", "--block", "64", "--arg", "out=zeros:60:u32"}, 4,
			"k.s:16:2: error: store past the end of out [mem-oob] global 0x1100000f0\n  st.global.u32 [%rd3], %r6;\n" +
				"  who     block (0,0,0) warp 1 lanes 28-31 (f0000000), 4 bytes each\n" +
				"  buffer  out: 240 bytes at 0x110000000..0x1100000ef; the access starts right after the end\n" +
				"  index   60; there are 60 elements of 4 bytes, 0 to 59\n"},
		{"bytes for elements", triple, []string{"FILE", "--dump", "out:u32:256"}, 2,
			"simtrun: --dump out:u32:256: out has 256 bytes, 64 elements of u32, not 256; elements are counted, not bytes\n" + seeRun},
		{"dump of nothing", triple, []string{"FILE", "--dump", "result"}, 2,
			"simtrun: --dump result: no buffer result; there is out\n" + seeRun},
		{"misspelt flag", triple, []string{"FILE", "--bolck", "32"}, 2,
			"simtrun: no flag --bolck; did you mean --block?\n" + seeRun},
		{"time without a unit", triple, []string{"FILE", "--timeout", "30"}, 0, ""},
		{"no time", triple, []string{"FILE", "--timeout", "30sec"}, 2,
			"simtrun: --timeout 30sec: expected a time such as 30s, 5m or 1h30m, or a number of seconds; 0 is no limit\n" + seeRun},
		{"blocks for the grid", triple, []string{"FILE", "--blocks", "4"}, 2, "simtrun: no flag --blocks; did you mean --grid?\n" + seeRun},
		{"help with one dash", triple, []string{"-help"}, 2, "simtrun: no flag -help; did you mean --help?\nsee 'simtrun help run'\n"},
		{"a value for a switch", triple, []string{"FILE", "--json=yes"}, 2, "simtrun: --json=yes: it is on or off, and takes no value\n" + seeRun},
		{"blanks around =", triple, []string{"FILE", "--arg", "n", "=", "5"}, 2, "simtrun: NAME=VALUE is one word: without blanks, or in quotes\n" + seeRun},
		{"format of the graph apart", triple, []string{"asm", "FILE", "--cfg", "svg"}, 2, "simtrun: --cfg=svg is one word\nsee 'simtrun help asm'\n"},
		{"type of C", triple, []string{"FILE", "--arg", "out=zeros:4:float"}, 2, "simtrun: --arg out=zeros:4:float: no element type \"float\"; did you mean f32?\n" + seeRun},
		{"INIT without its parts", triple, []string{"FILE", "--arg", "out=zeros"}, 2, "simtrun: --arg out=zeros: no buffer zeros; a new one is written as in zeros:16:f32\n" + seeRun},
		{"help on a flag", triple, []string{"help", "--grid"}, 2, "simtrun: no help about \"--grid\", a flag\n" + seeRun},
		{"UTF-16", "\xff\xfe.\x00e\x00", []string{"FILE"}, 3, "k.s:1:1: this is text in UTF-16, not PTX; save k.s as UTF-8\n"},
		{"a near miss", "// sim:grid 2\n" + triple, []string{"FILE"}, 0,
			"k.s:1:1: warning: this is a comment, not a directive; a directive begins its line, as in //sim:grid …\n    1 | // sim:grid 2\n      | ^\n"},
		{"a removed form", ".entry k()\n{\n\tvote.all.pred %p1, 1;\n\tret;\n}\n", []string{"FILE"}, 0,
			"k.s:3:2: warning: vote without .sync is not in PTX for sm_70 and later; write vote.sync with the mask of the lanes that take part, -1 for all\n" +
				"    3 |  vote.all.pred %p1, 1;\n      |  ^^^^^^^^^^^^^\n"},
		{"no cores", triple, []string{"FILE", "-j", "0"}, 2, "simtrun: -j 0: expected a number of cores, 1 or more\n" + seeRun},
		{"negative time", triple, []string{"FILE", "--timeout", "-3s"}, 2,
			"simtrun: --timeout -3s: expected a time such as 30s, 5m or 1h30m, or a number of seconds; 0 is no limit\n" + seeRun},
		{"no such colour", triple, []string{"FILE", "--color", "yes"}, 2,
			"simtrun: --color yes: no mode \"yes\"; there are auto, always, never\n" + seeRun},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := simtrun(t, tt.source, tt.args...)
			if diff := cmp.Diff(tt.stderr, got.stderr); diff != "" || got.code != tt.code {
				t.Errorf("exit %d, want %d\n%s", got.code, tt.code, diff)
			}
		})
	}
}

// TestFilesAreRecognisedByName checks that files are recognised by name, and that PTX is never mistaken for something
// else.
func TestFilesAreRecognisedByName(t *testing.T) {
	for name, foreign := range map[string]bool{"k.cu": true, "k.ll": true, "k.ptx": false, "k.s": false} {
		path := filepath.Join(t.TempDir(), name)
		if err := refuseForeign(path, []byte(".entry k( { ret; }")); (err != nil) != foreign {
			t.Errorf("%s: %v", name, err)
		}
	}
	path := filepath.Join(t.TempDir(), "k.cu")
	if err := os.WriteFile(path, []byte(triple), 0o666); err != nil {
		t.Fatal(err)
	}
	if got := simtrunIn(t.Context(), "", path); got.code != 0 {
		t.Errorf("PTX in a .cu file: %+v", got)
	}
}

// TestAdviceForCUDACompiles checks that the advice for CUDA C++ in a file of another name works, if clang is installed.
func TestAdviceForCUDACompiles(t *testing.T) {
	needsClang(t)
	cudaFolder(t, "")
	const text = "extern \"C\" __global__ void k(float *x) {\n\tx[threadIdx.x] *= 2;\n}\n"
	if err := os.WriteFile("k.txt", []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	advice := simtrunIn(t.Context(), "", "k.txt").stderr
	_, command, _ := strings.Cut(advice, "\n  simtrun ")
	command, _, _ = strings.Cut(command, "\n")
	if got := simtrunIn(t.Context(), "", strings.Fields(command)...); got.code != 0 {
		t.Fatalf("%s: %+v", command, got)
	}
	got := simtrunIn(t.Context(), "", "k.ptx", "--block", "4", "--arg", "0=list:f32:1,2,3,4", "--dump", "k_param_0", "-q")
	if want := "x[0:4] f32 = 2 4 6 8\n"; got.stdout != want || got.code != 0 {
		t.Errorf("%+v, want %s", got, want)
	}
}

// TestEndOfBodyEndsThreads checks that the end of a kernel's body ends its threads, with a warning.
func TestEndOfBodyEndsThreads(t *testing.T) {
	got := simtrun(t, "//sim:arg x = zeros:1:u32\n//sim:dump x\n.entry k(.param .u64 x)\n{\n\tld.param.u64 %rd1, [x];\n\tst.global.u32 [%rd1], 7;\n}\n", "FILE", "-q")
	if diff := cmp.Diff(output{0, "x[0:1] u32 = 7\n", "k.s:7:1: warning: k has no ret at its end, which threads can reach; the end is taken for one\n    7 | }\n      | ^\n"}, got, cmp.AllowUnexported(output{})); diff != "" {
		t.Error(diff)
	}
}
