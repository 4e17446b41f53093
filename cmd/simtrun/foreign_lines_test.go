package main

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// exchange is a kernel with a race, as compilers of other languages than CUDA C++ write it. KERNEL is its symbol and
// FILE its source.
//
//go:embed testdata/kernels/exchange.s
var exchange string

// TestFindingsHaveLinesOfEveryLanguage: findings in PTX of other compilers have the lines and the text of their
// sources, short names of kernels and parameters, and advice in the language's words.
func TestFindingsHaveLinesOfEveryLanguage(t *testing.T) {
	for _, c := range []struct{ file, kernel, name, fix string }{
		{"numba.py", "_ZN8__main__3addB2v1B20cw51cXTLSUwv1kYaFhDbE5ArrayIfLi1E1C7mutable7alignedE", "__main__::add", "cuda.syncthreads() before line 3"},
		{"triton.py", "add_kernel", "add_kernel", "tl.debug_barrier() before line 3"},
		{"tiny.py", "r_16_8n1", "r_16_8n1", "a barrier of the block (bar.sync) before line 3"},
		{"generator.cpp", "kernel_f_s0_y___block_id_y", "kernel_f_s0_y___block_id_y", "a barrier of the block (bar.sync) before line 3"},
		{"k.jl", "_Z3add13CuDeviceArrayI7Float32Li1ELi1EE", "add", "sync_threads() before line 3"},
		{"lib.rs", "_ZN7kernels3add17h0123456789abcdefE", "kernels::add", "sync_threads() before line 3"},
		{"src/lib.rs", "_RNvCs15kBYyAo9fc_7kernels3add", "kernels::add", "sync_threads() before line 3"},
		{"k.cuf", "k_add_", "k_add_", "call syncthreads() before line 3"},
		{"k.zig", "add", "add", "a barrier of the block (bar.sync) before line 3"},
		{"k.cu", "_Z3addPj", "add", "__syncthreads() before line 3"},
	} {
		t.Run(c.file, func(t *testing.T) {
			t.Chdir(t.TempDir())
			write := func(name, text string) {
				if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.MkdirAll(filepath.Dir(c.file), 0o777); err != nil {
				t.Fatal(err)
			}
			write(c.file, "first\n    shared[i] = i\n    out[0] = shared[i ^ 32]\n")
			write("k.ptx", strings.NewReplacer("KERNEL", c.kernel, "FILE", filepath.Join(".", c.file)).Replace(exchange))
			got := typed(t, "k.ptx", "--kernel", c.name, "--block", "64", "--arg", "0=zeros:1:u32", "--check", "race")
			if !strings.HasPrefix(got.stdout, c.name+" ") {
				t.Errorf("another name than %s: %s", c.name, got.stdout)
			}
			for _, want := range []string{c.file + ":3:5 (k.ptx:21): error: race: read not ordered", c.file + ":2 (k.ptx:17)  shared[i] = i ", c.file + ":3 (k.ptx:21)  out[0] = shared[i ^ 32] ", "fix     " + c.fix} {
				if !strings.Contains(got.stdout+got.stderr, want) {
					t.Errorf("no %q in\n%s%s", want, got.stdout, got.stderr)
				}
			}
			if c.kernel == c.name {
				return
			}
			got = typed(t, "k.ptx", "-q", "--block", "64")
			if !strings.Contains(got.stderr, "no argument for parameter param_0 of kernel "+c.name) {
				t.Errorf("%+v", got)
			}
			if got = typed(t, "k.ptx", "-q", "--arg", "param_0=zeros:1:u32"); got.code != 0 {
				t.Errorf("%+v", got)
			}
		})
	}
}

// inlinedPTX is a store past the end in functions that were inlined, as rustc, CUDA.jl, Triton and nvcc write it: their
// names are in .debug_str. STORE and STEP are these names.
//
//go:embed testdata/kernels/inlined_ptx.s
var inlinedPTX string

// TestInlinedFunctionsKeepTheirNames: the calls below a finding have the names of functions as their language has them.
func TestInlinedFunctionsKeepTheirNames(t *testing.T) {
	for _, c := range []struct{ file, store, step, wantStore, wantStep string }{
		{"lib.rs", "_RINvCs15kBYyAo9fc_7kernels5storemE", "_ZN7kernels4step17h0123456789abcdefE", "kernels::store::<u32>", "kernels::step"},
		{"k.py", "put_block", "matmul_step", "put_block", "matmul_step"},
		{"k.jl", "setindex!", "step!", "setindex!", "step!"},
		{"k.cu", "_Z5storePjj", "_ZN2ns4stepIjEEvPT_", "store", "ns::step<unsigned int>"},
	} {
		t.Run(c.file, func(t *testing.T) {
			t.Chdir(t.TempDir())
			text := ""
			for _, b := range []byte(c.store + "\x00" + c.step + "\x00") {
				text += fmt.Sprintf(".b8 %d\n", b)
			}
			ptx := strings.NewReplacer("STORE\n", text, "NEXT", fmt.Sprint(len(c.store)+1), "FILE", c.file).Replace(inlinedPTX)
			for name, content := range map[string]string{c.file: "one\n  two\n  store here\nfour\n", "k.ptx": ptx} {
				if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			got := typed(t, "k.ptx", "--block", "32", "--arg", "out=zeros:8:u32")
			for _, want := range []string{c.file + ":3:5 (k.ptx:16): error: ", "store here",
				c.wantStore + ", called by " + c.wantStep + " at " + c.file + ":2", c.wantStep + ", called by k at " + c.file + ":4"} {
				if !strings.Contains(got.stdout+got.stderr, want) {
					t.Errorf("no %q in\n%s%s", want, got.stdout, got.stderr)
				}
			}
		})
	}
}
