package cuda

import (
	"slices"
	"testing"
)

// TestParse: options of nvcc's in the ways in which they are written.
func TestParse(t *testing.T) {
	for _, tt := range []struct {
		args   []string
		arch   string
		inputs []string
		words  []string // for compiling, for the host's code, for linking
	}{
		{[]string{"a.cu"}, "sm_80", []string{"a.cu"}, nil},
		{[]string{"-arch", "sm_90a", "a.cu", "-DN=3", "-D", "M", "-I.", "-I", "inc", "-Ux"}, "sm_90a", []string{"a.cu"}, []string{"-DN=3", "-DM", "-I.", "-Iinc", "-Ux"}},
		{[]string{"--gpu-architecture=compute_75", "-O3", "--std=c++14", "-lm", "a.cu", "-lcudart", "-l", "z"}, "sm_75", []string{"-lm", "a.cu", "-lz"}, []string{"-O3", "-std=c++14"}},
		{[]string{"-Xcompiler", "-Wall,-fopenmp", "-Xcompiler=-fPIC", "-march=native", "x.o"}, "sm_80", []string{"x.o"}, []string{"-Wall", "-fopenmp", "-fPIC", "-march=native"}},
		{[]string{"-lineinfo", "-G", "-Xptxas", "-v", "--ptxas-options=-O2", "-ccbin", "g++", "-m64", "-maxrregcount=32", "--expt-extended-lambda", "a.cu"}, "sm_80", []string{"a.cu"}, nil},
		{[]string{"-gencode", "arch=compute_60,code=sm_60", "-gencode", "arch=compute_90,code=sm_90", "-gencode", "arch=compute_100,code=sm_100", "a.cu"}, "sm_90", []string{"a.cu"}, nil},
		{[]string{"-arch=native", "-rdc=false", "-Wl,-rpath,x", "-Lfoo", "a.cu"}, "sm_80", []string{"a.cu"}, []string{"-Wl,-rpath,x", "-Lfoo"}},
		{[]string{"-use_fast_math", "a.cu", "-isystem", "sys", "-include", "x.h"}, "sm_80", []string{"a.cu"},
			[]string{"-ffast-math", "-fno-finite-math-only", "-fcuda-approx-transcendentals", "-D__USE_FAST_MATH__=1", "-isystem", "sys", "-include", "x.h"}},
		{[]string{"-Wno-deprecated-gpu-targets", "-funroll-loops", "-w", "a.cu"}, "sm_80", []string{"a.cu"}, []string{"-funroll-loops", "-w"}},
	} {
		o, err := Parse(tt.args)
		if err != nil {
			t.Errorf("%v: %v", tt.args, err)
			continue
		}
		words := slices.Concat(o.Compile, o.Host, o.Link)
		if o.Arch != tt.arch || !slices.Equal(o.Inputs, tt.inputs) || !slices.Equal(words, tt.words) {
			t.Errorf("%v: arch %s, inputs %v, words %v", tt.args, o.Arch, o.Inputs, words)
		}
	}
}

// TestNewestGencode: of architectures that no clang may know, the least is taken.
func TestNewestGencode(t *testing.T) {
	o, err := Parse([]string{"-gencode=arch=compute_120,code=sm_120", "-gencode=arch=compute_100,code=sm_100"})
	if err != nil || o.Arch != "sm_100" {
		t.Errorf("%v, %v", o, err)
	}
}

// TestArchitecture: what is newer than the compiler is compiled for the newest that it knows.
func TestArchitecture(t *testing.T) {
	for _, tt := range []struct {
		version     int
		asked, want string
	}{{19, "sm_100", "sm_90"}, {19, "sm_90a", "sm_90a"}, {20, "sm_100a", "sm_100a"}, {15, "sm_90", "sm_86"}, {15, "sm_75", "sm_75"}, {19, "sm_20", "sm_50"}} {
		c := &Compiler{Version: tt.version}
		if got := c.architecture(tt.asked); got != tt.want {
			t.Errorf("clang %d for %s: %s, want %s", tt.version, tt.asked, got, tt.want)
		}
	}
}
